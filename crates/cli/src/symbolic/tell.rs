//! The answer of the symbolic engine, in words or JSON. What is proved and what is not is said in full: shared states that
//! stop growing are no proof.

use std::collections::BTreeSet;

use selvedge_boolprog::program::{NodeId, Program};
use selvedge_core::trace::TraceLocation;
use selvedge_core::{Bound, BoundKind, Layer, Stats, StopReason, Verdict};
use selvedge_report::json::{ReportBound, stop_code};
use selvedge_report::{count, preemptions, thousands};
use selvedge_symbolic::analysis::{Method, Outcome, Proof, QUIET_ROUNDS};
use selvedge_symbolic::from_pds::Converted;
use serde_json::{Map, Value, json};

use super::method_name;
use crate::check::{NOTHING_CHECKED, next};
use crate::recursive::Model;
use crate::recursive::answer::{Common, Engine};

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
    /// Options, model, run, properties.
    pub common: Common<'a>,
    /// What was analysed.
    pub program: &'a Program,
    /// Of a pushdown system, how it became a program.
    pub converted: Option<&'a Converted>,
    /// How.
    pub method: Method,
    /// What was found.
    pub outcome: &'a Outcome,
    /// `--error-projection`.
    pub projection: Option<Projection>,
}

impl Told<'_> {
    /// The rounds that were explored completely.
    fn covered(&self) -> u32 {
        self.outcome.rounds.last().map_or(0, |round| round.number)
    }

    /// The bound that the answer speaks of.
    fn answered(&self) -> Bound {
        let reached = self.outcome.violation.as_ref().map_or(self.covered(), |violation| violation.rounds);
        let value = match self.outcome.proof {
            Some(_) => None,
            None => {
                Some(self.common.args.bounds.rounds.filter(|_| self.outcome.violation.is_none()).unwrap_or(reached))
            }
        };
        Bound { kind: BoundKind::Rounds, value }
    }

    fn shared(&self) -> f64 {
        self.outcome.rounds.last().map_or(0.0, |round| round.shared)
    }

    fn violated(&self) -> String {
        let Some(violation) = self.common.trace.and_then(|trace| trace.violation.as_ref()) else {
            return "violated\n".to_owned();
        };
        let place = violation.location.as_ref().map(|place| format!("at {place} — ")).unwrap_or_default();
        let preemptions = preemptions(violation.preemptions, violation.preemptions_per_cycle);
        let switches = count(violation.switches.into(), "switch", "switches");
        let steps = count(violation.length.into(), "step", "steps");
        // With --continue rounds behind the violation are covered, too.
        let first = self.outcome.violation.as_ref().map_or(0, |violation| violation.rounds);
        let covered = match self.covered().min(first.saturating_sub(1)) {
            0 => String::new(),
            rounds => format!("; no violation with {}", within(rounds)),
        };
        let rounds = self.covered().max(first);
        format!(
            "violated: {}\nsearched: {}{covered}\n{place}{preemptions}, {switches}, {steps}\n",
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
            whole(self.shared())
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
        let why = stopped_by(self.outcome.stop);
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
                round.number,
                whole(round.shared),
                whole(round.new_shared),
                thousands(round.operations),
                round.seconds
            ));
        }
        text
    }

    /// A shared state in words.
    fn state(&self, shared: &[bool]) -> Option<String> {
        if let (Model::Pds(machine), Some(converted)) = (&self.common.opened.model, self.converted) {
            return converted.state(shared).map(|state| machine.pds().states[state.0 as usize].clone());
        }
        let value = |(global, value): (&selvedge_boolprog::program::Global, &bool)| {
            format!("{}={}", global.name, u8::from(*value))
        };
        Some(self.program.globals.iter().zip(shared).map(value).collect::<Vec<_>>().join(" "))
    }

    fn reachable(&self) -> String {
        if !self.common.args.recursive.print_reachable {
            return String::new();
        }
        let Some(states) = self.listed() else {
            return format!("reachable shared states: not computed,\n{}", self.not_listed());
        };
        let lines: String = states.iter().map(|state| format!("  {state}\n")).collect();
        let all = self.shared();
        match self.outcome.shared.as_ref().is_some_and(|listed| (listed.len() as f64) < all) {
            true => format!("reachable shared states (the first {} of {}):\n{lines}", states.len(), whole(all)),
            false => format!("reachable shared states ({}):\n{lines}", states.len()),
        }
    }

    /// The shared states in words, if they are known.
    fn listed(&self) -> Option<Vec<String>> {
        let shared = self.outcome.shared.as_ref()?;
        Some(shared.iter().filter_map(|shared| self.state(shared)).collect())
    }

    /// Why shared states were not listed, and what is known of them.
    fn not_listed(&self) -> String {
        let Some(stop) = self.outcome.limit else {
            return "  because the analysis ended with the violation; --continue looks further\n".to_owned();
        };
        let known = match self.outcome.rounds.last() {
            None => "no round was covered".to_owned(),
            Some(round) => format!("{} of them are reached with {}", whole(round.shared), within(round.number)),
        };
        format!("  because the analysis was {};\n  {known}\n", stopped_by(stop))
    }

    fn places(&self) -> Option<Vec<(String, TraceLocation)>> {
        let Some(Projection::Nodes(nodes)) = &self.projection else { return None };
        let place = |(thread, node): &(usize, NodeId)| {
            let location = self.common.opened.sources.location(self.program.node(*node).span).into();
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

impl Engine for Told<'_> {
    const NAME: &'static str = "symbolic";

    fn common(&self) -> &Common<'_> {
        &self.common
    }

    fn verdict(&self) -> Verdict {
        let exhausted = self.outcome.stop == StopReason::Exhausted;
        self.common.verdict(exhausted && self.outcome.proof.is_some(), exhausted)
    }

    fn head(&self, verdict: Verdict) -> String {
        match verdict {
            _ if self.common.checked_nothing() => format!("{NOTHING_CHECKED}\n"),
            Verdict::Violated => self.violated(),
            Verdict::Holds => self.holds(),
            Verdict::HoldsWithinBound => self.within_bound(),
            Verdict::Inconclusive => self.inconclusive(),
        }
    }

    fn figures(&self) -> String {
        [self.table(), self.reachable(), self.projected()].concat()
    }

    fn next(&self, verdict: Verdict) -> String {
        let Common { args, opened, saved, .. } = &self.common;
        let lines = match verdict {
            _ if self.common.checked_nothing() => vec![opened.advice().to_owned()],
            Verdict::Violated => next::after_a_violation(args, &opened.path, saved),
            Verdict::HoldsWithinBound => next::higher_bound(args, self.answered()).into_iter().collect(),
            Verdict::Inconclusive => next::higher_limit(self.outcome.stop).into_iter().collect(),
            Verdict::Holds => Vec::new(),
        };
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn bound(&self) -> ReportBound {
        ReportBound::new(self.answered(), self.outcome.stop == StopReason::Exhausted)
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

    fn stop(&self) -> StopReason {
        self.outcome.stop
    }

    fn extend(&self, fields: &mut Map<String, Value>) {
        fields.insert("analysis".to_owned(), json!(method_name(self.method)));
        fields.insert("all_shared_states".to_owned(), json!(self.outcome.all_shared));
        fields.insert("bdd".to_owned(), self.diagrams());
        if self.common.args.recursive.print_reachable {
            // `null` where they are not known; an empty list would be an answer.
            fields.insert("reachable".to_owned(), json!(self.listed()));
        }
        if let Some(places) = self.places() {
            let place = |(thread, place): &(String, TraceLocation)| json!({"thread": thread, "location": place});
            fields.insert("error_projection".to_owned(), places.iter().map(place).collect());
        }
    }
}

/// What ended an analysis early.
fn stopped_by(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Time => "stopped by --time-limit",
        StopReason::Memory => "stopped by --memory-limit",
        StopReason::Interrupted => "interrupted",
        _ => "ended early",
    }
}

fn within(rounds: u32) -> Bound {
    Bound { kind: BoundKind::Rounds, value: Some(rounds) }
}

/// A number of shared states, which may be beyond every integer.
fn whole(number: f64) -> String {
    if number < 1e15 { thousands(number as u64) } else { format!("{number:.2e}") }
}
