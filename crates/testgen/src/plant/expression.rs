//! One expression of each kind, in each use.

use super::{Place, Plant};
use crate::ast::*;

impl Plant {
    /// A model with this expression in this use.
    pub(super) fn expression_cell(&mut self, row: &str, column: &str) {
        let claim = matches!(column, "claim" | "formula");
        self.place = Place { claim, ..Place::default() };
        let local = !claim && column != "provided";
        let expr = self.expression(row, local);
        let mut provided = None;
        let text = |text: String| vec![Stmt::Text(text)];
        let mut body = match column {
            "condition" => text(expr),
            "guard of option" => {
                let other = vec![self.guard(), self.filler()];
                vec![Stmt::Choice(
                    self.rng.percent(30) && row != "run",
                    vec![vec![Stmt::Text(expr), self.filler()], other],
                )]
            }
            "assigned value" => text(format!("{} = {expr}", self.pick(&["x", "g", "n", "s.a"]))),
            "assert" => text(format!("assert({expr})")),
            "sent value" => text(format!("{}!{expr}", self.pick(&["c", "d", "cc[1]"]))),
            "eval" => text(format!("c{}eval({expr})", self.pick(&["?", "??"]))),
            "index" => text(format!("arr[({expr}) & 1] = {}", self.pick(&["1", "arr[0]", "x"]))),
            "printed value" => text(format!("printf(\"%d\\n\", {expr})")),
            "run argument" => text(format!("run R({expr}, c)")),
            "provided" => {
                provided = Some(Expr::word(expr));
                vec![self.filler(), self.filler()]
            }
            "claim" => self.claim_of(row, expr),
            "formula" => self.formula_of(&expr),
            "initialiser" => text(format!("{} z = {expr}", self.pick(&["byte", "int", "short"]))),
            "for bound" => {
                let (from, to) = (self.pick(&["0", "1"]), format!("({expr}) & 1"));
                vec![Stmt::For(crate::ast::Place::plain("y"), Expr::word(from), Expr::word(to), vec![self.filler()])]
            }
            _ => text(format!("select (x : 0 .. ({expr}) & 1)")),
        };
        self.place = Place::default();
        if !matches!(column, "initialiser" | "claim" | "formula") && self.rng.percent(35) {
            body = match self.rng.below(3) {
                0 => vec![Stmt::Block(Bracket::Atomic, body)],
                1 => vec![Stmt::Unless(body, vec![self.guard()])],
                _ => vec![self.assignment(), body.remove(0)],
            };
        }
        self.process(column, body);
        let process = self.program.processes.last_mut().expect("just added");
        process.provided = provided;
        if row.contains("priority") {
            process.priority = Some(2);
        }
    }

    /// A claim that waits for the expression.
    fn claim_of(&mut self, row: &str, expr: String) -> Body {
        let condition = vec![Stmt::Text(expr), Stmt::Word("break")];
        let otherwise = row != "np_" && self.rng.percent(60);
        let other = vec![Stmt::Word(if otherwise { "else" } else { "skip" })];
        let mut claim = vec![Stmt::Choice(true, vec![condition, other])];
        if self.rng.percent(30) {
            claim.push(Stmt::Labelled("accept_c".to_owned(), Box::new(Stmt::Text("h < 3".to_owned()))));
        }
        self.program.never = Some(claim);
        self.fillers()
    }

    /// A formula about the expression.
    fn formula_of(&mut self, expr: &str) -> Body {
        let other = self.formula(1);
        self.program.formula = Some(match self.rng.below(4) {
            0 => format!("[] ({expr})"),
            1 => format!("<> ({expr})"),
            2 => format!("({expr}) U ({other})"),
            _ => format!("[] (({expr}) -> <> ({other}))"),
        });
        self.fillers()
    }

    fn fillers(&mut self) -> Body {
        self.place = Place::default();
        vec![self.filler(), self.filler(), self.filler()]
    }

    /// An expression of this kind; `local` says whether variables of the process can be used.
    pub(super) fn expression(&mut self, row: &str, local: bool) -> String {
        let (x, y) = if local { (self.pick(&["x", "y", "h", "g"]), "y") } else { (self.pick(&["h", "g"]), "h") };
        let small = self.pick(&["0", "1", "2", "3"]);
        match row {
            "constant" => self.pick(&["0", "1", "2", "true", "false", "'a'", "red", "255"]).to_owned(),
            "variable" => self.pick(&["h", "g", "flag", "b", "u", "sh", "m", "who", "n"]).to_owned(),
            "element" => format!("arr[{}]", self.pick(&["0", "1", "h & 1"])),
            "field" => self.pick(&["s.a", "o.k", "ss[1].a"]).to_owned(),
            "element of field" => self.pick(&["s.h[1]", "s.h[h & 1]"]).to_owned(),
            "_pid" | "_last" | "_nr_pr" | "_priority" | "timeout" | "np_" => row.to_owned(),
            "!" | "-" | "~" => format!("{row}{x}"),
            "/" | "%" => format!("{x} {row} {}", self.pick(&["2", "3", "(h + 1)", y])),
            "<<" | ">>" => format!("{x} {row} {}", self.pick(&["1", "2", "h"])),
            "- (infix)" => format!("{x} - {small}"),
            "conditional" => format!("({x} == {small} -> {y} : 1)"),
            "run" => self.pick(&["run R(1, c)", "run R(0, d)", "run R(1, c) priority 2", "run S(fl)"]).to_owned(),
            "len" | "empty" | "nempty" | "full" | "nfull" => {
                format!("{row}({})", self.pick(&["c", "e", "cc[1]", "o.w"]))
            }
            "poll" => self.pick(&["c?[1]", "c?[0]", "e?[red, _]", "c?[eval(h)]", "cc[0]?[1]"]).to_owned(),
            "random poll" => self.pick(&["c??[1]", "c??[0]", "e??[red, 1]"]).to_owned(),
            "enabled" | "pc_value" | "get_priority" => {
                let pid = if local { self.pick(&["0", "1", "_pid"]) } else { self.pick(&["0", "1"]) };
                format!("{row}({pid})")
            }
            "set_priority" => "set_priority(_pid, 3)".to_owned(),
            "remote label" => self.pick(&["Q[0]@here", "Q[1]@here"]).to_owned(),
            "remote label without pid" => "Q@here".to_owned(),
            "remote variable" => self.pick(&["Q[0]:x", "Q[1]:y"]).to_owned(),
            "remote variable without pid" => "Q:x".to_owned(),
            operator => format!("{x} {operator} {small}"),
        }
    }

    /// A formula.
    pub(super) fn formula(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.percent(20) {
            return self
                .pick(&["h < 2", "flag", "h == 0", "Q[0]@here", "Q@here", "len(c) == 0", "s.a != 1"])
                .to_owned();
        }
        let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
        match self.rng.below(12) {
            0 | 1 => format!("[] ({a})"),
            2 => format!("<> ({a})"),
            3 => format!("X ({a})"),
            4 => format!("!({a})"),
            5 => format!("({a}) && ({b})"),
            6 => format!("({a}) || ({b})"),
            7 => format!("({a}) -> ({b})"),
            8 => format!("({a}) <-> ({b})"),
            9 => format!("({a}) U ({b})"),
            10 => format!("({a}) W ({b})"),
            _ => format!("({a}) V ({b})"),
        }
    }
}
