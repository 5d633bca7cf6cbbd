//! What primitives are built on. All functions but [`inside`] and [`is_running`] must be called inside a model (they panic
//! with "internal error" outside). "Visible" functions are scheduling points: they announce themselves,
//! and return when the calling thread has been chosen and the runtime has made the state change; the caller
//! then runs undisturbed up to its next visible function. Everything else returns at once.
//!
//! Objects carry the state that decides which threads are enabled (owner of a mutex, messages in a channel, …) in the
//! runtime; the values (of an atomic, the messages themselves) stay with the primitive.

mod facts;
mod memory;
mod threads;
mod weak;

use std::sync::atomic::Ordering;

pub use memory::{
    CellId, DestructorWatch, Moment, TrackId, allocated, cell, cell_access, cell_at, cell_borrow, cell_freed,
    cell_return, counts_matter, counts_visible, deallocated, disown, forgive_leaks, free_atomic, is_known, now,
    plain_access, reallocated, sync_acquire, sync_release, track, unnoted, untrack, watch_destructor,
};
pub use threads::{
    current, is_alone, is_finished, join, panicking, park, park_timeout, spawn, take_panic, thread_name, unpark,
    yield_now,
};

pub(crate) use facts::{begin, end};
pub use facts::{explores_stale, recording, stamp};
pub use weak::{Operation, left_unchanged, operate, weaker_ordering, wrote_value};

use crate::execution::{self, Ending, Failure, visible, with};
use crate::op::{Kind, Op, Other};
use crate::orderings::SiteKind;
use crate::{At, ObjectId, ViolationKind};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A value with reads and writes: an atomic.
    Atomic,
    /// A lock.
    Mutex,
    /// A lock with readers.
    RwLock,
    /// A set of waiting threads.
    Condvar,
    /// A queue; `None` is unbounded, `Some(0)` a rendezvous.
    Channel {
        /// How many messages it holds.
        capacity: Option<u32>,
    },
    /// One permit: put (idempotent), take (waits). The shape of `park`/`unpark` and of `Notify`.
    Token,
    /// Closed until it is opened, then open for good. The shape of "done" in `Once` and of a generation of a barrier.
    Gate,
}

/// Accesses of an [`ObjectKind::Atomic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Load(Ordering),
    /// Writes.
    Store(Ordering),
    /// Reads and writes.
    Rmw(Ordering),
    /// Reads, and writes if [`wrote`] says so afterwards, with the ordering it says.
    CompareExchange,
}

impl Access {
    pub(crate) fn writes(self) -> bool {
        matches!(self, Access::Store(_) | Access::Rmw(_))
    }
}

/// Outcome of an operation on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// A message was sent or received.
    Done,
    /// Empty (or full), and the operation does not wait (or waited long enough).
    WouldBlock,
    /// The other side is gone.
    Disconnected,
}

/// Is the caller inside a model, on one of its fibers? Cheap.
pub fn inside() -> bool {
    execution::inside()
}

/// Whether the execution with this stamp runs now, on whatever OS thread. May be called outside of models.
pub fn is_running(stamp: u64) -> bool {
    execution::is_running(stamp)
}

/// False in a run that the bound has cut off (switches or steps): it only goes on so that destructors run, and what
/// it does is not looked at.
pub fn exploring() -> bool {
    with(|run| run.exploring())
}

/// Adds the value read or written, or an outcome, to the step that the calling thread just made.
#[inline]
pub fn note(text: impl FnOnce() -> String) {
    if recording() {
        add_note(text());
    }
}

#[cold]
fn add_note(text: String) {
    with(|run| {
        let me = run.current;
        if let Some(step) = run.recording.as_mut().and_then(|r| r.steps.last_mut())
            && step.thread == me
        {
            step.note = Some(text);
        }
    });
}

/// An environment's choice among `n`: explored in full. Visible.
pub fn choose(n: u32, what: &'static str, at: At) -> u32 {
    let op = Op { kind: Kind::Choose, object: ObjectId::NONE, other: n.into(), access: None, verb: what, at };
    visible(op).1
}

/// Ends the run with a violation; the caller's frames are not unwound.
pub fn fail(kind: ViolationKind, message: String, at: At) -> ! {
    execution::end_run_with(Failure {
        kind,
        message,
        location: Some((at.file().to_owned(), at.line(), at.column())),
        thread: Some(current()),
        cause: None,
    })
}

/// Gives this run up without a violation (loom's `skip_branch`): it counts as cut.
pub fn abandon() -> ! {
    execution::end_run(Ending::Cut)
}

/// Runs `f` at the end of this execution on the main fiber, after the main closure returned and before leaks are
/// looked for; last registered first.
pub fn at_exit(f: Box<dyn FnOnce()>) {
    with(|run| run.at_exit.push(f));
}

/// Registers an object of this run.
pub fn object(kind: ObjectKind, created: At) -> ObjectId {
    with(|run| run.state.add_object(kind, created))
}

/// Registers an object that has an address: its creation is a write.
pub fn object_at(kind: ObjectKind, created: At, address: usize) -> ObjectId {
    with(|run| {
        let object = run.state.add_object(kind, created);
        run.order.object_is_at(&run.state, object, address);
        object
    })
}

/// Names an object in reports (else its kind and place are shown).
pub fn name_object(object: ObjectId, name: &str) {
    with(|run| run.state.object(object).name = Some(name.to_owned()));
}

fn on(kind: Kind, object: ObjectId, verb: &'static str, at: At) -> Transfer {
    visible(Op { kind, object, other: Other::NONE, access: None, verb, at }).0
}

/// An attempt that finds nothing to be done only looked at its object.
fn looks(outcome: Transfer, at: At) -> Transfer {
    if outcome == Transfer::WouldBlock {
        with(|run| {
            if !run.pass_through {
                run.state.looked(at);
            }
        });
    }
    outcome
}

/// Visible: accesses an atomic. The caller makes the access itself right after this returns.
pub fn access(object: ObjectId, access: Access, verb: &'static str, at: At) {
    let kind = match access {
        Access::Load(_) => Kind::Load,
        Access::Store(_) => Kind::Store,
        Access::Rmw(_) => Kind::Rmw,
        Access::CompareExchange => Kind::CompareExchange,
    };
    memory::access(Op { kind, object, other: Other::NONE, access: None, verb, at }, access);
}

/// After [`Access::CompareExchange`], before anything else: whether it wrote, and with which ordering. If it did not, the
/// ordering is that of the failure.
pub fn wrote(wrote: bool, order: Ordering, at: At) {
    memory::check(|run, me| {
        let step = run.state.steps.last().expect("internal error: a step was made");
        debug_assert!(step.thread == me && step.kind == Kind::CompareExchange);
        if step.in_graph {
            return None; // known already
        }
        let object = step.object;
        if wrote {
            run.state.wrote();
        }
        run.synchronise(object, if wrote { Access::Rmw(order) } else { Access::Load(order) }, at)
    });
}

/// A fence. Not visible: runs are sequentially consistent, and a fence orders accesses of its own thread.
pub fn fence(order: Ordering, at: At) {
    with(|run| {
        let me = run.current;
        if !run.pass_through {
            run.meet(at, SiteKind::Fence(order));
            if let Some(order) = run.config.changes.fence(order, at) {
                run.fence(order);
            }
        }
        run.record_local("fence", me, at);
    });
}

/// Visible: waits for the mutex and locks it.
pub fn lock(mutex: ObjectId, at: At) {
    on(Kind::Lock, mutex, "lock", at);
}

/// Visible: locks the mutex if it is free.
pub fn try_lock(mutex: ObjectId, at: At) -> bool {
    looks(on(Kind::TryLock, mutex, "try_lock", at), at) == Transfer::Done
}

/// Visible: unlocks the mutex.
pub fn unlock(mutex: ObjectId, at: At) {
    on(Kind::Unlock, mutex, "unlock", at);
}

/// Visible: waits for the writers and joins the readers.
pub fn read(lock: ObjectId, at: At) {
    on(Kind::Read, lock, "read lock", at);
}

/// Visible: waits for everyone and becomes the writer.
pub fn write(lock: ObjectId, at: At) {
    on(Kind::Write, lock, "write lock", at);
}

/// Visible: joins the readers if there is no writer.
pub fn try_read(lock: ObjectId, at: At) -> bool {
    on(Kind::TryRead, lock, "try_read", at) == Transfer::Done
}

/// Visible: becomes the writer if there is nobody.
pub fn try_write(lock: ObjectId, at: At) -> bool {
    on(Kind::TryWrite, lock, "try_write", at) == Transfer::Done
}

/// Visible: leaves the readers.
pub fn unlock_read(lock: ObjectId, at: At) {
    on(Kind::UnlockRead, lock, "read unlock", at);
}

/// Visible: the writer leaves.
pub fn unlock_write(lock: ObjectId, at: At) {
    on(Kind::UnlockWrite, lock, "write unlock", at);
}

/// Visible, twice: joins the waiting threads and unlocks the mutex in one step; when notified and the mutex is free,
/// locks it again. With [`crate::Config::spurious_wakeups`] the notification may be missing.
pub fn wait(condvar: ObjectId, mutex: ObjectId, at: At) {
    if with(|run| run.config.spurious) {
        wait_timeout(condvar, mutex, at);
        return;
    }
    visible(Op { kind: Kind::Wait, object: condvar, other: mutex.into(), access: None, verb: "wait", at });
    visible(Op { kind: Kind::Relock, object: mutex, other: condvar.into(), access: None, verb: "wake and lock", at });
}

/// As [`wait`], but may give up waiting at any time; whether it did. (Giving up is not a preemption of anyone.)
pub fn wait_timeout(condvar: ObjectId, mutex: ObjectId, at: At) -> bool {
    visible(Op { kind: Kind::WaitTimed, object: condvar, other: mutex.into(), access: None, verb: "wait", at });
    let (outcome, _) =
        visible(Op { kind: Kind::WakeTimed, object: condvar, other: Other::NONE, access: None, verb: "wake", at });
    lock(mutex, at);
    outcome == Transfer::WouldBlock
}

/// Visible: wakes one of the waiting threads; which one is explored.
pub fn notify_one(condvar: ObjectId, at: At) {
    on(Kind::NotifyOne, condvar, "notify_one", at);
}

/// Visible: wakes all.
pub fn notify_all(condvar: ObjectId, at: At) {
    on(Kind::NotifyAll, condvar, "notify_all", at);
}

/// Visible: waits for room and sends. The caller appends the message to its queue right after `Done`, then calls
/// [`sent`]. `Done` or `Disconnected`.
pub fn send(channel: ObjectId, at: At) -> Transfer {
    on(Kind::Send, channel, "send", at)
}

/// The second half of a send without buffer, to be called after the message was appended: waits until it was taken;
/// `Disconnected` if the receiver went first (the caller then takes the message back). Nothing for other channels.
/// Visible.
pub fn sent(channel: ObjectId, at: At) -> Transfer {
    match with(|run| run.state.rendezvous(channel)) {
        Some(message) => {
            let op =
                Op { kind: Kind::Taken, object: channel, other: message.into(), access: None, verb: "hand over", at };
            visible(op).0
        }
        None => Transfer::Done,
    }
}

/// Visible: sends if there is room.
pub fn try_send(channel: ObjectId, at: At) -> Transfer {
    on(Kind::TrySend, channel, "try_send", at)
}

/// Visible: waits for a message. The caller takes the first of its queue right after `Done`.
pub fn recv(channel: ObjectId, at: At) -> Transfer {
    offer(channel, at);
    on(Kind::Recv, channel, "recv", at)
}

/// Visible: receives if there is a message.
pub fn try_recv(channel: ObjectId, at: At) -> Transfer {
    looks(on(Kind::TryRecv, channel, "try_recv", at), at)
}

/// Visible: receives, or gives up waiting at any time.
pub fn recv_timeout(channel: ObjectId, at: At) -> Transfer {
    offer(channel, at);
    on(Kind::RecvTimed, channel, "recv_timeout", at)
}

/// A receive without buffer announces itself, so that `try_send` can see it.
fn offer(channel: ObjectId, at: At) {
    if with(|run| run.state.rendezvous(channel)).is_some() {
        on(Kind::Offer, channel, "offer", at);
    }
}

/// One sender more (a new channel has one). Not visible.
pub fn sender_cloned(channel: ObjectId) {
    with(|run| {
        let me = run.current;
        run.state.clone_sender(me, channel);
    });
}

/// Visible: one sender less; with the last one the channel is closed.
pub fn sender_dropped(channel: ObjectId, at: At) {
    on(Kind::DropSender, channel, "drop sender", at);
}

/// Visible: the receiver is gone. The caller drops the queued messages afterwards.
pub fn receiver_dropped(channel: ObjectId, at: At) {
    on(Kind::DropReceiver, channel, "drop receiver", at);
}

/// Visible: waits for the permit and takes it.
pub fn take(token: ObjectId, verb: &'static str, at: At) {
    on(Kind::Take, token, verb, at);
}

/// Visible: takes the permit if it is there or gives up at any time; whether it was there.
pub fn take_timeout(token: ObjectId, verb: &'static str, at: At) -> bool {
    on(Kind::TakeTimed, token, verb, at) == Transfer::Done
}

/// Visible: puts the permit there.
pub fn put(token: ObjectId, verb: &'static str, at: At) {
    on(Kind::Put, token, verb, at);
}

/// Visible: waits until the gate is open.
pub fn pass(gate: ObjectId, verb: &'static str, at: At) {
    on(Kind::Pass, gate, verb, at);
}

/// Visible: opens the gate.
pub fn open(gate: ObjectId, verb: &'static str, at: At) {
    on(Kind::Open, gate, verb, at);
}
