//! What is done after a search that found nothing: the recheck, and whether the program does the same when it is run again.

use selvedge_core::ViolationKind;

use super::{Explorer, stamp};
use crate::ThreadId;
use crate::config::{Mode, Recheck};
use crate::execution::{Ending, Execution, ExecutionConfig, Failure};
use crate::outcome::{Nondeterminism, RecordedStep, SearchEvidence, Stop};
use crate::recheck::{Rechecker, Searched};
use crate::strategy::replay::Replay;

/// The last run of a search: its schedule and its class.
pub(super) struct LastRun {
    schedule: Vec<(ThreadId, u32)>,
    digest: u128,
}

impl Explorer<'_> {
    /// The search was one execution, which is to stay the only one.
    pub(super) fn is_single(&self) -> bool {
        self.config.single_run && self.found.runs() == 1
    }

    pub(super) fn rechecks(&self) -> bool {
        self.config.recheck != Recheck::None && self.config.mode == Mode::Exhaustive
    }

    pub(super) fn recheck(&mut self, execution_config: ExecutionConfig, length: usize) -> Result<SearchEvidence, Stop> {
        let found = &self.found;
        let searched = Searched {
            reduction: self.reduction,
            executions: found.runs(),
            finished: found.executions,
            steps: found.steps,
            per_bound: &found.per_bound,
            visited: &found.visited,
            length,
        };
        Rechecker::new(self.config, self.body, &mut self.fibers, execution_config, searched).evidence()
    }

    /// What is needed to make the last run of the search again, unless it was cut off.
    pub(super) fn last_run(&mut self, run: &Execution) -> Option<LastRun> {
        let whole = self.found.cut == 0 && self.found.too_long == 0 && self.found.executions > 0;
        (self.rechecks() && whole).then(|| LastRun {
            schedule: run.state.steps.iter().map(|s| (s.thread, s.choice)).collect(),
            digest: self.recorder.digest(&run.state),
        })
    }

    /// Makes the last run of a search again that the recheck disagrees with: a program that does something else now depends on
    /// the runs before.
    pub(super) fn differs_now(&mut self, config: ExecutionConfig, last: LastRun) -> Option<Stop> {
        let steps = last.schedule.len();
        let config = ExecutionConfig { deadline: None, ..config };
        let replay = Execution::idle(config, Box::new(Replay::new(last.schedule)));
        let mut replay = self.fibers.execute(replay, stamp(), false, self.body);
        let ending = replay.ending.take();
        let same = matches!(ending, Some(Ending::Finished)) && self.recorder.digest(&replay.state) == last.digest;
        let mut found = format!("another one, of {} steps", replay.state.steps.len());
        if let Some(Ending::Failed(failure, _)) = ending {
            if let Some(stop) = self.misused(&replay, &failure) {
                replay.retire();
                return Some(stop);
            }
            found += &format!(", which ended with: {}", failure.message);
        }
        replay.retire();
        let expected = format!("a run of {steps} steps");
        (!same).then_some(Stop::Nondeterminism(Nondeterminism { step: 0, expected, found }))
    }

    /// A run after the search failed because the library is misused, as by something that outlives the run that made it: that
    /// says more than that runs differ.
    fn misused(&mut self, run: &Execution, failure: &Failure) -> Option<Stop> {
        if failure.kind != ViolationKind::RuntimeError {
            return None;
        }
        let steps = run.state.steps.iter().map(|s| (s.thread, s.choice)).collect();
        self.found.violation = Some(self.show(run, failure, steps)?);
        Some(Stop::Violation)
    }

    /// Runs the last schedule twice more; what the threads do differently, if anything. If they do the same with other values, it
    /// is kept: no step depends on these, but what the test asserts may.
    pub(super) fn repeats(&mut self, run: &Execution) -> Option<Stop> {
        let schedule: Vec<(ThreadId, u32)> = run.state.steps.iter().map(|s| (s.thread, s.choice)).collect();
        let [mut first, mut second] = [(); 2].map(|()| {
            let config = ExecutionConfig { deadline: None, ..run.config.clone() };
            let replay = Execution::idle(config, Box::new(Replay::new(schedule.clone())));
            self.fibers.execute(replay, stamp(), true, self.body)
        });
        if let Some(Ending::Failed(failure, _)) = second.ending.take()
            && let Some(stop) = self.misused(&second, &failure)
        {
            return Some(stop);
        }
        let steps = |replay: &mut Execution| replay.recording.take().map_or_else(Vec::new, |recording| recording.steps);
        let (first, second) = (steps(&mut first), steps(&mut second));
        let what =
            |step: Option<&RecordedStep>| step.map_or("nothing".to_owned(), |s| format!("{} at {}", s.verb, s.at));
        let same =
            |a: &RecordedStep, b: &RecordedStep| a.thread == b.thread && a.verb == b.verb && std::ptr::eq(a.at, b.at);
        let length = first.iter().zip(&second).take_while(|(a, b)| same(a, b)).count();
        self.found.values = differing_values(&first, &second);
        (length < first.len().max(second.len())).then(|| {
            let (expected, found) = (what(first.get(length)), what(second.get(length)));
            Stop::Nondeterminism(Nondeterminism { step: length, expected, found })
        })
    }
}

/// The first step of two runs of one schedule that read or wrote other values.
fn differing_values(first: &[RecordedStep], second: &[RecordedStep]) -> Option<Nondeterminism> {
    let differs = |(a, b): &(&RecordedStep, &RecordedStep)| match (&a.note, &b.note) {
        (Some(a), Some(b)) => !is_same_value(a, b),
        (a, b) => a.is_some() != b.is_some(),
    };
    let step = first.iter().zip(second).position(|pair| differs(&pair))?;
    let what = |step: &RecordedStep| {
        let note = step.note.as_deref().unwrap_or_default();
        let values: Vec<&str> = note.split('\u{1f}').filter(|part| !part.is_empty()).collect();
        format!("{} ({}) at {}", step.verb, values.join(" -> "), step.at)
    };
    Some(Nondeterminism { step, expected: what(&first[step]), found: what(&second[step]) })
}

/// Whether two notes show the same values. Addresses, and numbers that may be some, differ for good reasons.
fn is_same_value(a: &str, b: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_alphanumeric())
    }
    let address = |word: &str| word.starts_with("0x") || word.parse().is_ok_and(|n: u64| n > u32::MAX.into());
    let same = |(a, b): (&str, &str)| a == b || (address(a) && address(b));
    words(a).count() == words(b).count() && words(a).zip(words(b)).all(same)
}

#[cfg(test)]
mod tests {
    use super::is_same_value;

    #[test]
    fn addresses_are_no_values() {
        assert!(is_same_value("1, 2", "1, 2") && !is_same_value("1, 2", "1, 3") && !is_same_value("1", "1, 1"));
        assert!(is_same_value("0x7f00aa10", "0x7f00aa20") && is_same_value("94000000000001", "94000000000017"));
        assert!(!is_same_value("0x7f00aa10", "0") && !is_same_value("Ok(4)", "Err(4)"));
    }
}
