//! One function as a graph, the borders of atomic sections still in it. Statements are translated
//! back to front: where a statement continues is known when it is reached. A `goto` without a label of
//! its own is no step: whatever leads to it leads to its target.

use std::collections::HashMap;

use selvedge_source::Span;

use super::expr::{Scope, Translator};
use crate::program::{Expr, LocalId, Op, VarId};
use selvedge_boolprog_syntax::ast::{self, ExprKind, Function, Initializer, Name, Stmt, StmtKind, walk};
use selvedge_boolprog_syntax::dialect::Dialect;

/// Index of a node in its [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place(pub usize);

/// A node.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceInfo {
    pub span: Span,
    /// Atomic wherever it stands: between a step and the condition that `enforce` puts behind it.
    pub always_atomic: bool,
    /// A thread may stay here for ever.
    pub end: bool,
}

/// What an edge does; procedures are positions in [`ast::Program::functions`].
#[derive(Clone, Debug)]
pub(super) enum Action {
    Plain(Op),
    Call { function: usize, args: Vec<Expr>, targets: Vec<Option<VarId>> },
    Start { function: usize, args: Vec<Expr> },
    StartAt(Place),
    AtomicBegin,
    AtomicEnd,
}

/// An edge.
#[derive(Clone, Debug)]
pub(super) struct Arc {
    pub from: Place,
    pub to: Place,
    pub action: Action,
    pub choices: u32,
    pub span: Span,
    pub note: Option<String>,
}

/// A function as a graph.
pub(super) struct Graph {
    pub places: Vec<PlaceInfo>,
    pub arcs: Vec<Arc>,
    /// For each place, the positions of the edges that leave it.
    leaving: Vec<Vec<usize>>,
    pub entry: Place,
    pub exit: Place,
    /// Where the function ends without a `return`.
    pub fall: Place,
    pub labels: Vec<(Name, Place)>,
}

impl Graph {
    /// The graph of a function; if `stops_at` is given, it returns at the label of that name.
    pub(super) fn of(program: &ast::Program, function: &Function, assertions: bool, stops_at: Option<&str>) -> Graph {
        let scope = Scope::new(program, function);
        let mut builder = Builder::new(program, function, &scope, assertions);
        let entry = builder.function();
        let mut graph = builder.graph;
        graph.entry = entry;
        let stop = stops_at.and_then(|label| graph.labels.iter().find(|(name, _)| name.text == label));
        if let Some((name, place)) = stop {
            let (span, place) = (name.span, *place);
            graph.arcs.retain(|arc| arc.from != place);
            let action = Action::Plain(Op::Return { values: Vec::new() });
            graph.arcs.push(Arc { from: place, to: graph.exit, action, choices: 0, span, note: None });
        }
        graph.leaving = vec![Vec::new(); graph.places.len()];
        for (position, arc) in graph.arcs.iter().enumerate() {
            graph.leaving[arc.from.0].push(position);
        }
        graph
    }

    /// The edges that leave a place.
    pub(super) fn leaving(&self, place: Place) -> impl Iterator<Item = &Arc> {
        self.leaving[place.0].iter().map(|position| &self.arcs[*position])
    }
}

struct Builder<'a, 's> {
    program: &'a ast::Program,
    function: &'a Function,
    scope: &'s Scope<'a>,
    assertions: bool,
    graph: Graph,
    labels: HashMap<&'a str, Place>,
    dead: Option<Place>,
}

impl<'a, 's> Builder<'a, 's> {
    fn new(program: &'a ast::Program, function: &'a Function, scope: &'s Scope<'a>, assertions: bool) -> Self {
        let place = |end| PlaceInfo { span: function.end, always_atomic: false, end };
        let graph = Graph {
            places: vec![place(true), place(false)],
            arcs: Vec::new(),
            leaving: Vec::new(),
            entry: Place(1),
            exit: Place(0),
            fall: Place(1),
            labels: Vec::new(),
        };
        Builder { program, function, scope, assertions, graph, labels: HashMap::new(), dead: None }
    }

    fn place(&mut self, span: Span) -> Place {
        self.graph.places.push(PlaceInfo { span, always_atomic: false, end: false });
        Place(self.graph.places.len() - 1)
    }

    /// Adds an edge, and the condition of `enforce` behind it.
    fn arc(&mut self, from: Place, to: Place, action: Action, choices: u32, span: Span, note: Option<String>) {
        let leaves = matches!(action, Action::Plain(Op::Return { .. } | Op::EndThread));
        let enforce = self.function.enforce.as_ref().filter(|_| !leaves);
        let Some(condition) = enforce else {
            self.graph.arcs.push(Arc { from, to, action, choices, span, note });
            return;
        };
        let between = self.place(condition.span);
        self.graph.places[between.0].always_atomic = true;
        self.graph.arcs.push(Arc { from, to: between, action, choices, span, note });
        self.enforce(between, to, condition);
    }

    fn enforce(&mut self, from: Place, to: Place, condition: &ast::Expr) {
        let mut translator = Translator::new(self.scope);
        let action = Action::Plain(Op::Assume(translator.expr(condition)));
        let (choices, note) = (translator.choices, Some("enforce".to_owned()));
        self.graph.arcs.push(Arc { from, to, action, choices, span: condition.span, note });
    }

    /// The whole function; where it starts.
    fn function(&mut self) -> Place {
        walk(&self.function.body, &mut |statement: &'a Stmt| {
            if !statement.labels.is_empty() {
                let place = self.place(statement.span);
                for label in &statement.labels {
                    self.labels.insert(&label.text, place);
                    self.graph.labels.push((label.clone(), place));
                }
            }
        });
        let fall = self.graph.fall;
        let mut translator = Translator::new(self.scope);
        let values = (0..self.function.results).map(|_| translator.nondet()).collect();
        let (exit, choices) = (self.graph.exit, translator.choices);
        self.arc(fall, exit, Action::Plain(Op::Return { values }), choices, self.function.end, None);
        let body = self.block(&self.function.body, fall);
        let start = self.initial_values(body);
        match &self.function.enforce {
            None => start,
            Some(condition) => {
                let entry = self.place(self.function.name.span);
                self.enforce(entry, start, condition);
                entry
            }
        }
    }

    /// The values that locals are declared with.
    fn initial_values(&mut self, body: Place) -> Place {
        let parameters = self.function.parameters.len();
        let mut targets = Vec::new();
        let mut values = Vec::new();
        let mut span: Option<Span> = None;
        for (index, local) in self.function.locals.iter().enumerate() {
            if let Some(Initializer::Value(value)) = local.initial {
                targets.push(VarId::Local(LocalId::new(parameters + index)));
                values.push(Expr::Const(value));
                span = Some(span.map_or(local.name.span, |span| span.to(local.name.span)));
            }
        }
        let Some(span) = span else { return body };
        let start = self.place(span);
        let action = Action::Plain(Op::Assign { targets, values, constrain: None });
        self.arc(start, body, action, 0, span, Some("initial values".to_owned()));
        start
    }

    /// Statements that go on at `next`; where they start.
    fn block(&mut self, statements: &'a [Stmt], next: Place) -> Place {
        statements.iter().rev().fold(next, |next, statement| self.statement(statement, next))
    }

    fn statement(&mut self, statement: &'a Stmt, next: Place) -> Place {
        let labelled = statement.labels.first().map(|label| self.labels[label.text.as_str()]);
        if let (None, StmtKind::Goto(targets)) = (labelled, &statement.kind)
            && let [target] = targets.as_slice()
        {
            return self.labels[target.text.as_str()];
        }
        let place = labelled.unwrap_or_else(|| self.place(statement.span));
        match &statement.kind {
            StmtKind::If { branches, otherwise } => {
                let mut place = place;
                let last = match otherwise {
                    Some(body) => self.block(body, next),
                    None => next,
                };
                for (index, branch) in branches.iter().enumerate() {
                    let body = self.block(&branch.body, next);
                    let more = index + 1 < branches.len();
                    let otherwise = if more { self.place(branches[index + 1].span) } else { last };
                    self.branch(place, &branch.condition, branch.span, body, otherwise);
                    place = otherwise;
                }
            }
            StmtKind::While { condition, body } => {
                let body = self.block(body, place);
                self.branch(place, condition, statement.span, body, next);
            }
            StmtKind::Goto(targets) => {
                let several = targets.len() > 1;
                for target in targets {
                    let to = self.labels[target.text.as_str()];
                    let note = several.then(|| format!("to {}", target.text));
                    self.arc(place, to, Action::Plain(Op::Skip), 0, statement.span, note);
                }
            }
            _ => self.simple(statement, place, next),
        }
        place
    }

    /// Two edges: one that can be taken if the condition may be true, one if it may be false.
    fn branch(&mut self, from: Place, condition: &ast::Expr, span: Span, then: Place, otherwise: Place) {
        for (wanted, to) in [(true, then), (false, otherwise)] {
            let mut translator = Translator::new(self.scope);
            let op = match &condition.kind {
                ExprKind::Star => Op::Skip,
                ExprKind::Const(value) if *value == wanted => Op::Skip,
                ExprKind::Const(_) => continue,
                _ if wanted => Op::Assume(translator.expr(condition)),
                _ => Op::Assume(Expr::Not(Box::new(translator.expr(condition)))),
            };
            let note = (!wanted).then(|| "no".to_owned());
            self.arc(from, to, Action::Plain(op), translator.choices, span, note);
        }
    }

    fn simple(&mut self, statement: &'a Stmt, from: Place, next: Place) {
        let mut translator = Translator::new(self.scope);
        let mut to = next;
        let action = match &statement.kind {
            StmtKind::Assign { targets, values, constrain } => {
                let values = translator.exprs(values);
                let constrain = constrain.as_ref().map(|condition| translator.expr(condition));
                let kept = targets.iter().zip(values).filter_map(|(target, value)| Some((target.as_ref()?, value)));
                let (targets, values) = kept.map(|(name, value)| (self.scope.variable(&name.text), value)).unzip();
                Action::Plain(Op::Assign { targets, values, constrain })
            }
            StmtKind::Call { targets, callee, args } => {
                let function = self.function_named(callee);
                let mut targets: Vec<Option<VarId>> =
                    targets.iter().map(|name| name.as_ref().map(|name| self.scope.variable(&name.text))).collect();
                targets.resize(self.program.functions[function].results, None);
                Action::Call { function, args: translator.exprs(args), targets }
            }
            StmtKind::Start { callee, args } => {
                Action::Start { function: self.function_named(callee), args: translator.exprs(args) }
            }
            StmtKind::StartGoto(label) => Action::StartAt(self.labels[label.text.as_str()]),
            StmtKind::Return(values) => {
                to = self.graph.exit;
                Action::Plain(Op::Return { values: translator.exprs(values) })
            }
            StmtKind::Assert(condition) => Action::Plain(self.assertion(condition, &mut translator)),
            StmtKind::Assume(condition) => Action::Plain(assumption(condition, &mut translator)),
            StmtKind::AbortIf(condition) => Action::Plain(Op::Assume(Expr::Not(Box::new(translator.expr(condition))))),
            StmtKind::Constrain(condition) => {
                let targets = self.scope.everything();
                let values = targets.iter().map(|_| translator.nondet()).collect();
                let constrain = Some(translator.expr(condition));
                Action::Plain(Op::Assign { targets, values, constrain })
            }
            StmtKind::Dead(names) => {
                let mut targets: Vec<VarId> = names.iter().map(|name| self.scope.variable(&name.text)).collect();
                targets.sort();
                targets.dedup();
                let values = targets.iter().map(|_| translator.nondet()).collect();
                Action::Plain(Op::Assign { targets, values, constrain: None })
            }
            StmtKind::EndThread => {
                to = self.dead_end(statement.span);
                Action::Plain(Op::EndThread)
            }
            StmtKind::AtomicBegin => Action::AtomicBegin,
            StmtKind::AtomicEnd => Action::AtomicEnd,
            StmtKind::Wait => Action::Plain(Op::Wait),
            StmtKind::Broadcast => Action::Plain(Op::Broadcast),
            StmtKind::Skip | StmtKind::Print(_) | StmtKind::Goto(_) | StmtKind::If { .. } | StmtKind::While { .. } => {
                Action::Plain(Op::Skip)
            }
        };
        self.arc(from, to, action, translator.choices, statement.span, None);
    }

    fn assertion(&self, condition: &ast::Expr, translator: &mut Translator<'_, '_>) -> Op {
        match (self.assertions, self.program.dialect) {
            (true, _) => Op::Assert(translator.expr(condition)),
            (false, Dialect::Getafix) => assumption(condition, translator),
            (false, _) => Op::Skip,
        }
    }

    fn function_named(&self, name: &Name) -> usize {
        let found = self.program.functions.iter().position(|function| function.name.text == name.text);
        found.unwrap_or_else(|| unreachable!("the checks know every function, but not `{}`", name.text))
    }

    /// Where threads are that ended themselves.
    fn dead_end(&mut self, span: Span) -> Place {
        let place = match self.dead {
            Some(place) => place,
            None => self.place(span),
        };
        self.graph.places[place.0].end = true;
        self.dead = Some(place);
        place
    }
}

fn assumption(condition: &ast::Expr, translator: &mut Translator<'_, '_>) -> Op {
    match condition.kind {
        ExprKind::Const(true) | ExprKind::Star => Op::Skip,
        _ => Op::Assume(translator.expr(condition)),
    }
}
