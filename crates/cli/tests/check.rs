//! What `check` prints: words, JSON, diagnostics, and nothing that a log or a pipe cannot hold.

mod support;

use std::io::Read;
use std::process::Stdio;

use support::{BIG, DEADLOCK, HOLDS, RACE, Scratch};

fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("race.pml", RACE);
    scratch.write("holds.pml", HOLDS);
    scratch.write("deadlock.pml", DEADLOCK);
    scratch.write("big.pml", BIG);
    scratch
}

#[test]
fn a_violation_is_rendered_as_an_interleaving() {
    let scratch = scratch("told");
    let ran = scratch.run(&["check", "race.pml"]);
    assert!(ran.out.starts_with("violated: "), "{}", ran.out);
    for words in ["inc(0)", "inc(1)", "check", "race.pml:5:5", "race.pml:12:5", "preemption", "assertions (1)"] {
        assert!(ran.out.contains(words), "no {words} in\n{}", ran.out);
    }
    let commands = "\
replay: selvedge replay .selvedge/race-c44baf40.trace.json
view: selvedge view .selvedge/race-c44baf40.trace.json
";
    assert!(ran.out.ends_with(commands), "{}", ran.out);
    let unsaved = "\
save the trace: selvedge check race.pml --no-save --trace-out race.trace.json
view it: selvedge check race.pml --no-save --html race.html
";
    let ran = scratch.run(&["check", "race.pml", "--no-save"]);
    assert!(ran.out.ends_with(unsaved), "{}", ran.out);
    assert_eq!(ran.err, "");
}

/// The cycle needs P between the two steps of Q, in each round again.
const PREEMPTED_CYCLE: &str = "\
byte a;
active proctype Q() { do :: a = 1; if :: a == 2 :: else -> break fi; accept: a = 0 od }
active proctype P() { end: do :: a == 1 -> a = 2 od }
";

#[test]
fn a_cycle_that_preempts_has_no_total_of_preemptions() {
    let scratch = Scratch::new("preempted-cycle");
    scratch.write("cycle.pml", PREEMPTED_CYCLE);
    let ran = scratch.run(&["check", "cycle.pml", "--acceptance"]);
    let words = "each iteration of the cycle preempts once, so no finite bound contains this run\n";
    assert!(ran.out.contains(words), "{}", ran.out);
    assert!(!ran.out.contains("1 preemption,"), "{}", ran.out);
    let json = scratch.run(&["check", "cycle.pml", "--acceptance", "--json", "--trace-out", "t.json"]).json();
    let trace: serde_json::Value = serde_json::from_str(&scratch.read("t.json")).expect("JSON");
    for violation in [&json["violation"], &trace["violation"]] {
        assert_eq!(violation["preemptions"], serde_json::Value::Null);
        assert_eq!(violation["preemptions_per_cycle"], 1);
    }
    assert_eq!(scratch.run(&["replay", "t.json"]).code, 1);
}

#[test]
fn a_cycle_within_a_bound_has_its_preemptions() {
    let scratch = Scratch::new("cycle-in-bound");
    scratch.write("cycle.pml", "byte a; active proctype P() { accept: do :: a = 1 - a od }\n");
    let json = scratch.run(&["check", "cycle.pml", "--acceptance", "--json"]).json();
    assert_eq!(json["violation"]["preemptions"], 0);
    assert!(json["violation"].get("preemptions_per_cycle").is_none());
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let scratch = scratch("json");
    let ran = scratch.run(&["check", "race.pml", "--json", "--trace-out", "t.json"]);
    let json = ran.json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["tool"]["name"], "selvedge");
    assert_eq!(json["input"]["path"], "race.pml");
    assert_eq!(json["input"]["language"], "promela");
    assert_eq!(json["engine"], "explicit");
    assert_eq!(json["bound"]["kind"], "preemptions");
    assert_eq!(json["bound"]["value"], json["violation"]["preemptions"]);
    assert_eq!(json["bound"]["complete"], false);
    assert_eq!(json["verdict"], "violated");
    assert_eq!(json["violation"]["kind"], "assertion");
    assert_eq!(json["violation"]["location"]["line"], 12);
    assert_eq!(json["violation"]["trace"], "t.json");
    assert!(json["violation"]["preemptions"].as_u64() <= json["violation"]["switches"].as_u64());
    assert_eq!(json["violations"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["stop"], "violation");
    for field in ["states", "transitions", "max_depth", "seconds", "peak_memory_bytes", "bytes_per_state"] {
        assert!(json["stats"][field].is_number(), "{field}");
    }
    let holds = scratch.run(&["check", "holds.pml", "--json"]).json();
    assert_eq!((holds["verdict"].as_str(), holds["bound"]["complete"].as_bool()), (Some("holds"), Some(true)));
    assert_eq!(holds["violation"], serde_json::Value::Null);
    let all = scratch.run(&["check", "race.pml", "--json", "--continue"]).json();
    assert_eq!((all["verdict"].as_str(), all["bound"]["complete"].as_bool()), (Some("violated"), Some(true)));
    assert_eq!(all["violation"]["trace"], ".selvedge/race-c44baf40.trace.json");
    let some = scratch.run(&["check", "big.pml", "--json", "--max-states", "1000"]).json();
    assert_eq!((some["verdict"].as_str(), some["stop"].as_str()), (Some("inconclusive"), Some("max-states")));
    let none = scratch.run(&["check", "deadlock.pml", "--json", "--no-deadlock"]);
    assert_eq!((none.code, none.json()["scope"]["checked"].to_string()), (4, "[]".to_owned()));
}

#[test]
fn what_was_not_checked_is_reported() {
    let scratch = scratch("unchecked");
    scratch.write(
        "claim.pml",
        "byte x;\nactive proctype p() { x = 1 }\nltl small { [] (x < 2) }\nltl one { [] (x < 1) }\n",
    );
    let ran = scratch.run(&["check", "claim.pml", "--ltl", "small"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("every reachable state"), "{}", ran.out);
    for words in ["checked: claim `small`", "not checked: invalid end states, because a claim", "claim `one`"] {
        assert!(ran.out.contains(words), "no {words} in\n{}", ran.out);
    }
    assert_eq!(scratch.run(&["check", "claim.pml", "--ltl", "one"]).code, 1);
    assert_eq!(scratch.run(&["check", "claim.pml", "--ltl", "[] (x == 0)"]).code, 1);
    assert_eq!(scratch.run(&["check", "claim.pml", "--ltl", "[] (x <= 1)"]).code, 0);
}

#[test]
fn quiet_prints_the_verdict_alone() {
    let scratch = scratch("quiet");
    scratch.write("warns.pml", "byte unused;\nactive proctype p() { skip }\n");
    for (args, start) in [
        (["check", "race.pml", "--quiet"], "violated: "),
        (["check", "holds.pml", "--quiet"], "holds: "),
        (["check", "warns.pml", "--quiet"], "holds: "),
    ] {
        let ran = scratch.run(&args);
        assert_eq!((ran.out.lines().count(), ran.err.as_str()), (1, ""), "{}", ran.out);
        assert!(ran.out.starts_with(start), "{}", ran.out);
    }
    let several = scratch.run(&["check", "race.pml", "holds.pml", "-q"]);
    let starts: Vec<&str> = several.out.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(starts, ["race.pml", "holds.pml"]);
    let limited = scratch.run(&["check", "big.pml", "-q", "--max-states", "1000"]);
    assert_eq!(limited.out.lines().count(), 1);
}

#[test]
fn colours_only_where_they_are_wanted() {
    let scratch = scratch("colours");
    scratch.write("broken.pml", "active proctype p() { x = }\n");
    let escapes = |args: &[&str]| {
        let ran = scratch.run(args);
        ran.out.contains('\x1b') || ran.err.contains('\x1b')
    };
    assert!(!escapes(&["check", "race.pml"]) && !escapes(&["check", "broken.pml"]));
    assert!(!escapes(&["check", "race.pml", "--color", "never"]));
    assert!(escapes(&["check", "race.pml", "--color", "always"]));
    assert!(escapes(&["check", "broken.pml", "--color", "always"]));
    let ran = scratch.run(&["check", "big.pml", "--time-limit", "1500ms"]);
    assert!(!ran.err.contains('\r') && ran.err.is_empty(), "no progress line before 10 s: {}", ran.err);
}

#[test]
fn errors_are_counted_and_short_on_request() {
    let scratch = scratch("errors");
    scratch.write("broken.pml", "byte unused;\nactive proctype p()\n{\n    x = 1;\n    y = 2\n}\n");
    let full = scratch.run(&["check", "broken.pml"]);
    assert!(full.err.contains("--> broken.pml:4:5") && full.err.contains('^'), "{}", full.err);
    let end = "\nbroken.pml: 2 errors, 1 warning\nfor more: selvedge explain P1001 P1102\n";
    assert!(full.err.ends_with(end), "{}", full.err);
    let short = scratch.run(&["check", "broken.pml", "--format", "short"]);
    assert!(short.err.lines().any(|line| line.starts_with("broken.pml:4:5: error[P")), "{}", short.err);
    for (file, words) in [("missing.pml", "cannot read `missing.pml`"), (".", "`.` is a directory")] {
        let ran = scratch.run(&["check", file]);
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    scratch.write("empty.pml", "");
    let empty = scratch.run(&["check", "empty.pml"]);
    assert!(empty.err.contains("empty.pml: 1 error"), "{}", empty.err);
}

#[test]
fn all_violations_are_reported_and_saved_one_by_one() {
    let scratch = scratch("all");
    scratch
        .write("two.pml", "byte x;\nactive proctype p() { if :: x = 1 :: x = 2 fi; assert(x != 1); assert(x != 2) }\n");
    let ran = scratch.run(&["check", "two.pml", "--all-violations", "--trace-out", "t.json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("replay: selvedge replay t.json\nreplay: selvedge replay t.2.json\n"), "{}", ran.out);
    for file in ["t.json", "t.2.json"] {
        assert_eq!(scratch.run(&["replay", file]).code, 1, "{file}");
    }
    let first = scratch.run(&["check", "two.pml", "--continue"]);
    assert!(first.out.contains("also: assertion violated"), "{}", first.out);
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let scratch = scratch("pipe");
    for args in [["check", "race.pml", "--full"], ["simulate", "big.pml", "--full"]] {
        let mut command = scratch.command(&args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().expect("stderr is piped").read_to_string(&mut err).expect("UTF-8");
        let code = child.wait().expect("the binary ends").code();
        assert!(matches!(code, Some(0 | 1)) && err.is_empty(), "{code:?} {err}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_search_with_what_it_covered() {
    let scratch = scratch("interrupt");
    let mut command = scratch.command(&["check", "big.pml", "--time-limit", "60s"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    std::thread::sleep(std::time::Duration::from_millis(1000));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill is there").success());
    let output = child.wait_with_output().expect("the binary ends");
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{out}");
    assert!(out.starts_with("inconclusive: interrupted after"), "{out}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let scratch = scratch("bytes");
    let run = |trace: &str| scratch.run(&["check", "race.pml", "--trace-out", trace]).out.replace(trace, "");
    assert_eq!(run("a.json"), run("b.json"));
    assert_eq!(scratch.read("a.json"), scratch.read("b.json"));
}

const PROPERTIES: &str = "\
byte x; bool done;
active proctype p() { do :: x < 3 -> x++ :: x == 3 -> break od; assert(x == 3); done = true }
active proctype q() { x == 9 }
ltl small { [] (x <= 3) }
ltl { [] (x != 2) }
ltl finishes { <> done }
ltl { <> (x == 9) }
";

/// Every claim is a property of its own, and deadlocks are found beside claims.
#[test]
fn every_claim_is_answered_by_its_name() {
    let scratch = scratch("properties");
    scratch.write("m.pml", PROPERTIES);
    let ran = scratch.run(&["check", "m.pml", "--json"]);
    let json = ran.json();
    let answers: Vec<[&str; 4]> = json["properties"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| {
            let kind = found["violation"]["kind"].as_str().unwrap_or("-");
            let text = |name: &str| found[name].as_str().unwrap_or_default();
            [text("name"), text("kind"), text("verdict"), kind]
        })
        .collect();
    assert_eq!(
        answers,
        [
            ["safety", "safety", "violated", "invalid-end-state"],
            ["small", "ltl", "holds", "-"],
            ["ltl_1", "ltl", "violated", "claim-completed"],
            ["finishes", "ltl", "holds", "-"],
            ["ltl_3", "ltl", "violated", "acceptance-cycle"],
        ]
    );
    assert_eq!((ran.code, json["verdict"].as_str()), (1, Some("violated")));
    assert_eq!(json["violation"], json["properties"][0]["violation"]);
    let owners: Vec<&str> =
        json["violations"].as_array().expect("a list").iter().filter_map(|found| found["property"].as_str()).collect();
    assert_eq!(owners, ["safety", "ltl_1", "ltl_3"]);
    // Each run was saved, and replays.
    for index in [0, 2, 4] {
        let trace = json["properties"][index]["violation"]["trace"].as_str().expect("a file").to_owned();
        assert_eq!(scratch.run(&["replay", &trace]).code, 1, "{trace}");
    }
    for (name, code) in [("small", 0), ("ltl_1", 1), ("finishes", 0), ("ltl_3", 1)] {
        assert_eq!(scratch.run(&["check", "m.pml", "--ltl", name]).code, code, "{name}");
    }
}

/// What is left out leaves the others as they are; what concerns all of them is refused if one does not accept it.
#[test]
fn options_select_among_properties() {
    let scratch = scratch("selected-properties");
    scratch.write("m.pml", PROPERTIES);
    let names = |options: &[&str]| {
        let ran = scratch.run(&[&["check", "m.pml", "--json", "--no-save"], options].concat());
        let json = ran.json();
        let list = json["properties"].as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|found| found["name"].as_str().map(str::to_owned)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&[]), "safety small ltl_1 finishes ltl_3");
    assert_eq!(names(&["--no-claim"]), "safety");
    assert_eq!(names(&["--no-deadlock", "--no-assert"]), "small ltl_1 finishes ltl_3");
    assert_eq!(names(&["--non-progress"]), "cycles small ltl_1 finishes ltl_3");
    // As in Spin, the claim is in force beside the assertions.
    assert_eq!(names(&["--ltl", "small"]), "safety small");
    for refused in [["--rounds", "2"], ["--store", "bitstate"], ["--search", "bfs"]] {
        let ran = scratch.run(&[&["check", "m.pml"][..], &refused].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{refused:?}");
    }
    let few = scratch.run(&["check", "m.pml", "--max-states", "2", "--no-save"]);
    assert_eq!(few.code, 3, "{}", few.out);
    assert!(
        few.out.starts_with("inconclusive: safety, small, ltl_1, finishes, ltl_3 (5 of 5 properties)"),
        "{}",
        few.out
    );
}

/// An assertion of a claim is checked with the claim; one that a run violates leaves the claim undecided.
#[test]
fn assertions_of_a_claim_belong_to_it() {
    let scratch = scratch("claim-assertion");
    scratch.write("m.pml", "byte x; active proctype p() { x = 1 } never { do :: assert(x == 0) od }\n");
    let json = scratch.run(&["check", "m.pml", "--json"]).json();
    let verdicts: Vec<&str> =
        json["properties"].as_array().expect("a list").iter().filter_map(|found| found["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["holds", "violated"]);
    assert_eq!(json["violation"]["kind"], "assertion");
}

/// After a proof: statements that no run executes, and formulas whose condition is never true.
#[test]
fn what_a_proof_does_not_use_is_listed() {
    let scratch = scratch("coverage");
    let model = "\
byte x, y;
active proctype p() { do :: x < 2 -> x++ :: x == 7 -> x = 0; y = 1 :: else -> break od; d_step { y = 0; if :: y -> x = 9 :: else fi } }
proctype unused() { x = 3 }
ltl vacuous { [] (x == 5 -> <> (y == 1)) && [] (x == 1 -> <> (x == 2)) }
ltl says_something { [] (x == 1 -> <> (x == 2)) }
";
    scratch.write("m.pml", model);
    let ran = scratch.run(&["check", "m.pml", "--json"]);
    let json = ran.json();
    assert_eq!((ran.code, json["verdict"].as_str()), (0, Some("holds")), "{}", ran.out);
    let places: Vec<&str> =
        json["scope"]["never_executed"].as_array().expect("a list").iter().filter_map(|place| place.as_str()).collect();
    assert_eq!(places, ["m.pml:2:45", "m.pml:2:55", "m.pml:2:62", "m.pml:2:111", "m.pml:2:116", "m.pml:3:21"]);
    assert_eq!(json["properties"][1]["vacuous"], serde_json::json!(["(x == 5)"]));
    assert_eq!(json["properties"][2]["vacuous"], serde_json::Value::Null);
    let text = scratch.run(&["check", "m.pml"]).out;
    for words in [
        "unreachable statement: m.pml:2:45",
        "unreachable statements: 1 more",
        "vacuous holds vacuously: (x == 5) is never true",
    ] {
        assert!(text.contains(words), "no {words} in\n{text}");
    }
    let within = scratch.run(&["check", "m.pml", "--ltl", "vacuous", "--preemptions", "0"]).out;
    assert!(within.contains("vacuous holds vacuously: (x == 5) is not true within the bound"), "{within}");
}

#[test]
fn a_formula_that_was_given_up_is_named_with_its_command() {
    let scratch = Scratch::new("turns");
    let model = "byte a, c; bool bad;
active proctype P() { do :: a++ od }
active proctype R() { do :: c++ :: c == 3 -> bad = true od }
ltl ok { [] (a <= 255) }
ltl fails { [] !bad }
";
    scratch.write("m.pml", model);
    let found = scratch.run(&["check", "m.pml"]);
    assert_eq!(found.code, 1, "{}", found.out);
    assert!(found.out.contains("ok: inconclusive: another property is violated"), "{}", found.out);
    assert!(found.out.contains("continue: selvedge check m.pml --ltl ok"), "{}", found.out);
}

/// With the claim alone in force, the assertion would end the search again.
#[test]
fn a_formula_that_an_assertion_kept_waiting_is_named_with_a_command_that_decides_it() {
    let scratch = Scratch::new("turns-assert");
    scratch.write("m.pml", "byte x; active proctype P() { assert(x == 2); x = 1 }\nltl ok { <> (x == 1) }\n");
    let found = scratch.run(&["check", "m.pml", "--ltl", "ok"]);
    assert_eq!(found.code, 1, "{}", found.out);
    let command = "selvedge check m.pml --ltl ok --no-assert";
    assert!(found.out.contains(&format!("continue: {command}\n")), "{}", found.out);
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let decided = scratch.run(&words);
    assert_eq!(decided.code, 0, "{}", decided.out);
}
