//! The symbolic engine through the command: the corpus has the answers of its headers, in exactly as many rounds as they say;
//! what the engine cannot do is refused; sequentialized programs answer as the concurrent ones.

mod support;

use support::corpus::{Model, judge_all, models, verdict_and_kind, words};
use support::{Scratch, command, ran, root};

const PROGRAMS: [&str; 6] = ["constructs", "classic", "recursion", "bluetooth", "tree", "beem"];

/// `violated KIND`, `holds`, …; `None` if the engine cannot read the model.
fn answer(model: &Model, more: &[&str]) -> Result<Option<String>, String> {
    let mut options = model.options();
    options.extend(words(&["--engine", "symbolic", "--json"]));
    options.extend(words(more));
    let ran = model.check(&options);
    match ran.code {
        2 if ran.err.contains("--engine explicit") => Ok(None),
        2 => Ok(Some("refused".to_owned())),
        4 => Ok(Some("nothing-checked".to_owned())),
        0 | 1 | 3 => Ok(Some(verdict_and_kind(&ran.json()))),
        code => Err(format!("exit {code}: {}", ran.err)),
    }
}

/// With as many rounds as the header says there is the violation, with fewer there is none.
fn judge(model: &Model, analysis: &str) -> Vec<String> {
    let Some(expected) = model.header("expect") else { return vec!["its header has no `expect`".to_owned()] };
    let large = model.header("explicit").is_some_and(|own| own.starts_with("skip"));
    let rounds: Option<u32> = model.header("rounds").and_then(|text| text.split_whitespace().next()?.parse().ok());
    let mut complaints = Vec::new();
    let mut ask = |rounds: u32, expected: &str| {
        let rounds = rounds.to_string();
        match answer(model, &["--analysis", analysis, "--rounds", &rounds]) {
            Err(complaint) => complaints.push(complaint),
            Ok(None) => {}
            Ok(Some(answer)) => {
                let holds = expected == "holds" && answer.starts_with("holds");
                if answer != expected && !holds {
                    complaints.push(format!("{analysis}, {rounds} rounds: {answer}, expected {expected}"));
                }
            }
        }
    };
    match (expected.starts_with("violated"), rounds) {
        (true, Some(rounds)) => {
            if rounds > 1 {
                ask(rounds - 1, "holds");
            }
            ask(rounds, expected);
        }
        (true, None) => {}
        (false, _) => ask(if large { 1 } else { 2 }, expected),
    }
    complaints
}

fn programs(directories: &[&str]) -> Vec<Model> {
    directories.iter().flat_map(|directory| models(&format!("boolprog/{directory}"))).collect()
}

#[test]
fn boolean_programs_need_the_rounds_of_their_headers() {
    let all = programs(&PROGRAMS);
    assert!(all.len() > 100, "only {} programs", all.len());
    judge_all(&all, |model| judge(model, "lazy"));
}

#[test]
fn the_eager_analysis_gives_the_same_answers() {
    judge_all(&programs(&["constructs", "recursion", "bluetooth"]), |model| judge(model, "eager"));
}

#[test]
fn pushdown_systems_need_the_rounds_of_their_headers() {
    let all = models("pds");
    for analysis in ["lazy", "eager", "pds", "spds"] {
        judge_all(&all, |model| judge(model, analysis));
    }
}

#[test]
fn without_a_bound_the_least_number_of_rounds_is_found() {
    let bug = ran(command().args(["check", "--json", "corpus/boolprog/bluetooth/v2_2a1s.bp"]).current_dir(root()));
    assert_eq!((bug.code, bug.json()["bound"]["value"].as_u64()), (1, Some(3)), "{}", bug.err);
    assert_eq!(bug.json()["engine"], "symbolic");
    assert!(bug.json()["bdd"]["peak_nodes"].as_u64() > Some(0));
    let text = ran(command().args(["check", "corpus/boolprog/bluetooth/v2_2a1s.bp"]).current_dir(root()));
    assert!(text.out.contains("no violation with at most 2 rounds"), "{}", text.out);
    let safe = ran(command().args(["check", "--quiet", "corpus/boolprog/bluetooth/v4_1a1s.bp"]).current_dir(root()));
    assert_eq!(safe.code, 0);
    assert!(safe.out.starts_with("holds"), "{}", safe.out);
}

#[test]
fn options_of_the_other_engine_choose_it_or_are_refused() {
    let program = "corpus/boolprog/bluetooth/v1_1a1s.bp";
    let check = |options: &[&str]| ran(command().arg("check").args(options).arg(program).current_dir(root()));
    assert_eq!(check(&["--json", "--preemptions", "2"]).json()["engine"], "explicit");
    let refused = check(&["--engine", "symbolic", "--preemptions", "2"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--preemptions is only for the explicit engine"), "{}", refused.err);
    let refused = check(&["--engine", "explicit", "--analysis", "lazy"]);
    assert!(refused.code == 2 && refused.err.contains("--analysis is only for the symbolic engine"), "{}", refused.err);
}

#[test]
fn limits_end_the_analysis_cleanly() {
    let large = "corpus/boolprog/beem/anderson_6_error.bp";
    let check =
        |options: &[&str]| ran(command().args(["check", "--json"]).args(options).arg(large).current_dir(root()));
    for (options, stop) in [(["--time-limit", "1ms"], "time-limit"), (["--memory-limit", "100K"], "memory-limit")] {
        let ran = check(&[&options[..], &["--rounds", "6"]].concat());
        assert_eq!((ran.code, ran.json()["stop"].as_str()), (3, Some(stop)), "{}", ran.err);
        assert_eq!(ran.json()["verdict"], "inconclusive");
    }
}

#[test]
fn reachable_states_and_the_error_projection_are_printed() {
    let program = "corpus/boolprog/bluetooth/v1_1a1s.bp";
    let options =
        ["check", "--json", "--rounds", "2", "--continue", "--print-reachable", "--error-projection", program];
    let json = ran(command().args(options).current_dir(root())).json();
    let reachable = json["reachable"].as_array().expect("listed").len();
    assert_eq!(Some(reachable as u64), json["stats"]["states"].as_u64());
    assert!(!json["error_projection"].as_array().expect("listed").is_empty());
}

#[test]
fn shared_states_that_are_not_known_are_not_counted() {
    let (large, small) = ("corpus/boolprog/beem/anderson_6_error.bp", "corpus/boolprog/bluetooth/v1_1a1s.bp");
    let check = |options: &[&str]| {
        ran(command().args(["check", "--rounds", "6", "--print-reachable"]).args(options).current_dir(root()))
    };
    // Enough to read the program, and not enough for its second round.
    let limit = ["--analysis", "eager", "--memory-limit", "24M", large];
    let stopped = check(&limit);
    assert_eq!(stopped.code, 3, "{}", stopped.out);
    let text = "reachable shared states: not computed,\n  because the analysis was stopped by --memory-limit;\n";
    assert!(stopped.out.contains(text), "{}", stopped.out);
    let json = check(&[&limit[..], &["--json"]].concat()).json();
    assert!(json["reachable"].is_null(), "{}", json["reachable"]);
    for analysis in ["lazy", "eager", "pds", "spds"] {
        let violated = check(&["--analysis", analysis, small]);
        let text = "not computed,\n  because the analysis stopped at the violation; --continue computes them\n";
        assert!(violated.code == 1 && violated.out.contains(text), "{analysis}: {}", violated.out);
    }
}

#[test]
fn all_shared_states_are_known_where_no_bound_is_larger() {
    for (program, known) in [("double_checked_right", true), ("handshake", false), ("peterson", false)] {
        let file = format!("corpus/boolprog/classic/{program}.bp");
        let json = ran(command().args(["check", "--engine", "symbolic", "--json", &file]).current_dir(root())).json();
        assert_eq!(json["all_shared_states"], known, "{program}: {json}");
    }
}

#[test]
fn rounds_behind_a_violation_are_not_without_one() {
    let program = "corpus/boolprog/bluetooth/v1_1a1s.bp";
    for engine in
        [&["--analysis", "lazy"][..], &["--analysis", "eager"], &["--analysis", "pds"], &["--engine", "explicit"]]
    {
        let options = ["check", "--rounds", "3", "--continue", program];
        let out = ran(command().args(options).args(engine).current_dir(root())).out;
        let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("explored: at most 3 rounds"), "{engine:?}: {out}");
        assert!(words.contains("no violation with at most 1 round at"), "{engine:?}: {out}");
    }
}

#[test]
fn sequentialized_programs_answer_as_the_concurrent_ones() {
    let directory = std::env::temp_dir().join(format!("selvedge-sequentialize-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    for (model, rounds, expected) in [("v2_1a2s", 1, 0), ("v2_1a2s", 2, 1), ("v3_1a1s", 2, 0)] {
        let out = directory.join(format!("{model}_{rounds}.bp"));
        let source = format!("corpus/boolprog/bluetooth/{model}.bp");
        let made = ran(command()
            .args(["sequentialize", &source, "--rounds", &rounds.to_string(), "-o"])
            .arg(&out)
            .current_dir(root()));
        assert_eq!(made.code, 0, "{}", made.err);
        let checked = ran(command().args(["check", "--json"]).arg(&out));
        assert_eq!(checked.code, expected, "{model}, {rounds} rounds: {}", checked.out);
    }
    let c = ran(command()
        .args(["sequentialize", "corpus/boolprog/bluetooth/v2_1a2s.bp", "--rounds", "2", "--emit", "c"])
        .current_dir(root()));
    assert_eq!(c.code, 0, "{}", c.err);
    let bp = ran(command()
        .args(["sequentialize", "corpus/boolprog/bluetooth/v2_1a2s.bp", "--rounds", "2"])
        .current_dir(root()));
    let lines = |text: &str, part: &str| text.lines().filter(|line| line.trim_start().starts_with(part)).count();
    assert_eq!(lines(&c.out, "__VERIFIER_assume("), lines(&bp.out, "assume("), "{}", c.out);
    let errors = c.out.lines().filter(|line| line.contains("if (!") && line.contains("reach_error();")).count();
    assert_eq!(errors, lines(&bp.out, "assert("), "{}", c.out);
    std::fs::remove_dir_all(&directory).expect("removed");
}

#[test]
fn threads_run_after_an_init_that_ends_its_thread() {
    let scratch = Scratch::new("init_ends");
    for init in ["end_thread;", "leave();"] {
        let model = format!(
            "void leave()\nbegin\n    end_thread;\nend\nvoid init()\nbegin\n    {init}\nend\nvoid thread2()\nbegin\n    assert(F);\nend\n"
        );
        scratch.write("m.bp", &model);
        let found = scratch.run(&["check", "m.bp"]);
        assert_eq!(found.code, 1, "{}{}", found.out, found.err);
        let refused = scratch.run(&["check", "--engine", "symbolic", "m.bp"]);
        assert_eq!(refused.code, 2, "{}", refused.out);
        assert!(refused.err.contains("`end_thread`: use --engine explicit"), "{}", refused.err);
    }
}
