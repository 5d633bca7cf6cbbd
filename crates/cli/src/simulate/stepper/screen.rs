//! A snapshot as lines of text for a screen of a given size. Wide screens have the steps, the blocked threads and the variables
//! on the left, the lanes and the source on the right; narrow ones have them below each other, the source only if there is
//! room.

use selvedge_report::{LaneOptions, fill, lanes};
use selvedge_verify::{SwitchCost, SwitchReason};

use super::model::{Choice, Mode, Snapshot};

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// As usual.
    Plain,
    /// A heading.
    Bold,
    /// Of less interest.
    Dim,
    /// The step that Enter takes.
    Chosen,
    /// A preemption.
    Cost,
    /// A violation.
    Fault,
    /// A variable that changed.
    Changed,
}

/// One line, piece by piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(pub Vec<(Ink, String)>);

impl Line {
    fn of(ink: Ink, text: impl Into<String>) -> Line {
        Line(vec![(ink, text.into())])
    }

    /// The line padded or cut to this width.
    fn fit(self, columns: usize) -> Line {
        let mut left = columns;
        let mut pieces = Vec::new();
        for (ink, text) in self.0 {
            let visible: String =
                text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(left).collect();
            left -= visible.chars().count();
            pieces.push((ink, visible));
        }
        if left > 0 {
            pieces.push((Ink::Plain, " ".repeat(left)));
        }
        Line(pieces)
    }

    /// Its text without the ink.
    #[cfg(test)]
    fn text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// Columns from which there are two panes.
const WIDE: usize = 100;

/// Rows from which a narrow screen shows the source, too.
const ROOM_FOR_SOURCE: usize = 30;

const KEYS: &[(&str, &str)] = &[
    ("j k, arrows", "select an enabled step"),
    ("Enter, l, right", "take the selected step; at first, one that costs nothing"),
    ("1 … 9", "take that step"),
    ("h, left, Backspace", "go back one step"),
    ("f", "go forward again, along the steps taken back"),
    ("Home, End", "go to the beginning; to the end of the run so far"),
    ("PageUp, PageDown", "scroll the lanes"),
    ("r", "take a random step"),
    ("s", "save the run as a trace"),
    ("q, Esc", "quit"),
];

/// The screen: exactly `rows` lines of `columns` columns.
pub fn draw(snapshot: &Snapshot, columns: usize, rows: usize) -> Vec<Line> {
    let body_rows = rows.saturating_sub(2);
    let body = match (&snapshot.mode, columns >= WIDE) {
        (Mode::Help, _) => help(),
        (_, true) => wide(snapshot, columns, body_rows),
        (_, false) => narrow(snapshot, columns, body_rows),
    };
    let mut lines = vec![title(snapshot)];
    lines.extend(body.into_iter().take(body_rows));
    lines.resize(rows.saturating_sub(1), Line::default());
    lines.push(bottom(snapshot));
    lines.into_iter().take(rows).map(|line| line.fit(columns)).collect()
}

fn title(snapshot: &Snapshot) -> Line {
    let steps = &snapshot.trace.steps;
    let count = |cost: SwitchCost| steps.iter().map(|step| cost.of(step.switch) as usize).sum();
    let (switches, preemptions) = (count(SwitchCost::Switches), count(SwitchCost::Preemptions));
    let ahead = match snapshot.ahead {
        0 => String::new(),
        number => format!(" ({number} ahead)"),
    };
    Line::of(
        Ink::Bold,
        format!(
            "{} — step {}{ahead}, {}, {}",
            snapshot.trace.input.path,
            steps.len(),
            plural(preemptions, "preemption", "preemptions"),
            plural(switches, "switch", "switches")
        ),
    )
}

fn plural(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn bottom(snapshot: &Snapshot) -> Line {
    match (&snapshot.mode, snapshot.message.is_empty()) {
        (Mode::Saving(name), _) => Line(vec![
            (Ink::Bold, "save the run as: ".to_owned()),
            (Ink::Plain, format!("{name}█")),
            (Ink::Dim, "  (Enter saves, Esc does not)".to_owned()),
        ]),
        (_, false) => Line::of(Ink::Bold, snapshot.message.clone()),
        (Mode::Help, true) => Line::of(Ink::Dim, "any key goes back"),
        (Mode::Choosing, true) => {
            Line::of(Ink::Dim, "Enter take · h back · f forward · j/k choose · r random · s save · ? keys · q quit")
        }
    }
}

fn help() -> Vec<Line> {
    let row = |(keys, what): &(&str, &str)| {
        Line(vec![(Ink::Bold, format!("  {keys:<20}")), (Ink::Plain, (*what).to_owned())])
    };
    std::iter::once(Line::default()).chain(KEYS.iter().map(row)).collect()
}

fn wide(snapshot: &Snapshot, columns: usize, rows: usize) -> Vec<Line> {
    let left = columns * 2 / 5;
    let right = columns - left - 3;
    let steps = choices(snapshot);
    let most = (rows * 3 / 5).max(3);
    let mut pane = window(steps, chosen_row(snapshot), most);
    pane.push(Line::default());
    pane.extend(blocked(snapshot, left));
    pane.extend(variables(snapshot));
    let source = source(snapshot, rows * 2 / 5);
    let mut lanes = run(snapshot, right, rows - source.len().min(rows));
    if !source.is_empty() {
        lanes.resize(rows.saturating_sub(source.len()), Line::default());
        lanes.extend(source);
    }
    (0..rows)
        .map(|row| {
            let mut line = pane.get(row).cloned().unwrap_or_default().fit(left);
            line.0.push((Ink::Dim, " │ ".to_owned()));
            line.0.extend(lanes.get(row).cloned().unwrap_or_default().0);
            line
        })
        .collect()
}

fn narrow(snapshot: &Snapshot, columns: usize, rows: usize) -> Vec<Line> {
    let steps = window(choices(snapshot), chosen_row(snapshot), (rows / 3).max(3));
    let mut state = blocked(snapshot, columns);
    state.extend(variables(snapshot));
    state.truncate((rows / 4).max(2));
    let source = if rows >= ROOM_FOR_SOURCE { source(snapshot, rows / 5) } else { Vec::new() };
    let left = rows.saturating_sub(steps.len() + state.len() + source.len() + 2);
    let rule = || Line::of(Ink::Dim, "─".repeat(columns));
    let mut lanes = run(snapshot, columns, left);
    lanes.resize(left, Line::default());
    steps.into_iter().chain([rule()]).chain(state).chain([rule()]).chain(lanes).chain(source).collect()
}

/// The blocked threads, with the reason.
fn blocked(snapshot: &Snapshot, columns: usize) -> Vec<Line> {
    if snapshot.blocked.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::of(Ink::Bold, "blocked")];
    for thread in &snapshot.blocked {
        let place = format!("{}:{}", thread.place.line, thread.place.column);
        let text = format!("   {}  {place}  {}", thread.thread, one_line(&thread.reason));
        let parts = fill(&text, columns.saturating_sub(6));
        let indent = |(index, part): (usize, &str)| match index {
            0 => Line::of(Ink::Plain, format!("   {part}")),
            _ => Line::of(Ink::Dim, format!("      {part}")),
        };
        lines.extend(parts.lines().enumerate().map(indent));
    }
    lines.push(Line::default());
    lines
}

/// The lines of the source around the chosen step, below a rule.
fn source(snapshot: &Snapshot, rows: usize) -> Vec<Line> {
    let Some((lines, line)) = &snapshot.source else { return Vec::new() };
    let shown = rows.saturating_sub(1).min(lines.len());
    if shown == 0 {
        return Vec::new();
    }
    let at = (*line as usize).saturating_sub(1);
    let start = at.saturating_sub(shown / 2).min(lines.len() - shown);
    let numbers = lines.len().to_string().len();
    let row = |index: usize| {
        let text = format!("{:>numbers$} {}", index + 1, lines[index].replace('\t', "    "));
        match index == at {
            true => Line(vec![(Ink::Bold, "▸ ".to_owned()), (Ink::Bold, text)]),
            false => Line(vec![(Ink::Plain, "  ".to_owned()), (Ink::Dim, text)]),
        }
    };
    std::iter::once(Line::of(Ink::Bold, "source")).chain((start..start + shown).map(row)).collect()
}

/// So many of the lines that the row of interest is among them.
fn window(lines: Vec<Line>, row: usize, most: usize) -> Vec<Line> {
    let start = (row + 1).saturating_sub(most);
    lines.into_iter().skip(start).take(most).collect()
}

/// The row of the chosen step, below the heading.
fn chosen_row(snapshot: &Snapshot) -> usize {
    snapshot.chosen + 1
}

fn choices(snapshot: &Snapshot) -> Vec<Line> {
    if let Some(ended) = &snapshot.ended {
        let ink = if ended.starts_with("violation") { Ink::Fault } else { Ink::Bold };
        return vec![Line::of(ink, ended.clone()), Line::of(Ink::Dim, "h goes back, s saves the run")];
    }
    let widest = |of: &dyn Fn(&Choice) -> String| {
        snapshot.choices.iter().map(|choice| of(choice).chars().count()).max().unwrap_or(0)
    };
    let threads = widest(&|choice| choice.step.thread.clone());
    let places = widest(&place);
    let row = |(index, choice): (usize, &Choice)| {
        let (cost, ink) = match choice.cost {
            None => ("", Ink::Plain),
            Some(SwitchReason::Blocked | SwitchReason::Finished) => ("switch  ", Ink::Dim),
            Some(SwitchReason::Spinning | SwitchReason::WouldOnlySpin) => ("switch from a spinning thread  ", Ink::Dim),
            Some(SwitchReason::Preempted) => ("preemption  ", Ink::Cost),
        };
        let chosen = index == snapshot.chosen;
        let text = format!("{:>3}  {:threads$}  {:places$}  ", index + 1, choice.step.thread, place(choice));
        Line(vec![
            (if chosen { Ink::Chosen } else { Ink::Plain }, text),
            (ink, cost.to_owned()),
            (if chosen { Ink::Chosen } else { Ink::Plain }, one_line(&choice.step.text)),
        ])
    };
    let heading = Line::of(Ink::Bold, "possible now");
    std::iter::once(heading).chain(snapshot.choices.iter().enumerate().map(row)).collect()
}

/// Line and column; the file only where there are several.
fn place(choice: &Choice) -> String {
    choice.step.place.as_ref().map(|place| format!("{}:{}", place.line, place.column)).unwrap_or_default()
}

fn variables(snapshot: &Snapshot) -> Vec<Line> {
    // What changed comes first: there may be more variables than rows.
    let (changed, same): (Vec<_>, Vec<_>) = snapshot.variables.iter().partition(|variable| variable.changed);
    let mut lines = vec![Line::of(Ink::Bold, "variables")];
    for variable in changed.into_iter().chain(same) {
        let text = format!("{} = {}", variable.name, one_line(&variable.value));
        lines.push(match variable.changed {
            true => Line::of(Ink::Changed, format!(" » {text}")),
            false => Line::of(Ink::Plain, format!("   {text}")),
        });
    }
    if snapshot.variables.is_empty() {
        lines.push(Line::of(Ink::Dim, "   none"));
    }
    lines
}

/// The last rows of the lanes, or those that were scrolled to.
fn run(snapshot: &Snapshot, columns: usize, rows: usize) -> Vec<Line> {
    if snapshot.trace.steps.is_empty() {
        return vec![Line::of(Ink::Dim, "nothing has happened yet")];
    }
    let text = lanes(&snapshot.trace, &LaneOptions { width: columns, color: false, full: true });
    let all: Vec<&str> = text.lines().collect();
    let head = all.len().min(2);
    let (names, steps) = all.split_at(head);
    let shown = rows.saturating_sub(head);
    let end = steps.len().saturating_sub(snapshot.scrolled).max(shown.min(steps.len()));
    let start = end.saturating_sub(shown);
    let ink = |line: &str| match line.chars().next() {
        Some('═') => Ink::Cost,
        Some('✗') => Ink::Fault,
        _ => Ink::Plain,
    };
    names.iter().chain(&steps[start..end]).map(|line| Line::of(ink(line), *line)).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
