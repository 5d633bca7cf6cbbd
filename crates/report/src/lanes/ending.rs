//! What is printed below the lanes: where a cycle closes, the violation, and in a deadlock what each thread waits for.

use selvedge_core::trace::{TraceFrame, TraceViolation};

use super::layout::short_place;
use super::{Drawing, thread_name};
use crate::style::{Line, Style};
use crate::text::{one_line, width, wrapped_line};
use crate::waits;

/// Why it happens, and the swap of two steps after which the same run is no violation.
pub(crate) fn why(violation: &TraceViolation) -> Vec<String> {
    let steps = |[first, last]: [u32; 2]| match first == last {
        true => format!("step {first}"),
        false => format!("steps {first} to {last}"),
    };
    let swapped =
        violation.avoided_by_swapping.map(|[one, other]| match one == [one[0]; 2] && other == [other[0]; 2] {
            true => format!("swapping steps {} and {} avoids it", one[0], other[0]),
            false => format!("moving {} after {} avoids it", steps(one), steps(other)),
        });
    violation.explanation.as_deref().map(one_line).into_iter().chain(swapped).collect()
}

impl Drawing<'_> {
    pub(super) fn ending(&mut self) {
        if let Some(first) = self.trace.steps.iter().position(|step| step.cycle_start) {
            self.rule('┄', &format!("back to step {}", first + 1), Style::Bold);
        }
        self.fault();
        self.why();
        self.call_stack();
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

    fn why(&mut self) {
        let Some(violation) = &self.trace.violation else { return };
        for (index, sentence) in why(violation).iter().enumerate() {
            let text = format!("  {}{sentence}", if index == 0 { "why: " } else { "" });
            for part in wrapped_line(&text, self.width, "    ") {
                self.line(Line::with(Style::Plain, part));
            }
        }
    }

    /// The calls that the last step is inside of.
    fn call_stack(&mut self) {
        let Some(step) = self.trace.steps.last().filter(|step| TraceFrame::depth_of(&step.stack) > 1) else { return };
        let who = step.thread.map(|thread| format!(" of {}", thread_name(self.trace, thread))).unwrap_or_default();
        let text = format!("  call stack{who}: {}", one_line(&TraceFrame::chain(&step.stack)));
        for line in wrapped_line(&text, self.width, "    ") {
            self.line(Line::with(Style::Plain, line));
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
