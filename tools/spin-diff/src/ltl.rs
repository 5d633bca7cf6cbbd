//! `cargo spin-diff ltl`: sizes of the automata that Selvedge and Spin make of the same formulas.
//!
//! The formulas are the property patterns of Dwyer, Avrunin and Corbett (absence, existence, universality, precedence,
//! response, chains) and a few that are hard for translators.

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use harness::process;
use harness::selvedge::Selvedge;
use harness::spin::install;
use harness::table::Table;

/// Compare the sizes of automata with Spin's
#[derive(clap::Args)]
pub struct Options {
    /// The selvedge to run [default: built from this repository]
    #[arg(long)]
    selvedge: Option<PathBuf>,
}

const LIMIT: Duration = Duration::from_secs(60);

const FORMULAS: &[&str] = &[
    "[] p",
    "<> p",
    "[] <> p",
    "<> [] p",
    "p U q",
    "[] (p -> <> q)",
    "[] (p -> (q U r))",
    "[] !p",
    "<> r -> (!p U r)",
    "[] (q -> [] !p)",
    "[] ((q && !r && <> r) -> (!p U r))",
    "[] (q && !r -> (!p W r))",
    "!r W (p && !r)",
    "[] (!q) || <> (q && <> p)",
    "[] (q && !r -> (!r W (p && !r)))",
    "!p W s",
    "<> r -> (!p U (s || r))",
    "[] ((q && !r && <> r) -> (!p U (s || r)))",
    "[] (q && !r -> (!p W (s || r)))",
    "<> r -> (p -> (!r U (s && !r))) U r",
    "[] ((q && !r && <> r) -> (p -> (!r U (s && !r))) U r)",
    "<> p -> (!p U (s && !p && (!p U t)))",
    "[] (p -> <> (s && <> t))",
    "[] <> p -> [] <> q",
    "([] <> p && [] <> q) -> [] <> r",
    "<> (p && <> (q && <> (r && <> s)))",
    "(p U q) U r",
    "p U (q U r)",
    "[] (p -> <> (q || <> r))",
    "([] <> p) && ([] <> q) && ([] <> r)",
];

/// States and transitions of a never claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    states: usize,
    transitions: usize,
}

fn size(claim: &str) -> Size {
    let lines = || claim.lines().map(str::trim);
    Size {
        states: lines().filter(|line| line.ends_with(':') && !line.contains(' ')).count(),
        transitions: lines().filter(|line| line.starts_with("::") || *line == "skip").count(),
    }
}

/// Runs the comparison and prints its table.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    install::ensure().map_err(io::Error::other)?;
    let selvedge = Selvedge::locate(options.selvedge.as_deref(), LIMIT)?;
    let mut table = Table::new(&["formula", "#states", "#Spin's", "#transitions", "#Spin's", "#seconds", "#Spin's"]);
    let mut totals = [0; 4];
    for formula in FORMULAS {
        let ours = process::run(selvedge.command().args(["ltl", formula]), LIMIT)?;
        let theirs = process::run(Command::new("spin").args(["-f", &format!("!({})", spins(formula))]), LIMIT)?;
        let (a, b) = (size(&ours.stdout), size(&theirs.stdout));
        for (total, number) in totals.iter_mut().zip([a.states, b.states, a.transitions, b.transitions]) {
            *total += number;
        }
        let [states, spin_states, transitions, spin_transitions] =
            [a.states, b.states, a.transitions, b.transitions].map(|n| n.to_string());
        let seconds = [ours.seconds, theirs.seconds].map(|s| format!("{s:.2}"));
        let [seconds, spin_seconds] = seconds;
        table.row(vec![
            format!("`{formula}`"),
            states,
            spin_states,
            transitions,
            spin_transitions,
            seconds,
            spin_seconds,
        ]);
    }
    let [a, b, c, d] = totals.map(|n| n.to_string());
    table.row(vec!["all".to_owned(), a, b, c, d, String::new(), String::new()]);
    println!("{table}");
    Ok(ExitCode::SUCCESS)
}

/// Spin's option `-f` knows no `W`: `p W q` is `(p U q) || [] p`.
fn spins(formula: &str) -> String {
    let Some((left, right)) = formula.split_once(" W ") else { return formula.to_owned() };
    let start = operand_start(left);
    let end = operand_end(right);
    let (p, q) = (&left[start..], &right[..end]);
    format!("{}(({p} U {q}) || [] {p}){}", &left[..start], &right[end..])
}

/// Where the operand at the end of a text begins.
fn operand_start(text: &str) -> usize {
    let mut depth = 0;
    for (index, character) in text.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' if depth == 0 => return index + 1,
            '(' => depth -= 1,
            ' ' if depth == 0 => return index + 1,
            _ => {}
        }
    }
    0
}

/// Where the operand at the beginning of a text ends.
fn operand_end(text: &str) -> usize {
    let mut depth = 0;
    for (index, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return index,
            ')' => depth -= 1,
            ' ' if depth == 0 => return index,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_states_and_transitions() {
        let claim = "never {\nT0_init:\n\tdo\n\t:: (p) -> goto accept_all\n\t:: (1) -> goto T0_init\n\tod;\naccept_all:\n\tskip\n}\n";
        assert_eq!(size(claim), Size { states: 2, transitions: 3 });
    }

    #[test]
    fn weak_until_is_written_out_for_spin() {
        assert_eq!(spins("!p W s"), "((!p U s) || [] !p)");
        assert_eq!(spins("[] (q -> (!p W (s || r)))"), "[] (q -> (((!p U (s || r)) || [] !p)))");
        assert_eq!(spins("[] p"), "[] p");
    }
}
