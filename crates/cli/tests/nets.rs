//! Dynamic networks and nets on the command line: words, JSON, exit codes, files, refusals.

mod support;

use support::Scratch;

const WORKERS: &str = "\
dcps
init begin main
target two
rule   (begin, main) -> (begin, main) spawn worker
yield  (begin, main) -> (zero)
resume zero -> zero on worker
yield  (zero, worker) -> (one)
resume one -> one on worker
yield  (one, worker) -> (two)
";
const SAFE: &str = "\
dcps
init a main
target never
rule   (a, main) -> (a, main) spawn kid
yield  (a, main) -> (b, main)
resume b -> a on main
resume b -> c on kid
yield  (c, kid) -> (b, kid)
rule   (d, kid) -> (never, kid)
";
const NET: &str = "\
vars free busy
rules
free >= 1 -> free' = free - 1, busy' = busy + 1;
init free >= 0, busy = 0
target busy >= 3
";
const RECURSIVE: &str = "dcps\ninit a g\ntarget b\nrule (a, g) -> (a, g g)\nrule (a, g) -> (b)\n";

fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(&format!("nets-{name}"));
    scratch.write("workers.dcps", WORKERS);
    scratch.write("safe.dcps", SAFE);
    scratch.write("net.spec", NET);
    scratch.write("fixed.spec", &NET.replace("free >= 0", "free = 2"));
    scratch.write("recursive.dcps", RECURSIVE);
    scratch.write("system.tts", "2 2\n0 0 -> 1 1\n1 0 -> 1 1\n");
    scratch.write("system.prop", "1|1,1\n");
    scratch.write("wrong.tts", "2 2\n0 0 -> 1 1\n");
    scratch.write("wrong.prop", "1|2\n");
    scratch.write("race.bp", "void main() begin assert(T); end");
    scratch
}

#[test]
fn every_ending_has_its_code() {
    let scratch = scratch("codes");
    let table: &[(&str, i32)] = &[
        ("check workers.dcps", 1),
        ("check workers.dcps --thread-switches 0", 0),
        ("check workers.dcps --thread-switches 1", 1),
        ("check workers.dcps --unbounded", 1),
        ("check workers.dcps --max-bound 0", 0),
        ("check workers.dcps --engine explicit", 1),
        ("check workers.dcps --engine explicit --thread-limit 2", 3),
        ("check workers.dcps --engine dynamic --fresh-switches", 1),
        ("check safe.dcps", 0),
        ("check safe.dcps --unbounded --quiet", 0),
        ("check safe.dcps net.spec", 1),
        ("check net.spec", 1),
        ("check net.spec --unbounded", 1),
        ("check fixed.spec", 0),
        ("check system.tts", 1),
        ("check recursive.dcps --engine explicit", 1),
        ("check wrong.tts", 2),
        ("check missing.spec", 2),
        ("simulate workers.dcps --seed 3", 0),
        ("simulate net.spec --steps 1", 0),
        ("simulate workers.dcps --thread-limit 2 --steps 5", 0),
        ("convert workers.dcps w.spec", 0),
        ("convert workers.dcps w.spec --thread-switches 1 --fresh-switches", 0),
        ("convert net.spec n.dcps", 0),
        ("convert system.tts -", 2),
        ("convert system.tts - --emit spec", 0),
        ("convert recursive.dcps r.spec", 2),
        ("convert recursive.dcps r.spec --thread-switches 1", 0),
        ("check r.spec", 1),
        ("convert recursive.dcps r.dcps --thread-switches 1", 0),
        ("check r.dcps --thread-switches 1", 1),
        ("convert workers.dcps w.dcps --thread-switches 1", 2),
        ("convert workers.dcps w.tts", 2),
        ("convert race.bp r.spec", 2),
        ("convert net.spec n.spec --thread-switches 1", 2),
        ("certify net.spec missing.json", 2),
        ("certify race.bp missing.json", 2),
    ];
    for (line, code) in table {
        let ran = scratch.run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, *code, "{line}\n{}{}", ran.out, ran.err);
    }
}

#[test]
fn conflicting_options_are_refused() {
    let scratch = scratch("refused");
    let table = [
        ("check workers.dcps --preemptions 2", "explicit engine"),
        ("check workers.dcps --rounds 2", "explicit engine"),
        ("check workers.dcps --engine symbolic", "symbolic engine"),
        ("check workers.dcps --engine explicit --thread-switches 2", "dynamic engine"),
        ("check workers.dcps --reach begin", "--reach"),
        ("check workers.dcps --acceptance", "explicit engine"),
        ("check workers.dcps --non-progress", "explicit engine"),
        ("check workers.dcps --fair", "explicit engine"),
        ("check workers.dcps --minimize length", "explicit engine"),
        ("check workers.dcps --count-busy-wait", "explicit engine"),
        ("check net.spec --seed 3", "explicit engine"),
        ("check workers.dcps --ltl <>p", "Promela"),
        ("check net.spec --thread-switches 2", "dynamic networks"),
        ("check net.spec --max-bound 2", "explicit engine"),
        ("check workers.dcps --analysis eager", "--analysis"),
        ("check workers.dcps --thread-switches 1 --unbounded", "cannot be used with"),
        ("check race.bp --token-limit 2", "Petri nets"),
    ];
    support::assert_refused(&scratch, &table);
}

#[test]
fn a_violation_has_its_bound_and_threads_by_name() {
    let scratch = scratch("bound-and-names");
    let ran = scratch.run(&["check", "workers.dcps", "--color", "never"]);
    for words in [
        "violated: the state `two` is reached",
        "explored: at most 1 switch of each thread;\n  no violation with at most 0 switches of each thread",
        "main.1",
        "main.2",
        "checked: targets `two`",
        "replay: selvedge replay .selvedge/workers-",
    ] {
        assert!(ran.out.contains(words), "{words}:\n{}", ran.out);
    }
    let again = scratch.run(&["check", "workers.dcps", "--color", "never"]);
    let without_times = |text: &str| text.lines().filter(|line| !line.contains("0.0")).collect::<Vec<_>>().join("\n");
    assert_eq!(without_times(&again.out), without_times(&ran.out));
}

#[test]
fn a_limit_that_was_in_the_way_is_named_and_nothing_is_claimed_beyond_it() {
    let scratch = scratch("in-the-way");
    let crowd = "dcps\ninit a m\ntarget z\nrule (a, m) -> (a, m) spawn h\nyield (a, m) -> (b)\nresume b -> c on h\n\
                 yield (c, h) -> (d)\nresume d -> z on h\n";
    scratch.write("crowd.dcps", crowd);
    scratch.write("deep.dcps", "dcps\ninit a g\ntarget z\nrule (a, g) -> (b, h g)\nrule (b, h) -> (z)\n");
    for (line, limit) in [
        ("check crowd.dcps --engine explicit --thread-limit 2", "--thread-limit"),
        ("check crowd.dcps --engine explicit --thread-limit 2 --preemptions 0", "--thread-limit"),
        ("check crowd.dcps --engine explicit --thread-limit 2 --switches 1", "--thread-limit"),
        ("check net.spec --engine explicit --token-limit 1", "--token-limit"),
        ("check net.spec --engine explicit --token-limit 1 --depth 2", "--token-limit"),
        ("check deep.dcps --engine explicit --stack-limit 1 --preemptions 0", "--stack-limit"),
    ] {
        let ran = scratch.run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(ran.code, 3, "{line}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains(&format!("to explore more, raise {limit}")), "{line}: {}", ran.out);
    }
    let ran =
        scratch.run(&["check", "crowd.dcps", "--engine", "explicit", "--thread-limit", "3", "--preemptions", "0"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
}

#[test]
fn the_property_of_a_system_belongs_to_it() {
    let scratch = scratch("property");
    scratch.run(&["check", "system.tts", "--quiet", "--trace-out", "s.json", "--html", "checked.html"]);
    let viewed = scratch.run(&["view", "s.json", "-o", "viewed.html"]);
    assert_eq!((viewed.code, viewed.err.as_str()), (0, ""));
    assert_eq!(scratch.read("viewed.html"), scratch.read("checked.html"));
    scratch.write("system.prop", "1|1\n");
    let viewed = scratch.run(&["view", "s.json", "-o", "viewed.html"]);
    assert!(viewed.err.contains("has changed"), "{}", viewed.err);
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let scratch = scratch("json");
    let json = scratch.run(&["check", "workers.dcps", "--json", "--trace-out", "w.json"]).json();
    assert_eq!((json["engine"].as_str(), json["verdict"].as_str()), (Some("dynamic"), Some("violated")));
    assert_eq!(json["violation"]["kind"], "target-covered");
    assert_eq!(json["violation"]["trace"], "w.json");
    assert_eq!(json["bound"]["kind"], "thread-switches");
    assert_eq!((json["bound"]["value"].as_u64(), json["layers"].as_array().map(Vec::len)), (Some(1), Some(1)));
    assert_eq!(json["input"]["language"], "dcps");
    let json = scratch.run(&["check", "safe.dcps", "--json"]).json();
    assert_eq!((json["verdict"].as_str(), json["bound"]["complete"].as_bool()), (Some("holds"), Some(true)));
    assert!(json["bound"]["value"].is_null() && json["violation"].is_null());
    let json = scratch.run(&["check", "net.spec", "--json"]).json();
    assert_eq!((json["bound"]["kind"].as_str(), json["input"]["language"].as_str()), (Some("unbounded"), Some("spec")));
}

#[test]
fn proofs_are_checked_and_damaged_proofs_refused() {
    let scratch = scratch("proofs");
    for (model, options) in
        [("safe.dcps", vec![]), ("workers.dcps", vec!["--thread-switches", "0"]), ("fixed.spec", vec![])]
    {
        let mut line = vec!["check", model, "--certificate", "p.json"];
        line.extend(options);
        let ran = scratch.run(&line);
        assert_eq!(ran.code, 0, "{model}: {}", ran.err);
        assert!(ran.out.contains("check the certificate: selvedge certify"), "{}", ran.out);
        let checked = scratch.run(&["certify", model, "p.json"]);
        assert!(
            checked.code == 0 && checked.out.starts_with("proved: no run "),
            "{model}: {}{}",
            checked.out,
            checked.err
        );
    }
    let text = scratch.read("p.json");
    // Another net: the same proof says nothing about it.
    scratch.write("more.spec", &NET.replace("free >= 0", "free = 3"));
    let refused = scratch.run(&["certify", "more.spec", "p.json"]);
    assert!(refused.code == 2 && refused.err.contains("is not valid for"), "{}", refused.err);
    for (from, to) in [("\"busy\"", "\"nobody\""), ("\"schema\": 1", "\"schema\": 9"), ("{", "[")] {
        scratch.write("q.json", &text.replacen(from, to, 1));
        let refused = scratch.run(&["certify", "fixed.spec", "q.json"]);
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{from}: {}", refused.err);
    }
}

#[test]
fn runs_are_saved_replayed_and_simulated() {
    let scratch = scratch("runs");
    for model in ["workers.dcps", "net.spec", "system.tts"] {
        assert_eq!(scratch.run(&["check", model, "--trace-out", "t.json", "--quiet"]).code, 1, "{model}");
        let replayed = scratch.run(&["replay", "t.json"]);
        assert!(
            replayed.code == 1 && replayed.out.contains("still violated"),
            "{model}: {}{}",
            replayed.out,
            replayed.err
        );
        assert_eq!(scratch.run(&["simulate", "--replay", "t.json"]).code, 1, "{model}");
        // Steps that say something else do not fit any more.
        let trace = scratch.read("t.json");
        let (head, steps) = trace.split_once("\"steps\"").expect("steps");
        let changed = steps.replace("\"line\": ", "\"line\": 9");
        scratch.write("t.json", &format!("{head}\"steps\"{changed}"));
        assert_eq!(scratch.run(&["replay", "t.json"]).code, 2, "{model}");
    }
}
