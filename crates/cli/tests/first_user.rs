//! What somebody meets who uses the command for the first time, in every language: verdict and scope first, files that
//! are not what they should be, answers that are written to files, what is told about a deadlock and about assertions
//! that check nothing, and why something is violated.

mod support;

use support::schema::Validator;
use support::{Ran, Scratch, root};

/// Two processes that take two locks in different orders.
fn locks() -> String {
    std::fs::read_to_string(root().join("docs/book/models/locks.pml")).expect("the book's model")
}

/// A model of each language and how its first two lines begin.
const ANSWERS: &[(&str, &[&str], [&str; 2])] = &[
    ("promela/classic/lost_update.pml", &[], ["violated: assertion violated", "explored: at most 1 preemption"]),
    ("promela/classic/dining_philosophers_deadlock.pml", &[], ["violated: deadlock: philosopher(0)", "  blocked"]),
    (
        "promela/classic/peterson_two.pml",
        &["--preemptions", "1"],
        ["holds within the bound: no violation with", "  every"],
    ),
    (
        "promela/classic/peterson_two.pml",
        &["--max-states", "3"],
        ["inconclusive: stopped by --max-states", "no violation"],
    ),
    (
        "boolprog/classic/lost_update.bp",
        &[],
        ["violated: assertion violated", "explored: at most 2 rounds; no violation"],
    ),
    ("boolprog/classic/dekker.bp", &[], ["holds within the bound: no violation with at most 3 rounds", "  every run"]),
    ("pds/two_stacks.pds", &[], ["violated: the state `perr`", "explored: at most 2 rounds; no violation"]),
    ("pds/never.pds", &[], ["holds: no violation with any number of rounds", "proved: no thread alone"]),
    ("nets/broken_lock.dcps", &[], ["violated: the state `both`", "explored: at most 2 switches of each thread"]),
    (
        "nets/lock.dcps",
        &[],
        ["holds: no violation with any number of threads", "proved: no step leads towards a target"],
    ),
    ("nets/readers_writers_bug.spec", &[], ["violated: the target", "explored: any number of tokens and steps"]),
    ("nets/mutual_exclusion.spec", &[], ["holds: no run covers a target", "proved: by a certificate"]),
    ("nets/race.tts", &[], ["violated: the target", "explored: any number of tokens and steps"]),
];

#[test]
fn verdict_and_scope_are_the_first_two_lines() {
    let scratch = Scratch::new("first-lines");
    for (model, options, expected) in ANSWERS {
        let path = root().join("corpus").join(model).display().to_string();
        let ran = scratch.run(&[&["check", &path], *options].concat());
        let lines: Vec<&str> = ran.out.lines().take(2).collect();
        assert!(lines.len() == 2, "{model}: {}{}", ran.out, ran.err);
        for (line, start) in lines.iter().zip(expected) {
            assert!(line.starts_with(start), "{model}: `{start}` is not the start of\n{}", ran.out);
        }
    }
}

#[test]
fn a_deadlock_names_who_waits_for_whom() {
    let scratch = Scratch::new("first-circle");
    scratch.write("locks.pml", &locks());
    let Ran { out, .. } = scratch.run(&["check", "locks.pml", "--trace-out", "t.json", "--html", "v.html"]);
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("(knife = true); knife set by right in step 4"), "{out}");
    assert!(words.contains("(fork = true); fork set by left in step 2"), "{out}");
    assert!(out.contains("circular wait: left → right → left"), "{out}");
    let trace: serde_json::Value = serde_json::from_str(&scratch.read("t.json")).expect("JSON");
    assert_eq!(trace["waiting"][0]["since"], serde_json::json!([{"variable": "knife", "step": 4, "thread": 1}]));
    assert!(scratch.read("v.html").contains("left → right → left"));
    let schema = Validator::new("docs/schemas/trace.schema.json", &[]);
    assert_eq!(schema.complaints(&trace), Vec::<String>::new());
    assert_eq!(scratch.run(&["replay", "t.json", "--quiet"]).code, 1);

    // The same in a Boolean program; a process that nobody has put there is in no circle.
    let philosophers = root().join("corpus/boolprog/classic/philosophers.bp").display().to_string();
    let Ran { out, .. } = scratch.run(&["check", &philosophers, "--deadlock"]);
    assert!(out.contains("circular wait: thread0 → thread1 → thread2 → thread0"), "{out}");
    scratch.write("alone.pml", "bool opened;\nactive proctype p() { opened }\nactive proctype q() { skip }\n");
    let Ran { out, .. } = scratch.run(&["check", "alone.pml"]);
    assert!(out.contains("waits for `opened` to become true (opened = false)") && !out.contains("each waits"), "{out}");
}

#[test]
fn a_full_channel_names_who_filled_it() {
    let scratch = Scratch::new("first-channel");
    let model = "chan c = [1] of { byte };\nactive proctype p() { c ! 1 }\nactive proctype q() { c ! 2 }\n";
    scratch.write("full.pml", model);
    let Ran { out, .. } = scratch.run(&["check", "full.pml"]);
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("(it is full: 1 message); c changed by p in step 1"), "{out}");
}

#[test]
fn what_a_target_leaves_waiting_is_not_listed() {
    let scratch = Scratch::new("first-target");
    let path = root().join("corpus/pds/handoff.pds").display().to_string();
    let Ran { out, .. } = scratch.run(&["check", &path]);
    assert!(out.contains("✗ the state `perr` is reached") && !out.contains("has no rule"), "{out}");
    assert!(out.contains("because a thread without a rule only ends a run"), "{out}");
}

#[test]
fn unreachable_assertions_are_listed() {
    let scratch = Scratch::new("first-unreached");
    let model = "\
byte x;
inline twice() { if :: x == 7 -> assert(x < 9) :: else -> assert(x < 8) fi }
active proctype p() { x = 1; assert(x == 1); if :: x == 2 -> assert(false) :: else fi; twice(); twice() }
active proctype q() { x == 3; d_step { x = 4; assert(x == 4) } }
";
    scratch.write("m.pml", model);
    let command = ["check", "m.pml", "--no-deadlock"];
    for extra in [&[][..], &["--search", "dfs"], &["--optimize", "none"], &["--reduction", "none"]] {
        let Ran { code, out, .. } = scratch.run(&[&command, extra].concat());
        let listed: Vec<&str> = out.lines().filter(|line| line.starts_with("unreachable assertion: ")).collect();
        let at = |place: &str| format!("unreachable assertion: m.pml:{place}");
        assert_eq!((code, listed), (0, vec![&*at("2:34"), &*at("3:62"), &*at("4:47")]), "{extra:?}: {out}");
    }
    let ran = scratch.run(&["check", "m.pml", "--no-deadlock", "--json"]);
    assert_eq!(ran.json()["scope"]["never_reached"], serde_json::json!(["m.pml:2:34", "m.pml:3:62", "m.pml:4:47"]));
    let check = Validator::new("docs/schemas/check.schema.json", &[]);
    assert_eq!(check.complaints(&ran.json()), Vec::<String>::new());
    // Nothing is said of what a search did not come to because it was cut short, or of a violated model.
    let cut = scratch.run(&["check", "m.pml", "--max-states", "2"]);
    assert!(!cut.out.contains("reachable assertion") && !cut.out.contains("not reached"), "{}", cut.out);
    let bounded = "bool go;\nactive proctype a() { if :: go -> assert(true) :: else fi }\nactive proctype b() { skip; go = true }\n";
    scratch.write("b.pml", bounded);
    let within = scratch.run(&["check", "b.pml", "--depth", "1"]);
    assert!(within.out.contains("assertion not reached within the bound: b.pml:2:"), "{}", within.out);
}

#[test]
fn threads_without_limit_are_not_searched_for_ever() {
    let scratch = Scratch::new("first-endless");
    let path = root().join("docs/book/models/workers.bp").display().to_string();
    let ran = scratch.run(&["check", &path, "--time-limit", "60s", "--json"]);
    let answer = ran.json();
    assert_eq!(
        (ran.code, answer["engine"].as_str(), answer["verdict"].as_str()),
        (1, Some("dynamic"), Some("violated"))
    );
    // Two threads are no reason for it.
    scratch.write(
        "two.bp",
        "decl x;\nvoid w() begin assert(!x); end\nvoid main() begin x := F; start_thread w(); start_thread w(); end\n",
    );
    assert_eq!(scratch.run(&["check", "two.bp", "--json"]).json()["engine"], "explicit");
    let asked = scratch.run(&["check", &path, "--preemptions", "0", "--max-states", "50", "--json"]);
    assert_eq!(asked.json()["engine"], "explicit", "{}", asked.err);
}

#[test]
fn files_that_are_no_models() {
    let scratch = Scratch::new("first-files");
    scratch.write("model.pml", "\u{feff}active proctype p() { assert(true) }\r\n");
    scratch.write("model.spec", "\u{feff}vars a\nrules\na >= 1 -> a' = a - 1;\ninit\na = 1\ntarget\na >= 2\n");
    for model in ["model.pml", "model.spec"] {
        let Ran { code, err, .. } = scratch.run(&["check", model]);
        assert_eq!((code, err.as_str()), (0, ""), "a mark in front of {model}");
    }
    for ending in ["pml", "bp", "pds", "dcps", "spec", "tts"] {
        let name = format!("program.{ending}");
        std::fs::write(scratch.path(&name), b"\x7fELF\x02\0\0\0\x01").expect("written");
        let Ran { code, err, .. } = scratch.run(&["check", &name]);
        assert_eq!(code, 2);
        assert!(err.contains("it is no text") && err.lines().count() <= 5, "{err}");
        let near = format!("modl.{ending}");
        scratch.write(&format!("model.{ending}"), "");
        let Ran { code, err, .. } = scratch.run(&["check", &near]);
        assert_eq!(code, 2);
        assert!(err.contains(&format!("did you mean `model.{ending}`?")), "{err}");
    }
    scratch.write("views/x.pml", "");
    for (name, expected) in
        [("views", "is a directory"), ("mode.pm", "there is no file"), ("views/y.pml", "views/x.pml")]
    {
        let Ran { code, err, .. } = scratch.run(&["check", name]);
        assert!(code == 2 && err.contains(expected), "{name}: {err}");
    }
}

#[test]
fn what_cannot_be_written_is_reported_before_the_search_and_loses_no_answer() {
    let scratch = Scratch::new("first-writing");
    scratch.write("locks.pml", &locks());
    for option in ["--trace-out", "--html"] {
        let Ran { code, out, err } = scratch.run(&["check", "locks.pml", option, "nowhere/run"]);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(err.contains("there is no directory `nowhere`"), "{err}");
        let Ran { code, err, .. } = scratch.run(&["check", "locks.pml", option, "-"]);
        assert!(code == 2 && err.contains("would mix the file with the answer"), "{err}");
    }
    // What is found out only when it is written does not swallow the answer.
    let Ran { code, out, err } = scratch.run(&["check", "locks.pml", "--trace-out", "/dev/full"]);
    assert!(code == 1 && out.starts_with("violated: ") && err.contains("cannot write"), "{out}{err}");
}

#[test]
fn several_models_write_into_a_directory() {
    let scratch = Scratch::new("first-several");
    scratch.write("locks.pml", &locks());
    scratch.write("a/same.pml", "active proctype p() { assert(false) }\n");
    scratch.write("b/same.pml", "active proctype p() { assert(1 == 2) }\n");
    scratch.write("fine.pml", "active proctype p() { assert(true) }\n");
    let files = ["check", "locks.pml", "a/same.pml", "b/same.pml", "fine.pml"];
    let refused = scratch.run(&[&files[..], &["--html", "one.html"]].concat());
    assert!(refused.code == 2 && refused.err.contains("name a directory"), "{}", refused.err);
    let options = ["--html", "runs/", "--trace-out", "runs/", "--threads", "2"];
    let ran = scratch.run(&[&files[..], &options].concat());
    assert_eq!(ran.code, 1, "{}", ran.err);
    let mut written: Vec<String> = std::fs::read_dir(scratch.path("runs"))
        .expect("the directory was made")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    written.sort();
    let expected = [
        "a-same.pml.html",
        "a-same.pml.trace.json",
        "b-same.pml.html",
        "b-same.pml.trace.json",
        "locks.html",
        "locks.trace.json",
    ];
    assert_eq!(written, expected);
    assert!(ran.out.contains("replay: selvedge replay runs/locks.trace.json"), "{}", ran.out);
    assert_eq!(scratch.run(&["replay", "runs/b-same.pml.trace.json", "--quiet"]).code, 1);
}

#[test]
fn the_summary_on_github_shows_messages_as_they_are() {
    let scratch = Scratch::new("first-summary");
    let path = root().join("docs/book/models/two_keys.spec").display().to_string();
    let ran = support::ran(scratch.command(&["check", &path, "--quiet"]).env("GITHUB_STEP_SUMMARY", "summary.md"));
    assert_eq!(ran.code, 1);
    let summary = scratch.read("summary.md");
    let prose = summary.split("```").step_by(2).collect::<String>();
    assert!(prose.contains("the target &#96;inside &#62;= 2&#96; is covered"), "{prose}");
    assert!(!prose.contains('`'), "Markdown would show references inside of backticks: {prose}");
}

#[test]
fn a_value_is_cut_after_its_name() {
    let scratch = Scratch::new("first-values");
    let model = "\
typedef Inner { int somewhat_long_field_name[3] };
typedef Outer { Inner another_long_field_name };
Outer very_long_global_name[2];
active proctype writer_with_a_name() { very_long_global_name[1].another_long_field_name.somewhat_long_field_name[2] = 4711; assert(false) }
";
    scratch.write("m.pml", model);
    let Ran { out, .. } = scratch.run(&["check", "m.pml"]);
    let row = out.lines().find(|line| line.contains("→")).unwrap_or_default();
    assert!(row.contains('…') && row.trim_end().ends_with("= 4711"), "{out}");
}

#[test]
fn the_verdict_has_a_colour_where_colours_are_wanted() {
    let scratch = Scratch::new("first-colour");
    scratch.write("locks.pml", &locks());
    scratch.write("fine.pml", "active proctype p() { assert(true) }\n");
    let first = |args: &[&str]| scratch.run(args).out.lines().next().unwrap_or_default().to_owned();
    let red = "\x1b[1;31mviolated\x1b[0m: deadlock";
    assert!(first(&["check", "locks.pml", "--color", "always"]).starts_with(red));
    assert!(first(&["check", "locks.pml", "--color", "always", "--quiet"]).starts_with(red));
    assert!(first(&["check", "fine.pml", "--color", "always"]).starts_with("\x1b[1;32mholds\x1b[0m: "));
    let yellow = "\x1b[1;33mnothing was checked\x1b[0m: ";
    assert!(first(&["check", "locks.pml", "--color", "always", "--no-deadlock"]).starts_with(yellow));
    assert!(first(&["check", "locks.pml"]).starts_with("violated: "));
}

/// A model, options, and the sentence that says why it is violated.
const REASONS: &[(&str, &[&str], &str)] = &[
    ("promela/classic/lost_update.pml", &[], "written again in step"),
    ("promela/classic/dining_philosophers_deadlock.pml", &[], "a circular wait: philosopher(0) waits for "),
    ("boolprog/classic/lost_update.bp", &[], "lo = 1 since step"),
    (
        "boolprog/classic/philosophers.bp",
        &["--deadlock"],
        "a circular wait: thread0 waits for fork1, which thread1 set in",
    ),
    ("pds/handoff.pds", &[], "is possible because T1 set state = p1 in step 1"),
    ("nets/readers_writers_bug.spec", &[], "reading = 1 since step 3; writing = 1 since step 2"),
    ("nets/broken_lock.dcps", &[], "since step"),
];

#[test]
fn every_violation_has_its_reason() {
    let scratch = Scratch::new("first-why");
    let [check, trace] =
        ["check", "trace"].map(|name| Validator::new(&format!("docs/schemas/{name}.schema.json"), &[]));
    for (model, options, why) in REASONS {
        let path = root().join("corpus").join(model).display().to_string();
        let Ran { out, .. } = scratch.run(&[&["check", &path], *options].concat());
        let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("why: ") && words.contains(why), "{model}: {out}");
        let ran = scratch.run(&[&["check", &path, "--json", "--trace-out", "t.json"], *options].concat());
        let explanation = ran.json()["violation"]["explanation"].as_str().unwrap_or_default().to_owned();
        assert!(explanation.contains(why), "{model}: {explanation}");
        assert_eq!(check.complaints(&ran.json()), Vec::<String>::new(), "{model}");
        let saved: serde_json::Value = serde_json::from_str(&scratch.read("t.json")).expect("JSON");
        assert_eq!(trace.complaints(&saved), Vec::<String>::new(), "{model}");
        assert_eq!(saved["violation"]["explanation"], explanation);
    }
}

#[test]
fn an_assertion_names_the_step_that_broke_it() {
    let scratch = Scratch::new("first-broke");
    scratch.write(
        "m.pml",
        "byte n = 1;\nactive proctype a() { skip; n = 2; skip }\nactive proctype b() { n == 2; assert(n == 1) }\n",
    );
    let ran = scratch.run(&["check", "m.pml", "--json"]);
    let why = "the condition was true until step 2 (`n = 2` of a); n = 2 since step 2 (a)";
    assert_eq!(ran.json()["violation"]["explanation"], why);
}

#[test]
fn a_cycle_names_who_runs_and_what_the_property_asks() {
    let scratch = Scratch::new("first-cycle");
    let model = "bool p; byte x;\nactive proctype A() { do :: x = 1 - x od }\nactive proctype B() { p = true }\n";
    scratch.write("m.pml", &format!("{model}ltl resp {{ [] ((x == 1) -> <> p) }}\n"));
    let ran = scratch.run(&["check", "m.pml", "--json", "--trace-out", "t.json"]);
    let why = ran.json()["violation"]["explanation"].as_str().unwrap_or_default().to_owned();
    assert!(why.contains("only A runs in them, although B could always run (--fair excludes such runs)"), "{why}");
    assert!(why.contains("`p` is always false") && why.contains("`x == 1` is sometimes true"), "{why}");
    let trace: serde_json::Value = serde_json::from_str(&scratch.read("t.json")).expect("JSON");
    assert_eq!(trace["steps"][0]["propositions"], serde_json::json!({"p": false, "x == 1": true}));
    // A weakly fair run gives B its turn.
    assert_eq!(scratch.run(&["check", "m.pml", "--fair"]).code, 0);
}

#[test]
fn a_label_names_the_condition_that_led_to_it() {
    let scratch = Scratch::new("first-label");
    let program = "decl g;\nvoid main() begin\n  call f(T);\n  if (g) then ERROR: skip; fi;\nend\n\
                   void f(a) begin\n  if (a) then g := T; call f(!a); fi;\nend\n";
    scratch.write("m.bp", program);
    let ran = scratch.run(&["check", "m.bp", "--json"]);
    let why = ran.json()["violation"]["explanation"].as_str().unwrap_or_default().to_owned();
    assert!(why.contains("(`if (g)`) is possible because g = 1 since step 3"), "{why}");
}

/// The automaton of a formula asks for the opposite of some comparisons; an explanation names those that were written.
#[test]
fn propositions_are_true_or_false_as_they_are_written() {
    let scratch = Scratch::new("first-propositions");
    let model = "#define done (n == 2)\n#define big n > 5\nbyte n;\nactive proctype A() { do :: n = 1 - n od }\n";
    let formulas = [
        ("<> (n == 2)", "`n == 2` is always false"),
        ("<> (n != n)", "`n != n` is always false"),
        ("[] <> (n > 5)", "`n > 5` is always false"),
        ("<> (n >= 2) || <> [] (n < 1)", "`n >= 2` is always false, `n < 1` is sometimes true"),
        ("[] <> done && [] <> (n <= 7)", "`done` is always false"),
        ("<> big", "`big` is always false"),
        ("<> !(n <= 7)", "`n <= 7` is always true"),
    ];
    for (formula, expected) in formulas {
        scratch.write("m.pml", &format!("{model}ltl f {{ {formula} }}\n"));
        let ran = scratch.run(&["check", "m.pml", "--json"]);
        let why = ran.json()["violation"]["explanation"].as_str().unwrap_or_default().to_owned();
        assert!(why.contains(expected), "{formula}: {why}");
    }
}

/// In the other order the steps of a lost update lose nothing; where no order helps, none is named.
#[test]
fn a_nearby_order_that_passes_is_named_if_there_is_one() {
    let scratch = Scratch::new("first-swap");
    let race = "byte n, done;\nactive [2] proctype inc() { byte t; t = n; n = t + 1; done++ }\nactive proctype check() { done == 2; assert(n == 2) }\n";
    scratch.write("race.pml", race);
    let ran = scratch.run(&["check", "race.pml", "--json"]);
    assert_eq!(ran.json()["violation"]["avoided_by_swapping"], serde_json::json!([[2, 4], [5, 6]]), "{}", ran.out);
    let Ran { out, .. } = scratch.run(&["check", "race.pml"]);
    assert!(out.contains("moving steps 2 to 4 after steps 5 to 6 avoids it"), "{out}");
    scratch.write("never.pml", "byte n;\nactive proctype a() { n = 1 }\nactive proctype b() { assert(n == 7) }\n");
    let ran = scratch.run(&["check", "never.pml", "--json"]);
    assert_eq!(ran.json()["violation"].get("avoided_by_swapping"), None, "{}", ran.out);
}

#[test]
fn runs_with_calls_have_stacks() {
    let scratch = Scratch::new("first-stack");
    let check = |model: &str| {
        let path = root().join("corpus").join(model).display().to_string();
        let Ran { out, .. } = scratch.run(&["check", &path, "--full", "--trace-out", "t.json"]);
        let trace: serde_json::Value = serde_json::from_str(&scratch.read("t.json")).expect("JSON");
        let schema = Validator::new("docs/schemas/trace.schema.json", &[]);
        assert_eq!(schema.complaints(&trace), Vec::<String>::new(), "{model}");
        (out, trace)
    };
    let (out, trace) = check("boolprog/recursion/depth_20.bp");
    assert!(out.contains("│   if (*)") && out.contains("⋮16 if (*)"), "{out}");
    let deepest = trace["steps"].as_array().expect("steps").iter().map(|step| &step["stack"]);
    let folded =
        deepest.flat_map(|stack| stack.as_array().expect("a stack")).filter_map(|frame| frame["times"].as_u64());
    assert!(folded.max() >= Some(18), "the recursion is folded");
    let (out, trace) = check("pds/counter_on_stack.pds");
    assert!(out.contains("call stack of T1: bottom → x"), "{out}");
    assert_eq!(trace["steps"][3]["stack"][1], serde_json::json!({"procedure": "x", "depth": 2, "times": 3}));
    let (_, trace) = check("promela/classic/lost_update.pml");
    assert!(trace["steps"].as_array().expect("steps").iter().all(|step| step.get("stack").is_none()));
}
