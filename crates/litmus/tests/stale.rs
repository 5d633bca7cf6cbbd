//! The stateless search over stale values: on every litmus test of the corpus as many executions as the memory model
//! allows, within each bound, and on random programs every strategy the outcomes that the axioms allow.
#![allow(unsafe_code, reason = "cells and final values are read through raw pointers")]

#[path = "stale/body.rs"]
mod body;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use body::{Outcome, has_plain_accesses};
use selvedge_litmus::random::{self, FLAVOURS, Random};
use selvedge_litmus::{Mode, Model, Statement, Status, Test, corpus, executions};
use selvedge_stateless::{
    Config, Exploration, Memory, Progress, Recheck, Reduction, SearchBound, SearchEvidence, explore,
};

/// Every run of a search: what came out, and within which bound it was found.
struct Search {
    runs: Vec<(Outcome, u32)>,
    result: Exploration,
}

impl Search {
    /// Runs without blocked threads within each bound.
    fn series(&self) -> Vec<usize> {
        let last = self.result.per_bound.last().map_or(0, |stats| stats.bound);
        let within = |bound: u32| self.runs.iter().filter(|run| !run.0.1 && run.1 <= bound).count();
        let mut series: Vec<usize> = (0..=last).map(within).collect();
        // The corpus ends with the first bound that has all.
        while series.len() > 1 && series[series.len() - 2] == series[series.len() - 1] {
            series.pop();
        }
        series
    }

    /// The bound at which each outcome was found first.
    fn outcomes(&self) -> BTreeMap<Outcome, u32> {
        let mut outcomes = BTreeMap::new();
        for (outcome, bound) in &self.runs {
            let least = outcomes.entry(outcome.clone()).or_insert(*bound);
            *least = (*least).min(*bound);
        }
        outcomes
    }
}

fn config(reduction: Reduction) -> Config {
    let (bound, recheck) = (SearchBound::Deviations(None), Recheck::None);
    Config { memory: Memory::Rc11, bound, reduction, recheck, fair_yields: None, ..Config::default() }
}

fn search(test: &Test, config: &Config) -> Search {
    let test = Arc::new(test.clone());
    let runs = Rc::new(RefCell::new(Vec::new()));
    let bound = Rc::new(Cell::new(0));
    let mut raise = |event: &Progress| {
        if let Progress::BoundComplete(stats) = event {
            bound.set(stats.bound + 1);
        }
    };
    let result = explore(config, &mut raise, &|| {
        let outcome = body::run(&test);
        runs.borrow_mut().push((outcome, bound.get()));
    });
    // The runs of the recheck come last; a run with a data race does not come to its end.
    let ended = runs.borrow().len().min(result.executions as usize);
    let runs = runs.borrow()[..ended].to_vec();
    Search { runs, result }
}

fn check(test: &Test) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut compare = |what: &str, found: String, expected: String| {
        if found != expected {
            wrong.push(format!("{}: {what} {found}, expected {expected}", test.name));
        }
    };
    let all = search(test, &config(Reduction::HappensBefore));
    if !all.result.complete {
        return vec![format!("{}: {:?}", test.name, all.result.stop)];
    }
    let runs = |blocked: bool| all.runs.iter().filter(|run| run.0.1 == blocked).count();
    compare("executions", runs(false).to_string(), test.expected_number("rc11").to_string());
    compare("blocked", runs(true).to_string(), test.expected_number("blocked").to_string());
    compare("deviations", format!("{:?}", all.series()), format!("{:?}", test.expected_series("deviations")));
    let sc = search(test, &Config { max_stale: Some(0), ..config(Reduction::HappensBefore) });
    compare("preemptions", format!("{:?}", sc.series()), format!("{:?}", test.expected_series("preemptions")));
    if !test.weak.is_empty() {
        let weak = |(values, blocked): &Outcome| {
            !blocked && test.weak.iter().all(|(name, value)| values.get(name) == Some(value))
        };
        let least = all.outcomes().iter().filter(|(outcome, _)| weak(outcome)).map(|(_, bound)| *bound).min();
        let expected = (test.expected("weak") == Some("allowed")).then(|| {
            let pairs = test.expected("least").unwrap_or("0,0").split(';');
            pairs.map(|pair| pair.split(',').map(|n| n.parse::<u32>().unwrap()).sum::<u32>()).min().unwrap()
        });
        compare("least cost", format!("{least:?}"), format!("{expected:?}"));
    }
    wrong
}

#[test]
fn races_are_found_where_the_axioms_have_them() {
    let tests = [corpus("genmc.lit"), corpus("extra.lit")].concat();
    for test in tests.iter().filter(|t| has_plain_accesses(t)) {
        let config = Config { keep_going: true, ..config(Reduction::HappensBefore) };
        let races = search(test, &config).result.all_violations;
        assert_eq!(!races.is_empty(), test.expected_number("racy") > 0, "{}: {races:?}", test.name);
    }
}

#[test]
fn every_execution_of_the_corpus_is_run_once_within_each_bound() {
    let tests = [corpus("genmc.lit"), corpus("extra.lit")].concat();
    // A run with a data race ends there, so tests with races have no numbers.
    let without_races: Vec<&Test> = tests.iter().filter(|t| t.expected_number("racy") == 0).collect();
    assert!(without_races.len() > 120, "{}", without_races.len());
    let wrong: Vec<String> = without_races.into_iter().flat_map(check).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The limits on preemptions and stale accesses, up to 3 of each, within which a weak outcome is found are those that its cheapest
/// runs keep.
#[test]
fn the_cheapest_runs_of_weak_outcomes_are_those_of_the_corpus() {
    let tests = [corpus("genmc.lit"), corpus("extra.lit")].concat();
    let allowed = |t: &&Test| t.expected("weak") == Some("allowed") && t.expected_number("racy") == 0;
    let allowed: Vec<&Test> = tests.iter().filter(allowed).collect();
    assert!(allowed.len() > 30, "{}", allowed.len());
    for test in allowed {
        let pairs = test.expected("least").unwrap_or("0,0").split(';').map(|pair| {
            let (preemptions, stale) = pair.split_once(',').unwrap();
            (preemptions.parse::<u32>().unwrap(), stale.parse::<u32>().unwrap())
        });
        let pairs: Vec<(u32, u32)> = pairs.collect();
        for (preemptions, stale) in (0..=3).flat_map(|p| (0..=3).map(move |s| (p, s))) {
            let bound = SearchBound::Preemptions(Some(preemptions));
            let config = Config { bound, max_stale: Some(stale), ..config(Reduction::HappensBefore) };
            let found = search(test, &config).runs.iter().any(|((values, blocked), _)| {
                !blocked && test.weak.iter().all(|(name, value)| values.get(name) == Some(value))
            });
            let expected = pairs.iter().any(|&(p, s)| p <= preemptions && s <= stale);
            assert_eq!(found, expected, "{} within {preemptions} preemptions and {stale} stale accesses", test.name);
        }
    }
}

/// Makes every atomic access `SeqCst`.
fn strengthen(block: &mut [Statement]) {
    for statement in block {
        match statement {
            Statement::Load { mode, .. } | Statement::Store { mode, .. } | Statement::Modify { mode, .. } => {
                *mode = Mode::SeqCst;
            }
            Statement::CompareExchange { success, failure, .. } => {
                (*success, *failure) = (Mode::SeqCst, Mode::SeqCst);
            }
            Statement::If { then, otherwise, .. } => {
                strengthen(then);
                strengthen(otherwise);
            }
            Statement::Fence(_) | Statement::Let { .. } | Statement::Assume(_) | Statement::Assert(_) => {}
        }
    }
}

/// A relaxed load of something that nobody stores has the search consider stale values. A `SeqCst` access may overlook a store that
/// was made before it, but what comes out is an execution that another order of the steps has, too.
#[test]
fn sequentially_consistent_accesses_beside_a_relaxed_one_have_no_other_executions() {
    let tests = [corpus("genmc.lit"), corpus("extra.lit")].concat();
    let atomic: Vec<Test> = tests.into_iter().filter(|test| !has_plain_accesses(test)).collect();
    assert!(atomic.len() > 110, "{}", atomic.len());
    for mut test in atomic {
        test.threads.iter_mut().for_each(|thread| strengthen(thread));
        let (register, location) = ("aside".to_owned(), test.locations.len());
        test.locations.push(register.clone());
        test.initial.push(0);
        test.threads[0].insert(0, Statement::Load { register, location, mode: Mode::Relaxed });
        let all = search(&test, &config(Reduction::HappensBefore));
        let expected = executions(&test, Model::Sequential).len();
        assert_eq!((all.result.complete, all.runs.len()), (true, expected), "{}", test.name);
    }
}

/// GenMC publishes 2304 executions of this program, 2028 of them sequentially consistent.
#[test]
fn a_larger_program_has_the_published_number_of_executions() {
    let text = "test CoA N=4
        thread store(x,1,rel); a = load(y,acq); b = load(x,acq)
        thread store(x,2,rel); c = load(z,acq); d = load(x,acq)
        thread store(y,7,rel); store(z,7,rel)
        thread store(y,8,rel); store(z,8,rel)
        thread store(y,9,rel); store(z,9,rel)";
    let test = &selvedge_litmus::parse(text).unwrap()[0];
    let all = search(test, &config(Reduction::HappensBefore));
    assert_eq!((all.result.complete, all.result.executions), (true, 2304));
    let sc = search(test, &Config { max_stale: Some(0), ..config(Reduction::HappensBefore) });
    assert_eq!((sc.result.complete, sc.result.executions), (true, 2028));
}

/// What the axioms allow, blocked runs included.
fn allowed(test: &Test) -> BTreeMap<Outcome, usize> {
    let mut allowed = BTreeMap::new();
    for execution in executions(test, Model::Rc11) {
        let blocked = execution.status == Status::Blocked;
        *allowed.entry((execution.outcome, blocked)).or_insert(0) += 1;
    }
    allowed
}

/// A number of the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |n| n.parse().unwrap())
}

/// What is wrong with the searches of a program, if anything. Those that run something more than once are given up after so
/// many executions.
fn disagreement(test: &Test, executions: u64) -> Option<String> {
    let truth = allowed(test);
    let recheck = if executions > 3_000 { Recheck::Full } else { Recheck::Quick };
    let once = search(test, &Config { recheck, ..config(Reduction::HappensBefore) });
    let mut found: BTreeMap<Outcome, usize> = BTreeMap::new();
    once.runs.iter().for_each(|(outcome, _)| *found.entry(outcome.clone()).or_insert(0) += 1);
    if !once.result.complete {
        return Some(format!("not complete: {:?}", once.result.stop));
    }
    if found != truth {
        return Some(format!("found {found:?}\nallowed {truth:?}"));
    }
    for reduction in [Reduction::None, Reduction::Bpor] {
        let other = search(test, &Config { max_executions: Some(executions), ..config(reduction) });
        if other.result.complete && other.outcomes() != once.outcomes() {
            return Some(format!("{reduction:?} found {:?}\nonce each {:?}", other.outcomes(), once.outcomes()));
        }
    }
    None
}

/// What is wrong with the searches of a program under limits on preemptions and on stale accesses, if anything: every class once,
/// as the recheck counts them without reduction, and with every strategy the same outcomes at the same bounds.
fn capped_disagreement(test: &Test, (preemptions, stale): (u32, u32)) -> Option<String> {
    let bound = SearchBound::Preemptions(Some(preemptions));
    let capped = |reduction| Config { bound, max_stale: Some(stale), ..config(reduction) };
    let once = search(test, &Config { recheck: Recheck::Full, ..capped(Reduction::HappensBefore) });
    if !once.result.complete || !matches!(once.result.evidence, SearchEvidence::Reexplored { .. }) {
        return Some(format!("{preemptions}, {stale}: {:?}, {:?}", once.result.stop, once.result.evidence));
    }
    for reduction in [Reduction::None, Reduction::Bpor] {
        let other = search(test, &capped(reduction));
        if !other.result.complete || other.outcomes() != once.outcomes() {
            let (found, expected) = (other.outcomes(), once.outcomes());
            return Some(format!("{preemptions}, {stale}: {reduction:?} found {found:?}\nonce each {expected:?}"));
        }
    }
    None
}

/// Limits on preemptions and stale accesses one by one, among them any number of stale accesses.
#[test]
fn random_programs_are_explored_within_separate_limits() {
    let limits = [(0, 1), (1, 1), (0, 3), (1, 2), (2, 1), (0, u32::MAX), (1, u32::MAX), (2, 2), (1, 3)];
    let (programs, first) = (number("LITMUS_PROGRAMS", 120).min(1_000), number("LITMUS_SEED", 1));
    for seed in first..first + programs {
        let mut random = Random::new(seed);
        let flavour = FLAVOURS[seed as usize % FLAVOURS.len()];
        let test = random::test(&mut random, flavour);
        let limits = limits[seed as usize / FLAVOURS.len() % limits.len()];
        if executions(&test, Model::Rc11).len() > 40 {
            continue;
        }
        if let Some(wrong) = capped_disagreement(&test, limits) {
            panic!("seed {seed}: {wrong}\n{:?}", test.threads);
        }
    }
}

/// Random programs: 150, or as many as `LITMUS_PROGRAMS` says, from `LITMUS_SEED` on.
#[test]
fn random_programs_have_the_executions_that_the_axioms_allow() {
    let executions = number("LITMUS_EXECUTIONS", 500);
    let (programs, first) = (number("LITMUS_PROGRAMS", 150), number("LITMUS_SEED", 1));
    for seed in first..first + programs {
        let mut random = Random::new(seed);
        let flavour = FLAVOURS[seed as usize % FLAVOURS.len()];
        let test = random::test(&mut random, flavour);
        if let Some(wrong) = disagreement(&test, executions) {
            panic!("seed {seed}: {wrong}\n{:?}", test.threads);
        }
    }
}
