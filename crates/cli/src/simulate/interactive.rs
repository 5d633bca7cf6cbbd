//! The user chooses every step: on the whole screen if there is one (`stepper`), else from a menu on stdout, with
//! answers from stdin, one line each; the end of the input is the end of the run.

use std::io::{self, BufRead};
use std::path::Path;

use selvedge_report::count;
use selvedge_verify::simulate::{End, Simulation, StepChoice};

use super::{save_run, stepper};
use crate::console::Console;

const HELP: &str = "number: take that step · b: back · v: variables · s FILE: save · q: quit\n";

/// Lets the user choose until the end.
pub fn choose_steps(run: &mut Simulation, console: &mut Console) -> End {
    if stepper::fits() {
        match stepper::choose_steps(run, console.lanes().color) {
            Ok(end) => return end,
            Err(error) => console.warn(&format!("the full-screen stepper is not available: {error}")),
        }
    }
    console.answer(HELP);
    show_menu(run, console);
    let mut lines = io::stdin().lock().lines();
    while let Some(Ok(line)) = lines.next() {
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        match (word, rest.trim()) {
            ("", _) => continue,
            ("q", _) => break,
            ("v", _) => show_variables(run, console),
            ("b", _) => {
                if !run.back() {
                    console.answer("this is the initial state\n");
                }
                show_menu(run, console);
            }
            ("s", "") => console.answer("save where? s FILE\n"),
            ("s", path) => match save_run(run, Path::new(path)) {
                Ok(()) => console.answer(&format!("saved: {path}\n")),
                Err(refusal) => console.error(&refusal.to_string()),
            },
            (number, "") if number.parse::<usize>().is_ok_and(|n| (1..=run.choice_count()).contains(&n)) => {
                run.take(number.parse::<usize>().unwrap_or(1) - 1);
                show_menu(run, console);
            }
            _ => console.answer(&format!("`{}` is not one of the choices\n{HELP}", line.trim())),
        }
    }
    run.end().unwrap_or(End::Stopped)
}

/// What is possible now, or how the run ended.
fn show_menu(run: &Simulation, console: &mut Console) {
    let mut text = format!("\nafter {}", count(run.length() as u64, "step", "steps"));
    match run.end() {
        Some(End::Violation(message)) => text.push_str(&format!(": violation: {message}\n")),
        Some(End::Stuck) => text
            .push_str(": deadlock: every process is blocked or has finished, and not all are at a valid end state\n"),
        Some(_) => text.push_str(": the run is over: every process has finished or is at a valid end state\n"),
        None => {
            text.push('\n');
            let rows: Vec<[String; 3]> = (0..run.choice_count()).map(|index| row(run.choice(index))).collect();
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
fn row(choice: StepChoice) -> [String; 3] {
    let place = choice.place.map(|place| place.to_string()).unwrap_or_default();
    [choice.thread, place, choice.text]
}

fn show_variables(run: &Simulation, console: &mut Console) {
    let variables = run.variables();
    let mut text: String =
        variables.iter().map(|variable| format!("      {} = {}\n", variable.name, variable.value)).collect();
    if text.is_empty() {
        text.push_str("      there are no variables\n");
    }
    console.answer(&text);
}
