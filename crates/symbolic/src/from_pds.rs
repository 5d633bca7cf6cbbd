//! A `.pds` file as a Boolean program, so that every analysis can read it: the shared state in bits, a procedure for each
//! symbol that is pushed on top of another, a node for each symbol that can be on top of its stack.

use std::collections::BTreeMap;

use selvedge_boolprog::concretize::Move;
use selvedge_boolprog::program::{
    BinOp, Edge, EdgeId, Expr, Global, GlobalId, Initial, Node, NodeId, Op, ProcId, Procedure, Program, Target, Thread,
    VarId,
};
use selvedge_nets_syntax::pds::{Pds, StateId, SymbolId};
use selvedge_source::Span;

/// The program of a file, and which rule an edge stands for.
pub struct Converted {
    /// The program.
    pub program: Program,
    /// By edge: thread and number of the rule.
    rules: BTreeMap<EdgeId, (usize, usize)>,
    states: usize,
}

impl Converted {
    /// The rules of a run.
    pub fn rules(&self, moves: &[Move]) -> Vec<(usize, usize)> {
        moves.iter().filter_map(|step| self.rules.get(&step.edge).copied()).collect()
    }

    /// The state of the file that a shared state of the program stands for.
    pub fn state(&self, shared: &[bool]) -> Option<StateId> {
        let number = shared.iter().enumerate().fold(0, |all, (bit, value)| all | usize::from(*value) << bit);
        (number < self.states).then_some(StateId(number as u32))
    }
}

struct Converter<'p> {
    pds: &'p Pds,
    program: Program,
    rules: BTreeMap<EdgeId, (usize, usize)>,
    /// Procedures by thread and first symbol, and those whose nodes are to be made.
    procedures: BTreeMap<(usize, SymbolId), ProcId>,
    pending: Vec<(usize, SymbolId)>,
}

/// Converts a file.
pub fn convert(pds: &Pds) -> Converted {
    let bits = usize::BITS - pds.states.len().saturating_sub(1).leading_zeros();
    let span = pds.threads[0].span;
    let global =
        |bit: u32| Global { name: format!("state{bit}"), span, initial: Initial::Value(pds.initial.0 >> bit & 1 == 1) };
    let program = Program { globals: (0..bits).map(global).collect(), ..Program::default() };
    let (rules, procedures, pending) = Default::default();
    let mut converter = Converter { pds, program, rules, procedures, pending };
    for (thread, given) in pds.threads.iter().enumerate() {
        let procedure = converter.procedure(thread, given.entry);
        converter.program.threads.push(Thread { name: given.name.clone(), procedure });
    }
    while let Some((thread, first)) = converter.pending.pop() {
        converter.body(thread, first);
    }
    converter.bad_start();
    Converted { program: converter.program, rules: converter.rules, states: pds.states.len() }
}

impl Converter<'_> {
    fn is_target(&self, state: StateId) -> bool {
        self.pds.targets.iter().any(|(target, _)| *target == state)
    }

    /// The procedure that starts with a symbol on top of its part of the stack.
    fn procedure(&mut self, thread: usize, first: SymbolId) -> ProcId {
        if let Some(known) = self.procedures.get(&(thread, first)) {
            return *known;
        }
        let id = ProcId::new(self.program.procedures.len());
        let span = self.pds.threads[thread].span;
        let entry = self.node(id, span, false);
        let exit = self.node(id, span, false);
        self.program.nodes[exit.index()].end = true;
        self.program.procedures.push(Procedure {
            name: format!("{}.{}", self.pds.threads[thread].name, self.pds.threads[thread].symbols[first.0 as usize]),
            span,
            atomic: false,
            locals: Vec::new(),
            parameters: 0,
            results: 0,
            entry,
            exit,
            nodes: Vec::new(),
        });
        self.procedures.insert((thread, first), id);
        self.pending.push((thread, first));
        id
    }

    fn node(&mut self, procedure: ProcId, span: Span, atomic: bool) -> NodeId {
        self.program.nodes.push(Node { procedure, span, atomic, end: false, edges: Vec::new() });
        NodeId::new(self.program.nodes.len() - 1)
    }

    fn edge(&mut self, from: NodeId, to: NodeId, op: Op, span: Span) -> EdgeId {
        let id = EdgeId::new(self.program.edges.len());
        self.program.edges.push(Edge { from, to, op, choices: 0, span, note: None });
        self.program.nodes[from.index()].edges.push(id);
        id
    }

    /// In one state, go to another.
    fn change(&self, from: StateId, to: StateId) -> Op {
        let vars: Vec<VarId> = (0..self.program.globals.len()).map(|bit| VarId::Global(GlobalId::new(bit))).collect();
        let bit = |state: StateId, place: usize| state.0 >> place & 1 == 1;
        let values = (0..vars.len()).map(|place| Expr::Const(bit(to, place))).collect();
        let holds = vars.iter().enumerate().map(|(place, var)| match bit(from, place) {
            true => Expr::Var(*var),
            false => Expr::Not(Box::new(Expr::Var(*var))),
        });
        let constrain = holds.reduce(|a, b| Expr::Binary(BinOp::And, Box::new(a), Box::new(b)));
        Op::Assign { targets: vars, values, constrain }
    }

    /// The nodes and edges of a procedure.
    fn body(&mut self, thread: usize, first: SymbolId) {
        let id = self.procedures[&(thread, first)];
        let (entry, exit) = (self.program.procedure(id).entry, self.program.procedure(id).exit);
        let start = self.program.nodes.len();
        let mut places = BTreeMap::from([(first, entry)]);
        let mut work = vec![first];
        let mut error = None;
        while let Some(top) = work.pop() {
            let from = places[&top];
            let rules = self.pds.threads[thread].rules.clone();
            for (number, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.top == top) {
                let mut place = |converter: &mut Self, symbol: SymbolId| {
                    *places.entry(symbol).or_insert_with(|| {
                        work.push(symbol);
                        converter.node(id, rule.span, false)
                    })
                };
                let change = self.change(rule.from, rule.to);
                if self.is_target(rule.to) {
                    let to = *error.get_or_insert_with(|| self.node(id, rule.span, true));
                    let edge = self.edge(from, to, change, rule.span);
                    self.rules.insert(edge, (thread, number));
                    continue;
                }
                let to = match rule.push.as_slice() {
                    [only] => place(self, *only),
                    _ => self.node(id, rule.span, true),
                };
                let edge = self.edge(from, to, change, rule.span);
                self.rules.insert(edge, (thread, number));
                match rule.push.as_slice() {
                    [] => {
                        self.edge(to, exit, Op::Return { values: Vec::new() }, rule.span);
                    }
                    [above, below] => {
                        let back = place(self, *below);
                        let procedure = self.procedure(thread, *above);
                        let call = Op::Call { procedure, args: Vec::new(), targets: Vec::new() };
                        self.edge(to, back, call, rule.span);
                    }
                    _ => {}
                }
            }
        }
        let own = (start..self.program.nodes.len()).map(NodeId::new).filter(|n| self.program.node(*n).procedure == id);
        let nodes = std::iter::once(entry).chain(own.collect::<Vec<_>>()).chain([exit]).collect();
        self.program.procedures[id.index()].nodes = nodes;
        if let Some(node) = error {
            self.forbid(node);
        }
    }

    fn forbid(&mut self, node: NodeId) {
        let span = self.program.node(node).span;
        self.program.targets.push(Target { node, label: "target".to_owned(), span });
    }

    /// If the initial state is a target, the first thread starts where no run may come.
    fn bad_start(&mut self) {
        if self.is_target(self.pds.initial) {
            let entry = self.program.procedure(self.program.threads[0].procedure).entry;
            self.forbid(entry);
        }
    }
}
