//! The states of a model and the steps between them, each computed once, when it is first asked for. The searches of
//! the judge work on this graph; the steps executed are their budget.

use std::collections::HashSet;

use selvedge_core::ViolationKind;

use super::cost::Runner;
use super::finding::{Properties, RunBound, RunStep, StepBudget};
use super::reads::only;
use super::state::{State, Turn};
use super::store::{FastMap, StateNumber, Store};
use super::{Interpreter, PlainFault};

/// A step to another state.
#[derive(Clone, Copy)]
struct Edge {
    /// The number of its name.
    name: u32,
    /// Where it leads; none if it cannot be completed.
    to: Option<StateNumber>,
}

/// The steps of a state: a part of the list of all of them.
#[derive(Clone, Copy)]
struct Extent {
    first: usize,
    count: usize,
}

/// A step with its cost, which depends on who ran last.
pub(crate) struct Hop {
    /// The number of the step.
    pub(crate) edge: usize,
    pub(crate) step: RunStep,
    pub(crate) cost: u32,
    /// The state it leads to and who ran last then; none if it cannot be completed.
    pub(crate) to: Option<(StateNumber, Runner)>,
}

/// The violation of a claim that ends before the first step.
pub(crate) fn claim_completed() -> PlainFault {
    (ViolationKind::ClaimCompleted, "the claim is completed".into())
}

/// What is known of a model's states.
pub(crate) struct Graph<'i> {
    pub(crate) interpreter: &'i Interpreter,
    store: Store,
    extents: Vec<Option<Extent>>,
    edges: Vec<Edge>,
    /// What went wrong in some edges.
    faults: FastMap<usize, Vec<PlainFault>>,
    names: Vec<RunStep>,
    numbers_of_names: FastMap<RunStep, u32>,
    spinning: FastMap<(StateNumber, u32), bool>,
    /// Steps executed.
    pub(crate) steps: u64,
    /// How many may be, and the limits of the whole run.
    budget: StepBudget,
}

impl<'i> Graph<'i> {
    /// The graph of a model, nothing explored, and its initial state.
    pub(crate) fn new(interpreter: &'i Interpreter, budget: StepBudget) -> (Graph<'i>, StateNumber) {
        let mut graph = Graph {
            interpreter,
            store: Store::default(),
            extents: Vec::new(),
            edges: Vec::new(),
            faults: FastMap::default(),
            names: Vec::new(),
            numbers_of_names: FastMap::default(),
            spinning: FastMap::default(),
            steps: 0,
            budget,
        };
        let initial = graph.number(interpreter.initial(), None);
        (graph, initial)
    }

    /// Whether no more steps may be executed.
    pub(crate) fn is_out_of_budget(&self) -> bool {
        // A state with its steps takes some hundred bytes.
        let bytes = self.extents.len() as u64 * 300 + self.edges.len() as u64 * 16;
        self.steps >= self.budget.steps
            || self.budget.limits.as_ref().is_some_and(|limits| limits.spent(bytes).is_some())
    }

    /// Executes the steps of a state, unless that was done; their numbers.
    pub(crate) fn expand(&mut self, number: StateNumber) -> std::ops::Range<usize> {
        if let Some(Extent { first, count }) = self.extents[number as usize] {
            return first..first + count;
        }
        let state = self.store.state(number);
        let first = self.edges.len();
        for step in self.interpreter.bare_steps(&state) {
            self.steps += 1;
            let name = self.name(RunStep { process: step.thread, span: step.span, partner: step.partner });
            let to = step.next.map(|next| self.number(next, Some((&state, number))));
            if !step.faults.is_empty() {
                self.faults.insert(self.edges.len(), step.faults);
            }
            self.edges.push(Edge { name, to });
        }
        let extent = Extent { first, count: self.edges.len() - first };
        self.extents[number as usize] = Some(extent);
        first..self.edges.len()
    }

    /// Whether the steps of a state are known.
    pub(crate) fn is_expanded(&self, number: StateNumber) -> bool {
        self.extents[number as usize].is_some()
    }

    /// The step of this number.
    pub(crate) fn edge(&self, edge: usize) -> (RunStep, Option<StateNumber>) {
        let Edge { name, to } = self.edges[edge];
        (self.names[name as usize], to)
    }

    /// The state of a number.
    pub(crate) fn state(&self, number: StateNumber) -> State {
        self.store.state(number)
    }

    /// Whether a state is inside an atomic sequence.
    pub(crate) fn is_in_atomic(&self, number: StateNumber) -> bool {
        matches!(self.store.turn(number), Turn::Only { .. })
    }

    /// Whether only the claim moves in a state.
    pub(crate) fn is_stuttering(&self, number: StateNumber) -> bool {
        matches!(self.store.turn(number), Turn::Stutter { .. })
    }

    /// Whether a process has a step in a state.
    pub(crate) fn is_enabled(&mut self, number: StateNumber, process: u32) -> bool {
        self.expand(number).any(|edge| self.edge(edge).0.process == Some(process))
    }

    /// Whether a process only spins in a state.
    pub(crate) fn is_spinning(&mut self, number: StateNumber, process: u32) -> bool {
        if let Some(known) = self.spinning.get(&(number, process)) {
            return *known;
        }
        let state = self.store.state(number);
        let spins = self.interpreter.spins(&state, process as usize, &mut self.steps, self.budget.steps);
        self.spinning.insert((number, process), spins);
        spins
    }

    /// The steps of a state, with their costs after `last` ran.
    pub(crate) fn hops(&mut self, bound: &RunBound, state: StateNumber, last: Runner) -> Vec<Hop> {
        let in_atomic = self.is_in_atomic(state);
        let edges = self.expand(state);
        let mut hops = Vec::with_capacity(edges.len());
        for edge in edges {
            let (step, to) = self.edge(edge);
            let cost = bound.cost(last, &step, in_atomic, || last.is_some_and(|last| self.waits(bound, state, last)));
            let last = bound.runner_after(last, &step, in_atomic);
            hops.push(Hop { edge, step, cost, to: to.map(|to| (to, last)) });
        }
        hops
    }

    /// Whether a process is blocked in a state, or counts as blocked because it spins.
    fn waits(&mut self, bound: &RunBound, state: StateNumber, process: u32) -> bool {
        !self.is_enabled(state, process) || (!bound.count_busy_wait && self.is_spinning(state, process))
    }

    /// Violations of a state: an invalid end, a label.
    pub(crate) fn state_violations(&mut self, number: StateNumber, properties: &Properties) -> Vec<PlainFault> {
        let mut found = Vec::new();
        if properties.end_states && self.expand(number).is_empty() {
            let state = self.state(number);
            if !self.interpreter.is_valid_end(&state) {
                found.push((ViolationKind::InvalidEndState, self.interpreter.invalid_end(&state)));
            }
        }
        if properties.acceptance
            && self.expand(number).is_empty()
            && self.interpreter.accepts_forever(&self.state(number))
        {
            found.push((ViolationKind::AcceptanceCycle, "the run ends at an accept label".to_owned()));
        }
        if let Some(label) = &properties.reach
            && self.interpreter.is_at_label(&self.state(number), label)
        {
            found.push((ViolationKind::LabelReached, format!("label `{label}` is reached")));
        }
        found
    }

    /// Violations of a step.
    pub(crate) fn step_violations(&self, edge: usize, properties: &Properties) -> Vec<PlainFault> {
        let is_checked = |(kind, _): &&PlainFault| properties.assertions || *kind != ViolationKind::Assertion;
        self.faults.get(&edge).map_or(Vec::new(), |faults| faults.iter().filter(is_checked).cloned().collect())
    }

    /// How many of these states Spin would store.
    pub(crate) fn count_stored(&self, states: impl Iterator<Item = StateNumber>) -> usize {
        let stored =
            states.filter(|number| matches!(self.store.turn(*number), Turn::Free | Turn::Stutter { stored: true }));
        if self.interpreter.claim.is_none() {
            return stored.collect::<HashSet<_>>().len();
        }
        stored.map(|number| self.store.counted_key(number)).collect::<HashSet<_>>().len()
    }

    fn number(&mut self, state: State, parent: Option<(&State, StateNumber)>) -> StateNumber {
        let mut state = self.interpreter.settle(state);
        let reads = &self.interpreter.reads;
        if (0..state.hidden.len()).any(|slot| !reads.hidden_decides(slot)) {
            state.hidden = only(&state.hidden, |slot| reads.hidden_decides(slot)).into();
        }
        let (number, new) = self.store.number(&state, parent);
        if new {
            self.extents.push(None);
        }
        number
    }

    fn name(&mut self, step: RunStep) -> u32 {
        let names = &mut self.names;
        *self.numbers_of_names.entry(step).or_insert_with(|| {
            names.push(step);
            names.len() as u32 - 1
        })
    }
}
