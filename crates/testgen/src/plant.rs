//! Models in which a chosen construct stands in a chosen position. The models of [`program`](crate::program) have the
//! constructs that occur often in the positions where they occur often; these have every one everywhere.
//!
//! The index of a model chooses the cell of the [coverage](crate::coverage) table. What surrounds it is random: few
//! processes `P` (with the construct), `Q` and sometimes `R`, started by `run`, with small domains.

mod expression;
mod frame;
mod statement;

use crate::ast::*;
use crate::coverage::{EXPRESSIONS, POSITIONS, STATEMENTS, USES};
use crate::rng::Rng;

/// Statements of a process that knows two channels, which may be one. Sequences may stop in their middle, where others see
/// what `h` is.
const TWO_NAMES: &[&str] = &[
    "atomic { nempty(v) && nempty(w) -> v?y; h = 1; w?y; h = 2 }",
    "atomic { nfull(v) && nfull(w) -> v!1; h = 1; w!1; h = 0 }",
    "atomic { nempty(v) && nfull(w) -> v?y; h = 1; w!y; h = 0 }",
    "atomic { h = 1; w!1 }",
    "atomic { h = 1; v?y; h = 2 }",
    "v!1",
    "w?y",
    "assert(h != 1)",
];

/// A model being made.
struct Plant {
    rng: Rng,
    program: Program,
    serial: u32,
    /// Statements that may still contain others.
    nesting: u32,
    /// Where the next statement is.
    place: Place,
    /// `goto stop` occurs: the label is needed.
    jumps: bool,
}

/// What is allowed where a statement is made.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    claim: bool,
    d_step: bool,
    /// Inside a loop: `break` is allowed, and processes should not be started again and again.
    in_loop: bool,
}

/// The model of a seed and index.
pub(crate) fn planted(seed: u64, index: u64) -> Program {
    let (statements, expressions) = (STATEMENTS.len() * POSITIONS.len(), EXPRESSIONS.len() * USES.len());
    // Not in the order of the table: any range of indices is a mixture.
    let cell = (index / 2 * 1009) as usize % (statements + expressions);
    let mut plant = Plant {
        rng: Rng::new(seed, index),
        program: Program::default(),
        serial: 0,
        nesting: 3,
        place: Place::default(),
        jumps: false,
    };
    plant.declare();
    if cell < statements {
        plant.statement_cell(STATEMENTS[cell % STATEMENTS.len()], POSITIONS[cell / STATEMENTS.len()]);
    } else {
        let cell = cell - statements;
        plant.expression_cell(EXPRESSIONS[cell % EXPRESSIONS.len()], USES[cell / EXPRESSIONS.len()]);
    }
    plant.finish();
    plant.program
}

impl Plant {
    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.rng.below(items.len())]
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.serial += 1;
        format!("{prefix}{}", self.serial)
    }

    /// What every model declares; what it does not use has no effect.
    fn declare(&mut self) {
        self.program.mtypes = vec!["red".to_owned(), "green".to_owned()];
        let prefix = self.pick(&["", "", "", "show ", "local ", "hidden "]);
        let lines = [
            "mtype:fruit = { apple, pear }".to_owned(),
            "typedef In { byte a; byte h[2] }".to_owned(),
            "typedef Flat { byte a; byte b }".to_owned(),
            "typedef Out { byte k; In part[2]; chan w = [1] of { byte } }".to_owned(),
            format!("{} g{}", self.pick(&["byte", "byte", "short", "int", "unsigned"]), self.width_or_value()),
            "byte h; bool flag; bit b".to_owned(),
            format!("{prefix}byte k0"),
            "short sh = -1; int n; pid who; unsigned u : 2".to_owned(),
            format!("byte arr[2]{}", self.pick(&["", " = 1", " = { 1, 2 }"])),
            "mtype m = red; mtype:fruit f = pear".to_owned(),
            "In s; Out o; In ss[2]; Flat fl".to_owned(),
            format!("chan c = [{}] of {{ byte }}", self.rng.between(1, 2)),
            "chan d = [0] of { byte }".to_owned(),
            "chan e = [1] of { mtype, byte }".to_owned(),
            "chan r = [1] of { In }; chan cc[2] = [1] of { byte }; chan mob = [1] of { chan }".to_owned(),
        ];
        // `unsigned g : 2` and `byte g = 1` differ in what follows the name.
        let fixed = lines.map(|line| match line.strip_prefix("unsigned g") {
            Some(_) => "unsigned g : 2".to_owned(),
            None => line,
        });
        self.program.declarations = fixed.to_vec();
    }

    fn width_or_value(&mut self) -> &'static str {
        self.pick(&["", "", " = 1"])
    }

    /// Completes the model around what was planted in process `P`.
    fn finish(&mut self) {
        self.place = Place::default();
        let mut partner = Process::active("Q");
        partner.body = vec![Stmt::Text("byte x, y".to_owned()), Stmt::Text("In t".to_owned())];
        for _ in 0..1 + self.rng.below(3) {
            let stmt = self.filler();
            partner.body.push(stmt);
        }
        let here = self.labelled_filler();
        partner.body.push(Stmt::Labelled("here".to_owned(), Box::new(here)));
        if self.rng.percent(40) {
            partner.body.push(Stmt::Labelled("end_q".to_owned(), Box::new(Stmt::Text("c?y".to_owned()))));
        }
        if self.rng.percent(15) {
            partner.active = Some(2);
        }
        partner.deterministic = self.rng.percent(3);
        // A remote reference needs its process type declared before it.
        let refers = self.program.to_string().contains("Q[") || self.program.to_string().contains("Q:");
        let at = if refers { 0 } else { self.rng.below(2) };
        self.program.processes.insert(at, partner);
        self.without_rendezvous();
        self.add_stop();
        self.add_callees();
        if self.program.never.is_none() && self.program.formula.is_none() {
            self.add_property();
        }
    }

    /// Priorities and `enabled` cannot be combined with rendezvous.
    fn without_rendezvous(&mut self) {
        let text = self.program.to_string();
        if text.contains("priority") || text.contains("enabled(") {
            for declaration in &mut self.program.declarations {
                *declaration = declaration.replace("chan d = [0]", "chan d = [1]");
            }
        }
    }

    /// The label of `goto stop`, in every process that jumps there.
    fn add_stop(&mut self) {
        if !self.jumps {
            return;
        }
        for process in &mut self.program.processes {
            let stop = ["stop", "end_stop"][self.rng.below(2)];
            process.body.push(Stmt::Labelled("stop".to_owned(), Box::new(Stmt::Word("skip"))));
            if stop == "end_stop" {
                process.body.push(Stmt::Labelled(stop.to_owned(), Box::new(Stmt::Text("h > 2".to_owned()))));
            }
        }
    }

    /// Process types that are started by `run`, where they are.
    fn add_callees(&mut self) {
        let text = self.program.to_string();
        if text.contains("run R(") {
            let mut callee = Process { active: None, ..Process::active("R") };
            callee.params = vec![Var::plain("x", Type::Byte), Var::plain("q", Type::Chan)];
            // The initial value is computed when the process is created.
            let value = self.pick(&["", "", " = h", " = len(q)", " = nempty(c)", " = c?[1]", " = Q:x", " = Q@here"]);
            callee.body = vec![Stmt::Text(format!("byte y{value}"))];
            let steps =
                ["q!x", "q?y", "g = x", "assert(x < 2)", "h = (h + 1) % 3", "flag = !flag", "h = y", "assert(y != 1)"];
            for _ in 0..1 + self.rng.below(2) {
                callee.body.push(Stmt::Text(self.pick(&steps).to_owned()));
            }
            self.program.processes.push(callee);
        }
        if text.contains("run W(") {
            let mut callee = Process { active: None, ..Process::active("W") };
            callee.params = vec![Var::plain("v", Type::Chan), Var::plain("w", Type::Chan)];
            callee.body = vec![Stmt::Text("byte y".to_owned())];
            for _ in 0..1 + self.rng.below(2) {
                callee.body.push(Stmt::Text(self.pick(TWO_NAMES).to_owned()));
            }
            self.program.processes.push(callee);
        }
        if text.contains("run S(") {
            let mut callee = Process { active: None, ..Process::active("S") };
            callee.params = vec![Var::plain("v", Type::Struct("Flat".to_owned()))];
            callee.body = vec![Stmt::Text("v.a = v.a + 1".to_owned()), Stmt::Text("assert(v.a != 2)".to_owned())];
            self.program.processes.push(callee);
        }
    }

    /// A claim or event trace, in some models.
    fn add_property(&mut self) {
        match self.rng.below(12) {
            0 => self.program.formula = Some(self.formula(2)),
            1 => {
                let keyword = ["trace", "notrace"][self.rng.below(2)];
                let event = self.pick(&["c!_", "c?_", "c!1", "c?1"]).to_owned();
                let other = self.pick(&["c!_", "c?_"]).to_owned();
                let (event, other) = (Stmt::Text(event), Stmt::Text(other));
                let body = match self.rng.below(3) {
                    0 => vec![Stmt::Choice(true, vec![vec![event], vec![other]])],
                    1 => vec![Stmt::Choice(true, vec![vec![event, other]])],
                    _ => vec![event, other],
                };
                self.program.trace = Some(Trace { keyword, body });
            }
            _ => {}
        }
    }
}
