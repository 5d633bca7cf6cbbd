//! SSR\[k\] on random finite-state networks against brute force, and its runs executed.

mod support;

use selvedge_core::Chance;
use selvedge_dynamic::follow::{Rules, follow};
use selvedge_dynamic::reach::Reach;
use selvedge_dynamic::strata::{Solver, stratified};
use selvedge_nets_syntax::dcps::Action;
use support::{Query, Size, free, network, reaches};

fn sizes(chance: &mut Chance) -> Size {
    let (states, symbols) = (3 + chance.below(4), 2 + chance.below(3));
    Size { states, symbols, rules: 6 + chance.below(10), resumes: 3 + chance.below(6), recursive: false }
}

#[test]
fn stratified_reachability_is_what_brute_force_finds() {
    let mut chance = Chance::new(0x5EED_0001);
    let (mut reached, mut unreachable) = (0, 0);
    for case in 0..1500 {
        let size = sizes(&mut chance);
        let dcps = network(&mut chance, &size);
        for k in 0..=3 {
            let answer = stratified(&dcps, k, Solver::BuiltIn, &free()).expect("finite-state").reach;
            let query = Query { most: k, stratified: true, fresh: false, threads: 4, stack: 1, configurations: 3_000 };
            match answer {
                Reach::Reached(moves) => {
                    reached += 1;
                    let rules = Rules { most: Some(k), stratified: true, fresh_switches: false };
                    assert_eq!(follow(&dcps, rules, &moves), Ok(()), "case {case}, k = {k}: {dcps:?}");
                }
                Reach::Unreachable => {
                    unreachable += 1;
                    assert!(!reaches(&dcps, query), "case {case}, k = {k}: {dcps:?}");
                }
                other => panic!("case {case}, k = {k}: {other:?}: {dcps:?}"),
            }
        }
    }
    assert!(reached > 500 && unreachable > 500, "{reached} {unreachable}");
}

#[test]
fn a_changed_run_is_refused() {
    let mut chance = Chance::new(0x5EED_0002);
    let mut refused = 0;
    for _ in 0..300 {
        let size = sizes(&mut chance);
        let dcps = network(&mut chance, &size);
        let Reach::Reached(moves) = stratified(&dcps, 2, Solver::BuiltIn, &free()).expect("finite-state").reach else {
            continue;
        };
        let resumes = moves.iter().filter(|next| matches!(next.action, Action::Resume(_))).count();
        let rules = Rules { most: Some(2), stratified: true, fresh_switches: false };
        if !moves.is_empty() {
            assert!(follow(&dcps, rules, &moves[..moves.len() - 1]).is_err());
            refused += 1;
        }
        if resumes > 0 {
            let tight = Rules { most: Some(0), ..rules };
            assert!(follow(&dcps, tight, &moves).is_err());
        }
    }
    assert!(refused > 50);
}
