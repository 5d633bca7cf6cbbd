//! Statements that are never executed, as a search lists them after a proof, against those that the plain interpreter
//! executes when it explores every state.

use std::collections::BTreeSet;

use selvedge_promela_judge::{Interpreter, executed};
use selvedge_promela_syntax::ast::{ExprKind, Item, Model, Stmt, StmtKind};
use selvedge_promela_syntax::walk::{Visitor, walk_sequence, walk_stmt};
use selvedge_source::Span;
use selvedge_verify::{Answer, Verdict};

use super::MOST_STATES;

/// How a search and the interpreter differ.
pub fn difference(text: &str, model: &Model, interpreter: &Interpreter, answer: &Answer) -> Option<String> {
    if answer.verdict != Verdict::Holds {
        return None;
    }
    let executed = executed(interpreter, MOST_STATES)?;
    let written = Written::of(model);
    let never = written.0.iter().filter(|span| !executed.contains(&(span.file, span.start, span.end)));
    // A statement that is written once may be there several times: in an inline.
    let never: BTreeSet<String> = never.map(|span| place(text, *span)).collect();
    let all: BTreeSet<String> = written.0.iter().map(|span| place(text, *span)).collect();
    let listed = answer.checked.never_executed.iter().filter(|place| all.contains(*place)).cloned();
    let listed: BTreeSet<String> = listed.collect();
    (listed != never).then(|| format!("never executed: {listed:?}; interpreter: {never:?}"))
}

/// The statements outside of deterministic sequences, which are one step of the interpreter.
#[derive(Default)]
struct Written(Vec<Span>);

impl Written {
    fn of(model: &Model) -> Self {
        let mut written = Written::default();
        for item in &model.items {
            if let Item::Process(process) = item {
                walk_sequence(&mut written, &process.body);
            }
        }
        written
    }
}

impl Visitor for Written {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::DStep(_) => return,
            StmtKind::Expr(expr) if !matches!(expr.kind, ExprKind::Const(_)) => self.0.push(stmt.span),
            StmtKind::Assign(..) | StmtKind::Increment(_) | StmtKind::Decrement(_) => self.0.push(stmt.span),
            StmtKind::Send { .. } | StmtKind::Receive { .. } | StmtKind::Printf { .. } => self.0.push(stmt.span),
            _ => {}
        }
        walk_stmt(self, stmt);
    }
}

/// `model.pml:line:column`.
fn place(text: &str, span: Span) -> String {
    let before = &text[..span.start as usize];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("model.pml:{line}:{column}")
}
