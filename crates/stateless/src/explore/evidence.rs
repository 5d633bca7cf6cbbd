//! What is done after a search that found nothing: the recheck, and whether the program does the same when it is run again.

use super::{Explorer, Found, stamp, strategy};
use crate::ThreadId;
use crate::config::{Mode, Recheck};
use crate::execution::{Execution, ExecutionConfig};
use crate::outcome::{Nondeterminism, Progress, RecordedStep, SearchEvidence, Stop};
use crate::recheck::{Rechecker, Searched};
use crate::strategy::replay::Replay;

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

    /// Makes a search again that the recheck disagrees with: a program that does something else now depends on the runs before.
    pub(super) fn differs_now(&self, execution_config: ExecutionConfig) -> Option<Nondeterminism> {
        let strategy = strategy(self.config, self.reduction, self.weak, self.deadline).ok()?;
        let ignore = &mut |_: &Progress| {};
        let mut again = Explorer::new(self.config, self.body, self.deadline, ignore);
        (again.reduction, again.weak) = (self.reduction, self.weak);
        let (run, stop) = again.search(Execution::idle(execution_config, strategy));
        run.retire();
        let summary = |found: &Found, what: String| {
            let Found { executions, steps, .. } = found;
            format!("{what} in a search of {executions} executions with {steps} steps")
        };
        let expected = summary(&self.found, "no violation".to_owned());
        let found = match (stop, again.found.violation.take()) {
            (Stop::Nondeterminism(what), _) => return Some(what),
            (_, Some(violation)) => summary(&again.found, violation.message),
            (Stop::Finished { .. }, None) => summary(&again.found, "no violation".to_owned()),
            _ => return None,
        };
        (expected != found).then_some(Nondeterminism { step: 0, expected, found })
    }

    /// Runs the last schedule twice more; what differs, if anything does.
    pub(super) fn repeats(&mut self, run: &Execution) -> Option<Nondeterminism> {
        let schedule: Vec<(ThreadId, u32)> = run.state.steps.iter().map(|s| (s.thread, s.choice)).collect();
        let [first, second] = [(); 2].map(|()| {
            let config = ExecutionConfig { deadline: None, ..run.config.clone() };
            let replay = Execution::idle(config, Box::new(Replay::new(schedule.clone())));
            let mut replay = self.fibers.execute(replay, stamp(), true, self.body);
            replay.recording.take().map_or_else(Vec::new, |recording| recording.steps)
        });
        let what =
            |step: Option<&RecordedStep>| step.map_or("nothing".to_owned(), |s| format!("{} at {}", s.verb, s.at));
        let same =
            |a: &RecordedStep, b: &RecordedStep| a.thread == b.thread && a.verb == b.verb && std::ptr::eq(a.at, b.at);
        let length = first.iter().zip(&second).take_while(|(a, b)| same(a, b)).count();
        (length < first.len().max(second.len())).then(|| Nondeterminism {
            step: length,
            expected: what(first.get(length)),
            found: what(second.get(length)),
        })
    }
}
