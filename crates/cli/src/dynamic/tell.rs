//! The answer of the dynamic engine, in words or JSON.

use selvedge_core::trace::SCHEMA;
use selvedge_core::{Bound, BoundKind, Stats, StopReason, Verdict};
use selvedge_dynamic::cover::certificate::Certificate;
use selvedge_report::answer::Answer;
use selvedge_report::json::{FoundViolation, Input, Properties, ReportBound, ReportViolation, Tool, stop_code};
use selvedge_report::{CheckReport, lanes};
use serde_json::{Value, json};

use super::proof;
use super::{Found, NET_ADVICE};
use crate::args::CheckArgs;
use crate::check::properties::Checked;
use crate::check::say::{Forms, exit_of, say};
use crate::check::{NOTHING_CHECKED, Saved, next};
use crate::console::Console;
use crate::exit::Exit;
use crate::recursive::check::BOOL_ADVICE;
use crate::recursive::{Model, Opened};
use crate::shell;

/// Everything known at the end of a run.
pub struct Told<'a> {
    /// The options.
    pub args: &'a CheckArgs,
    /// The model.
    pub opened: &'a Opened,
    /// What was found.
    pub found: &'a Found,
    /// Where the run was saved.
    pub saved: &'a Saved,
    /// Where the proof was written.
    pub proof: Option<&'a String>,
    /// What was checked.
    pub checked: Checked,
}

/// Tells the answer.
pub fn tell(told: &Told<'_>, console: &Console) -> Exit {
    let verdict = told.verdict();
    let exit = exit_of(verdict, &told.checked);
    console.keep_answer(|| {
        let traces = told.found.run.as_slice();
        Answer::new(&told.report(verdict), traces, &told.head(verdict), &told.opened.sources)
    });
    let forms =
        Forms { json: &|| told.json(verdict), head: &|| told.head(verdict), text: &|| told.text(verdict, console) };
    say(&forms, told.args, &told.opened.path, console);
    exit
}

impl Told<'_> {
    fn verdict(&self) -> Verdict {
        match (&self.found.run, self.found.stop) {
            (Some(_), _) => Verdict::Violated,
            (None, _) if self.checked.nothing() => Verdict::Inconclusive,
            (None, _) if self.found.holds => Verdict::Holds,
            (None, StopReason::Bound) => Verdict::HoldsWithinBound,
            (None, _) => Verdict::Inconclusive,
        }
    }

    /// Whether there are threads, not only tokens.
    fn is_network(&self) -> bool {
        !matches!(self.opened.model, Model::Net(_))
    }

    fn kind(&self) -> BoundKind {
        if self.found.bound.kind == BoundKind::Strata { BoundKind::Strata } else { BoundKind::ThreadSwitches }
    }

    /// What decides beyond the bound.
    fn further(&self) -> &'static str {
        match &self.opened.model {
            Model::Dcps(machine) if machine.dcps().is_finite_state() => "; --unbounded decides",
            _ => "",
        }
    }

    /// The largest bound without a violation.
    fn covered(&self) -> Option<Bound> {
        self.found.layers.last().map(|layer| Bound { kind: self.kind(), value: Some(layer.bound) })
    }

    fn head(&self, verdict: Verdict) -> String {
        match verdict {
            _ if self.found.run.is_none() && self.checked.nothing() => format!("{NOTHING_CHECKED}\n"),
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

    fn violated(&self) -> String {
        let Some(violation) = self.found.run.as_ref().and_then(|trace| trace.violation.as_ref()) else {
            return "violated\n".to_owned();
        };
        let place = violation.location.as_ref().map(|place| format!("at {place} — ")).unwrap_or_default();
        let steps = count(u64::from(violation.length), "step");
        if !self.is_network() {
            return format!("violated: {}\n{place}{steps}\n", violation.message);
        }
        let threads = self.found.run.as_ref().map_or(0, |trace| trace.threads.len());
        let threads = count(threads as u64, "thread");
        let switches = if violation.switches == 1 { "switch" } else { "switches" };
        let covered = self.covered().map(|bound| format!("; no violation with {bound}")).unwrap_or_default();
        format!(
            "violated: {}\n{place}{threads}, {} {switches}, {steps}\nsearched: {}{covered}\n",
            violation.message, violation.switches, self.found.bound
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
        let size = |c: &Certificate| proof::parts(c.basis.len(), c.weights.len(), c.unmarked.len());
        let size = self.found.proof.as_ref().map(|(_, certificate)| size(certificate)).unwrap_or_default();
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
        let states = count(self.found.states, "marking");
        let unwritten = self.found.unwritten.map(|steps| {
            let steps = count(steps as u64, "step");
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
                layer.bound, layer.states, layer.transitions, layer.seconds
            ));
        }
        text
    }

    fn text(&self, verdict: Verdict, console: &Console) -> String {
        let mut text = console.wrapped(&self.head(verdict));
        if let Some(trace) = &self.found.run {
            text.push('\n');
            text.push_str(&lanes(trace, &console.lanes()));
            text.push('\n');
        }
        text.push_str(&self.table());
        let listed = self.checked.properties.join(", ");
        if !listed.is_empty() {
            text.push_str(&console.wrapped(&format!("checked: {listed}\n")));
        }
        for what in &self.checked.not_checked {
            text.push_str(&console.wrapped(&format!("not checked: {what}\n")));
        }
        text.push_str(&self.next());
        text
    }

    /// What to do next.
    fn next(&self) -> String {
        let path = std::path::Path::new(&self.opened.path);
        let alone = self.args.files.len() == 1;
        match (&self.found.run, self.proof) {
            _ if self.checked.nothing() && self.found.run.is_none() => match self.opened.model {
                Model::Bool(_) => format!("{BOOL_ADVICE}\n"),
                _ => format!("{NET_ADVICE}\n"),
            },
            (Some(_), _) => {
                let lines = next::after_a_violation(self.args, &self.opened.path, self.saved);
                lines.iter().map(|line| format!("{line}\n")).collect()
            }
            (None, Some(proof)) => {
                let (model, proof) = (shell::quote(&self.opened.path), shell::quote(proof));
                format!("check the proof: selvedge certify {model} {proof}\n")
            }
            (None, None) if alone && self.found.proof.is_some() => {
                let name = format!("{}.proof.json", path.file_stem().unwrap_or_default().to_string_lossy());
                format!("save the proof: {}\n", shell::again_with(&["--certificate", &name]))
            }
            _ => String::new(),
        }
    }

    fn report(&self, verdict: Verdict) -> CheckReport {
        let violation = self.found.run.as_ref().and_then(|trace| trace.violation.as_ref());
        let complete = self.found.holds || matches!(self.found.stop, StopReason::Bound);
        let found = |v: &selvedge_core::trace::TraceViolation| FoundViolation {
            kind: v.kind,
            message: v.message.clone(),
            location: v.location.clone(),
        };
        CheckReport {
            schema: SCHEMA,
            tool: Tool { name: "selvedge".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            input: Input {
                path: self.opened.path.clone(),
                language: self.opened.language().to_owned(),
                sha256: Some(self.opened.sha256.clone()),
            },
            engine: "dynamic".to_owned(),
            bound: ReportBound::new(self.found.bound, complete),
            verdict,
            violation: violation.map(|violation| ReportViolation::new(violation, self.saved.traces.first().cloned())),
            layers: self.found.layers.clone(),
            stats: self.stats(),
            violations: violation.iter().map(|v| found(v)).collect(),
            stop: stop_code(self.found.stop),
            properties: Properties {
                checked: self.checked.properties.clone(),
                not_checked: self.checked.not_checked.clone(),
            },
            search: None,
        }
    }

    fn json(&self, verdict: Verdict) -> String {
        let mut value = serde_json::to_value(self.report(verdict)).unwrap_or(Value::Null);
        if let (Value::Object(fields), Some((bound, certificate))) = (&mut value, &self.found.proof) {
            let proof = json!({
                "thread_switches": bound,
                "markings": certificate.basis.len(),
                "weights": certificate.weights.len(),
                "file": self.proof,
            });
            fields.insert("certificate".to_owned(), proof);
        }
        let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
        text.push('\n');
        text
    }

    fn stats(&self) -> Stats {
        let length = self.found.run.as_ref().map_or(0, |trace| trace.steps.len());
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
}

fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
