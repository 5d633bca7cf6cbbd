//! An installed SMT solver through a pipe: the system in SMT-LIB's language on its standard input, its answer
//! on its standard output. A model is checked here in integers; that there is none is trusted.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use selvedge_core::Budget;

use super::system::{Constraint, Refine, Relation, Solved, System};

/// The supported solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Z3.
    Z3,
    /// cvc5.
    Cvc5,
}

impl Program {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Program::Z3 => "z3",
            Program::Cvc5 => "cvc5",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Program::Z3 => &["-in", "-smt2"],
            Program::Cvc5 => &["--lang=smt2", "--produce-models"],
        }
    }

    /// Whether it is installed.
    pub fn is_installed(self) -> bool {
        let version = Command::new(self.name()).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    }
}

/// Decides a system, repeated with what [`Refine`] adds to each model.
pub fn solve<R: Refine>(program: Program, system: &System, refine: &R, budget: &Budget) -> Solved {
    let mut clauses: Vec<Vec<Vec<Constraint>>> = Vec::new();
    loop {
        let answer = run_solver(program, &script(system, &clauses), budget);
        let values = match answer.map(|text| read(&text, system.variables())) {
            Ok(Some(Reply::Model(values))) => values,
            Ok(Some(Reply::Unsatisfiable)) => return Solved::Unsatisfiable,
            Ok(None) => return Solved::Unknown(format!("{} gave an unreadable answer", program.name())),
            Err(ended) => return ended,
        };
        let holds = |constraints: &Vec<Constraint>| constraints.iter().all(|constraint| constraint.holds(&values));
        if !system.holds(&values) || !clauses.iter().all(|clause| clause.iter().any(holds)) {
            return Solved::Unknown(format!("the model of {} does not satisfy the formula", program.name()));
        }
        match refine.refine(&values) {
            None => return Solved::Model(values),
            Some(alternatives) => clauses.push(alternatives),
        }
    }
}

/// The system in SMT-LIB's language.
fn script(system: &System, clauses: &[Vec<Vec<Constraint>>]) -> String {
    let mut text = String::from("(set-option :produce-models true)\n(set-logic QF_LIA)\n");
    for var in 0..system.variables() {
        let _ = writeln!(text, "(declare-const x{var} Int)\n(assert (>= x{var} 0))");
    }
    for constraint in system.constraints() {
        let _ = writeln!(text, "(assert {})", formula(constraint));
    }
    for clause in clauses {
        let each =
            clause.iter().map(|all| all.iter().map(formula).fold(String::from("(and true"), |a, b| a + " " + &b));
        let _ = writeln!(text, "(assert (or false {}))", each.map(|all| all + ")").collect::<Vec<_>>().join(" "));
    }
    text.push_str("(check-sat)\n(get-value (");
    for var in 0..system.variables() {
        let _ = write!(text, "x{var} ");
    }
    text.push_str("))\n(exit)\n");
    text
}

fn formula(constraint: &Constraint) -> String {
    let number = |n: i64| if n < 0 { format!("(- {})", n.unsigned_abs()) } else { n.to_string() };
    let terms: Vec<String> =
        constraint.terms().iter().map(|(var, c)| format!("(* {} x{})", number(*c), var.0)).collect();
    let relation = match constraint.relation {
        Relation::Equal => "=",
        Relation::AtMost => "<=",
        Relation::AtLeast => ">=",
    };
    format!("({relation} (+ 0 0 {}) {})", terms.join(" "), number(constraint.bound))
}

/// Runs the solver; the budget ends it.
fn run_solver(program: Program, script: &str, budget: &Budget) -> Result<String, Solved> {
    let failed = |what: &str| Solved::Unknown(format!("{}: {what}", program.name()));
    let mut child = Command::new(program.name())
        .args(program.arguments())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&format!("could not be started: {error}")))?;
    let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed("has no pipes"));
    };
    let script = script.to_owned();
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    wait(&mut child, budget)?;
    // A solver that ends early does not read everything; its answer is still valid.
    let _ = writer.join();
    match reader.join() {
        Ok(Ok(text)) => Ok(text),
        _ => Err(failed("its output cannot be read")),
    }
}

fn wait(child: &mut Child, budget: &Budget) -> Result<(), Solved> {
    loop {
        match child.try_wait() {
            Ok(Some(_)) => return Ok(()),
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => return Err(Solved::Unknown(error.to_string())),
        }
        if let Some(reason) = budget.check(0, 0) {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Solved::Stopped(reason));
        }
    }
}

enum Reply {
    Model(Vec<u64>),
    Unsatisfiable,
}

/// Reads `sat ((x0 3) (x1 0) …)` or `unsat`.
fn read(text: &str, variables: usize) -> Option<Reply> {
    let spaced = text.replace(['(', ')'], " ");
    let mut words = spaced.split_whitespace();
    match words.next()? {
        "unsat" => return Some(Reply::Unsatisfiable),
        "sat" => {}
        _ => return None,
    }
    let mut values = vec![None; variables];
    while let Some(name) = words.next() {
        let index: usize = name.strip_prefix('x')?.parse().ok()?;
        *values.get_mut(index)? = Some(words.next()?.parse().ok()?);
    }
    Some(Reply::Model(values.into_iter().collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_reads_as_smt_lib_and_answers_are_understood() {
        let mut system = System::default();
        let (x, y) = (system.variable(), system.variable());
        system.require(Constraint::new(vec![(x, 1), (y, -2)], Relation::AtMost, -1));
        let clause =
            vec![vec![Constraint::sum([x], Relation::Equal, 0)], vec![Constraint::sum([y], Relation::AtLeast, 3)]];
        let text = script(&system, &[clause]);
        assert!(text.contains("(assert (<= (+ 0 0 (* 1 x0) (* (- 2) x1)) (- 1)))"), "{text}");
        assert!(text.contains("(assert (or false (and true (= (+ 0 0 (* 1 x0)) 0)) (and true (>="), "{text}");
        assert!(matches!(read("sat\n((x0 3)\n (x1 0))\n", 2), Some(Reply::Model(values)) if values == [3, 0]));
        assert!(matches!(read("unsat\n(error \"no model\")", 2), Some(Reply::Unsatisfiable)));
        assert!(read("sat\n((x0 3))", 2).is_none());
        assert!(read("unknown", 2).is_none());
    }
}
