//! What is printed below the lanes: where a cycle closes, the violation, and in a deadlock what each thread waits for.

use super::layout::short_place;
use super::{Drawing, thread_name};
use crate::style::{Line, Style};
use crate::text::{one_line, width, wrapped_line};
use crate::waits;

impl Drawing<'_> {
    pub(super) fn ending(&mut self) {
        if let Some(first) = self.trace.steps.iter().position(|step| step.cycle_start) {
            self.rule('┄', &format!("back to step {}", first + 1), Style::Bold);
        }
        self.fault();
        self.waiting();
    }

    fn fault(&mut self) {
        let Some(violation) = &self.trace.violation else { return };
        let mut text = format!("✗ {}", one_line(&violation.message));
        let last = self.trace.steps.last().and_then(|step| step.location.as_ref());
        if let Some(location) = violation.location.as_ref().filter(|location| last != Some(location)) {
            text.push_str(&format!(" ({location})"));
        }
        for line in wrapped_line(&text, self.width, "  ") {
            self.line(Line::with(Style::Fault, line));
        }
    }

    /// Name, place and reason in columns; where they do not fit, the reasons get lines of their own, and where even
    /// the places do not fit, they lose their directories.
    fn waiting(&mut self) {
        let row = |waiting: &selvedge_core::trace::TraceWaiting| {
            [thread_name(self.trace, waiting.thread), waiting.location.to_string(), waits::reason(self.trace, waiting)]
        };
        let mut rows: Vec<[String; 3]> = self.trace.waiting.iter().map(row).collect();
        let column =
            |rows: &[[String; 3]], index: usize| rows.iter().map(|cells| width(&cells[index])).max().unwrap_or(0);
        let names = column(&rows, 0);
        if 4 + names + 2 + column(&rows, 1) > self.width {
            rows.iter_mut().zip(&self.trace.waiting).for_each(|(cells, w)| cells[1] = short_place(&w.location));
        }
        let places = column(&rows, 1);
        let in_columns = 4 + names + 2 + places + 2 + column(&rows, 2) <= self.width;
        for [name, place, reason] in &rows {
            let mut line = Line::with(Style::Plain, "    ");
            line.pad(Style::Bold, name, names + 2);
            if in_columns {
                line.pad(Style::Plain, place, places + 2);
                line.push(Style::Plain, reason.clone());
                self.line(line);
            } else {
                line.push(Style::Plain, place.clone());
                self.line(line);
                for part in wrapped_line(&format!("      {reason}"), self.width, "        ") {
                    self.line(Line::with(Style::Plain, part));
                }
            }
        }
        if let Some(circle) = waits::circle(self.trace) {
            for line in wrapped_line(&format!("    circular wait: {circle}"), self.width, "      ") {
                self.line(Line::with(Style::Bold, line));
            }
        }
    }
}
