//! What is shown of a trace: its steps, the switches between them, the start of a cycle. Long traces
//! are folded; switches are either kept or counted in the line that replaces them.

use selvedge_core::trace::TraceStep;
use selvedge_core::{Switch, SwitchReason, Trace};
use selvedge_source::Cancel;

use super::{ASK_EVERY, thread_name};

/// Steps that are shown at the start of a long trace, and at its end.
const FIRST: usize = 20;
const LAST: usize = 40;
/// Folding less than this saves nothing.
const WORTH_FOLDING: usize = 5;
/// Switches in the folded part that are shown at most; more are only counted.
const SWITCHES_SHOWN: usize = 12;

/// A row of the drawing.
pub(super) enum Row<'a> {
    /// A step, counted from 0, and the mark of its place in an atomic sequence.
    Step { index: usize, step: &'a TraceStep, bar: char },
    /// Another thread takes over; why, where that is known.
    Switch { from: String, to: String, why: Option<SwitchReason> },
    /// The cycle of a lasso starts.
    CycleStart,
    /// Steps that are not shown, and the switches among them.
    Hidden { steps: u64, switches: u64, preemptions: u64 },
}

/// The rows of a trace, in order; those up to where it was cancelled.
pub(super) fn rows<'t>(trace: &'t Trace, full: bool, cancel: &Cancel) -> Vec<Row<'t>> {
    let steps = trace.steps.len();
    if full || steps < FIRST + LAST + WORTH_FOLDING {
        return all(trace, 0..steps, cancel);
    }
    let mut rows = all(trace, 0..FIRST, cancel);
    rows.extend(fold(all(trace, FIRST..steps - LAST, cancel)));
    rows.extend(all(trace, steps - LAST..steps, cancel));
    rows
}

fn all<'t>(trace: &'t Trace, range: std::ops::Range<usize>, cancel: &Cancel) -> Vec<Row<'t>> {
    let mut rows = Vec::new();
    for index in range {
        if cancel.asks_at(index, ASK_EVERY) {
            break;
        }
        let step = &trace.steps[index];
        if step.cycle_start {
            rows.push(Row::CycleStart);
        }
        if let (Some(thread), true) = (step.thread, step.switch != Switch::None) {
            let (from, to) = (ran_last(trace, index, thread), thread_name(trace, thread));
            let preempted = (step.switch == Switch::Preemptive).then_some(SwitchReason::Preempted);
            rows.push(Row::Switch { from, to, why: step.reason.or(preempted) });
        }
        rows.push(Row::Step { index, step, bar: bar(trace, index) });
    }
    rows
}

/// The name of the thread that a switch at step `index` leaves. After a rendezvous that is the
/// receiver, unless the receiver is the one that runs now (then its partner's atomic sequence is
/// what was left).
fn ran_last(trace: &Trace, index: usize, now: u32) -> String {
    let before = trace.steps[..index].iter().rev().find(|step| step.thread.is_some());
    let candidates = before.map(|step| [step.partner.as_ref().map(|partner| partner.thread), step.thread]);
    let last = candidates.into_iter().flatten().flatten().find(|thread| *thread != now);
    // Before the first step only the first thread can have run: the main thread of a Rust test.
    let last = last.or_else(|| trace.threads.iter().map(|thread| thread.id).find(|thread| *thread != now));
    last.map_or_else(|| "the thread before".to_string(), |thread| thread_name(trace, thread))
}

/// `┌`, `│` and `└` along the steps of an atomic sequence, a blank elsewhere.
fn bar(trace: &Trace, index: usize) -> char {
    let goes_on = |index: usize| {
        trace.steps[index].atomic
            && trace.steps.get(index + 1).is_some_and(|next| next.switch == Switch::None && next.thread.is_some())
    };
    match (index > 0 && goes_on(index - 1), goes_on(index)) {
        (false, true) => '┌',
        (true, true) => '│',
        (true, false) => '└',
        (false, false) => ' ',
    }
}

/// Replaces steps by a line that counts them.
fn fold(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    let switches = rows.iter().filter(|row| matches!(row, Row::Switch { .. })).count();
    let keep_switches = switches <= SWITCHES_SHOWN;
    let mut folded = Vec::new();
    let mut hidden = Vec::new();
    for row in rows {
        let landmark = match row {
            Row::CycleStart => true,
            Row::Switch { .. } => keep_switches,
            Row::Step { .. } | Row::Hidden { .. } => false,
        };
        if landmark {
            close(&mut hidden, &mut folded);
            folded.push(row);
        } else {
            hidden.push(row);
        }
    }
    close(&mut hidden, &mut folded);
    folded
}

/// Ends a run of hidden rows: two steps or fewer are shown after all.
fn close<'a>(hidden: &mut Vec<Row<'a>>, folded: &mut Vec<Row<'a>>) {
    let count = |matches: fn(&Row<'_>) -> bool| hidden.iter().filter(|row| matches(row)).count() as u64;
    let steps = count(|row| matches!(row, Row::Step { .. }));
    if steps <= 2 {
        folded.append(hidden);
        return;
    }
    let switches = count(|row| matches!(row, Row::Switch { .. }));
    let preemptions = count(|row| matches!(row, Row::Switch { why: Some(SwitchReason::Preempted), .. }));
    hidden.clear();
    folded.push(Row::Hidden { steps, switches, preemptions });
}
