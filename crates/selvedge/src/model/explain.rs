//! Why a run of a test fails, in one sentence, from what was recorded: which threads wait for each other, which wake-up
//! came too early or not at all, whose write a thread that panics has read.

use selvedge_core::ViolationKind;
use selvedge_core::trace::TraceStep;
use selvedge_stateless::{RecordedStep, ThreadId, Violation, Waiting};

/// A run that failed, as it is shown.
pub(super) struct Failed<'a> {
    pub(super) found: &'a Violation,
    /// The steps of the test itself, recorded and as they are shown.
    pub(super) recorded: &'a [&'a RecordedStep],
    pub(super) shown: &'a [TraceStep],
}

impl Failed<'_> {
    /// The sentence; `None` where nothing is known for certain.
    pub(super) fn explanation(&self) -> Option<String> {
        match self.found.kind {
            ViolationKind::Deadlock => self.circle().or_else(|| self.missing_wake_up()),
            ViolationKind::Panic => self.last_read(),
            _ => None,
        }
    }

    fn name(&self, thread: ThreadId) -> String {
        self.found.run.threads.get(thread.index()).map_or_else(String::new, |thread| thread.name.clone())
    }

    fn waiting(&self, thread: ThreadId) -> Option<&Waiting> {
        self.found.run.waiting.iter().find(|waiting| waiting.thread == thread)
    }

    /// Threads each of which waits for the next one.
    fn circle(&self) -> Option<String> {
        let threads: Vec<ThreadId> = self.found.run.waiting.iter().map(|waiting| waiting.thread).collect();
        let round = threads.iter().find_map(|&first| {
            let mut round = vec![first];
            while let Some(next) = self.waiting(*round.last()?)?.holder.filter(|_| round.len() <= threads.len()) {
                if next == first {
                    return Some(round);
                }
                round.push(next);
            }
            None
        })?;
        let links: Vec<String> = round.iter().filter_map(|thread| self.link(self.waiting(*thread)?)).collect();
        Some(format!("a circular wait: {}", links.join("; ")))
    }

    /// `main waits for a, which worker holds since step 4`.
    fn link(&self, waiting: &Waiting) -> Option<String> {
        let (name, holder) = (self.name(waiting.thread), waiting.holder?);
        let other = self.name(holder);
        let Some(object) = &waiting.object else { return Some(format!("{name} waits for the end of {other}")) };
        let taken = |step: &&RecordedStep| step.thread == holder && step.object.as_ref() == Some(object);
        let since = self.recorded.iter().rposition(taken).map(|index| format!(" since step {}", index + 1));
        Some(format!("{name} waits for {object}, which {other} holds{}", since.unwrap_or_default()))
    }

    /// A thread that waits to be woken, and the last time that somebody did.
    fn missing_wake_up(&self) -> Option<String> {
        self.found.run.waiting.iter().find_map(|waiting| {
            let unpark = waiting.reason == "an unpark";
            if !unpark && !waiting.reason.starts_with("a notification of ") {
                return None;
            }
            let (name, object) = (self.name(waiting.thread), waiting.object.as_ref());
            let wakes = |step: &RecordedStep| match unpark {
                true => step.verb == "unpark" && step.other == Some(waiting.thread),
                false => step.verb.starts_with("notify") && step.object.as_ref() == object,
            };
            let what = if unpark { name.clone() } else { object?.clone() };
            let verb = if unpark { "unparks" } else { "notifies" };
            let begun = self.recorded.iter().rposition(|step| step.thread == waiting.thread)? + 1;
            Some(match self.recorded.iter().rposition(|step| wakes(step)) {
                Some(at) if at + 1 < begun => {
                    let who = self.name(self.recorded[at].thread);
                    format!(
                        "a lost wake-up: {who} {verb} {what} in step {}, before {name} waits (step {begun}), and nobody \
                         does so again",
                        at + 1
                    )
                }
                Some(_) => return None,
                None => format!("a missing wake-up: {name} waits since step {begun}, and nobody {verb} {what}"),
            })
        })
    }

    /// The last thing that the thread which panics has read from another one.
    fn last_read(&self) -> Option<String> {
        let thread = self.found.thread?;
        let mine = |index: &usize| self.recorded[*index].thread == thread;
        (0..self.recorded.len()).rev().filter(mine).find_map(|read| {
            let object = self.recorded[read].object.as_ref()?;
            let writes = |step: &TraceStep| step.changes.0.iter().any(|(name, _)| name == object);
            let written = self.shown[..read].iter().rposition(writes)?;
            let writer = self.recorded[written].thread;
            if writer == thread {
                return None;
            }
            let (what, by) = (&self.shown[read].text, &self.shown[written].text);
            let (read, written) = (read + 1, written + 1);
            Some(format!("`{what}` in step {read} follows `{by}` of {} in step {written}", self.name(writer)))
        })
    }
}
