//! A simulated run for people and scripts: the lanes, what the model printed, and how it ended.

use selvedge_report::json::{Input, ReportViolation, Tool};
use selvedge_report::lanes;
use selvedge_verify::simulate::End;
use selvedge_verify::trace::SCHEMA;
use selvedge_verify::{Choice, Language, Trace};
use serde_json::json;

use crate::config::in_force;
use crate::console::Console;
use crate::exit::Exit;
use crate::shell;

/// A run that is over.
pub struct FinishedRun<'a> {
    /// The model's path.
    pub path: &'a str,
    /// Its language.
    pub language: Language,
    /// The seed, where chance decided.
    pub seed: Option<u64>,
    /// How it ended.
    pub end: End,
    /// The run.
    pub trace: &'a Trace,
    /// Where it was saved.
    pub saved: Option<String>,
}

impl FinishedRun<'_> {
    /// Prints it in the form that was asked for.
    pub fn print(&self, console: &mut Console) -> Exit {
        let text = match () {
            () if console.json => self.json(),
            () if console.quiet => format!("{}\n", self.ending()),
            () => self.text(console),
        };
        console.answer(&text);
        match self.end {
            End::Violation(_) => Exit::Violation,
            _ => Exit::NoViolation,
        }
    }

    /// What the run printed, as it printed it.
    fn output(&self) -> String {
        self.trace.steps.iter().filter_map(|step| step.output.as_deref()).collect()
    }

    fn ending(&self) -> String {
        let steps = self.trace.steps.len();
        let after = format!("after {steps} step{}", if steps == 1 { "" } else { "s" });
        match &self.end {
            End::Valid => format!("valid end {after}: every process has finished or is at a valid end state"),
            End::Stuck => format!(
                "deadlock {after}: every process is blocked or has finished, and not all are at a valid end state"
            ),
            End::Violation(message) => format!("violated {after}: {message}"),
            End::StepLimit => format!("step limit: the run was stopped {after} (--steps)"),
            End::Stopped => format!("stopped {after}: the run could continue"),
            End::TraceOver => format!("the trace ends {after} without a violation: the run could continue"),
        }
    }

    fn code(&self) -> &'static str {
        match &self.end {
            End::Valid => "valid-end",
            End::Stuck => "stuck",
            End::Violation(_) => "violation",
            End::StepLimit => "step-limit",
            End::Stopped => "stopped",
            End::TraceOver => "trace-over",
        }
    }

    fn text(&self, console: &Console) -> String {
        let mut text = lanes(self.trace, &console.lanes());
        let output = self.output();
        if !output.is_empty() {
            text.push_str(&format!("\noutput:\n{}\n", visible(&output).trim_end_matches('\n')));
        }
        text.push_str(&format!("\n{}", console.wrapped(&self.ending())));
        if let Some(seed) = self.seed {
            text.push_str(&format!("seed: {seed} (another one may give another run)\n"));
        }
        if let Some(path) = &self.saved {
            text.push_str(&console.commands(&format!("replay: selvedge replay {}\n", shell::quote(path))));
        }
        text
    }

    fn json(&self) -> String {
        let violation = self.trace.violation.clone().map(|found| ReportViolation {
            found,
            minimal: None,
            trace: self.saved.clone(),
        });
        let mut report = json!({
            "schema": SCHEMA,
            "tool": Tool { name: "selvedge".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            "input": Input { path: self.path.to_owned(), language: self.language.name().to_owned(), sha256: None },
            "seed": self.seed,
            "end": self.code(),
            "length": self.trace.steps.len(),
            "output": self.output(),
            "violation": violation,
            "trace": self.saved,
        });
        report.as_object_mut().into_iter().for_each(in_force::add_to);
        format!("{report:#}\n")
    }
}

/// The text with control characters escaped, except line ends and tabs.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}
