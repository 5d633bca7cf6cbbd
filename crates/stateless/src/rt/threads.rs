//! Threads of a run.

use std::any::Any;

use super::{put, take, take_timeout};
use crate::execution::{self, visible, with};
use crate::op::{Kind, Op, Other};
use crate::order::SyncEvent;
use crate::{At, ObjectId, ThreadId};

/// Starts a thread. It runs up to its first visible operation before this returns (nobody can tell). Not visible.
/// `stack_size` of `None` is [`crate::Config::stack_size`].
///
/// The closure may borrow only if whoever spawned it cannot return before it has ended (`thread::scope`); runs that
/// end early never touch the abandoned frames again, nor unwind them.
pub fn spawn(name: Option<String>, stack_size: Option<usize>, at: At, body: Box<dyn FnOnce()>) -> ThreadId {
    execution::spawn(name, stack_size, at, body)
}

/// Visible: waits for the end of a thread.
pub fn join(thread: ThreadId, at: At) {
    visible(Op { kind: Kind::Join, object: ObjectId::NONE, other: thread.into(), access: None, verb: "join", at });
    with(|run| {
        let me = run.current;
        if !run.pass_through {
            run.order.happened(&run.state, SyncEvent::Joined { thread: me, ended: thread });
        }
    });
}

/// The panic with which an ended thread ended (once), with [`crate::Config::panics_join`].
pub fn take_panic(thread: ThreadId) -> Option<Box<dyn Any + Send>> {
    with(|run| run.state.thread(thread).payload.take())
}

/// Visible: whether a thread has ended.
pub fn is_finished(thread: ThreadId, at: At) -> bool {
    visible(Op {
        kind: Kind::IsFinished,
        object: ObjectId::NONE,
        other: thread.into(),
        access: None,
        verb: "is_finished",
        at,
    });
    with(|run| run.state.threads()[thread.index()].finished)
}

/// The calling thread.
pub fn current() -> ThreadId {
    with(|run| run.current)
}

/// Whether all other threads have ended.
pub fn is_alone() -> bool {
    with(|run| run.state.is_alone())
}

/// The name a thread was given.
pub fn thread_name(thread: ThreadId) -> Option<String> {
    with(|run| run.state.threads()[thread.index()].name.clone())
}

/// Whether the calling thread is unwinding.
pub fn panicking() -> bool {
    std::thread::panicking() && with(|run| run.state.threads()[run.current.index()].panic.is_some())
}

/// Visible: lets others run; the switch away is free. `verb`: `yield`, `sleep`, `spin`, ….
pub fn yield_now(verb: &'static str, at: At) {
    visible(Op { kind: Kind::Yield, object: ObjectId::NONE, other: Other::NONE, access: None, verb, at });
}

fn own_token(thread: ThreadId, at: At) -> ObjectId {
    with(|run| run.state.token(thread, at))
}

/// Visible: waits for the calling thread's permit and takes it.
pub fn park(at: At) {
    if with(|run| run.config.spurious) {
        park_timeout(at);
        return;
    }
    take(own_token(current(), at), "park", at);
}

/// Visible: as [`park`], or gives up at any time.
pub fn park_timeout(at: At) {
    take_timeout(own_token(current(), at), "park", at);
}

/// Visible: gives a thread its permit.
pub fn unpark(thread: ThreadId, at: At) {
    put(own_token(thread, at), "unpark", at);
}
