//! Boolean programs that create threads and recursive networks, with the dynamic engine: the answers of their headers, runs replayed, lower bounds
//! without a violation where the header says so, and what is refused.

mod support;

use support::corpus::{Model, judge_all, models, verdict_and_kind, words};
use support::{Scratch, command, ran, root};

fn judge(model: &Model) -> Vec<String> {
    let Some(expected) = model.header("expect") else { return vec!["its header has no `expect`".to_owned()] };
    let mut options = model.options();
    options.push("--json".to_owned());
    let ran = model.check(&options);
    if ran.code > 1 {
        return vec![format!("exit {}: {}", ran.code, ran.err)];
    }
    let json = ran.json();
    let answer = verdict_and_kind(&json);
    if answer != expected || json["engine"] != "dynamic" {
        return vec![format!("{answer} by {}, expected {expected}", json["engine"])];
    }
    let mut complaints = Vec::new();
    if let Some(tight) = model.header("tight") {
        let below = model.check(&words(&tight.split_whitespace().chain(["--quiet"]).collect::<Vec<_>>()));
        if below.code != 0 {
            complaints.push(format!("{tight}: exit {}: {}{}", below.code, below.out, below.err));
        }
    }
    if ran.code == 1 {
        complaints.extend(replayed(model));
    }
    complaints
}

fn replayed(model: &Model) -> Option<String> {
    let name = model.path.display().to_string().replace(['/', '.'], "-");
    let scratch = Scratch::new(&format!("dynamic-{name}"));
    let trace = scratch.path("t.json");
    let trace = trace.to_str()?;
    let mut options = model.options();
    options.extend(words(&["--quiet", "--trace-out", trace]));
    model.check(&options);
    let again = ran(command().args(["replay", trace, "--quiet"]).current_dir(root()));
    (again.code != 1).then(|| format!("replay: exit {}: {}{}", again.code, again.out, again.err))
}

#[test]
fn programs_that_create_threads_have_the_answers_of_their_headers() {
    let all = models("boolprog/dynamic");
    assert!(all.len() >= 12, "only {} programs", all.len());
    judge_all(&all, judge);
}

#[test]
fn networks_with_strata_or_recursion_have_the_answers_of_their_headers() {
    let all = models("dynamic");
    assert!(all.len() >= 6, "only {} networks", all.len());
    judge_all(&all, judge);
}

#[test]
fn what_the_dynamic_engine_cannot_do_is_refused() {
    let refused = [
        (
            &["check", "corpus/boolprog/constructs/bopp_broadcast.bp", "--thread-switches", "1"][..],
            "waits for broadcasts",
        ),
        (&["check", "corpus/boolprog/dynamic/recursive_spawn.bp", "--engine", "dynamic", "--unbounded"], "--unbounded"),
        (
            &["check", "corpus/boolprog/dynamic/lock.bp", "--thread-switches", "1", "--certificate", "p.json"],
            "--certificate",
        ),
        (
            &["check", "corpus/boolprog/dynamic/lock.bp", "--thread-switches", "1", "--solver", "z3"],
            "--solver is only for --strata",
        ),
        (&["check", "corpus/boolprog/dynamic/lock.bp", "--thread-switches", "1", "--deadlock"], "--deadlock"),
    ];
    for (args, why) in refused {
        let ran = ran(command().args(args).current_dir(root()));
        assert_eq!(ran.code, 2, "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_solver_that_is_not_installed_is_missed() {
    let args = ["check", "corpus/boolprog/dynamic/lock.bp", "--strata", "1", "--solver", "cvc5"];
    let ran = ran(command().args(args).env("PATH", "/nowhere").current_dir(root()));
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("`cvc5` is not installed"), "{}", ran.err);
}

#[test]
fn an_installed_solver_is_asked_and_its_answer_read() {
    // A stand-in that says what a solver would say to a formula without solution.
    let scratch = Scratch::new("dynamic-solver");
    let program = scratch.path("z3");
    std::fs::write(&program, "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\ncat > script.smt2\necho unsat\n")
        .expect("written");
    let executable = std::process::Command::new("chmod").arg("+x").arg(&program).status().expect("chmod");
    assert!(executable.success());
    let path =
        format!("{}:{}", program.parent().expect("a directory").display(), std::env::var("PATH").unwrap_or_default());
    let model = root().join("corpus/boolprog/dynamic/broken_lock.bp");
    let ran = ran(command()
        .args(["check", model.to_str().expect("UTF-8"), "--strata", "2", "--solver", "z3", "--quiet"])
        .env("PATH", path)
        .current_dir(program.parent().expect("a directory")));
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let script = std::fs::read_to_string(scratch.path("script.smt2")).expect("the formula");
    assert!(script.contains("(set-logic QF_LIA)") && script.ends_with("(exit)\n"), "{script}");
}
