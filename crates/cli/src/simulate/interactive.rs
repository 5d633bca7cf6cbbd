//! The user chooses every step: on the whole screen if there is one (`stepper`), else from a menu on stdout, with
//! answers from stdin, one line each; the end of the input is the end of the run.

use std::io::{self, BufRead};
use std::path::Path;

use selvedge_core::Trace;
use selvedge_machine::Machine;
use selvedge_report::count;
use selvedge_source::SourceMap;

use super::run::{End, Run, thread_label};
use super::stepper;
use crate::console::Console;
use crate::trace_file;

const HELP: &str = "number: take that step · b: back · v: variables · s FILE: save the run · q: quit\n";

/// Lets the user choose until the end; `told` makes a trace of the run so far.
pub fn choose_steps<'m, M: Machine>(
    run: &mut Run<'m, M>,
    sources: &SourceMap,
    console: &Console,
    told: impl Fn(&Run<'m, M>) -> Trace,
) -> End {
    if stepper::fits() {
        match stepper::choose_steps(run, sources, console.lanes().color, &told) {
            Ok(end) => return end,
            Err(error) => console.warn(&format!("the terminal cannot be used in full: {error}")),
        }
    }
    console.answer(HELP);
    show_menu(run, sources, console);
    let mut lines = io::stdin().lock().lines();
    while let Some(Ok(line)) = lines.next() {
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        match (word, rest.trim()) {
            ("", _) => continue,
            ("q", _) => break,
            ("v", _) => show_variables(run, console),
            ("b", _) => {
                if !run.back() {
                    console.answer("this is the beginning\n");
                }
                show_menu(run, sources, console);
            }
            ("s", "") => console.answer("save where? s FILE\n"),
            ("s", path) => {
                if trace_file::save(&told(run), Path::new(path)) {
                    console.answer(&format!("saved: {path}\n"));
                }
            }
            (number, "") if number.parse::<usize>().is_ok_and(|n| (1..=run.choices().list.len()).contains(&n)) => {
                run.take(number.parse::<usize>().unwrap_or(1) - 1);
                show_menu(run, sources, console);
            }
            _ => console.answer(&format!("`{}` is none of the choices\n{HELP}", line.trim())),
        }
    }
    run.end().unwrap_or(End::Stopped)
}

/// What is possible now, or how the run ended.
fn show_menu<M: Machine>(run: &Run<'_, M>, sources: &SourceMap, console: &Console) {
    let mut text = format!("\nafter {}", count(run.path().steps.len() as u64, "step", "steps"));
    match run.end() {
        Some(End::Violation(fault)) => text.push_str(&format!(": violation: {}\n", fault.message)),
        Some(End::Stuck) => text.push_str(": nothing can go on, and not every process is at a valid end\n"),
        Some(_) => text.push_str(": the run is over, every process is at a valid end\n"),
        None => {
            text.push('\n');
            let rows: Vec<[String; 3]> = (0..run.choices().list.len()).map(|index| row(run, sources, index)).collect();
            let column = |index: usize| rows.iter().map(|row| row[index].chars().count()).max().unwrap_or(0);
            let (threads, places) = (column(0), column(1));
            for (index, [thread, place, statement]) in rows.iter().enumerate() {
                let line = format!("{:>4}  {thread:threads$}  {place:places$}  {statement}\n", index + 1);
                let two = || {
                    format!("{:>4}  {thread:threads$}  {place}\n        {}\n", index + 1, console.filled(statement, 8))
                };
                text.push_str(&if console.fits(&line) { line } else { two() });
            }
        }
    }
    console.answer(&text);
}

/// Thread, place and text of a possible step.
fn row<M: Machine>(run: &Run<'_, M>, sources: &SourceMap, index: usize) -> [String; 3] {
    let steps = run.choices();
    let step = &steps.list[index];
    let (machine, state) = (run.machine(), run.state());
    let view = machine.view(state, step, steps.state(step));
    let name = |thread| thread_label(machine, state, thread);
    let thread = step.thread.map_or_else(|| "claim".to_owned(), name);
    let place = view.span.map(|span| sources.location(span).to_string()).unwrap_or_default();
    let mut text = view.text;
    if let Some((partner, _, statement)) = view.partner {
        text.push_str(&format!("  with {}: {statement}", name(partner)));
    }
    [thread, place, text]
}

fn show_variables<M: Machine>(run: &Run<'_, M>, console: &Console) {
    let variables = run.machine().variables(run.state());
    let mut text: String = variables.iter().map(|(name, value)| format!("      {name} = {value}\n")).collect();
    if text.is_empty() {
        text.push_str("      there are no variables\n");
    }
    console.answer(&text);
}
