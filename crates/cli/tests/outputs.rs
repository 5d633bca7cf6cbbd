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

/// What a model includes, what a directory or a number leads to, the project's file.
#[test]
fn no_file_that_was_read_is_written_over() {
    let scratch = race("outputs-inputs");
    let included = "byte included;\n";
    let two = "active proctype p() { included = 1; assert(false) }\nactive proctype q() { assert(false) }\n";
    let settings = "[check]\nno-save = true\n";
    let write = || {
        scratch.write("in.h", included);
        scratch.write("two.pml", &format!("#include \"in.h\"\n{two}"));
        scratch.write("two.html", RACE);
        scratch.write("t.2.json", RACE);
        scratch.write("selvedge.toml", settings);
    };
    write();
    assert_eq!(scratch.run(&["check", "race.pml", "--trace-out", "trace.json"]).code, 1);
    let commands: [&[&str]; 12] = [
        &["check", "two.pml", "--trace-out", "in.h"],
        &["check", "two.pml", "--html", "in.h"],
        &["check", "two.pml", "--sarif", "in.h"],
        &["check", "two.pml", "--junit", "in.h"],
        &["check", "race.pml", "--sarif", "selvedge.toml"],
        &["simulate", "two.pml", "--trace-out", "in.h"],
        &["swarm", "two.pml", "--trace-out", "in.h"],
        &["swarm", "two.pml", "--emit", "shell", "-o", "in.h"],
        &["check", "--language", "promela", "two.html", "--html", "."],
        &["check", "--language", "promela", "t.2.json", "--all-violations", "--trace-out", "t.2.json"],
        &["view", "trace.json", "-o", "race.pml"],
        &["check", "race.pml", "--trace-out", "d/", "--sarif", "d/race.trace.json"],
    ];
    for command in commands {
        let Ran { code, err, .. } = scratch.run(command);
        assert_eq!(code, 2, "{command:?}: {err}");
        let names = ["in.h", "two.html", "t.2.json", "race.pml", "selvedge.toml"];
        let texts = [included, RACE, RACE, RACE, settings];
        names.iter().zip(texts).for_each(|(name, text)| assert_eq!(scratch.read(name), text, "{command:?}"));
    }
    // The number is known when there are several.
    for (model, other) in [("two.pml", ["--html", "t.2.json"]), ("t.2.json", ["--no-save", "--quiet"])] {
        write();
        scratch.write("t.2.json", two.replace("included = 1;", "").as_str());
        let args = ["check", "--language", "promela", model, "--all-violations", "--trace-out", "t.json"];
        let Ran { code, err, .. } = scratch.run(&[&args[..], &other[..]].concat());
        assert!(code == 1 && err.contains("t.2.json`: "), "{model}: {code} {err}");
        assert!(!scratch.read("t.2.json").contains("\"schema\""), "{model}");
    }
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_does_not_hide_the_verdict() {
    let scratch = race("outputs-full");
    scratch.write("fine.pml", HOLDS);
    scratch.write("two.pml", "active proctype p() { assert(false) }\n");
    for option in ["--trace-out", "--html", "--sarif", "--junit"] {
        let Ran { code, out, err } = scratch.run(&["check", "race.pml", option, "/dev/full"]);
        assert!(code == 1 && out.starts_with("violated: "), "{option}: {out}");
        assert!(err.contains("cannot write") && err.contains("the verdict stands: exit code 1"), "{option}: {err}");
    }
    for command in ["simulate", "swarm"] {
        let Ran { code, out, err } = scratch.run(&[command, "two.pml", "--trace-out", "/dev/full"]);
        assert!(code == 1 && out.contains("assertion violated: false"), "{command}: {out}");
        assert!(err.contains("cannot write") && err.contains("the verdict stands: exit code 1"), "{command}: {err}");
    }
    let Ran { code, out, err } = scratch.run(&["check", "fine.pml", "--sarif", "/dev/full"]);
    assert!(code == 2 && out.starts_with("holds: "), "{out}");
    assert!(err.contains("exit code 2 instead"), "{err}");
}

/// Nobody reads from the pipe: the write does not end.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_an_output_that_waits_for_its_reader() {
    let scratch = race("outputs-pipe");
    let made = std::process::Command::new("mkfifo").arg(scratch.path("pipe")).status().expect("mkfifo");
    assert!(made.success());
    for option in ["--trace-out", "--html", "--sarif", "--junit"] {
        let mut command = scratch.command(&["check", "race.pml", "--no-save", "--quiet", option, "pipe"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let child = command.spawn().expect("it starts");
        std::thread::sleep(std::time::Duration::from_millis(500));
        let sent = std::process::Command::new("kill").arg(child.id().to_string()).status();
        assert!(sent.is_ok_and(|sent| sent.success()), "{option}");
        let output = child.wait_with_output().expect("it ends");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{option}: {err}");
        assert!(err.contains("an interrupt ended before"), "{option}: {err}");
    }
}
