//! The state of one run: threads with their pending operations, objects, the steps made so far. It determines which
//! threads are enabled, and makes steps; it decides nothing.

mod spin;

use std::any::Any;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::graph;
use crate::object;
use crate::op::{Class, Kind, Op, Step};
use crate::rt::{ObjectKind, Transfer};
use crate::set::ThreadSet;
use crate::weak::Weak;
use crate::{At, MAIN, ObjectId, Place, ThreadId, thread_ids};

/// A thread of a run.
#[derive(Default)]
pub(crate) struct Thread {
    /// What it will do when it is chosen; none while it runs and after its end.
    pub(crate) pending: Option<Op>,
    pub(crate) finished: bool,
    /// Its last step let others run.
    pub(crate) yielded: bool,
    /// Steps with which it let others run.
    pub(crate) yields: u32,
    spin: spin::Spin,
    /// Steps it made.
    pub(crate) steps: u32,
    /// Threads it spawned.
    pub(crate) children: u32,
    /// The main thread has waited for it.
    joined: bool,
    /// Who spawned it, and after how many of its own steps.
    pub(crate) birth: Option<(ThreadId, u32)>,
    /// The permit of `park`, once somebody uses it.
    pub(crate) token: Option<ObjectId>,
    /// The panic that began to unwind it: message and place.
    pub(crate) panic: Option<(String, Option<Place>)>,
    /// What it ended with.
    pub(crate) payload: Option<Box<dyn Any + Send>>,
    pub(crate) name: Option<String>,
    pub(crate) spawned: Option<At>,
}

/// An object of a run.
pub(crate) struct Object {
    pub(crate) state: object::State,
    pub(crate) created: At,
    pub(crate) name: Option<String>,
    /// Accesses that changed it.
    writes: u32,
    /// Where the lock was last taken.
    pub(crate) taken: Option<At>,
    /// Who holds it for reading.
    pub(crate) readers: Vec<ThreadId>,
}

/// A sender was cloned by `thread` after this many of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cloned {
    pub(crate) channel: ObjectId,
    pub(crate) thread: ThreadId,
    pub(crate) after: u32,
}

/// The state of a run. Threads and objects beyond `live` and `used` are kept for their memory.
#[derive(Default)]
pub(crate) struct State {
    threads: Vec<Thread>,
    live: usize,
    objects: Vec<Object>,
    used: usize,
    /// The steps so far.
    pub(crate) steps: Vec<Step>,
    /// Clones of senders so far.
    pub(crate) clones: Vec<Cloned>,
    unfinished: usize,
    /// Threads that the main thread has waited for.
    joined: usize,
    /// Steps with which any thread let others run.
    yields: u32,
    /// The sum of the marks of all operations that were announced.
    fingerprint: u64,
    /// The memory, where stale values are explored, and one that is kept for later.
    pub(crate) weak: Option<Box<Weak>>,
    spare: Option<Box<Weak>>,
    /// Of the first 64 threads, those whose pending operation never waits, and those whose may.
    ready: u64,
    waiting: u64,
}

/// What tells a pending operation of a thread from others: what it is, on what and where, as [`Op::same`] compares.
#[inline]
fn mark(thread: ThreadId, op: &Op) -> u64 {
    let place = std::ptr::from_ref(op.at) as u64 ^ (u64::from(thread.0) << 48) ^ ((op.kind as u64) << 40);
    let what = (u64::from(op.object.0) << 32 | u64::from(op.other.number())) ^ op.access.map_or(0, mark_of_access);
    (place.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ what).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// What tells an access of an atomic whose stores are kept from others.
fn mark_of_access(access: graph::Access) -> u64 {
    let mut hasher = FxHasher::default();
    access.hash(&mut hasher);
    hasher.finish()
}

/// A thread as a bit, if it is one of the first 64.
fn bit(thread: ThreadId) -> u64 {
    1_u64.checked_shl(thread.0).unwrap_or(0)
}

impl Object {
    /// A thread's step on it; how it turned out.
    #[inline]
    fn step(&mut self, op: &Op, thread: ThreadId, choice: u32) -> (Transfer, Class) {
        match op.kind {
            Kind::Load | Kind::CompareExchange => (Transfer::Done, Class::Read),
            Kind::Store | Kind::Rmw => {
                self.writes += 1;
                (Transfer::Done, Class::Write)
            }
            _ => self.step_of_library(op, thread, choice),
        }
    }

    /// The same, of an object that is no atomic.
    fn step_of_library(&mut self, op: &Op, thread: ThreadId, choice: u32) -> (Transfer, Class) {
        let class = self.state.class(op.kind, thread);
        self.writes += u32::from(!matches!(class, Class::Read | Class::Empty | Class::Full | Class::Nothing));
        let outcome = self.state.outcome(op.kind, thread, op.other);
        self.state.apply(op.kind, thread, choice);
        match op.kind {
            Kind::Read | Kind::TryRead if outcome == Transfer::Done => self.readers.push(thread),
            Kind::UnlockRead => {
                if let Some(i) = self.readers.iter().position(|&t| t == thread) {
                    self.readers.remove(i);
                }
            }
            _ => {}
        }
        let locks = matches!(op.kind, Kind::Lock | Kind::Relock | Kind::Read | Kind::Write)
            || (matches!(op.kind, Kind::TryLock | Kind::TryRead | Kind::TryWrite) && outcome == Transfer::Done);
        if locks {
            self.taken = Some(op.at);
        }
        (outcome, class)
    }
}

impl State {
    /// An empty run, keeping memory.
    pub(crate) fn reset(&mut self) {
        self.live = 0;
        self.used = 0;
        self.unfinished = 0;
        self.joined = 0;
        self.yields = 0;
        self.fingerprint = 0;
        self.ready = 0;
        self.waiting = 0;
        self.steps.clear();
        self.clones.clear();
        if let Some(weak) = &mut self.weak {
            weak.reset();
        }
    }

    /// Forgets what belongs to the program, keeping memory; false if that would be much.
    pub(crate) fn forget(&mut self) -> bool {
        self.reset();
        self.spare = self.weak.take().or(self.spare.take()).filter(|weak| weak.is_small());
        self.threads.clear();
        self.objects.iter_mut().for_each(|object| object.name = None);
        self.threads.capacity() <= 64 && self.objects.len() <= 1024 && self.steps.capacity() <= 4096
    }

    /// Stale values are explored from now on.
    pub(crate) fn keep_stores(&mut self) {
        if self.weak.is_none() {
            self.weak = Some(self.spare.take().unwrap_or_default());
        }
    }

    /// The threads so far.
    pub(crate) fn threads(&self) -> &[Thread] {
        &self.threads[..self.live]
    }

    /// The objects so far.
    pub(crate) fn objects(&self) -> &[Object] {
        &self.objects[..self.used]
    }

    /// A thread.
    pub(crate) fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.threads[..self.live][thread.index()]
    }

    /// An object.
    pub(crate) fn object(&mut self, object: ObjectId) -> &mut Object {
        &mut self.objects[..self.used][object.index()]
    }

    /// A new thread.
    pub(crate) fn add_thread(
        &mut self,
        parent: Option<ThreadId>,
        name: Option<String>,
        spawned: Option<At>,
    ) -> ThreadId {
        let birth = parent.map(|p| (p, self.threads[p.index()].steps));
        if let Some(p) = parent {
            self.threads[p.index()].children += 1;
        }
        match self.threads.get_mut(self.live) {
            Some(old) => {
                let spin = old.spin.emptied();
                *old = Thread { birth, name, spawned, spin, ..Thread::default() };
            }
            None => self.threads.push(Thread { birth, name, spawned, ..Thread::default() }),
        }
        self.live += 1;
        self.unfinished += 1;
        ThreadId(self.live as u32 - 1)
    }

    /// A new object.
    #[inline]
    pub(crate) fn add_object(&mut self, kind: ObjectKind, created: At) -> ObjectId {
        if self.used < self.objects.len() {
            let object = &mut self.objects[self.used];
            object.state.reset(kind);
            object.created = created;
            object.name = None;
            object.writes = 0;
            object.taken = None;
            object.readers.clear();
        } else {
            let state = object::State::new(kind);
            self.objects.push(Object { state, created, name: None, writes: 0, taken: None, readers: Vec::new() });
        }
        self.used += 1;
        ObjectId(self.used as u32 - 1)
    }

    /// The permit of a thread, made when first used.
    pub(crate) fn token(&mut self, thread: ThreadId, at: At) -> ObjectId {
        if let Some(token) = self.threads[thread.index()].token {
            return token;
        }
        let token = self.add_object(ObjectKind::Token, at);
        self.threads[thread.index()].token = Some(token);
        token
    }

    /// One sender more; remembered because it changes the state without a step.
    pub(crate) fn clone_sender(&mut self, thread: ThreadId, channel: ObjectId) {
        self.objects[channel.index()].state.senders += 1;
        let after = self.threads[thread.index()].steps;
        self.clones.push(Cloned { channel, thread, after });
    }

    /// If the channel has no buffer: the number of the message sent last.
    pub(crate) fn rendezvous(&self, channel: ObjectId) -> Option<u32> {
        let state = &self.objects[channel.index()].state;
        (state.kind == ObjectKind::Channel { capacity: Some(0) }).then(|| state.a.saturating_sub(1))
    }

    /// The main thread has waited for each thread there is: there is nothing more to wait for, in whatever order the run's
    /// steps were made.
    pub(crate) fn all_joined(&self) -> bool {
        self.joined + 1 == self.live
    }

    /// All threads but one have ended.
    pub(crate) fn is_alone(&self) -> bool {
        self.unfinished == 1
    }

    /// All threads have ended.
    pub(crate) fn all_finished(&self) -> bool {
        self.unfinished == 0
    }

    /// Whether a thread can make its pending step now.
    pub(crate) fn enabled(&self, thread: ThreadId) -> bool {
        let Some(op) = &self.threads[thread.index()].pending else { return false };
        if op.kind.never_waits() {
            return true;
        }
        let open = match op.kind {
            Kind::Join => self.threads[op.other.thread().index()].finished,
            Kind::Drain => self.unfinished == 1,
            Kind::Relock => !self.objects[op.other.object().index()].state.waiting.contains(&thread),
            _ => true,
        };
        open && (op.object == ObjectId::NONE || self.objects[op.object.index()].state.ready(op.kind, op.other))
    }

    /// Whether a thread can make the step that it has announced now; yes if it is not known to be waiting.
    #[cfg(all(debug_assertions, any(test, feature = "self-checks")))]
    pub(crate) fn is_enabled(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].pending.is_none() || self.enabled(thread)
    }

    /// Whether a thread is enabled and would continue by itself: it did not yield, and does not merely give up waiting.
    /// A switch away from one that does is a preemption.
    pub(crate) fn would_continue(&self, thread: ThreadId) -> bool {
        self.enabled(thread) && self.would_continue_if_enabled(thread)
    }

    /// ... of a thread that is known to be enabled.
    pub(crate) fn would_continue_if_enabled(&self, thread: ThreadId) -> bool {
        !self.threads[thread.index()].yielded && !self.gives_up(thread)
    }

    fn gives_up(&self, thread: ThreadId) -> bool {
        let Some(op) = &self.threads[thread.index()].pending else { return false };
        op.kind.is_timed()
            && self.objects[op.object.index()].state.outcome(op.kind, thread, op.other) == Transfer::WouldBlock
    }

    /// Among how many outcomes of a thread's pending step the environment chooses.
    pub(crate) fn arity(&self, thread: ThreadId) -> u32 {
        match &self.threads[thread.index()].pending {
            Some(Op { access: Some(access), object, .. }) => {
                self.weak.as_ref().map_or(1, |weak| weak.arity(thread, *object, *access))
            }
            Some(op) if op.kind == Kind::Choose => op.other.number().max(1),
            Some(op) if op.kind == Kind::NotifyOne => self.objects[op.object.index()].state.arity(op.kind),
            _ => 1,
        }
    }

    /// The enabled threads.
    pub(crate) fn enabled_threads(&self, into: &mut ThreadSet) {
        if self.live <= 64 {
            let (mut bits, mut waiting) = (self.ready, self.waiting);
            while waiting != 0 {
                let thread = ThreadId(waiting.trailing_zeros());
                waiting &= waiting - 1;
                bits |= u64::from(self.enabled(thread)) << thread.0;
            }
            return into.set_low(bits);
        }
        into.clear();
        for thread in thread_ids(self.live).filter(|&t| self.enabled(t)) {
            into.insert(thread);
        }
    }

    /// A thread announces what it will do.
    #[inline]
    pub(crate) fn announce(&mut self, thread: ThreadId, op: &Op) {
        self.fingerprint = self.fingerprint.wrapping_add(mark(thread, op));
    }

    /// What a thread has announced waits until it is chosen.
    pub(crate) fn wait(&mut self, thread: ThreadId, op: Op) {
        if op.kind.never_waits() {
            self.ready |= bit(thread);
        } else {
            self.waiting |= bit(thread);
        }
        self.threads[thread.index()].pending = Some(op);
    }

    /// What all threads have announced so far, as a number: the same whenever the same schedule leads here.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Of the enabled threads, those that are not more than `ahead` yields ahead of another (\[BPOR\] Definition 1.9).
    pub(crate) fn fair(&self, enabled: &mut ThreadSet, ahead: u32) {
        if self.yields == 0 {
            return;
        }
        let yields = |t: ThreadId| self.threads[t.index()].yields;
        let Some(least) = enabled.iter().map(yields).min() else { return };
        for thread in thread_ids(self.live) {
            if yields(thread) > least + ahead {
                enabled.remove(thread);
            }
        }
    }

    /// Takes what a thread that was chosen is about to do.
    pub(crate) fn take_pending(&mut self, thread: ThreadId) -> Op {
        self.ready &= !bit(thread);
        self.waiting &= !bit(thread);
        self.threads[thread.index()].pending.take().expect("internal error: a chosen thread is pending")
    }

    /// Makes the step of an enabled thread, which was announced; how it turned out.
    #[inline]
    pub(crate) fn make_step(&mut self, thread: ThreadId, op: &Op, choice: u32) -> (Step, Transfer) {
        let (outcome, class) = match op.object {
            ObjectId::NONE => (Transfer::Done, Class::Nothing),
            object => self.objects[object.index()].step(op, thread, choice),
        };
        let yielded = !op.kind.is_atomic() && self.step_elsewhere(thread, op, outcome);
        let t = &mut self.threads[thread.index()];
        t.steps += 1;
        t.yielded = yielded;
        if !matches!(class, Class::Read | Class::Empty) {
            t.spin.reset();
        }
        t.yields += u32::from(yielded);
        self.yields += u32::from(yielded);
        let (kind, object, other) = (op.kind, op.object, op.other);
        let in_graph = op.access.is_some();
        let step = Step { thread, choice, kind, class, object, other, in_graph, yielded, finished: false };
        self.steps.push(step);
        (step, outcome)
    }

    /// What a step that is no access of an atomic does besides to its object; whether it lets others run.
    fn step_elsewhere(&mut self, thread: ThreadId, op: &Op, outcome: Transfer) -> bool {
        match op.kind {
            Kind::Wait | Kind::WaitTimed => {
                self.objects[op.other.object().index()].state.apply(Kind::Unlock, thread, 0)
            }
            Kind::Join if thread == MAIN => {
                self.joined +=
                    usize::from(!std::mem::replace(&mut self.threads[op.other.thread().index()].joined, true));
            }
            _ => {}
        }
        matches!(op.kind, Kind::Yield | Kind::WaitTimed) || (op.kind.is_timed() && outcome == Transfer::WouldBlock)
    }

    /// The newest step, an exchange, wrote.
    pub(crate) fn wrote(&mut self) {
        let step = self.steps.last_mut().expect("internal error: a step was made");
        step.class = Class::Write;
        self.threads[step.thread.index()].spin.reset();
        self.objects[step.object.index()].writes += 1;
    }

    /// The newest step, a read-modify-write, left the value as it was: it only looked at its object, which is as it was when
    /// `version` was the same.
    pub(crate) fn left_unchanged(&mut self, at: At, version: Option<u32>) {
        let step = self.steps.last().expect("internal error: a step was made");
        debug_assert_eq!(step.kind, Kind::Rmw);
        let object = &mut self.objects[step.object.index()];
        object.writes -= 1;
        self.threads[step.thread.index()].spin.restore();
        let version = version.unwrap_or(object.writes);
        self.looked_at(at, version);
    }

    /// The newest step only looked at its object. If the thread has done so for long, this counts as a yield.
    pub(crate) fn looked(&mut self, at: At) {
        let object = self.steps.last().expect("internal error: a step was made").object;
        self.looked_at(at, self.objects[object.index()].writes);
    }

    /// The same; the object is as it was when `version` was the same.
    pub(crate) fn looked_at(&mut self, at: At, version: u32) {
        let step = self.steps.last_mut().expect("internal error: a step was made");
        let thread = &mut self.threads[step.thread.index()];
        if !step.yielded && thread.spin.reads(at, step.object, version) {
            step.yielded = true;
            thread.yielded = true;
            thread.yields += 1;
            self.yields += 1;
        }
    }

    /// Yields so far, of all threads.
    pub(crate) fn yields(&self) -> u32 {
        self.yields
    }

    /// The thread has ended.
    pub(crate) fn finish(&mut self, thread: ThreadId) {
        let t = &mut self.threads[thread.index()];
        t.finished = true;
        t.pending = None;
        self.ready &= !bit(thread);
        self.waiting &= !bit(thread);
        self.unfinished -= 1;
        // A thread without any step ends in the step that spawned it.
        if t.steps > 0
            && let Some(step) = self.steps.iter_mut().rev().find(|s| s.thread == thread)
        {
            step.finished = true;
        }
    }
}
