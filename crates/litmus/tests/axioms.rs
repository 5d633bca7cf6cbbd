//! The axioms on the litmus tests of the corpus: numbers of executions and verdicts as the files say.

use selvedge_litmus::{Execution, Model, Status, Test, corpus, executions};

fn count(executions: &[Execution], status: Status) -> usize {
    executions.iter().filter(|e| e.status == status).count()
}

fn check(test: &Test) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut compare = |what: &str, found: usize| {
        let expected = test.expected_number(what);
        if found != expected {
            wrong.push(format!("{}: {what} {found}, expected {expected}", test.name));
        }
    };
    let rc11 = executions(test, Model::Rc11);
    compare("rc11", rc11.len() - count(&rc11, Status::Blocked));
    compare("blocked", count(&rc11, Status::Blocked));
    compare("racy", rc11.iter().filter(|e| e.racy).count());
    let sc = executions(test, Model::Sequential);
    compare("sc", sc.len() - count(&sc, Status::Blocked));
    if !test.weak.is_empty() {
        let allowed = rc11.iter().any(|e| e.status == Status::End && e.is_weak(test));
        let verdict = if allowed { "allowed" } else { "forbidden" };
        if test.expected("weak") != Some(verdict) {
            wrong.push(format!("{}: {verdict}", test.name));
        }
    }
    wrong
}

/// Tests whose brute force takes long in debug builds.
const LARGE: [&str; 4] = ["inc+inc+RR+W+RR", "wrw N=3", "fr+w+w+w+reads", "viktor-relseq"];

#[test]
fn executions_of_the_corpus_are_as_published() {
    let tests = [corpus("genmc.lit"), corpus("extra.lit")].concat();
    assert_eq!(tests.len(), 138);
    let small = tests.iter().filter(|t| !LARGE.contains(&t.name.as_str()));
    let wrong: Vec<String> = small.flat_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn executions_of_large_tests_are_as_published() {
    let tests = corpus("genmc.lit");
    let large: Vec<&Test> = tests.iter().filter(|t| LARGE.contains(&t.name.as_str())).collect();
    assert_eq!(large.len(), LARGE.len());
    let wrong: Vec<String> = large.into_iter().flat_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
