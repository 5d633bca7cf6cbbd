//! Files that are written: whole or not at all, never over an input, and a violation is always saved.

mod support;

use support::{HOLDS, RACE, Ran, Scratch};

/// What `.selvedge` holds of a model, by the path of the model.
const SAVED: &str = ".selvedge/race-c44baf40.trace.json";

fn race(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("race.pml", RACE);
    scratch
}

fn listed(scratch: &Scratch, directory: &str) -> Vec<String> {
    let entries = std::fs::read_dir(scratch.path(directory)).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_violation_is_always_saved_and_the_answer_names_it() {
    let scratch = race("outputs-saved");
    let Ran { code, out, err } = scratch.run(&["check", "race.pml"]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.contains(&format!("replay: selvedge replay {SAVED}\nview: selvedge view {SAVED}\n")), "{out}");
    assert_eq!(listed(&scratch, ".selvedge"), [".gitignore", "race-c44baf40.trace.json"]);
    assert_eq!(scratch.run(&["replay", SAVED, "--quiet"]).code, 1);
    assert_eq!(scratch.run(&["check", "./race.pml", "--json"]).json()["violation"]["trace"], SAVED);
    // Another path is another file; all violations are numbered.
    scratch.write("sub/race.pml", RACE);
    scratch.run(&["check", "sub/race.pml", "--quiet"]);
    assert_eq!(listed(&scratch, ".selvedge").len(), 3);
    scratch.write("two.pml", "active proctype p() { assert(false) }\nactive proctype q() { assert(false) }\n");
    let all = scratch.run(&["check", "two.pml", "--all-violations"]);
    assert_eq!(all.out.matches("replay: selvedge replay .selvedge/two-").count(), 2, "{}", all.out);
    let swarm = scratch.run(&["swarm", "race.pml", "--jobs", "2", "--workers", "1"]);
    assert!(swarm.code == 1 && swarm.out.contains(&format!("selvedge replay {SAVED}")), "{}", swarm.out);
}

#[test]
fn saving_is_chosen_by_options() {
    let scratch = race("outputs-options");
    let none = scratch.run(&["check", "race.pml", "--no-save"]);
    assert!(none.code == 1 && none.out.contains("save the trace: selvedge check"), "{}", none.out);
    scratch.run(&["check", "race.pml", "--trace-out", "t.json"]);
    scratch.write("fine.pml", HOLDS);
    assert_eq!(scratch.run(&["check", "fine.pml"]).code, 0);
    assert_eq!(listed(&scratch, "."), ["fine.pml", "race.pml", "t.json"]);
    scratch.write("selvedge.toml", "[check]\nsave-dir = \"runs/kept\"\n");
    let kept = scratch.run(&["check", "race.pml"]);
    assert!(kept.out.contains("selvedge replay runs/kept/race-c44baf40.trace.json"), "{}", kept.out);
}

#[test]
fn what_cannot_be_saved_is_a_warning() {
    let scratch = race("outputs-unsaved");
    scratch.write(".selvedge", "a file");
    let Ran { code, out, err } = scratch.run(&["check", "race.pml"]);
    assert!(code == 1 && out.starts_with("violated: "), "{out}");
    assert!(err.starts_with("warning: the run was not saved"), "{err}");
    assert_eq!(scratch.read(".selvedge"), "a file");
}

#[test]
fn outputs_overwrite_neither_inputs_nor_each_other() {
    let scratch = race("outputs-overlap");
    scratch.write("lock.spec", "vars a\nrules\na >= 1 -> a' = a - 1;\ninit\na = 1\ntarget\na >= 2\n");
    let commands: [&[&str]; 8] = [
        &["check", "race.pml", "--trace-out", "race.pml"],
        &["check", "race.pml", "--html", "./race.pml"],
        &["check", "race.pml", "--sarif", "race.pml"],
        &["check", "race.pml", "--junit", "x", "--sarif", "./x"],
        &["check", "race.pml", "--trace-out", "x", "--html", "x", "--sarif", "x"],
        &["simulate", "race.pml", "--trace-out", "race.pml"],
        &["swarm", "race.pml", "--trace-out", "race.pml"],
        &["convert", "lock.spec", "lock.spec"],
    ];
    for command in commands {
        let Ran { code, out, err } = scratch.run(command);
        assert_eq!((code, out.as_str()), (2, ""), "{command:?}");
        assert!(err.contains("would overwrite") || err.contains("name the same file"), "{command:?}: {err}");
        assert_eq!(scratch.read("race.pml"), RACE);
    }
    scratch.run(&["check", "race.pml", "--trace-out", "t.json"]);
    let Ran { code, err, .. } = scratch.run(&["view", "t.json", "-o", "t.json"]);
    assert!(code == 2 && err.contains("would overwrite"), "{err}");
    assert_eq!(listed(&scratch, "."), ["lock.spec", "race.pml", "t.json"], "nothing was left behind");
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_does_not_hide_the_verdict() {
    let scratch = race("outputs-full");
    scratch.write("fine.pml", HOLDS);
    for option in ["--trace-out", "--html", "--sarif", "--junit"] {
        let Ran { code, out, err } = scratch.run(&["check", "race.pml", option, "/dev/full"]);
        assert!(code == 1 && out.starts_with("violated: "), "{option}: {out}");
        assert!(err.contains("cannot write") && err.contains("the verdict stands: exit code 1"), "{option}: {err}");
    }
    let Ran { code, out, err } = scratch.run(&["check", "fine.pml", "--sarif", "/dev/full"]);
    assert!(code == 2 && out.starts_with("holds: "), "{out}");
    assert!(err.contains("exit code 2 instead"), "{err}");
}
