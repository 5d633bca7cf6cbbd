//! The report of a violation: its message, its run as lanes, and how to run it again.

use std::collections::BTreeSet;

use selvedge_core::ViolationKind;
use selvedge_report::{LaneOptions, lanes};
use selvedge_stateless::{At, Config, Exploration, Memory, Mode, RecordedRun, Violation as Found};

use super::report::{Asked, Report, Violation};
use super::stale;
use super::summary::{bound, count, counted, executions};
use super::trace::{shown, trace};
use crate::primitive::{Remarks, names};

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
        memory: exploration.memory,
        asked: Asked {
            config: config.clone(),
            reduction: exploration.reduction,
            spawned: remarks.spawned,
            used: remarks.used,
            sites: exploration.sites,
            differing_values: exploration.differing_values,
        },
    }
}

/// A violation with its report.
fn violation(name: &str, config: &Config, exploration: &Exploration, found: &Found, weaker: bool) -> Violation {
    let trace = trace(test_name(name), config, found);
    let location = trace.violation.as_ref().and_then(|v| v.location.as_ref()).map(ToString::to_string);
    let head = head(config, exploration, found, location.as_deref());
    let drawn = lanes(&trace, &LaneOptions { width: WIDTH, color: false, full: true });
    let foot = foot(name, found, weaker && exploration.memory == Memory::Sequential);
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
        stale: found.run.stale,
        fixes: found.fixes.iter().map(|changes| stale::fix(changes)).collect(),
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

/// The lanes in a given number of lines: the beginning, the end, and between them the switches, the last ones first, with the steps
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
        _ => "misuse",
    };
    // Some messages name their kind themselves.
    let kind = if found.message.starts_with(kind) { String::new() } else { format!("{kind}: ") };
    let message = format!("selvedge: {kind}{}\n", found.message);
    // The message of a panic is the user's and stays as it is.
    text.push_str(&if found.kind == ViolationKind::Panic { message } else { selvedge_report::wrap(&message, WIDTH) });
    let by = found.thread.and_then(|t| found.run.threads.get(t.0 as usize)).map(|t| format!(", in {}", t.name));
    let place = location.map_or(String::new(), |place| format!("at {place}{} — ", by.unwrap_or_default()));
    let RecordedRun { preemptions, switches, .. } = &found.run;
    let cost = format!(
        "{place}{}, {}, {}",
        count((*preemptions).into(), "preemption", "preemptions"),
        count((*switches).into(), "switch", "switches"),
        stale_accesses(found.run.stale) + &count(shown(&found.run).count() as u64, "step", "steps")
    );
    let after = executions(exploration.executions + exploration.cut);
    let how = match (&config.mode, exploration.per_bound.last()) {
        (Mode::Exhaustive, Some(last)) => {
            format!(
                "found after {after}; no violation with {}",
                bound(counted(config.bound, exploration.memory), Some(last.bound))
            )
        }
        (Mode::Replay(_), _) => "found by replaying a schedule".to_owned(),
        _ => format!("found after {after}"),
    };
    text.push_str(&selvedge_report::wrap(&format!("{cost}\n{how}\n"), WIDTH));
    text.push('\n');
    text
}

/// How many accesses are stale, where some are.
fn stale_accesses(number: u32) -> String {
    if number == 0 { String::new() } else { count(number.into(), "stale access, ", "stale accesses, ") }
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
    for line in stale::sentences(&found.run) {
        text.push_str(&selvedge_report::wrap(&format!("{line}\n"), WIDTH));
    }
    if !found.fixes.is_empty() {
        let fixes: Vec<String> = found.fixes.iter().map(|changes| stale::fix(changes)).collect();
        let line = format!("fix: {} forbids this run\n", fixes.join(", or "));
        text.push_str(&selvedge_report::wrap(&line, WIDTH));
    }
    if weaker {
        text.push_str("orderings weaker than SeqCst decide what races; stale values were not explored\n");
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

fn place(at: At) -> String {
    format!("{}:{}:{}", at.file(), at.line(), at.column())
}

#[cfg(test)]
mod tests;
