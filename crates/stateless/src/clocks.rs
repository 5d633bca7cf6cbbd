//! Happens-before as the language defines it: vector clocks of threads and objects, moved by synchronisation and by
//! nothing else. An atomic access synchronises as far as its ordering says; a primitive of the standard library as far as its
//! documentation promises.
//!
//! The rules are those of C++20 \[RC11\]. A *message* is what an acquiring read of an atomic's newest store learns:
//!
//! - a release store leaves what its thread knows, a relaxed one what the thread knew at its last release fence;
//! - a read-modify-write keeps the message it read (release sequence) and adds its own; a plain store ends the sequence;
//! - an acquiring read learns the message at once, a relaxed one at the thread's next acquire fence.
//!
//! Runs are sequentially consistent, so every read sees the newest store and one message for each atomic suffices.
//! `tests/happens_before.rs` computes the same relation from its definition and compares.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use crate::graph::StoreId;
use crate::op::{Kind, Step};
use crate::rt::{ObjectKind, Transfer};
use crate::{ObjectId, ThreadId};

/// For each thread how much of it is known; threads beyond the end are unknown.
pub(crate) type Clock = Vec<u32>;

pub(crate) fn join(into: &mut Clock, from: &[u32]) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (a, b) in into.iter_mut().zip(from) {
        *a = (*a).max(*b);
    }
}

fn copy(into: &mut Clock, from: &Clock) {
    into.clear();
    into.extend_from_slice(from);
}

pub(crate) fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

pub(crate) fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

/// What a thread knows.
#[derive(Default)]
struct ThreadClocks {
    /// What happens before its next step.
    known: Clock,
    /// What relaxed reads have met: an acquire fence adds it to what is known.
    acquirable: Clock,
    /// What was known at the last release fence: a relaxed store publishes it.
    fenced: Clock,
}

/// What an object passes on.
#[derive(Default)]
struct ObjectClocks {
    /// An atomic: the message of the newest store. A lock: what writers left. Gate, token: what was put there. A channel:
    /// what the senders left that are gone.
    released: Clock,
    /// A lock: what readers left, which only writers learn.
    readers: Clock,
    /// A channel: what the senders of the messages on their way knew.
    messages: VecDeque<Clock>,
    /// A bounded channel: what the receivers knew that made room, one for each receive whose slot was not used again.
    /// A channel without buffer: one for each receive.
    slots: VecDeque<Clock>,
    /// A bounded channel: messages sent.
    sent: u32,
    /// An atomic whose stores are kept: the messages of all but the first.
    stores: Vec<Clock>,
}

/// The moment of a thread at which something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) thread: ThreadId,
    pub(crate) time: u32,
}

/// The clocks of a run.
#[derive(Default)]
pub(crate) struct Clocks {
    threads: Vec<ThreadClocks>,
    objects: Vec<ObjectClocks>,
    spare: Vec<Clock>,
}

impl Clocks {
    /// Forgets everything, keeping memory.
    pub(crate) fn reset(&mut self) {
        for thread in &mut self.threads {
            thread.known.clear();
            thread.acquirable.clear();
            thread.fenced.clear();
        }
        for object in &mut self.objects {
            object.released.clear();
            object.readers.clear();
            self.spare.extend(object.messages.drain(..));
            self.spare.extend(object.slots.drain(..));
            object.sent = 0;
            self.spare.append(&mut object.stores);
        }
    }

    fn thread(&mut self, thread: ThreadId) -> &mut ThreadClocks {
        let t = thread.index();
        if self.threads.len() <= t {
            self.threads.resize_with(t + 1, ThreadClocks::default);
        }
        let clocks = &mut self.threads[t];
        if clocks.known.len() <= t {
            clocks.known.resize(t + 1, 0);
            clocks.known[t] = 1;
        }
        clocks
    }

    /// The clocks of a thread and of an object.
    fn both(&mut self, thread: ThreadId, object: ObjectId) -> (&mut ThreadClocks, &mut ObjectClocks) {
        self.thread(thread);
        let o = object.index();
        if self.objects.len() <= o {
            self.objects.resize_with(o + 1, ObjectClocks::default);
        }
        (&mut self.threads[thread.index()], &mut self.objects[o])
    }

    /// A thread has released something: what it does next is later.
    pub(crate) fn tick(&mut self, thread: ThreadId) {
        self.thread(thread).known[thread.index()] += 1;
    }

    /// The moment at which a thread is.
    pub(crate) fn now(&mut self, thread: ThreadId) -> Moment {
        Moment { thread, time: self.thread(thread).known[thread.index()] }
    }

    /// Whether a moment happens before the next step of `thread`.
    pub(crate) fn is_known(&self, thread: ThreadId, moment: Moment) -> bool {
        self.threads[thread.index()].known.get(moment.thread.index()).is_some_and(|&time| time >= moment.time)
    }

    /// Whether an acquire fence of `thread` would make a moment known: its relaxed reads have met it.
    pub(crate) fn is_acquirable(&self, thread: ThreadId, moment: Moment) -> bool {
        let acquirable = &self.threads[thread.index()].acquirable;
        acquirable.get(moment.thread.index()).is_some_and(|&time| time >= moment.time)
    }

    /// A new thread knows what its parent knows.
    pub(crate) fn spawned(&mut self, parent: ThreadId, child: ThreadId) {
        self.learn_from(child, parent);
        self.tick(parent);
    }

    /// `thread` knows what `ended` knew at its end.
    pub(crate) fn joined(&mut self, thread: ThreadId, ended: ThreadId) {
        self.learn_from(thread, ended);
    }

    fn learn_from(&mut self, thread: ThreadId, other: ThreadId) {
        let known = std::mem::take(&mut self.thread(other).known);
        join(&mut self.thread(thread).known, &known);
        self.threads[other.index()].known = known;
    }

    /// A read of an atomic.
    pub(crate) fn load(&mut self, thread: ThreadId, object: ObjectId, order: Ordering) {
        let (thread, object) = self.both(thread, object);
        let into = if acquires(order) { &mut thread.known } else { &mut thread.acquirable };
        join(into, &object.released);
    }

    /// A write of an atomic that reads nothing.
    pub(crate) fn store(&mut self, thread: ThreadId, object: ObjectId, order: Ordering) {
        let (clocks, object) = self.both(thread, object);
        copy(&mut object.released, if releases(order) { &clocks.known } else { &clocks.fenced });
        if releases(order) {
            self.tick(thread);
        }
    }

    /// The write of an atomic that [read](Self::load) in the same operation.
    pub(crate) fn modify(&mut self, thread: ThreadId, object: ObjectId, order: Ordering) {
        let (clocks, object) = self.both(thread, object);
        join(&mut object.released, if releases(order) { &clocks.known } else { &clocks.fenced });
        if releases(order) {
            self.tick(thread);
        }
    }

    /// A read of a store with this message.
    pub(crate) fn read_message(&mut self, thread: ThreadId, message: &[u32], order: Ordering) {
        let clocks = self.thread(thread);
        join(if acquires(order) { &mut clocks.known } else { &mut clocks.acquirable }, message);
    }

    /// The message of a store that a thread makes now.
    pub(crate) fn message(&mut self, thread: ThreadId, order: Ordering) -> Clock {
        let mut message = self.spare.pop().unwrap_or_default();
        let clocks = self.thread(thread);
        copy(&mut message, if releases(order) { &clocks.known } else { &clocks.fenced });
        if releases(order) {
            self.tick(thread);
        }
        message
    }

    /// A store of an atomic is made, and has this message.
    pub(crate) fn add_message(&mut self, object: ObjectId, message: Clock) {
        self.both(ThreadId(0), object).1.stores.push(message);
    }

    /// A read of one of the stores of an atomic.
    pub(crate) fn read_from(&mut self, thread: ThreadId, object: ObjectId, from: StoreId, order: Ordering) {
        let (clocks, object) = self.both(thread, object);
        let message = from.0.checked_sub(1).and_then(|index| object.stores.get(index as usize));
        let into = if acquires(order) { &mut clocks.known } else { &mut clocks.acquirable };
        message.into_iter().for_each(|message| join(into, message));
    }

    /// A store of an atomic, which may have read one in the same operation.
    pub(crate) fn write_behind(&mut self, thread: ThreadId, object: ObjectId, read: Option<StoreId>, order: Ordering) {
        let mut message = self.message(thread, order);
        let stores = &self.both(thread, object).1.stores;
        let before = read.and_then(|from| from.0.checked_sub(1)).and_then(|index| stores.get(index as usize));
        before.into_iter().for_each(|before| join(&mut message, before));
        self.add_message(object, message);
    }

    /// What a relaxed store of a thread publishes.
    pub(crate) fn fenced(&mut self, thread: ThreadId) -> &Clock {
        &self.thread(thread).fenced
    }

    /// What happens before the next step of a thread.
    pub(crate) fn known(&mut self, thread: ThreadId) -> &Clock {
        &self.thread(thread).known
    }

    /// A fence.
    pub(crate) fn fence(&mut self, thread: ThreadId, order: Ordering) {
        let clocks = self.thread(thread);
        if acquires(order) {
            join(&mut clocks.known, &clocks.acquirable);
        }
        if releases(order) {
            copy(&mut clocks.fenced, &clocks.known);
            self.tick(thread);
        }
    }

    /// What was released to the object is known to the thread.
    pub(crate) fn acquire(&mut self, thread: ThreadId, object: ObjectId) {
        let (thread, object) = self.both(thread, object);
        join(&mut thread.known, &object.released);
    }

    /// What the thread knows is released to the object, besides what was.
    pub(crate) fn release(&mut self, thread: ThreadId, object: ObjectId) {
        let (clocks, object) = self.both(thread, object);
        join(&mut object.released, &clocks.known);
        self.tick(thread);
    }

    /// Moves the clocks for a step on an object of the library. Accesses of atomics have functions of their own: what they
    /// do depends on their ordering. Nothing follows from notifications, nor from attempts that find a lock taken, a
    /// channel empty or full, or the time up.
    pub(crate) fn step(&mut self, step: &Step, kind: ObjectKind, outcome: Transfer) {
        use Kind::*;
        let (thread, object) = (step.thread, step.object);
        let done = outcome == Transfer::Done;
        match step.kind {
            Lock | Relock | Read | Pass => self.acquire(thread, object),
            TryLock | TryRead | Take | TakeTimed if done => self.acquire(thread, object),
            Write => self.acquire_exclusively(thread, object),
            TryWrite if done => self.acquire_exclusively(thread, object),
            Unlock | UnlockWrite | Put | Open | DropSender => self.release(thread, object),
            UnlockRead => {
                let (clocks, object) = self.both(thread, object);
                join(&mut object.readers, &clocks.known);
                self.tick(thread);
            }
            Wait | WaitTimed => self.release(thread, step.other.object()),
            Send | TrySend if done => self.send(thread, object, kind),
            Recv | TryRecv | RecvTimed if done => self.receive(thread, object, kind),
            Recv | TryRecv | RecvTimed if outcome == Transfer::Disconnected => self.acquire(thread, object),
            Taken if done => {
                let (clocks, object) = self.both(thread, object);
                if let Some(receiver) = object.slots.get(step.other.number() as usize) {
                    join(&mut clocks.known, receiver);
                }
            }
            _ => {}
        }
    }

    /// A writer learns what writers and readers left.
    fn acquire_exclusively(&mut self, thread: ThreadId, object: ObjectId) {
        let (thread, object) = self.both(thread, object);
        join(&mut thread.known, &object.released);
        join(&mut thread.known, &object.readers);
    }

    fn send(&mut self, thread: ThreadId, object: ObjectId, kind: ObjectKind) {
        let mut message = self.spare.pop().unwrap_or_default();
        let (clocks, channel) = self.both(thread, object);
        if let ObjectKind::Channel { capacity: Some(room @ 1..) } = kind
            && channel.sent >= room
            && let Some(receiver) = channel.slots.pop_front()
        {
            join(&mut clocks.known, &receiver);
        }
        copy(&mut message, &clocks.known);
        channel.messages.push_back(message);
        channel.sent += 1;
        self.tick(thread);
    }

    fn receive(&mut self, thread: ThreadId, object: ObjectId, kind: ObjectKind) {
        let mut slot = self.spare.pop().unwrap_or_default();
        let (clocks, channel) = self.both(thread, object);
        let message = channel.messages.pop_front();
        if let Some(message) = &message {
            join(&mut clocks.known, message);
        }
        if matches!(kind, ObjectKind::Channel { capacity: Some(_) }) {
            copy(&mut slot, &clocks.known);
            channel.slots.push_back(slot);
            self.tick(thread);
        } else {
            self.spare.push(slot);
        }
        self.spare.extend(message);
    }
}
