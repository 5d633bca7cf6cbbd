//! The graph in which cycles are looked for: nodes are states with the thread that ran last, edges are steps.

use std::convert::Infallible;
use std::ops::Range;

use selvedge_core::{Budget, StopReason, SwitchCost, SwitchReason, ThreadId};
use selvedge_machine::{Counting, Fault, Hints, Leaving, Path, Threads, Turn};

use super::states::{Faulty, Last, StateNo, States, Transition};
use crate::ample::{OwnSteps, youngest};
use crate::path::extended;

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Node(pub u32);

/// An edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub to: Node,
    /// Who acts; `None` for the claim, and for an edge that is no step.
    pub thread: Option<ThreadId>,
    /// Number of the arrival among those of its thread, and its steps; `None` for an edge that is no step.
    pub arrival: Option<(u32, u32)>,
    /// It costs a switch that is counted.
    pub counted: bool,
}

/// Edges from a node, and what was found on the way.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub edges: Vec<Edge>,
    pub faults: Vec<Faulty>,
    /// Transitions executed.
    pub executed: u64,
    /// Leaving the thread that ran last is counted, and worth looking at.
    pub can_be_preempted: bool,
}

/// What is kept of a node.
struct Entry {
    state: StateNo,
    last: Last,
    /// Another node of the same state.
    next: Option<Node>,
    /// The node from which the search came here first; itself where the search starts.
    from: Option<Node>,
}

/// What is kept of a state.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Its first node.
    first: Option<Node>,
    /// The search has come there.
    reached: bool,
    /// A thread was preempted there.
    left: bool,
    /// How many of its nodes are on the path that is being explored.
    on_path: u8,
}

/// What counts as free and what is left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeSteps {
    pub cost: Option<SwitchCost>,
    pub counting: Counting,
    /// Preemptions in front of local steps are left out.
    pub reduction: bool,
}

pub(super) struct Graph<'a, M: Hints> {
    rules: FreeSteps,
    states: States<'a, M>,
    leaving: Leaving<M>,
    nodes: Vec<Entry>,
    places: Vec<Place>,
    /// States that the search has come to.
    reached: u64,
    /// A reason to stop that came up in the middle of a question.
    stop: Option<StopReason>,
    budget: &'a Budget,
    countdown: u32,
}

/// How many nodes a question may look at between two looks at the limits.
const CHECK_EVERY: u32 = 256;

impl<'a, M: Hints> Graph<'a, M> {
    pub(super) fn new(machine: &'a M, rules: FreeSteps, budget: &'a Budget) -> Self {
        Graph {
            rules,
            states: States::new(machine, rules.cost, budget),
            leaving: Leaving::new(rules.counting),
            nodes: Vec::new(),
            places: Vec::new(),
            reached: 0,
            stop: None,
            budget,
            countdown: CHECK_EVERY,
        }
    }

    pub(super) fn initial(&mut self) -> Node {
        let state = self.states.initial();
        self.node(state, Last::Anybody)
    }

    /// The node of a state and the thread that ran last.
    fn node(&mut self, state: StateNo, last: Last) -> Node {
        let index = state.0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, Place::default());
        }
        let mut next = self.places[index].first;
        while let Some(node) = next {
            let entry = &self.nodes[node.0 as usize];
            if entry.last == last {
                return node;
            }
            next = entry.next;
        }
        let node = Node(self.nodes.len() as u32);
        self.nodes.push(Entry { state, last, next: self.places[index].first, from: None });
        self.places[index].first = Some(node);
        node
    }

    /// The search has come from a node to another, or starts at one; whether the state is new.
    pub(super) fn reach(&mut self, node: Node, from: Node) -> bool {
        self.nodes[node.0 as usize].from.get_or_insert(from);
        let new = !std::mem::replace(&mut self.place(node).reached, true);
        self.reached += u64::from(new);
        new
    }

    /// A thread is preempted at a node; whether nobody was in its state before.
    pub(super) fn leave(&mut self, node: Node) -> bool {
        !std::mem::replace(&mut self.place(node).left, true)
    }

    /// Whether somebody was preempted in the state of a node.
    pub(crate) fn was_left(&mut self, node: Node) -> bool {
        self.place(node).left
    }

    fn place(&mut self, node: Node) -> &mut Place {
        &mut self.places[self.nodes[node.0 as usize].state.0 as usize]
    }

    /// The nodes that the search came through to a node, that one last.
    pub(crate) fn way_to(&self, node: Node) -> Vec<Node> {
        let before = |node: &Node| self.nodes[node.0 as usize].from.filter(|from| from != node);
        let mut way: Vec<Node> = std::iter::successors(Some(node), before).collect();
        way.reverse();
        way
    }

    /// What is asked from now on is for a run that is put together, or for the search again.
    pub(crate) fn set_aside(&mut self, aside: bool) {
        self.states.set_aside(aside);
    }

    fn state_of(&self, node: Node) -> StateNo {
        self.nodes[node.0 as usize].state
    }

    /// States that were reached.
    pub(super) fn states(&self) -> u64 {
        self.reached
    }

    pub(super) fn bytes(&self) -> u64 {
        let places = self.places.capacity() * size_of::<Place>();
        self.states.memory() + self.leaving.bytes() + (self.nodes.capacity() * size_of::<Entry>() + places) as u64
    }

    pub(super) fn growth(&self) -> u64 {
        self.states.growth().max((self.nodes.capacity() * size_of::<Entry>()) as u64)
    }

    pub(super) fn is_accepting(&self, node: Node) -> bool {
        self.states.is_accepting(self.state_of(node))
    }

    pub(super) fn is_progress(&self, node: Node) -> bool {
        self.states.is_progress(self.state_of(node))
    }

    pub(crate) fn is_stutter(&self, node: Node) -> bool {
        self.nodes[node.0 as usize].last == Last::Nobody
    }

    pub(super) fn thread_count(&mut self, node: Node) -> u32 {
        self.states.load(self.state_of(node));
        self.states.machine.thread_count(&self.states.bytes)
    }

    pub(super) fn state_fault(&self, node: Node) -> Option<Fault> {
        self.states.bad(self.state_of(node)).cloned()
    }

    /// Threads that have no step at a node.
    pub(super) fn disabled(&mut self, node: Node) -> Threads {
        self.states.disabled(self.state_of(node))
    }

    /// The path that is being explored goes on with a node.
    pub(crate) fn enter(&mut self, node: Node) {
        self.place(node).on_path += 1;
    }

    /// The path goes back from a node.
    pub(crate) fn go_back(&mut self, node: Node) {
        self.place(node).on_path -= 1;
    }

    /// The edges that cost nothing.
    pub(crate) fn free_edges(&mut self, node: Node) -> Edges {
        let mut out = Edges::default();
        self.put_free_edges(node, &mut out);
        out
    }

    /// The same, into a buffer that is used again and again.
    pub(crate) fn put_free_edges(&mut self, node: Node, out: &mut Edges) {
        let executed = self.begin(out);
        match self.nodes[node.0 as usize].last {
            Last::Anybody => self.put_everybodys(node, out),
            Last::Nobody => self.put_claims(node, out),
            Last::Thread(thread) => self.put_own(node, thread, out),
        }
        out.executed = self.states.executed - executed;
    }

    /// All edges; those that are not free cost one.
    pub(crate) fn all_edges(&mut self, node: Node) -> Edges {
        let last = self.nodes[node.0 as usize].last;
        let mut out = self.free_edges(node);
        if out.can_be_preempted {
            self.put_edges_after_preemption(node, &mut out);
            for edge in &mut out.edges {
                edge.counted = edge.thread.is_some_and(|thread| Last::Thread(thread) != last);
            }
        }
        out
    }

    /// The edges from the state of a node, whoever ran last.
    pub(crate) fn put_edges_after_preemption(&mut self, node: Node, out: &mut Edges) {
        let executed = self.begin(out);
        self.put_everybodys(node, out);
        out.executed = self.states.executed - executed;
    }

    /// The edges of one thread's steps, if they may stand for those of all: see [`youngest`]. Whether
    /// there is such a thread.
    pub(crate) fn put_ample_edges(&mut self, node: Node, out: &mut Edges) -> bool {
        let state = self.state_of(node);
        self.states.load(state);
        let threads = self.states.machine.thread_count(&self.states.bytes);
        let executed = self.begin(out);
        let mut own = 0..0;
        let Ok(chosen) = youngest::<Infallible>(threads, |thread| {
            if !self.states.machine.is_safe(&self.states.bytes, thread) {
                return Ok(None);
            }
            // What was executed for a thread that is not chosen does not count.
            self.states.executed = executed;
            own = self.states.own_of_loaded(state, thread);
            let mut steps = OwnSteps::default();
            own.clone().for_each(|index| steps.add(self.leads_to_path(index)));
            Ok(Some(steps))
        });
        if chosen.is_none() {
            self.states.executed = executed;
            return false;
        }
        self.put_transitions(own, out);
        out.faults.extend(self.states.faults(state).iter().cloned());
        out.executed = self.states.executed - executed;
        true
    }

    /// Whether a transition leads back to the path; `None` if it cannot be completed.
    fn leads_to_path(&self, index: usize) -> Option<bool> {
        let to = self.states.transition(index).to()?;
        Some(self.places.get(to.0 as usize).is_some_and(|place| place.on_path > 0))
    }

    fn begin(&self, out: &mut Edges) -> u64 {
        out.edges.clear();
        out.faults.clear();
        out.can_be_preempted = false;
        self.states.executed
    }

    fn put_transitions(&mut self, range: Range<usize>, out: &mut Edges) {
        for index in range {
            let transition = self.states.transition(index);
            out.edges.extend(self.edge(&transition));
        }
    }

    fn put_everybodys(&mut self, node: Node, out: &mut Edges) {
        let state = self.state_of(node);
        let (mut range, mut next) = self.states.all(state);
        loop {
            self.put_transitions(range, out);
            if next.is_none() {
                break;
            }
            (range, next) = self.states.part_after(next);
        }
        out.faults.extend(self.states.faults(state).iter().cloned());
    }

    fn put_claims(&mut self, node: Node, out: &mut Edges) {
        let (moves, faults) = self.states.stutter(self.state_of(node));
        out.edges.extend(moves.iter().filter_map(|transition| self.edge(transition)));
        out.faults.extend(faults);
    }

    fn put_own(&mut self, node: Node, thread: ThreadId, out: &mut Edges) {
        let state = self.state_of(node);
        let mut goes_on = false;
        for index in self.states.own_transitions(state, thread) {
            let transition = self.states.transition(index);
            if transition.thread() == Some(thread) {
                goes_on = true;
                out.edges.extend(self.edge(&transition));
            }
        }
        // Without a bound nobody counts as the one that ran last.
        let cost = self.rules.cost.unwrap_or_default();
        // Where a switch away from a blocked thread counts, nobody else's steps are looked at in this layer.
        if !goes_on && cost.of_leaving(SwitchReason::Blocked) > 0 && self.states.check_end(state) {
            // The claim's moves are no thread's: they are no switch.
            self.put_everybodys(node, out);
            return;
        }
        let mine = |faulty: &&Faulty| faulty.thread.is_none_or(|of| of == thread);
        out.faults.extend(self.states.faults(state).iter().filter(mine).cloned());
        // Of a blocked thread nothing else matters.
        if goes_on {
            self.states.load(state);
        }
        if self.leaving.cost(cost, self.states.machine, &self.states.bytes, thread, goes_on) == 0 {
            let to = self.node(state, Last::Anybody);
            out.edges.push(Edge { to, thread: None, arrival: None, counted: false });
        } else {
            out.can_be_preempted = !goes_on || !self.is_pointless_to_preempt(node, thread);
        }
    }

    /// Whether the next steps of the thread that ran last may come first in any case: see [`selvedge_machine::Hints::is_local`]. Going
    /// round in local steps could put the others off for ever.
    fn is_pointless_to_preempt(&mut self, node: Node, thread: ThreadId) -> bool {
        if !self.rules.reduction {
            return false;
        }
        self.states.load(self.state_of(node));
        self.leaving.is_pointless(self.states.machine, &self.states.bytes, thread)
    }

    fn edge(&mut self, transition: &Transition) -> Option<Edge> {
        let to = self.node(transition.to()?, transition.last());
        let arrival = Some((transition.number, transition.steps));
        Some(Edge { to, thread: transition.thread(), arrival, counted: false })
    }

    /// Why the search must stop, if something that was asked could not be answered completely.
    pub(super) fn stopped(&self) -> Option<StopReason> {
        self.stop.or_else(|| self.states.stopped())
    }

    /// Looks at the limits once in a while; whether to stop.
    pub(super) fn look_around(&mut self) -> bool {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.countdown = CHECK_EVERY;
            self.stop = self.stop.or_else(|| self.budget.check_growing(self.reached, self.bytes(), self.growth()));
        }
        self.stop.is_some()
    }

    /// A run to a node and on along an arrival of a thread from it, up to the step that has the fault.
    pub(crate) fn with_fault(&mut self, path: Path, node: Node, faulty: &Faulty) -> Path {
        let fault = &faulty.fault;
        let has_it = |buffer: &selvedge_machine::Steps, step: &selvedge_machine::Step| {
            buffer.faults[step.faults.clone()].contains(fault)
        };
        let mut path = Some(path);
        self.states.find_arrival(
            self.start(node),
            faulty.thread,
            &|arrival, _| arrival.steps().any(|(buffer, step)| has_it(buffer, step)),
            &mut |arrival| path = path.take().map(|path| extended(path, &arrival, fault)),
        );
        path.unwrap_or_default()
    }

    /// Appends the steps of an edge to a run.
    pub(super) fn follow(&mut self, path: &mut Path, from: Node, edge: &Edge) {
        if let Some((number, _)) = edge.arrival {
            self.states.find_arrival(self.start(from), edge.thread, &|_, this| this == number, &mut |arrival| {
                path.steps.extend(arrival.to_path())
            });
        }
    }

    fn start(&self, node: Node) -> (StateNo, Turn) {
        (self.state_of(node), if self.is_stutter(node) { Turn::Stutter } else { Turn::Any })
    }

    pub(crate) fn initial_path(&self) -> Path {
        let mut path = Path::default();
        self.states.machine.initial(&mut path.initial);
        path
    }
}
