//! Coverability of nets: can a run mark the places of a target together? Three searches share the work in turns of
//! measured size, so that the same net always gives the same answer with the same evidence: backward search from
//! the target, which ends with a run or with a proof, and two forward searches from the start, which find runs.

mod backward;
mod distance;
mod equation;
mod forward;
mod marking;
mod mutex_pairs;
mod proof;
mod reduced_net;
mod run;
mod trie;

use selvedge_core::{Budget, Event, Observer, StopReason};
use selvedge_nets_syntax::net::Net;

use backward::Backward;
use forward::{Forward, Measure};
use reduced_net::{Place, ReducedNet, StepId};
use selvedge_certificate::Certificate;
use trie::ElementId;

use run::NoRun;

pub use run::Run;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Give up after this much work, which is measured in steps and not in time.
    pub effort: Option<u64>,
    /// Whether to search forward, too.
    pub forward: bool,
    /// Whether to leave out markings that the state equation excludes.
    pub prune: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { effort: None, forward: true, prune: true }
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A target is covered by this run.
    Covered(Run),
    /// No run covers a target.
    Safe(Certificate),
    /// A limit came first.
    Stopped(StopReason),
    /// The effort was not enough.
    GaveUp,
    /// The run that was found cannot be executed, which is a bug of these analyses: what the search claims, and what the
    /// check reports.
    Defect(String),
}

/// The answer with its figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The answer.
    pub answer: Answer,
    /// Markings that were stored.
    pub states: u64,
    /// Steps between markings that were executed.
    pub transitions: u64,
    /// Weights that exclude markings.
    pub weights: u64,
    /// Bytes that the searches held.
    pub bytes: u64,
    /// Places and transitions that mattered.
    pub size: (usize, usize),
}

/// Work of one turn.
const TURN: u64 = 4_000;
/// Markings between two checks of the budget within a turn: one marking may have many neighbours.
const PULSE: usize = 64;
/// Places of a net whose markings may be so large that the budget is checked for each of them.
const MANY_PLACES: usize = 2_000;

/// Neighbours of a marking between two checks of the budget.
fn pulse(reduced: &ReducedNet) -> usize {
    if reduced.width() > MANY_PLACES { 1 } else { PULSE }
}

/// Whether a run covers a target of a net.
pub fn cover(net: &Net, options: Options, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
    let plain = ReducedNet::of(net, false);
    let Some(goal) = plain.goal else { return safe(&plain, proof::unmarked(&plain)) };
    let backward = Backward::new(&plain, goal, options.prune, budget);
    // Where one weighted sum proves the net safe, no shorter proof exists.
    if backward.elements.is_empty() || !options.prune || plain.width() > mutex_pairs::MOST_PLACES {
        return search(net, &plain, backward, goal, options, budget, observer);
    }
    let reduced = ReducedNet::of(net, true);
    let Some(goal) = reduced.goal else {
        return match proof::without_search(net, &reduced, budget) {
            Some(certificate) => safe(&reduced, certificate),
            None => search(net, &plain, backward, goal, options, budget, observer),
        };
    };
    let backward = Backward::new(&reduced, goal, true, budget);
    search(net, &reduced, backward, goal, options, budget, observer)
}

/// The outcome of a net that needs no search.
fn safe(reduced: &ReducedNet, certificate: Certificate) -> Outcome {
    let size = (reduced.width(), reduced.steps.len());
    Outcome { answer: Answer::Safe(certificate), states: 0, transitions: 0, weights: 0, bytes: 0, size }
}

fn search(
    net: &Net,
    reduced: &ReducedNet,
    backward: Backward<'_>,
    goal: Place,
    options: Options,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    let measures = if options.forward { [Measure::Steps, Measure::Equation].as_slice() } else { &[] };
    let forward = measures.iter().map(|measure| Forward::new(reduced, goal, *measure, budget)).collect();
    let mut search = Search { net, reduced, backward: Some(backward), forward, options, budget };
    let answer = search.run(observer);
    let backward = search.backward.as_ref();
    Outcome {
        answer,
        states: search.states(),
        transitions: search.transitions(),
        weights: backward.map_or(0, |b| b.weights.len() as u64),
        bytes: search.bytes(),
        size: (reduced.width(), reduced.steps.len()),
    }
}

struct Search<'a> {
    net: &'a Net,
    reduced: &'a ReducedNet,
    backward: Option<Backward<'a>>,
    forward: Vec<Forward<'a>>,
    options: Options,
    budget: &'a Budget,
}

impl Search<'_> {
    fn run(&mut self, observer: &mut dyn Observer) -> Answer {
        let mut until = TURN;
        loop {
            // Backward search alone can end with a proof: it gets as much as the two others.
            if let Some(answer) = self.backward_turn(2 * until).or_else(|| self.forward_turn(until)) {
                return answer;
            }
            if let Some(stop) = self.budget.check(self.states(), self.bytes()) {
                return Answer::Stopped(stop);
            }
            if self.options.effort.is_some_and(|effort| until >= effort) {
                return Answer::GaveUp;
            }
            if self.backward.is_none() && self.forward.is_empty() {
                return Answer::Stopped(StopReason::GaveUp);
            }
            until += TURN;
            observer.event(&self.progress());
        }
    }

    fn backward_turn(&mut self, until: u64) -> Option<Answer> {
        match self.backward.as_mut()?.run(until) {
            backward::Progress::Continues => None,
            backward::Progress::Covered(element) => Some(self.covered(&self.suffix(element))),
            backward::Progress::Complete => Some(match self.certificate() {
                Ok(certificate) => Answer::Safe(certificate),
                Err(reason) => Answer::Stopped(reason),
            }),
            backward::Progress::Stopped => None,
            backward::Progress::TooManySplits => {
                self.backward = None;
                None
            }
        }
    }

    fn forward_turn(&mut self, until: u64) -> Option<Answer> {
        for at in 0..self.forward.len() {
            let (node, element) = match self.forward[at].run(until, self.backward.as_ref()) {
                forward::Progress::Continues => continue,
                forward::Progress::Stopped => return None,
                // It has explored every reachable marking: the other forward search would find no more.
                forward::Progress::Exhausted => {
                    self.forward.clear();
                    return None;
                }
                forward::Progress::Covered(node) => (node, None),
                forward::Progress::Meets(node, element) => (node, Some(element)),
            };
            let mut steps = self.forward[at].path(node);
            steps.extend(element.map(|element| self.suffix(element)).unwrap_or_default());
            return Some(self.covered(&steps));
        }
        None
    }

    /// The steps from an element of the backward search to the goal.
    fn suffix(&self, element: ElementId) -> Vec<StepId> {
        let mut steps = Vec::new();
        let mut at = element;
        while let Some((step, next)) = self.backward.as_ref().and_then(|b| b.elements[at.index()].next) {
            steps.push(step);
            at = next;
        }
        steps
    }

    fn covered(&self, steps: &[StepId]) -> Answer {
        match run::run(self.net, self.reduced, steps, self.budget) {
            Ok(run) => Answer::Covered(run),
            Err(NoRun::Stopped(reason)) => Answer::Stopped(reason),
            Err(NoRun::TooLong) => Answer::Stopped(StopReason::GaveUp),
            Err(NoRun::Defect(why)) => Answer::Defect(why),
        }
    }

    fn certificate(&self) -> Result<Certificate, StopReason> {
        let Some(backward) = &self.backward else { return Ok(Certificate::default()) };
        proof::of_search(self.net, self.reduced, backward, self.budget, self.bytes())
    }

    fn states(&self) -> u64 {
        let backward = self.backward.as_ref().map_or(0, |backward| backward.elements.len());
        (backward + self.forward.iter().map(Forward::stored).sum::<usize>()) as u64
    }

    fn bytes(&self) -> u64 {
        let backward = self.backward.as_ref().map_or(0, |backward| backward.bytes + backward.set.bytes());
        backward + self.forward.iter().map(|forward| forward.bytes).sum::<u64>()
    }

    fn transitions(&self) -> u64 {
        let backward = self.backward.as_ref().map_or(0, |backward| backward.transitions);
        backward + self.forward.iter().map(|forward| forward.transitions).sum::<u64>()
    }

    fn progress(&self) -> Event {
        Event::Progress {
            bound: None,
            states: self.states(),
            transitions: self.transitions(),
            frontier: 0,
            depth: 0,
            memory: self.bytes(),
            seconds: self.budget.elapsed().as_secs_f64(),
        }
    }
}
