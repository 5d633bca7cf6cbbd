//! The automaton as a never claim, as Spin writes them: each state is a labelled loop of guards and
//! jumps, the accept-all state is `skip` at the end, after which the claim has terminated: that is
//! how a finite run is found to violate a safety property.
//!
//! What must hold: labels of accepting states begin with `accept`, no others do; the first state
//! comes first and the accept-all state last.

use selvedge_source::Span;

use super::atoms::literal_expr;
use super::{Automaton, Edge, Translation};
use selvedge_promela_syntax::ast::{BinaryOp, Claim, Expr, ExprKind, Ident, Sequence, Stmt, StmtKind};

/// The claim of `translation`. Literals have the spans of their expressions in the property, all
/// else has `span`, that of the property.
pub fn to_claim(translation: &Translation, name: Option<Ident>, span: Span) -> Claim {
    let automaton = &translation.automaton;
    let mut stmts: Vec<Stmt> = looping_states(automaton).map(|s| state_stmt(translation, s, span)).collect();
    if let Some(last) = accept_all_state(automaton) {
        let skip = StmtKind::Expr(Expr { kind: ExprKind::Const(1), span });
        stmts.push(Stmt { labels: vec![ident(state_label(automaton, last), span)], kind: skip, span });
    }
    Claim { name, body: Sequence { stmts }, span }
}

/// The states written as loops, the first state first.
pub(super) fn looping_states(automaton: &Automaton) -> impl Iterator<Item = usize> {
    let others = (0..automaton.states.len()).filter(|s| *s != automaton.initial);
    std::iter::once(automaton.initial).chain(others).filter(|s| !automaton.is_accept_all(*s))
}

/// Some accept-all state; if there are several they are written as one.
pub(super) fn accept_all_state(automaton: &Automaton) -> Option<usize> {
    (0..automaton.states.len()).find(|s| automaton.is_accept_all(*s))
}

/// The label of a state.
pub(super) fn state_label(automaton: &Automaton, state: usize) -> String {
    let accepting = automaton.states[state].accepting;
    if automaton.is_accept_all(state) {
        "accept_all".to_owned()
    } else if state == automaton.initial {
        if accepting { "accept_init" } else { "T0_init" }.to_owned()
    } else {
        format!("{}_S{state}", if accepting { "accept" } else { "T0" })
    }
}

/// `label: do :: guard -> goto target … od`; a state without moves blocks: `label: false`.
fn state_stmt(translation: &Translation, state: usize, span: Span) -> Stmt {
    let automaton = &translation.automaton;
    let edges = &automaton.states[state].edges;
    let kind = if edges.is_empty() {
        StmtKind::Expr(Expr { kind: ExprKind::Const(0), span })
    } else {
        StmtKind::Do(edges.iter().map(|edge| option_of(translation, edge, span)).collect())
    };
    Stmt { labels: vec![ident(state_label(automaton, state), span)], kind, span }
}

fn option_of(translation: &Translation, edge: &Edge, span: Span) -> Sequence {
    let guard = guard_expr(translation, edge, span);
    let goto = StmtKind::Goto(ident(state_label(&translation.automaton, edge.target), span));
    let guard = Stmt { labels: Vec::new(), span: guard.span, kind: StmtKind::Expr(guard) };
    Sequence { stmts: vec![guard, Stmt { labels: Vec::new(), kind: goto, span }] }
}

/// The conjunction of an edge's literals, in the order of the atoms.
fn guard_expr(translation: &Translation, edge: &Edge, span: Span) -> Expr {
    let literals = edge.guard.iter().map(|l| literal_expr(&translation.atoms[l.atom.0 as usize], l.positive));
    let both = |a, b| Expr { kind: ExprKind::Binary(BinaryOp::And, Box::new(a), Box::new(b)), span };
    literals.reduce(both).unwrap_or(Expr { kind: ExprKind::Const(1), span })
}

fn ident(name: String, span: Span) -> Ident {
    Ident { name, span }
}
