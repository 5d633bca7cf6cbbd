//! The run as the page's script reads it. Statements and their places repeat from step to step, so they are stored in one
//! table; threads and files are indices. A trace that was read from a file is checked (`json::trace_from_json`);
//! one that was not loses what names an unknown thread.

use std::collections::{BTreeMap, HashMap};

use selvedge_core::trace::{LinkKind, TraceFrame, TraceLocation, TraceMessage, TraceStep};
use selvedge_core::{Switch, SwitchReason, Trace};
use selvedge_source::Cancel;
use serde::Serialize;

use super::ViewFile;
use crate::lanes::ending::why;
use crate::lanes::{ASK_EVERY, fails_by_a_step};
use crate::text::one_line;
use crate::waits;

/// Everything the script knows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    language: &'a str,
    violation: Option<String>,
    /// Why it happens, and what avoids it.
    why: Vec<String>,
    /// Whether the last step is what went wrong.
    fails: bool,
    threads: Vec<Thread>,
    files: Vec<File<'a>>,
    /// File (`null`: none), line, column, statement.
    places: Vec<(Option<usize>, u32, u32, String)>,
    initial: Vec<(&'a str, &'a str)>,
    /// Call stacks, outermost first.
    stacks: Vec<Vec<Frame<'a>>>,
    steps: Vec<Step<'a>>,
    /// The first step of the cycle of a lasso, from 0.
    cycle: Option<usize>,
    waiting: Vec<Waiting>,
    /// Threads each of which waits for the next.
    circle: Option<String>,
}

#[derive(Serialize)]
struct Thread {
    name: String,
    /// How the full names of its variables begin.
    prefixes: [String; 2],
}

#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    text: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Step<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<usize>,
    place: usize,
    /// By full names; `null` where a variable is gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<(&'a str, Option<&'a str>)>,
    /// As the thread says it, where that is different.
    #[serde(skip_serializing_if = "Option::is_none")]
    stated: Option<&'a [(String, String)]>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    propositions: &'a BTreeMap<String, bool>,
    /// Index into the stacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    switch: Option<Switch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<SwitchReason>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    atomic: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<(&'a str, &'a str, &'a [String])>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partner: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    spawns: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    follows: Vec<(u32, LinkKind, Option<&'a str>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cycle_start: bool,
}

#[derive(Serialize)]
struct Frame<'a> {
    procedure: &'a str,
    depth: u32,
    times: u32,
    place: Option<usize>,
}

#[derive(Serialize)]
struct Waiting {
    thread: usize,
    place: usize,
    reason: String,
}

impl<'a> Document<'a> {
    /// Everything; the steps up to where it was cancelled.
    pub(super) fn of(trace: &'a Trace, files: &'a [ViewFile], cancel: &Cancel) -> Self {
        let mut tables = Tables::of(trace);
        let steps = trace.steps.iter().zip(0..).take_while(|(_, index)| !cancel.asks_at(*index as usize, ASK_EVERY));
        let steps = steps.map(|(step, index)| tables.step(step, index)).collect();
        let waiting = trace.waiting.iter().filter_map(|waiting| {
            let thread = *tables.threads.get(&waiting.thread)?;
            let place = tables.place(Some(&waiting.location), "");
            Some(Waiting { thread, place, reason: waits::reason(trace, waiting) })
        });
        Document {
            language: &trace.input.language,
            violation: trace.violation.as_ref().map(|violation| one_line(&violation.message)),
            why: trace.violation.as_ref().map_or_else(Vec::new, why),
            fails: trace.violation.as_ref().is_some_and(fails_by_a_step),
            threads: trace.threads.iter().map(|thread| owner(&thread.name, trace.thread_number(thread.id))).collect(),
            initial: trace.initial.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            steps,
            cycle: trace.steps.iter().position(|step| step.cycle_start),
            waiting: waiting.collect(),
            circle: waits::circle(trace),
            files: tables.files.iter().map(|name| File { name, text: text_of(files, name) }).collect(),
            places: tables.places,
            stacks: tables.stacks,
        }
    }
}

fn text_of<'a>(files: &'a [ViewFile], name: &str) -> Option<&'a str> {
    files.iter().find(|file| file.name == name).and_then(|file| file.text.as_deref())
}

/// Variables of a thread are called `inc[1].t` or `inc(1).f.t`, whatever the thread itself is called in the trace.
fn owner(name: &str, number: u32) -> Thread {
    let base = name.strip_suffix(&format!("({number})")).unwrap_or(name);
    Thread { name: one_line(name), prefixes: [format!("{base}[{number}]."), format!("{base}({number}).")] }
}

/// What steps refer to.
struct Tables<'a> {
    threads: HashMap<u32, usize>,
    files: Vec<&'a str>,
    places: Vec<(Option<usize>, u32, u32, String)>,
    known: HashMap<(Option<&'a TraceLocation>, &'a str), usize>,
    stacks: Vec<Vec<Frame<'a>>>,
    known_stacks: HashMap<&'a [TraceFrame], usize>,
}

impl<'a> Tables<'a> {
    fn of(trace: &'a Trace) -> Self {
        let threads = trace.threads.iter().zip(0..).map(|(thread, index)| (thread.id, index)).collect();
        let mut tables = Tables {
            threads,
            files: vec![&trace.input.path],
            places: Vec::new(),
            known: HashMap::new(),
            stacks: Vec::new(),
            known_stacks: HashMap::new(),
        };
        let found = trace.violation.iter().filter_map(|violation| violation.location.as_ref());
        for location in found {
            tables.file(&location.file);
        }
        tables
    }

    fn file(&mut self, name: &'a str) -> usize {
        let known = self.files.iter().position(|file| *file == name);
        known.unwrap_or_else(|| {
            self.files.push(name);
            self.files.len() - 1
        })
    }

    fn place(&mut self, location: Option<&'a TraceLocation>, text: &'a str) -> usize {
        if let Some(known) = self.known.get(&(location, text)) {
            return *known;
        }
        let (file, line, column) = match location {
            Some(location) => (Some(self.file(&location.file)), location.line.max(1), location.column.max(1)),
            None => (None, 1, 1),
        };
        self.places.push((file, line, column, one_line(text)));
        self.known.insert((location, text), self.places.len() - 1);
        self.places.len() - 1
    }

    fn stack(&mut self, frames: &'a [TraceFrame]) -> Option<usize> {
        if frames.is_empty() {
            return None;
        }
        if let Some(known) = self.known_stacks.get(frames) {
            return Some(*known);
        }
        let frame = |frame: &'a TraceFrame| Frame {
            procedure: &frame.procedure,
            depth: frame.depth,
            times: frame.times,
            place: frame.location.as_ref().map(|location| self.place(Some(location), "")),
        };
        let stack = frames.iter().map(frame).collect();
        self.stacks.push(stack);
        self.known_stacks.insert(frames, self.stacks.len() - 1);
        Some(self.stacks.len() - 1)
    }

    fn step(&mut self, step: &'a TraceStep, index: u32) -> Step<'a> {
        let stated = step.changes.0.as_slice();
        let changes = match &step.state {
            Some(state) => state.0.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect(),
            None => stated.iter().map(|(name, value)| (name.as_str(), Some(value.as_str()))).collect(),
        };
        let partner = step.partner.as_ref().and_then(|partner| {
            let thread = *self.threads.get(&partner.thread)?;
            Some((thread, self.place(Some(&partner.location), &partner.text)))
        });
        let follows = step.follows.iter().filter(|link| 0 < link.step && link.step <= index);
        Step {
            thread: step.thread.and_then(|thread| self.threads.get(&thread).copied()),
            place: self.place(step.location.as_ref(), &step.text),
            changes,
            stated: step.state.is_some().then_some(stated),
            propositions: &step.propositions,
            stack: self.stack(&step.stack),
            switch: (step.switch != Switch::None).then_some(step.switch),
            reason: step.reason,
            atomic: step.atomic,
            message: step
                .message
                .as_ref()
                .map(|TraceMessage { channel, direction, values }| (&**channel, &**direction, values.as_slice())),
            partner,
            spawns: step.spawns.iter().filter_map(|thread| self.threads.get(thread).copied()).collect(),
            follows: follows.map(|link| (link.step, link.kind, link.what.as_deref())).collect(),
            output: step.output.as_deref(),
            cycle_start: step.cycle_start,
        }
    }
}
