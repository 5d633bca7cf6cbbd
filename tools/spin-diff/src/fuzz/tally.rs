//! Counting what came of the programs, and what the programs are like.

use super::judge::Outcome;
use selvedge_testgen::Program;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The figures of a campaign.
#[derive(Default)]
pub struct Tally {
    programs: u64,
    compared: u64,
    refused: u64,
    /// Programs on which the tools differ.
    pub disagreements: u64,
    /// Why programs were not compared, with an example each.
    reasons: BTreeMap<String, (u64, u64)>,
    /// Kinds of errors among the compared.
    kinds: BTreeMap<String, u64>,
    /// How many compared programs use a construct.
    constructs: BTreeMap<&'static str, u64>,
    /// States of each compared program.
    states: Vec<u64>,
    statements: u64,
    unreached: u64,
}

/// What to look for in the text of programs.
const CONSTRUCTS: [&str; 34] = [
    "atomic {",
    "d_step {",
    "unless",
    "timeout",
    "else",
    "for (",
    "select (",
    "goto ",
    "break",
    "inline ",
    "#define",
    "typedef",
    "chan ",
    "[0] of",
    "!!",
    "??",
    "?<",
    "?[",
    "eval(",
    "run ",
    "init",
    "provided",
    "priority",
    "_last",
    "_nr_pr",
    "enabled(",
    "pc_value(",
    "never",
    "@",
    "trace {",
    "hidden",
    "unsigned",
    "mtype",
    "full(",
];

impl Tally {
    /// Notes one program.
    pub fn count(&mut self, index: u64, program: &Program, outcome: &Outcome) {
        self.programs += 1;
        match outcome {
            Outcome::RefusedBySpin(why) => {
                self.refused += 1;
                self.reason(format!("refused by spin: {}", without_place(why)), index);
            }
            Outcome::NotComparable(why) => self.reason(without_place(why), index),
            Outcome::Disagreed(_) => {
                self.compared += 1;
                self.disagreements += 1;
            }
            Outcome::Agreed(report) => {
                self.compared += 1;
                self.states.push(report.states);
                let figures = report.figures();
                *self.kinds.entry(figures.kinds_text()).or_default() += 1;
                let text = program.to_string();
                for construct in CONSTRUCTS.iter().filter(|c| text.contains(**c)) {
                    *self.constructs.entry(construct).or_default() += 1;
                }
                self.unreached += report.unreached.len() as u64;
                self.statements += report.statements;
            }
        }
    }

    fn reason(&mut self, why: String, index: u64) {
        self.reasons.entry(why).or_insert((0, index)).0 += 1;
    }

    /// One line.
    pub fn summary(&self) -> String {
        format!(
            "{} programs, {} compared, {} refused by spin, {} disagreements",
            self.programs, self.compared, self.refused, self.disagreements
        )
    }

    /// Why programs were left out; with `all`, also what the others are like.
    pub fn report(&self, all: bool) -> String {
        let mut text = String::new();
        for (why, (count, example)) in &self.reasons {
            let _ = writeln!(text, "{count:6}  {why} (first: {example})");
        }
        if !all || self.states.is_empty() {
            return text;
        }
        let mut states = self.states.clone();
        states.sort_unstable();
        let quantile = |percent: usize| states[(states.len() - 1) * percent / 100];
        let quantiles = [0, 10, 25, 50, 75, 90, 99, 100].map(quantile);
        let _ = writeln!(text, "states at 0, 10, 25, 50, 75, 90, 99, 100 %: {quantiles:?}");
        let share = 100.0 * self.unreached as f64 / self.statements.max(1) as f64;
        let _ = writeln!(text, "unreached statements: {share:.1} %");
        for (kinds, count) in &self.kinds {
            let _ = writeln!(text, "{count:6}  errors: {kinds}");
        }
        for (construct, count) in &self.constructs {
            let _ = writeln!(text, "{count:6}  use {construct}");
        }
        text
    }
}

/// A message of Spin without its place, and without the names and numbers in it.
fn without_place(message: &str) -> String {
    let after = message.split_once("Error: ").map_or(message, |(_, rest)| rest);
    let after = after.split("statement separator").next().unwrap_or(after);
    let telling = |word: &&str| !word.contains(|c: char| c.is_ascii_digit() || c == '/');
    after.split_whitespace().filter(telling).collect::<Vec<_>>().join(" ")
}
