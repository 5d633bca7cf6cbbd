//! One bound, no bound, or increasing bounds: BSR\[0\], BSR\[1\], … until a target is reached, or until SR proves that no
//! bound reaches one. SR gets more effort from bound to bound, so that neither holds up the other.

use selvedge_core::{Budget, Event, Layer, Observer, StopReason};
use selvedge_nets_syntax::dcps::{Dcps, Move};

use super::{Answer, NotFiniteState, Outcome, Question, bounded_switch_with};
use crate::cover::Options;
use selvedge_certificate::NetworkCertificate;

/// Which bounds to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// This one.
    Exactly(u32),
    /// None at all (SR).
    Unbounded,
    /// 0, 1, 2, …, up to one if there is a last.
    From0(Option<u32>),
}

/// The result for one bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The bound; `None` is SR.
    pub bound: Option<u32>,
    /// Whether no target is reached within it.
    pub safe: bool,
    /// Markings and steps of the search, and seconds since the start.
    pub figures: Layer,
}

/// The result.
#[derive(Clone, Debug, PartialEq)]
pub struct Iterated {
    /// The bounds that were answered, in order.
    pub levels: Vec<Level>,
    /// The run to a target, with the bound it was found for.
    pub run: Option<(Option<u32>, Vec<Move>)>,
    /// The proof for the last bound that was answered, or for all of them.
    pub certificate: Option<(Option<u32>, NetworkCertificate)>,
    /// No bound reaches a target.
    pub holds: bool,
    /// Why it ended.
    pub stop: StopReason,
    /// The run that was found cannot be executed, which is a bug of these analyses; the other fields are then meaningless.
    pub defect: Option<String>,
    /// The peak memory of a search.
    pub peak_bytes: u64,
    /// Markings and steps of all bounds, including an unfinished one.
    pub figures: Layer,
}

/// Effort for SR after the first bound; it doubles from bound to bound.
const FIRST_EFFORT: u64 = 200_000;

/// Checks the bounds.
pub fn iterate(
    dcps: &Dcps,
    bounds: Bounds,
    fresh_switches: bool,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Iterated, NotFiniteState> {
    let stop = StopReason::Exhausted;
    let figures = Layer::default();
    let found = Iterated {
        levels: Vec::new(),
        run: None,
        certificate: None,
        holds: false,
        stop,
        defect: None,
        peak_bytes: 0,
        figures,
    };
    let mut iteration = Iteration { dcps, fresh_switches, budget, observer, found };
    match bounds {
        Bounds::Exactly(bound) => iteration.check(Some(bound), None).map(|_| ())?,
        Bounds::Unbounded => iteration.check(None, None).map(|_| ())?,
        Bounds::From0(last) => iteration.increase(last)?,
    }
    Ok(iteration.found)
}

struct Iteration<'a> {
    dcps: &'a Dcps,
    fresh_switches: bool,
    budget: &'a Budget,
    observer: &'a mut dyn Observer,
    found: Iterated,
}

/// Whether to continue with the next bound.
#[derive(PartialEq, Eq)]
enum Next {
    Continue,
    Done,
}

impl Iteration<'_> {
    fn increase(&mut self, last: Option<u32>) -> Result<(), NotFiniteState> {
        let mut effort = FIRST_EFFORT;
        let mut reachable = false;
        for bound in 0..=last.unwrap_or(u32::MAX) {
            if self.check(Some(bound), None)? == Next::Done {
                return Ok(());
            }
            if last == Some(bound) {
                self.found.stop = StopReason::Bound;
            }
            // Once SR has a run, only the bound is left to be found.
            if !reachable {
                let (levels, before) = (self.found.levels.len(), self.found.run.take());
                if self.check(None, Some(effort))? == Next::Done {
                    if self.found.defect.is_some() {
                        return Ok(());
                    }
                    if self.found.run.take().is_none() {
                        return Ok(());
                    }
                    reachable = true;
                    self.found.run = before;
                    self.found.levels.truncate(levels);
                    self.found.stop = if last == Some(bound) { StopReason::Bound } else { StopReason::Exhausted };
                }
                effort = effort.saturating_mul(2);
            }
        }
        Ok(())
    }

    fn check(&mut self, thread_switches: Option<u32>, effort: Option<u64>) -> Result<Next, NotFiniteState> {
        let question = Question { thread_switches, fresh_switches: self.fresh_switches };
        let options = Options { effort, ..Options::default() };
        let outcome = bounded_switch_with(self.dcps, question, options, self.budget, self.observer)?;
        Ok(self.record(thread_switches, outcome))
    }

    fn record(&mut self, bound: Option<u32>, outcome: Outcome) -> Next {
        self.found.peak_bytes = self.found.peak_bytes.max(outcome.bytes);
        let known = self.found.levels.last().map(|level| level.figures).unwrap_or_default();
        let figures = Layer {
            bound: bound.unwrap_or(known.bound),
            states: known.states + outcome.states,
            new_states: outcome.states,
            transitions: known.transitions + outcome.transitions,
            seconds: self.budget.elapsed().as_secs_f64(),
        };
        self.found.figures = figures;
        let safe = matches!(outcome.answer, Answer::Unreachable(_));
        match outcome.answer {
            Answer::Stopped(stop) => {
                self.found.stop = stop;
                return Next::Done;
            }
            Answer::GaveUp => return Next::Continue,
            Answer::Defect(why) => {
                self.found.defect = Some(why);
                return Next::Done;
            }
            Answer::Reached(moves) => {
                self.found.run = Some((bound, moves));
                self.found.stop = StopReason::Violation;
            }
            Answer::Unreachable(certificate) => {
                self.found.certificate = Some((bound, certificate));
                self.found.holds = bound.is_none();
                self.found.stop = if bound.is_none() { StopReason::Exhausted } else { StopReason::Bound };
            }
        }
        self.found.levels.push(Level { bound, safe, figures });
        if bound.is_some() {
            self.observer.event(&Event::Layer(figures));
        }
        if safe && bound.is_some() { Next::Continue } else { Next::Done }
    }
}
