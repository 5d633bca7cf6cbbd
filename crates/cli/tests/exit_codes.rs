//! The table of exit codes: what scripts rely on.

mod support;

use support::{BIG, DEADLOCK, HOLDS, RACE, Scratch};

const NO_PROPERTY: &str = "byte x;\nactive proctype p() { x = 1 }\n";
const LIVENESS: &str = "byte x;\nactive proctype p() { do :: x = 1 - x od }\nltl again { [] <> (x == 0) }\n";
const NEVER: &str = "byte x;\nactive proctype p() { x = 1 }\nnever { do :: x == 1 -> break :: else od }\n";

fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("holds.pml", HOLDS);
    scratch.write("race.pml", RACE);
    scratch.write("deadlock.pml", DEADLOCK);
    scratch.write("big.pml", BIG);
    scratch.write("none.pml", NO_PROPERTY);
    scratch.write("liveness.pml", LIVENESS);
    scratch.write("never.pml", NEVER);
    scratch.write("broken.pml", "active proctype p() { x = }\n");
    scratch.write("empty.pml", "");
    scratch.write("label.pml", "active proctype p() { if :: skip :: goto here fi; assert(true); here: skip }\n");
    scratch.write("divide.pml", "byte x;\nactive proctype p() { x = 1 / x }\n");
    scratch.write("model.txt", HOLDS);
    scratch.write("net.spec", "");
    scratch
}

/// Commands and their exit codes.
const ENDINGS: &[(&str, i32)] = &[
    ("check holds.pml", 0),
    ("check holds.pml --unbounded --reduction none --store exact --threads 1 --optimize none", 0),
    ("check holds.pml --search dfs", 0),
    ("check model.txt --language promela", 0),
    ("check race.pml", 1),
    ("check race.pml --search dfs", 1),
    ("check race.pml --continue", 1),
    ("check race.pml --all-violations", 1),
    ("check race.pml --no-assert", 0),
    ("check deadlock.pml", 1),
    ("check never.pml", 1),
    ("check never.pml --no-claim", 0),
    ("check label.pml --reach here", 1),
    ("check label.pml --reach p@here", 1),
    ("check divide.pml --no-deadlock", 1),
    ("check liveness.pml --safety-only", 0),
    ("check liveness.pml --no-claim", 0),
    ("check liveness.pml", 0),
    ("check label.pml --reach nowhere", 2),
    ("check liveness.pml --ltl nothing", 2),
    ("check broken.pml", 2),
    ("check empty.pml", 2),
    ("check missing.pml", 2),
    ("check .", 2),
    ("check . --language promela", 2),
    ("check model.txt", 2),
    ("check holds.pml --no-such-flag", 2),
    ("check holds.pml --time-limit 5", 2),
    ("check holds.pml --memory-limit much", 2),
    ("check holds.pml --threads 0", 2),
    ("check holds.pml --ltl [](x<2) --no-claim", 2),
    ("check", 2),
    ("", 2),
    ("check big.pml --time-limit 200ms", 3),
    ("check big.pml --max-states 1000", 3),
    ("check big.pml --memory-limit 8M", 3),
    ("check big.pml --max-depth 10", 3),
    ("check deadlock.pml --no-deadlock", 4),
    ("check none.pml --no-deadlock", 4),
    ("check race.pml --no-assert --no-deadlock", 4),
    ("check holds.pml --preemptions 0 --require-complete", 3),
    ("check holds.pml --require-complete", 0),
    ("check race.pml --require-complete", 1),
    ("check holds.pml --sarif no/such/directory/a.sarif", 2),
    ("check holds.pml --junit -", 2),
    ("explain P0012 assertion", 0),
    ("explain P9999", 2),
    ("config check", 0),
    ("config nonsense", 2),
    ("completions bash", 0),
    ("completions csh", 2),
    ("man check", 0),
    ("man nonsense", 2),
    ("simulate holds.pml", 0),
    ("simulate big.pml --steps 5", 0),
    ("simulate divide.pml", 1),
    ("simulate missing.pml", 2),
    ("simulate", 2),
    ("ltl <>p", 0),
    ("ltl p&&", 2),
    ("replay missing.json", 2),
    ("--help", 0),
    ("--version", 0),
    ("check --help", 0),
    ("help check", 0),
];

#[test]
fn every_ending_has_its_code() {
    let scratch = scratch("codes");
    let mut wrong = Vec::new();
    for (line, code) in ENDINGS {
        let args: Vec<&str> = line.split_whitespace().collect();
        let ran = scratch.run(&args);
        if ran.code != *code {
            wrong.push(format!("{line}: {} instead of {code}\n{}{}", ran.code, ran.out, ran.err));
        }
        if *code == 2 && (ran.err.trim().is_empty() || !ran.out.is_empty()) {
            wrong.push(format!("{line}: an error belongs on stderr\n{}{}", ran.out, ran.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn of_several_files_the_worst_counts() {
    let scratch = scratch("several");
    let table: &[(&[&str], i32)] = &[
        (&["holds.pml", "holds.pml"], 0),
        (&["holds.pml", "none.pml", "--no-deadlock"], 4),
        (&["none.pml", "big.pml", "--no-deadlock", "--max-states", "1000"], 3),
        (&["race.pml", "big.pml", "--max-states", "1000"], 1),
        (&["race.pml", "broken.pml", "holds.pml"], 2),
        (&["holds.pml", "race.pml", "--json"], 1),
        (&["holds.pml", "race.pml", "--trace-out", "t.json"], 2),
    ];
    for (args, code) in table {
        let args: Vec<&str> = std::iter::once(&"check").chain(args.iter()).copied().collect();
        let ran = scratch.run(&args);
        assert_eq!(ran.code, *code, "{args:?}\n{}{}", ran.out, ran.err);
    }
    let both = scratch.run(&["check", "race.pml", "holds.pml"]);
    assert!(both.out.starts_with("race.pml:\nviolated: "), "{}", both.out);
    assert!(both.out.contains("\n\nholds.pml:\nholds: "), "{}", both.out);
}

#[test]
fn several_models_at_once_are_answered_as_one_by_one() {
    let scratch = scratch("threads");
    let files = ["race.pml", "holds.pml", "missing.pml", "broken.pml", "deadlock.pml", "none.pml", "never.pml"];
    let check = |threads: &str| {
        let mut args = vec!["check", "--sarif", "out.sarif", "--junit", "out.xml", "--threads", threads];
        args.extend(files);
        let ran = scratch.run(&args);
        // Of a table of bounds the last column is the time.
        let shown = ran.out.lines().map(|line| line.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
        let shown: Vec<String> = shown.map(str::to_owned).collect();
        (ran.code, shown, ran.err, scratch.read("out.sarif"), scratch.read("out.xml"))
    };
    let alone = check("1");
    assert_eq!(alone.0, 2);
    for title in ["race.pml:", "holds.pml:", "deadlock.pml:", "never.pml:"] {
        assert!(alone.1.iter().any(|line| line == title), "{title} {:?}", alone.1);
    }
    for threads in ["2", "3", "100"] {
        assert_eq!(check(threads), alone, "{threads} threads");
    }
    let one = scratch.run(&["check", "holds.pml", "--threads", "2"]);
    assert!(one.code == 0 && one.err.contains("uses one thread"), "{}", one.err);
}

#[test]
fn what_is_to_come_is_refused_in_one_line() {
    let scratch = scratch("later");
    let lines = [
        ("check holds.pml --thread-switches 2", "--thread-switches"),
        ("check holds.pml --strata 2", "--strata"),
        ("swarm holds.pml --language dcps", "dcps"),
    ];
    for (line, words) in lines {
        let ran = scratch.run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}: {}", ran.err);
        let sentence = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(sentence.starts_with("error: ") && sentence.contains(words), "{line}: {}", ran.err);
    }
    let two = scratch.run(&["check", "holds.pml", "--preemptions", "1", "--unbounded"]);
    assert_eq!(two.code, 2);
    assert!(two.err.contains("cannot be used with"), "{}", two.err);
}

#[test]
fn conflicting_options_are_refused() {
    let scratch = scratch("together");
    let table = [
        ("check holds.pml --search dfs --preemptions 2", "--search layered"),
        ("check holds.pml --search dfs --max-bound 2", "--search layered"),
        ("check holds.pml --hashes 3", "--store bitstate"),
        ("check holds.pml --bitstate-bytes 1M --store compact", "--store bitstate"),
        ("check holds.pml --store compact --search dfs", "--search layered"),
        ("check holds.pml --store bitstate --rounds 2", "--search layered"),
        ("check liveness.pml --rounds 2", "finite runs"),
        ("check liveness.pml --depth 5", "finite runs"),
        ("check liveness.pml --search bfs", "finite runs"),
        ("check liveness.pml --store compact", "--store exact"),
        ("check liveness.pml --ltl again --non-progress", "--no-claim"),
        ("check liveness.pml --fair --reduction por", "not sound with --fair"),
        ("check holds.pml --rounds 2 --reduction por", "cannot be combined with --rounds"),
        ("check holds.pml --depth 5 --reduction por", "cannot be combined with --depth"),
        ("check holds.pml --rounds 2 --minimize length", "does not apply to --rounds"),
        ("check liveness.pml --preemptions 2 --minimize length", "does not apply to infinite runs"),
        ("check liveness.pml --preemptions 2 --minimize switches", "does not apply to infinite runs"),
        ("check holds.pml --acceptance --safety-only", "--safety-only"),
        ("check holds.pml --thread-switches 2", "dynamic networks"),
        ("check holds.pml --strata 2", "dynamic networks"),
        ("check holds.pml --fresh-switches", "dynamic networks"),
        ("check holds.pml --certificate p.json", "dynamic networks"),
        ("check holds.pml --thread-limit 3", "dynamic networks"),
        ("check holds.pml --engine dynamic", "--engine dynamic"),
        ("check holds.pml --language dcps", "not a file of a dynamic network"),
        ("check net.spec", "not a file of a net"),
    ];
    support::assert_refused(&scratch, &table);
}
