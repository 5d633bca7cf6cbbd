//! `check`, `simulate` and `replay` on Boolean programs and pushdown systems.

mod support;

use support::{Scratch, command, ran, root};

const BUG: &str = "corpus/boolprog/classic/lost_update.bp";
const SYSTEM: &str = "corpus/pds/two_stacks.pds";

#[test]
fn a_saved_run_is_replayed_and_can_be_simulated() {
    for model in
        [BUG, SYSTEM, "corpus/boolprog/constructs/labels_together.bp", "corpus/boolprog/constructs/deadlock.bp"]
    {
        let scratch = Scratch::new("recursive_trace");
        let trace = scratch.path("bug.json");
        let deadlock = if model.contains("deadlock") { vec!["--deadlock"] } else { Vec::new() };
        let mut check = command();
        check.args(["check", "--engine", "explicit", model, "--trace-out"]).arg(&trace).args(deadlock);
        assert_eq!(ran(check.current_dir(root())).code, 1, "{model}");
        let replayed = ran(command().arg("replay").arg(&trace).current_dir(root()));
        assert_eq!(replayed.code, 1, "{model}: {}", replayed.err);
        assert!(replayed.out.contains("still violated"), "{model}: {}", replayed.out);
        let simulated = ran(command().args(["simulate", "--replay"]).arg(&trace).current_dir(root()));
        assert_eq!(simulated.code, 1, "{model}: {}{}", simulated.out, simulated.err);
    }
}

#[test]
fn a_changed_run_does_not_fit() {
    let scratch = Scratch::new("recursive_changed");
    let trace = scratch.path("bug.json");
    let mut check = command();
    check.args(["check", "--engine", "explicit", BUG, "--trace-out"]).arg(&trace);
    assert_eq!(ran(check.current_dir(root())).code, 1);
    let text = std::fs::read_to_string(&trace).expect("saved");
    // The first step of the second thread is given to the first one, which has taken it already.
    let changed = text.replacen("\"thread\": 1", "\"thread\": 0", 1);
    assert_ne!(changed, text);
    std::fs::write(&trace, changed).expect("written");
    let replayed = ran(command().arg("replay").arg(&trace).current_dir(root()));
    assert_eq!(replayed.code, 2, "{}", replayed.out);
    assert!(replayed.err.contains("does not fit"), "{}", replayed.err);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed: &str| ran(command().args(["simulate", BUG, "--seed", seed]).current_dir(root()));
    assert_eq!(run("7").out, run("7").out);
    let different = (1..20).any(|seed| run(&seed.to_string()).out != run("7").out);
    assert!(different, "every seed gives the same run");
}

#[test]
fn options_of_another_language_are_refused() {
    for options in [vec!["--ltl", "[] x", BUG], vec!["--dialect", "satabs", "corpus/promela/classic/lost_update.pml"]] {
        let refused = ran(command().arg("check").args(&options).current_dir(root()));
        assert_eq!(refused.code, 2, "{options:?}: {}", refused.out);
        assert!(refused.err.contains("is only for"), "{options:?}: {}", refused.err);
    }
}

#[test]
fn calls_beyond_the_limit_make_no_proof() {
    let model = "corpus/boolprog/recursion/locals_survive.bp";
    let args = ["check", "--engine", "explicit", "--stack-limit", "3", "--json", model];
    let cut = ran(command().args(args).current_dir(root()));
    assert_eq!(cut.code, 3, "{}", cut.out);
    assert_eq!(cut.json()["stop"], "stack-limit");
}

#[test]
fn the_dialect_decides_what_an_expression_means() {
    let scratch = Scratch::new("recursive_dialect");
    let model = scratch.path("m.bp");
    let text = "decl a := 0, b := 1, c := 0;\nvoid main()\nbegin\n    assert(a & b = c);\nend\n";
    std::fs::write(&model, text).expect("written");
    let run = |options: &[&str]| ran(command().args(["check", "--engine", "explicit"]).args(options).arg(&model));
    assert_eq!(run(&["--dialect", "satabs"]).code, 0);
    assert_eq!(run(&["--dialect", "getafix"]).code, 1);
    let guessed = run(&[]);
    assert_eq!(guessed.code, 1);
    assert!(guessed.err.contains("B0017") && guessed.err.contains("(a & b) = c"), "{}", guessed.err);
}

/// `t` may run when `main` has ended, which needs no preemption; the recursion goes beyond every limit of stacks.
const RECURSION: &str = "decl x;
void main() begin
  x := 0;
  start_thread t();
  rec();
  x := 1;
end
void t() begin
  assert(!x);
end
void rec() begin
  if (*) then rec(); fi
end
";

#[test]
fn what_was_cut_off_does_not_count_as_covered() {
    let scratch = Scratch::new("recursive_cut");
    scratch.write("safe.bp", &RECURSION.replace("assert(!x)", "assert(x | !x)"));
    for bound in [["--rounds", "2"], ["--preemptions", "1"]] {
        let options = ["check", "--engine", "explicit", "--stack-limit", "4", "safe.bp"];
        let cut = scratch.run(&[options.as_slice(), &bound].concat());
        assert_eq!(cut.code, 3, "{}", cut.out);
        assert!(!cut.out.contains("every state within that bound"), "{}", cut.out);
        assert!(cut.out.contains("--thread-switches 1"), "{}", cut.out);
    }
    // A simpler run might be among those that were cut off.
    scratch.write("wrong.bp", &RECURSION.replace("assert(!x)", "rec(); assert(!x)"));
    let found = scratch.run(&["check", "--engine", "explicit", "--json", "--stack-limit", "4", "wrong.bp"]);
    assert_eq!(found.code, 1, "{}", found.out);
    assert_eq!(found.json()["violation"]["minimal"], false);
}

#[test]
fn a_thread_that_has_returned_has_finished() {
    let scratch = Scratch::new("recursive_finished");
    scratch.write("ends.bp", RECURSION);
    let found = scratch.run(&["check", "--engine", "explicit", "ends.bp"]);
    assert!(found.out.contains("main has finished"), "{}", found.out);
}
