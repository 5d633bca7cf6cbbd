//! Random runs of a program within a bound: for programs that are too large to be explored again. A violation in one of
//! them contradicts an engine that found none within the bound.
//!
//! Switches are counted so that a run never exceeds the bound: a switch away from a thread whose steps all lead into a
//! section that blocks counts as a preemption here.

use selvedge_boolprog_syntax::ast::Program;
use selvedge_core::{Bound, BoundKind, Chance, Explored, Found, Runs, ViolationKind};

use crate::{Goals, Interpreter, State};

/// Takes random round-robin runs of at most `rounds` rounds.
pub fn sample_rounds(program: &Program, goals: &Goals<'_>, rounds: u32, runs: Runs) -> Explored {
    let bound = Bound { kind: BoundKind::Rounds, value: Some(rounds) };
    sample(program, goals, bound, runs).unwrap_or_default()
}

/// Takes random runs within a bound; `None` for bounds on the switches of each thread.
pub fn sample(program: &Program, goals: &Goals<'_>, bound: Bound, runs: Runs) -> Option<Explored> {
    if matches!(bound.kind, BoundKind::ThreadSwitches | BoundKind::Strata) {
        return None;
    }
    let interpreter = Interpreter::new(program, false, goals.assertions);
    let mut explored = Explored::default();
    let initial = interpreter.initial();
    let most = match bound.kind {
        BoundKind::Depth => bound.value.map_or(runs.steps, |depth| runs.steps.min(u64::from(depth))),
        _ => runs.steps,
    };
    let mut chance = Chance::new(runs.seed);
    for _ in 0..runs.count {
        let state = initial[chance.below(initial.len())].clone();
        let mut run =
            Run { interpreter: &interpreter, goals, bound, chance: &mut chance, state, last: None, spent: 0, round: 1 };
        let steps = run.walk(most, &mut explored);
        explored.steps += steps;
        explored.runs += 1;
    }
    Some(explored)
}

struct Run<'r, 'a> {
    interpreter: &'r Interpreter<'a>,
    goals: &'r Goals<'r>,
    bound: Bound,
    chance: &'r mut Chance,
    state: State,
    /// The thread that ran last.
    last: Option<usize>,
    /// What the bound counts.
    spent: u32,
    round: u32,
}

impl Run<'_, '_> {
    /// Takes at most so many steps, up to the first violation. Returns how many were taken.
    fn walk(&mut self, most: u64, explored: &mut Explored) -> u64 {
        self.decide_flag();
        for step in 0..most {
            if let Some(span) = self.goals.reached(self.interpreter, &self.state) {
                explored.add(Found { round: self.round, span, kind: ViolationKind::LabelReached });
                return step;
            }
            let Some(thread) = self.choose_thread() else { return step };
            let mut ways = self.interpreter.moves(&self.state, thread);
            if ways.is_empty() {
                return step;
            }
            let way = ways.swap_remove(self.chance.below(ways.len()));
            let Some(next) = way.next else {
                explored.add(Found { round: self.round, span: way.span, kind: ViolationKind::Assertion });
                return step + 1;
            };
            (self.state, self.last) = (next, Some(thread));
            self.decide_flag();
        }
        most
    }

    fn decide_flag(&mut self) {
        let mut both = self.interpreter.with_flag_decided(self.state.clone());
        self.state = both.swap_remove(self.chance.below(both.len()));
    }

    /// The thread of the next step: mostly the one that ran last, as long as it can go on.
    fn choose_thread(&mut self) -> Option<usize> {
        if self.interpreter.in_init(&self.state) {
            return Some(0);
        }
        let enabled = |thread: &usize| !self.interpreter.moves(&self.state, *thread).is_empty();
        let Some(last) = self.last else {
            let threads: Vec<usize> = (0..self.interpreter.thread_count(&self.state)).filter(enabled).collect();
            return (!threads.is_empty()).then(|| threads[self.chance.below(threads.len())]);
        };
        if !self.interpreter.can_switch(&self.state, last) {
            return Some(last);
        }
        let goes_on = enabled(&last);
        if goes_on && !self.chance.once_in(4) {
            return Some(last);
        }
        let others = (0..self.interpreter.thread_count(&self.state)).filter(|thread| *thread != last);
        let others: Vec<usize> = others.filter(enabled).filter(|other| self.allows(last, *other, goes_on)).collect();
        if others.is_empty() {
            return goes_on.then_some(last);
        }
        let next = others[self.chance.below(others.len())];
        self.spent += self.cost(last, next, goes_on);
        self.round += u32::from(next < last);
        Some(next)
    }

    fn cost(&self, last: usize, next: usize, goes_on: bool) -> u32 {
        match self.bound.kind {
            BoundKind::Preemptions => u32::from(goes_on),
            BoundKind::Switches => 1,
            BoundKind::Rounds => u32::from(next < last),
            _ => 0,
        }
    }

    /// Whether the bound allows a switch.
    fn allows(&self, last: usize, next: usize, goes_on: bool) -> bool {
        let first = u32::from(self.bound.kind == BoundKind::Rounds);
        let after = first + self.spent + self.cost(last, next, goes_on);
        self.bound.kind == BoundKind::Depth || self.bound.value.is_none_or(|most| after <= most)
    }
}
