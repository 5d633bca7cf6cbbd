//! What the expressions of a model mention that changes what a step is: labels seen from other
//! processes, `_last`, `timeout`. A walk over everything.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_promela_syntax::ast::{
    Claim, Expr, ExprKind, Init, Item, Model, ReceiveArg, Sequence, Stmt, StmtKind, VarRef,
};

/// What is mentioned.
#[derive(Default)]
pub(crate) struct Mentioned {
    labels: BTreeMap<String, BTreeSet<String>>,
    /// `_last`.
    pub(crate) last: bool,
    /// `timeout`.
    pub(crate) timeout: bool,
}

impl Mentioned {
    /// Of a model and the claim in force.
    pub(crate) fn of(model: &Model, claim: Option<&Claim>) -> Mentioned {
        let mut mentioned = Mentioned::default();
        for item in &model.items {
            match item {
                Item::Process(process) => {
                    process.provided.iter().for_each(|e| mentioned.expr(e));
                    mentioned.sequence(&process.body);
                }
                Item::Trace(trace) => mentioned.sequence(&trace.body),
                _ => {}
            }
        }
        claim.into_iter().for_each(|claim| mentioned.sequence(&claim.body));
        mentioned
    }

    /// Labels of a process type that remote references name.
    pub(crate) fn labels_of(&self, process: &str) -> BTreeSet<String> {
        self.labels.get(process).cloned().unwrap_or_default()
    }

    fn sequence(&mut self, sequence: &Sequence) {
        sequence.stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl(vars) => {
                for var in vars {
                    match &var.init {
                        Some(Init::Expr(e)) => self.expr(e),
                        Some(Init::List(list)) => list.iter().for_each(|e| self.expr(e)),
                        _ => {}
                    }
                }
            }
            StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => self.expr(e),
            StmtKind::Assign(var, e) => {
                self.var(var);
                self.expr(e);
            }
            StmtKind::Increment(var) | StmtKind::Decrement(var) => self.var(var),
            StmtKind::Send { chan, args, .. } => {
                self.var(chan);
                args.iter().for_each(|e| self.expr(e));
            }
            StmtKind::Receive { chan, args, .. } => {
                self.var(chan);
                self.args(args);
            }
            StmtKind::Printf { args, .. } => args.iter().for_each(|e| self.expr(e)),
            StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|option| self.sequence(option)),
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => self.sequence(body),
            StmtKind::InlineCall { body, .. } => self.sequence(body),
            StmtKind::Unless(main, escape) => {
                self.stmt(main);
                self.stmt(escape);
            }
            StmtKind::ForRange { var, from, to, body } => {
                self.var(var);
                self.expr(from);
                self.expr(to);
                self.sequence(body);
            }
            StmtKind::ForIn { body, .. } => self.sequence(body),
            StmtKind::Select { from, to, .. } => {
                self.expr(from);
                self.expr(to);
            }
            StmtKind::Return(value) => value.iter().for_each(|e| self.expr(e)),
            StmtKind::Else | StmtKind::Break | StmtKind::Goto(_) | StmtKind::Exclusive { .. } => {}
        }
    }

    fn args(&mut self, args: &[ReceiveArg]) {
        for arg in args {
            match arg {
                ReceiveArg::Var(var) => self.var(var),
                ReceiveArg::Match(e) => self.expr(e),
                ReceiveArg::Any(_) => {}
            }
        }
    }

    fn var(&mut self, var: &VarRef) {
        self.last |= var.name.name == "_last";
        var.index.iter().for_each(|index| self.expr(index));
        var.field.iter().for_each(|field| self.var(field));
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::NonProgress => {}
            ExprKind::Timeout => self.timeout = true,
            ExprKind::Var(var) | ExprKind::ChanQuery(_, var) => self.var(var),
            ExprKind::Unary(_, inner) => self.expr(inner),
            ExprKind::Enabled(inner) | ExprKind::PcValue(inner) | ExprKind::GetPriority(inner) => self.expr(inner),
            ExprKind::Binary(_, left, right) | ExprKind::SetPriority(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Conditional(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Run { args, .. } => args.iter().for_each(|arg| self.expr(arg)),
            ExprKind::Poll { chan, args, .. } => {
                self.var(chan);
                self.args(args);
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                self.labels.entry(process.name.clone()).or_default().insert(label.name.clone());
                pid.iter().for_each(|pid| self.expr(pid));
            }
            ExprKind::RemoteVar { pid, var, .. } => {
                pid.iter().for_each(|pid| self.expr(pid));
                self.var(var);
            }
        }
    }
}
