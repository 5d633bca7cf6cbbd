//! A crate outside of the workspace that uses selvedge as anybody would: its test run is what a user sees. Two of its
//! four tests fail on purpose; they must fail in a way that a test log can hold, and alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples-external/ticket-lock")
}

/// A fresh directory for kept schedules and traces.
fn scratch() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sample-crate");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

fn cargo_test(filter: &[&str], environment: &[(&str, &str)], scratch: &Path) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--offline", "--quiet", "--test", "model", "--manifest-path"]);
    command.arg(sample().join("Cargo.toml")).args(filter);
    // The outer `cargo test` tells its children about itself: this one is a run of its own.
    for (name, _) in std::env::vars_os() {
        let ours = name.to_string_lossy().into_owned();
        if ours.starts_with("CARGO_PKG") || ours.starts_with("CARGO_MANIFEST") || ours.starts_with("SELVEDGE") {
            command.env_remove(name);
        }
    }
    // The crate has the workspace's profile: what is compiled already is used again.
    command.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap());
    command.env("SELVEDGE_REGRESSIONS", scratch.join("kept")).env("RUST_BACKTRACE", "0");
    command.envs(environment.iter().copied());
    command.output().expect("cargo runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The part of a log that is about one failing test.
fn report(log: &str, test: &str) -> String {
    let start = log.find(&format!("---- {test} stdout ----")).unwrap_or_else(|| panic!("no report of {test}:\n{log}"));
    let rest = &log[start..];
    let end = rest[5..].find("\n---- ").or_else(|| rest.find("\nfailures:")).map_or(rest.len(), |end| end + 5);
    rest[..end].to_owned()
}

#[test]
fn a_crate_of_its_own_finds_its_bugs() {
    let scratch = scratch();
    let first = cargo_test(&[], &[], &scratch);
    let log = text(&first);
    assert_eq!(first.status.code(), Some(101), "a failure, not a crash:\n{log}");
    assert!(log.contains("2 passed; 2 failed"), "{log}");

    let race = report(&log, "a_careless_one_does_not");
    assert!(race.lines().count() <= 66, "60 lines and libtest's own:\n{race}");
    for part in ["│ main", "│ thread 1", "is preempted by", "next.load", "src/lib.rs", "kept in "] {
        assert!(race.contains(part), "no `{part}` in:\n{race}");
    }
    let deadlock = report(&log, "two_locks_in_two_orders");
    let source = std::fs::read_to_string(sample().join("tests/model.rs")).unwrap();
    let line = |text: &str| 1 + source.lines().position(|line| line.contains(text)).expect(text);
    let (first, second) = (line("let _first = locks.0.lock"), line("let second = locks.1.lock"));
    let waits = [
        format!("waits for locks.0, held by thread 1 (locked at tests/model.rs:{first}:"),
        format!("waits for locks.1, held by main (locked at tests/model.rs:{second}:"),
    ];
    // Long lines are wrapped.
    let words = deadlock.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in waits {
        assert!(words.contains(&part), "no `{part}` in:\n{deadlock}");
    }

    let line = race.lines().find(|line| line.starts_with("replay: ")).expect("a line to paste");
    let schedule = line.split("SELVEDGE_REPLAY=").nth(1).and_then(|rest| rest.split(' ').next()).expect("a schedule");
    assert!(line.ends_with("cargo test a_careless_one_does_not"), "{line}");
    let trace = scratch.join("trace.json");
    let environment = [("SELVEDGE_REPLAY", schedule), ("SELVEDGE_TRACE_OUT", trace.to_str().unwrap())];
    let again = text(&cargo_test(&["a_careless"], &environment, &scratch));
    assert!(again.contains("found by replaying a schedule"), "{again}");
    let trace = std::fs::read_to_string(trace).expect("the trace was written");
    assert!(trace.contains("\"language\": \"rust\""), "{trace}");

    let kept = text(&cargo_test(&["a_careless"], &[], &scratch));
    assert!(kept.contains("this schedule failed before"), "{kept}");
    let damaged = cargo_test(&["a_careless"], &[("SELVEDGE_REPLAY", "nonsense")], &scratch);
    assert!(text(&damaged).contains("SELVEDGE_REPLAY does not fit"), "{}", text(&damaged));
}

#[test]
fn a_build_without_tests_has_std_only() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--edges", "normal", "--prefix", "none", "--manifest-path"])
        .arg(sample().join("Cargo.toml"))
        .output()
        .expect("cargo runs");
    let tree = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(tree.lines().count(), 2, "the crate and selvedge, and nothing below it:\n{tree}");
    let build = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--lib", "--manifest-path"])
        .arg(sample().join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap())
        .output()
        .expect("cargo runs");
    assert!(build.status.success(), "{}", text(&build));
}
