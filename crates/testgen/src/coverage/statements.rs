//! Statements and their positions: what encloses them, what stands before and behind them, who jumps to them.

use std::collections::BTreeSet;

use selvedge_promela_syntax::ast::{ExprKind, Sequence, Stmt, StmtKind, VarDecl, VarRef};

use super::tables::POSITIONS;
use super::{Around, Context, Walk};

impl Walk<'_> {
    pub(super) fn body(&mut self, body: &Sequence, around: Around) {
        let mut jumps = [BTreeSet::new(), BTreeSet::new()];
        jumps_of(body, false, &mut jumps);
        self.context = Context { within: Vec::new(), jumps, names: Vec::new() };
        self.sequence(body, around);
        self.context = Context::default();
    }

    fn sequence(&mut self, body: &Sequence, around: Around) {
        self.context.within.push(around);
        // A declaration in front is not the first statement unless nothing else is asked of it.
        let count = body.stmts.len();
        for (at, stmt) in body.stmts.iter().enumerate() {
            let mut places: Vec<String> = Vec::new();
            let mut place = |which: &str| places.push(format!("{} {which}", around.name()));
            let led = body.stmts[..at].iter().all(|before| matches!(before.kind, StmtKind::Decl(_)));
            if at == 0 || led {
                place("first");
            }
            if at + 1 == count {
                place("last");
            }
            if at > 0 && at + 1 < count {
                place("middle");
            }
            let before = at.checked_sub(1).map(|before| &body.stmts[before].kind);
            if matches!(before, Some(StmtKind::Assign(..) | StmtKind::Increment(_) | StmtKind::Decrement(_))) {
                places.push("after assignment".to_owned());
            }
            if body.stmts.get(at + 1).is_some_and(|next| !next.labels.is_empty()) {
                places.push("before label".to_owned());
            }
            let guard = at == 0 && matches!(around, Around::If | Around::Do);
            self.stmt(stmt, places, guard);
        }
        self.context.within.pop();
    }

    fn stmt(&mut self, stmt: &Stmt, mut places: Vec<String>, guard: bool) {
        let within = self.context.within.clone();
        let inside = |around| within.contains(&around);
        for (around, name) in [
            (Around::Atomic, "within atomic"),
            (Around::DStep, "within d_step"),
            (Around::Main, "within unless main"),
            (Around::Escape, "within unless escape"),
        ] {
            if inside(around) && within.last() != Some(&around) {
                places.push(name.to_owned());
            }
        }
        if !stmt.labels.is_empty() {
            places.push("after label".to_owned());
        }
        if stmt.labels.len() > 1 {
            self.feature("two labels");
        }
        for label in &stmt.labels {
            let name = &label.name;
            let prefixed = |prefix: &str| name.starts_with(prefix);
            self.feature(match () {
                () if prefixed("end") => "end label",
                () if prefixed("accept") => "accept label",
                () if prefixed("progress") => "progress label",
                () => "other label",
            });
            let [plain, atomic] = &self.context.jumps;
            let (plain, atomic) = (plain.contains(name), atomic.contains(name));
            match (plain, atomic, inside(Around::Atomic)) {
                (true, _, true) => places.push("target of goto into atomic".to_owned()),
                (true, _, false) => places.push("target of goto".to_owned()),
                _ => {}
            }
            if atomic && !inside(Around::Atomic) {
                places.push("target of goto from atomic".to_owned());
            }
        }
        let row = self.kind(stmt, guard);
        for place in places {
            // Traces are counted as a feature: their statements are events, not steps.
            if let Some(column) = POSITIONS.iter().find(|column| **column == place) {
                *self.coverage.statements.entry((row, column)).or_default() += 1;
            }
        }
    }

    /// The row of a statement; counts what is in it.
    fn kind(&mut self, stmt: &Stmt, guard: bool) -> &'static str {
        let in_claim = self.context.within.first() == Some(&Around::Claim);
        let condition = match (in_claim, guard) {
            (true, _) => "claim",
            (_, true) => "guard of option",
            _ => "condition",
        };
        match &stmt.kind {
            StmtKind::Decl(vars) => self.declarations(vars),
            StmtKind::Expr(expr) => {
                self.expr(expr, condition);
                match &expr.kind {
                    ExprKind::Const(1) => "skip",
                    ExprKind::Run { .. } => "run",
                    ExprKind::Timeout => "timeout",
                    _ => "condition",
                }
            }
            StmtKind::Assert(expr) => {
                self.expr(expr, if in_claim { "claim" } else { "assert" });
                "assert"
            }
            StmtKind::Assign(..)
            | StmtKind::Increment(_)
            | StmtKind::Decrement(_)
            | StmtKind::Printf { .. }
            | StmtKind::Printm(_)
            | StmtKind::Select { .. }
            | StmtKind::Return(_) => self.basic(&stmt.kind),
            StmtKind::Send { .. } | StmtKind::Receive { .. } => self.message(&stmt.kind),
            StmtKind::Else => self.otherwise(),
            StmtKind::Break => "break",
            StmtKind::Goto(_) => "goto",
            StmtKind::Exclusive { read: true, .. } => "xr",
            StmtKind::Exclusive { read: false, .. } => "xs",
            StmtKind::If(_)
            | StmtKind::Do(_)
            | StmtKind::Atomic(_)
            | StmtKind::DStep(_)
            | StmtKind::Block(_)
            | StmtKind::Unless(..)
            | StmtKind::ForRange { .. }
            | StmtKind::ForIn { .. }
            | StmtKind::InlineCall { .. } => self.compound(&stmt.kind),
        }
    }

    fn declarations(&mut self, vars: &[VarDecl]) -> &'static str {
        for var in vars {
            if self.context.names.contains(&var.name.name) {
                self.feature("hiding declaration");
            }
            self.context.names.push(var.name.name.clone());
            self.declaration(var);
        }
        "declaration"
    }

    fn otherwise(&mut self) -> &'static str {
        for (around, name) in [(Around::Atomic, "else in atomic"), (Around::DStep, "else in d_step")] {
            if self.context.within.contains(&around) {
                self.feature(name);
            }
        }
        "else"
    }

    /// Statements without others in them.
    fn basic(&mut self, kind: &StmtKind) -> &'static str {
        match kind {
            StmtKind::Assign(var, value) => {
                self.var(var);
                self.expr(value, "assigned value");
                if matches!(value.kind, ExprKind::Run { .. }) { "assignment of run" } else { "assignment" }
            }
            StmtKind::Increment(var) => {
                self.var(var);
                "increment"
            }
            StmtKind::Decrement(var) => {
                self.var(var);
                "decrement"
            }
            StmtKind::Printf { args, .. } => {
                args.iter().for_each(|arg| self.expr(arg, "printed value"));
                "printf"
            }
            StmtKind::Printm(expr) => {
                self.expr(expr, "printed value");
                "printm"
            }
            StmtKind::Select { var, from, to } => {
                self.var(var);
                self.expr(from, "select bound");
                self.expr(to, "select bound");
                "select"
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|value| self.expr(value, "assigned value"));
                "return"
            }
            _ => unreachable!("the caller sends such statements elsewhere"),
        }
    }

    /// Sends and receives.
    fn message(&mut self, kind: &StmtKind) -> &'static str {
        match kind {
            StmtKind::Send { chan, sorted, args } => {
                self.var(chan);
                args.iter().for_each(|arg| self.expr(arg, "sent value"));
                match (sorted, self.is_rendezvous(chan)) {
                    (true, _) => "sorted send",
                    (_, true) => "rendezvous send",
                    _ => "send",
                }
            }
            StmtKind::Receive { chan, random, copy, args } => {
                self.var(chan);
                args.iter().for_each(|arg| self.argument(arg, false));
                match (random, copy, self.is_rendezvous(chan)) {
                    (true, true, _) => "random copy receive",
                    (true, _, _) => "random receive",
                    (_, true, _) => "copy receive",
                    (_, _, true) => "rendezvous receive",
                    _ => "receive",
                }
            }
            _ => unreachable!("the caller sends such statements elsewhere"),
        }
    }

    /// Statements with others in them.
    fn compound(&mut self, kind: &StmtKind) -> &'static str {
        match kind {
            StmtKind::If(options) => {
                options.iter().for_each(|option| self.sequence(option, Around::If));
                "if"
            }
            StmtKind::Do(options) => {
                options.iter().for_each(|option| self.sequence(option, Around::Do));
                "do"
            }
            StmtKind::Atomic(body) => {
                self.sequence(body, Around::Atomic);
                "atomic"
            }
            StmtKind::DStep(body) => {
                self.sequence(body, Around::DStep);
                "d_step"
            }
            StmtKind::Block(body) => {
                self.sequence(body, Around::Block);
                "block"
            }
            StmtKind::Unless(main, escape) => {
                self.part(main, Around::Main);
                self.part(escape, Around::Escape);
                "unless"
            }
            StmtKind::ForRange { var, from, to, body } => {
                self.var(var);
                self.expr(from, "for bound");
                self.expr(to, "for bound");
                self.sequence(body, Around::For);
                "for range"
            }
            StmtKind::ForIn { var, over, body } => {
                self.var(var);
                self.sequence(body, Around::For);
                if self.capacities.contains_key(&over.name.name) { "for channel" } else { "for array" }
            }
            StmtKind::InlineCall { result, body, .. } => {
                self.feature("inline");
                self.sequence(body, Around::Inline);
                if result.is_some() { "inline with result" } else { "inline" }
            }
            _ => unreachable!("the caller sends such statements elsewhere"),
        }
    }

    /// One side of `unless`: what is in its braces, or the statement itself.
    fn part(&mut self, part: &Stmt, around: Around) {
        match &part.kind {
            StmtKind::Block(body) => self.sequence(body, around),
            _ => self.sequence(&Sequence { stmts: vec![part.clone()] }, around),
        }
    }

    fn is_rendezvous(&self, chan: &VarRef) -> bool {
        self.capacities.get(&chan.name.name) == Some(&0)
    }
}

/// The labels that gotos name: outside of atomic sequences, and inside.
fn jumps_of(body: &Sequence, atomic: bool, jumps: &mut [BTreeSet<String>; 2]) {
    body.stmts.iter().for_each(|stmt| jumps_of_stmt(stmt, atomic, jumps));
}

fn jumps_of_stmt(stmt: &Stmt, atomic: bool, jumps: &mut [BTreeSet<String>; 2]) {
    match &stmt.kind {
        StmtKind::Goto(label) => {
            jumps[usize::from(atomic)].insert(label.name.clone());
        }
        StmtKind::If(options) | StmtKind::Do(options) => {
            options.iter().for_each(|option| jumps_of(option, atomic, jumps));
        }
        StmtKind::Atomic(body) | StmtKind::DStep(body) => jumps_of(body, true, jumps),
        StmtKind::Block(body)
        | StmtKind::ForRange { body, .. }
        | StmtKind::ForIn { body, .. }
        | StmtKind::InlineCall { body, .. } => jumps_of(body, atomic, jumps),
        StmtKind::Unless(main, escape) => [main, escape].into_iter().for_each(|s| jumps_of_stmt(s, atomic, jumps)),
        _ => {}
    }
}
