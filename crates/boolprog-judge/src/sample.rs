//! Random runs of a program within a bound: for programs that are too large to be explored again. A violation in one of
//! them contradicts an engine that found none within the bound.
//!
//! Switches are counted so that a run never exceeds the bound: a switch away from a thread whose steps all lead into a
//! section that blocks counts as a preemption here.

use selvedge_boolprog_syntax::ast::Program;
use selvedge_core::{Bound, BoundKind, Budget, Chance, Explored, Found, Runs, SampledRun, ViolationKind};

use crate::{Goals, Interpreter, State};

/// Takes random round-robin runs of at most `rounds` rounds.
pub fn sample_rounds(program: &Program, goals: &Goals<'_>, rounds: u32, runs: Runs) -> Explored {
    let bound = Bound { kind: BoundKind::Rounds, value: Some(rounds) };
    sample(program, goals, bound, runs, &Budget::unlimited()).unwrap_or_default()
}

/// Takes random runs within a bound; `None` for bounds on the switches of each thread. A limit of the budget ends it.
pub fn sample(program: &Program, goals: &Goals<'_>, bound: Bound, runs: Runs, budget: &Budget) -> Option<Explored> {
    let switches = SampledRun::within(bound)?;
    let interpreter = Interpreter::new(program, false, goals.assertions);
    let mut explored = Explored::default();
    let initial = interpreter.initial();
    let most = switches.most_steps(runs);
    let mut chance = Chance::new(runs.seed);
    for _ in 0..runs.count {
        if budget.spent(0).is_some() {
            break;
        }
        let state = initial[chance.below(initial.len())].clone();
        let mut run = Run { interpreter: &interpreter, goals, chance: &mut chance, state, last: None, switches };
        let steps = run.walk(most, &mut explored);
        explored.steps += steps;
        explored.runs += 1;
    }
    Some(explored)
}

struct Run<'r, 'a> {
    interpreter: &'r Interpreter<'a>,
    goals: &'r Goals<'r>,
    chance: &'r mut Chance,
    state: State,
    /// The thread that ran last.
    last: Option<usize>,
    switches: SampledRun,
}

impl Run<'_, '_> {
    /// Takes at most so many steps, up to the first violation. Returns how many were taken.
    fn walk(&mut self, most: u64, explored: &mut Explored) -> u64 {
        self.decide_flag();
        for step in 0..most {
            if let Some(span) = self.goals.reached(self.interpreter, &self.state) {
                explored.add(Found { round: self.switches.round, span, kind: ViolationKind::LabelReached });
                return step;
            }
            let Some(thread) = self.choose_thread() else {
                self.note_stuck(explored);
                return step;
            };
            let mut ways = self.interpreter.moves(&self.state, thread);
            if ways.is_empty() {
                self.note_stuck(explored);
                return step;
            }
            let way = ways.swap_remove(self.chance.below(ways.len()));
            let Some(next) = way.next else {
                explored.add(Found { round: self.switches.round, span: way.span, kind: ViolationKind::Assertion });
                return step + 1;
            };
            (self.state, self.last) = (next, Some(thread));
            self.decide_flag();
        }
        most
    }

    /// No thread was chosen: either the bound is in the way, or all threads are stuck.
    fn note_stuck(&self, explored: &mut Explored) {
        let free = self.last.is_none_or(|last| self.interpreter.can_switch(&self.state, last));
        if let Some(span) = self.goals.stuck(self.interpreter, &self.state).filter(|_| free) {
            explored.add(Found { round: self.switches.round, span, kind: ViolationKind::InvalidEndState });
        }
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
        let others: Vec<usize> =
            others.filter(enabled).filter(|other| self.switches.allows(last, *other, goes_on)).collect();
        if others.is_empty() {
            return goes_on.then_some(last);
        }
        let next = others[self.chance.below(others.len())];
        self.switches.switch(last, next, goes_on);
        Some(next)
    }
}
