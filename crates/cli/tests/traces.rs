//! Traces saved, replayed, followed and spoiled.

mod support;

use support::{DEADLOCK, HOLDS, RACE, Scratch};

fn saved(name: &str, model: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("model.pml", model);
    let ran = scratch.run(&["check", "model.pml", "--trace-out", "t.json"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with("replay: selvedge replay t.json\nview: selvedge view t.json\n"), "{}", ran.out);
    scratch
}

/// The rows of the lanes.
fn rows(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains("model.pml:") && line.contains('│')).collect()
}

#[test]
fn a_saved_trace_is_replayed() {
    for (name, model) in [("race", RACE), ("deadlock", DEADLOCK)] {
        let scratch = saved(name, model);
        let checked = scratch.run(&["check", "model.pml"]);
        let replayed = scratch.run(&["replay", "t.json"]);
        assert_eq!(replayed.code, 1, "{}{}", replayed.out, replayed.err);
        assert!(replayed.out.contains("still violated after"), "{}", replayed.out);
        assert!(!rows(&replayed.out).is_empty());
        assert_eq!(rows(&replayed.out), rows(&checked.out));
        let quiet = scratch.run(&["replay", "t.json", "--quiet"]);
        assert_eq!((quiet.code, quiet.out.lines().count()), (1, 1));
        let guided = scratch.run(&["simulate", "--replay", "t.json"]);
        assert_eq!(guided.code, 1, "{}{}", guided.out, guided.err);
        assert_eq!(rows(&guided.out), rows(&checked.out));
    }
}

#[test]
fn the_model_may_have_moved() {
    let scratch = saved("moved", RACE);
    scratch.write("sub/t.json", &scratch.read("t.json"));
    scratch.write("sub/other.pml", RACE);
    std::fs::rename(scratch.path("model.pml"), scratch.path("sub/model.pml")).expect("moved");
    let in_one_directory = scratch.run(&["replay", "sub/t.json"]);
    assert_eq!((in_one_directory.code, in_one_directory.err.as_str()), (1, ""));
    let lost = scratch.run(&["replay", "t.json"]);
    assert_eq!(lost.code, 2);
    assert!(lost.err.contains("--model FILE"), "{}", lost.err);
    let named = scratch.run(&["replay", "t.json", "--model", "sub/other.pml"]);
    assert_eq!((named.code, named.err.as_str()), (1, ""));
}

#[test]
fn a_changed_model_is_noticed() {
    let scratch = saved("changed", RACE);
    scratch.write("model.pml", &format!("{RACE}/* a harmless remark */\n"));
    let accepted = scratch.run(&["replay", "t.json"]);
    assert_eq!(accepted.code, 1, "{}", accepted.err);
    assert!(accepted.err.contains("has changed since the trace was saved"), "{}", accepted.err);
    scratch.write("model.pml", &RACE.replace("    t = x;\n    x = t + 1;\n", "    atomic { t = x; x = t + 1 };\n\n"));
    for args in [&["replay", "t.json"][..], &["simulate", "--replay", "t.json"]] {
        let harmful = scratch.run(args);
        assert_eq!((harmful.code, harmful.out.as_str()), (2, ""), "{}", harmful.err);
        assert!(harmful.err.contains("does not fit the model: step "), "{}", harmful.err);
    }
}

#[test]
fn a_spoiled_trace_is_refused() {
    let scratch = saved("spoiled", RACE);
    let trace = scratch.read("t.json");
    let mut value: serde_json::Value = serde_json::from_str(&trace).expect("a trace is JSON");
    value["steps"][2]["thread"] = 2.into();
    scratch.write("choice.json", &value.to_string());
    let choice = scratch.run(&["replay", "choice.json"]);
    assert_eq!(choice.code, 2, "{}{}", choice.out, choice.err);
    assert!(choice.err.contains("step 3"), "{}", choice.err);
    let mut value: serde_json::Value = serde_json::from_str(&trace).expect("a trace is JSON");
    value["violation"]["kind"] = "invalid-end-state".into();
    scratch.write("kind.json", &value.to_string());
    value["schema"] = 2.into();
    scratch.write("newer.json", &value.to_string());
    scratch.write("half.json", &trace[..trace.len() / 2]);
    scratch.write("empty.json", "");
    for file in ["kind.json", "newer.json", "half.json", "empty.json", "model.pml", "."] {
        let ran = scratch.run(&["replay", file]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{file}: {}", ran.err);
        assert!(!ran.err.is_empty());
    }
    let unwritable = scratch.run(&["check", "model.pml", "--trace-out", "no/such/directory/t.json"]);
    assert_eq!(unwritable.code, 2, "{}", unwritable.err);
}

#[test]
fn traces_with_options_are_replayed_with_them() {
    let scratch = Scratch::new("options");
    let model = "byte x;\nactive proctype p() { x = 1; here: x = 2; assert(x == 0) }\nltl l { [] (x < 1) }\nltl m { [] (x < 2) }\n";
    scratch.write("model.pml", model);
    let cases: [&[&str]; 5] =
        [&[], &["--ltl", "m"], &["--ltl", "[] (x != 2)"], &["--no-claim"], &["--no-claim", "--reach", "here"]];
    for options in cases {
        let args = [&["check", "model.pml", "--trace-out", "t.json"], options].concat();
        let checked = scratch.run(&args);
        assert_eq!(checked.code, 1, "{options:?}: {}{}", checked.out, checked.err);
        for args in [&["replay", "t.json"][..], &["simulate", "--replay", "t.json"]] {
            let ran = scratch.run(args);
            assert_eq!(ran.code, 1, "{options:?} {args:?}: {}{}", ran.out, ran.err);
        }
    }
}

#[test]
fn included_files_belong_to_the_model() {
    let scratch = Scratch::new("included");
    scratch.write("sub/model.pml", "#include \"inc.h\"\nactive proctype p() { x = 1; assert(x == 0) }\n");
    scratch.write("sub/inc.h", "byte x;\n");
    assert_eq!(scratch.run(&["check", "sub/model.pml", "--trace-out", "sub/t.json"]).code, 1);
    let mut elsewhere = scratch.command(&["replay", "t.json"]);
    let ran = support::ran(elsewhere.current_dir(scratch.path("sub")));
    assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{}", ran.out);
    scratch.write("sub/inc.h", "short x;\n");
    let changed = scratch.run(&["replay", "sub/t.json"]);
    assert!(changed.code == 1 && changed.err.contains("has changed"), "{}", changed.err);
}

#[test]
fn a_good_run_is_saved_and_replayed_too() {
    let scratch = Scratch::new("good");
    scratch.write("model.pml", HOLDS);
    assert_eq!(scratch.run(&["simulate", "model.pml", "--trace-out", "t.json"]).code, 0);
    let ran = scratch.run(&["replay", "t.json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

/// The trace of a test of Rust code, as the library writes it.
fn rust_trace(options: &str) -> String {
    format!(
        r#"{{
  "schema": 1,
  "input": {{"path": "tests/pool.rs", "language": "rust", "sha256": ""}},
  {options}
  "bound": {{"kind": "preemptions", "value": 2}},
  "violation": {{"kind": "panic", "message": "lost", "preemptions": 1, "switches": 2, "length": 1}},
  "threads": [{{"id": 0, "name": "main"}}],
  "steps": [{{"thread": 0, "location": {{"file": "tests/pool.rs", "line": 3, "column": 5}}, "text": "x.load() → 0", "changes": {{}}, "switch": "none"}}]
}}"#
    )
}

#[test]
fn a_trace_of_rust_code_is_shown_with_the_command_that_runs_it() {
    let scratch = Scratch::new("rust_trace");
    let test = r#""options": {"test": {"name": "pool::it's lost", "schedule": "s1:0*3.1"}},"#;
    scratch.write("t.json", &rust_trace(test));
    let command = r"SELVEDGE_REPLAY='s1:0*3.1' cargo test 'pool::it'\''s lost'";
    let replayed = scratch.run(&["replay", "t.json"]);
    assert_eq!((replayed.code, replayed.err.as_str()), (3, ""), "{}", replayed.out);
    assert!(replayed.out.contains("x.load()") && replayed.out.contains("not replayed"), "{}", replayed.out);
    assert!(replayed.out.ends_with(&format!("run: {command}\n")), "{}", replayed.out);
    let followed = scratch.run(&["simulate", "--replay", "t.json"]);
    assert_eq!((followed.code, followed.out.as_str()), (2, ""), "{}", followed.err);
    assert!(followed.err.contains("SELVEDGE_REPLAY="), "{}", followed.err);
    let viewed = scratch.run(&["view", "t.json"]);
    assert_eq!(viewed.code, 0, "{}", viewed.err);
    assert!(scratch.read("t.html").contains("x.load()"));
    // Traces of older versions do not name their test.
    scratch.write("old.json", &rust_trace(""));
    let old = scratch.run(&["replay", "old.json"]);
    assert!(old.code == 3 && old.out.contains("SELVEDGE_TRACE_OUT=TRACE.json cargo test"), "{}{}", old.out, old.err);
}
