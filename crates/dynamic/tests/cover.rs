//! Coverability against a plain backward algorithm and against Karp and Miller's tree, both written for these tests
//! alone; runs are executed, certificates checked, damaged certificates refused.

mod random_nets;

use selvedge_certificate::{Certificate, check};
use selvedge_core::{Chance, Silent};
use selvedge_dynamic::cover::{Answer, Options, Run, cover};
use selvedge_nets_syntax::net::{Net, Transition};

use random_nets::{budget, random_components, random_net};

const ANY: u32 = u32::MAX;

/// The textbook's algorithm on full vectors. `None` if the net is too much for it.
fn plain(net: &Net) -> Option<bool> {
    let width = net.places.len();
    let mut basis: Vec<Vec<u32>> = Vec::new();
    let mut work: Vec<Vec<u32>> = Vec::new();
    for target in &net.targets {
        let mut marking = vec![0; width];
        target.need.iter().for_each(|(place, count)| marking[place.0 as usize] = *count);
        work.push(marking);
    }
    let start: Vec<u32> = net.initial.iter().map(|tokens| tokens.most.unwrap_or(ANY)).collect();
    let below = |a: &Vec<u32>, b: &Vec<u32>| a.iter().zip(b).all(|(a, b)| a <= b);
    while let Some(marking) = work.pop() {
        if basis.iter().any(|other| below(other, &marking)) {
            continue;
        }
        basis.retain(|other| !below(&marking, other));
        basis.push(marking.clone());
        for transition in &net.transitions {
            work.extend(before(transition, &marking));
        }
        if basis.len() > 120 || work.len() > 4_000 || marking.iter().sum::<u32>() > 40 {
            return None;
        }
    }
    Some(basis.iter().any(|marking| below(marking, &start)))
}

/// Every way to be above `marking` after a transition: tokens are distributed one by one.
fn before(transition: &Transition, marking: &[u32]) -> Vec<Vec<u32>> {
    let mut rest = marking.to_vec();
    transition
        .give
        .iter()
        .for_each(|(place, count)| rest[place.0 as usize] = rest[place.0 as usize].saturating_sub(*count));
    let goes = |place: usize| transition.moves.iter().find(|(from, _)| from.0 as usize == place).map(|(_, to)| *to);
    let mut ways = vec![vec![0u32; marking.len()]];
    for (place, count) in rest.iter().enumerate() {
        let gets = |from: &usize| match goes(*from) {
            None => *from == place,
            Some(to) => to.is_some_and(|to| to.0 as usize == place),
        };
        let sources: Vec<usize> = (0..marking.len()).filter(gets).collect();
        for _ in 0..*count {
            let one_more = |way: &Vec<u32>, source: &usize| {
                let mut way = way.clone();
                way[*source] += 1;
                way
            };
            ways = ways
                .iter()
                .flat_map(|way| sources.iter().map(|source| one_more(way, source)).collect::<Vec<_>>())
                .collect();
            ways.sort();
            ways.dedup();
        }
    }
    for way in &mut ways {
        transition.take.iter().for_each(|(place, count)| way[place.0 as usize] += count);
    }
    ways
}

/// Karp and Miller's tree. `None` if it is too large.
fn tree(net: &Net) -> Option<bool> {
    let start: Vec<u32> = net.initial.iter().map(|tokens| tokens.most.unwrap_or(ANY)).collect();
    // Each node with the nodes above it.
    let mut work = vec![(start, Vec::<Vec<u32>>::new())];
    let mut nodes = 0;
    while let Some((marking, above)) = work.pop() {
        nodes += 1;
        if nodes > 3_000 {
            return None;
        }
        let covers = |need: &[(selvedge_nets_syntax::net::PlaceId, u32)]| {
            need.iter().all(|(place, n)| marking[place.0 as usize] >= *n)
        };
        if net.targets.iter().any(|target| covers(&target.need)) {
            return Some(true);
        }
        if above.contains(&marking) {
            continue;
        }
        let mut path = above.clone();
        path.push(marking.clone());
        for transition in net.transitions.iter().filter(|transition| covers(&transition.take)) {
            let mut after = marking.clone();
            for (place, count) in transition.take.iter().filter(|(place, _)| marking[place.0 as usize] != ANY) {
                after[place.0 as usize] -= count;
            }
            for (place, count) in transition.give.iter().filter(|(place, _)| marking[place.0 as usize] != ANY) {
                after[place.0 as usize] += count;
            }
            for ancestor in &path {
                if ancestor.iter().zip(&after).all(|(a, b)| a <= b) {
                    for (a, b) in ancestor.iter().zip(after.iter_mut()) {
                        *b = if a < b { ANY } else { *b };
                    }
                }
            }
            work.push((after, path.clone()));
        }
    }
    Some(false)
}

fn executes(net: &Net, run: &Run) -> bool {
    let mut marking: Vec<u32> = net.initial.iter().map(|tokens| tokens.least).collect();
    for (place, tokens) in &run.start {
        let range = net.initial[place.0 as usize];
        assert!(*tokens >= range.least && range.most.is_none_or(|most| *tokens <= most), "{run:?}");
        marking[place.0 as usize] = *tokens;
    }
    for transition in &run.transitions {
        let Some(after) = net.transitions[transition.0 as usize].fire(&marking) else { return false };
        marking = after;
    }
    net.targets[run.target.index()].is_covered(&marking)
}

/// How many nets were covered, safe, and too much for the judge.
type Tally = [u32; 3];

fn compare(seeds: std::ops::Range<u64>, moves: bool, judge: fn(&Net) -> Option<bool>, options: Options) -> Tally {
    compare_nets(seeds, |seed| random_net(seed, moves), judge, options)
}

fn compare_nets(
    seeds: std::ops::Range<u64>,
    net: impl Fn(u64) -> Net,
    judge: fn(&Net) -> Option<bool>,
    options: Options,
) -> Tally {
    let mut tally = [0; 3];
    for seed in seeds {
        let net = net(seed);
        let Some(expected) = judge(&net) else {
            tally[2] += 1;
            continue;
        };
        let outcome = cover(&net, Options { effort: Some(20_000_000), ..options }, &budget(), &mut Silent);
        match outcome.answer {
            Answer::Covered(run) => {
                assert!(expected, "seed {seed}: no run covers a target\n{net:?}");
                assert!(executes(&net, &run), "seed {seed}: {run:?}\n{net:?}");
                tally[0] += 1;
            }
            Answer::Safe(certificate) => {
                assert!(!expected, "seed {seed}: a run covers a target\n{net:?}");
                assert_eq!(check(&net, &certificate), Ok(()), "seed {seed}: {certificate:?}\n{net:?}");
                tally[1] += 1;
            }
            other => panic!("seed {seed}: {other:?}\n{net:?}"),
        }
    }
    tally
}

#[test]
fn answers_equal_a_plain_backward_algorithm() {
    let tally = compare(0..3_000, false, plain, Options::default());
    assert!(tally[0] > 600 && tally[1] > 600 && tally[2] < 600, "{tally:?}");
}

#[test]
fn backward_search_alone_answers_alike_with_and_without_pruning() {
    for prune in [false, true] {
        let tally = compare(4_000..5_500, false, plain, Options { forward: false, prune, effort: None });
        assert!(tally[0] > 300 && tally[1] > 300, "{tally:?}");
    }
}

#[test]
fn nets_of_components_are_answered_alike() {
    for forward in [false, true] {
        let options = Options { forward, ..Options::default() };
        let tally = compare_nets(30_000..31_500, random_components, plain, options);
        assert!(tally[0] > 300 && tally[1] > 300, "{tally:?}");
    }
}

#[test]
fn transfers_and_resets_are_answered_alike() {
    let tally = compare(10_000..12_000, true, plain, Options::default());
    assert!(tally[0] > 300 && tally[1] > 300, "{tally:?}");
}

#[test]
fn answers_equal_karp_and_millers_tree() {
    let tally = compare(20_000..21_500, false, tree, Options::default());
    assert!(tally[0] > 300 && tally[1] > 200, "{tally:?}");
}

#[test]
fn damaged_certificates_are_refused() {
    let mut chance = Chance::new(3);
    let (mut damaged, mut refused) = (0, 0);
    for seed in 0..2_000 {
        let net = random_net(seed, false);
        let outcome = cover(&net, Options { effort: Some(2_000_000), ..Options::default() }, &budget(), &mut Silent);
        let Answer::Safe(certificate) = outcome.answer else {
            // What a covered net is given is never a proof.
            assert!(check(&net, &Certificate::default()).is_err(), "seed {seed}");
            continue;
        };
        let mut worse = certificate.clone();
        match chance.remainder(3) {
            0 if !worse.basis.is_empty() => {
                drop(worse.basis.remove(chance.remainder(worse.basis.len() as u64) as usize))
            }
            1 if !worse.weights.is_empty() => worse.weights.clear(),
            2 if !worse.unmarked.is_empty() => worse.unmarked.clear(),
            _ => continue,
        }
        damaged += 1;
        refused += u32::from(check(&net, &worse).is_err());
    }
    // Some markings are not needed, but most are.
    assert!(damaged > 200 && refused * 10 > damaged * 8, "{refused} of {damaged}");
}
