//! Why a run of a test fails, in one sentence, from what was recorded: which threads wait for each other, which wake-up
//! came too early or not at all, whose write a thread that panics has read, up to where two racing threads are ordered, who
//! made what was not freed, what the threads of a livelock read again and again.

use selvedge_core::ViolationKind;
use selvedge_core::trace::TraceStep;
use selvedge_stateless::{Cause, RecordedStep, ThreadId, Violation, Waiting};

/// Characters of an operation that are shown.
const OPERATION: usize = 40;
/// What a livelock reads again and again: objects that are named at most.
const OBJECTS: usize = 3;

/// A run that failed, as it is shown.
pub(super) struct Failed<'a> {
    pub(super) found: &'a Violation,
    /// The steps of the test itself, recorded and as they are shown.
    pub(super) recorded: &'a [&'a RecordedStep],
    pub(super) shown: &'a [TraceStep],
}

impl Failed<'_> {
    /// The sentence.
    pub(super) fn explanation(&self) -> String {
        let answer = match self.found.kind {
            ViolationKind::Deadlock => self.circle().or_else(|| self.missing_wake_up()).or_else(|| self.stuck()),
            ViolationKind::Panic => self.last_read(),
            ViolationKind::DataRace | ViolationKind::Leak => self.cause(),
            ViolationKind::Livelock => self.repeated(),
            _ => None,
        };
        answer.unwrap_or_else(|| self.last_step())
    }

    /// A step by its position in the run, in words: ``step 5 (`n.store(2)` of B)``; `None` if it is not shown.
    fn step(&self, position: usize) -> Option<String> {
        let step = self.found.run.steps.get(position)?;
        self.step_shown(self.recorded.iter().position(|shown| std::ptr::eq(*shown, step))?)
    }

    /// The same by its position among the steps that are shown.
    fn step_shown(&self, index: usize) -> Option<String> {
        let (step, text) = (self.recorded.get(index)?, &self.shown.get(index)?.text);
        let mut shown: String = text.chars().take(OPERATION).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        Some(format!("step {} (`{shown}` of {})", index + 1, self.name(step.thread)))
    }

    /// What there is to say of every violation: the last step before it.
    fn last_step(&self) -> String {
        match self.recorded.len().checked_sub(1).and_then(|last| self.step_shown(last)) {
            Some(last) => format!("the last operation before it is {last}"),
            None => "no operation comes before it, so that every schedule fails".to_owned(),
        }
    }

    /// What the engine knows besides the steps.
    fn cause(&self) -> Option<String> {
        let after = |position: Option<usize>| position.and_then(|position| self.step(position));
        Some(match self.found.cause? {
            Cause::Unordered { earlier, known } => {
                let (me, other) = (self.name(self.found.thread?), self.name(earlier));
                match after(known) {
                    Some(known) => format!(
                        "{me} is synchronised with {other} only up to {known}, and the access of {other} comes after that"
                    ),
                    None => format!("{me} is not synchronised with anything that {other} did"),
                }
            }
            Cause::InUse { by } => format!("{} still holds a pointer to it", self.name(by)),
            Cause::Freed { by, after: freed } => {
                let freed = after(freed).map_or("before the first step".to_owned(), |step| format!("after {step}"));
                format!("{} frees it {freed}{}", self.name(by), self.use_after_free().unwrap_or_default())
            }
            Cause::Leaked { by, after: made_after, made, freed } => {
                let when = after(made_after).map_or("before the first step".to_owned(), |step| format!("after {step}"));
                let others = match (made, freed) {
                    (1, _) => String::new(),
                    _ => format!("; of {made} made at this place, {freed} were freed"),
                };
                format!(
                    "{} makes it {when}; every thread has finished, and no thread has freed it{others}",
                    self.name(by)
                )
            }
        })
    }

    /// Which step uses what was freed: the last one, or something that is no step and comes after it.
    fn use_after_free(&self) -> Option<String> {
        let last = self.recorded.len().checked_sub(1)?;
        let shown = self.step_shown(last)?;
        let at = self.recorded[last].at;
        let is_the_use = self.found.location == Some((at.file().to_owned(), at.line(), at.column()));
        Some(if is_the_use { format!(", and {shown} uses it") } else { format!(", and the use comes after {shown}") })
    }

    /// A deadlock without a circle and without a wake-up that was missed.
    fn stuck(&self) -> Option<String> {
        let waiting = self.found.run.waiting.first()?;
        let (name, reason) = (self.name(waiting.thread), &waiting.reason);
        Some(format!("{name} waits for {reason}, and no thread that could end this wait can run"))
    }

    /// What the threads of a livelock read again and again, and who wrote it last.
    fn repeated(&self) -> Option<String> {
        let (end, period) = (self.recorded.len(), self.period()?);
        let round = end - period..end;
        let mut reads: Vec<(ThreadId, &str)> = Vec::new();
        for index in round.clone() {
            let (step, shown) = (self.recorded[index], &self.shown[index]);
            let Some(object) = step.object.as_deref() else { continue };
            let changes = shown.changes.0.iter().any(|(name, _)| name == object);
            if !changes && !reads.contains(&(step.thread, object)) {
                reads.push((step.thread, object));
            }
        }
        let read = |&(thread, object): &(ThreadId, &str)| {
            let writes = |step: &TraceStep| step.changes.0.iter().any(|(name, _)| name == object);
            let written =
                match self.shown.iter().rposition(writes).and_then(|index| Some((index, self.step_shown(index)?))) {
                    Some((index, step)) if round.contains(&index) => format!("which {step} writes again and again"),
                    Some((_, step)) => format!("last written in {step}"),
                    None => "which no thread has written".to_owned(),
                };
            format!("{} reads {object}, {written}", self.name(thread))
        };
        let mut text = format!("the last {period} steps repeat without end");
        let reads: Vec<String> = reads.iter().take(OBJECTS).map(read).collect();
        if !reads.is_empty() {
            text.push_str(&format!(": {}", reads.join("; ")));
        }
        Some(text)
    }

    /// After how many steps the end of the run repeats: the smallest number such that three rounds are alike.
    fn period(&self) -> Option<usize> {
        let steps = self.recorded;
        let same = |a: &RecordedStep, b: &RecordedStep| {
            a.thread == b.thread && a.verb == b.verb && a.object == b.object && std::ptr::eq(a.at, b.at)
        };
        (1..=steps.len() / 3).find(|period| {
            let end = &steps[steps.len() - 3 * period..];
            end.iter().zip(&end[*period..]).all(|(a, b)| same(a, b))
        })
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
                        "a lost wake-up: {who} {verb} {what} in step {}, before {name} waits (step {begun}), and no \
                         thread does so again",
                        at + 1
                    )
                }
                Some(_) => return None,
                None => format!("a missing wake-up: {name} waits since step {begun}, and no thread {verb} {what}"),
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
