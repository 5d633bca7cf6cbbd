//! What the answers of the symbolic and the dynamic engine have in common. Both show one run at most, and both say what
//! they proved in words of their own; verdict, document and the order of the text do not differ.

use selvedge_core::trace::SCHEMA;
use selvedge_core::{Layer, Stats, StopReason, Trace, Verdict};
use selvedge_report::answer::Answer;
use selvedge_report::json::{FoundViolation, Input, Properties, ReportBound, ReportViolation, Tool, stop_code};
use selvedge_report::{CheckReport, lanes};
use serde_json::{Map, Value};

use super::Opened;
use crate::args::CheckArgs;
use crate::check::Saved;
use crate::check::properties::Checked;
use crate::check::say::{Forms, exit_of, say};
use crate::console::Console;
use crate::exit::Exit;

/// Everything known at the end of a run that is the same for both engines.
pub struct Common<'a> {
    /// The options.
    pub args: &'a CheckArgs,
    /// The model.
    pub opened: &'a Opened,
    /// The run, replayed.
    pub trace: Option<&'a Trace>,
    /// Where it was saved.
    pub saved: &'a Saved,
    /// What was checked.
    pub checked: Checked,
}

/// What an engine has to say besides.
pub trait Engine {
    /// Its name in documents.
    const NAME: &'static str;

    /// The rest of what is known.
    fn common(&self) -> &Common<'_>;

    /// The verdict.
    fn verdict(&self) -> Verdict;

    /// Verdict and scope in words.
    fn head(&self, verdict: Verdict) -> String;

    /// What stands between the run and the list of properties.
    fn figures(&self) -> String;

    /// The commands to go on with.
    fn next(&self, verdict: Verdict) -> String;

    /// The bound of the answer, and whether everything within it was explored.
    fn bound(&self) -> ReportBound;

    /// Bound by bound.
    fn layers(&self) -> Vec<Layer>;

    /// The figures of the whole run.
    fn stats(&self) -> Stats;

    /// Why the run ended.
    fn stop(&self) -> StopReason;

    /// Adds the engine's own fields to the document.
    fn extend(&self, fields: &mut Map<String, Value>);
}

impl Common<'_> {
    /// The verdict from what was found, proved beyond every bound, and covered within the bound.
    pub fn verdict(&self, proved: bool, covered: bool) -> Verdict {
        match () {
            () if self.trace.is_some() => Verdict::Violated,
            () if self.checked.nothing() => Verdict::Inconclusive,
            () if proved => Verdict::Holds,
            () if covered => Verdict::HoldsWithinBound,
            () => Verdict::Inconclusive,
        }
    }

    /// There was nothing to check, and no violation came up.
    pub fn checked_nothing(&self) -> bool {
        self.trace.is_none() && self.checked.nothing()
    }
}

/// Tells the answer.
pub fn tell<E: Engine>(told: &E, console: &Console) -> Exit {
    let (common, verdict) = (told.common(), told.verdict());
    let head = || told.head(verdict);
    console.keep_answer(|| {
        let traces = common.trace.map(std::slice::from_ref).unwrap_or_default();
        Answer::new(&report(told, verdict), traces, &head(), &common.opened.sources)
    });
    let forms = Forms { json: &|| json(told, verdict), head: &head, text: &|| text(told, verdict, console) };
    say(&forms, common.args, &common.opened.path, console);
    exit_of(verdict, &common.checked)
}

fn text<E: Engine>(told: &E, verdict: Verdict, console: &Console) -> String {
    let common = told.common();
    let mut text = console.wrapped(&told.head(verdict));
    if let Some(trace) = common.trace {
        text.push_str(&format!("\n{}\n", lanes(trace, &console.lanes())));
    }
    text.push_str(&told.figures());
    let listed = common.checked.properties.join(", ");
    if !listed.is_empty() {
        text.push_str(&console.wrapped(&format!("checked: {listed}\n")));
    }
    for what in &common.checked.not_checked {
        text.push_str(&console.wrapped(&format!("not checked: {what}\n")));
    }
    text.push_str(&console.commands(&told.next(verdict)));
    text
}

fn report<E: Engine>(told: &E, verdict: Verdict) -> CheckReport {
    let Common { opened, trace, saved, checked, .. } = told.common();
    let violation = trace.and_then(|trace| trace.violation.as_ref());
    let found = violation.map(|violation| FoundViolation {
        kind: violation.kind,
        message: violation.message.clone(),
        location: violation.location.clone(),
    });
    CheckReport {
        schema: SCHEMA,
        tool: Tool { name: "selvedge".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        input: Input {
            path: opened.path.clone(),
            language: opened.language().to_owned(),
            sha256: Some(opened.sha256.clone()),
        },
        engine: E::NAME.to_owned(),
        bound: told.bound(),
        verdict,
        violation: violation.map(|violation| ReportViolation::new(violation, saved.traces.first().cloned())),
        layers: told.layers(),
        stats: told.stats(),
        violations: found.into_iter().collect(),
        stop: stop_code(told.stop()),
        properties: Properties {
            checked: checked.properties.clone(),
            not_checked: checked.not_checked.clone(),
            never_reached: checked.never_reached.clone(),
        },
        search: None,
    }
}

fn json<E: Engine>(told: &E, verdict: Verdict) -> String {
    let mut value = serde_json::to_value(report(told, verdict)).unwrap_or(Value::Null);
    if let Value::Object(fields) = &mut value {
        told.extend(fields);
    }
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    format!("{text}\n")
}
