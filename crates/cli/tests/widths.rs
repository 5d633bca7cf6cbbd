//! What people read fits 80 columns and has no escape sequences where there is no terminal: every command, on models of every
//! language. What programs read (`--json`, `--quiet`, `--format short`) is one line each and not looked at here.

mod support;

use support::{Ran, Scratch, root};

/// One model of each language with a violation, some with long names.
const VIOLATED: &[&str] = &[
    "corpus/promela/classic/dining_philosophers_deadlock.pml",
    "corpus/promela/classic/needham_schroeder_public_key.pml",
    "corpus/boolprog/classic/readers_writers_forgotten.bp",
    "corpus/pds/handoff.pds",
    "corpus/nets/broken_lock.dcps",
    "corpus/dynamic/two_helpers.dcps",
    "corpus/nets/readers_writers_bug.spec",
    "corpus/nets/race.tts",
];

/// Models without one, or with nothing to check.
const OTHERS: &[&str] = &[
    "corpus/promela/constructs/invalid_end_state_switched_off.pml",
    "corpus/boolprog/recursion/handshake_on_stacks.bp",
    "corpus/pds/never.pds",
    "corpus/pds/no_target.pds",
    "corpus/nets/two_are_not_three.dcps",
    "corpus/nets/no_target.dcps",
    "corpus/nets/mutual_exclusion.spec",
    "corpus/nets/no_target.spec",
    "corpus/nets/broadcast_leaves_none.tts",
    "corpus/nets/no_property.tts",
];

/// Models with mistakes.
const BROKEN: &[&str] = &[
    "corpus/promela/broken/missing_od.pml",
    "corpus/boolprog/broken/deep_parentheses.bp",
    "corpus/boolprog/broken/atomic_not_begun.bp",
    "corpus/boolprog/broken/no_main.bp",
    "corpus/pds/broken/missing_arrow.pds",
    "corpus/nets/broken/second_mistake.dcps",
    "corpus/nets/broken/negative.spec",
    "corpus/nets/broken/out_of_range.tts",
];

/// Commands that speak of no model, and such that are refused.
const GENERAL: &[&[&str]] = &[
    &[],
    &["--help"],
    &["check", "--help"],
    &["simulate", "--help"],
    &["replay", "--help"],
    &["view", "--help"],
    &["ltl", "--help"],
    &["sequentialize", "--help"],
    &["convert", "--help"],
    &["certify", "--help"],
    &["swarm", "--help"],
    &["explain", "--help"],
    &["config", "--help"],
    &["config"],
    &["explain"],
    &["explain", "N0003", "P1001", "B0105", "C0005", "data-race", "nothing"],
    &["ltl", "[] (p -> <> q) && [] <> r"],
    &["ltl", "[] (p -> "],
    &["check"],
    &["check", "no_such_model_anywhere.pml", "no_such_model_anywhere.bp", "model_without_language.txt", "."],
    &["check", "model.pml", "--preemptions", "99999999999999999999"],
    &["check", "model.pml", "--preemptionss", "2"],
    &["check", "model.pml", "--thread-switches", "2"],
    &["check", "model.pml", "--engine", "symbolic"],
    &["check", "model.pml", "--ltl", "[] unknown"],
    &["check", "model.pml", "--store", "bitstate", "--preemptions", "2"],
    &["check", "model.pml", "--max-states", "2"],
    &["check", "model.pml", "--preemptions", "1"],
    &["check", "model.pml", "model.pml"],
    &["check", "model.bp", "--engine", "dynamic"],
    &["check", "model.bp", "--print-reachable", "--error-projection"],
    &["check", "model.dcps", "--engine", "symbolic"],
    &["check", "model.dcps", "--rounds", "2"],
    &["check", "model.dcps", "--reach", "here"],
    &["check", "model.dcps", "--strata", "1"],
    &["swarm", "model.pml", "--jobs", "4", "--workers", "2"],
    &["swarm", "model.bp"],
    &["replay", "model.pml"],
    &["view", "model.pml"],
    &["certify", "model.dcps", "model.pml"],
];

#[test]
fn models_of_every_language_in_every_command() {
    let scratch = Scratch::new("widths-models");
    for model in VIOLATED {
        let path = root().join(model).display().to_string();
        let name = model.rsplit('/').next().unwrap_or(model);
        std::fs::copy(&path, scratch.path(name)).expect("a copy");
        if let Some(stem) = path.strip_suffix(".tts") {
            std::fs::copy(format!("{stem}.prop"), scratch.path(&name.replace(".tts", ".prop"))).expect("a copy");
        }
        let commands: &[&[&str]] = &[
            &["check", name, "--trace-out", "run.trace.json", "--html", "run.html"],
            &["check", name],
            &["check", name, "--engine", "explicit", "--full", "--all-violations"],
            &["replay", "run.trace.json"],
            &["view", "run.trace.json"],
            &["simulate", name, "--seed", "3", "--trace-out", "simulated_run.trace.json"],
            &["simulate", name, "--replay", "run.trace.json"],
            &["simulate", name, "--interactive"],
        ];
        commands.iter().for_each(|command| look_at(&scratch, command));
    }
}

#[test]
fn other_answers_and_mistakes() {
    let scratch = Scratch::new("widths-others");
    for model in OTHERS.iter().chain(BROKEN) {
        let name = model.rsplit('/').next().unwrap_or(model);
        let path = root().join(model);
        std::fs::copy(&path, scratch.path(name)).expect("a copy");
        let property = path.with_extension("prop");
        if property.is_file() {
            std::fs::copy(property, scratch.path(&name.replace(".tts", ".prop"))).expect("a copy");
        }
        look_at(&scratch, &["check", name, "--time-limit", "10s"]);
    }
}

#[test]
fn commands_without_a_model_and_refusals() {
    let scratch = Scratch::new("widths-general");
    let copy = |from: &str, to: &str| std::fs::copy(root().join(from), scratch.path(to)).expect("a copy");
    copy("corpus/promela/classic/peterson_two_wrong_order.pml", "model.pml");
    copy("corpus/boolprog/classic/lost_update.bp", "model.bp");
    copy("corpus/nets/broken_lock.dcps", "model.dcps");
    GENERAL.iter().for_each(|command| look_at(&scratch, command));
    scratch.write("selvedge.toml", "[check]\ntime-limit = \"5 minutes\"\nfair = 3\nunknown-option = true\n");
    look_at(&scratch, &["check", "model.pml"]);
}

fn look_at(scratch: &Scratch, command: &[&str]) {
    let Ran { out, err, .. } = scratch.run(command);
    for line in out.lines().chain(err.lines()) {
        let columns = line.chars().count();
        assert!(columns <= 80 || cannot_be_cut(line), "selvedge {}: {columns} columns\n{line}", command.join(" "));
        assert!(!line.contains('\u{1b}'), "selvedge {}: an escape sequence\n{line}", command.join(" "));
    }
    let known = !err.contains("unexpected argument") || command.contains(&"--preemptionss");
    assert!(known, "selvedge {}: not what it is meant to show: {err}", command.join(" "));
    assert!(!err.contains("internal error"), "selvedge {}: {err}", command.join(" "));
}

/// A line with one word, or an option and its value: a path or a formula.
fn cannot_be_cut(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().filter(|word| *word != "\\").collect();
    words.len() <= 1 || (words.len() == 2 && words[0].starts_with("--"))
}
