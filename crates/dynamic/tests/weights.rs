//! Where one weighted sum of tokens proves a net safe, it is found, and the certificate is nothing but that sum.
//!
//! The nets are made around the proof: weights are chosen first, then transitions that do not increase the weighted sum,
//! then a target with a larger sum than the start.

mod random_nets;

use selvedge_certificate::check;
use selvedge_core::{Chance, Silent};
use selvedge_dynamic::cover::{Answer, Options, cover};
use selvedge_nets_syntax::net::{Net, PlaceId, Target, Tokens, Transition};

use random_nets::{budget, nowhere};

/// A bag whose weighted sum is `most` or less; as close as it gets with a few tokens.
fn bag(chance: &mut Chance, weights: &[u32], most: u32) -> Vec<(PlaceId, u32)> {
    let (mut counts, mut left) = (vec![0; weights.len()], most);
    for _ in 0..6 {
        let place = chance.remainder(weights.len() as u64) as usize;
        if weights[place] <= left {
            counts[place] += 1;
            left -= weights[place];
        }
    }
    let places = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
    places.map(|(place, count)| (PlaceId(place as u32), count)).collect()
}

fn sum(weights: &[u32], bag: &[(PlaceId, u32)]) -> u32 {
    bag.iter().map(|(place, count)| weights[place.0 as usize] * count).sum()
}

fn net_with_weights(seed: u64) -> Net {
    let mut chance = Chance::new(seed);
    let places = 3 + chance.remainder(6) as usize;
    let weights: Vec<u32> = (0..places).map(|_| 1 + chance.remainder(4) as u32).collect();
    let mut transitions = Vec::new();
    for _ in 0..places + chance.remainder(6) as usize {
        let budget = 2 + chance.remainder(6) as u32;
        let take = bag(&mut chance, &weights, budget);
        let give = bag(&mut chance, &weights, sum(&weights, &take));
        transitions.push(Transition { take, give, moves: Vec::new(), span: nowhere() });
    }
    let start: Vec<u32> = (0..places).map(|_| chance.remainder(3) as u32).collect();
    let total: u32 = start.iter().zip(&weights).map(|(tokens, weight)| tokens * weight).sum();
    let mut need = bag(&mut chance, &weights, total + 1);
    while sum(&weights, &need) <= total {
        let place = chance.remainder(places as u64) as usize;
        match need.iter_mut().find(|(other, _)| other.0 as usize == place) {
            Some((_, count)) => *count += 1,
            None => need.push((PlaceId(place as u32), 1)),
        }
    }
    need.sort();
    let tokens = |tokens: &u32| Tokens { least: *tokens, most: Some(*tokens), span: None };
    Net {
        places: (0..places).map(|place| format!("x{place}")).collect(),
        transitions,
        initial: start.iter().map(tokens).collect(),
        targets: vec![Target { need, span: nowhere() }],
    }
}

#[test]
fn one_weighted_sum_is_found_where_it_proves_the_net_safe() {
    let mut weighted = 0;
    for seed in 0..1_000 {
        let net = net_with_weights(seed);
        let outcome = cover(&net, Options::default(), &budget(), &mut Silent);
        let Answer::Safe(certificate) = outcome.answer else { panic!("seed {seed}: {net:?}: {:?}", outcome.answer) };
        check(&net, &certificate).unwrap_or_else(|flaw| panic!("seed {seed}: {net:?}: {flaw:?}"));
        assert!(certificate.basis.is_empty(), "seed {seed}: {net:?}: {certificate:?}");
        weighted += u32::from(!certificate.weights.is_empty());
    }
    assert!(weighted > 500, "only {weighted} of 1000 proofs have weights");
}
