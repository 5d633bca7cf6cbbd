//! Finite-state networks: BSR[k] and SR against a brute force with a limit of threads that grows, and the reduction
//! from nets there and back.

mod random_nets;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_certificate::SwitchBound;
use selvedge_core::{Silent, StopReason};
use selvedge_dynamic::cover::{self, Options, cover};
use selvedge_dynamic::network::{
    Answer, Bounds, Question, bounded_switch, bounded_switch_with, iterate, network_of_net,
};
use selvedge_machine::Machine;
use selvedge_nets::dcps::{DcpsMachine, DcpsOptions};
use selvedge_nets_syntax::dcps::{Action, Dcps, Kind};
use selvedge_source::SourceMap;

use random_nets::{budget, random_net, random_network};

/// State, active thread, and how many threads wait, each with stack symbol and switch number.
type Config = (u32, Option<(Option<u32>, u32)>, BTreeMap<(u32, u32), u32>);

/// Explores with at most so many threads at a time; whether a target is reached, and whether the limit was met.
fn brute(dcps: &Dcps, question: Question, most: u32) -> (bool, bool) {
    let counted = |switches: u32| if question.thread_switches.is_some() { switches } else { 0 };
    let start: Config = (dcps.initial.0, Some((Some(dcps.initial_symbol.0), 0)), BTreeMap::new());
    let mut seen = BTreeSet::from([start.clone()]);
    let mut work = vec![start];
    let mut cut = false;
    while let Some((state, active, waiting)) = work.pop() {
        if dcps.targets.iter().any(|(target, _)| target.0 == state) {
            return (true, cut);
        }
        let mut next = Vec::new();
        match active {
            Some((Some(top), switches)) => {
                for rule in dcps.rules.iter().filter(|rule| rule.from.0 == state && rule.top.0 == top) {
                    let mut waiting = waiting.clone();
                    if let Some(symbol) = rule.spawn {
                        let number = if question.fresh_switches { 0 } else { counted(switches + 1) };
                        *waiting.entry((symbol.0, number)).or_default() += 1;
                    }
                    let push = rule.push.first().map(|symbol| symbol.0);
                    match (rule.kind, push) {
                        (Kind::Step, push) => next.push((rule.to.0, Some((push, switches)), waiting)),
                        (Kind::Yield, None) => next.push((rule.to.0, None, waiting)),
                        (Kind::Yield, Some(symbol)) => {
                            *waiting.entry((symbol, counted(switches + 1))).or_default() += 1;
                            next.push((rule.to.0, None, waiting));
                        }
                    }
                }
            }
            Some((None, _)) => {}
            None => {
                for resume in dcps.resumes.iter().filter(|resume| resume.from.0 == state) {
                    for ((symbol, switches), _) in waiting.iter().filter(|((symbol, _), _)| *symbol == resume.top.0) {
                        if question.thread_switches.is_some_and(|most| *switches > most) {
                            continue;
                        }
                        let mut waiting = waiting.clone();
                        let key = (*symbol, *switches);
                        match waiting.get_mut(&key) {
                            Some(count) if *count > 1 => *count -= 1,
                            _ => drop(waiting.remove(&key)),
                        }
                        next.push((resume.to.0, Some((Some(*symbol), *switches)), waiting));
                    }
                }
            }
        }
        for config in next {
            if config.2.values().sum::<u32>() > most {
                cut = true;
            } else if seen.insert(config.clone()) {
                work.push(config);
            }
        }
    }
    (false, cut)
}

/// Grows the limit until the answer is certain, or too large.
fn expected(dcps: &Dcps, question: Question) -> Option<bool> {
    for most in [2, 4, 6] {
        match brute(dcps, question, most) {
            (true, _) => return Some(true),
            (false, false) => return Some(false),
            (false, true) => {}
        }
    }
    None
}

/// Executes a run with the machine of networks.
fn executes(dcps: &Dcps, question: Question, moves: &[selvedge_nets_syntax::dcps::Move]) -> bool {
    let options = DcpsOptions {
        thread_limit: moves.len() as u32 + 1,
        thread_switches: question.thread_switches,
        fresh_switches: question.fresh_switches,
        ..DcpsOptions::default()
    };
    let machine = DcpsMachine::new(dcps.clone(), &SourceMap::new(), options);
    let Some(path) = machine.run(moves) else { return false };
    machine.state_fault(path.steps.last().map_or(&path.initial, |step| &step.state)).is_some()
}

#[test]
fn answers_equal_brute_force_with_growing_limits() {
    let mut tally = [0; 3];
    for seed in 0..500 {
        let dcps = random_network(seed);
        let mut reached_before = false;
        for bound in [Some(0), Some(1), Some(2), Some(3), None] {
            for fresh_switches in [false, true] {
                let question = Question { thread_switches: bound, fresh_switches };
                let outcome = bounded_switch(&dcps, question, &budget()).expect("finite-state");
                let reached = match &outcome.answer {
                    Answer::Reached(moves) => {
                        assert!(executes(&dcps, question, moves), "seed {seed} {question:?}: {moves:?}");
                        true
                    }
                    Answer::Unreachable(certificate) => {
                        let bound = SwitchBound { thread_switches: bound, fresh_switches };
                        assert!(certificate.check(&dcps, bound).is_ok(), "seed {seed} {question:?}\n{dcps:?}");
                        false
                    }
                    other => panic!("seed {seed} {question:?}: {other:?}"),
                };
                match expected(&dcps, question) {
                    Some(answer) => assert_eq!(reached, answer, "seed {seed} {question:?}\n{dcps:?}"),
                    // No run with few threads: if there is one it was executed above.
                    None => tally[2] += 1,
                }
                tally[usize::from(reached)] += 1;
                if !fresh_switches {
                    assert!(reached || !reached_before, "seed {seed}: reached with fewer switches than {bound:?}");
                    reached_before = reached;
                }
            }
        }
    }
    assert!(tally[0] > 1_000 && tally[1] > 300 && tally[2] < 1_500, "{tally:?}");
}

#[test]
fn iterating_finds_the_least_bound_or_proves_that_there_is_none() {
    let (mut least, mut holds) = ([0u32; 5], 0);
    for seed in 0..400 {
        let dcps = random_network(seed);
        let found = iterate(&dcps, Bounds::From0(Some(8)), false, &budget(), &mut Silent).expect("finite-state");
        let reaches = |bound| {
            let question = Question { thread_switches: bound, fresh_switches: false };
            matches!(bounded_switch(&dcps, question, &budget()).expect("finite-state").answer, Answer::Reached(_))
        };
        match found.run {
            Some((Some(bound), moves)) => {
                assert!(reaches(Some(bound)) && (bound == 0 || !reaches(Some(bound - 1))), "seed {seed}");
                let resumed = moves.iter().any(|m| matches!(m.action, Action::Resume(_)));
                assert!(bound == 0 || resumed, "seed {seed}: {moves:?}");
                least[(bound as usize).min(4)] += 1;
            }
            Some((None, _)) => panic!("seed {seed}: a run without its bound"),
            None if found.holds => {
                assert!(!reaches(None), "seed {seed}");
                holds += 1;
            }
            None => assert_eq!(found.stop, StopReason::Bound, "seed {seed}"),
        }
    }
    assert!(least[0] > 20 && least[1..].iter().sum::<u32>() > 4 && holds > 200, "{least:?} {holds}");
}

#[test]
fn nets_reduced_to_networks_keep_their_answers() {
    let mut tally = [0; 2];
    for seed in 0..200 {
        let net = random_net(seed, false);
        let options = Options { effort: Some(400_000), ..Options::default() };
        let covered = match cover(&net, options, &budget(), &mut Silent).answer {
            cover::Answer::Covered(_) => true,
            cover::Answer::Safe(_) => false,
            _ => continue,
        };
        let dcps = network_of_net(&net).expect("no transfers");
        for thread_switches in [Some(2), Some(3), None] {
            let question = Question { thread_switches, fresh_switches: false };
            match bounded_switch_with(&dcps, question, options, &budget(), &mut Silent).expect("finite-state").answer {
                Answer::Reached(moves) => {
                    assert!(covered && executes(&dcps, question, &moves), "seed {seed} {question:?}\n{net:?}");
                }
                Answer::Unreachable(_) => assert!(!covered, "seed {seed} {question:?}\n{net:?}"),
                _ => continue,
            }
            tally[usize::from(covered)] += 1;
        }
    }
    assert!(tally[0] > 100 && tally[1] > 100, "{tally:?}");
}
