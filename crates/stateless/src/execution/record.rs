//! A run in words: the steps of a recorded run, and what is wrong with one.

use selvedge_core::{Switch, ThreadId, ViolationKind};

use super::{Ending, Execution, Failure, Restart, Tracked};
use crate::At;
use crate::op::{Kind, NONE, Op};
use crate::outcome::RecordedStep;
use crate::race::{Access, Fault};
use crate::rt::Transfer;

impl Execution {
    pub(super) fn record(&mut self, op: &Op, thread: u32, outcome: Transfer, last_goes_on: bool) {
        let object = (op.object != NONE).then(|| &self.state.objects()[op.object as usize]);
        let note = match (op.kind, outcome) {
            (Kind::Join | Kind::IsFinished, _) => Some(self.thread_label(op.other)),
            (Kind::WakeTimed | Kind::RecvTimed | Kind::TakeTimed, Transfer::WouldBlock) => Some("timed out".to_owned()),
            (_, Transfer::WouldBlock) => Some("would block".to_owned()),
            (_, Transfer::Disconnected) => Some("disconnected".to_owned()),
            _ => None,
        };
        let second = matches!(op.kind, Kind::Wait | Kind::WaitTimed | Kind::Relock);
        let second = second.then(|| crate::report::object_label(&self.state.objects()[op.other as usize]));
        let of_thread = matches!(op.kind, Kind::Join | Kind::IsFinished);
        let step = RecordedStep {
            thread: ThreadId(thread),
            at: op.at,
            verb: op.verb,
            object: object.map(crate::report::object_label),
            object_at: object.map(|o| o.created),
            second,
            other: of_thread.then_some(ThreadId(op.other)),
            note,
            switch: Switch::None,
        };
        if let Some(recording) = &mut self.recording {
            let id = ThreadId(thread);
            let switch = recording.counter.step(id, last_goes_on, id);
            recording.steps.push(RecordedStep { switch, ..step });
        }
    }

    /// How a thread is called.
    pub(crate) fn thread_label(&self, thread: u32) -> String {
        crate::report::thread_label(&self.state, thread)
    }

    /// There are cells: races cannot be found without clocks.
    pub(crate) fn need_clocks(&mut self) {
        self.cells_used = true;
        if !self.config.clocks && self.ending.is_none() {
            self.ending = Some(Ending::Restart(Restart::Clocks));
        }
    }

    /// Whether what the run does is looked at.
    pub(crate) fn exploring(&self) -> bool {
        self.draining.is_none()
    }

    /// Writes down something that is not a step.
    pub(crate) fn record_local(&mut self, verb: &'static str, thread: u32, at: At) {
        self.record_other(verb, thread, at, None);
    }

    /// Writes down that a thread starts another one, which is not a step.
    pub(super) fn record_spawn(&mut self, parent: u32, child: u32, at: At) {
        self.record_other("spawn", parent, at, Some(child));
    }

    fn record_other(&mut self, verb: &'static str, thread: u32, at: At, other: Option<u32>) {
        if self.recording.is_none() {
            return;
        }
        let note = other.map(|other| self.thread_label(other));
        let step = RecordedStep {
            thread: ThreadId(thread),
            at,
            verb,
            object: None,
            object_at: None,
            second: None,
            other: other.map(ThreadId),
            note,
            switch: Switch::None,
        };
        if let Some(recording) = &mut self.recording {
            recording.steps.push(step);
        }
    }

    /// A data race or a use after free, in words.
    pub(crate) fn cell_failure(&self, thread: u32, cell: u32, write: bool, at: At, fault: &Fault) -> Failure {
        let verb = |write: bool| if write { "writes" } else { "reads" };
        let (me, created) = (self.thread_label(thread), self.clocks.created(cell));
        let message = match fault {
            Fault::Race(other) => format!(
                "data race on the cell created at {created}: {me} {} it at {at}, unordered with {}, which {} it at {}",
                verb(write),
                self.thread_label(other.thread),
                verb(other.write),
                other.at
            ),
            Fault::Freed(by) => format!(
                "use of a freed cell: {me} {} the cell created at {created} at {at}, after {} freed it",
                verb(write),
                if *by == thread { "it".to_owned() } else { self.thread_label(*by) },
            ),
        };
        let location = Some((at.file().to_owned(), at.line(), at.column()));
        Failure { kind: ViolationKind::DataRace, message, location, thread: Some(thread) }
    }

    /// A cell is freed that another thread may still use, in words.
    pub(crate) fn free_failure(&self, thread: u32, cell: u32, other: &Access) -> Failure {
        let message = format!(
            "data race on the cell created at {}: {} frees it, unordered with {}, which {} it at {}",
            self.clocks.created(cell),
            self.thread_label(thread),
            self.thread_label(other.thread),
            if other.write { "writes" } else { "reads" },
            other.at
        );
        let location = Some((other.at.file().to_owned(), other.at.line(), other.at.column()));
        Failure { kind: ViolationKind::DataRace, message, location, thread: Some(thread) }
    }
}

pub(super) fn livelock(steps: u32) -> Failure {
    Failure {
        kind: ViolationKind::Livelock,
        message: format!("livelock: a fair run has not ended after {steps} steps"),
        location: None,
        thread: None,
    }
}

pub(super) fn leak_of(leak: &Tracked) -> Failure {
    let at = leak.created;
    Failure {
        kind: ViolationKind::Leak,
        message: format!("leak: the {} created at {at} was never freed", leak.what),
        location: Some((at.file().to_owned(), at.line(), at.column())),
        thread: None,
    }
}
