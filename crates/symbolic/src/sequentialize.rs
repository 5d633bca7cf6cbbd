//! The reduction from a concurrent to a sequential program as source (\[LR\] Section 2.1, Figure 1): prints a
//! program without threads that any checker of sequential Boolean programs can run.
//!
//! * Each global x becomes x__1 … x__K, one for each context; `ctx__c` says which context is running, `done__` that a
//!   thread has spent all of them. A statement is written once for each context.
//! * Where a switch is possible a context may end. A thread whose contexts are spent returns from all its
//!   procedures, and the next one starts.
//! * What x__2 … x__K hold at the start is guessed and kept in x__2__guess …; in the end, what the last thread left
//!   in x__c must be what was guessed for context c+1.
//! * A violation sets `err__c` and ends its thread. Only behind the check is it one: `assert` there. The shared
//!   states at the label `checked__`, in context K and without an error, are those of the concurrent program.

use selvedge_boolprog::program::{BinOp, Edge, Expr as Lowered, Initial, NodeId, Op, ProcId, Program, VarId};
use selvedge_boolprog_syntax::ast::{
    self, Branch, Expr, ExprKind, Function, Initializer, NOWHERE, Name, Stmt, StmtKind, Variable,
};
use selvedge_boolprog_syntax::dialect::Dialect;

use crate::flow::Flow;

/// The label behind the check.
pub const CHECKED: &str = "checked__";

/// The sequential program for so many rounds.
pub fn sequentialize(program: &Program, rounds: usize) -> ast::Program {
    let writer = Writer { program, flow: Flow::new(program), rounds, mark: mark(program) };
    let mut globals = writer.globals();
    globals.extend(writer.control());
    let mut functions: Vec<Function> = (0..program.procedures.len()).map(|p| writer.function(ProcId::new(p))).collect();
    functions.push(writer.main());
    ast::Program { dialect: Dialect::Getafix, globals, functions }
}

/// The variable that holds global number `global` of context `context` (from 1) in the sequential program.
pub fn copy_name(program: &Program, global: usize, context: usize) -> String {
    format!("{}{}{context}", program.globals[global].name, mark(program))
}

/// Underscores enough to make new names of old ones.
fn mark(program: &Program) -> String {
    let globals = program.globals.iter().map(|g| &g.name);
    let locals = program.procedures.iter().flat_map(|p| p.locals.iter().map(|l| &l.name));
    let longest = |name: &String| name.split(|c| c != '_').map(str::len).max().unwrap_or(0);
    let labels = program.procedures.iter().map(|p| &p.name);
    let most = globals.chain(locals).chain(labels).map(longest).max().unwrap_or(0);
    "_".repeat(most.max(1) + 1)
}

struct Writer<'p> {
    program: &'p Program,
    flow: Flow,
    rounds: usize,
    mark: String,
}

fn name(text: impl Into<String>) -> Name {
    Name::made(text)
}

fn constant(value: bool) -> Expr {
    Expr::made(ExprKind::Const(value))
}

fn not(e: Expr) -> Expr {
    Expr::made(ExprKind::Not(Box::new(e)))
}

fn binary(op: ast::BinOp, left: Expr, right: Expr) -> Expr {
    Expr::made(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

fn any(list: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    list.into_iter().reduce(|left, right| binary(ast::BinOp::Or, left, right))
}

fn assign(pairs: Vec<(String, Expr)>) -> Stmt {
    let (targets, values) = pairs.into_iter().map(|(target, value)| (Some(name(target)), value)).unzip();
    Stmt::made(StmtKind::Assign { targets, values, constrain: None })
}

fn goto(labels: Vec<String>) -> Stmt {
    Stmt::made(StmtKind::Goto(labels.into_iter().map(name).collect()))
}

fn labelled(label: String, mut statement: Stmt) -> Stmt {
    statement.labels.push(name(label));
    statement
}

fn when(condition: Expr, body: Vec<Stmt>) -> Stmt {
    let branches = vec![Branch { condition, span: NOWHERE, body }];
    Stmt::made(StmtKind::If { branches, otherwise: None })
}

fn variable(text: String, initial: Option<bool>) -> Variable {
    Variable { name: name(text), initial: initial.map(Initializer::Value) }
}

impl Writer<'_> {
    fn copy(&self, global: usize, context: usize) -> String {
        format!("{}{}{context}", self.program.globals[global].name, self.mark)
    }

    fn guess(&self, global: usize, context: usize) -> String {
        format!("{}{}guess", self.copy(global, context), self.mark)
    }

    fn numbered(&self, what: &str, number: usize) -> String {
        format!("{what}{}{number}", self.mark)
    }

    fn done(&self) -> String {
        format!("done{}", self.mark)
    }

    fn node(&self, node: NodeId) -> String {
        format!("n{}{}", self.mark, node.0)
    }

    fn function_name(&self, procedure: ProcId) -> String {
        let Some(plain) = self.program.procedures.get(procedure.index()) else { return String::new() };
        let atomic = if plain.atomic { "atomic" } else { "" };
        format!("run{}{}{}{atomic}", self.mark, plain.name, self.mark)
    }

    fn contexts(&self) -> std::ops::RangeInclusive<usize> {
        1..=self.rounds
    }

    fn globals(&self) -> Vec<Variable> {
        let mut variables = Vec::new();
        for context in self.contexts() {
            for (index, global) in self.program.globals.iter().enumerate() {
                let initial = match global.initial {
                    Initial::Value(value) if context == 1 => Some(value),
                    _ => None,
                };
                variables.push(variable(self.copy(index, context), initial));
                if context > 1 {
                    variables.push(variable(self.guess(index, context), None));
                }
            }
        }
        variables
    }

    fn control(&self) -> Vec<Variable> {
        let contexts = self.contexts().map(|c| variable(self.numbered("ctx", c), Some(c == 1)));
        let errors = self.contexts().map(|c| variable(self.numbered("err", c), Some(false)));
        let done = variable(self.done(), Some(false));
        let starting = variable(format!("starting{}", self.mark), Some(self.program.init.is_some()));
        contexts.chain(errors).chain([done, starting]).collect()
    }

    fn expr(&self, procedure: ProcId, context: usize, expr: &Lowered) -> Expr {
        let sub = |e: &Lowered| Box::new(self.expr(procedure, context, e));
        let named = |var: VarId| match var {
            VarId::Global(global) => self.copy(global.index(), context),
            VarId::Local(local) => self.local(procedure, local.index()),
        };
        Expr::made(match expr {
            Lowered::Const(value) => ExprKind::Const(*value),
            Lowered::Var(var) => ExprKind::Var(named(*var)),
            Lowered::Next(var) => ExprKind::Next(named(*var)),
            Lowered::Nondet(_) => ExprKind::Star,
            Lowered::Not(inner) => ExprKind::Not(sub(inner)),
            Lowered::If(condition, then, other) => ExprKind::If(sub(condition), sub(then), sub(other)),
            Lowered::Binary(op, left, right) => {
                let op = match op {
                    BinOp::And => ast::BinOp::And,
                    BinOp::Or => ast::BinOp::Or,
                    BinOp::Xor => ast::BinOp::Xor,
                    BinOp::Eq => ast::BinOp::Eq,
                    BinOp::Implies => ast::BinOp::Implies,
                };
                ExprKind::Binary(op, sub(left), sub(right))
            }
        })
    }

    fn local(&self, procedure: ProcId, local: usize) -> String {
        let locals = &self.program.procedure(procedure).locals;
        let text = &locals[local].name;
        match locals.iter().filter(|l| l.name == *text).count() {
            1 => format!("{text}{}", self.mark),
            _ => format!("{text}{}{local}", self.mark),
        }
    }

    fn target(&self, procedure: ProcId, context: usize, var: VarId) -> String {
        match var {
            VarId::Global(global) => self.copy(global.index(), context),
            VarId::Local(local) => self.local(procedure, local.index()),
        }
    }

    /// A statement for each context.
    fn by_context(&self, body: impl Fn(usize) -> Vec<Stmt>) -> Stmt {
        let branch = |c| Branch { condition: Expr::var(self.numbered("ctx", c)), span: NOWHERE, body: body(c) };
        Stmt::made(StmtKind::If { branches: self.contexts().map(branch).collect(), otherwise: None })
    }

    fn leave(&self, procedure: ProcId) -> Stmt {
        let results = self.program.procedure(procedure).results;
        Stmt::made(StmtKind::Return((0..results).map(|_| constant(false)).collect()))
    }

    /// Whether a context may end: no global forbids it, or a violation has happened before.
    fn passable(&self, context: usize) -> Option<Stmt> {
        let flag = self.program.no_switch_while?;
        let errors = (1..=context).map(|c| Expr::var(self.numbered("err", c)));
        let free = not(Expr::var(self.copy(flag.index(), context)));
        any(std::iter::once(free).chain(errors)).map(|e| Stmt::made(StmtKind::Assume(e)))
    }

    fn next_context(&self, context: usize) -> Stmt {
        let next = if context == self.rounds { self.done() } else { self.numbered("ctx", context + 1) };
        assign(vec![(self.numbered("ctx", context), constant(false)), (next, constant(true))])
    }

    /// The thread may end its context here, again and again.
    fn switch(&self, procedure: ProcId) -> Stmt {
        let step = |c: usize| self.passable(c).into_iter().chain([self.next_context(c)]).collect();
        let leaving = when(Expr::var(self.done()), vec![self.leave(procedure)]);
        let starting = Stmt::made(StmtKind::Assume(not(Expr::var(format!("starting{}", self.mark)))));
        let body = vec![starting, self.by_context(step), leaving];
        Stmt::made(StmtKind::While { condition: Expr::made(ExprKind::Star), body })
    }

    /// A violation: noted, and the thread is over.
    fn violation(&self, procedure: ProcId) -> Vec<Stmt> {
        let note = self.by_context(|c| {
            vec![assign(vec![
                (self.numbered("err", c), constant(true)),
                (self.numbered("ctx", c), constant(false)),
                (self.done(), constant(true)),
            ])]
        });
        vec![note, self.leave(procedure)]
    }

    fn function(&self, id: ProcId) -> Function {
        let procedure = self.program.procedure(id);
        let mut body = Vec::new();
        for node in &procedure.nodes {
            body.extend(self.at(id, *node));
        }
        let calls: Vec<ProcId> = self.program.edges_of(id).filter_map(callee).collect();
        let args = calls.iter().map(|p| self.program.procedure(*p).parameters).max().unwrap_or(0);
        let results = calls.iter().map(|p| self.program.procedure(*p).results).max().unwrap_or(0);
        let locals = (procedure.parameters..procedure.locals.len()).map(|l| self.local(id, l));
        let scratch = (0..args).map(|a| self.numbered("arg", a)).chain((0..results).map(|r| self.numbered("got", r)));
        let given = (0..procedure.results).map(|r| self.numbered("give", r));
        Function {
            results: procedure.results,
            name: name(self.function_name(id)),
            parameters: (0..procedure.parameters).map(|l| name(self.local(id, l))).collect(),
            locals: locals.chain(scratch).chain(given).map(|text| variable(text, None)).collect(),
            enforce: None,
            body,
            end: NOWHERE,
        }
    }

    /// What is done at a node.
    fn at(&self, id: ProcId, node: NodeId) -> Vec<Stmt> {
        let here = self.program.node(node);
        let mut statements = vec![labelled(self.node(node), Stmt::made(StmtKind::Skip))];
        if self.flow.target[node.index()] {
            statements.extend(self.violation(id));
            return statements;
        }
        if node == self.program.procedure(id).exit {
            let given = (0..self.program.procedure(id).results).map(|r| Expr::var(self.numbered("give", r)));
            statements.push(Stmt::made(StmtKind::Return(given.collect())));
            return statements;
        }
        if self.flow.switch[node.index()] {
            statements.push(self.switch(id));
        }
        if here.edges.is_empty() {
            statements.push(Stmt::made(StmtKind::Assume(constant(false))));
            return statements;
        }
        let label = |position: usize| format!("{}e{position}", self.node(node));
        statements.push(goto((0..here.edges.len()).map(label).collect()));
        for (position, edge) in here.edges.iter().enumerate() {
            statements.push(labelled(label(position), Stmt::made(StmtKind::Skip)));
            statements.extend(self.edge(id, self.program.edge(*edge)));
            statements.push(goto(vec![self.node(self.program.edge(*edge).to)]));
        }
        statements
    }

    fn edge(&self, id: ProcId, edge: &Edge) -> Vec<Stmt> {
        match &edge.op {
            Op::Skip | Op::EndThread | Op::Start { .. } | Op::StartAt(_) | Op::Wait | Op::Broadcast => Vec::new(),
            Op::Assume(e) => vec![self.by_context(|c| vec![Stmt::made(StmtKind::Assume(self.expr(id, c, e)))])],
            Op::Assert(e) => {
                let holds = vec![self.by_context(|c| vec![Stmt::made(StmtKind::Assume(self.expr(id, c, e)))])];
                let mut fails = vec![self.by_context(|c| vec![Stmt::made(StmtKind::Assume(not(self.expr(id, c, e))))])];
                fails.extend(self.violation(id));
                let branches = vec![Branch { condition: Expr::made(ExprKind::Star), span: NOWHERE, body: holds }];
                vec![Stmt::made(StmtKind::If { branches, otherwise: Some(fails) })]
            }
            // Nothing is assigned: values before and after are the same.
            Op::Assign { targets, constrain, .. } if targets.is_empty() => match constrain {
                Some(e) => {
                    let e = without_next(e);
                    vec![self.by_context(|c| vec![Stmt::made(StmtKind::Assume(self.expr(id, c, &e)))])]
                }
                None => Vec::new(),
            },
            Op::Assign { targets, values, constrain } => vec![self.by_context(|c| {
                let targets = targets.iter().map(|t| Some(name(self.target(id, c, *t)))).collect();
                let values = values.iter().map(|e| self.expr(id, c, e)).collect();
                let constrain = constrain.as_ref().map(|e| self.expr(id, c, e));
                vec![Stmt::made(StmtKind::Assign { targets, values, constrain })]
            })],
            Op::Return { values } => {
                let give =
                    |c| values.iter().enumerate().map(move |(r, e)| (self.numbered("give", r), self.expr(id, c, e)));
                if values.is_empty() { Vec::new() } else { vec![self.by_context(|c| vec![assign(give(c).collect())])] }
            }
            Op::Call { procedure, args, targets } => self.call(id, *procedure, args, targets),
        }
    }

    fn call(&self, id: ProcId, callee: ProcId, args: &[Lowered], targets: &[Option<VarId>]) -> Vec<Stmt> {
        let mut statements = Vec::new();
        if !args.is_empty() {
            let pass = |c| args.iter().enumerate().map(move |(a, e)| (self.numbered("arg", a), self.expr(id, c, e)));
            statements.push(self.by_context(|c| vec![assign(pass(c).collect())]));
        }
        statements.push(Stmt::made(StmtKind::Call {
            targets: (0..targets.len()).map(|r| Some(name(self.numbered("got", r)))).collect(),
            callee: name(self.function_name(callee)),
            args: (0..args.len()).map(|a| Expr::var(self.numbered("arg", a))).collect(),
        }));
        statements.push(when(Expr::var(self.done()), vec![self.leave(id)]));
        let wanted: Vec<(usize, VarId)> = targets.iter().enumerate().filter_map(|(r, t)| Some((r, (*t)?))).collect();
        if !wanted.is_empty() {
            statements.push(self.by_context(|c| {
                let store = wanted.iter().map(|(r, t)| (self.target(id, c, *t), Expr::var(self.numbered("got", *r))));
                vec![assign(store.collect())]
            }));
        }
        statements
    }

    /// Start a procedure with any arguments, results dropped.
    fn start(&self, procedure: ProcId) -> Stmt {
        let called = self.program.procedure(procedure);
        Stmt::made(StmtKind::Call {
            targets: (0..called.results).map(|_| None).collect(),
            callee: name(self.function_name(procedure)),
            args: (0..called.parameters).map(|_| Expr::made(ExprKind::Star)).collect(),
        })
    }

    fn main(&self) -> Function {
        let mut body = Vec::new();
        let globals = 0..self.program.globals.len();
        let copies = |c: usize| globals.clone().map(move |g| (g, c));
        for (g, c) in (2..=self.rounds).flat_map(copies) {
            body.push(assign(vec![(self.guess(g, c), Expr::var(self.copy(g, c)))]));
        }
        if let Some(init) = self.program.init {
            body.push(self.start(init));
            body.extend(self.passable(1));
            body.push(assign(vec![(format!("starting{}", self.mark), constant(false))]));
            body.push(self.first_context());
        }
        for thread in &self.program.threads {
            body.extend(self.start_thread(thread.procedure));
            body.push(when(not(Expr::var(self.done())), self.rest_of_thread()));
            body.push(self.first_context());
        }
        for (g, c) in (1..self.rounds).flat_map(copies) {
            let same = binary(ast::BinOp::Eq, Expr::var(self.copy(g, c)), Expr::var(self.guess(g, c + 1)));
            body.push(Stmt::made(StmtKind::Assume(same)));
        }
        let errors =
            any(self.contexts().map(|c| Expr::var(self.numbered("err", c)))).unwrap_or_else(|| constant(false));
        body.push(Stmt::made(StmtKind::Assert(not(errors))));
        body.push(labelled(CHECKED.to_owned(), Stmt::made(StmtKind::Skip)));
        Function {
            results: 0,
            name: name("main"),
            parameters: Vec::new(),
            locals: Vec::new(),
            enforce: None,
            body,
            end: NOWHERE,
        }
    }

    /// Start a thread. If the flag may be true at the start, the thread may let contexts pass before.
    fn start_thread(&self, procedure: ProcId) -> Vec<Stmt> {
        if !self.program.may_start_flagged() {
            return vec![self.start(procedure)];
        }
        let pass = self.by_context(|c| vec![self.next_context(c)]);
        let wait = StmtKind::While { condition: Expr::made(ExprKind::Star), body: vec![pass] };
        vec![Stmt::made(wait), when(not(Expr::var(self.done())), vec![self.start(procedure)])]
    }

    fn first_context(&self) -> Stmt {
        let contexts = self.contexts().map(|c| (self.numbered("ctx", c), constant(c == 1)));
        assign(contexts.chain([(self.done(), constant(false))]).collect())
    }

    /// A thread that has ended lets its last contexts pass.
    fn rest_of_thread(&self) -> Vec<Stmt> {
        let pass = |c| self.passable(c).into_iter().chain([Stmt::made(StmtKind::Skip)]).collect();
        vec![self.by_context(pass)]
    }
}

fn callee(edge: &Edge) -> Option<ProcId> {
    match &edge.op {
        Op::Call { procedure, .. } => Some(*procedure),
        _ => None,
    }
}

fn without_next(expr: &Lowered) -> Lowered {
    let sub = |e: &Lowered| Box::new(without_next(e));
    match expr {
        Lowered::Next(var) => Lowered::Var(*var),
        Lowered::Not(inner) => Lowered::Not(sub(inner)),
        Lowered::Binary(op, left, right) => Lowered::Binary(*op, sub(left), sub(right)),
        Lowered::If(condition, then, other) => Lowered::If(sub(condition), sub(then), sub(other)),
        Lowered::Const(_) | Lowered::Var(_) | Lowered::Nondet(_) => expr.clone(),
    }
}
