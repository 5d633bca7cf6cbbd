//! A small reader of formulas over one-letter variables, so that tests can be written as text.
//! Binary operators are right-associative and all of one strength: tests write brackets.

use selvedge_source::{FileId, Span};

use crate::expr_text::expr_text;
use selvedge_promela_syntax::ast::{Expr, ExprKind, Ident, Ltl, VarRef};

pub(super) fn span() -> Span {
    Span::new(FileId(0), 0, 0)
}

pub(super) fn atom(name: &str) -> Ltl {
    let name = Ident { name: name.to_owned(), span: span() };
    let var = VarRef { name, index: None, field: None, span: span() };
    Ltl::Atom(Expr { kind: ExprKind::Var(var), span: span() })
}

pub(super) fn constant(value: bool) -> Ltl {
    Ltl::Atom(Expr { kind: ExprKind::Const(value.into()), span: span() })
}

/// The formula that `text` is.
pub(super) fn read(text: &str) -> Ltl {
    let mut reader = Reader { rest: text };
    let formula = reader.formula();
    assert_eq!(reader.rest.trim(), "", "read to the end of {text}");
    formula
}

/// The formula for `spin -f`, which does not know `W`.
pub(super) fn spin_text(f: &Ltl) -> String {
    let one = |operator: &str, a: &Ltl| format!("{operator}({})", spin_text(a));
    let two = |a: &Ltl, operator: &str, b: &Ltl| format!("({}) {operator} ({})", spin_text(a), spin_text(b));
    match f {
        Ltl::Atom(expr) => expr_text(expr),
        Ltl::Not(a) => one("!", a),
        Ltl::Next(a) => one("X", a),
        Ltl::Always(a) => one("[]", a),
        Ltl::Eventually(a) => one("<>", a),
        Ltl::And(a, b) => two(a, "&&", b),
        Ltl::Or(a, b) => two(a, "||", b),
        Ltl::Implies(a, b) => two(a, "->", b),
        Ltl::Iff(a, b) => two(a, "<->", b),
        Ltl::Until(a, b) => two(a, "U", b),
        Ltl::Release(a, b) => two(a, "V", b),
        Ltl::WeakUntil(a, b) => format!("({1}) V (({0}) || ({1}))", spin_text(a), spin_text(b)),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(token);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn formula(&mut self) -> Ltl {
        type Binary = fn(Box<Ltl>, Box<Ltl>) -> Ltl;
        let operators: [(&str, Binary); 7] = [
            ("&&", Ltl::And),
            ("||", Ltl::Or),
            ("->", Ltl::Implies),
            ("<->", Ltl::Iff),
            ("U", Ltl::Until),
            ("W", Ltl::WeakUntil),
            ("V", Ltl::Release),
        ];
        let left = self.operand();
        match operators.into_iter().find(|(token, _)| self.eat(token)) {
            Some((_, build)) => build(Box::new(left), Box::new(self.formula())),
            None => left,
        }
    }

    fn operand(&mut self) -> Ltl {
        type Unary = fn(Box<Ltl>) -> Ltl;
        let operators: [(&str, Unary); 4] =
            [("!", Ltl::Not), ("X", Ltl::Next), ("[]", Ltl::Always), ("<>", Ltl::Eventually)];
        if let Some((_, build)) = operators.into_iter().find(|(token, _)| self.eat(token)) {
            return build(Box::new(self.operand()));
        }
        if self.eat("(") {
            let inner = self.formula();
            assert!(self.eat(")"), "a bracket before {}", self.rest);
            return inner;
        }
        if self.eat("true") {
            return constant(true);
        }
        if self.eat("false") {
            return constant(false);
        }
        let (name, rest) = self.rest.split_at(1);
        self.rest = rest;
        atom(name)
    }
}
