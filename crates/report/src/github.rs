//! What GitHub's runners read: workflow commands that annotate a line of a pull request, and a summary in
//! Markdown on the page of the run.

use selvedge_core::trace::TraceLocation;
use selvedge_core::{Switch, Verdict};
use selvedge_source::{Cancel, Severity};

use crate::answer::{Answer, Record, Violation};
use crate::lanes::{ASK_EVERY, LaneOptions, lanes_until};
use crate::sarif::{place_of, sentence};
use crate::text::one_line;

/// Runs that are drawn in the summary; a page holds a megabyte.
const MOST_RUNS: usize = 10;

/// One workflow command for each violation and diagnostic, and one for each model without an answer; `None` if it was
/// cancelled.
pub fn annotations(records: &[Record], relative: &dyn Fn(&str) -> String, cancel: &Cancel) -> Option<String> {
    let mut out = String::new();
    for record in records {
        let start = TraceLocation { file: record.path.clone(), line: 1, column: 1 };
        for problem in &record.problems {
            let level = if problem.severity == Severity::Error { "error" } else { "warning" };
            let place = problem.location.as_ref().unwrap_or(&start);
            out.push_str(&command(level, place, problem.code, &problem.message, relative));
        }
        let violations = record.answer.iter().flat_map(|answer| &answer.violations);
        for violation in violations {
            let place = place_of(violation).unwrap_or_else(|| start.clone());
            let text = format!("{}{}", sentence(violation), short_run(violation, cancel));
            out.push_str(&command("error", &place, violation.kind.code(), &text, relative));
        }
        if let Some(answer) = record.answer.as_ref().filter(|answer| answer.verdict == Verdict::Inconclusive) {
            out.push_str(&command("warning", &start, "no answer", &answer.words.join("\n"), relative));
        }
        if let Some(failure) = record.failure.as_ref().filter(|_| record.answer.is_none() && !record.has_errors()) {
            out.push_str(&command("error", &start, "no answer", failure, relative));
        }
    }
    (!cancel.was_cancelled()).then_some(out)
}

fn command(
    level: &str,
    place: &TraceLocation,
    title: &str,
    message: &str,
    relative: &dyn Fn(&str) -> String,
) -> String {
    let file = property(&relative(&place.file));
    let (line, column) = (place.line, place.column);
    format!("::{level} file={file},line={line},col={column},title={}::{}\n", property(title), data(message))
}

/// The contexts of a run, one line each: who runs from where to where.
fn short_run(violation: &Violation, cancel: &Cancel) -> String {
    let Some(trace) = &violation.trace else { return String::new() };
    let mut out = String::new();
    let mut last: Option<u32> = None;
    if trace.steps.iter().all(|step| step.switch == Switch::None) {
        return out;
    }
    for (index, step) in trace.steps.iter().filter(|step| step.thread.is_some()).enumerate() {
        if cancel.asks_at(index, ASK_EVERY) {
            break;
        }
        if step.thread == last && step.switch == Switch::None {
            continue;
        }
        last = step.thread;
        let name = trace.threads.iter().find(|thread| Some(thread.id) == step.thread).map(|thread| &thread.name);
        let place = step.location.as_ref().map(|place| format!(" from line {}", place.line)).unwrap_or_default();
        let why = if step.switch == Switch::Preemptive { " (preemption)" } else { "" };
        out.push_str(&format!("\n{} runs{place}{why}", name.map_or("?", String::as_str)));
    }
    out
}

/// The value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The summary: a table of the models, then the runs of the violations; `None` if it was cancelled.
pub fn summary(records: &[Record], cancel: &Cancel) -> Option<String> {
    let mut out = String::from("## Selvedge\n\n| model | answer |\n| --- | --- |\n");
    for record in records {
        out.push_str(&format!("| {} | {} |\n", plain(&record.path), words(record)));
    }
    let with_run = records.iter().flat_map(|record| {
        let violations = record.answer.iter().flat_map(|answer| &answer.violations);
        violations.filter_map(move |violation| Some((record, violation, violation.trace.as_ref()?)))
    });
    for (record, violation, trace) in with_run.take(MOST_RUNS) {
        let run = lanes_until(trace, &LaneOptions { width: 110, ..Default::default() }, cancel)?;
        let place =
            violation.location.as_ref().map(|place| format!(" at {}", plain(&place.to_string()))).unwrap_or_default();
        let title = plain(&format!("{}: {}", record.path, one_line(&violation.message)));
        let fence = fence_for(&run);
        out.push_str(&format!(
            "\n<details><summary>{title}</summary>\n\n{}{place}\n\n{fence}text\n{run}{fence}\n\n</details>\n",
            plain(&sentence(violation))
        ));
    }
    Some(out)
}

fn words(record: &Record) -> String {
    match (&record.answer, record.problems.iter().find(|problem| problem.severity == Severity::Error)) {
        (Some(answer), _) => format!("{} {}", mark(answer), plain(&answer.words.join(" — "))),
        (None, Some(problem)) => format!("⛔ {} `{}`", plain(&problem.message), problem.code),
        (None, None) => format!("⛔ {}", plain(record.failure.as_deref().unwrap_or("there is no answer"))),
    }
}

fn mark(answer: &Answer) -> &'static str {
    match answer.verdict {
        Verdict::Violated => "❌",
        Verdict::Holds | Verdict::HoldsWithinBound => "✅",
        Verdict::Inconclusive => "⚠️",
    }
}

/// Text of a model or a message, escaped: what means something in HTML or Markdown is written as a
/// reference, which both understand. (Inside of backticks Markdown would show the reference itself; so they are one, too.)
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '<' | '>' | '`' | '*' | '_' | '[' | ']' | '~' | '\\' | '|' | '#' | '$' => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// A fence that the text does not contain.
fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_hold_any_text_on_one_line() {
        let place = TraceLocation { file: "a,b:c.pml".into(), line: 3, column: 5 };
        let command = command("error", &place, "assertion", "x < 1: 50%\nsee line 2", &|path| path.to_owned());
        assert_eq!(command, "::error file=a%2Cb%3Ac.pml,line=3,col=5,title=assertion::x < 1: 50%25%0Asee line 2\n");
        assert_eq!(fence_for("a ```` b"), "`````");
        assert_eq!(plain("a | `b > 1`\nc"), "a &#124; &#96;b &#62; 1&#96; c");
    }
}
