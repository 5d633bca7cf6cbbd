//! Random runs of a program within a bound: for programs that are too large to be explored again. A violation in one of
//! them contradicts an engine that found none within the bound.
//!
//! Switches are counted so that a run never exceeds the bound: a switch away from a thread whose steps all lead into a
//! section that blocks counts as a preemption here.

use selvedge_boolprog_syntax::ast::Program;
use selvedge_core::{Bound, BoundKind, Budget, Chance, Explored, Found, Runs, SampledRun, Spent, ViolationKind};
use selvedge_source::Span;

use crate::{Goals, Interpreter, State, waits};

/// Values of expressions that are followed for each step, on average, before no further step is taken.
const WAYS_OF_A_STEP: u64 = 64;

/// Takes random round-robin runs of at most `rounds` rounds.
pub fn sample_rounds(program: &Program, goals: &Goals<'_>, rounds: u32, runs: Runs) -> Explored {
    let bound = Bound { kind: BoundKind::Rounds, value: Some(rounds) };
    sample(program, goals, bound, false, runs, &Budget::unlimited())
}

/// Takes random runs within a bound. A limit of the budget ends it. With `fresh_switches` a new thread has the switch number
/// 0, otherwise one more than its creator's.
pub fn sample(
    program: &Program,
    goals: &Goals<'_>,
    bound: Bound,
    fresh_switches: bool,
    runs: Runs,
    budget: &Budget,
) -> Explored {
    let interpreter = Interpreter::new(program, false, goals.assertions).sampling();
    let mut explored = Explored::default();
    let initial = interpreter.initial();
    let mut chance = Chance::new(runs.seed);
    let most_followed = WAYS_OF_A_STEP * runs.count * runs.steps;
    for _ in 0..runs.count {
        if budget.spent(0).is_some() || interpreter.followed() > most_followed {
            break;
        }
        let state = initial[chance.below(initial.len())].clone();
        let switches = SampledRun::within(bound, fresh_switches, interpreter.thread_count(&state));
        let most = switches.most_steps(runs);
        let chance = &mut chance;
        let visited = Vec::new();
        let decides_waits = waits::matter(goals, bound);
        let mut run = RandomRun {
            interpreter: &interpreter,
            goals,
            chance,
            most_followed,
            state,
            last: None,
            switches,
            decides_waits,
            visited,
        };
        let steps = run.walk(most, &mut explored);
        explored.steps += steps;
        explored.runs += 1;
    }
    explored
}

struct RandomRun<'r, 'a> {
    interpreter: &'r Interpreter<'a>,
    goals: &'r Goals<'r>,
    chance: &'r mut Chance,
    /// The run ends when the interpreter has followed more ways.
    most_followed: u64,
    state: State,
    /// The thread that ran last.
    last: Option<usize>,
    switches: SampledRun,
    /// It matters which threads have a step.
    decides_waits: bool,
    /// Where infinite runs are looked for: the states so far, with the thread that ran last and what was spent.
    visited: Vec<(State, Option<usize>, Spent)>,
}

impl RandomRun<'_, '_> {
    /// Takes at most so many steps, up to the first violation. Returns how many were taken.
    fn walk(&mut self, most: u64, explored: &mut Explored) -> u64 {
        self.decide();
        for step in 0..most {
            if self.interpreter.followed() > self.most_followed {
                return step;
            }
            if let Some(span) = self.goals.reached(self.interpreter, &self.state) {
                explored.add(Found { round: self.switches.round, span, kind: ViolationKind::LabelReached });
                return step;
            }
            if let Some(span) = self.closed_cycle() {
                explored.add(Found { round: self.switches.round, span, kind: ViolationKind::NonProgressCycle });
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
            self.switches.stepped(thread, self.interpreter.thread_count(&self.state));
            self.decide();
        }
        most
    }

    /// Whether the run has been here before, with the same spent, and may go round for ever; where it is.
    fn closed_cycle(&mut self) -> Option<Span> {
        if !self.goals.infinite_runs {
            return None;
        }
        let here = (self.state.clone(), self.last, self.switches.spent());
        let start = self.visited.iter().position(|visited| *visited == here);
        self.visited.push(here);
        let cycle = &self.visited[start?..];
        let served = |thread: usize| {
            let moved = cycle[1..].iter().any(|(_, last, _)| *last == Some(thread));
            let waits = |(state, last, _): &(State, Option<usize>, Spent)| {
                self.interpreter.waits(state, *last, thread) == Some(true)
            };
            moved || cycle.iter().any(waits)
        };
        let threads = cycle.iter().map(|(state, ..)| self.interpreter.thread_count(state)).max().unwrap_or(0);
        // A section that never ends counts as blocked.
        let leaves = |(state, last, _): &(State, Option<usize>, Spent)| {
            !self.interpreter.in_init(state) && last.is_none_or(|last| self.interpreter.can_switch(state, last))
        };
        let fair = cycle.iter().any(leaves) && (!self.goals.fair || (0..threads).all(served));
        let span = |thread| self.interpreter.position(&self.state, thread);
        (0..threads).filter(|_| fair).find_map(span)
    }

    /// No thread was chosen: either the bound is in the way, or all threads are blocked.
    fn note_stuck(&self, explored: &mut Explored) {
        let free = self.last.is_none_or(|last| self.interpreter.can_switch(&self.state, last));
        // A thread whose steps were left out is not stuck.
        let known = free && !self.interpreter.was_cut();
        if let Some(span) = self.goals.stuck(self.interpreter, &self.state).filter(|_| known) {
            explored.add(Found { round: self.switches.round, span, kind: ViolationKind::InvalidEndState });
        }
    }

    /// Decides who may run, and what threads wait for.
    fn decide(&mut self) {
        let mut both = self.interpreter.with_flag_decided(self.state.clone());
        self.state = both.swap_remove(self.chance.below(both.len()));
        if self.decides_waits {
            let mut ways = self.interpreter.with_waits_decided(self.state.clone(), self.last);
            self.state = ways.swap_remove(self.chance.below(ways.len()));
        }
    }

    /// The thread of the next step: mostly the one that ran last, as long as it is enabled.
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
