//! What the dynamic engine adds to an answer: the certificate, and what each bound added.

use selvedge_report::json::ReportSearch;
use selvedge_report::{count, thousands};
use selvedge_verify::answer::{DynamicCount, DynamicDetails};
use selvedge_verify::{StopReason, Verdict};
use serde_json::{Map, Value, json};

use super::{EngineForm, Rendering, next};
use crate::shell;

/// An answer of the dynamic engine.
pub struct Dynamic<'a> {
    pub rendering: &'a Rendering<'a>,
    pub details: &'a DynamicDetails,
}

impl Dynamic<'_> {
    /// Whether there are threads, not only tokens.
    fn is_network(&self) -> bool {
        self.details.counts != DynamicCount::Tokens
    }

    fn violated(&self) -> String {
        let answer = self.rendering.answer;
        let trace = answer.traces.first();
        let Some(violation) = trace.and_then(|trace| trace.violation.as_ref()) else {
            return "violated\n".to_owned();
        };
        let place = violation.location.as_ref().map(|place| format!("at {place} — ")).unwrap_or_default();
        let steps = count(violation.length.into(), "step", "steps");
        if !self.is_network() {
            let markings = count(answer.stats.states, "marking", "markings");
            let searched = format!("explored: any number of tokens and steps ({markings})");
            return format!("violated: {}\n{searched}\n{place}{steps}\n", violation.message);
        }
        let threads = trace.map_or(0, |trace| trace.threads.len());
        let threads = count(threads as u64, "thread", "threads");
        let switches = count(violation.switches.into(), "switch", "switches");
        let covered = answer.covered.map(|bound| format!("; no violation with {bound}")).unwrap_or_default();
        format!(
            "violated: {}\nexplored: {}{covered}\n{place}{threads}, {switches}, {steps}\n",
            violation.message, answer.bound
        )
    }

    fn holds(&self) -> String {
        let what = if self.is_network() {
            "no violation with any number of threads and switches"
        } else {
            "no run covers a target"
        };
        let why = match (&self.details.why_holds, &self.details.certificate) {
            (Some(why), _) => (*why).to_owned(),
            (None, Some(certificate)) if certificate.is_empty() => {
                "no step leads towards a target (the certificate is empty)".to_owned()
            }
            (None, certificate) => {
                let size = certificate.as_ref().map(|certificate| certificate.size()).unwrap_or_default();
                format!("by a certificate of {size}")
            }
        };
        format!("holds: {what}\nproved: {why}\n")
    }

    fn within_bound(&self) -> String {
        let answer = self.rendering.answer;
        let bound = answer.covered.unwrap_or(answer.bound);
        let further = if self.details.decidable { "; --unbounded decides it" } else { "" };
        format!(
            "holds within the bound: no violation with {bound}; every run within it was covered\n\
             a violation beyond the bound is possible: a higher bound explores more{further}\n"
        )
    }

    fn inconclusive(&self) -> String {
        let answer = self.rendering.answer;
        let why = match answer.stop {
            _ if self.details.gave_up.is_some() => self.details.gave_up.as_deref().unwrap_or_default(),
            StopReason::Time => "stopped by --time-limit",
            StopReason::Memory => "stopped by --memory-limit",
            StopReason::States => "stopped by --max-states",
            StopReason::Interrupted => "interrupted",
            _ => "the search was interrupted",
        };
        let covered = match answer.covered {
            Some(bound) => format!("no violation with {bound}: every run within that bound was covered\n"),
            None if self.is_network() => "not even the lowest bound was covered\n".to_owned(),
            None => String::new(),
        };
        let states = count(answer.stats.states, "marking", "markings");
        let unwritten = self.details.unwritten.map(|steps| {
            let steps = count(steps as u64, "step", "steps");
            format!("a run of {steps} to a target was found, but it was not replayed before the limit\n")
        });
        let unwritten = unwritten.unwrap_or_default();
        format!("inconclusive: {why} after {:.1} s and {states}\n{unwritten}{covered}", answer.stats.seconds)
    }

    /// The command that checks the certificate, or that saves it.
    fn about_the_certificate(&self) -> Option<String> {
        let Rendering { answer, saved, one_of_many, .. } = self.rendering;
        if saved.certificate.is_some() {
            return next::check_the_proof(&answer.path, saved);
        }
        if *one_of_many || self.details.certificate.is_none() {
            return None;
        }
        let stem = std::path::Path::new(&answer.path).file_stem().unwrap_or_default();
        let name = format!("{}.proof.json", stem.to_string_lossy());
        Some(format!("save the certificate: {}", shell::again_with(&["--certificate", &name])))
    }
}

impl EngineForm for Dynamic<'_> {
    fn head(&self) -> String {
        match self.rendering.answer.verdict {
            Verdict::Violated => self.violated(),
            Verdict::Holds => self.holds(),
            Verdict::HoldsWithinBound => self.within_bound(),
            Verdict::Inconclusive => self.inconclusive(),
        }
    }

    fn figures(&self) -> String {
        let layers = &self.rendering.answer.layers;
        if layers.is_empty() {
            return String::new();
        }
        let column = if self.details.counts == DynamicCount::Strata { "strata" } else { "switches" };
        let mut text = format!("{column:>8} {:>12} {:>12} {:>9}\n", "markings", "transitions", "seconds");
        for layer in layers {
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

    fn next(&self) -> Vec<String> {
        let Rendering { answer, saved, one_of_many, .. } = self.rendering;
        match answer.verdict {
            Verdict::Violated => next::after_a_violation(answer, saved, *one_of_many),
            Verdict::Inconclusive => next::higher_limit(answer.stop).into_iter().collect(),
            Verdict::Holds | Verdict::HoldsWithinBound => {
                let higher = answer.covered.filter(|_| answer.verdict == Verdict::HoldsWithinBound);
                let higher = higher.and_then(|bound| next::higher_bound(bound, *one_of_many));
                self.about_the_certificate().into_iter().chain(higher).collect()
            }
        }
    }

    fn extend(&self, fields: &mut Map<String, Value>) {
        if let Some(certificate) = &self.details.certificate {
            let described = json!({
                "thread_switches": certificate.thread_switches(),
                "markings": certificate.markings(),
                "weights": certificate.weights(),
                "file": self.rendering.saved.certificate,
            });
            fields.insert("certificate".to_owned(), described);
        }
    }

    fn search(&self) -> Option<ReportSearch> {
        None
    }
}
