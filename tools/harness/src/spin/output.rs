//! Reading what a Spin verifier prints.
//!
//! With `-c0` every error is counted, and printed as `pan:7: message (at depth 12)` whenever its message differs from
//! that of the error before. [`LineFilter`] keeps the first of each message, [`PanReport`] is made of what is left.

use crate::figures::{ErrorKind, Figures};
use std::collections::BTreeSet;

/// The figures of one run of `pan`.
#[derive(Clone, Debug, Default)]
pub struct PanReport {
    /// "states, stored".
    pub states: u64,
    /// "transitions (= stored+matched)", without the one pan counts for the initial state.
    pub transitions: u64,
    /// "errors: N".
    pub errors: u64,
    /// The distinct messages of the errors, in the order of their first appearance.
    pub messages: Vec<String>,
    /// "never claim +": there is one, and it took part.
    pub claim: bool,
    /// "depth reached".
    pub depth: u64,
    /// "max search depth too small" was printed: the figures are not those of the full search.
    pub depth_exceeded: bool,
    /// "Warning: Search not completed" was *not* printed.
    pub completed: bool,
    /// Memory for states in bytes: the actual one where pan prints it, else the "equivalent" one.
    pub state_bytes: f64,
    /// "unreached" statements, one line each.
    pub unreached: Vec<String>,
    /// The number of statements, reached or not.
    pub statements: u64,
}

impl PanReport {
    /// Reads a report; `None` if the text has no figures in it.
    pub fn parse(text: &str) -> Option<PanReport> {
        let mut report = PanReport { completed: true, ..PanReport::default() };
        let mut figures = 0;
        for line in text.lines() {
            let words = line.trim();
            if let Some(message) = error_message(line) {
                report.messages.push(message.to_owned());
            } else if words.starts_with("error: max search depth too small") {
                report.depth_exceeded = true;
            } else if let Some(part) = words.strip_prefix("never claim") {
                report.claim = part.trim().starts_with('+');
            } else if words.starts_with("Warning: Search not completed") {
                report.completed = false;
            } else if let Some((_, rest)) = words.split_once("depth reached ") {
                let (depth, errors) = rest.split_once(", errors: ")?;
                report.depth = depth.parse().ok()?;
                report.errors = errors.parse().ok()?;
            } else if let Some((count, rest)) = words.split_once(' ') {
                match rest.trim() {
                    "states, stored" => (report.states, figures) = (number(count)?, figures + 1),
                    "transitions (= stored+matched)" => {
                        (report.transitions, figures) = (number(count)?.saturating_sub(1), figures + 1);
                    }
                    _ => report.memory(line),
                }
            }
            if line.starts_with('\t') && line.contains(", state ") {
                report.unreached.push(words.to_owned());
            }
            if let Some((_, total)) = words.strip_suffix(" states)").and_then(|w| w.split_once(" of ")) {
                report.statements += total.parse().unwrap_or(0);
            }
        }
        (figures == 2).then_some(report)
    }

    /// The lines about memory: megabytes, a tab, and what it is.
    fn memory(&mut self, line: &str) {
        let Some((megabytes, what)) = line.trim().split_once('\t') else { return };
        let actual = what.starts_with("actual memory usage for states");
        if actual || what.starts_with("equivalent memory usage for states") {
            self.state_bytes = megabytes.parse::<f64>().unwrap_or(0.0) * 1024.0 * 1024.0;
        }
    }

    /// What an implementation of the same semantics must agree on.
    pub fn figures(&self) -> Figures {
        let kinds: BTreeSet<ErrorKind> = self.messages.iter().map(|m| ErrorKind::of_pan(m)).collect();
        Figures { states: self.states, transitions: self.transitions, kinds }
    }

    /// The error printed last, for runs that stopped because of it.
    pub fn last_message(&self) -> String {
        self.messages.last().cloned().unwrap_or_else(|| "search not completed".to_owned())
    }
}

/// Counts are printed with `%9.8g`: beyond eight digits in scientific notation.
fn number(text: &str) -> Option<u64> {
    text.parse::<f64>().ok().map(|n| n as u64)
}

/// The message of a line such as `pan:7: assertion violated (x!=2) (at depth 12)`.
fn error_message(line: &str) -> Option<&str> {
    let (serial, message) = line.strip_prefix("pan:")?.split_once(": ")?;
    serial.parse::<u64>().ok()?;
    Some(message.rsplit_once(" (at depth ").map_or(message, |(m, _)| m).trim())
}

/// Drops repeated errors while the verifier prints them.
#[derive(Default)]
pub struct LineFilter {
    seen: BTreeSet<String>,
}

impl LineFilter {
    /// Whether a line of the verifier's output is worth keeping.
    pub fn keep(&mut self, line: &str) -> bool {
        error_message(line).is_none_or(|m| self.seen.insert(m.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
pan:1: assertion violated (x!=2) (at depth 5)
pan:3: invalid end state (at depth 7)

(Spin Version 6.5.2 -- 6 December 2019)

State-vector 28 byte, depth reached 25, errors: 11
       40 states, stored
       44 states, matched
       84 transitions (= stored+matched)
        8 atomic steps
hash conflicts:         0 (resolved)

Stats on memory usage (in Megabytes):
    9.543\tequivalent memory usage for states (stored*(State-vector + overhead))
    7.519\tactual memory usage for states (compression: 78.80%)
";

    #[test]
    fn reads_a_report() {
        let report = PanReport::parse(TEXT).unwrap();
        assert_eq!((report.states, report.transitions, report.errors), (40, 83, 11));
        assert_eq!((report.depth, report.completed, report.depth_exceeded), (25, true, false));
        assert_eq!(report.messages, ["assertion violated (x!=2)", "invalid end state"]);
        assert!((report.state_bytes - 7.519 * 1024.0 * 1024.0).abs() < 1.0);
        let kinds = report.figures().kinds;
        assert!(kinds.contains(&ErrorKind::Assertion) && kinds.contains(&ErrorKind::EndState));
    }

    #[test]
    fn keeps_the_first_of_each_error() {
        let mut filter = LineFilter::default();
        assert!(filter.keep("pan:1: invalid end state (at depth 7)\n"));
        assert!(!filter.keep("pan:2: invalid end state (at depth 9)\n"));
        assert!(filter.keep("anything else\n"));
    }
}
