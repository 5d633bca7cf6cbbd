//! What a schedule costs, counted from its operations alone: a small interpreter of locks, channels and threads follows
//! the recorded execution and knows at every switch whether the thread that ran last was enabled. The engine's own
//! counters (`execution`, `strategy`, `prefix`) and its state of objects (`object`) are not used.

use super::record::{Access, Record};
use crate::ObjectId;
use crate::op::{Class, Kind, Other, Step};
use crate::rt::ObjectKind;

/// The cost of a schedule in every unit that can be bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Costs {
    /// Switches away from a thread that could have gone on and had not yielded.
    pub(crate) preemptions: u32,
    pub(crate) switches: u32,
    pub(crate) steps: u32,
    /// Accesses that did not read the newest store there was, or did not write behind it.
    pub(crate) stale: u32,
}

/// The costs of an execution under the fairness in force; an error is the position of a step that could not be made.
pub(crate) fn costs(record: &Record, fair: Option<u32>) -> Result<Costs, usize> {
    let mut world = World::new(record, fair);
    let mut costs = Costs::default();
    let mut last = 0;
    let mut accesses = record.accesses.iter();
    let mut newest = vec![0; record.objects.len()];
    for (position, step) in record.steps.iter().enumerate() {
        let thread = step.thread.index();
        if !world.enabled(thread) {
            return Err(position);
        }
        if thread != last {
            costs.switches += 1;
            costs.preemptions += u32::from(world.would_go_on(last));
        }
        costs.steps += 1;
        if step.in_graph
            && let Some(access) = accesses.next()
        {
            costs.stale += u32::from(is_stale(access, &mut newest[step.object.index()]));
        }
        world.make(step);
        last = thread;
    }
    Ok(costs)
}

/// Whether an access is stale; `newest` is where the last of the stores so far stands in modification order.
fn is_stale(access: &Access, newest: &mut u32) -> bool {
    let stale = match access.written {
        Some(written) => written < *newest,
        None => access.read.is_some_and(|read| read < *newest),
    };
    *newest = access.written.map_or(*newest, |written| written.max(*newest));
    stale
}

/// An operation of a thread: kind, object, other.
type Operation = (Kind, ObjectId, Other);

/// A thread on its way through its operations.
#[derive(Default)]
struct Thread {
    operations: Vec<Operation>,
    made: usize,
    /// It has an operation that was never made: it does not end.
    stuck: bool,
    yields: u32,
    yielded: bool,
}

/// An object; each kind uses the fields it needs.
#[derive(Clone, Default)]
struct Object {
    /// Locked, or locked for writing.
    locked: bool,
    readers: u32,
    /// The permit is there, the gate is open.
    set: bool,
    waiting: Vec<usize>,
    sent: u32,
    received: u32,
    /// Threads that wait for a message of a channel without buffer.
    offers: u32,
    senders_gone: u32,
    receiver_gone: bool,
}

struct World<'a> {
    record: &'a Record,
    fair: Option<u32>,
    threads: Vec<Thread>,
    objects: Vec<Object>,
}

impl World<'_> {
    fn new(record: &Record, fair: Option<u32>) -> World<'_> {
        let mut threads: Vec<Thread> = record.threads.iter().map(|_| Thread::default()).collect();
        for step in &record.steps {
            threads[step.thread.index()].operations.push((step.kind, step.object, step.other));
        }
        for (thread, recorded) in threads.iter_mut().zip(&record.threads) {
            thread.stuck = recorded.pending.is_some();
            thread.operations.extend(recorded.pending);
        }
        World { record, fair, threads, objects: vec![Object::default(); record.objects.len()] }
    }

    fn born(&self, thread: usize) -> bool {
        match self.record.threads[thread].birth {
            Some((parent, after)) => self.born(parent.index()) && self.threads[parent.index()].made >= after as usize,
            None => true,
        }
    }

    fn ended(&self, thread: usize) -> bool {
        let Thread { operations, made, stuck, .. } = &self.threads[thread];
        !stuck && *made == operations.len()
    }

    fn next(&self, thread: usize) -> Option<Operation> {
        let Thread { operations, made, .. } = &self.threads[thread];
        operations.get(*made).copied().filter(|_| self.born(thread))
    }

    fn capacity(&self, channel: ObjectId) -> Option<u32> {
        match self.record.objects[channel.index()] {
            ObjectKind::Channel { capacity } => capacity,
            _ => None,
        }
    }

    fn queued(&self, channel: ObjectId) -> u32 {
        let channel = &self.objects[channel.index()];
        channel.sent - channel.received
    }

    fn has_room(&self, channel: ObjectId) -> bool {
        self.capacity(channel).is_none_or(|capacity| self.queued(channel) < capacity.max(1))
    }

    fn has_senders(&self, channel: ObjectId) -> bool {
        let cloned = self.record.clones.iter().filter(|clone| {
            let thread = clone.thread.index();
            clone.channel == channel && self.born(thread) && self.threads[thread].made >= clone.after as usize
        });
        1 + cloned.count() as u32 > self.objects[channel.index()].senders_gone
    }

    fn enabled(&self, thread: usize) -> bool {
        let Some((kind, object, other)) = self.next(thread) else { return false };
        let of = |object: ObjectId| &self.objects[object.index()];
        match kind {
            Kind::Lock => !of(object).locked,
            Kind::Relock => !of(object).locked && !of(other.object()).waiting.contains(&thread),
            Kind::Read => !of(object).locked,
            Kind::Write => !of(object).locked && of(object).readers == 0,
            Kind::Send => of(object).receiver_gone || self.has_room(object),
            Kind::Taken => of(object).receiver_gone || of(object).received > other.number(),
            Kind::Recv => self.queued(object) > 0 || !self.has_senders(object),
            Kind::Take | Kind::Pass => of(object).set,
            Kind::Join => self.born(other.thread().index()) && self.ended(other.thread().index()),
            Kind::Drain => (1..self.threads.len()).all(|t| !self.born(t) || self.ended(t)),
            _ => true,
        }
    }

    /// Whether the next operation of a thread would only give up waiting.
    fn times_out(&self, thread: usize) -> bool {
        match self.next(thread) {
            Some((Kind::WakeTimed, condvar, _)) => self.objects[condvar.index()].waiting.contains(&thread),
            Some((Kind::RecvTimed, channel, _)) => self.queued(channel) == 0 && self.has_senders(channel),
            Some((Kind::TakeTimed, token, _)) => !self.objects[token.index()].set,
            _ => false,
        }
    }

    /// Whether fairness lets a thread run: no enabled thread has yielded too seldom for that.
    fn fair(&self, thread: usize) -> bool {
        let enough = |ahead: u32, other: usize| self.threads[thread].yields <= self.threads[other].yields + ahead;
        self.fair.is_none_or(|ahead| (0..self.threads.len()).all(|t| enough(ahead, t) || !self.enabled(t)))
    }

    /// Whether a switch away from a thread is a preemption.
    fn would_go_on(&self, thread: usize) -> bool {
        !self.threads[thread].yielded && self.enabled(thread) && !self.times_out(thread) && self.fair(thread)
    }

    fn make(&mut self, step: &Step) {
        let thread = step.thread.index();
        // Whether a thread spins is recorded, and believed.
        let looks = matches!(step.class, Class::Read | Class::Empty) || step.kind == Kind::Rmw;
        let spins = step.yielded && looks;
        let yielded = matches!(step.kind, Kind::Yield | Kind::WaitTimed) || spins || self.times_out(thread);
        if step.object != ObjectId::NONE {
            self.access(step, thread);
        }
        if matches!(step.kind, Kind::Wait | Kind::WaitTimed) {
            self.objects[step.other.object().index()].locked = false;
        }
        let thread = &mut self.threads[thread];
        thread.made += 1;
        thread.yielded = yielded;
        thread.yields += u32::from(yielded);
    }

    fn access(&mut self, step: &Step, thread: usize) {
        let (room, queued) = (self.has_room(step.object), self.queued(step.object));
        let direct = self.capacity(step.object) == Some(0);
        let object = &mut self.objects[step.object.index()];
        match step.kind {
            Kind::Lock | Kind::Relock | Kind::Write | Kind::TryLock => object.locked = true,
            Kind::TryWrite => object.locked |= object.readers == 0,
            Kind::Unlock | Kind::UnlockWrite => object.locked = false,
            Kind::Read => object.readers += 1,
            Kind::TryRead => object.readers += u32::from(!object.locked),
            Kind::UnlockRead => object.readers -= 1,
            Kind::Wait | Kind::WaitTimed => {
                object.waiting.push(thread);
                object.waiting.sort_unstable();
            }
            Kind::WakeTimed => object.waiting.retain(|&waiting| waiting != thread),
            Kind::NotifyOne if !object.waiting.is_empty() => _ = object.waiting.remove(step.choice as usize),
            Kind::NotifyAll => object.waiting.clear(),
            Kind::Send => object.sent += u32::from(!object.receiver_gone),
            Kind::TrySend => {
                let taken = if direct { object.offers > queued } else { room };
                object.sent += u32::from(taken && !object.receiver_gone);
            }
            Kind::Offer => object.offers += 1,
            Kind::Recv | Kind::RecvTimed | Kind::TryRecv => {
                object.received += u32::from(queued > 0);
                object.offers -= u32::from(direct && step.kind != Kind::TryRecv);
            }
            Kind::DropSender => object.senders_gone += 1,
            Kind::DropReceiver => object.receiver_gone = true,
            Kind::Take | Kind::TakeTimed => object.set = false,
            Kind::Put | Kind::Open => object.set = true,
            _ => {}
        }
    }
}
