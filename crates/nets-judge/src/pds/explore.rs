//! Explores a pushdown system again, state by state, with round-robin schedules. A round in which no thread finds a new
//! state ends the exploration, and what was found speaks of any number of rounds.

use std::collections::HashSet;

use selvedge_core::{Budget, Effort, Explored, Found};
use selvedge_nets_syntax::pds::Pds;

use super::State;

/// Explores `rounds` rounds. A limit of the budget ends it as the effort does. With `deadlock`, threads that are stuck are
/// a violation.
pub fn explore_rounds(pds: &Pds, deadlock: bool, rounds: u32, effort: Effort, budget: &Budget) -> Explored {
    let start = State::initial(pds);
    let explored = Explored::default();
    let mut exploration = Exploration { deadlock, explored, round: 0, cut: false, states: Vec::new(), bytes: 0 };
    let mut known = HashSet::new();
    exploration.arrive(pds, &mut known, start);
    // By thread: the first state from which its steps were not explored.
    let mut next = vec![0; pds.threads.len()];
    let saturated = |next: &[usize], states: &[State]| next.iter().all(|next| *next == states.len());
    while exploration.round < rounds && !saturated(&next, &exploration.states) {
        exploration.round += 1;
        for (thread, next) in next.iter_mut().enumerate() {
            while *next < exploration.states.len() {
                exploration.expand(pds, &mut known, *next, thread, effort.stack);
                *next += 1;
                let look = next.is_multiple_of(LOOK_EVERY) && budget.spent(exploration.bytes).is_some();
                if look || exploration.explored.steps > effort.steps {
                    return exploration.ended(false, false);
                }
            }
        }
    }
    let saturated = saturated(&next, &exploration.states);
    exploration.ended(true, saturated)
}

/// Explores any number of rounds.
pub fn explore(pds: &Pds, deadlock: bool, effort: Effort, budget: &Budget) -> Explored {
    explore_rounds(pds, deadlock, u32::MAX, effort, budget)
}

/// States between two looks at the limits.
const LOOK_EVERY: usize = 1 << 8;

struct Exploration {
    deadlock: bool,
    /// What the states take.
    bytes: u64,
    explored: Explored,
    round: u32,
    /// The stack limit kept a rule from being followed.
    cut: bool,
    /// In the order in which they were found.
    states: Vec<State>,
}

impl Exploration {
    fn expand(&mut self, pds: &Pds, known: &mut HashSet<State>, state: usize, thread: usize, stack: usize) {
        self.explored.steps += 1;
        for next in self.states[state].successors(pds, thread) {
            self.explored.steps += 1;
            if next.stacks[thread].len() > stack {
                self.cut = true;
            } else {
                self.arrive(pds, known, next);
            }
        }
    }

    /// Notes a state; a run ends in a target.
    fn arrive(&mut self, pds: &Pds, known: &mut HashSet<State>, state: State) {
        if let Some((span, kind)) = state.violation(pds, self.deadlock) {
            self.explored.add(Found { round: self.round, span, kind });
        } else if known.insert(state.clone()) {
            self.bytes += 2 * state.bytes();
            self.states.push(state);
        }
    }

    fn ended(mut self, all: bool, saturated: bool) -> Explored {
        self.explored.states = self.states.len() as u64;
        self.explored.complete = all && !self.cut;
        self.explored.saturated = saturated && !self.cut;
        self.explored
    }
}
