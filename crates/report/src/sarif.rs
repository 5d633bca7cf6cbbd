//! SARIF 2.1.0 for code-scanning services: a result for each violation and each diagnostic. The run to a violation is one
//! code flow with one thread flow for each thread; `executionOrder` is the number of the step in the whole run.
//!
//! Services recognise a result again by its fingerprint, so that it must not change when lines move: it is made of the
//! rule, the file, the message and the text of the line, never of a line number.

use std::collections::BTreeMap;

use selvedge_core::trace::{TraceLocation, TraceStep};
use selvedge_core::{Switch, Trace, Verdict, ViolationKind};
use selvedge_source::{Cancel, Severity};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::answer::{Answer, Problem, Record, Violation};
use crate::asking::Asking;
use crate::lanes::ASK_EVERY;
use crate::rules;
use crate::text::{count, one_line, preemptions};

/// Steps of a code flow; GitHub refuses more in one result.
const MOST_STEPS: usize = 10_000;

/// Where the schema is published.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What the document needs to know beyond the records.
pub struct Setting<'a> {
    /// Version of the tool.
    pub version: &'a str,
    /// The path of a file relative to the root of the project, with `/`; absolute where it lies outside.
    pub relative: &'a dyn Fn(&str) -> String,
    /// The meaning of a diagnostic code, in a few words, and its explanation.
    pub explain: &'a dyn Fn(&str) -> Option<(String, String)>,
}

/// The document, indented, with a line end; `None` if it was cancelled. The same records give the same bytes.
pub fn sarif(records: &[Record], setting: &Setting<'_>, cancel: &Cancel) -> Option<String> {
    let mut writer = Writer { setting, rules: Vec::new(), seen: BTreeMap::new(), cancel };
    let results: Vec<Value> = records.iter().flat_map(|record| writer.results(record)).collect();
    let notifications: Vec<Value> = records.iter().filter_map(|record| writer.notification(record)).collect();
    let successful = records.iter().all(|record| record.answer.is_some());
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "selvedge",
                "version": setting.version,
                "semanticVersion": setting.version,
                "rules": writer.rules.iter().map(|rule| writer.rule(rule)).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": successful,
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {"SRCROOT": {"description": {"text": "the root of the project"}}},
            "results": results,
        }],
    });
    let mut out = Asking::until(cancel);
    serde_json::to_writer_pretty(&mut out, &document).ok()?;
    out.text().map(|text| text + "\n").filter(|_| !cancel.was_cancelled())
}

/// A rule that some result has.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    Violated(ViolationKind),
    Code(&'static str),
}

struct Writer<'a> {
    setting: &'a Setting<'a>,
    /// In the order of their first result.
    rules: Vec<Rule>,
    /// How often a fingerprint was given.
    seen: BTreeMap<String, u32>,
    cancel: &'a Cancel,
}

impl Writer<'_> {
    fn results(&mut self, record: &Record) -> Vec<Value> {
        let mut results: Vec<Value> = record.problems.iter().map(|problem| self.problem(record, problem)).collect();
        if let Some(answer) = &record.answer {
            results.extend(answer.violations.iter().map(|violation| self.violation(record, answer, violation)));
        }
        results
    }

    fn problem(&mut self, record: &Record, problem: &Problem) -> Value {
        let index = self.index(Rule::Code(problem.code));
        let level = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let help: String = problem.help.iter().map(|help| format!("\nHelp: {help}")).collect();
        let place = problem.location.clone().unwrap_or_else(|| start_of(&record.path));
        json!({
            "ruleId": problem.code,
            "ruleIndex": index,
            "level": level,
            "message": {"text": format!("{}{help}", problem.message)},
            "locations": [self.location(&place, None)],
            "partialFingerprints": self.fingerprints(problem.code, &place.file, &problem.message, &problem.line),
        })
    }

    fn violation(&mut self, record: &Record, answer: &Answer, violation: &Violation) -> Value {
        let code = violation.kind.code();
        let index = self.index(Rule::Violated(violation.kind));
        let place = place_of(violation).unwrap_or_else(|| start_of(&record.path));
        let mut result = json!({
            "ruleId": code,
            "ruleIndex": index,
            "level": "error",
            "message": {"text": sentence(violation)},
            "locations": [self.location(&place, None)],
            "partialFingerprints": self.fingerprints(code, &place.file, &violation.message, &violation.line),
        });
        // A run of no steps has no flow.
        if let Some(trace) = violation.trace.as_ref().filter(|trace| !trace.steps.is_empty()) {
            result["codeFlows"] = json!([self.code_flow(trace)]);
        }
        result["properties"] = json!({"engine": answer.engine, "model": (self.setting.relative)(&record.path)});
        result
    }

    fn code_flow(&self, trace: &Trace) -> Value {
        let hidden = trace.steps.len().saturating_sub(MOST_STEPS);
        // The beginning of a long run and, more of it, its end.
        let (head, tail) = if hidden > 0 { (MOST_STEPS / 4, MOST_STEPS / 4 + hidden) } else { (usize::MAX, 0) };
        let shown = |index: usize| index < head || index >= tail;
        let mut flows: Vec<(Option<u32>, Vec<Value>)> =
            trace.threads.iter().map(|thread| (Some(thread.id), Vec::new())).chain([(None, Vec::new())]).collect();
        let mut add = |thread: Option<u32>, location: Value| {
            if let Some((_, flow)) = flows.iter_mut().find(|(id, _)| *id == thread) {
                flow.push(location);
            }
        };
        for (index, step) in trace.steps.iter().enumerate().filter(|(index, _)| shown(*index)) {
            if self.cancel.asks_at(index, ASK_EVERY) {
                break;
            }
            add(step.thread, self.flow_location(trace, index, step));
            if let Some(partner) = &step.partner {
                let text = format!("receives: {}", one_line(&partner.text));
                let location = self.location(&partner.location, Some(text));
                let importance = importance(trace, index);
                add(
                    Some(partner.thread),
                    json!({"location": location, "executionOrder": index + 1, "importance": importance}),
                );
            }
        }
        let flow = |(thread, locations): (Option<u32>, Vec<Value>)| {
            let thread = thread.and_then(|id| trace.threads.iter().find(|thread| thread.id == id));
            let (id, words) = match thread {
                Some(thread) => (thread.name.clone(), format!("the steps of {}", thread.name)),
                None => ("claim".to_owned(), "moves of the claim alone".to_owned()),
            };
            json!({"id": id, "message": {"text": words}, "locations": locations})
        };
        let flows: Vec<Value> = flows.into_iter().filter(|(_, steps)| !steps.is_empty()).map(flow).collect();
        let mut words = format!("a run of {}", count(trace.steps.len() as u64, "step", "steps"));
        if hidden > 0 {
            words.push_str(&format!(", {} of them left out", count(hidden as u64, "step", "steps")));
        }
        json!({"message": {"text": words}, "threadFlows": flows})
    }

    fn flow_location(&self, trace: &Trace, index: usize, step: &TraceStep) -> Value {
        let text = one_line(&step.text);
        let location = match &step.location {
            Some(place) => self.location(place, Some(text)),
            None => json!({"message": {"text": text}}),
        };
        let mut flow = json!({
            "location": location,
            "executionOrder": index + 1,
            "importance": importance(trace, index),
        });
        if !step.changes.0.is_empty() {
            let state = step.changes.0.iter().map(|(name, value)| (name.clone(), json!({"text": value})));
            flow["state"] = Value::Object(state.collect::<Map<String, Value>>());
        }
        flow
    }

    fn location(&self, place: &TraceLocation, text: Option<String>) -> Value {
        let path = (self.setting.relative)(&place.file);
        let artifact = match path.starts_with('/') {
            true => json!({"uri": format!("file://{}", encoded(&path))}),
            false => json!({"uri": encoded(&path), "uriBaseId": "SRCROOT"}),
        };
        let mut location = json!({"physicalLocation": {
            "artifactLocation": artifact,
            "region": {"startLine": place.line, "startColumn": place.column},
        }});
        if let Some(text) = text {
            location["message"] = json!({"text": text});
        }
        location
    }

    /// Equal results of one document are numbered.
    fn fingerprints(&mut self, rule: &str, file: &str, message: &str, line: &str) -> Value {
        let mut hasher = Sha256::new();
        for part in [rule, &(self.setting.relative)(file), message, line] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let hash: String = hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let times = self.seen.entry(hash.clone()).or_insert(0);
        *times += 1;
        json!({"selvedge/v1": format!("{hash}:{times}")})
    }

    fn index(&mut self, rule: Rule) -> usize {
        self.rules.iter().position(|known| *known == rule).unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        })
    }

    fn rule(&self, rule: &Rule) -> Value {
        let (id, short, help) = match rule {
            Rule::Violated(kind) => (kind.code(), kind.words().to_owned(), rules::help(*kind).to_owned()),
            Rule::Code(code) => {
                let (short, long) = (self.setting.explain)(code).unwrap_or_default();
                (*code, short, long)
            }
        };
        let mut rule = json!({"id": id, "defaultConfiguration": {"level": "error"}});
        if !short.is_empty() {
            rule["shortDescription"] = json!({"text": short});
        }
        if !help.is_empty() {
            rule["fullDescription"] = json!({"text": help.split("\n\n").next().unwrap_or_default()});
            rule["help"] = json!({"text": help, "markdown": help});
        }
        rule
    }

    /// What a result cannot say: that there is no answer, or none for sure.
    fn notification(&self, record: &Record) -> Option<Value> {
        let (level, text) = match (&record.answer, &record.failure) {
            (Some(answer), _) if answer.verdict == Verdict::Inconclusive => ("warning", answer.words.join("\n")),
            (Some(answer), _) => ("note", answer.words.join("\n")),
            (None, Some(failure)) => ("error", failure.clone()),
            (None, None) => return None,
        };
        Some(json!({
            "level": level,
            "message": {"text": text},
            "locations": [self.location(&start_of(&record.path), None)],
        }))
    }
}

fn start_of(path: &str) -> TraceLocation {
    TraceLocation { file: path.to_owned(), line: 1, column: 1 }
}

/// Where a violation is shown: its place, or that of the last step that has one.
pub(crate) fn place_of(violation: &Violation) -> Option<TraceLocation> {
    let last = || violation.trace.as_ref()?.steps.iter().rev().find_map(|step| step.location.clone());
    violation.location.clone().or_else(last)
}

/// A violation and the cost of its run.
pub(crate) fn sentence(violation: &Violation) -> String {
    let cost = violation.trace.as_ref().and_then(|trace| trace.violation.as_ref()).map(|violation| {
        let preemptions = preemptions(violation.preemptions, violation.preemptions_per_cycle);
        let switches = count(violation.switches.into(), "switch", "switches");
        format!(" ({preemptions}, {switches}, {})", count(violation.length.into(), "step", "steps"))
    });
    format!("{}{}", one_line(&violation.message), cost.unwrap_or_default())
}

/// Switches and the failing step matter most, moves of the claim alone least.
fn importance(trace: &Trace, index: usize) -> &'static str {
    let step = &trace.steps[index];
    let last = index + 1 == trace.steps.len();
    match step.switch {
        Switch::Preemptive | Switch::Forced => "essential",
        Switch::None if last || step.cycle_start => "essential",
        Switch::None if step.thread.is_none() => "unimportant",
        Switch::None => "important",
    }
}

/// A path as part of a URI.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
    let one = |byte: u8| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(encoded("models/a b#1.pml"), "models/a%20b%231.pml");
        assert_eq!(encoded("größe.pml"), "gr%C3%B6%C3%9Fe.pml");
    }
}
