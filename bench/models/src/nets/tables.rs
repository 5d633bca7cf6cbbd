//! The tables of a comparison: each benchmark, each set, and the places where a peer does better than Selvedge.

use std::collections::BTreeMap;

use super::Compared;
use super::tool::{Answer, Measured};
use harness::table::Table;

/// One row for each benchmark.
pub fn each(tools: &[String], results: &[Compared]) -> Table {
    let columns: Vec<&str> = std::iter::once("benchmark").chain(tools.iter().map(String::as_str)).collect();
    let mut table = Table::new(&columns);
    for result in results {
        let cells = result.measured.iter().map(|m| cell(m.as_ref()));
        table.row(std::iter::once(result.instance.name.clone()).chain(cells).collect());
    }
    table
}

/// `safe 0.12`, or why there is no answer.
pub fn cell(measured: Option<&Measured>) -> String {
    match measured {
        None => "–".to_owned(),
        Some(Measured { answer, cpu, .. }) if answer.is_answer() => format!("{} {cpu:.2}", answer.word()),
        Some(Measured { answer, .. }) => answer.word().to_owned(),
    }
}

/// For each set and tool: how many benchmarks it was run on, what it answered, how many met the limit or a lower one, and
/// the CPU seconds of the answers.
pub fn summary(tools: &[String], results: &[Compared], limit: u64) -> Table {
    let met = format!("#{limit} s met");
    let columns =
        ["set", "tool", "#run", "#safe", "#unsafe", "#answered", &met, "#less met", "#failed", "#total s", "#median s"];
    let mut table = Table::new(&columns);
    let mut sets: BTreeMap<&str, Vec<&Compared>> = BTreeMap::new();
    results.iter().for_each(|result| sets.entry(&result.instance.set).or_default().push(result));
    let everything: Vec<&Compared> = results.iter().collect();
    for (set, list) in sets.into_iter().chain(std::iter::once(("all", everything))) {
        for (at, tool) in tools.iter().enumerate() {
            let runs: Vec<Measured> = list.iter().filter_map(|result| result.measured[at]).collect();
            if !runs.is_empty() {
                table.row(row(set, tool, &runs, limit));
            }
        }
    }
    table
}

fn row(set: &str, tool: &str, runs: &[Measured], limit: u64) -> Vec<String> {
    let early = runs.iter().filter(|run| run.answer == Answer::Limit && run.limit < limit).count();
    let of = |wanted: Answer| runs.iter().filter(|run| run.answer == wanted).count();
    let mut seconds: Vec<f64> = runs.iter().filter(|run| run.answer.is_answer()).map(|run| run.cpu).collect();
    seconds.sort_by(f64::total_cmp);
    let median = seconds.get(seconds.len() / 2).map(|median| format!("{median:.3}")).unwrap_or_default();
    let total = if seconds.is_empty() { String::new() } else { format!("{:.2}", seconds.iter().sum::<f64>()) };
    let counts = [Answer::Safe, Answer::Unsafe].map(|answer| of(answer).to_string());
    let missed = [of(Answer::Limit) - early, early, of(Answer::Failed)].map(|number| number.to_string());
    let mut row = vec![set.to_owned(), tool.to_owned(), runs.len().to_string()];
    row.extend(counts);
    row.push(seconds.len().to_string());
    row.extend(missed);
    row.extend([total, median]);
    row
}

/// A peer that is this much faster is worth a word; less is the time it takes to start a process.
const NOTEWORTHY: f64 = 0.1;

/// Benchmarks that a peer answers and Selvedge does not, or that a peer answers noticeably faster.
pub fn lost(tools: &[String], results: &[Compared]) -> String {
    let Some(ours) = tools.iter().position(|tool| tool == "selvedge") else { return String::new() };
    let mut text = String::new();
    for result in results {
        let Some(own) = result.measured[ours] else { continue };
        let answered = |at: &usize| result.measured[*at].is_some_and(|theirs| theirs.answer.is_answer());
        for at in (0..tools.len()).filter(|at| *at != ours).filter(answered) {
            let theirs = result.measured[at].map_or(0.0, |theirs| theirs.cpu);
            if !own.answer.is_answer() || theirs + NOTEWORTHY < own.cpu {
                let (name, tool) = (&result.instance.name, &tools[at]);
                text += &format!("{name}: {tool} {theirs:.2} s, selvedge {}\n", cell(Some(&own)));
            }
        }
    }
    if text.is_empty() { "no peer answers what Selvedge does not, or is faster by 0.1 s\n".to_owned() } else { text }
}
