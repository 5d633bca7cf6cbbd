//! Checks the limits of a search and reports its progress at regular intervals.

use selvedge_core::{Budget, Event, Layer, Observer, StopReason};

/// How many expansions pass between two looks at the limits.
const CHECK_EVERY: u32 = 256;
/// Seconds between two reports of progress.
const REPORT_EVERY: f64 = 0.1;

/// Where a search stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    /// The bound being explored, if there is one.
    pub bound: Option<u32>,
    pub states: u64,
    pub transitions: u64,
    pub frontier: u64,
    pub depth: u64,
    /// Bytes held.
    pub memory: u64,
    /// Bytes the next growth takes on top of that.
    pub growth: u64,
}

pub(crate) struct Watch<'a> {
    pub budget: &'a Budget,
    pub observer: &'a mut dyn Observer,
    /// The limits on states and on the length of runs.
    most_states: u64,
    most_depth: u64,
    countdown: u32,
    next_report: f64,
    pub peak: u64,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(budget: &'a Budget, observer: &'a mut dyn Observer) -> Self {
        let most = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
        let (most_states, most_depth) = (most(budget.limits().states), most(budget.limits().depth));
        Watch { budget, observer, most_states, most_depth, countdown: CHECK_EVERY, next_report: 1.0, peak: 0 }
    }

    /// Called before each expansion; whether to stop, and why.
    #[inline]
    pub(crate) fn tick(&mut self, states: u64, position: impl FnOnce() -> Position) -> Option<StopReason> {
        if states >= self.most_states {
            return Some(StopReason::States);
        }
        self.countdown -= 1;
        if self.countdown > 0 {
            return None;
        }
        self.countdown = CHECK_EVERY;
        self.probe(position())
    }

    #[cold]
    fn probe(&mut self, position: Position) -> Option<StopReason> {
        let Position { bound, states, transitions, frontier, depth, memory, growth } = position;
        self.peak = self.peak.max(memory + growth);
        let seconds = self.budget.elapsed().as_secs_f64();
        if seconds >= self.next_report {
            self.next_report = seconds + REPORT_EVERY;
            self.observer.event(&Event::Progress { bound, states, transitions, frontier, depth, memory, seconds });
        }
        self.budget.check_growing(states, memory, growth)
    }

    /// Records a layer that is complete, and reports it; `states` and `transitions` are those up to its bound.
    pub(crate) fn complete_layer(&mut self, layers: &mut Vec<Layer>, bound: u32, states: u64, transitions: u64) {
        let before = layers.last().map_or(0, |layer| layer.states);
        let seconds = self.budget.elapsed().as_secs_f64();
        let layer = Layer { bound, states, new_states: states - before, transitions, seconds };
        layers.push(layer);
        self.observer.event(&Event::Layer(layer));
    }

    /// Whether a run may go beyond `depth` transitions.
    #[inline]
    pub(crate) fn allows_depth(&self, depth: u32) -> bool {
        u64::from(depth) < self.most_depth
    }
}

#[cfg(test)]
mod tests {
    use selvedge_core::{Interrupt, Limits, Silent};

    use super::*;

    #[test]
    fn the_limits_are_looked_at_once_in_a_while() {
        let budget = Budget::start(Limits { memory: Some(1_000), ..Limits::default() }, Interrupt::default());
        let mut observer = Silent;
        let mut watch = Watch::new(&budget, &mut observer);
        let position = || Position { memory: 2_000, ..Position::default() };
        let looks = (0..3 * CHECK_EVERY).filter(|_| watch.tick(0, position) == Some(StopReason::Memory)).count();
        assert_eq!((looks, watch.peak), (3, 2_000));
    }
}
