//! The answer of the dynamic engine, in words or JSON.

use selvedge_certificate::{Certificate, parts};
use selvedge_core::{Bound, BoundKind, Layer, Stats, StopReason, Verdict};
use selvedge_report::json::ReportBound;
use selvedge_report::{count, thousands};
use serde_json::{Map, Value, json};

use super::Found;
use crate::check::{NOTHING_CHECKED, next};
use crate::recursive::Model;
use crate::recursive::answer::{Common, Engine};
use crate::shell;

/// Everything known at the end of a run.
pub struct Told<'a> {
    /// Options, model, run, properties.
    pub common: Common<'a>,
    /// What was found.
    pub found: &'a Found,
    /// Where the proof was written.
    pub proof: Option<&'a String>,
}

impl Told<'_> {
    /// Whether there are threads, not only tokens.
    fn is_network(&self) -> bool {
        !matches!(self.common.opened.model, Model::Net(_))
    }

    fn kind(&self) -> BoundKind {
        if self.found.bound.kind == BoundKind::Strata { BoundKind::Strata } else { BoundKind::ThreadSwitches }
    }

    /// What decides beyond the bound.
    fn further(&self) -> &'static str {
        match &self.common.opened.model {
            Model::Dcps(machine) if machine.dcps().is_finite_state() => "; --unbounded decides",
            _ => "",
        }
    }

    /// The largest bound without a violation.
    fn covered(&self) -> Option<Bound> {
        self.found.layers.last().map(|layer| Bound { kind: self.kind(), value: Some(layer.bound) })
    }

    fn violated(&self) -> String {
        let Some(violation) = self.common.trace.and_then(|trace| trace.violation.as_ref()) else {
            return "violated\n".to_owned();
        };
        let place = violation.location.as_ref().map(|place| format!("at {place} — ")).unwrap_or_default();
        let steps = count(violation.length.into(), "step", "steps");
        if !self.is_network() {
            let markings = count(self.found.states, "marking", "markings");
            let searched = format!("searched: any number of tokens and steps ({markings})");
            return format!("violated: {}\n{searched}\n{place}{steps}\n", violation.message);
        }
        let threads = self.common.trace.map_or(0, |trace| trace.threads.len());
        let threads = count(threads as u64, "thread", "threads");
        let switches = count(violation.switches.into(), "switch", "switches");
        let covered = self.covered().map(|bound| format!("; no violation with {bound}")).unwrap_or_default();
        format!(
            "violated: {}\nsearched: {}{covered}\n{place}{threads}, {switches}, {steps}\n",
            violation.message, self.found.bound
        )
    }

    fn holds(&self) -> String {
        let what = if self.is_network() {
            "no violation with any number of threads and switches"
        } else {
            "no run covers a target"
        };
        if let Some(why) = self.found.why_holds {
            return format!("holds: {what}\nproved: {why}\n");
        }
        let size = |c: &Certificate| parts(c.basis.len(), c.weights.len(), c.unmarked.len());
        let size = self.found.proof.as_ref().map(|(_, certificate)| size(certificate)).unwrap_or_default();
        let empty = |c: &Certificate| c.basis.is_empty() && c.weights.is_empty() && c.unmarked.is_empty();
        if self.found.proof.as_ref().is_some_and(|(_, certificate)| empty(certificate)) {
            return format!("holds: {what}\nproved: no step leads towards a target (the certificate is empty)\n");
        }
        format!("holds: {what}\nproved: by a certificate of {size}\n")
    }

    fn inconclusive(&self) -> String {
        let why = match self.found.stop {
            _ if self.found.gave_up.is_some() => self.found.gave_up.as_deref().unwrap_or_default(),
            StopReason::Time => "stopped by --time-limit",
            StopReason::Memory => "stopped by --memory-limit",
            StopReason::States => "stopped by --max-states",
            StopReason::Interrupted => "interrupted",
            _ => "the search ended early",
        };
        let covered = match self.covered() {
            Some(bound) => format!("no violation with {bound}: every run within that bound was covered\n"),
            None if self.is_network() => "not even the lowest bound was covered\n".to_owned(),
            None => String::new(),
        };
        let states = count(self.found.states, "marking", "markings");
        let unwritten = self.found.unwritten.map(|steps| {
            let steps = count(steps as u64, "step", "steps");
            format!("a run of {steps} to a target was found, but was not yet written down and replayed\n")
        });
        let unwritten = unwritten.unwrap_or_default();
        format!("inconclusive: {why} after {:.1} s and {states}\n{unwritten}{covered}", self.found.seconds)
    }

    fn column(&self) -> &'static str {
        if self.kind() == BoundKind::Strata { "strata" } else { "switches" }
    }

    fn table(&self) -> String {
        if self.found.layers.is_empty() {
            return String::new();
        }
        let mut text = format!("{:>8} {:>12} {:>12} {:>9}\n", self.column(), "markings", "transitions", "seconds");
        for layer in &self.found.layers {
            text.push_str(&format!(
                "{:>8} {:>12} {:>12} {:>9.3}\n",
                layer.bound,
                thousands(layer.states),
                thousands(layer.transitions),
                layer.seconds
            ));
        }
        text
    }

    /// The command that checks the proof, or that saves it.
    fn about_the_proof(&self) -> Option<String> {
        let Common { args, opened, .. } = &self.common;
        if let Some(proof) = self.proof {
            let (model, proof) = (shell::quote(&opened.path), shell::quote(proof));
            return Some(format!("check the proof: selvedge certify {model} {proof}"));
        }
        if args.files.len() > 1 || self.found.proof.is_none() {
            return None;
        }
        let stem = std::path::Path::new(&opened.path).file_stem().unwrap_or_default();
        let name = format!("{}.proof.json", stem.to_string_lossy());
        Some(format!("save the proof: {}", shell::again_with(&["--certificate", &name])))
    }
}

impl Engine for Told<'_> {
    const NAME: &'static str = "dynamic";

    fn common(&self) -> &Common<'_> {
        &self.common
    }

    fn verdict(&self) -> Verdict {
        self.common.verdict(self.found.holds, self.found.stop == StopReason::Bound)
    }

    fn head(&self, verdict: Verdict) -> String {
        match verdict {
            _ if self.common.checked_nothing() => format!("{NOTHING_CHECKED}\n"),
            Verdict::Violated => self.violated(),
            Verdict::Holds => self.holds(),
            Verdict::HoldsWithinBound => {
                let bound = self.covered().unwrap_or(self.found.bound);
                format!(
                    "holds within the bound: no violation with {bound}; every run within it was covered\n\
                     a violation beyond the bound is possible: a higher bound looks further{}\n",
                    self.further()
                )
            }
            Verdict::Inconclusive => self.inconclusive(),
        }
    }

    fn figures(&self) -> String {
        self.table()
    }

    fn next(&self, verdict: Verdict) -> String {
        let Common { args, opened, saved, .. } = &self.common;
        let lines = match verdict {
            _ if self.common.checked_nothing() => vec![opened.advice().to_owned()],
            Verdict::Violated => next::after_a_violation(args, &opened.path, saved),
            Verdict::Inconclusive => next::higher_limit(self.found.stop).into_iter().collect(),
            Verdict::Holds | Verdict::HoldsWithinBound => {
                let higher = self.covered().filter(|_| verdict == Verdict::HoldsWithinBound);
                let higher = higher.and_then(|bound| next::higher_bound(args, bound));
                self.about_the_proof().into_iter().chain(higher).collect()
            }
        };
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn bound(&self) -> ReportBound {
        ReportBound::new(self.found.bound, self.found.holds || self.found.stop == StopReason::Bound)
    }

    fn layers(&self) -> Vec<Layer> {
        self.found.layers.clone()
    }

    fn stats(&self) -> Stats {
        let length = self.common.trace.map_or(0, |trace| trace.steps.len());
        Stats {
            states: self.found.states,
            transitions: self.found.transitions,
            max_depth: length as u64,
            seconds: self.found.seconds,
            peak_memory_bytes: self.found.bytes,
            bytes_per_state: self.found.bytes as f64 / self.found.states.max(1) as f64,
            revisits: 0,
        }
    }

    fn stop(&self) -> StopReason {
        self.found.stop
    }

    fn extend(&self, fields: &mut Map<String, Value>) {
        if let Some((bound, certificate)) = &self.found.proof {
            let proof = json!({
                "thread_switches": bound,
                "markings": certificate.basis.len(),
                "weights": certificate.weights.len(),
                "file": self.proof,
            });
            fields.insert("certificate".to_owned(), proof);
        }
    }
}
