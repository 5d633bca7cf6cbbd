//! The answer of the symbolic engine, in words or JSON. What is proved and what is not is said in full: shared states that
//! stop growing are no proof.

use std::collections::BTreeSet;

use selvedge_boolprog::program::{NodeId, Program};
use selvedge_core::trace::{SCHEMA, TraceLocation};
use selvedge_core::{Bound, BoundKind, Layer, Stats, StopReason, Trace, Verdict};
use selvedge_report::answer::Answer;
use selvedge_report::json::{FoundViolation, Input, Properties, ReportBound, ReportViolation, Tool, stop_code};
use selvedge_report::{CheckReport, lanes};
use selvedge_symbolic::analysis::{Method, Outcome, Proof, QUIET_ROUNDS};
use selvedge_symbolic::from_pds::Converted;
use serde_json::{Value, json};

use super::method_name;
use crate::args::CheckArgs;
use crate::check::properties::Checked;
use crate::check::say::{Forms, exit_of, say};
use crate::check::{Saved, next};
use crate::console::Console;
use crate::exit::Exit;
use crate::recursive::{Model, Opened};

/// The places on the way to a violation.
pub enum Projection {
    /// Thread and node.
    Nodes(BTreeSet<(usize, NodeId)>),
    /// There is no violation.
    NoViolation,
    /// A limit ended it.
    Stopped(StopReason),
    /// The program is too large for it.
    TooLarge(String),
}

/// Everything known at the end of a run.
pub struct Told<'a> {
    /// The options.
    pub args: &'a CheckArgs,
    /// The model.
    pub opened: &'a Opened,
    /// What was analysed.
    pub program: &'a Program,
    /// Of a pushdown system, how it became a program.
    pub converted: Option<&'a Converted>,
    /// How.
    pub method: Method,
    /// What was found.
    pub outcome: &'a Outcome,
    /// The run, replayed.
    pub trace: Option<&'a Trace>,
    /// Where it was saved.
    pub saved: &'a Saved,
    /// What was checked.
    pub checked: Checked,
    /// `--error-projection`.
    pub projection: Option<Projection>,
}

/// Tells the answer.
pub fn tell(told: &Told<'_>, console: &Console) -> Exit {
    let verdict = told.verdict();
    let exit = exit_of(verdict, &told.checked);
    console.keep_answer(|| {
        let traces = told.trace.map(std::slice::from_ref).unwrap_or_default();
        Answer::new(&told.report(verdict), traces, &told.head(verdict), &told.opened.sources)
    });
    let forms =
        Forms { json: &|| told.json(verdict), head: &|| told.head(verdict), text: &|| told.text(verdict, console) };
    say(&forms, told.args, &told.opened.path, console);
    exit
}

impl Told<'_> {
    fn verdict(&self) -> Verdict {
        let outcome = self.outcome;
        match (&outcome.violation, outcome.stop) {
            (Some(_), _) => Verdict::Violated,
            (None, _) if self.checked.nothing() => Verdict::Inconclusive,
            (None, StopReason::Exhausted) if outcome.proof.is_some() => Verdict::Holds,
            (None, StopReason::Exhausted) => Verdict::HoldsWithinBound,
            (None, _) => Verdict::Inconclusive,
        }
    }

    /// The rounds that were explored completely.
    fn covered(&self) -> u32 {
        self.outcome.rounds.last().map_or(0, |round| round.number)
    }

    /// The bound of the answer.
    fn bound(&self) -> Bound {
        let reached = self.outcome.violation.as_ref().map_or(self.covered(), |violation| violation.rounds);
        let value = match self.outcome.proof {
            Some(_) => None,
            None => Some(self.args.bounds.rounds.filter(|_| self.outcome.violation.is_none()).unwrap_or(reached)),
        };
        Bound { kind: BoundKind::Rounds, value }
    }

    fn shared(&self) -> f64 {
        self.outcome.rounds.last().map_or(0.0, |round| round.shared)
    }

    fn head(&self, verdict: Verdict) -> String {
        match verdict {
            _ if self.outcome.violation.is_none() && self.checked.nothing() => {
                "nothing was checked: the run has no property of any kind\n".to_owned()
            }
            Verdict::Violated => self.violated(),
            Verdict::Holds => self.holds(),
            Verdict::HoldsWithinBound => self.within_bound(),
            Verdict::Inconclusive => self.inconclusive(),
        }
    }

    fn violated(&self) -> String {
        let Some(violation) = self.trace.and_then(|trace| trace.violation.as_ref()) else {
            return "violated\n".to_owned();
        };
        let place = violation.location.as_ref().map(|place| format!("at {place} — ")).unwrap_or_default();
        let (preemptions, switches) = (count(violation.preemptions, "preemption"), plural(violation.switches));
        let steps = count(violation.length, "step");
        let covered = match self.covered() {
            0 => String::new(),
            rounds => format!("; no violation with {}", within(rounds)),
        };
        let rounds = self.outcome.violation.as_ref().map_or(0, |violation| violation.rounds);
        format!(
            "violated: {}\n{place}{preemptions}, {switches}, {steps}\nsearched: {}{covered}\n",
            violation.message,
            within(rounds)
        )
    }

    fn holds(&self) -> String {
        let why = match self.outcome.proof {
            Some(Proof::OneThread) => "there is one thread, and every state it can reach was covered",
            _ => "each thread alone, with every change of the globals that others make, meets none",
        };
        format!("holds: no violation with any number of rounds\nproved: {why}\n")
    }

    fn within_bound(&self) -> String {
        let rounds = self.covered();
        let mut text = format!(
            "holds within the bound: no violation with {}; every run within it was covered ({} shared states)\n",
            within(rounds),
            self.shared()
        );
        if self.outcome.all_shared {
            text.push_str("no bound reaches further shared states; what the threads do in them may still differ\n");
        }
        if self.outcome.quiet {
            text.push_str(&format!(
                "the last {QUIET_ROUNDS} rounds reached no new shared state; that is no proof: a violation beyond the bound is \
                 possible, --rounds looks further\n"
            ));
        } else {
            text.push_str("a violation beyond the bound is possible: a higher bound looks further\n");
        }
        text
    }

    fn inconclusive(&self) -> String {
        let why = match self.outcome.stop {
            StopReason::Time => "stopped by --time-limit",
            StopReason::Memory => "stopped by --memory-limit",
            StopReason::Interrupted => "interrupted",
            _ => "the analysis ended early",
        };
        let covered = match self.covered() {
            0 => "not even one round was covered".to_owned(),
            rounds => format!("no violation with {}: every run within that bound was covered", within(rounds)),
        };
        format!("inconclusive: {why} after {:.1} s\n{covered}\n", self.outcome.seconds)
    }

    fn table(&self) -> String {
        if self.outcome.rounds.is_empty() {
            return String::new();
        }
        let mut text =
            format!("{:>8} {:>14} {:>10} {:>12} {:>9}\n", "rounds", "shared states", "new", "operations", "seconds");
        for round in &self.outcome.rounds {
            text.push_str(&format!(
                "{:>8} {:>14} {:>10} {:>12} {:>9.3}\n",
                round.number, round.shared, round.new_shared, round.operations, round.seconds
            ));
        }
        text
    }

    fn text(&self, verdict: Verdict, console: &Console) -> String {
        let mut text = console.wrapped(&self.head(verdict));
        if let Some(trace) = self.trace {
            text.push('\n');
            text.push_str(&lanes(trace, &console.lanes()));
            text.push('\n');
        }
        text.push_str(&self.table());
        text.push_str(&self.reachable());
        text.push_str(&self.projected());
        let listed = self.checked.properties.join(", ");
        if !listed.is_empty() {
            text.push_str(&console.wrapped(&format!("checked: {listed}\n")));
        }
        for what in &self.checked.not_checked {
            text.push_str(&console.wrapped(&format!("not checked: {what}\n")));
        }
        text.push_str(&self.next(verdict));
        text
    }

    /// A shared state in words.
    fn state(&self, shared: &[bool]) -> Option<String> {
        if let (Model::Pds(machine), Some(converted)) = (&self.opened.model, self.converted) {
            return converted.state(shared).map(|state| machine.pds().states[state.0 as usize].clone());
        }
        let value = |(global, value): (&selvedge_boolprog::program::Global, &bool)| {
            format!("{}={}", global.name, u8::from(*value))
        };
        Some(self.program.globals.iter().zip(shared).map(value).collect::<Vec<_>>().join(" "))
    }

    fn reachable(&self) -> String {
        if !self.args.recursive.print_reachable {
            return String::new();
        }
        let states: Vec<String> = self.outcome.shared.iter().filter_map(|shared| self.state(shared)).collect();
        let lines: String = states.iter().map(|state| format!("  {state}\n")).collect();
        format!("reachable shared states ({}):\n{lines}", states.len())
    }

    fn places(&self) -> Option<Vec<(String, TraceLocation)>> {
        let Some(Projection::Nodes(nodes)) = &self.projection else { return None };
        let place = |(thread, node): &(usize, NodeId)| {
            let location = self.opened.sources.location(self.program.node(*node).span).into();
            (self.program.threads[*thread].name.clone(), location)
        };
        let places: BTreeSet<(String, TraceLocation)> = nodes.iter().map(place).collect();
        Some(places.into_iter().collect())
    }

    fn projected(&self) -> String {
        match &self.projection {
            None => String::new(),
            Some(Projection::NoViolation) => "error projection: no run leads to a violation\n".to_owned(),
            Some(Projection::Stopped(stop)) => format!("error projection: ended by a limit ({})\n", stop_code(*stop)),
            Some(Projection::TooLarge(why)) => format!("error projection: {why}\n"),
            Some(Projection::Nodes(_)) => {
                let places = self.places().unwrap_or_default();
                let lines: String = places.iter().map(|(thread, place)| format!("  {thread} {place}\n")).collect();
                format!("on some run to a violation ({} places):\n{lines}", places.len())
            }
        }
    }

    fn next(&self, verdict: Verdict) -> String {
        let lines = match self.trace {
            Some(_) => next::after_a_violation(self.args, &self.opened.path, self.saved),
            None if verdict == Verdict::HoldsWithinBound => {
                next::higher_bound(self.args, self.bound()).into_iter().collect()
            }
            None => Vec::new(),
        };
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn report(&self, verdict: Verdict) -> CheckReport {
        let violation = self.trace.and_then(|trace| trace.violation.as_ref());
        let complete = self.outcome.stop == StopReason::Exhausted;
        CheckReport {
            schema: SCHEMA,
            tool: Tool { name: "selvedge".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            input: Input {
                path: self.opened.path.clone(),
                language: self.opened.language().to_owned(),
                sha256: Some(self.opened.sha256.clone()),
            },
            engine: "symbolic".to_owned(),
            bound: ReportBound::new(self.bound(), complete),
            verdict,
            violation: violation.map(|violation| ReportViolation::new(violation, self.saved.traces.first().cloned())),
            layers: self.layers(),
            stats: self.stats(),
            violations: violation.iter().map(|v| found(v)).collect(),
            stop: stop_code(self.outcome.stop),
            properties: Properties {
                checked: self.checked.properties.clone(),
                not_checked: self.checked.not_checked.clone(),
            },
            search: None,
        }
    }

    fn json(&self, verdict: Verdict) -> String {
        let mut value = serde_json::to_value(self.report(verdict)).unwrap_or(Value::Null);
        if let Value::Object(fields) = &mut value {
            fields.insert("analysis".to_owned(), json!(method_name(self.method)));
            fields.insert("all_shared_states".to_owned(), json!(self.outcome.all_shared));
            fields.insert("bdd".to_owned(), self.diagrams());
            if self.args.recursive.print_reachable {
                let names: Vec<String> = self.outcome.shared.iter().filter_map(|shared| self.state(shared)).collect();
                fields.insert("reachable".to_owned(), json!(names));
            }
            if let Some(places) = self.places() {
                let place = |(thread, place): &(String, TraceLocation)| json!({"thread": thread, "location": place});
                fields.insert("error_projection".to_owned(), places.iter().map(place).collect());
            }
        }
        let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
        text.push('\n');
        text
    }

    fn layers(&self) -> Vec<Layer> {
        let layer = |round: &selvedge_symbolic::analysis::Round| Layer {
            bound: round.number,
            states: round.shared as u64,
            new_states: round.new_shared as u64,
            transitions: round.operations,
            seconds: round.seconds,
        };
        self.outcome.rounds.iter().map(layer).collect()
    }

    fn stats(&self) -> Stats {
        Stats {
            states: self.shared() as u64,
            transitions: self.outcome.bdd.operations,
            max_depth: u64::from(self.covered()),
            seconds: self.outcome.seconds,
            peak_memory_bytes: self.outcome.bdd.peak_bytes,
            bytes_per_state: 0.0,
            revisits: 0,
        }
    }

    fn diagrams(&self) -> Value {
        let bdd = &self.outcome.bdd;
        json!({
            "variables": bdd.variables,
            "nodes": bdd.nodes,
            "peak_nodes": bdd.peak_nodes,
            "operations": bdd.operations,
            "collections": bdd.collections,
            "peak_bytes": bdd.peak_bytes,
        })
    }
}

fn found(violation: &selvedge_core::trace::TraceViolation) -> FoundViolation {
    FoundViolation { kind: violation.kind, message: violation.message.clone(), location: violation.location.clone() }
}

fn within(rounds: u32) -> Bound {
    Bound { kind: BoundKind::Rounds, value: Some(rounds) }
}

fn count(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn plural(switches: u32) -> String {
    format!("{switches} switch{}", if switches == 1 { "" } else { "es" })
}
