//! One line on what a check covered and how: what a passing test prints.

use std::fmt::Write;

use selvedge_stateless::{
    Config, Disagreement, Memory, Mode, Nondeterminism, Reduction, SearchBound, SearchEvidence, Stop,
};

use super::report::{Asked, Report};

pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

pub(super) fn executions(number: u64) -> String {
    count(number, "execution", "executions")
}

/// The bound in words: `at most 2 preemptions`.
pub(super) fn bound(bound: SearchBound, value: Option<u32>) -> String {
    let most = |noun: &str| match value {
        Some(1) => format!("at most 1 {noun}"),
        Some(n) if noun == "switch" => format!("at most {n} switches"),
        Some(n) => format!("at most {n} {noun}s"),
        None => "any number of switches".to_owned(),
    };
    match bound {
        SearchBound::Preemptions(_) => most("preemption"),
        SearchBound::Deviations(_) => most("deviation"),
        SearchBound::Switches(_) => most("switch"),
        SearchBound::Depth(_) => most("step"),
        SearchBound::Fair(n) => format!("fair schedules (yields at most {n} apart)"),
    }
}

/// The bound as it was counted: stale accesses count with preemptions.
pub(super) fn counted(bound: SearchBound, memory: Memory) -> SearchBound {
    match (bound, memory) {
        (SearchBound::Preemptions(most), Memory::Rc11) => SearchBound::Deviations(most),
        _ => bound,
    }
}

pub(super) fn limit(of: SearchBound) -> Option<u32> {
    match of {
        SearchBound::Preemptions(n) | SearchBound::Deviations(n) | SearchBound::Switches(n) => n,
        SearchBound::Fair(n) | SearchBound::Depth(n) => Some(n),
    }
}

/// Said of a test with threads that do nothing that is seen.
const NOTHING_USED: &str = "its threads used no atomic, lock, channel or cell of selvedge, so that there was nothing to \
                            interleave: does the code under test use those of std?";

/// Said of a test without threads that does nothing that is seen.
const NOTHING_AT_ALL: &str = "the test used no thread, atomic, lock, channel or cell of selvedge, so that there was nothing \
                              to interleave: does it use those of std?";

/// Whether a complete check that passes must not look like any other: the test does nothing that is seen, stale values were
/// left out, or values differ from run to run.
pub(super) fn is_doubtful(report: &Report) -> bool {
    !report.asked.used || stale_values_left_out(report) || report.asked.differing_values.is_some()
}

/// What differs between two runs of one schedule, although each thread makes the same steps.
fn differing(Nondeterminism { step, expected, found }: &Nondeterminism) -> String {
    format!(
        "the test uses other values under the same schedule: step {} was `{expected}` once, and `{found}` the next time; what \
         was checked holds for the values met. Usual causes: the order of a HashMap, the clock, random numbers, state kept \
         in statics of std",
        step + 1
    )
}

/// Whether a test used orderings that allow stale values, and these were not explored.
fn stale_values_left_out(report: &Report) -> bool {
    report.weaker_orderings && report.memory == Memory::Sequential
}

/// One line on what was covered and how.
pub(super) fn scope(report: &Report) -> String {
    let Asked { config, reduction, spawned, used, .. } = &report.asked;
    if let Stop::Disagreement(disagreement) = &report.stop {
        return internal_error(disagreement);
    }
    let mut line = match &config.mode {
        Mode::Replay(_) => "no violation in the replayed schedule".to_owned(),
        Mode::Random { seed, .. } => {
            format!("{}no violation in schedules chosen at random (seed {seed})", short(report))
        }
        Mode::UniformWalk { seed, .. } => {
            format!("{}no violation in schedules by a uniform random walk (seed {seed})", short(report))
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
    match (*spawned, *used) {
        (true, true) => {}
        (true, false) => _ = write!(line, "; {NOTHING_USED}"),
        (false, false) => _ = write!(line, "; {NOTHING_AT_ALL}"),
        (false, true) => line.push_str("; the test started no thread, so that there was nothing to interleave"),
    }
    if *reduction != config.reduction {
        line.push_str(
            "; too many threads run side by side to run each partial order once: some schedules are equivalent",
        );
    }
    if stale_values_left_out(report) {
        line.push_str("; orderings weaker than SeqCst decide what races, but stale values were not explored");
    }
    if let Some(values) = &report.asked.differing_values {
        let _ = write!(line, "; {}", differing(values));
    }
    if let Some(checked) = checked(report.evidence, *reduction) {
        let _ = write!(line, "; checked: {checked}");
    }
    line
}

/// How the answer of a complete search was checked.
fn checked(evidence: SearchEvidence, reduction: Reduction) -> Option<String> {
    let schedules = |number: u64| count(number, "random schedule", "random schedules");
    match evidence {
        SearchEvidence::None | SearchEvidence::Replayed => None,
        SearchEvidence::Reexplored { schedules: 1, .. } => Some("the only schedule was run again".to_owned()),
        SearchEvidence::Reexplored { schedules, .. } => {
            Some(format!("all {schedules} schedules were run again without reduction"))
        }
        SearchEvidence::Sampled { schedules: number, seed, .. } => {
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
        "{} cut after {} operations each: raise `max_branches` (SELVEDGE_MAX_BRANCHES), or let loops that wait call \
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
            "{all} cut after {} operations; raise `max_branches` (SELVEDGE_MAX_BRANCHES) above the operations of one run, or \
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

/// What a complete search over stale values has run.
fn guarantee(config: &Config, reduction: Reduction) -> String {
    let deviations = |n: u32| match n {
        1 => "1 deviation (a preemption or a stale read)".to_owned(),
        n => format!("{n} deviations (preemptions and stale reads)"),
    };
    let preemptions = |n: u32| count(n.into(), "preemption", "preemptions");
    let stale = |n: u32| match n {
        u32::MAX => "any number of stale reads".to_owned(),
        n => count(n.into(), "stale read", "stale reads"),
    };
    let most = match (config.bound, config.max_stale) {
        (SearchBound::Preemptions(Some(n)), Some(m)) => format!("{} and {}", preemptions(n), stale(m)),
        (SearchBound::Preemptions(Some(n)), None) if n < 2 => format!("{} and {}", deviations(2), preemptions(n)),
        (bound, most) => {
            let deviations = limit(bound).map_or("any number of deviations".to_owned(), deviations);
            most.map_or(deviations.clone(), |m| format!("{deviations} and {}", stale(m)))
        }
    };
    format!("every execution allowed by the memory model with at most {most} was run{}", once(reduction))
}

fn once(reduction: Reduction) -> &'static str {
    if reduction == Reduction::HappensBefore { " once" } else { "" }
}

fn exhaustive(config: &Config, reduction: Reduction, report: &Report) -> String {
    let all = match reduction {
        Reduction::None => "every schedule",
        _ => "every schedule that can differ",
    };
    let counted = counted(config.bound, report.memory);
    let covered = report.per_bound.last().map(|last| bound(counted, Some(last.bound)));
    let why = match &report.stop {
        Stop::Finished { every_bound: true } if report.complete => {
            return match report.memory {
                Memory::Sequential => format!("no violation: {all} was run"),
                Memory::Rc11 => {
                    format!("no violation: every execution that the memory model allows was run{}", once(reduction))
                }
            };
        }
        Stop::Finished { every_bound: false } if report.complete => {
            let within = bound(config.bound, limit(config.bound));
            return match report.memory {
                Memory::Sequential => format!("no violation with {within}: {all} within it was run"),
                Memory::Rc11 => format!("no violation: {}", guarantee(config, reduction)),
            };
        }
        Stop::Finished { .. } | Stop::TooLong => "runs were cut off".to_owned(),
        Stop::Time => "the time limit was reached".to_owned(),
        Stop::Executions => "the limit of executions was reached".to_owned(),
        Stop::Nondeterminism(_) => "the test is not deterministic".to_owned(),
        Stop::BadSchedule(why) => format!("the schedule cannot be followed: {why}"),
        Stop::Unsupported(why) => format!("this cannot be explored: {why}"),
        Stop::Violation => "a violation was found".to_owned(),
        Stop::Disagreement(_) => "the recheck disagrees".to_owned(),
    };
    match covered {
        Some(covered) => format!("incomplete, {why}: no violation with {covered}, and none seen beyond"),
        None => format!("incomplete, {why}: no violation seen, and no bound was completed"),
    }
}
