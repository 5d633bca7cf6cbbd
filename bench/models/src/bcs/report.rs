//! The measurements as tables and charts.

use super::chart::{Line, Panel};
use super::effort::{self, Effort};
use super::measure::{Cell, Measured, Outcome, Series};
use super::quality::{Quality, SEARCHES};
use harness::table::{Table, grouped};
use std::collections::BTreeMap;

/// What the promise is: at the greatest bound, at most so many times the seconds of the search without a bound.
const BAR: f64 = 1.3;

/// Times below this are all the same to pan's clock.
const INSTANT: f64 = 0.01;

const TOOLS: [&str; 3] = ["ours (layered)", "ours (spin)", "Spin"];

fn series(m: &Measured) -> [&Series; 3] {
    [&m.layered, &m.spin, &m.pan]
}

fn sign(reduced: bool) -> String {
    if reduced { "+" } else { "-" }.to_owned()
}

/// One row for each model, reduction and tool; a column for each bound.
pub fn grid(measured: &[Measured], bounds: &[u32], show: impl Fn(&Cell) -> String) -> String {
    let labels: Vec<String> = bounds.iter().map(|b| format!("#L{b}")).collect();
    let mut columns = vec!["model", "PO", "search", "#full"];
    columns.extend(labels.iter().map(String::as_str));
    let mut table = Table::new(&columns);
    for m in measured {
        for (tool, series) in TOOLS.iter().zip(series(m)) {
            let text = |outcome: &Outcome| outcome.as_ref().map_or_else(|_| "–".to_owned(), &show);
            let mut row = vec![m.name.clone(), sign(m.reduced), (*tool).to_owned(), text(&series.full)];
            row.extend(series.bounded.iter().map(text));
            table.row(row);
        }
    }
    table.to_string()
}

/// Why cells are empty, and where our search in Spin's manner differs from Spin.
pub fn remarks(measured: &[Measured], bounds: &[u32]) -> String {
    let mut lines = Vec::new();
    for m in measured {
        let what = format!("{} {}", m.name, sign(m.reduced));
        let differing = m.disagreements(bounds);
        if !differing.is_empty() {
            lines.push(format!("- {what}: **ours (spin) and Spin differ** at {}", differing.join(", ")));
        }
        for (tool, series) in TOOLS.iter().zip(series(m)) {
            let labels = std::iter::once("full".to_owned()).chain(bounds.iter().map(|b| format!("L{b}")));
            let outcomes = std::iter::once(&series.full).chain(&series.bounded);
            let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for (label, outcome) in labels.zip(outcomes) {
                if let Err(why) = outcome {
                    reasons.entry(why).or_default().push(label);
                }
            }
            lines.extend(reasons.iter().map(|(why, at)| format!("- {what}, {tool}, {}: {why}", at.join(", "))));
        }
    }
    if lines.is_empty() {
        return "ours (spin) and Spin agree in states and transitions everywhere.\n".to_owned();
    }
    lines.join("\n") + "\n"
}

/// The cost at the greatest bound, relative to no bound.
fn relative(series: &Series, at: usize, value: impl Fn(&Cell) -> f64) -> Option<f64> {
    match (&series.full, series.bounded.get(at)?) {
        (Ok(full), Ok(bounded)) => Some(value(bounded) / value(full)),
        _ => None,
    }
}

fn transitions(cell: &Cell) -> f64 {
    cell.transitions.max(1) as f64
}

fn seconds(cell: &Cell) -> f64 {
    cell.seconds.max(INSTANT)
}

/// The table of the promise: no more transitions, and hardly more time, than without a bound.
pub fn ratios(measured: &[Measured]) -> String {
    let mut table = Table::new(&[
        "model",
        "PO",
        "#transitions: layered",
        "#ours (spin)",
        "#Spin",
        "#time: layered",
        "#ours (spin)",
        "#Spin",
        "within the bar",
    ]);
    let text = |ratio: Option<f64>| ratio.map_or_else(|| "–".to_owned(), |r| format!("{r:.2}"));
    for m in measured {
        let last = m.layered.bounded.len().saturating_sub(1);
        let by_transitions = series(m).map(|s| relative(s, last, transitions));
        let by_time = series(m).map(|s| relative(s, last, seconds));
        let within = match (by_transitions[0], by_time[0]) {
            (Some(t), Some(s)) if t <= 1.0 && s <= BAR => "yes",
            (Some(_), Some(_)) => "**no**",
            _ => "–",
        };
        let mut row = vec![m.name.clone(), sign(m.reduced)];
        row.extend(by_transitions.into_iter().chain(by_time).map(text));
        row.push(within.to_owned());
        table.row(row);
    }
    table.to_string()
}

/// Tables 2 and 3.
pub fn efforts(list: &[Effort], bounds: &[u32], show: impl Fn(&Cell) -> String) -> String {
    let labels: Vec<String> = bounds.iter().map(|b| format!("#L{b}")).collect();
    let mut columns = vec!["model", "PO", "search", "#BFS", "#DFS"];
    columns.extend(labels.iter().map(String::as_str));
    let mut table = Table::new(&columns);
    for effort in list {
        for (tool, explored) in effort::TOOLS.iter().zip(&effort.rows) {
            let mut row = vec![effort.name.clone(), sign(effort.reduced), (*tool).to_owned()];
            row.extend(explored.iter().map(|cell| cell.as_ref().map_or_else(|| "–".to_owned(), &show)));
            table.row(row);
        }
    }
    table.to_string()
}

/// Table 4.
pub fn qualities(list: &[Quality]) -> String {
    let mut columns = vec!["model".to_owned(), "#L".to_owned()];
    columns.extend(SEARCHES.iter().map(|s| format!("#{s}")));
    let mut table = Table::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    for q in list {
        let mut row = vec![q.name.clone(), q.bound.map_or_else(|| "–".to_owned(), |b| b.to_string())];
        row.extend(q.shown.iter().map(|s| s.map_or_else(|| "–".to_owned(), |s| s.to_string())));
        table.row(row);
    }
    table.to_string()
}

/// Seconds as text.
pub fn seconds_text(cell: &Cell) -> String {
    format!("{:.2}", cell.seconds)
}

/// States as text.
pub fn states_text(cell: &Cell) -> String {
    grouped(cell.states)
}

/// Transitions as text.
pub fn transitions_text(cell: &Cell) -> String {
    grouped(cell.transitions)
}

/// A panel for each model: seconds against the bound, beside those of our search without a bound (Figure 8).
pub fn cost_panels(measured: &[Measured]) -> Vec<Panel> {
    let panel = |m: &Measured| {
        let line = |(label, s): (&'static str, &Series)| {
            let points = s.bounded.iter().map(|o| o.as_ref().ok().map(seconds)).collect();
            Line { label, points }
        };
        let mut lines: Vec<Line> = TOOLS.into_iter().zip(series(m)).map(line).collect();
        let full = m.layered.full.as_ref().ok().map(seconds);
        lines.push(Line { label: "ours, no bound", points: vec![full; m.layered.bounded.len()] });
        Panel { title: m.name.clone(), lines }
    };
    measured.iter().filter(|m| !m.reduced).map(panel).collect()
}

/// One of the figures of a cell.
type Figure = fn(&Cell) -> f64;

/// Cost relative to the search without a bound, averaged over the models (Figure 10).
pub fn relative_panels(measured: &[Measured], bounds: &[u32]) -> Vec<Panel> {
    let mut panels = Vec::new();
    for reduced in [false, true] {
        let group: Vec<&Measured> = measured.iter().filter(|m| m.reduced == reduced).collect();
        let kinds: [(&str, Figure); 2] = [("transitions", transitions), ("time", seconds)];
        for (what, value) in kinds {
            let line = |tool: usize| {
                let at = |bound: usize| average(group.iter().filter_map(|m| relative(series(m)[tool], bound, value)));
                Line { label: TOOLS[tool], points: (0..bounds.len()).map(at).collect() }
            };
            let reduction = if reduced { "with" } else { "without" };
            panels.push(Panel {
                title: format!("{what}, full search = 1, {reduction} reduction"),
                lines: (0..TOOLS.len()).map(line).collect(),
            });
        }
    }
    panels
}

/// The geometric mean, if there is anything.
fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(bounded_seconds: f64, bounded_transitions: u64) -> Measured {
        let full = Ok(Cell { states: 10, transitions: 100, seconds: 1.0 });
        let bounded = vec![Ok(Cell { states: 10, transitions: bounded_transitions, seconds: bounded_seconds })];
        let series = Series { full, bounded };
        let (layered, spin, pan) = (series.clone(), series.clone(), series);
        Measured { name: "m".to_owned(), reduced: false, layered, spin, pan }
    }

    #[test]
    fn the_bar_is_about_both_transitions_and_time() {
        assert!(ratios(&[measured(1.3, 100)]).contains("| yes"));
        assert!(ratios(&[measured(1.31, 100)]).contains("**no**"));
        assert!(ratios(&[measured(0.5, 101)]).contains("**no**"));
    }

    #[test]
    fn averages_are_geometric() {
        let panels = relative_panels(&[measured(2.0, 100), measured(8.0, 100)], &[16]);
        let point = panels[1].lines[0].points[0].unwrap();
        assert!((point - 4.0).abs() < 1e-9);
        assert_eq!(panels[3].lines[0].points[0], None);
    }

    #[test]
    fn searches_that_failed_are_named() {
        let mut m = measured(1.0, 100);
        m.pan.bounded[0] = Err("limit: time".to_owned());
        assert!(remarks(&[m], &[16]).contains("m -, Spin, L16: limit: time"));
    }
}
