//! A counterexample on a terminal: one lane (column) for each thread, time downwards, one row for
//! each step with its place in the source, a rule across the lanes wherever another thread takes
//! over, and at the bottom what went wrong. For readers who know nothing of context bounds: every
//! mark has an explanation next to it.
//!
//! `rows` decides what is shown (and what is folded away), `layout` how wide the columns are,
//! `canvas` draws the lanes of one row, `ending` describes the violation, this file draws everything else.

mod canvas;
pub(crate) mod ending;
mod layout;
mod rows;

use selvedge_core::trace::{LinkKind, TraceFrame, TraceStep, TraceViolation};
use selvedge_core::{SwitchReason, Trace, ViolationKind};
use selvedge_source::Cancel;

use self::layout::{Columns, Layout};
use self::rows::Row;
use crate::style::{Line, Style};
use crate::text::{count, cut, cut_middle, one_line, width, wrapped_line};

/// Lines that the values of one step may take; what is left is counted.
const VALUE_LINES: usize = 6;

/// Steps between two questions whether to go on.
pub(crate) const ASK_EVERY: usize = 256;

/// In front of the statements of a call; deeper calls than this many are numbered instead.
const INDENT: &str = "  ";
const DEEPEST_INDENT: usize = 6;

/// Names in a rule are not cut to less than this.
const SHORTEST_NAME: usize = 8;

/// How the lanes are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneOptions {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to use escape sequences for colours; without, there is none at all.
    pub color: bool,
    /// Show every step of a long trace.
    pub full: bool,
}

impl Default for LaneOptions {
    fn default() -> Self {
        LaneOptions { width: 80, color: false, full: false }
    }
}

/// Draws a trace. The result ends with a line end.
pub fn lanes(trace: &Trace, options: &LaneOptions) -> String {
    lanes_until(trace, options, &Cancel::never()).unwrap_or_default()
}

/// As [`lanes`]; `None` if the drawing was cancelled.
pub fn lanes_until(trace: &Trace, options: &LaneOptions, cancel: &Cancel) -> Option<String> {
    let rows = rows::rows(trace, options.full, cancel);
    let layout = Layout::fit(trace, &rows, options.width, cancel);
    let mut drawing = Drawing { trace, layout, color: options.color, width: options.width, out: String::new() };
    if !trace.steps.is_empty() {
        drawing.header();
    }
    for (index, row) in rows.iter().enumerate() {
        if cancel.asks_at(index, ASK_EVERY) {
            return None;
        }
        drawing.row(row);
    }
    drawing.ending();
    drawing.legend(&rows);
    (!cancel.was_cancelled()).then_some(drawing.out)
}

/// Why one thread runs after another.
fn switch_text(from: &str, to: &str, why: Option<SwitchReason>) -> String {
    match why {
        Some(SwitchReason::Preempted) => format!("{from} is preempted by {to}"),
        Some(SwitchReason::Blocked) => format!("{from} is blocked"),
        Some(SwitchReason::Finished) => format!("{from} has finished"),
        Some(SwitchReason::Spinning) => format!("{from} is spinning"),
        Some(SwitchReason::WouldOnlySpin) => format!("{from} would only spin"),
        None => format!("{from} is blocked or has finished"),
    }
}

struct Drawing<'a> {
    trace: &'a Trace,
    layout: Layout,
    color: bool,
    width: usize,
    out: String,
}

impl Drawing<'_> {
    fn line(&mut self, line: Line) {
        line.write(self.color, &mut self.out);
    }

    fn header(&mut self) {
        let mut names = Line::new();
        names.push(Style::Plain, " ".repeat(self.layout.before_place()));
        names.pad(Style::Dim, "where", self.layout.place);
        let mut rule = "─".repeat(self.layout.before_place() + self.layout.place);
        for (name, style, columns) in self.layout.headings() {
            names.push(Style::Dim, " │ ");
            names.pad(style, &cut(name, columns), columns);
            rule.push_str("─┼");
            rule.push_str(&"─".repeat(columns + 1));
        }
        rule.push_str(&"─".repeat(self.layout.total().saturating_sub(width(&rule))));
        self.line(names);
        self.line(Line::with(Style::Dim, rule));
        if let Columns::Lanes { idle, .. } = &self.layout.columns
            && !idle.is_empty()
        {
            let idle = format!("(no step of {})", idle.join(", "));
            self.line(Line::with(Style::Dim, cut(&idle, self.layout.total().max(40))));
        }
    }

    fn row(&mut self, row: &Row<'_>) {
        match row {
            Row::Step { index, step, bar } => self.step(*index, step, *bar),
            Row::Switch { from, to, why } => {
                let text = self.fitting([from, to], |from, to| switch_text(from, to, *why));
                match why {
                    Some(SwitchReason::Preempted) => self.rule('═', &text, Style::Preemption),
                    _ => self.rule('─', &text, Style::Dim),
                }
            }
            Row::CycleStart => self.rule('┄', "cycle starts here", Style::Bold),
            Row::Hidden { steps, switches, preemptions } => {
                let mut text = format!("… {}", count(*steps, "step", "steps"));
                if *switches > 0 {
                    text.push_str(&format!(" with {}", count(*switches, "switch", "switches")));
                    text.push_str(&format!(" ({})", count(*preemptions, "preemption", "preemptions")));
                }
                self.line(Line::with(Style::Dim, format!("  {text} hidden (--full shows them)")));
            }
        }
    }

    fn step(&mut self, index: usize, step: &TraceStep, bar: char) {
        let fails = index + 1 == self.trace.steps.len() && self.trace.violation.as_ref().is_some_and(fails_by_a_step);
        let mut line = Line::with(Style::Fault, if fails { "✗ " } else { "  " });
        line.push(Style::Dim, format!("{:>1$} ", index + 1, self.layout.number));
        if self.layout.bars {
            line.push(Style::Bold, format!("{bar} "));
        }
        line.pad(Style::Plain, &self.layout.place_of(step), self.layout.place);
        self.layout.cells(step, fails, &mut line);
        let mut values = wrapped(&values(step), self.layout.values).into_iter();
        if let Some(first) = values.next() {
            line.push(Style::Dim, "  → ");
            line.push(Style::Plain, first);
        }
        self.line(line);
        for more in values {
            let mut line = Line::with(Style::Plain, " ".repeat(self.layout.before_place() + self.layout.place));
            self.layout.no_cells(&mut line);
            line.push(Style::Plain, format!("    {more}"));
            self.line(line);
        }
        self.missing_edge(step);
    }

    /// The store that a step does not see.
    fn missing_edge(&mut self, step: &TraceStep) {
        for link in step.follows.iter().filter(|link| link.kind == LinkKind::Unseen) {
            let store = (link.step as usize).checked_sub(1).and_then(|index| self.trace.steps.get(index));
            let Some(thread) = store.and_then(|store| store.thread) else { continue };
            let mut line = Line::with(Style::Plain, " ".repeat(self.layout.before_place() + self.layout.place));
            self.layout.missing((thread, link.step), step, &mut line);
            self.line(line);
        }
    }

    /// The text of a rule about two threads: where it would be too wide, their names are cut.
    fn fitting(&self, names: [&str; 2], text: impl Fn(&str, &str) -> String) -> String {
        let room = self.width.saturating_sub(width("══  "));
        let longest = names.map(width).into_iter().max().unwrap_or(0);
        let cut_to = |columns: usize| text(&cut(names[0], columns), &cut(names[1], columns));
        let fits = (SHORTEST_NAME..longest).rev().map(cut_to).find(|text| width(text) <= room);
        let whole = text(names[0], names[1]);
        if width(&whole) <= room { whole } else { fits.unwrap_or_else(|| cut_to(SHORTEST_NAME)) }
    }

    /// A rule across all lanes with a text in it.
    fn rule(&mut self, dash: char, text: &str, style: Style) {
        let mut lines = wrapped_line(&format!("{dash}{dash} {text}"), self.width, "   ");
        if let Some(last) = lines.last_mut().filter(|last| width(last) < self.layout.total()) {
            last.push(' ');
            let dashes = self.layout.total().saturating_sub(width(last));
            last.extend(std::iter::repeat_n(dash, dashes));
        }
        lines.into_iter().for_each(|line| self.line(Line::with(style, line)));
    }

    fn legend(&mut self, rows: &[Row<'_>]) {
        let sequence = |row: &Row<'_>| matches!(row, Row::Step { bar, .. } if *bar != ' ');
        if rows.iter().any(sequence) {
            self.line(Line::with(Style::Dim, "  ┌ │ └  atomic sequence: no other thread runs in between"));
        }
    }
}

/// Whether the last step is what went wrong, not the state or the cycle that it leads to.
pub(crate) fn fails_by_a_step(violation: &TraceViolation) -> bool {
    use ViolationKind::{AcceptanceCycle, Deadlock, InvalidEndState, Leak, Livelock, NonProgressCycle};
    !matches!(violation.kind, InvalidEndState | AcceptanceCycle | NonProgressCycle | Deadlock | Livelock | Leak)
}

/// The statement of a step, moved to the right by the calls that it is inside of.
fn statement_text(step: &TraceStep) -> String {
    let inside = TraceFrame::depth_of(&step.stack).saturating_sub(1) as usize;
    let text = one_line(&step.text);
    match inside <= DEEPEST_INDENT {
        true => format!("{}{text}", INDENT.repeat(inside)),
        false => format!("{}⋮{} {text}", INDENT.repeat(DEEPEST_INDENT), inside + 1),
    }
}

/// What a step said, changed and printed: `q ! 1,2`, `x = 3`, `prints "hello"`.
fn values(step: &TraceStep) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(message) = &step.message {
        let arrow = if message.direction == "receive" { '?' } else { '!' };
        let message = format!("{} {arrow} {}", message.channel, message.values.join(","));
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        if bare(&message) != bare(&step.text) {
            parts.push(message);
        }
    }
    parts.extend(step.changes.0.iter().map(|(name, value)| format!("{name} = {value}")));
    if let Some(output) = &step.output {
        parts.push(format!("prints \"{}\"", one_line(output)));
    }
    parts.iter().map(|part| one_line(part)).collect()
}

/// Values on as few lines of this width as possible.
fn wrapped(values: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let full = lines.len() == VALUE_LINES;
        match lines.last_mut() {
            Some(line) if width(line) + 2 + width(value) <= columns => line.push_str(&format!("; {value}")),
            _ if full => {
                lines.push(format!("… {} more", values.len() - index));
                break;
            }
            _ => lines.push(cut_value(value, columns)),
        }
    }
    lines
}

/// `name = value` in limited width: the name is cut before the value.
fn cut_value(text: &str, columns: usize) -> String {
    let (name, value) = text.split_once(" = ").unwrap_or((text, ""));
    let room = columns.saturating_sub(width(value) + 3);
    let is_change = !value.is_empty() && !name.contains(' ');
    if is_change && width(text) > columns && room >= SHORTEST_NAME {
        return format!("{} = {value}", cut_middle(name, room));
    }
    cut(text, columns)
}

/// What a thread is called.
pub(crate) fn thread_name(trace: &Trace, id: u32) -> String {
    one_line(&trace.thread_name(id))
}
