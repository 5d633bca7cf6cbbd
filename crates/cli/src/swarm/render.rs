//! The answer of a swarm in words and as JSON: the verdict as `check` gives it, what each search contributed, and what
//! they covered together.

use std::path::Path;

use selvedge_report::answer::{Answer, Violation};
use selvedge_report::json::{
    Input, ReportBound, ReportProperty, ReportSearch, ReportViolation, Scope, Tool, stop_code,
};
use selvedge_report::{Summary, count, lanes, preemptions};
use selvedge_verify::trace::SCHEMA;
use selvedge_verify::{Bound, BoundKind, Layer, Stats, StopReason, Trace, Verdict};
use serde::Serialize;

use super::combine::{Combined, Lossy, combine};
use super::result::{Found, Reach};
use crate::config::in_force;
use crate::console::Console;
use crate::exit::Exit;
use crate::render::{NOTHING_CHECKED, PROMELA_ADVICE};
use crate::shell;

/// A search and what became of it.
#[derive(Clone, Debug)]
pub struct Member {
    /// What distinguishes it from the others.
    pub label: String,
    /// What it found out.
    pub found: Option<Found>,
    /// Why there is nothing.
    pub note: String,
}

impl Member {
    /// A search that was not started.
    pub fn not_run(label: String) -> Self {
        Member { label, found: None, note: "not started".to_owned() }
    }
}

/// Everything known at the end.
pub struct SwarmAnswer {
    members: Vec<Member>,
    /// The members with a result.
    with_result: Vec<usize>,
    combined: Combined,
    asked: Option<u32>,
    interrupted: bool,
}

impl SwarmAnswer {
    /// Puts the results of the searches together.
    pub fn new(members: Vec<Member>, asked: Option<u32>, interrupted: bool) -> Self {
        let with_result: Vec<usize> = (0..members.len()).filter(|index| members[*index].found.is_some()).collect();
        let results: Vec<Found> = members.iter().filter_map(|member| member.found.clone()).collect();
        let combined = combine(&results, asked);
        SwarmAnswer { members, with_result, combined, asked, interrupted }
    }

    /// The search that decided, or that met most states.
    pub fn decider(&self) -> Option<&Member> {
        self.combined.decider.map(|index| &self.members[self.with_result[index]])
    }

    fn deciding(&self) -> Option<&Found> {
        self.decider()?.found.as_ref()
    }

    /// The violation that is shown.
    pub fn violation(&self) -> Option<&ReportViolation> {
        self.deciding()?.violation.as_ref().filter(|_| self.combined.verdict == Verdict::Violated)
    }

    /// The traces of the searches are gone: only the one that was saved here is still there.
    pub fn with_traces_at(mut self, saved: Option<String>) -> Self {
        let decider = self.combined.decider.map(|index| self.with_result[index]);
        for (index, member) in self.members.iter_mut().enumerate() {
            let Some(found) = member.found.as_mut() else { continue };
            let of_properties = found.properties.iter_mut().filter_map(|property| property.violation.as_mut());
            // The first violation is that of the first property which is violated; the runs of others are not kept.
            let mut saved = saved.clone().filter(|_| Some(index) == decider);
            found.violation.iter_mut().for_each(|violation| violation.trace.clone_from(&saved));
            of_properties.for_each(|violation| violation.trace = saved.take());
        }
        self
    }

    /// Prints the answer in the form that was asked for.
    pub fn print(&self, trace: Option<&Trace>, next: Vec<String>, console: &mut Console) -> Exit {
        let Some(deciding) = self.deciding() else {
            console.error("no search gave an answer");
            self.members.iter().for_each(|member| console.warn(&format!("[{}]: {}", member.label, member.note)));
            return Exit::Inconclusive;
        };
        let exit = self.exit(deciding);
        let text = match () {
            () if console.json => self.json(deciding),
            () => self.text(deciding, trace, next, exit, console),
        };
        console.answer(&text);
        exit
    }

    fn text(
        &self,
        deciding: &Found,
        trace: Option<&Trace>,
        next: Vec<String>,
        exit: Exit,
        console: &Console,
    ) -> String {
        let summary = self.summary(deciding, next);
        let head = if exit == Exit::NothingChecked { format!("{NOTHING_CHECKED}\n") } else { summary.head() };
        if console.quiet {
            return format!("{}\n", head.lines().next().unwrap_or_default());
        }
        let mut text = console.wrapped(&head);
        if deciding.properties.len() > 1 {
            let line = |found: &ReportProperty| format!("{}: {}\n", found.name, verdict_words(found.verdict));
            text.push_str(&deciding.properties.iter().map(line).collect::<String>());
        }
        if let Some(trace) = trace {
            text.push_str(&format!("\n{}\n", lanes(trace, &console.lanes())));
        }
        text.push_str(&console.wrapped(&self.coverage()));
        text.push_str(&self.table(console));
        text.push_str(&console.wrapped(&summary.properties()));
        text.push_str(&console.commands(&summary.commands()));
        if exit == Exit::NothingChecked {
            text.push_str(&console.wrapped(PROMELA_ADVICE));
        }
        text
    }

    /// The answer for other programs.
    pub fn for_programs(&self, trace: Option<&Trace>) -> Option<Answer> {
        let deciding = self.deciding()?;
        let violation = |violation: &ReportViolation| Violation {
            kind: violation.found.kind,
            message: violation.found.message.clone(),
            location: violation.found.location.clone(),
            line: String::new(),
            property: None,
            trace: trace.cloned(),
        };
        Some(Answer {
            engine: "swarm".to_owned(),
            verdict: self.combined.verdict,
            words: self.summary(deciding, Vec::new()).head().lines().take(2).map(str::to_owned).collect(),
            scope: deciding.scope.clone(),
            properties: deciding.properties.clone(),
            rest_decided: self.complete(),
            violations: self.violation().map(violation).into_iter().collect(),
        })
    }

    fn exit(&self, deciding: &Found) -> Exit {
        match self.combined.verdict {
            Verdict::Violated => Exit::Violation,
            _ if deciding.checked_nothing() => Exit::NothingChecked,
            Verdict::Holds | Verdict::HoldsWithinBound => Exit::NoViolation,
            Verdict::Inconclusive => Exit::Inconclusive,
        }
    }

    /// The bound that the verdict speaks of.
    fn bound(&self, deciding: &Found) -> Bound {
        let asked = self.asked.map(|asked| Bound { kind: BoundKind::Preemptions, value: Some(asked) });
        match self.combined.verdict {
            Verdict::HoldsWithinBound => self.combined.covered.unwrap_or(Bound::UNBOUNDED),
            Verdict::Inconclusive => asked.unwrap_or(Bound::UNBOUNDED),
            Verdict::Violated | Verdict::Holds => deciding.bound(),
        }
    }

    fn complete(&self) -> bool {
        matches!(self.combined.verdict, Verdict::Holds | Verdict::HoldsWithinBound)
    }

    /// Why the swarm did not find out more.
    fn stop(&self, deciding: &Found) -> StopReason {
        match self.combined.verdict {
            _ if self.interrupted => StopReason::Interrupted,
            Verdict::Inconclusive if !self.combined.lossy.is_empty() => StopReason::Exhausted,
            _ => deciding.stop(),
        }
    }

    /// The figures that go with the verdict: of a search that began a further bound, those of the last complete one.
    fn stats(&self, deciding: &Found) -> Stats {
        let bound = self.combined.covered.filter(|_| self.combined.verdict == Verdict::HoldsWithinBound);
        let layer = bound.and_then(|bound| deciding.layers.iter().find(|layer| Some(layer.bound) == bound.value));
        match layer {
            Some(layer) => Stats { states: layer.states, transitions: layer.transitions, ..deciding.stats },
            None => deciding.stats,
        }
    }

    fn summary(&self, deciding: &Found, next_commands: Vec<String>) -> Summary {
        let lossy = !self.combined.lossy.is_empty();
        Summary {
            verdict: self.combined.verdict,
            bound: self.bound(deciding),
            complete: self.complete(),
            covered: self.combined.covered,
            layers: deciding.layers.clone(),
            stop: self.stop(deciding),
            stats: self.stats(deciding),
            omission: lossy.then(|| "only searches that may miss states were completed".to_owned()),
            scope: Scope {
                checked: deciding.scope.checked.clone(),
                not_checked: deciding.scope.not_checked.clone(),
                ..Scope::default()
            },
            violation: self.violation().map(|violation| violation.found.clone()),
            next_commands,
        }
    }

    /// What lossy searches covered together, beyond what is proved.
    fn coverage(&self) -> String {
        let line = |lossy: &Lossy| {
            let of = match lossy.reach {
                Reach::Everything => "all states".to_owned(),
                Reach::Bound(n) => {
                    format!("the states with {}", Bound { kind: BoundKind::Preemptions, value: Some(n) })
                }
            };
            let searches = match lossy.searches {
                1 => "one search".to_owned(),
                n => format!("{n} searches with different hash functions together"),
            };
            format!("expected coverage of {of}: {} ({searches}); this is no proof\n", share(lossy.missed))
        };
        self.combined.lossy.iter().map(line).collect()
    }

    /// One line for each search; where these are too wide, its result is on the line below.
    fn table(&self, console: &Console) -> String {
        let width = self.members.iter().map(|member| member.label.chars().count()).max().unwrap_or(0);
        let rows: Vec<[String; 2]> = self.members.iter().map(|member| [member.label.clone(), ended(member)]).collect();
        let wide =
            |(index, [label, ended]): (usize, &[String; 2])| format!("{:>5}  {label:<width$}  {ended}\n", index + 1);
        let narrow = |(index, [label, ended]): (usize, &[String; 2])| {
            let (label, ended) = (console.filled(label, 7), console.filled(ended, 9));
            format!("{:>5}  {label}\n         {ended}\n", index + 1)
        };
        let lines: Vec<String> = rows.iter().enumerate().map(wide).collect();
        let table = match lines.iter().all(|line| console.fits(line)) {
            true => lines.concat(),
            false => rows.iter().enumerate().map(narrow).collect(),
        };
        format!("searches:\n{table}")
    }

    fn json(&self, deciding: &Found) -> String {
        let report = Report {
            schema: SCHEMA,
            tool: Tool { name: "selvedge".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            input: &deciding.input,
            engine: "swarm",
            bound: ReportBound::new(self.bound(deciding), self.complete()),
            verdict: self.combined.verdict,
            violation: self.violation(),
            layers: &deciding.layers,
            stats: self.stats(deciding),
            stop: stop_code(self.stop(deciding)),
            properties: &deciding.properties,
            scope: &deciding.scope,
            coverage: Coverage {
                exact: self.combined.covered,
                lossy: self.combined.lossy.iter().map(LossyCoverage::new).collect(),
            },
            searches: self.members.iter().map(OneSearch::new).collect(),
        };
        let mut report = serde_json::to_value(&report).unwrap_or_else(|_| unreachable!("names are strings"));
        report.as_object_mut().into_iter().for_each(in_force::add_to);
        format!("{report:#}\n")
    }
}

/// How to go on from here.
pub fn next_commands(answer: &SwarmAnswer, saved: Option<&str>, file: &str) -> Vec<String> {
    let command = match (answer.combined.verdict, saved) {
        (Verdict::Violated, Some(path)) => return with_trace(path),
        (Verdict::Violated, None) => {
            format!("save the trace: {}", shell::again_with(&["--trace-out", &shell::trace_name(Path::new(file))]))
        }
        (Verdict::Holds, _) => return Vec::new(),
        _ if answer.deciding().is_none_or(|found| found.scope.checked.is_empty()) => return Vec::new(),
        _ => "to explore more, raise --time-limit or --memory-limit, or --max-bound where it was given".to_owned(),
    };
    vec![command]
}

/// What can be done with a saved trace.
pub fn with_trace(path: &str) -> Vec<String> {
    ["replay", "view"].map(|command| format!("{command}: selvedge {command} {}", shell::quote(path))).into()
}

/// What became of a search, and how far it got.
fn ended(member: &Member) -> String {
    let states = member.found.as_ref().map(|found| format!(", {}", count(found.stats.states, "state", "states")));
    ending(member) + &states.unwrap_or_default()
}

/// What became of a search, in a few words.
pub fn ending(member: &Member) -> String {
    let Some(found) = &member.found else { return member.note.clone() };
    let stopped = match found.stop() {
        StopReason::Time => "stopped by the time limit",
        StopReason::Memory => "stopped by the memory limit",
        StopReason::States
        | StopReason::Depth
        | StopReason::Stack
        | StopReason::Threads
        | StopReason::Tokens
        | StopReason::GaveUp => "stopped by a limit",
        StopReason::Interrupted => "stopped",
        StopReason::Exhausted | StopReason::Bound | StopReason::Violation => "ended",
    };
    match (found.verdict, found.missed(), found.lossy_reach()) {
        (Verdict::Violated, ..) => {
            let cost = found.violation.as_ref().map(|violation| &violation.found).map(|v| {
                let preemptions = preemptions(v.preemptions, v.preemptions_per_cycle);
                format!(" ({preemptions}, {})", count(v.length.into(), "step", "steps"))
            });
            format!("violated{}", cost.unwrap_or_default())
        }
        (Verdict::Holds, None, _) => "holds".to_owned(),
        (_, Some(missed), Some(Reach::Everything)) => format!("no violation; expected coverage {}", share(missed)),
        (_, Some(missed), Some(Reach::Bound(n))) => {
            let bound = Bound { kind: BoundKind::Preemptions, value: Some(n) };
            format!("{stopped}; no violation with {bound}; expected coverage {}", share(missed))
        }
        _ => match found.search.covered {
            Some(bound) => format!("{stopped}; no violation with {bound}"),
            None => format!("{stopped}; no violation found"),
        },
    }
}

fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Violated => "violated",
        Verdict::Holds => "holds",
        Verdict::HoldsWithinBound => "holds within the bound",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// The share that was covered; where hardly anything was missed, what was missed.
fn share(missed: f64) -> String {
    if missed == 0.0 {
        "100 %".to_owned()
    } else if missed < 1e-5 {
        format!("all but a share of about {missed:.0e}")
    } else {
        format!("about {:.3} %", (1.0 - missed) * 100.0)
    }
}

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    tool: Tool,
    input: &'a Input,
    engine: &'static str,
    bound: ReportBound,
    verdict: Verdict,
    violation: Option<&'a ReportViolation>,
    layers: &'a [Layer],
    stats: Stats,
    stop: &'static str,
    properties: &'a [ReportProperty],
    scope: &'a Scope,
    coverage: Coverage,
    searches: Vec<OneSearch<'a>>,
}

#[derive(Serialize)]
struct Coverage {
    exact: Option<Bound>,
    lossy: Vec<LossyCoverage>,
}

#[derive(Serialize)]
struct LossyCoverage {
    /// `null`: every state.
    preemptions: Option<u32>,
    expected_coverage: f64,
    expected_missed: f64,
    searches: usize,
}

impl LossyCoverage {
    fn new(lossy: &Lossy) -> Self {
        let preemptions = match lossy.reach {
            Reach::Everything => None,
            Reach::Bound(bound) => Some(bound),
        };
        let Lossy { missed, searches, .. } = *lossy;
        LossyCoverage { preemptions, expected_coverage: 1.0 - missed, expected_missed: missed, searches }
    }
}

#[derive(Serialize)]
struct OneSearch<'a> {
    name: &'a str,
    ended: String,
    verdict: Option<Verdict>,
    bound: Option<&'a ReportBound>,
    search: Option<&'a ReportSearch>,
    stats: Option<Stats>,
}

impl<'a> OneSearch<'a> {
    fn new(member: &'a Member) -> Self {
        let found = member.found.as_ref();
        OneSearch {
            name: &member.label,
            ended: ending(member),
            verdict: found.map(|found| found.verdict),
            bound: found.map(|found| &found.bound),
            search: found.map(|found| &found.search),
            stats: found.map(|found| found.stats),
        }
    }
}
