//! Nets and networks of a size at which anything quadratic shows: they get their answers, and where a limit comes first the
//! run ends cleanly in whatever stage it is, with the code and the words of the contract. No test here looks at a clock.

mod support;

use support::{Ran, Scratch};

/// A token walks along so many places.
fn chain(places: usize, wanted: usize) -> String {
    let names: Vec<String> = (0..places).map(|at| format!("p{at}")).collect();
    let step = |at: usize| format!("p{at} >= 1 -> p{at}' = p{at} - 1, p{0}' = p{0} + 1;", at + 1);
    let rules: Vec<String> = (0..places - 1).map(step).collect();
    let zeroes: Vec<String> = names[1..].iter().map(|name| format!("{name} = 0")).collect();
    let (names, rules, zeroes) = (names.join(" "), rules.join("\n"), zeroes.join(", "));
    format!("vars {names}\nrules\n{rules}\ninit p0 = 1, {zeroes}\ntarget p{} >= {wanted}\n", places - 1)
}

/// One thread goes through so many global states.
fn states(rules: usize) -> String {
    let lines: Vec<String> = (0..rules).map(|at| format!("rule (q{at}, g) -> (q{}, g)", at + 1)).collect();
    format!("dcps\ninit q0 g\ntarget q{rules}\n{}\n", lines.join("\n"))
}

/// Calls inside each other, and a target at the bottom.
fn calls(depth: usize) -> String {
    let call = |at: usize| format!("rule (q, f{at}) -> (q, f{} r)", at + 1);
    let lines: Vec<String> = (0..depth).map(call).collect();
    format!("dcps\ninit q f0\ntarget bad\n{}\nrule (q, r) -> (q)\nrule (q, f{depth}) -> (bad)\n", lines.join("\n"))
}

/// Each procedure calls the next one twice: the only run to the target is exponentially long.
fn doubling(depth: usize) -> String {
    let twice = |at: usize| format!("rule (q, f{at}) -> (q, f{0} g{at})\nrule (q, g{at}) -> (q, f{0})", at + 1);
    let lines: Vec<String> = (0..depth).map(twice).collect();
    let ends = format!("rule (q, f{depth}) -> (q)\nrule (q, main) -> (q, f0 last)\nrule (q, last) -> (bad)");
    format!("dcps\ninit q main\ntarget bad\n{}\n{ends}\n", lines.join("\n"))
}

fn scratch(name: &str) -> Scratch {
    Scratch::new(&format!("huge-nets-{name}"))
}

fn check(scratch: &Scratch, line: &str) -> Ran {
    scratch.run(&[&["check"], line.split_whitespace().collect::<Vec<_>>().as_slice()].concat())
}

#[test]
fn a_run_through_twenty_thousand_places_is_found_rendered_saved_and_replayed() {
    let scratch = scratch("chain");
    scratch.write("chain.spec", &chain(20_000, 1));
    let found = check(&scratch, "chain.spec --trace-out run.json");
    assert_eq!(found.code, 1, "{}", found.err);
    assert!(found.out.contains("violated: the target `p19999 >= 1` is covered"), "{}", found.out);
    assert!(found.out.contains("19,999 steps"), "{}", found.out);
    assert!(found.out.lines().count() < 500, "the steps in the middle are folded");
    let replayed = scratch.run(&["replay", "run.json", "--quiet"]);
    assert_eq!(replayed.code, 1, "{}{}", replayed.out, replayed.err);
}

#[test]
fn a_run_of_twenty_thousand_rules_is_found_rendered_saved_and_replayed() {
    let scratch = scratch("states");
    scratch.write("states.dcps", &states(20_000));
    let found = check(&scratch, "states.dcps --trace-out run.json");
    assert_eq!(found.code, 1, "{}", found.err);
    assert!(found.out.contains("1 thread, 0 switches, 20,000 steps"), "{}", found.out);
    let replayed = scratch.run(&["replay", "run.json", "--quiet"]);
    assert_eq!(replayed.code, 1, "{}{}", replayed.out, replayed.err);
}

#[test]
fn a_spent_budget_ends_every_kind_of_model_cleanly() {
    let scratch = scratch("spent");
    scratch.write("chain.spec", &chain(5_000, 2));
    scratch.write("states.dcps", &states(5_000));
    scratch.write("calls.dcps", &calls(5_000));
    let lines = [
        "chain.spec",
        "chain.spec --unbounded",
        "states.dcps",
        "states.dcps --unbounded",
        "states.dcps --thread-switches 3",
        "states.dcps --strata 1",
        "calls.dcps",
        "calls.dcps --thread-switches 2",
        "calls.dcps --strata 1",
        "calls.dcps --strata 1 --fresh-switches",
    ];
    for line in lines {
        for (limit, why) in [("--time-limit 0s", "--time-limit"), ("--memory-limit 1K", "--memory-limit")] {
            let stopped = check(&scratch, &format!("{line} {limit}"));
            assert_eq!(stopped.code, 3, "{line} {limit}: {}{}", stopped.out, stopped.err);
            let words = format!("inconclusive: stopped by {why}");
            assert!(stopped.out.contains(&words), "{line} {limit}: {}", stopped.out);
        }
    }
}

#[test]
fn what_was_looked_at_before_a_limit_is_counted() {
    let scratch = scratch("counted");
    scratch.write("states.dcps", &states(2_000));
    let stopped = check(&scratch, "states.dcps --max-states 500 --json");
    assert_eq!(stopped.code, 3, "{}", stopped.err);
    assert!(stopped.json()["stats"]["states"].as_u64().is_some_and(|states| states >= 500), "{}", stopped.out);
}

#[test]
fn a_run_too_large_to_be_written_down_is_reported_as_that() {
    let scratch = scratch("unwritten");
    scratch.write("calls.dcps", &calls(8_000));
    // The search needs little; the stacks of all steps need a hundred megabytes.
    let stopped = check(&scratch, "calls.dcps --thread-switches 0 --memory-limit 60M");
    assert_eq!(stopped.code, 3, "{}{}", stopped.out, stopped.err);
    assert!(stopped.out.contains("inconclusive: stopped by --memory-limit"), "{}", stopped.out);
    let words = stopped.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = "a run of 8,001 steps to a target was found, but it was not replayed before the limit";
    assert!(words.contains(found), "{}", stopped.out);
}

#[test]
fn a_run_of_exponential_length_meets_the_limit() {
    let scratch = scratch("doubling");
    scratch.write("doubling.dcps", &doubling(60));
    for line in ["doubling.dcps", "doubling.dcps --strata 0"] {
        let stopped = check(&scratch, &format!("{line} --memory-limit 40M"));
        assert_eq!(stopped.code, 3, "{line}: {}{}", stopped.out, stopped.err);
        assert!(stopped.out.contains("inconclusive: stopped by --memory-limit"), "{line}: {}", stopped.out);
    }
    scratch.write("short.dcps", &doubling(6));
    let found = check(&scratch, "short.dcps");
    assert_eq!(found.code, 1, "the same with few calls is answered: {}", found.err);
}

#[test]
fn deep_calls_and_wide_targets_need_no_stack() {
    let scratch = scratch("deep");
    scratch.write("calls.dcps", &calls(60_000));
    let stopped = check(&scratch, "calls.dcps --thread-switches 0 --memory-limit 80M");
    assert_eq!(stopped.code, 3, "{}{}", stopped.out, stopped.err);
    let names: Vec<String> = (0..40_000).map(|at| format!("p{at}")).collect();
    let all = |what: &str| names.iter().map(|name| format!("{name} {what}")).collect::<Vec<_>>().join(", ");
    let rules = "p0 >= 1, p1 >= 1 -> p0' = p0 + 1;\np0 >= 2 -> p0' = p0 - 1, p1' = p1 + 1;";
    let text = format!(
        "vars {}\nrules\n{rules}\ninit {}\ntarget {}\n",
        names.join(" "),
        all("= 1"),
        all(">= 1") + ", p1 >= 9"
    );
    scratch.write("wide.spec", &text);
    let found = check(&scratch, "wide.spec --quiet");
    assert_eq!(found.code, 1, "{}{}", found.out, found.err);
}
