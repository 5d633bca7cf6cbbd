//! The states of plain runs are in the store of the search, at no higher cost than the run's. Asked where the store
//! should hold every state: it is exact, and nothing was reduced or optimised.
//!
//! Each run of the judge is followed on the machine of the search. A run names processes and places, so several states
//! may fit it. They are all reached, but only the one of the judge at the cost that the judge counts.

use selvedge_machine::{Machine, Steps, Turn};
use selvedge_promela::machine::PromelaMachine;
use selvedge_promela_judge::CostedStep;
use selvedge_source::SourceMap;

use super::key::Key;
use crate::simulate::possible;

/// The store of a finished search: the least cost at which a state was reached, or `None` if it was not.
pub(crate) type LeastCost = Box<dyn Fn(&[u8]) -> Option<u32>>;

/// Runs that fit more states than this are not followed any further.
const MOST_CANDIDATES: usize = 16;

/// Follows runs and looks their states up.
pub(super) struct Lookup<'a> {
    pub machine: &'a PromelaMachine,
    pub sources: &'a SourceMap,
    pub stored: &'a LeastCost,
    /// Every reachable state is stored, not only those within a bound.
    pub whole: bool,
    /// States that were looked up and found.
    pub found: u64,
}

/// A state of the machine and who goes on.
type Candidate = (Vec<u8>, Turn);

impl Lookup<'_> {
    /// Follows a run, given by its steps and the cost up to each of them.
    pub(super) fn follow(&mut self, run: &[CostedStep]) -> Result<(), String> {
        let mut initial = Vec::new();
        self.machine.initial(&mut initial);
        let mut candidates = vec![(initial, Turn::Any)];
        self.look_up(&candidates, run, 0)?;
        for (index, (step, _)) in run.iter().enumerate() {
            // From here on the claim moves alone: none of these states is stored, and the judge's first such step may be
            // one that the search does not take by itself.
            if step.process.is_none() {
                return Ok(());
            }
            candidates = self.after(&candidates, &Key::from(step));
            if candidates.is_empty() {
                return Err(self.shown("the search cannot take the last step of this run", &run[..=index]));
            }
            if candidates.len() > MOST_CANDIDATES {
                return Ok(());
            }
            self.look_up(&candidates, run, index + 1)?;
        }
        Ok(())
    }

    /// The states of the machine after a step of the judge.
    fn after(&self, candidates: &[Candidate], judge: &Key) -> Vec<Candidate> {
        let mut after: Vec<Candidate> = Vec::new();
        for (state, turn) in candidates {
            let mut steps = Steps::new();
            possible(self.machine, state, *turn, &mut Default::default(), &mut steps);
            for step in &steps.list {
                let Some(next) = steps.state(step) else { continue };
                let candidate = (next.to_vec(), step.turn);
                if Key::of(self.machine, state, step, &steps).is(judge) && !after.contains(&candidate) {
                    after.push(candidate);
                }
            }
        }
        after
    }

    /// Looks up the states after the first `steps` steps of a run.
    fn look_up(&mut self, candidates: &[Candidate], run: &[CostedStep], steps: usize) -> Result<(), String> {
        let run = &run[..steps];
        let cost = run.last().map_or(0, |(_, cost)| *cost);
        let single = candidates.len() == 1;
        // States inside atomic sequences and of a claim that moves alone are passed through.
        for (state, _) in candidates.iter().filter(|(_, turn)| *turn == Turn::Any && (single || self.whole)) {
            match (self.stored)(state) {
                None => {
                    return Err(self.shown("the state at the end of this run is not among those that were stored", run));
                }
                Some(stored) if single && stored > cost => {
                    let what = format!("the state at the end of this run, which costs {cost}, is stored with {stored}");
                    return Err(self.shown(&what, run));
                }
                Some(_) => self.found += 1,
            }
        }
        Ok(())
    }

    fn shown(&self, what: &str, run: &[CostedStep]) -> String {
        let keys: Vec<Key> = run.iter().map(|(step, _)| Key::from(step)).collect();
        format!("{what}:{}", Key::shown_run(&keys, self.sources))
    }
}
