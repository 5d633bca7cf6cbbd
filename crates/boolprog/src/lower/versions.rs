//! The versions of the functions that a program needs: a function called inside an atomic section
//! and outside is two procedures. Within a version a place is split by the number of atomic sections
//! that are open there, so that being atomic is a property of the node.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use selvedge_source::{Diagnostic, Diagnostics, Span};

use super::expr::Scope;
use super::graph::{Action, Arc, Graph, Place};
use crate::program::{Edge, EdgeId, Label, Local, Node, NodeId, Op, ProcId, Procedure, Program};
use selvedge_boolprog_syntax::ast;
use selvedge_boolprog_syntax::codes;

/// Atomic sections inside each other.
const NESTING: u32 = 16;

/// A place and how many atomic sections are open.
type Split = (Place, u32);

/// Makes procedures on demand.
pub(super) struct Versions<'a, 'd> {
    source: &'a ast::Program,
    graphs: &'a [Graph],
    found: &'d mut Diagnostics,
    /// Function and whether it is the atomic version.
    known: BTreeMap<(usize, bool), ProcId>,
    wanted: Vec<(usize, bool)>,
    /// Nodes of each function's places.
    nodes: HashMap<(ProcId, Split), NodeId>,
    /// What was made.
    pub program: Program,
}

impl<'a, 'd> Versions<'a, 'd> {
    /// None yet.
    pub(super) fn new(source: &'a ast::Program, graphs: &'a [Graph], found: &'d mut Diagnostics) -> Self {
        let program = Program::default();
        let (known, wanted, nodes) = (BTreeMap::new(), Vec::new(), HashMap::new());
        Versions { source, graphs, found, known, wanted, nodes, program }
    }

    /// The procedure for a function; it is made later.
    pub(super) fn want(&mut self, function: usize, atomic: bool) -> ProcId {
        let next = ProcId::new(self.known.len());
        let id = *self.known.entry((function, atomic)).or_insert(next);
        if id == next {
            self.wanted.push((function, atomic));
        }
        id
    }

    /// Makes everything that is wanted, and what that wants.
    pub(crate) fn make_all(&mut self) {
        let mut done = 0;
        while done < self.wanted.len() {
            let (function, atomic) = self.wanted[done];
            self.make(function, atomic);
            done += 1;
        }
        self.resolve_starts();
        self.labels();
    }

    fn make(&mut self, function: usize, atomic: bool) {
        let graph = &self.graphs[function];
        let id = self.known[&(function, atomic)];
        let splits = self.reachable(graph, atomic);
        let order = in_order(graph, &splits);
        for split in &order {
            let info = graph.places[split.0.0];
            let node = NodeId::new(self.program.nodes.len());
            self.nodes.insert((id, *split), node);
            self.program.nodes.push(Node {
                procedure: id,
                span: info.span,
                atomic: !info.end_of_thread(split.0, graph) && (atomic || split.1 > 0 || info.always_atomic),
                end: info.end,
                edges: Vec::new(),
            });
        }
        self.declare(function, atomic, &order);
        for split in &order {
            for arc in graph.leaving(split.0) {
                self.edge(id, arc, split.1, atomic);
            }
        }
    }

    fn declare(&mut self, function: usize, atomic: bool, order: &[Split]) {
        let source = &self.source.functions[function];
        let graph = &self.graphs[function];
        let id = self.known[&(function, atomic)];
        let node = |split: &Split| self.nodes[&(id, *split)];
        let scope = Scope::new(self.source, source);
        let procedure = Procedure {
            name: source.name.text.clone(),
            span: source.name.span,
            atomic,
            locals: scope.locals().map(|name| Local { name: name.text.clone(), span: name.span }).collect(),
            parameters: source.parameters.len(),
            results: source.results,
            entry: node(&(graph.entry, 0)),
            exit: node(&(graph.exit, 0)),
            nodes: order.iter().map(node).collect(),
        };
        if source.results > 0 && order.iter().any(|(place, _)| *place == graph.fall) {
            let message = format!("`{}` may end without a `return`: its results are then arbitrary", source.name.text);
            self.found.push(Diagnostic::warning(codes::NO_RETURN, source.end, message));
        }
        self.program.procedures.push(procedure);
    }

    /// Every place that control can reach, with the atomic sections open there.
    fn reachable(&mut self, graph: &Graph, atomic: bool) -> BTreeSet<Split> {
        let mut seen = BTreeSet::from([(graph.entry, 0), (graph.exit, 0)]);
        if !atomic {
            // Threads that start at a label are outside of atomic sections there.
            seen.extend(graph.arcs.iter().filter_map(|arc| match arc.action {
                Action::StartAt(place) => Some((place, 0)),
                _ => None,
            }));
        }
        let mut work: Vec<Split> = seen.iter().copied().collect();
        while let Some((place, open)) = work.pop() {
            for arc in graph.leaving(place) {
                if let Some(to) = self.follow(graph, arc, open)
                    && seen.insert(to)
                {
                    work.push(to);
                }
            }
        }
        seen
    }

    /// Where an edge leads; `None` with a complaint if atomic sections do not fit.
    fn follow(&mut self, graph: &Graph, arc: &Arc, open: u32) -> Option<Split> {
        let wrong = |found: &mut Diagnostics, span: Span, message: &str, help: &str| {
            found.push(Diagnostic::error(codes::ATOMIC_UNBALANCED, span, message).help(help));
            None
        };
        match &arc.action {
            Action::AtomicBegin if open == NESTING => wrong(
                self.found,
                arc.span,
                "atomic sections are nested too deeply here",
                "an `atomic_begin` inside a loop needs its `atomic_end` in the same loop",
            ),
            Action::AtomicBegin => Some((arc.to, open + 1)),
            Action::AtomicEnd if open == 0 => wrong(
                self.found,
                arc.span,
                "no atomic section that began in this function ends here",
                "every path to an `atomic_end` must pass its `atomic_begin` in the same function",
            ),
            Action::AtomicEnd => Some((arc.to, open - 1)),
            Action::Plain(Op::EndThread) => Some((arc.to, 0)),
            _ if arc.to == graph.exit && open > 0 => wrong(
                self.found,
                arc.span,
                "the function returns inside an atomic section",
                "end it with `atomic_end` first",
            ),
            _ => Some((arc.to, open)),
        }
    }

    fn edge(&mut self, id: ProcId, arc: &Arc, open: u32, atomic: bool) {
        let from = self.nodes[&(id, (arc.from, open))];
        let Some(to) = self.follow(&self.graphs[self.function_of(id)], arc, open) else { return };
        let inside = atomic || open > 0;
        let op = match &arc.action {
            Action::Plain(op) => op.clone(),
            Action::AtomicBegin | Action::AtomicEnd => Op::Skip,
            Action::Call { function, args, targets } => {
                let procedure = self.want(*function, inside);
                Op::Call { procedure, args: args.clone(), targets: targets.clone() }
            }
            Action::Start { function, args } => {
                Op::Start { procedure: self.want(*function, false), args: args.clone() }
            }
            Action::StartAt(place) => {
                self.want(self.function_of(id), false);
                // The place's number until all nodes are known.
                Op::StartAt(NodeId::new(place.0))
            }
        };
        let edge = EdgeId::new(self.program.edges.len());
        self.program.nodes[from.index()].edges.push(edge);
        self.program.edges.push(Edge {
            from,
            to: self.nodes[&(id, to)],
            op,
            choices: arc.choices,
            span: arc.span,
            note: arc.note.clone(),
        });
    }

    fn function_of(&self, id: ProcId) -> usize {
        self.wanted[id.index()].0
    }

    fn resolve_starts(&mut self) {
        for index in 0..self.program.edges.len() {
            let Op::StartAt(place) = self.program.edges[index].op else { continue };
            let from = self.program.edges[index].from;
            let function = self.function_of(self.program.node(from).procedure);
            let outside = self.known[&(function, false)];
            let node = self.nodes[&(outside, (Place(place.index()), 0))];
            self.program.edges[index].op = Op::StartAt(node);
        }
    }

    fn labels(&mut self) {
        for (function, graph) in self.graphs.iter().enumerate() {
            for (name, place) in &graph.labels {
                let versions = [false, true].iter().filter_map(|atomic| self.known.get(&(function, *atomic)));
                let splits = versions.flat_map(|id| (0..=NESTING).map(|open| (*id, (*place, open))));
                let mut nodes: Vec<NodeId> = splits.filter_map(|split| self.nodes.get(&split).copied()).collect();
                nodes.sort();
                let function = self.source.functions[function].name.text.clone();
                self.program.labels.push(Label { name: name.text.clone(), function, nodes, span: name.span });
            }
        }
    }
}

impl super::graph::PlaceInfo {
    /// Whether a thread that is here has ended (not: will return).
    fn end_of_thread(&self, place: Place, graph: &Graph) -> bool {
        self.end && place != graph.exit
    }
}

/// The entry first, the exit last, the others in the order of the text.
fn in_order(graph: &Graph, splits: &BTreeSet<Split>) -> Vec<Split> {
    let mut order: Vec<Split> = splits.iter().copied().collect();
    order.sort_by_key(|(place, open)| {
        let rank = if *place == graph.exit {
            2
        } else if (*place, *open) == (graph.entry, 0) {
            0
        } else {
            1
        };
        (rank, graph.places[place.0].span.start, place.0, *open)
    });
    order
}
