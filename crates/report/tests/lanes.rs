//! Text in, text out: every `tests/lanes/NAME.json` is a trace, `NAME.txt` is how it looks on a
//! terminal of 80 columns. `UPDATE=1 cargo test -p selvedge-report` writes the `.txt` files anew.

use std::fs;
use std::path::PathBuf;

use selvedge_core::Switch;
use selvedge_core::trace::{Trace, TraceStep};
use selvedge_report::{LaneOptions, lanes, trace_from_json, trace_to_json};

fn examples() -> Vec<(PathBuf, String)> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lanes");
    let mut paths: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    paths.into_iter().map(read).collect()
}

fn example(name: &str) -> Trace {
    let examples = examples();
    let (_, text) = examples.iter().find(|(path, _)| path.file_stem().unwrap() == name).expect(name);
    trace_from_json(text).unwrap()
}

#[test]
fn traces_are_rendered_as_in_their_files() {
    let mut wrong = Vec::new();
    for (path, text) in examples() {
        let drawn = lanes(&trace_from_json(&text).unwrap(), &LaneOptions::default());
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&golden, &drawn).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != drawn {
            wrong.push(format!("{}:\n{drawn}", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "not as the files say:\n{}", wrong.join("\n"));
}

#[test]
fn a_trace_file_read_and_written_is_the_same_file() {
    for (path, text) in examples() {
        assert_eq!(trace_to_json(&trace_from_json(&text).unwrap()), text, "{}", path.display());
    }
}

#[test]
fn no_row_is_wider_than_the_terminal_and_none_loses_its_place() {
    for (path, text) in examples() {
        let trace = trace_from_json(&text).unwrap();
        for width in [68, 72, 80, 100, 132, 200] {
            let drawn = lanes(&trace, &LaneOptions { width, ..LaneOptions::default() });
            let steps = drawn.lines().filter(|line| line.contains(" │ ") && line.contains(".pml:"));
            for row in steps {
                assert!(row.chars().count() <= width, "{} at {width}: {row}", path.display());
            }
        }
    }
}

#[test]
fn colour_is_all_or_nothing() {
    for (_, text) in examples() {
        let trace = trace_from_json(&text).unwrap();
        let plain = lanes(&trace, &LaneOptions::default());
        let colored = lanes(&trace, &LaneOptions { color: true, ..LaneOptions::default() });
        assert!(!plain.contains('\x1b'));
        assert_eq!(without_escapes(&colored), plain);
    }
}

fn without_escapes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        out.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    out + rest
}

/// The lost update with a long loop: `rounds` steps of each thread in turn, `burst` at a time.
fn long(steps: usize, burst: usize) -> Trace {
    let mut trace = example("lost-update");
    let step = trace.steps[2].clone();
    trace.steps = (0..steps)
        .map(|index| {
            let (thread, switch) = ((index / burst % 2) as u32 + 1, index > 0 && index % burst == 0);
            let switch = if switch { Switch::Preemptive } else { Switch::None };
            TraceStep { thread: Some(thread), switch, ..step.clone() }
        })
        .collect();
    trace
}

#[test]
fn a_long_trace_is_folded_but_its_switches_are_not_lost() {
    let drawn = lanes(&long(1000, 100), &LaneOptions::default());
    assert_eq!(drawn.matches("is preempted by").count(), 9, "all switches are shown");
    assert!(drawn.contains("… 80 steps hidden (--full shows them)") && drawn.lines().count() < 120);
    let drawn = lanes(&long(1000, 3), &LaneOptions::default());
    assert!(drawn.contains("… 940 steps with 313 switches (313 preemptions) hidden (--full shows them)"), "{drawn}");
    let full = lanes(&long(1000, 3), &LaneOptions { full: true, ..LaneOptions::default() });
    assert_eq!(full.matches("is preempted by").count(), 333);
    assert!(!full.contains("hidden"));
}

#[test]
fn a_step_that_changes_very_much_takes_a_few_lines() {
    let mut trace = example("lost-update");
    trace.steps[2].changes.0 = (0..100).map(|index| (format!("table[{index}]"), "1".to_string())).collect();
    let drawn = lanes(&trace, &LaneOptions::default());
    assert!(drawn.contains("… 94 more") && drawn.lines().count() < 30, "{drawn}");
}

#[test]
fn odd_traces_are_drawn_too() {
    let mut trace = example("rendezvous");
    trace.threads.clear();
    assert!(!lanes(&trace, &LaneOptions::default()).is_empty(), "steps of threads that are not listed");
    trace.steps.clear();
    trace.waiting.clear();
    trace.violation = None;
    assert_eq!(lanes(&trace, &LaneOptions::default()), "");
    for width in [0, 1, 7, 20] {
        for (_, text) in examples() {
            lanes(&trace_from_json(&text).unwrap(), &LaneOptions { width, ..LaneOptions::default() });
        }
    }
}
