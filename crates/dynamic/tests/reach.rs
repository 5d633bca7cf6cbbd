//! Every kind of question about random networks against brute force, and what must follow from what.

mod support;

use selvedge_core::Chance;
use selvedge_dynamic::reach::{Query, Reach, Within, reach};
use selvedge_dynamic::strata::Solver;
use support::{Size, free, network, reaches};

/// Whether it is reached; runs are executed by `reach` itself.
fn asked(dcps: &selvedge_nets_syntax::dcps::Dcps, within: Within, fresh_switches: bool) -> bool {
    match reach(dcps, Query { within, fresh_switches, solver: Solver::BuiltIn }, &free()).reach {
        Reach::Reached(_) => true,
        Reach::Unreachable => false,
        other => panic!("{within:?}, fresh {fresh_switches}: {other:?}: {dcps:?}"),
    }
}

fn compare(chance: &mut Chance, cases: usize, recursive: bool) {
    let (mut reached, mut unreachable) = (0, 0);
    for case in 0..cases {
        let (states, symbols) = (3 + chance.below(3), 2 + chance.below(3));
        let size = Size { states, symbols, rules: 8 + chance.below(10), resumes: 4 + chance.below(6), recursive };
        let dcps = network(chance, &size);
        for fresh in [false, true] {
            let mut before = (false, false);
            for k in 0..=2 {
                let stack = if recursive { 4 } else { 1 };
                let brute =
                    support::Query { most: k, stratified: false, fresh, threads: 3, stack, configurations: 2_000 };
                let bounded = asked(&dcps, Within::ThreadSwitches(k), fresh);
                let stratified = asked(&dcps, Within::Strata(k), fresh);
                let place = format!("case {case}, k = {k}, fresh {fresh}: {dcps:?}");
                assert!(bounded || !reaches(&dcps, brute), "bounded: {place}");
                assert!(
                    stratified || !reaches(&dcps, support::Query { stratified: true, ..brute }),
                    "stratified: {place}"
                );
                assert!(bounded || !stratified, "stratified and not bounded: {place}");
                assert!((bounded || !before.0) && (stratified || !before.1), "a higher bound reaches less: {place}");
                before = (bounded, stratified);
                if bounded { reached += 1 } else { unreachable += 1 }
            }
        }
    }
    assert!(reached > cases / 2 && unreachable > cases / 2, "{reached} {unreachable}");
}

#[test]
fn finite_state_networks() {
    compare(&mut Chance::new(0x5EED_0006), 250, false);
}

#[test]
fn recursive_networks() {
    compare(&mut Chance::new(0x5EED_0007), 300, true);
}
