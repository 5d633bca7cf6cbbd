//! Which constructs a program has, and where: the table that shows what random programs reach.

use std::collections::BTreeMap;

use crate::ast::{BinOp, Expr, ExprKind, Function, Program, Stmt, StmtKind};

/// The constructs that stand as statements. `start_thread goto`, `wait` and `broadcast` are not among them: random programs
/// are of Getafix's dialect.
pub const STATEMENTS: &[&str] = &[
    "skip",
    "print",
    "assign",
    "assign in parallel",
    "assign to _",
    "assign with constrain",
    "call without results",
    "call with one result",
    "call with two results",
    "call that drops results",
    "return",
    "return of one",
    "return of two",
    "goto",
    "goto of two",
    "if",
    "if with elsif",
    "if with else",
    "while",
    "assert",
    "assume",
    "constrain",
    "abortif",
    "dead",
    "end_thread",
    "atomic_begin",
    "atomic_end",
    "start_thread",
];

/// Where a statement stands.
pub const POSITIONS: &[&str] = &[
    "thread",
    "procedure",
    "init",
    "if",
    "elsif",
    "else",
    "while",
    "first in a section",
    "inside a section",
    "labelled",
];

/// The constructs that stand as expressions.
pub const EXPRESSIONS: &[&str] = &[
    "F",
    "T",
    "variable",
    "primed variable",
    "*",
    "!",
    "&",
    "|",
    "^",
    "=",
    "!=",
    "=>",
    "?:",
    "schoose[F,F]",
    "schoose[F,T]",
    "schoose[T,F]",
    "schoose[T,T]",
    "schoose[F,e]",
    "schoose[T,e]",
    "schoose[e,F]",
    "schoose[e,T]",
    "schoose[e,e]",
];

/// Where an expression is read.
pub const USES: &[&str] = &[
    "assigned value",
    "constrain of an assignment",
    "constrain",
    "argument",
    "returned value",
    "if",
    "elsif",
    "while",
    "assert",
    "assume",
    "abortif",
    "print",
    "enforce",
];

/// How often each pair was met.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Statement and position.
    pub statements: BTreeMap<(&'static str, &'static str), u64>,
    /// Expression and use.
    pub expressions: BTreeMap<(&'static str, &'static str), u64>,
}

impl Coverage {
    /// Counts what a program has.
    pub fn count(&mut self, program: &Program) {
        for function in &program.functions {
            let position = match function.name.text.as_str() {
                "init" => "init",
                name if crate::dialect::is_thread_name(name) => "thread",
                _ => "procedure",
            };
            if let Some(condition) = &function.enforce {
                self.expression(condition, "enforce");
            }
            self.block(program, &function.body, position, 0);
        }
    }

    fn block(&mut self, program: &Program, block: &[Stmt], position: &'static str, mut sections: u32) {
        let mut first = false;
        for statement in block {
            let inside = (sections > 0).then_some(if first { "first in a section" } else { "inside a section" });
            let labelled = (!statement.labels.is_empty()).then_some("labelled");
            for row in rows(program, statement) {
                for column in [Some(position), inside, labelled].into_iter().flatten() {
                    *self.statements.entry((row, column)).or_default() += 1;
                }
            }
            first = statement.kind == StmtKind::AtomicBegin;
            match statement.kind {
                StmtKind::AtomicBegin => sections += 1,
                StmtKind::AtomicEnd => sections = sections.saturating_sub(1),
                _ => {}
            }
            self.inner(program, statement, sections);
        }
    }

    fn inner(&mut self, program: &Program, statement: &Stmt, sections: u32) {
        match &statement.kind {
            StmtKind::If { branches, otherwise } => {
                for (index, branch) in branches.iter().enumerate() {
                    let word = if index == 0 { "if" } else { "elsif" };
                    self.expression(&branch.condition, word);
                    self.block(program, &branch.body, word, sections);
                }
                if let Some(block) = otherwise {
                    self.block(program, block, "else", sections);
                }
            }
            StmtKind::While { condition, body } => {
                self.expression(condition, "while");
                self.block(program, body, "while", sections);
            }
            StmtKind::Assign { values, constrain, .. } => {
                values.iter().for_each(|value| self.expression(value, "assigned value"));
                constrain.iter().for_each(|condition| self.expression(condition, "constrain of an assignment"));
            }
            StmtKind::Call { args, .. } => args.iter().for_each(|arg| self.expression(arg, "argument")),
            StmtKind::Return(values) => values.iter().for_each(|value| self.expression(value, "returned value")),
            StmtKind::Assert(condition) => self.expression(condition, "assert"),
            StmtKind::Assume(condition) => self.expression(condition, "assume"),
            StmtKind::Constrain(condition) => self.expression(condition, "constrain"),
            StmtKind::AbortIf(condition) => self.expression(condition, "abortif"),
            StmtKind::Print(values) => values.iter().for_each(|value| self.expression(value, "print")),
            _ => {}
        }
    }

    fn expression(&mut self, expr: &Expr, column: &'static str) {
        *self.expressions.entry((row(expr), column)).or_default() += 1;
        expr.children().for_each(|inner| self.expression(inner, column));
    }
}

/// The rows of a statement.
fn rows(program: &Program, statement: &Stmt) -> Vec<&'static str> {
    match &statement.kind {
        StmtKind::Skip => vec!["skip"],
        StmtKind::Print(_) => vec!["print"],
        StmtKind::Assign { targets, constrain, .. } => {
            let size = if targets.len() == 1 { "assign" } else { "assign in parallel" };
            let dropped = targets.contains(&None).then_some("assign to _");
            [Some(size), dropped, constrain.as_ref().map(|_| "assign with constrain")].into_iter().flatten().collect()
        }
        StmtKind::Call { targets, callee, .. } => {
            let is_callee = |function: &&Function| function.name.text == callee.text;
            let results = program.functions.iter().find(is_callee).map_or(0, |function| function.results);
            let row = ["call without results", "call with one result", "call with two results"][results.min(2)];
            let drops = results > 0 && (targets.is_empty() || targets.contains(&None));
            [Some(row), drops.then_some("call that drops results")].into_iter().flatten().collect()
        }
        StmtKind::Return(values) => vec![["return", "return of one", "return of two"][values.len().min(2)]],
        StmtKind::Goto(targets) => vec![if targets.len() == 1 { "goto" } else { "goto of two" }],
        StmtKind::If { branches, otherwise } => {
            let elsif = (branches.len() > 1).then_some("if with elsif");
            [Some("if"), elsif, otherwise.as_ref().map(|_| "if with else")].into_iter().flatten().collect()
        }
        StmtKind::While { .. } => vec!["while"],
        StmtKind::Assert(_) => vec!["assert"],
        StmtKind::Assume(_) => vec!["assume"],
        StmtKind::Constrain(_) => vec!["constrain"],
        StmtKind::AbortIf(_) => vec!["abortif"],
        StmtKind::Dead(_) => vec!["dead"],
        StmtKind::EndThread => vec!["end_thread"],
        StmtKind::AtomicBegin => vec!["atomic_begin"],
        StmtKind::AtomicEnd => vec!["atomic_end"],
        StmtKind::Start { .. } => vec!["start_thread"],
        StmtKind::StartGoto(_) | StmtKind::Wait | StmtKind::Broadcast => Vec::new(),
    }
}

/// The row of an expression.
fn row(expr: &Expr) -> &'static str {
    match &expr.kind {
        ExprKind::Const(false) => "F",
        ExprKind::Const(true) => "T",
        ExprKind::Var(_) => "variable",
        ExprKind::Next(_) => "primed variable",
        ExprKind::Star => "*",
        ExprKind::Not(_) => "!",
        ExprKind::Binary(op, ..) => match op {
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Eq => "=",
            BinOp::Ne => "!=",
            BinOp::Implies => "=>",
        },
        ExprKind::If(..) => "?:",
        ExprKind::Schoose(positive, negative) => match (&positive.kind, &negative.kind) {
            (ExprKind::Const(false), ExprKind::Const(false)) => "schoose[F,F]",
            (ExprKind::Const(false), ExprKind::Const(true)) => "schoose[F,T]",
            (ExprKind::Const(true), ExprKind::Const(false)) => "schoose[T,F]",
            (ExprKind::Const(true), ExprKind::Const(true)) => "schoose[T,T]",
            (ExprKind::Const(false), _) => "schoose[F,e]",
            (ExprKind::Const(true), _) => "schoose[T,e]",
            (_, ExprKind::Const(false)) => "schoose[e,F]",
            (_, ExprKind::Const(true)) => "schoose[e,T]",
            _ => "schoose[e,e]",
        },
    }
}
