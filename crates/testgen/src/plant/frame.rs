//! The position of a planted statement: what is put around it.

use super::statement::is_declaration;
use super::{Place, Plant};
use crate::ast::*;

impl Plant {
    /// A model with this statement in this position. Where the combination is impossible, the statement is another.
    pub(super) fn statement_cell(&mut self, row: &str, column: &str) {
        let place = Place {
            claim: column.starts_with("claim"),
            d_step: column.contains("d_step"),
            in_loop: column.starts_with("do") || column.starts_with("for") || row == "break",
        };
        self.place = place;
        let stmt = self.statement(row);
        let mut body = self.frame(column, stmt);
        // `break` leaves the loop around the frame.
        if row == "break" && !column.starts_with("do") && !column.starts_with("for") {
            body = vec![Stmt::Choice(true, vec![body])];
        }
        if place.claim {
            if row == "goto" {
                body.push(Stmt::Labelled("accept_here".to_owned(), Box::new(Stmt::Text("h < 3".to_owned()))));
                if column == "claim last" {
                    body.rotate_right(1);
                }
            }
            self.program.never = Some(body);
            body = vec![self.filler(), self.filler()];
        } else if row == "return" {
            let name = self.fresh("ret");
            self.program.inlines.push(Inline { name: name.clone(), params: vec!["a".to_owned()], body });
            body = vec![Stmt::Text(format!("x = {name}(h)"))];
        } else if column.starts_with("inline") {
            let name = self.fresh("inl");
            self.program.inlines.push(Inline { name: name.clone(), params: vec![], body });
            body = vec![Stmt::Inline(name, vec![])];
        }
        self.place = Place::default();
        self.process(column, body);
    }

    /// Process `P` with this body.
    pub(super) fn process(&mut self, column: &str, body: Body) {
        let mut process = Process::active("P");
        process.body = vec![Stmt::Text("byte x, y".to_owned()), Stmt::Text("bit once".to_owned())];
        process.body.push(Stmt::Text("In t".to_owned()));
        process.body.push(Stmt::Text("Flat lf".to_owned()));
        if !column.starts_with("process") && self.rng.percent(40) {
            process.body.push(self.filler());
        }
        process.body.extend(body);
        if !column.starts_with("process") && self.rng.percent(50) {
            process.body.push(self.filler());
        }
        if self.rng.percent(15) {
            process.active = Some(2);
        }
        self.program.processes.push(process);
    }

    /// The statement in its position, as a body (of the process, the inline or the claim).
    fn frame(&mut self, column: &str, stmt: Stmt) -> Body {
        let (around, which) = column.rsplit_once(' ').unwrap_or((column, ""));
        if around == "do" && starts_process(&stmt) {
            return vec![Stmt::Choice(true, vec![self.run_once(which, stmt), vec![self.guard(), Stmt::Word("break")]])];
        }
        if matches!(which, "first" | "middle" | "last") {
            let body = self.row_of(which, stmt);
            return self.around(around, body);
        }
        let label = self.fresh("T");
        match column {
            "within atomic" => vec![Stmt::Block(Bracket::Atomic, vec![self.nested(stmt)])],
            "within d_step" => vec![Stmt::Block(Bracket::DStep, vec![self.nested(stmt)])],
            "within unless main" => vec![Stmt::Unless(vec![self.nested(stmt)], self.escape())],
            "within unless escape" => {
                let main = vec![self.filler(), self.filler()];
                vec![Stmt::Unless(main, vec![self.guard(), self.nested(stmt)])]
            }
            "after label" => {
                let kind = self.pick(&["T", "end", "accept", "progress"]);
                let mut labelled = Stmt::Labelled(format!("{kind}{label}"), Box::new(stmt));
                if self.rng.percent(20) {
                    labelled = Stmt::Labelled(label, Box::new(labelled));
                }
                vec![self.filler(), labelled, self.filler()]
            }
            "before label" => {
                let next = self.labelled_filler();
                vec![self.filler(), stmt, Stmt::Labelled(label, Box::new(next))]
            }
            "after assignment" => vec![self.assignment(), stmt, self.filler()],
            "target of goto" => {
                let target = Stmt::Labelled(label.clone(), Box::new(stmt));
                vec![self.filler(), target, self.filler(), jump_once(&label)]
            }
            "target of goto from atomic" => {
                let target = Stmt::Labelled(label.clone(), Box::new(stmt));
                let jump = Stmt::Block(Bracket::Atomic, vec![self.filler(), jump_once(&label)]);
                vec![self.filler(), target, self.filler(), jump]
            }
            _ => {
                let target = Stmt::Labelled(label.clone(), Box::new(stmt));
                let inside = vec![self.filler(), target, self.filler()];
                vec![Stmt::Block(Bracket::Atomic, inside), self.filler(), jump_once(&label)]
            }
        }
    }

    /// An option that starts a process once, not again and again.
    fn run_once(&mut self, which: &str, run: Stmt) -> Body {
        match which {
            "first" => vec![run, Stmt::Word("break")],
            "middle" => vec![self.filler(), run, Stmt::Word("break")],
            _ => vec![Stmt::Text("once == 0".to_owned()), Stmt::Text("once = 1".to_owned()), run],
        }
    }

    fn row_of(&mut self, which: &str, stmt: Stmt) -> Body {
        match which {
            "first" => vec![stmt, self.filler()],
            "middle" => vec![self.filler(), stmt, self.filler()],
            _ => vec![self.filler(), stmt],
        }
    }

    fn around(&mut self, around: &str, body: Body) -> Body {
        match around {
            "if" => {
                let other = vec![self.guard(), self.filler()];
                vec![Stmt::Choice(false, vec![body, other])]
            }
            "do" => {
                let mut options = vec![body];
                if self.rng.percent(80) {
                    options.push(vec![self.guard(), Stmt::Word("break")]);
                }
                vec![Stmt::Choice(true, options)]
            }
            "atomic" => vec![Stmt::Block(Bracket::Atomic, body)],
            "d_step" => vec![Stmt::Block(Bracket::DStep, body)],
            "unless main" => vec![Stmt::Unless(body, self.escape())],
            "unless escape" => {
                let main = vec![self.filler(), self.filler()];
                vec![Stmt::Unless(main, body)]
            }
            "block" => vec![Stmt::Block(Bracket::Plain, body)],
            "for" => vec![Stmt::For(Place::plain_y(), Expr::Num(0), Expr::Num(1), body)],
            _ => body,
        }
    }

    /// The statement inside a choice.
    fn nested(&mut self, stmt: Stmt) -> Stmt {
        let mut options = vec![vec![stmt]];
        if self.rng.percent(50) {
            options.push(vec![self.guard(), self.filler()]);
        }
        // An option needs a statement besides a declaration.
        let declares = matches!(&options[0][0], Stmt::Text(text) if text.starts_with('x') || is_declaration(text));
        if declares || self.rng.percent(30) {
            options[0].push(self.filler());
        }
        Stmt::Choice(false, options)
    }

    fn escape(&mut self) -> Body {
        let mut escape = vec![self.guard()];
        if self.rng.percent(60) {
            escape.push(self.filler());
        }
        escape
    }
}

fn starts_process(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Text(text) if text.contains("run "))
}

/// `if :: once == 0 -> once = 1; goto … :: else fi`: the body is executed twice.
fn jump_once(label: &str) -> Stmt {
    let again =
        vec![Stmt::Text("once == 0".to_owned()), Stmt::Text("once = 1".to_owned()), Stmt::Goto(label.to_owned())];
    Stmt::Choice(false, vec![again, vec![Stmt::Word("else")]])
}

impl Place {
    fn plain_y() -> crate::ast::Place {
        crate::ast::Place::plain("y")
    }
}
