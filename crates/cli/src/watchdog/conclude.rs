//! The answer of a check that was ended from outside: what it was doing, which bounds it had completed, and, if it had
//! its verdict already, that.

use std::sync::Arc;
use std::time::{Duration, Instant};

use selvedge_report::answer::{Answer as ForPrograms, Record};
use selvedge_report::count;
use selvedge_report::json::{CheckReport, Input, ReportBound, ReportOmission, ReportSearch, Tool, stop_code};
use selvedge_source::{Cancel, SourceMap};
use selvedge_verify::request::{Engine, Request, Store};
use selvedge_verify::trace::SCHEMA;
use selvedge_verify::{Bound, BoundKind, Choice, Evidence, Language, StopReason, Verdict};
use serde_json::Value;

use super::{Stage, State, Watched};
use crate::args::ReportArgs;
use crate::config::in_force;
use crate::console::Console;
use crate::exit::Exit;
use crate::outputs::Outputs;
use crate::render::{Rendering, searched};
use crate::{progress, publish};

/// Time for the runs of other models in the files for other programs, after a limit was met.
const GRACE: Duration = Duration::from_millis(30);

/// What a check was asked for.
pub struct Asked {
    /// The model's path.
    pub path: String,
    /// Its language, as its ending says.
    pub language: Option<Language>,
    /// The request.
    pub request: Request,
    /// It is one of several models.
    pub one_of_many: bool,
    /// Where runs are saved.
    pub outputs: Arc<Outputs>,
    /// How to print.
    pub console: Console,
}

/// Gives the answer, and writes it for other programs together with those that are `over`.
pub fn conclude(
    watched: &Watched,
    stop: StopReason,
    over: Vec<(Record, Exit)>,
    files: usize,
    reports: &ReportArgs,
) -> Exit {
    let mut console = watched.asked.console.again();
    let mut record = Record::new(&watched.asked.path);
    let exit = answer(watched, stop, &mut record, &mut console);
    let left = files.saturating_sub(over.len() + 1);
    if left > 0 {
        console.warn(&format!(
            "{} not checked: a check that ignores its limit ends the whole run",
            count(left as u64, "more model was", "more models were")
        ));
    }
    let worst = over.iter().fold(exit, |worst, (_, exit)| worst.worst(*exit));
    let records: Vec<Record> = over.into_iter().map(|(record, _)| record).chain([record]).collect();
    let since = Instant::now();
    publish::publish(reports, records, &Cancel::when(move || since.elapsed() >= GRACE), &mut console);
    if let Some(line) = in_force::line().filter(|_| !console.json) {
        console.stderr(&line);
    }
    worst
}

/// The exit code where the checks are over and an interrupt has ended the output for other programs.
pub fn unpublished(over: &[(Record, Exit)], files: usize) -> Exit {
    let stopped = if over.len() < files { Exit::Inconclusive } else { Exit::NoViolation };
    let exit = over.iter().fold(stopped, |worst, (_, exit)| worst.worst(*exit));
    let mut console = Console::plain();
    console.error("an interrupt ended before every output was written");
    exit.without_output(&mut console)
}

/// Prints the answer to one check and keeps it for other programs.
pub(super) fn answer(watched: &Watched, stop: StopReason, record: &mut Record, console: &mut Console) -> Exit {
    let mut state = watched.state().clone();
    state.stats.seconds = watched.budget.elapsed().as_secs_f64();
    super::measured(&mut state.stats);
    progress::clear();
    let ended = Ended { watched, state: &state, stop };
    let asked = &watched.asked;
    // What others have decided is saved here; the answer is already being written.
    let (answer, saved) = match (&state.answer, &state.decided) {
        (Some(answer), _) => (answer, state.saved.clone()),
        (None, Some(so_far)) => (so_far, asked.outputs.save(so_far, &Cancel::never(), console)),
        (None, None) => {
            record.answer = Some(ForPrograms::new(&ended.report(), &[], &ended.head(), &SourceMap::new()));
            return ended.print(console);
        }
    };
    // A run that could not be written in time is not given to other programs either.
    let with_runs = state.answer.is_none();
    let rendering = Rendering { answer, request: &asked.request, saved: &saved, one_of_many: asked.one_of_many };
    record.answer = Some(rendering.for_programs(with_runs));
    let exit = rendering.print_briefly(console);
    let limit = limit(stop);
    let undecided = answer.properties.iter().any(|property| property.verdict == Verdict::Inconclusive);
    match (with_runs, saved.traces.first()) {
        (true, _) if undecided => console.warn(&format!("{limit} ended before every property was searched")),
        (true, _) => console.warn(&format!("{limit} ended before the answer was checked again")),
        (false, Some(name)) => console.warn(&format!("{limit} ended before the run was shown: it is in `{name}`")),
        // This is said with --quiet as well: something is lost.
        (false, None) if !answer.traces.is_empty() => {
            console.error(&format!("{limit} ended before the run was written"));
        }
        (false, None) => console.warn(&format!("{limit} ended before the answer was shown")),
    }
    exit
}

/// The limit as people name it.
fn limit(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Time => "--time-limit",
        StopReason::Memory => "--memory-limit",
        _ => "an interrupt",
    }
}

/// A check that had no answer.
struct Ended<'a> {
    watched: &'a Watched,
    state: &'a State,
    stop: StopReason,
}

impl Ended<'_> {
    fn print(&self, console: &mut Console) -> Exit {
        let head = self.head();
        if console.json {
            console.answer(&self.json(console.one_line_json));
        } else if console.quiet {
            let name =
                if self.watched.asked.one_of_many { format!("{}: ", self.watched.asked.path) } else { String::new() };
            console.answer(&format!("{name}{}\n", head.lines().next().unwrap_or_default()));
        } else {
            if self.watched.asked.one_of_many {
                console.section(&self.watched.asked.path);
            }
            let text = console.painted(&console.wrapped(&head));
            console.answer(&text);
        }
        Exit::Inconclusive
    }

    /// The answer in words.
    fn head(&self) -> String {
        let seconds = self.state.stats.seconds;
        let mut text = match self.stop {
            StopReason::Time => format!("inconclusive: stopped by --time-limit after {seconds:.1} s"),
            StopReason::Memory => format!("inconclusive: stopped by --memory-limit after {seconds:.1} s"),
            _ => format!("inconclusive: interrupted after {seconds:.1} s"),
        };
        text.push_str(match (self.state.stage, self.watched.budget.found()) {
            (Stage::Reading, _) => ", while the model was read\n",
            (Stage::Preparing, _) => ", while the search was prepared\n",
            (Stage::Searching, None) => "\n",
            (Stage::Searching | Stage::Rendering, _) => ", while a run was prepared\n",
        });
        if let Some(found) = self.watched.budget.found() {
            text.push_str(&format!(
                "a violation was found, but its run was not replayed in time, so it is not confirmed: {found}\n"
            ));
        }
        if let Some(covered) = self.covered() {
            text.push_str(&format!("no violation with {covered}: every state within that bound was explored\n"));
        }
        let stats = &self.state.stats;
        if stats.states > 0 {
            let (states, transitions) =
                (count(stats.states, "state", "states"), count(stats.transitions, "transition", "transitions"));
            text.push_str(&format!("explored, when last counted: {states}, {transitions}\n"));
        }
        text
    }

    /// The largest bound within which there is no violation.
    fn covered(&self) -> Option<Bound> {
        let layer = self.state.layers.last().filter(|_| self.state.layers_count)?;
        Some(Bound { kind: self.bound().kind, value: Some(layer.bound) })
    }

    fn engine(&self) -> Engine {
        let by_language = self.watched.asked.language.map_or(Engine::Explicit, |language| language.row().engines[0]);
        self.watched.asked.request.engine.unwrap_or(by_language)
    }

    /// What was bounded: as it was asked for, or what the engine bounds by itself.
    fn bound(&self) -> Bound {
        let bounds = &self.watched.asked.request.bounds;
        let given = [
            (bounds.preemptions, BoundKind::Preemptions),
            (bounds.switches, BoundKind::Switches),
            (bounds.rounds, BoundKind::Rounds),
            (bounds.depth, BoundKind::Depth),
            (bounds.thread_switches, BoundKind::ThreadSwitches),
            (bounds.strata, BoundKind::Strata),
        ];
        if bounds.unbounded {
            return Bound::UNBOUNDED;
        }
        let reached = self.state.layers.last().map(|layer| layer.bound + 1).unwrap_or(0);
        let natural = match self.engine() {
            Engine::Explicit => BoundKind::Preemptions,
            Engine::Symbolic => BoundKind::Rounds,
            Engine::Dynamic => return Bound::UNBOUNDED,
        };
        let given = given.into_iter().find_map(|(value, kind)| Some((value?, kind)));
        let (value, kind) = given.unwrap_or((reached, natural));
        Bound { kind, value: Some(value) }
    }

    fn report(&self) -> CheckReport {
        let asked = &self.watched.asked;
        CheckReport {
            schema: SCHEMA,
            tool: Tool { name: "selvedge".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            input: Input {
                path: asked.path.clone(),
                language: asked.language.unwrap_or(Language::Promela).name().to_owned(),
                sha256: None,
            },
            engine: self.engine().name().to_owned(),
            bound: ReportBound::new(self.bound(), false),
            verdict: Verdict::Inconclusive,
            violation: None,
            layers: self.state.layers.clone(),
            stats: self.state.stats,
            violations: Vec::new(),
            stop: stop_code(self.stop),
            properties: Vec::new(),
            scope: self.state.scope.clone(),
            search: (self.engine() == Engine::Explicit).then(|| self.search()),
            evidence: Evidence::None { reason: "the check was stopped before it had an answer".to_owned() },
        }
    }

    /// Of a store that is not exact, nothing is known.
    fn search(&self) -> ReportSearch {
        let request = &self.watched.asked.request;
        let (covered, omission) = match request.search.store {
            Store::Exact => (self.covered(), None),
            _ => (None, Some(ReportOmission::ExpectedCoverage(0.0))),
        };
        searched(request, covered, omission)
    }

    fn json(&self, one_line: bool) -> String {
        let mut value = serde_json::to_value(self.report()).unwrap_or(Value::Null);
        value.as_object_mut().into_iter().for_each(in_force::add_to);
        if one_line { format!("{value}\n") } else { format!("{value:#}\n") }
    }
}
