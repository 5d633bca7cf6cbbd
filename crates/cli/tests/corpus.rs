//! Every model of the corpus says what is expected of it; this runs them all and lists every
//! mismatch, not only the first. Header lines: `expect`, `options`, `states` (Spin's figure, without
//! the options), `states-noclaim` (the same without the claim), `errors`, `liveness`, `hidden`, `mistake`.

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use support::Ran;
use support::corpus::{Model, judge_all, models};

fn words(options: &[&str]) -> Vec<String> {
    options.iter().map(|&option| option.to_owned()).collect()
}

fn last_line(ran: &Ran) -> String {
    let line = ran.err.lines().rfind(|line| !line.trim().is_empty());
    let loud = ran.err.lines().find(|line| line.starts_with("internal error"));
    loud.or(line).unwrap_or_default().to_owned()
}

fn kinds(json: &Value) -> BTreeSet<String> {
    let violations = json["violations"].as_array().into_iter().flatten();
    violations.filter_map(|violation| violation["kind"].as_str().map(str::to_owned)).collect()
}

/// The name of the model's first claim.
fn first_claim(model: &Model) -> Option<String> {
    let json = model.check(&words(&["--json", "--max-states", "1", "--safety-only"])).json();
    let properties = json["properties"].as_array()?.iter();
    let mut claims = properties.filter(|property| property["kind"] == "never" || property["kind"] == "ltl");
    claims.find_map(|claim| claim["name"].as_str().map(str::to_owned))
}

/// The figures of the whole model, without its options, against Spin's.
fn figures(model: &Model) -> Vec<String> {
    let mut options = words(&["--unbounded", "--optimize", "none", "--continue", "--safety-only", "--json"]);
    let expected = match (model.header("states"), model.header("states-noclaim")) {
        (Some(states), _) => {
            // The claim is in force beside the assertions, as in Spin.
            let claim = first_claim(model);
            options.extend(claim.into_iter().flat_map(|name| ["--ltl".to_owned(), name]));
            states
        }
        (None, Some(states)) => {
            options.push("--no-claim".to_owned());
            states
        }
        (None, None) => return vec!["its header has no `states`".to_owned()],
    };
    let ran = model.check(&options);
    let expected_exit = matches!(ran.code, 0 | 1 | 4) || reads_hidden(model) && ran.code == 3;
    if !expected_exit {
        return vec![format!("figures: exit {}: {}", ran.code, last_line(&ran))];
    }
    let mut complaints = Vec::new();
    let json = ran.json();
    let states = json["stats"]["states"].to_string();
    // Where Spin has no figure, the header says `n/a` and why.
    if states != expected && !expected.starts_with("n/a") {
        complaints.push(format!("figures: {states} states, Spin has {expected}"));
    }
    let errors = model.header("errors").unwrap_or("none");
    let wanted: BTreeSet<String> =
        errors.split(',').map(|kind| kind.trim().to_owned()).filter(|k| k != "none").collect();
    if kinds(&json) != wanted {
        complaints.push(format!("figures: errors {:?}, Spin has {wanted:?}", kinds(&json)));
    }
    if ran.err.contains("not replayed independently") {
        complaints.push(format!("figures: {}", last_line(&ran)));
    }
    complaints
}

/// Every way to search for the answer.
const SEARCHES: [&str; 7] = [
    "",
    "--optimize none --reduction none",
    "--optimize none --reduction por",
    "--reduction none --count-busy-wait",
    "--unbounded",
    "--search dfs",
    "--search bfs",
];

/// Whether the property is about infinite runs.
fn is_liveness(model: &Model) -> bool {
    let asks = |option: &String| ["--acceptance", "--non-progress"].contains(&option.as_str());
    model.header("liveness") == Some("yes") || model.options().iter().any(asks)
}

/// Whether it reads hidden variables, which are no part of the state with `--optimize none`: the answer is then
/// inconclusive unless there is a violation even so.
fn reads_hidden(model: &Model) -> bool {
    model.header("hidden") == Some("read")
}

/// The verdict that the header promises, with its options, whatever the search; and the same simplest run, whether
/// or not the model is simplified and schedules are left out.
fn verdict(model: &Model) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut simplest: Vec<(&str, Value)> = Vec::new();
    for search in SEARCHES {
        if search == "--search bfs" && is_liveness(model) {
            continue;
        }
        let given = [words(&["--json"]), model.options(), words(&search.split_whitespace().collect::<Vec<_>>())];
        let ran = model.check(&given.concat());
        if search.contains("por") && ran.code == 2 && ran.err.contains("not sound") {
            continue;
        }
        let json = serde_json::from_str::<Value>(&ran.out).unwrap_or_default();
        if reads_hidden(model) && search.contains("--optimize none") && ran.code == 3 {
            let omission = &json["search"]["omission"];
            if omission != "hidden-variables" {
                complaints.push(format!("verdict ({search}): inconclusive because of {omission}"));
            }
            continue;
        }
        if !is_as_expected(model, &ran, &json) {
            let found = json["violation"]["kind"].as_str().unwrap_or("no violation");
            let expected = model.header("expect").unwrap_or_default();
            let last = last_line(&ran);
            complaints.push(format!("verdict ({search}): exit {} {found}, expected {expected}: {last}", ran.code));
        }
        if !search.contains("busy") && !is_liveness(model) {
            let violation = &json["violation"];
            simplest.push((search, serde_json::json!([violation["preemptions"], violation["length"]])));
        }
    }
    for (search, run) in &simplest {
        if *run != simplest[0].1 {
            complaints.push(format!("simplest run ({search}): {run}, otherwise {}", simplest[0].1));
        }
    }
    complaints
}

fn is_as_expected(model: &Model, ran: &Ran, json: &Value) -> bool {
    let expected = model.header("expect").unwrap_or_default();
    match expected.split_once(' ') {
        None if expected == "holds" => ran.code == 0 && json["verdict"] == "holds",
        None if expected == "nothing-checked" => ran.code == 4,
        // Where several kinds of errors are possible, which one comes first depends on the order.
        Some(("violated", kind)) => {
            let errors: Vec<&str> = model.header("errors").unwrap_or_default().split(',').map(str::trim).collect();
            let found = json["violation"]["kind"].as_str().unwrap_or_default();
            ran.code == 1 && (found == kind || (errors.contains(&kind) && errors.contains(&found)))
        }
        _ => false,
    }
}

/// A broken model is refused, and the first message points to its mistake.
fn mistake(model: &Model) -> Vec<String> {
    let ran = model.check(&words(&["--format", "short"]));
    let first = ran.err.lines().next().unwrap_or_default();
    if ran.code != 2 {
        return vec![format!("exit {} instead of 2: {first}", ran.code)];
    }
    let place = |text: &str| text.trim().split(':').next().and_then(|line| line.parse::<i64>().ok());
    let Some(line) = model.header("mistake").and_then(place) else {
        return vec!["its header has no `mistake`".to_owned()];
    };
    let errors = || ran.err.lines().filter(|line| line.contains(": error["));
    let found = errors().next().and_then(|error| place(error.strip_prefix(&format!("{}:", model.path.display()))?));
    match found {
        Some(found) if (found - line).abs() <= 2 => Vec::new(),
        _ => vec![format!("the mistake is in line {line}, the first message is: {}", errors().next().unwrap_or(first))],
    }
}

fn sound_models() -> Vec<Model> {
    let directories = ["constructs", "classic", "semantics", "found"].into_iter();
    directories.flat_map(|directory| models(&format!("promela/{directory}"))).collect()
}

#[test]
fn figures_are_those_of_spin() {
    judge_all(&sound_models(), figures);
}

#[test]
fn verdicts_are_as_expected() {
    judge_all(&sound_models(), verdict);
}

#[test]
fn mistakes_are_found_where_they_are() {
    judge_all(&models("promela/broken"), mistake);
}
