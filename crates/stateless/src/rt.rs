//! What primitives are built on. All functions but [`inside`] must be called inside a model (they panic
//! with "internal error" outside). "Visible" functions are scheduling points: they announce themselves,
//! and return when the calling thread has been chosen and the runtime has made the state change; the caller
//! then runs undisturbed up to its next visible function. Everything else returns at once.
//!
//! Objects carry the state that decides who can go on (owner of a mutex, messages in a channel, …) in the
//! runtime; the values (of an atomic, the messages themselves) stay with the primitive.

#![allow(unused_variables, clippy::todo)] // bodies follow

use std::any::Any;

use crate::outcome::ViolationKind;
use crate::{At, ObjectId, ThreadId};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    Load,
    /// Writes.
    Store,
    /// Reads and writes.
    Rmw,
    /// Reads, and writes if [`wrote`] says so afterwards.
    CompareExchange,
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

// ---------------------------------------------------------------------------------------------- about the run

/// Is the caller inside a model, on one of its fibers? Cheap.
pub fn inside() -> bool {
    todo!()
}

/// A number that no other execution of this process has: for objects that register lazily.
pub fn stamp() -> u64 {
    todo!()
}

/// Is this run recorded for a report? Only then are [`note`]s evaluated.
pub fn recording() -> bool {
    todo!()
}

/// Adds the value read or written, or an outcome, to the step that the calling thread just made.
pub fn note(text: impl FnOnce() -> String) {
    todo!()
}

/// An environment's choice among `n`: explored in full. Visible.
pub fn choose(n: u32, what: &'static str, at: At) -> u32 {
    todo!()
}

/// Ends the run with a violation; the caller's frames are not unwound.
pub fn fail(kind: ViolationKind, message: String, at: At) -> ! {
    todo!()
}

/// Gives this run up without a violation (loom's `skip_branch`): it counts as cut.
pub fn abandon() -> ! {
    todo!()
}

/// Runs `f` at the end of this execution on the main fiber, after the main closure returned and before leaks are
/// looked for; last registered first.
pub fn at_exit(f: Box<dyn FnOnce()>) {
    todo!()
}

// ---------------------------------------------------------------------------------------------- objects

/// Registers an object of this run.
pub fn object(kind: ObjectKind, created: At) -> ObjectId {
    todo!()
}

/// Names an object in reports (else its kind and place are shown).
pub fn name_object(object: ObjectId, name: &str) {
    todo!()
}

/// Visible: accesses an atomic. The caller makes the access itself right after this returns.
pub fn access(object: ObjectId, access: Access, verb: &'static str, at: At) {
    todo!()
}

/// After [`Access::CompareExchange`], before anything else: whether it wrote.
pub fn wrote(wrote: bool) {
    todo!()
}

/// Visible: a sequentially consistent fence.
pub fn fence(at: At) {
    todo!()
}

/// Visible: waits for the mutex and locks it.
pub fn lock(mutex: ObjectId, at: At) {
    todo!()
}

/// Visible: locks the mutex if it is free.
pub fn try_lock(mutex: ObjectId, at: At) -> bool {
    todo!()
}

/// Visible: unlocks the mutex.
pub fn unlock(mutex: ObjectId, at: At) {
    todo!()
}

/// Visible: waits for the writers and joins the readers.
pub fn read(lock: ObjectId, at: At) {
    todo!()
}

/// Visible: waits for everyone and becomes the writer.
pub fn write(lock: ObjectId, at: At) {
    todo!()
}

/// Visible: joins the readers if there is no writer.
pub fn try_read(lock: ObjectId, at: At) -> bool {
    todo!()
}

/// Visible: becomes the writer if there is nobody.
pub fn try_write(lock: ObjectId, at: At) -> bool {
    todo!()
}

/// Visible: leaves the readers.
pub fn unlock_read(lock: ObjectId, at: At) {
    todo!()
}

/// Visible: the writer leaves.
pub fn unlock_write(lock: ObjectId, at: At) {
    todo!()
}

/// Visible, twice: joins the waiting threads and unlocks the mutex in one step; when notified and the mutex is free,
/// locks it again. With [`crate::Config::spurious_wakeups`] the notification may be missing.
pub fn wait(condvar: ObjectId, mutex: ObjectId, at: At) {
    todo!()
}

/// As [`wait`], but may give up waiting at any time; whether it did. (Giving up is not a preemption of anyone.)
pub fn wait_timeout(condvar: ObjectId, mutex: ObjectId, at: At) -> bool {
    todo!()
}

/// Visible: wakes one of the waiting threads; which one is explored.
pub fn notify_one(condvar: ObjectId, at: At) {
    todo!()
}

/// Visible: wakes all.
pub fn notify_all(condvar: ObjectId, at: At) {
    todo!()
}

/// Visible: waits for room and sends. The caller appends the message to its queue right after. A rendezvous returns
/// when the message was taken. `Done` or `Disconnected`.
pub fn send(channel: ObjectId, at: At) -> Transfer {
    todo!()
}

/// Visible: sends if there is room.
pub fn try_send(channel: ObjectId, at: At) -> Transfer {
    todo!()
}

/// Visible: waits for a message. The caller takes the first of its queue right after `Done`.
pub fn recv(channel: ObjectId, at: At) -> Transfer {
    todo!()
}

/// Visible: receives if there is a message.
pub fn try_recv(channel: ObjectId, at: At) -> Transfer {
    todo!()
}

/// Visible: receives, or gives up waiting at any time.
pub fn recv_timeout(channel: ObjectId, at: At) -> Transfer {
    todo!()
}

/// One sender more (a new channel has one). Not visible.
pub fn sender_cloned(channel: ObjectId) {
    todo!()
}

/// Visible: one sender less; with the last one the channel is closed.
pub fn sender_dropped(channel: ObjectId, at: At) {
    todo!()
}

/// Visible: the receiver is gone. The caller drops the queued messages afterwards.
pub fn receiver_dropped(channel: ObjectId, at: At) {
    todo!()
}

/// Visible: waits for the permit and takes it.
pub fn take(token: ObjectId, verb: &'static str, at: At) {
    todo!()
}

/// Visible: takes the permit if it is there or gives up at any time; whether it was there.
pub fn take_timeout(token: ObjectId, verb: &'static str, at: At) -> bool {
    todo!()
}

/// Visible: puts the permit there.
pub fn put(token: ObjectId, verb: &'static str, at: At) {
    todo!()
}

/// Visible: waits until the gate is open.
pub fn pass(gate: ObjectId, verb: &'static str, at: At) {
    todo!()
}

/// Visible: opens the gate.
pub fn open(gate: ObjectId, verb: &'static str, at: At) {
    todo!()
}

// ---------------------------------------------------------------------------------------------- threads

/// Starts a thread. It runs up to its first visible operation before this returns (nobody can tell). Not visible.
/// `stack_size` of `None` is [`crate::Config::stack_size`].
///
/// The closure may borrow only if whoever spawned it cannot return before it has ended (`thread::scope`); runs that
/// end early never touch the abandoned frames again, nor unwind them.
pub fn spawn(name: Option<String>, stack_size: Option<usize>, at: At, body: Box<dyn FnOnce()>) -> ThreadId {
    todo!()
}

/// Visible: waits for the end of a thread.
pub fn join(thread: ThreadId, at: At) {
    todo!()
}

/// The panic with which an ended thread ended (once), with [`crate::Config::panics_join`].
pub fn take_panic(thread: ThreadId) -> Option<Box<dyn Any + Send>> {
    todo!()
}

/// Visible: whether a thread has ended.
pub fn is_finished(thread: ThreadId, at: At) -> bool {
    todo!()
}

/// The calling thread.
pub fn current() -> ThreadId {
    todo!()
}

/// The name a thread was given.
pub fn thread_name(thread: ThreadId) -> Option<String> {
    todo!()
}

/// Whether the calling thread is unwinding.
pub fn panicking() -> bool {
    todo!()
}

/// Visible: lets others run; the switch away is free. `verb`: `yield`, `sleep`, `spin`, ….
pub fn yield_now(verb: &'static str, at: At) {
    todo!()
}

/// Visible: waits for the calling thread's permit and takes it.
pub fn park(at: At) {
    todo!()
}

/// Visible: as [`park`], or gives up at any time.
pub fn park_timeout(at: At) {
    todo!()
}

/// Visible: gives a thread its permit.
pub fn unpark(thread: ThreadId, at: At) {
    todo!()
}

// ---------------------------------------------------------------------------------------------- memory

/// A cell whose accesses must be ordered by synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellId(pub u32);

/// Registers a cell.
pub fn cell(created: At) -> CellId {
    todo!()
}

/// An access to a cell; an unordered one ends the run with a data race. Not visible, no event.
pub fn cell_access(cell: CellId, write: bool, at: At) {
    todo!()
}

/// A pointer into the cell lives from here … (an access now; accesses of others that conflict while it lives are races
/// too). Not visible.
pub fn cell_borrow(cell: CellId, write: bool, at: At) {
    todo!()
}

/// … to here.
pub fn cell_return(cell: CellId, write: bool) {
    todo!()
}

/// The memory of the cell is freed: later accesses are reported.
pub fn cell_freed(cell: CellId, at: At) {
    todo!()
}

/// Orders what the calling thread did before whatever acquires from `object` later. No event.
pub fn sync_release(object: ObjectId) {
    todo!()
}

/// Orders what was released to `object` before whatever the calling thread does next. No event.
pub fn sync_acquire(object: ObjectId) {
    todo!()
}

/// Something that must be freed before the end of the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TrackId(pub u32);

/// Registers something that must be freed: `what` is shown in the report (`Arc`, `allocation`, …).
pub fn track(what: &'static str, created: At) -> TrackId {
    todo!()
}

/// It was freed.
pub fn untrack(track: TrackId) {
    todo!()
}

/// Whether reference counts are visible operations in this exploration. They are not at first: a clone or a drop of an
/// `Arc` can only be told from its neighbour if somebody looks at the count or if the destructor does something visible.
pub fn counts_visible() -> bool {
    todo!()
}

/// Somebody looked at a count, or a destructor run by the last drop is about to do something visible: the exploration
/// starts again with visible counts (does not return), unless they are already.
pub fn counts_matter() {
    todo!()
}

/// While the guard lives, a visible operation of this thread means [`counts_matter`]: for the destructor run by the last
/// drop of an `Arc`.
pub fn watch_destructor() -> DestructorWatch {
    todo!()
}

/// See [`watch_destructor`].
#[derive(Debug)]
pub struct DestructorWatch {
    _private: (),
}
