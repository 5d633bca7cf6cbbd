//! JSON for scripts: the result of `check --json` and the trace file. Fields have the order of the
//! contract (docs/interface.md); fields may be added, none is renamed or removed while
//! `schema` is 1.

use selvedge_core::trace::{SCHEMA, TraceLocation, TraceViolation};
use selvedge_core::{Bound, BoundKind, Evidence, Layer, Stats, StopReason, Trace, Verdict, ViolationKind};
use selvedge_source::Cancel;
use serde::{Deserialize, Serialize};

use crate::asking::Asking;

/// What `check --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// Version of the format.
    pub schema: u32,
    /// Who wrote it.
    pub tool: Tool,
    /// What was checked.
    pub input: Input,
    /// `explicit`, `symbolic`, …
    pub engine: String,
    /// The bound of the search.
    pub bound: ReportBound,
    /// The answer.
    pub verdict: Verdict,
    /// The first violation in full; `null` if there is none.
    pub violation: Option<ReportViolation>,
    /// One entry for each bound that was completed; empty where the search has no layers.
    pub layers: Vec<Layer>,
    /// Figures of the whole search.
    pub stats: Stats,
    /// All distinct violations that were found.
    pub violations: Vec<FoundViolation>,
    /// Why the run stopped.
    pub stop: &'static str,
    /// What is known of each property.
    pub properties: Vec<ReportProperty>,
    /// What was checked, and what was not and why.
    pub scope: Scope,
    /// How it was searched; decides whether two results can be merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<ReportSearch>,
    /// How the answer was checked by something independent.
    pub evidence: Evidence,
}

/// Name and version of the tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tool {
    /// `selvedge`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The model file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Input {
    /// As given on the command line.
    pub path: String,
    /// `promela`, …
    pub language: String,
    /// SHA-256 of the text, included files too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The bound and whether everything within it was explored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportBound {
    /// What is bounded.
    pub kind: BoundKind,
    /// How much; `null` where nothing is.
    pub value: Option<u32>,
    /// Whether everything within it was explored.
    pub complete: bool,
}

impl ReportBound {
    /// The bound of a search.
    pub fn new(bound: Bound, complete: bool) -> Self {
        ReportBound { kind: bound.kind, value: bound.value, complete }
    }
}

/// A violation with the cost of its trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportViolation {
    /// As the trace has it.
    #[serde(flatten)]
    pub found: TraceViolation,
    /// Whether the run is proven to be the simplest; absent where that is not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimal: Option<bool>,
    /// The trace file, where one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// One of the distinct violations of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundViolation {
    /// What kind.
    pub kind: ViolationKind,
    /// One sentence.
    pub message: String,
    /// Where; `null` where no place is to blame.
    pub location: Option<TraceLocation>,
    /// The property that is violated, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
}

/// What is known of a property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportProperty {
    /// The name of a claim, or `safety` or `cycles`.
    pub name: String,
    /// `safety`, `cycles`, `ltl` or `never`.
    pub kind: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Its first violation; `null` if there is none.
    pub violation: Option<ReportViolation>,
    /// The bound that the verdict speaks of.
    pub bound: ReportBound,
    /// Why its search stopped.
    pub stop: String,
    /// Figures of its search.
    pub stats: Stats,
    /// How the verdict was checked by something independent.
    pub evidence: Evidence,
    /// Of a formula that holds: conditions of its implications that are never true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vacuous: Vec<String>,
}

/// What was checked and what was not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// Properties that were checked.
    pub checked: Vec<String>,
    /// Properties that were not, each with the reason.
    pub not_checked: Vec<String>,
    /// Assertions that no run within the bound reaches, where that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_reached: Vec<String>,
    /// Other statements that no run within the bound executes, where that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_executed: Vec<String>,
}

/// How a model was searched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportSearch {
    /// `layered`, `dfs`, …
    pub kind: String,
    /// `exact`, `compact` or `bitstate`.
    pub store: String,
    /// Of the hash functions and of the order; `null` where the order is that of the model.
    pub seed: Option<u64>,
    /// The claim that was chosen on the command line.
    pub claim: Option<String>,
    /// Whether only fair runs counted.
    pub fair: bool,
    /// Whether leaving a busy-waiting thread counted as a preemption.
    pub count_busy_wait: bool,
    /// The largest bound within which there is no violation for certain.
    pub covered: Option<Bound>,
    /// What may have been missed; `null` where nothing was.
    pub omission: Option<ReportOmission>,
}

/// What may have been missed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReportOmission {
    /// The probability that any state was missed.
    Probability(f64),
    /// The share of the states that is expected to have been met.
    ExpectedCoverage(f64),
    /// The algorithm itself misses states within the bound.
    ByDesign,
    /// The model reads hidden variables, which are no part of the state.
    HiddenVariables,
}

impl CheckReport {
    /// The document, indented, with a line end.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// Why a run stopped, as scripts read it.
pub fn stop_code(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Exhausted => "exhausted",
        StopReason::Bound => "bound",
        StopReason::Violation => "violation",
        StopReason::Time => "time-limit",
        StopReason::Memory => "memory-limit",
        StopReason::States => "max-states",
        StopReason::Depth => "max-depth",
        StopReason::Stack => "stack-limit",
        StopReason::Threads => "thread-limit",
        StopReason::Tokens => "token-limit",
        StopReason::GaveUp => "gave-up",
        StopReason::Interrupted => "interrupted",
    }
}

/// The trace file, indented, with a line end. The same trace gives the same bytes.
pub fn trace_to_json(trace: &Trace) -> String {
    pretty(trace)
}

/// As [`trace_to_json`]; `None` if it was cancelled.
pub fn trace_to_json_until(trace: &Trace, cancel: &Cancel) -> Option<String> {
    let mut out = Asking::until(cancel);
    serde_json::to_writer_pretty(&mut out, trace).ok()?;
    out.text().map(|text| text + "\n")
}

/// Reads a trace file. The error is one sentence: not JSON, not a trace, a newer format, or a step
/// of a thread that the file does not list.
pub fn trace_from_json(text: &str) -> Result<Trace, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let schema = value.get("schema").and_then(serde_json::Value::as_u64);
    let schema = schema.ok_or("not a trace of selvedge: the number `schema` is missing")?;
    if schema > u64::from(SCHEMA) {
        return Err(format!(
            "the trace has format {schema}, and this selvedge reads formats up to {SCHEMA}: \
             use the selvedge that wrote it, or a newer one"
        ));
    }
    // Read again from the text: errors then name their line and column.
    let trace: Trace = serde_json::from_str(text).map_err(|error| format!("not a trace of selvedge: {error}"))?;
    check_threads(&trace)?;
    Ok(trace)
}

fn check_threads(trace: &Trace) -> Result<(), String> {
    let known = |id: u32| trace.threads.iter().any(|thread| thread.id == id);
    for (index, step) in trace.steps.iter().enumerate() {
        let named = step.thread.into_iter().chain(step.partner.as_ref().map(|partner| partner.thread));
        if let Some(id) = named.chain(step.spawns.iter().copied()).find(|id| !known(*id)) {
            return Err(format!("step {} names thread {id}, which `threads` does not list", index + 1));
        }
        if let Some(link) = step.follows.iter().find(|link| link.step == 0 || link.step as usize > index) {
            return Err(format!("step {} follows step {}, which is not before it", index + 1, link.step));
        }
    }
    match trace.waiting.iter().find(|waiting| !known(waiting.thread)) {
        Some(waiting) => Err(format!("`waiting` names thread {}, which `threads` does not list", waiting.thread)),
        None => Ok(()),
    }
}

fn pretty(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("maps have string keys and values serialize");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_has_the_fields_of_the_contract_in_its_order() {
        let location = TraceLocation { file: "peterson.pml".into(), line: 31, column: 5 };
        let violation = TraceViolation {
            kind: ViolationKind::Assertion,
            message: "assertion violated: ncrit == 1".into(),
            location: Some(location.clone()),
            preemptions: Some(1),
            preemptions_per_cycle: None,
            switches: 3,
            length: 14,
            explanation: None,
            avoided_by_swapping: None,
        };
        let stats = Stats {
            states: 57,
            transitions: 97,
            max_depth: 21,
            seconds: 0.004,
            peak_memory_bytes: 4_194_304,
            bytes_per_state: 18.5,
            revisits: 0,
        };
        let report = CheckReport {
            schema: 1,
            tool: Tool { name: "selvedge".into(), version: "0.1.0".into() },
            input: Input { path: "peterson.pml".into(), language: "promela".into(), sha256: None },
            engine: "explicit".into(),
            bound: ReportBound::new(Bound { kind: BoundKind::Preemptions, value: Some(2) }, true),
            verdict: Verdict::Violated,
            violation: Some(ReportViolation {
                found: violation.clone(),
                minimal: None,
                trace: Some("peterson.trace.json".into()),
            }),
            layers: vec![Layer { bound: 0, states: 20, new_states: 20, transitions: 31, seconds: 0.001 }],
            stats,
            violations: vec![FoundViolation {
                kind: violation.kind,
                message: violation.message,
                location: Some(location),
                property: None,
            }],
            stop: stop_code(StopReason::Violation),
            properties: Vec::new(),
            scope: Scope { checked: vec!["assertions".into()], ..Scope::default() },
            search: None,
            evidence: Evidence::Replayed { runs: 1 },
        };
        let value: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        let contract = r#"{"schema":1,"tool":{"name":"selvedge","version":"0.1.0"},"input":{"path":"peterson.pml","language":"promela"},"engine":"explicit","bound":{"kind":"preemptions","value":2,"complete":true},"verdict":"violated","violation":{"kind":"assertion","message":"assertion violated: ncrit == 1","location":{"file":"peterson.pml","line":31,"column":5},"preemptions":1,"switches":3,"length":14,"trace":"peterson.trace.json"},"layers":[{"bound":0,"states":20,"new_states":20,"transitions":31,"seconds":0.001}],"stats":{"states":57,"transitions":97,"max_depth":21,"seconds":0.004,"peak_memory_bytes":4194304,"bytes_per_state":18.5},"violations":[{"kind":"assertion","message":"assertion violated: ncrit == 1","location":{"file":"peterson.pml","line":31,"column":5}}],"stop":"violation","properties":[],"scope":{"checked":["assertions"],"not_checked":[]},"evidence":{"kind":"replayed","runs":1}}"#;
        assert_eq!(serde_json::to_string(&value).unwrap(), contract);
    }

    #[test]
    fn a_trace_that_cannot_be_used_is_refused_in_words() {
        let refused = |text: &str| trace_from_json(text).unwrap_err();
        assert!(refused("{").starts_with("not JSON: "));
        assert_eq!(refused("[]"), "not a trace of selvedge: the number `schema` is missing");
        assert_eq!(
            refused(r#"{"schema": 2, "steps": "of another shape"}"#),
            "the trace has format 2, and this selvedge reads formats up to 1: \
             use the selvedge that wrote it, or a newer one"
        );
        assert!(refused(r#"{"schema": 1}"#).contains("missing field `input`"));
        let head = r#""schema":1,"input":{"path":"a.pml","language":"promela","sha256":""},"bound":{"kind":"unbounded","value":null}"#;
        let step = r#"{"thread":7,"text":"skip","switch":"none"}"#;
        let text = format!(r#"{{{head},"threads":[{{"id":0,"name":"main"}}],"steps":[{step}]}}"#);
        assert_eq!(refused(&text), "step 1 names thread 7, which `threads` does not list");
    }
}
