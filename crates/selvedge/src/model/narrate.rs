//! From the engine's data to words: the line on the scope, and the report of a violation with its run as lanes.

use std::collections::BTreeSet;
use std::fmt::Write;

use selvedge_core::trace::{
    Changes, SCHEMA, TraceBound, TraceInput, TraceLocation, TraceOptions, TraceStep, TraceThread, TraceViolation,
    TraceWaiting,
};
use selvedge_core::{BoundKind, Trace, ViolationKind as CoreKind};
use selvedge_report::{LaneOptions, lanes};
use selvedge_stateless::{
    At, Bound, Config, Disagreement, Evidence, Exploration, Mode, Reduction, Run, RunStep, Stop, Violation as Found,
    ViolationKind, Waiting,
};

use super::links;
use super::report::{Asked, Report, Violation};
use crate::rt::{Remarks, names, notes};

/// Columns of the lanes: what a test log shows without wrapping wherever it is read.
const WIDTH: usize = 80;
/// Lines of a report in a test log; the panic machinery adds a few of its own.
const LINES: usize = 56;

/// The report of an exploration.
pub(super) fn report(name: &str, config: &Config, exploration: Exploration, remarks: Remarks) -> Report {
    let violation =
        exploration.violation.as_ref().map(|found| violation(name, config, &exploration, found, remarks.weaker));
    Report {
        executions: exploration.executions,
        cut: exploration.cut,
        too_long: exploration.too_long,
        per_bound: exploration.per_bound,
        complete: exploration.complete,
        violation,
        evidence: exploration.evidence,
        elapsed: exploration.elapsed,
        stop: exploration.stop,
        weaker_orderings: remarks.weaker,
        asked: Asked { config: config.clone(), reduction: exploration.reduction, spawned: remarks.spawned },
    }
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn executions(number: u64) -> String {
    count(number, "execution", "executions")
}

/// The bound in words: `at most 2 preemptions`.
fn bound(bound: Bound, value: Option<u32>) -> String {
    let most = |noun: &str| match value {
        Some(1) => format!("at most 1 {noun}"),
        Some(n) if noun == "switch" => format!("at most {n} switches"),
        Some(n) => format!("at most {n} {noun}s"),
        None => "any number of switches".to_owned(),
    };
    match bound {
        Bound::Preemptions(_) => most("preemption"),
        Bound::Switches(_) => most("switch"),
        Bound::Depth(_) => most("step"),
        Bound::Fair(n) => format!("fair schedules (yields at most {n} apart)"),
    }
}

fn limit(of: Bound) -> Option<u32> {
    match of {
        Bound::Preemptions(n) | Bound::Switches(n) => n,
        Bound::Fair(n) | Bound::Depth(n) => Some(n),
    }
}

/// One line on what was covered and how.
pub(super) fn scope(report: &Report) -> String {
    let Asked { config, reduction, spawned } = &report.asked;
    if let Stop::Disagreement(disagreement) = &report.stop {
        return internal_error(disagreement);
    }
    let mut line = match &config.mode {
        Mode::Replay(_) => "no violation in the replayed schedule".to_owned(),
        Mode::Random { seed, .. } => {
            format!("{}no violation in schedules chosen at random (seed {seed})", short(report))
        }
        Mode::Pct { seed, depth, .. } => {
            format!("{}no violation in schedules by PCT (depth {depth}, seed {seed})", short(report))
        }
        Mode::Exhaustive => exhaustive(config, *reduction, report),
    };
    let _ = write!(line, "; {} in {:.2?}", executions(report.executions), report.elapsed);
    if report.cut > 0 {
        let _ = write!(line, " and {} cut off", report.cut);
    }
    if report.too_long > 0 {
        let _ = write!(line, "; {}", too_long(report));
    }
    let per_bound: Vec<String> = report.per_bound.iter().map(|b| format!("{}: {}", b.bound, b.executions)).collect();
    if per_bound.len() > 1 {
        let _ = write!(line, " (bound {})", per_bound.join(", "));
    }
    if !spawned {
        line.push_str("; the test started no thread, so that there was nothing to interleave");
    }
    if *reduction != config.reduction {
        line.push_str(
            "; too many threads run side by side to run each partial order once: some schedules differ in nothing",
        );
    }
    if report.weaker_orderings {
        line.push_str("; orderings weaker than SeqCst were treated as SeqCst");
    }
    if let Some(checked) = checked(report.evidence, *reduction) {
        let _ = write!(line, "; checked: {checked}");
    }
    line
}

/// How the answer of a complete search was checked.
fn checked(evidence: Evidence, reduction: Reduction) -> Option<String> {
    let schedules = |number: u64| count(number, "random schedule", "random schedules");
    match evidence {
        Evidence::None | Evidence::Replayed => None,
        Evidence::Reexplored { schedules: 1, .. } => Some("the only schedule was run again".to_owned()),
        Evidence::Reexplored { schedules, .. } => {
            Some(format!("all {schedules} schedules were run again without reduction"))
        }
        Evidence::Sampled { schedules: number, seed, .. } => {
            let met = if reduction == Reduction::Bpor { "violation" } else { "other class" };
            Some(format!("{} met no {met} (seed {seed})", schedules(number)))
        }
    }
}

/// The search and its recheck disagree.
pub(super) fn internal_error(Disagreement { search, recheck, schedule }: &Disagreement) -> String {
    let schedule = schedule.as_ref().map_or(String::new(), |schedule| format!("\n  schedule: {schedule}"));
    format!(
        "internal error: the search and its recheck disagree\n  search:   {search}\n  recheck:  {recheck}{schedule}\n\
         This is a defect of selvedge, and its answer must not be trusted; please report it with the test. (A test whose runs \
         depend on earlier ones, through statics or files that selvedge does not know, may cause it, too.)"
    )
}

/// How a line on random schedules starts where some of them were not run to their end.
fn short(report: &Report) -> &'static str {
    if report.too_long > 0 { "incomplete, runs were cut off: " } else { "" }
}

/// What cut executions off, and what to do.
fn too_long(report: &Report) -> String {
    format!(
        "{} cut after {} operations each: raise `max_branches` (LOOM_MAX_BRANCHES), or let loops that wait call \
         `thread::yield_now`",
        count(report.too_long, "run was", "runs were"),
        report.asked.config.max_steps,
    )
}

/// Why a check that found no violation checked nothing, if so.
pub(super) fn nothing_checked(report: &Report) -> Option<String> {
    let config = &report.asked.config;
    if report.executions > 0 || matches!(config.mode, Mode::Replay(_)) {
        return None;
    }
    let runs = report.runs();
    let all = match runs {
        0 => "no run was made".to_owned(),
        1 => "the only run was".to_owned(),
        runs => format!("all {runs} runs were"),
    };
    let why = if runs > 0 && report.too_long == runs {
        format!(
            "{all} cut after {} operations; raise `max_branches` (LOOM_MAX_BRANCHES) above the operations of one run, or \
             let loops that wait call `thread::yield_now`",
            config.max_steps
        )
    } else if !report.complete {
        let all = if runs > 0 { format!("{all} cut off") } else { all };
        format!("{all} before a limit ended the search; raise the limit")
    } else if runs == 0 {
        all
    } else {
        // Cut off by the bound, which is one on the beginnings of runs, or given up by the test itself.
        return None;
    };
    Some(format!("nothing was checked: {why}"))
}

fn exhaustive(config: &Config, reduction: Reduction, report: &Report) -> String {
    let all = match reduction {
        Reduction::None => "every schedule",
        _ => "every schedule that can differ",
    };
    let covered = report.per_bound.last().map(|last| bound(config.bound, Some(last.bound)));
    let why = match &report.stop {
        Stop::Finished { every_bound: true } if report.complete => return format!("no violation: {all} was run"),
        Stop::Finished { every_bound: false } if report.complete => {
            let within = bound(config.bound, limit(config.bound));
            return format!("no violation with {within}: {all} within it was run");
        }
        Stop::Finished { .. } => "runs were cut off".to_owned(),
        Stop::Time => "the time limit was reached".to_owned(),
        Stop::Executions => "the limit of executions was reached".to_owned(),
        Stop::Nondeterminism(_) => "the test is not deterministic".to_owned(),
        Stop::BadSchedule(why) => format!("the schedule cannot be followed: {why}"),
        Stop::Unsupported(why) => format!("this cannot be explored: {why}"),
        Stop::Violation => "a violation was found".to_owned(),
        Stop::Disagreement(_) => "the recheck found something else".to_owned(),
    };
    match covered {
        Some(covered) => format!("incomplete, {why}: no violation with {covered}, and none seen beyond"),
        None => format!("incomplete, {why}: no violation seen, and no bound was completed"),
    }
}

/// A violation with its report.
fn violation(name: &str, config: &Config, exploration: &Exploration, found: &Found, weaker: bool) -> Violation {
    let trace = trace(config, found);
    let location = trace.violation.as_ref().and_then(|v| v.location.as_ref()).map(ToString::to_string);
    let head = head(config, exploration, found, location.as_deref());
    let drawn = lanes(&trace, &LaneOptions { width: WIDTH, color: false, full: true });
    let foot = foot(name, found, weaker);
    let (head, drawn, foot): (Vec<&str>, Vec<&str>, Vec<&str>) =
        (head.lines().collect(), drawn.lines().collect(), foot.lines().collect());
    let short = fold(&head, &drawn, &foot);
    let full_text = [head, drawn, foot].concat().join("\n");
    Violation {
        kind: found.kind,
        message: found.message.clone(),
        location,
        preemptions: found.run.preemptions,
        switches: found.run.switches,
        schedule: found.schedule.clone(),
        text: short,
        full_text,
        trace,
    }
}

/// Fits a report into a test log: the start and the end of what is too long are kept.
fn fold(head: &[&str], drawn: &[&str], foot: &[&str]) -> String {
    let keep = |lines: &[&str], room: usize| -> Vec<String> {
        let line = |l: &&str| (*l).to_owned();
        if lines.len() <= room {
            return lines.iter().map(line).collect();
        }
        let (first, last) = (room / 3, room - room / 3 - 1);
        let hidden = format!("  … {} lines hidden …", lines.len() - first - last);
        let start = lines[..first].iter().map(line);
        start.chain([hidden]).chain(lines[lines.len() - last..].iter().map(line)).collect()
    };
    let (head, foot) = (keep(head, 14), keep(foot, 12));
    let drawn = fold_lanes(drawn, LINES - head.len() - foot.len());
    [head, drawn, foot].concat().join("\n")
}

/// The lanes in so many lines: the beginning, the end, and between them the switches, the last ones first, with the steps
/// around them.
fn fold_lanes(lines: &[&str], room: usize) -> Vec<String> {
    if lines.len() <= room {
        return lines.iter().map(|line| (*line).to_owned()).collect();
    }
    let end = lines.len();
    let mut kept: BTreeSet<usize> = (0..room / 4).chain(end - room / 3..end).collect();
    // Each gap takes a line, too.
    let size =
        |kept: &BTreeSet<usize>| kept.len() + kept.iter().filter(|&&i| i > 0 && !kept.contains(&(i - 1))).count();
    let is_switch = |i: &usize| lines[*i].starts_with('─') && !lines[*i].contains('┼') || lines[*i].starts_with('═');
    for switch in (2..end - 1).rev().filter(is_switch) {
        let more: BTreeSet<usize> = kept.iter().copied().chain([switch - 1, switch, switch + 1]).collect();
        if size(&more) > room {
            break;
        }
        kept = more;
    }
    // What room is left goes to the end.
    for i in (0..end).rev() {
        if size(&kept) >= room {
            break;
        }
        kept.insert(i);
    }
    let mut folded = Vec::new();
    let mut next = 0;
    for i in kept {
        if i > next {
            folded.push(format!("  … {} hidden …", count((i - next) as u64, "line", "lines")));
        }
        folded.push(lines[i].to_owned());
        next = i + 1;
    }
    folded
}

fn head(config: &Config, exploration: &Exploration, found: &Found, location: Option<&str>) -> String {
    let mut text = String::new();
    let kind = match found.kind {
        ViolationKind::Panic => "panic",
        ViolationKind::Deadlock => "deadlock",
        ViolationKind::Livelock => "livelock",
        ViolationKind::DataRace => "data race",
        ViolationKind::Leak => "leak",
        ViolationKind::Misuse => "misuse",
    };
    // Some messages name their kind themselves.
    let kind = if found.message.starts_with(kind) { String::new() } else { format!("{kind}: ") };
    let message = format!("selvedge: {kind}{}\n", found.message);
    // The message of a panic is the user's and stays as it is.
    text.push_str(&if found.kind == ViolationKind::Panic { message } else { selvedge_report::wrap(&message, WIDTH) });
    let by = found.thread.and_then(|t| found.run.threads.get(t.0 as usize)).map(|t| format!(", in {}", t.name));
    let place = location.map_or(String::new(), |place| format!("at {place}{} — ", by.unwrap_or_default()));
    let Run { preemptions, switches, .. } = &found.run;
    let cost = format!(
        "{place}{}, {}, {}",
        count((*preemptions).into(), "preemption", "preemptions"),
        count((*switches).into(), "switch", "switches"),
        count(shown(&found.run).count() as u64, "step", "steps")
    );
    let after = executions(exploration.executions + exploration.cut);
    let how = match (&config.mode, exploration.per_bound.last()) {
        (Mode::Exhaustive, Some(last)) => {
            format!("found after {after}; no violation with {}", bound(config.bound, Some(last.bound)))
        }
        (Mode::Replay(_), _) => "found by replaying a schedule".to_owned(),
        _ => format!("found after {after}"),
    };
    text.push_str(&selvedge_report::wrap(&format!("{cost}\n{how}\n"), WIDTH));
    text.push('\n');
    text
}

/// What stands below the lanes: what was made where, and how to run this schedule again.
fn foot(name: &str, found: &Found, weaker: bool) -> String {
    let mut text = String::from("\n");
    let shown = |object: &names::Made| {
        found.run.steps.iter().any(|step| step.object.as_ref() == Some(&object.name))
            || found.run.waiting.iter().any(|w| w.reason.contains(&object.name))
    };
    let legend: Vec<String> = names::legend()
        .iter()
        .filter(|object| shown(object))
        .map(|object| format!("{} = {} of {}", object.name, object.type_name, place(object.at)))
        .collect();
    for line in wrap(&legend) {
        text.push_str(&selvedge_report::wrap(&line, WIDTH));
    }
    if weaker {
        text.push_str("orderings weaker than SeqCst were treated as SeqCst\n");
    }
    text.push_str(&replay_line(name, &found.schedule));
    text.push('\n');
    text
}

/// What to paste to run a schedule again.
pub(super) fn replay_line(name: &str, schedule: &str) -> String {
    format!("replay: SELVEDGE_REPLAY={schedule} cargo test {}", test_name(name))
}

/// Words side by side on lines of the usual width.
fn wrap(words: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() + 2 <= WIDTH => {
                line.push_str("; ");
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

/// What to give `cargo test` so that this test runs. libtest names the thread of a test after it, unless tests run one by
/// one on the main thread; then the model's own name tells the function it stands in.
fn test_name(name: &str) -> String {
    let thread = std::thread::current();
    thread.name().filter(|thread| *thread != "main").unwrap_or_else(|| test_filter(name)).to_owned()
}

/// The function in the name of a model.
fn test_filter(name: &str) -> &str {
    let name = name.rsplit_once("::").map_or(name, |(_, last)| last);
    // A model that a helper starts has the test in the helper's type: `helper<bool, tests::test>`.
    name.split_once(['-', '>', ',']).map_or(name, |(test, _)| test)
}

/// The steps of the test itself: that the main closure has returned and waits for the other threads is the runtime's.
fn shown(run: &Run) -> impl Iterator<Item = &RunStep> {
    run.steps.iter().filter(|step| is_users(step.at))
}

fn is_users(at: At) -> bool {
    let file = at.file().replace('\\', "/");
    !file.contains("crates/stateless/src/") && !file.contains("/selvedge-stateless-")
}

fn place(at: At) -> String {
    format!("{}:{}:{}", at.file(), at.line(), at.column())
}

fn location(at: At) -> TraceLocation {
    TraceLocation { file: at.file().to_owned(), line: at.line(), column: at.column() }
}

/// The run as every other tool reads it.
fn trace(config: &Config, found: &Found) -> Trace {
    let run = &found.run;
    let threads = run.threads.iter().zip(0..).map(|(t, id)| TraceThread { id, number: None, name: t.name.clone() });
    let place = found.location.clone().map(|(file, line, column)| TraceLocation { file, line, column });
    let violation = TraceViolation {
        kind: kind(found.kind),
        message: found.message.clone(),
        location: place.clone(),
        preemptions: Some(run.preemptions),
        preemptions_per_cycle: None,
        switches: run.switches,
        length: shown(run).count() as u32,
    };
    let path = run.steps.first().map_or(String::new(), |step| step.at.file().to_owned());
    Trace {
        schema: SCHEMA,
        input: TraceInput { path, language: "rust".to_owned(), sha256: String::new() },
        options: TraceOptions::default(),
        bound: trace_bound(config.bound),
        violation: Some(violation),
        threads: threads.collect(),
        initial: Changes::default(),
        steps: steps(run),
        waiting: run.waiting.iter().filter(|waiting| is_users(waiting.at)).map(waiting).collect(),
    }
}

fn steps(run: &Run) -> Vec<TraceStep> {
    let shown: Vec<&RunStep> = shown(run).collect();
    let links = links::links(&shown);
    shown.iter().zip(links).map(|(shown, follows)| TraceStep { follows, ..step(shown) }).collect()
}

fn trace_bound(bound: Bound) -> TraceBound {
    let kind = match bound {
        Bound::Preemptions(_) => BoundKind::Preemptions,
        Bound::Switches(_) => BoundKind::Switches,
        Bound::Depth(_) => BoundKind::Depth,
        Bound::Fair(_) => return TraceBound { kind: BoundKind::Unbounded, value: None },
    };
    TraceBound { kind, value: limit(bound) }
}

fn kind(kind: ViolationKind) -> CoreKind {
    match kind {
        ViolationKind::Panic => CoreKind::Panic,
        ViolationKind::Deadlock => CoreKind::Deadlock,
        ViolationKind::Livelock => CoreKind::Livelock,
        ViolationKind::DataRace => CoreKind::DataRace,
        ViolationKind::Leak => CoreKind::Leak,
        ViolationKind::Misuse => CoreKind::RuntimeError,
    }
}

fn waiting(waiting: &Waiting) -> TraceWaiting {
    let reason = format!("waits for {}", waiting.reason);
    TraceWaiting { thread: waiting.thread.0, location: location(waiting.at), reason, since: Vec::new() }
}

/// A step in the words of the source: `head.compare_exchange(0, 1) → Ok(0)`.
fn step(step: &RunStep) -> TraceStep {
    let note = notes::read(step.note.as_deref().unwrap_or(""));
    let mut text = match &step.object {
        Some(object) => format!("{object}.{}", step.verb),
        None => step.verb.to_owned(),
    };
    // The runtime notes the other thread of these as what came out.
    let of_thread = matches!(step.verb, "spawn" | "join" | "is_finished" | "unpark") && note.arguments.is_empty();
    let arguments = if of_thread { note.result } else { note.arguments };
    if !arguments.is_empty() {
        let _ = write!(text, "({arguments})");
    }
    if !note.result.is_empty() && !of_thread {
        let _ = write!(text, " → {}", note.result);
    }
    let changed = step.object.iter().filter(|_| !note.value.is_empty()).map(|o| (o.clone(), note.value.to_owned()));
    TraceStep {
        thread: Some(step.thread.0),
        location: Some(location(step.at)),
        text,
        changes: Changes(changed.collect()),
        switch: step.switch,
        spawns: step.other.filter(|_| step.verb == "spawn").map(|child| child.0).into_iter().collect(),
        ..TraceStep::default()
    }
}

#[cfg(test)]
mod tests;
