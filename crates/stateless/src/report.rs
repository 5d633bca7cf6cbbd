//! Words for a recorded run: names of threads and objects, and who waits for what, held by whom.

use crate::execution::Execution;
use crate::op::{Kind, Op};
use crate::outcome::{RecordedRun, RecordedThread, Waiting};
use crate::rt::ObjectKind;
use crate::state::{Object, State};
use crate::{At, MAIN, ObjectId, ThreadId, thread_ids};

/// A place without its column's neighbours: `src/a.rs:3:5`.
fn place(at: At) -> String {
    format!("{}:{}:{}", at.file(), at.line(), at.column())
}

fn kind_word(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Atomic => "atomic",
        ObjectKind::Mutex => "mutex",
        ObjectKind::RwLock => "rwlock",
        ObjectKind::Condvar => "condvar",
        ObjectKind::Channel { .. } => "channel",
        ObjectKind::Token => "permit",
        ObjectKind::Gate => "gate",
    }
}

/// How an object is called: its name, or its kind and the place where it was created.
pub(crate) fn object_label(object: &Object) -> String {
    match &object.name {
        Some(name) => name.clone(),
        None => format!("{} {}", kind_word(object.state.kind), place(object.created)),
    }
}

/// How a thread is called.
pub(crate) fn thread_label(state: &State, thread: ThreadId) -> String {
    match (&state.threads()[thread.index()].name, thread) {
        (Some(name), _) => name.clone(),
        (None, MAIN) => "main".to_owned(),
        (None, ThreadId(n)) => format!("thread {n}"),
    }
}

/// What a run that ended shows.
pub(crate) fn recorded(run: &mut Execution, deadlock: bool) -> RecordedRun {
    let recording = run.recording.take().unwrap_or_default();
    let waiting = if deadlock { waiting(&run.state) } else { Vec::new() };
    let threads = thread_ids(run.state.threads().len())
        .map(|t| RecordedThread { name: thread_label(&run.state, t), spawned: run.state.threads()[t.index()].spawned })
        .collect();
    let (preemptions, switches) = (recording.counter.preemptions, recording.counter.switches);
    let stale = recording.steps.iter().filter(|step| step.stale.is_some()).count() as u32;
    RecordedRun { threads, steps: recording.steps, waiting, preemptions, switches, stale }
}

/// Every thread that has not ended, with the reason.
fn waiting(state: &State) -> Vec<Waiting> {
    let pending = |t: ThreadId| state.threads()[t.index()].pending.map(|op| (t, op));
    thread_ids(state.threads().len())
        .filter_map(pending)
        .map(|(t, op)| {
            let (object, holder) = waits_on(state, t, &op);
            Waiting { thread: t, at: op.at, reason: reason(state, t, &op), object, holder }
        })
        .collect()
}

/// The object that a thread waits for, and the thread that holds it.
fn waits_on(state: &State, thread: ThreadId, op: &Op) -> (Option<String>, Option<ThreadId>) {
    let label = |object: ObjectId| Some(object_label(&state.objects()[object.index()]));
    let held = |lock: ObjectId| match state.objects()[lock.index()].state.a {
        0 => None,
        holder => Some(ThreadId(holder - 1)),
    };
    match op.kind {
        Kind::Join => (None, Some(op.other.thread())),
        Kind::Relock if state.objects()[op.other.object().index()].state.waiting.contains(&thread) => {
            (label(op.other.object()), None)
        }
        Kind::Relock | Kind::Lock | Kind::Read | Kind::Write => (label(op.object), held(op.object)),
        Kind::Recv | Kind::Send | Kind::Taken | Kind::Take | Kind::Pass => (label(op.object), None),
        _ => (None, None),
    }
}

fn reason(state: &State, thread: ThreadId, op: &Op) -> String {
    match op.kind {
        Kind::Join => format!("the end of {}", thread_label(state, op.other.thread())),
        Kind::Drain => "the end of all other threads (it has returned)".to_owned(),
        Kind::Relock => {
            let condvar = &state.objects()[op.other.object().index()];
            if condvar.state.waiting.contains(&thread) {
                format!("a notification of {}", object_label(condvar))
            } else {
                held(state, op.object)
            }
        }
        Kind::Lock | Kind::Read | Kind::Write => held(state, op.object),
        Kind::Recv => format!("a message of {}", object_label(&state.objects()[op.object.index()])),
        Kind::Send => format!("room in {}", object_label(&state.objects()[op.object.index()])),
        Kind::Taken => format!("a receiver of {}", object_label(&state.objects()[op.object.index()])),
        Kind::Take if state.threads()[thread.index()].token == Some(op.object) => "an unpark".to_owned(),
        Kind::Take => format!("a notification of {}", object_label(&state.objects()[op.object.index()])),
        Kind::Pass => format!("{} to open", object_label(&state.objects()[op.object.index()])),
        _ => op.verb.to_owned(),
    }
}

/// A lock with its holders.
fn held(state: &State, lock: ObjectId) -> String {
    let object = &state.objects()[lock.index()];
    let taken = object.taken.map(|at| format!(" (locked at {})", place(at))).unwrap_or_default();
    let holders = if object.state.a != 0 {
        thread_label(state, ThreadId(object.state.a - 1))
    } else {
        let names: Vec<String> = object.readers.iter().map(|&t| thread_label(state, t)).collect();
        names.join(", ")
    };
    format!("{}, held by {holders}{taken}", object_label(object))
}
