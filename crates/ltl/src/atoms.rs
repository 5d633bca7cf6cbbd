//! From the property as parsed to a [`Formulas`] entry: collects the distinct expressions. Two
//! expressions are the same atom when their canonical text is the same; `a != b` is the negation of
//! `a == b`, and the like for the orders, so that they can cancel out.
//!
//! What must hold: an expression is split at `&&` and `||` only where that cannot evaluate something
//! the short circuit would have skipped (`i < N && a[i]` stays one atom).

use std::collections::HashMap;

use super::cube::MAX_ATOMS;
use super::expr_text::expr_text;
use super::formula::{FormulaId, Formulas};
use super::{AtomId, Literal, TooLarge};
use selvedge_promela_syntax::ast::{BinaryOp, Expr, ExprKind, Ltl, UnaryOp, VarRef};

/// The atoms met so far.
#[derive(Default)]
pub(super) struct Atoms {
    exprs: Vec<Expr>,
    by_text: HashMap<String, AtomId>,
}

impl Atoms {
    /// The expressions, by [`AtomId`].
    pub(super) fn into_exprs(self) -> Vec<Expr> {
        self.exprs
    }

    /// `property` as a simplified formula.
    pub(super) fn formula_of(&mut self, property: &Ltl, formulas: &mut Formulas) -> Result<FormulaId, TooLarge> {
        formulas.check_size()?;
        let mut sub = |p: &Ltl, formulas: &mut Formulas| self.formula_of(p, formulas);
        Ok(match property {
            Ltl::Atom(expr) => return self.formula_of_expr(expr, formulas),
            Ltl::Not(a) => sub(a, formulas)?.not(),
            Ltl::Next(a) => {
                let a = sub(a, formulas)?;
                formulas.next(a)
            }
            Ltl::Always(a) => {
                let a = sub(a, formulas)?;
                formulas.always(a)
            }
            Ltl::Eventually(a) => {
                let a = sub(a, formulas)?;
                formulas.eventually(a)
            }
            Ltl::And(a, b)
            | Ltl::Or(a, b)
            | Ltl::Implies(a, b)
            | Ltl::Iff(a, b)
            | Ltl::Until(a, b)
            | Ltl::WeakUntil(a, b)
            | Ltl::Release(a, b) => {
                let (a, b) = (sub(a, formulas)?, sub(b, formulas)?);
                combine(property, a, b, formulas)
            }
        })
    }

    fn formula_of_expr(&mut self, expr: &Expr, formulas: &mut Formulas) -> Result<FormulaId, TooLarge> {
        match &expr.kind {
            ExprKind::Const(0) => Ok(FormulaId::FALSE),
            ExprKind::Const(_) => Ok(FormulaId::TRUE),
            ExprKind::Unary(UnaryOp::Not, a) => Ok(self.formula_of_expr(a, formulas)?.not()),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if cannot_fail(b) => {
                let parts = vec![self.formula_of_expr(a, formulas)?, self.formula_of_expr(b, formulas)?];
                Ok(if *op == BinaryOp::And { formulas.and(parts) } else { formulas.or(parts) })
            }
            ExprKind::Binary(BinaryOp::Ne | BinaryOp::Ge | BinaryOp::Gt, ..) => {
                let atom = self.atom(negated(expr))?;
                Ok(formulas.literal(Literal { atom, positive: false }))
            }
            _ => {
                let atom = self.atom(expr.clone())?;
                Ok(formulas.literal(Literal { atom, positive: true }))
            }
        }
    }

    fn atom(&mut self, expr: Expr) -> Result<AtomId, TooLarge> {
        let text = expr_text(&turned_round(&expr));
        if let Some(&known) = self.by_text.get(&text) {
            return Ok(known);
        }
        if self.exprs.len() == MAX_ATOMS {
            return Err(TooLarge { what: "distinct expressions", limit: MAX_ATOMS });
        }
        let atom = AtomId(self.exprs.len() as u32);
        self.exprs.push(expr);
        self.by_text.insert(text, atom);
        Ok(atom)
    }
}

fn combine(property: &Ltl, a: FormulaId, b: FormulaId, formulas: &mut Formulas) -> FormulaId {
    match property {
        Ltl::And(..) => formulas.and(vec![a, b]),
        Ltl::Or(..) => formulas.or(vec![a, b]),
        Ltl::Implies(..) => formulas.or(vec![a.not(), b]),
        Ltl::Iff(..) => {
            let both = formulas.and(vec![a, b]);
            let neither = formulas.and(vec![a.not(), b.not()]);
            formulas.or(vec![both, neither])
        }
        Ltl::Until(..) => formulas.until(a, b),
        Ltl::WeakUntil(..) => {
            let either = formulas.or(vec![a, b]);
            formulas.release(b, either)
        }
        Ltl::Release(..) => formulas.release(a, b),
        Ltl::Atom(_) | Ltl::Not(_) | Ltl::Next(_) | Ltl::Always(_) | Ltl::Eventually(_) => {
            unreachable!("internal error: not an operator of two formulas")
        }
    }
}

/// The expression of a literal: the atom's, or its negation. A comparison stays as it was written, below a `!` where that
/// is needed, so that explanations can name it.
pub(super) fn literal_expr(atom: &Expr, positive: bool) -> Expr {
    if positive { atom.clone() } else { negated(atom) }
}

/// The text of a literal, with a comparison turned round instead of a `!` in front of it.
pub(super) fn literal_text(atom: &Expr, positive: bool) -> String {
    expr_text(&turned_round(&literal_expr(atom, positive)))
}

fn negated(expr: &Expr) -> Expr {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => (**inner).clone(),
        _ => Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(expr.clone())), span: expr.span },
    }
}

/// The opposite comparison for the negation of one.
fn turned_round(expr: &Expr) -> Expr {
    if let ExprKind::Unary(UnaryOp::Not, inner) = &expr.kind
        && let ExprKind::Binary(op, a, b) = &inner.kind
        && let Some(op) = opposite(*op)
    {
        return Expr { kind: ExprKind::Binary(op, a.clone(), b.clone()), span: expr.span };
    }
    expr.clone()
}

fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Eq => Some(BinaryOp::Ne),
        BinaryOp::Ne => Some(BinaryOp::Eq),
        BinaryOp::Lt => Some(BinaryOp::Ge),
        BinaryOp::Ge => Some(BinaryOp::Lt),
        BinaryOp::Gt => Some(BinaryOp::Le),
        BinaryOp::Le => Some(BinaryOp::Gt),
        _ => None,
    }
}

/// Whether evaluating `expr` always gives a value: no index, division, channel or remote reference.
fn cannot_fail(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Timeout | ExprKind::NonProgress => true,
        ExprKind::Var(var) => is_scalar_path(var),
        ExprKind::Unary(_, a) => cannot_fail(a),
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => false,
        ExprKind::Binary(_, a, b) => cannot_fail(a) && cannot_fail(b),
        ExprKind::Conditional(a, b, c) => cannot_fail(a) && cannot_fail(b) && cannot_fail(c),
        _ => false,
    }
}

fn is_scalar_path(var: &VarRef) -> bool {
    var.index.is_none() && var.field.as_deref().is_none_or(is_scalar_path)
}
