//! A run in words: the steps of a recorded run, and what is wrong with one.

use selvedge_core::{Switch, ThreadId, ViolationKind};

use super::{Execution, Failure, Tracked};
use crate::clocks::Moment;
use crate::op::{Kind, Op};
use crate::outcome::{Cause, RecordedStep};
use crate::race::{Access, Action, Fault};
use crate::rt::{CellId, Transfer};
use crate::{At, ObjectId};

impl Execution {
    pub(super) fn record(&mut self, op: &Op, thread: ThreadId, outcome: Transfer, last_goes_on: bool) {
        let object = (op.object != ObjectId::NONE).then(|| &self.state.objects()[op.object.index()]);
        let note = match (op.kind, outcome) {
            (Kind::Join | Kind::IsFinished, _) => Some(self.thread_label(op.other.thread())),
            (Kind::WakeTimed | Kind::RecvTimed | Kind::TakeTimed, Transfer::WouldBlock) => Some("timed out".to_owned()),
            (_, Transfer::WouldBlock) => Some("would block".to_owned()),
            (_, Transfer::Disconnected) => Some("disconnected".to_owned()),
            _ => None,
        };
        let second = matches!(op.kind, Kind::Wait | Kind::WaitTimed | Kind::Relock);
        let second = second.then(|| crate::report::object_label(&self.state.objects()[op.other.object().index()]));
        let of_thread = matches!(op.kind, Kind::Join | Kind::IsFinished);
        let step = RecordedStep {
            thread,
            at: op.at,
            verb: op.verb,
            object: object.map(crate::report::object_label),
            object_at: object.map(|o| o.created),
            second,
            other: of_thread.then_some(op.other.thread()),
            note,
            switch: Switch::None,
            stale: None,
        };
        if let Some(recording) = &mut self.recording {
            let id = thread;
            let switch = recording.counter.step(id, last_goes_on, id);
            recording.steps.push(RecordedStep { switch, ..step });
        }
    }

    /// How a thread is called.
    pub(crate) fn thread_label(&self, thread: ThreadId) -> String {
        crate::report::thread_label(&self.state, thread)
    }

    /// Whether what the run does is looked at.
    pub(crate) fn exploring(&self) -> bool {
        self.draining.is_none()
    }

    /// Writes down something that is not a step.
    pub(crate) fn record_local(&mut self, verb: &'static str, thread: ThreadId, at: At) {
        self.record_other(verb, thread, at, None);
    }

    /// Writes down that a thread starts another one, which is not a step.
    pub(super) fn record_spawn(&mut self, parent: ThreadId, child: ThreadId, at: At) {
        self.record_other("spawn", parent, at, Some(child));
    }

    fn record_other(&mut self, verb: &'static str, thread: ThreadId, at: At, other: Option<ThreadId>) {
        if self.recording.is_none() {
            return;
        }
        let note = other.map(|other| self.thread_label(other));
        self.record_moment(thread);
        let step = RecordedStep {
            thread,
            at,
            verb,
            object: None,
            object_at: None,
            second: None,
            other,
            note,
            switch: Switch::None,
            stale: None,
        };
        if let Some(recording) = &mut self.recording {
            recording.steps.push(step);
        }
    }

    /// A data race or a use after free, in words.
    pub(crate) fn cell_failure(&self, thread: ThreadId, cell: CellId, write: bool, at: At, fault: &Fault) -> Failure {
        let verb = if write { "writes" } else { "reads" };
        let created = self.order.cells().place_of(cell);
        let message = match fault {
            Fault::Race(other) => {
                format!("data race on the cell created at {created}: {}", self.unordered(thread, verb, Some(at), other))
            }
            Fault::Freed(freed) => {
                self.use_after_free("cell", &format!("the cell created at {created} at {at}"), thread, verb, freed.by)
            }
        };
        data_race(message, at, thread, self.cause(thread, fault))
    }

    /// A cell is freed while a pointer into it lives, in words.
    pub(crate) fn free_failure(&self, thread: ThreadId, cell: CellId, other: &Access) -> Failure {
        let created = self.order.cells().place_of(cell);
        let message =
            format!("data race on the cell created at {created}: {}", self.unordered(thread, "frees", None, other));
        data_race(message, other.at, thread, Some(Cause::InUse { by: other.thread() }))
    }

    /// What is wrong with an access to an atomic, in words.
    pub(crate) fn atomic_failure(
        &self,
        thread: ThreadId,
        object: ObjectId,
        mine: &str,
        at: At,
        fault: &Fault,
    ) -> Failure {
        let label = crate::report::object_label(&self.state.objects()[object.index()]);
        let message = match fault {
            Fault::Race(other) => format!("data race on {label}: {}", self.unordered(thread, mine, Some(at), other)),
            Fault::Freed(freed) => self.use_after_free("atomic", &format!("{label} at {at}"), thread, mine, freed.by),
        };
        data_race(message, at, thread, self.cause(thread, fault))
    }

    /// A step that is about to be recorded begins.
    pub(super) fn record_moment(&mut self, thread: ThreadId) {
        if let Some(recording) = &mut self.recording {
            recording.moments.push(self.order.now(&self.state, thread));
        }
    }

    /// Something is made or freed now by a thread.
    pub(crate) fn action_of(&self, by: ThreadId) -> Action {
        let recorded = self.recording.as_ref().map_or(0, |recording| recording.steps.len());
        let (steps, alone) = (self.state.steps.len() as u32, self.state.is_alone());
        Action { by, recorded, steps, alone }
    }

    fn cause(&self, thread: ThreadId, fault: &Fault) -> Option<Cause> {
        match fault {
            Fault::Race(other) => self.unordered_cause(thread, other.moment()),
            Fault::Freed(freed) => Some(Cause::Freed { by: freed.by, after: freed.recorded.checked_sub(1) }),
        }
    }

    /// Why an access of `thread` races with what another thread did at `earlier`.
    fn unordered_cause(&self, thread: ThreadId, earlier: Moment) -> Option<Cause> {
        let recording = self.recording.as_ref()?;
        if self.order.is_before(thread, earlier) {
            return Some(Cause::InUse { by: earlier.thread });
        }
        let known = |moment: &Moment| moment.thread == earlier.thread && self.order.is_before(thread, *moment);
        let known = recording.moments.iter().rposition(known);
        Some(Cause::Unordered { earlier: earlier.thread, known })
    }

    fn use_after_free(&self, what: &str, which: &str, thread: ThreadId, mine: &str, by: ThreadId) -> String {
        let by = if by == thread { "it".to_owned() } else { self.thread_label(by) };
        format!("use of a freed {what}: {} {mine} {which}, after {by} freed it", self.thread_label(thread))
    }

    /// A use that nothing orders after the creation of what is used.
    fn unordered_creation(&self, thread: ThreadId, mine: &str, at: Option<At>, creation: &Access) -> String {
        let (me, them) = (self.thread_label(thread), self.thread_label(creation.thread()));
        let place = at.map_or(String::new(), |at| format!(" at {at}"));
        format!(
            "{me} {mine} it{place}, unordered with its creation at {} in memory of {them}; what passes its address on must be a \
             release, and the read an acquire",
            creation.at
        )
    }

    /// Two accesses that nothing orders, and what is missing where that is known.
    fn unordered(&self, thread: ThreadId, mine: &str, at: Option<At>, other: &Access) -> String {
        if other.creation {
            return self.unordered_creation(thread, mine, at, other);
        }
        let theirs = match (other.write, other.atomic) {
            (true, true) => "writes it atomically",
            (true, false) => "writes it",
            (false, true) => "reads it atomically",
            (false, false) => "reads it",
        };
        let (me, them) = (self.thread_label(thread), self.thread_label(other.thread()));
        let place = at.map_or(String::new(), |at| format!(" at {at}"));
        let hint = if self.order.is_acquirable(thread, other.moment()) {
            format!(
                "; a relaxed read of {me} met what {them} released: it must be an acquire, or an acquire fence must follow"
            )
        } else {
            String::new()
        };
        format!("{me} {mine} it{place}, unordered with {them}, which {theirs} at {}{hint}", other.at)
    }
}

/// A data race found at a place.
fn data_race(message: String, at: At, thread: ThreadId, cause: Option<Cause>) -> Failure {
    let location = Some((at.file().to_owned(), at.line(), at.column()));
    Failure { kind: ViolationKind::DataRace, message, location, thread: Some(thread), cause }
}

pub(super) fn livelock(steps: u32) -> Failure {
    Failure {
        kind: ViolationKind::Livelock,
        message: format!("livelock: a fair run has not ended after {steps} steps"),
        location: None,
        thread: None,
        cause: None,
    }
}

pub(super) fn leak_of(leak: &Tracked, all: &[Tracked]) -> Failure {
    let at = leak.created;
    let alike = || all.iter().filter(|other| other.created == at && other.what == leak.what);
    let Action { by, recorded, .. } = leak.by;
    let (made, freed) = (alike().count(), alike().filter(|other| other.freed).count());
    let cause = Cause::Leaked { by, after: recorded.checked_sub(1), made, freed };
    Failure {
        kind: ViolationKind::Leak,
        message: format!("leak: the {} created at {at} was never freed", leak.what),
        location: Some((at.file().to_owned(), at.line(), at.column())),
        thread: None,
        cause: Some(cause),
    }
}
