//! What the symbolic engine adds to an answer. What is proved and what is not is said in full: shared states that stop
//! growing are no proof.

use selvedge_report::json::{ReportSearch, stop_code};
use selvedge_report::{count, preemptions, thousands};
use selvedge_verify::answer::{Projection, Reachable, SymbolicDetails, SymbolicProof};
use selvedge_verify::{Bound, BoundKind, Choice, StopReason, Verdict};
use serde_json::{Map, Value, json};

use super::{EngineForm, Rendering, next};

/// An answer of the symbolic engine.
pub struct Symbolic<'a> {
    pub rendering: &'a Rendering<'a>,
    pub details: &'a SymbolicDetails,
}

impl Symbolic<'_> {
    /// The rounds that were explored completely.
    fn completed(&self) -> u32 {
        self.details.rounds.last().map_or(0, |round| round.number)
    }

    fn shared(&self) -> f64 {
        self.details.rounds.last().map_or(0.0, |round| round.shared)
    }

    fn violated(&self) -> String {
        let answer = self.rendering.answer;
        let Some(violation) = answer.traces.first().and_then(|trace| trace.violation.as_ref()) else {
            return "violated\n".to_owned();
        };
        let place = violation.location.as_ref().map(|place| format!("at {place} — ")).unwrap_or_default();
        let preemptions = preemptions(violation.preemptions, violation.preemptions_per_cycle);
        let switches = count(violation.switches.into(), "switch", "switches");
        let steps = count(violation.length.into(), "step", "steps");
        let covered = answer.covered.map(|bound| format!("; no violation with {bound}")).unwrap_or_default();
        // With --continue, rounds behind the violation are explored, too.
        let rounds = self.completed().max(self.details.violated_at.unwrap_or(0));
        format!(
            "violated: {}\nexplored: {}{covered}\n{place}{preemptions}, {switches}, {steps}\n",
            violation.message,
            within(rounds)
        )
    }

    fn holds(&self) -> String {
        let why = match self.details.proof {
            Some(SymbolicProof::OneThread) => "there is one thread, and every state it can reach was covered",
            _ => "no thread alone reaches a violation, whatever the others write to the globals",
        };
        format!("holds: no violation with any number of rounds\nproved: {why}\n")
    }

    fn within_bound(&self) -> String {
        let mut text = format!(
            "holds within the bound: no violation with {}; every run within it was covered ({} shared states)\n",
            within(self.completed()),
            whole(self.shared())
        );
        if self.details.all_shared {
            text.push_str(
                "no higher bound reaches new shared states, but threads may still behave differently in them\n",
            );
        }
        match self.details.quiet_rounds {
            Some(rounds) => text.push_str(&format!(
                "the last {rounds} rounds reached no new shared state; that is no proof: a violation beyond the bound \
                 is possible, a higher --rounds explores more\n"
            )),
            None => text.push_str("a violation beyond the bound is possible; a higher bound explores more\n"),
        }
        text
    }

    fn inconclusive(&self) -> String {
        let answer = self.rendering.answer;
        let why = stopped_by(answer.stop);
        let covered = match self.completed() {
            0 => "not even one round was covered".to_owned(),
            rounds => format!("no violation with {}: every run within that bound was covered", within(rounds)),
        };
        format!("inconclusive: {why} after {:.1} s\n{covered}\n", answer.stats.seconds)
    }

    fn table(&self) -> String {
        if self.details.rounds.is_empty() {
            return String::new();
        }
        let mut text =
            format!("{:>8} {:>14} {:>10} {:>12} {:>9}\n", "rounds", "shared states", "new", "operations", "seconds");
        for round in &self.details.rounds {
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

    fn reachable(&self) -> String {
        match &self.details.reachable {
            None => String::new(),
            Some(Reachable::NotComputed { limit }) => {
                format!("reachable shared states: not computed,\n{}", self.not_computed(*limit))
            }
            Some(Reachable::States { states, all }) => {
                let lines: String = states.iter().map(|state| format!("  {state}\n")).collect();
                match all {
                    true => format!("reachable shared states ({}):\n{lines}", states.len()),
                    false => {
                        let total = whole(self.shared());
                        format!("reachable shared states (the first {} of {total}):\n{lines}", states.len())
                    }
                }
            }
        }
    }

    /// Why shared states were not listed, and what is known of them.
    fn not_computed(&self, limit: Option<StopReason>) -> String {
        let Some(stop) = limit else {
            return "  because the analysis stopped at the violation; --continue computes them\n".to_owned();
        };
        let known = match self.details.rounds.last() {
            None => "no round was covered".to_owned(),
            Some(round) => format!("{} of them are reached with {}", whole(round.shared), within(round.number)),
        };
        format!("  because the analysis was {};\n  {known}\n", stopped_by(stop))
    }

    fn projected(&self) -> String {
        match &self.details.projection {
            None => String::new(),
            Some(Projection::NoViolation) => "error projection: no run leads to a violation\n".to_owned(),
            Some(Projection::Stopped(stop)) => format!("error projection: stopped by a limit ({})\n", stop_code(*stop)),
            Some(Projection::TooLarge(why)) => format!("error projection: {why}\n"),
            Some(Projection::Places(places)) => {
                let lines: String = places.iter().map(|(thread, place)| format!("  {thread} {place}\n")).collect();
                format!("on some run to a violation ({} places):\n{lines}", places.len())
            }
        }
    }

    fn diagrams(&self) -> Value {
        let diagrams = &self.details.diagrams;
        json!({
            "variables": diagrams.variables,
            "nodes": diagrams.nodes,
            "peak_nodes": diagrams.peak_nodes,
            "operations": diagrams.operations,
            "collections": diagrams.collections,
            "peak_bytes": diagrams.peak_bytes,
        })
    }
}

impl EngineForm for Symbolic<'_> {
    fn head(&self) -> String {
        match self.rendering.answer.verdict {
            Verdict::Violated => self.violated(),
            Verdict::Holds => self.holds(),
            Verdict::HoldsWithinBound => self.within_bound(),
            Verdict::Inconclusive => self.inconclusive(),
        }
    }

    fn figures(&self) -> String {
        [self.table(), self.reachable(), self.projected()].concat()
    }

    fn next(&self) -> Vec<String> {
        let Rendering { answer, saved, one_of_many, .. } = self.rendering;
        match answer.verdict {
            Verdict::Violated => next::after_a_violation(answer, saved, *one_of_many),
            Verdict::HoldsWithinBound => next::higher_bound(answer.bound, *one_of_many).into_iter().collect(),
            Verdict::Inconclusive => next::higher_limit(answer.stop).into_iter().collect(),
            Verdict::Holds => next::check_the_proof(&answer.path, saved).into_iter().collect(),
        }
    }

    fn extend(&self, fields: &mut Map<String, Value>) {
        fields.insert("analysis".to_owned(), json!(self.details.analysis.name()));
        fields.insert("all_shared_states".to_owned(), json!(self.details.all_shared));
        fields.insert("bdd".to_owned(), self.diagrams());
        if let Some(certificate) = &self.details.certificate {
            let file = &self.rendering.saved.certificate;
            fields.insert("certificate".to_owned(), json!({"size": certificate.size, "file": file}));
        }
        match &self.details.reachable {
            None => {}
            Some(Reachable::States { states, .. }) => {
                fields.insert("reachable".to_owned(), json!(states));
            }
            // An empty list would be an answer.
            Some(Reachable::NotComputed { .. }) => {
                fields.insert("reachable".to_owned(), Value::Null);
            }
        }
        if let Some(Projection::Places(places)) = &self.details.projection {
            let places = places.iter().map(|(thread, place)| json!({"thread": thread, "location": place}));
            fields.insert("error_projection".to_owned(), places.collect());
        }
    }

    fn search(&self) -> Option<ReportSearch> {
        None
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
