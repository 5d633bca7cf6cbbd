//! How much is searched: the figures that `check` prints are the same in every run, and a search that prunes less or
//! divides the work otherwise would change them.

mod random_nets;

use selvedge_core::Silent;
use selvedge_dynamic::cover::{Options, cover};
use selvedge_nets_syntax::net::{Net, PlaceId, Target, Tokens, Transition};

use random_nets::{budget, nowhere, random_components, random_net};

/// States, transitions and weights of many searches.
fn total(nets: impl Iterator<Item = Net>) -> (u64, u64, u64) {
    total_with(Options::default(), nets)
}

fn total_with(options: Options, nets: impl Iterator<Item = Net>) -> (u64, u64, u64) {
    nets.fold((0, 0, 0), |sum, net| {
        let outcome = cover(&net, options, &budget(), &mut Silent);
        (sum.0 + outcome.states, sum.1 + outcome.transitions, sum.2 + outcome.weights)
    })
}

/// Each level takes `factor` tokens of the one below and gives one: `factor` to the power of `levels` are needed.
fn levels(levels: u32, factor: u32, tokens: u32) -> Net {
    let step = |level: u32| Transition {
        take: vec![(PlaceId(level), factor)],
        give: vec![(PlaceId(level + 1), 1)],
        moves: Vec::new(),
        span: nowhere(),
    };
    let most = |level: u32| if level == 0 { tokens } else { 0 };
    Net {
        places: (0..=levels).map(|level| format!("l{level}")).collect(),
        transitions: (0..levels).map(step).collect(),
        initial: (0..=levels).map(|l| Tokens { least: most(l), most: Some(most(l)), span: None }).collect(),
        targets: vec![Target { need: vec![(PlaceId(levels), 1)], span: nowhere() }],
    }
}

#[test]
fn random_nets_take_the_same_effort_every_time() {
    assert_eq!(total((0..400).map(|seed| random_net(seed, false))), (1_238, 341, 79));
}

#[test]
fn nets_with_transfers_take_the_same_effort_every_time() {
    assert_eq!(total((0..400).map(|seed| random_net(seed, true))), (1_379, 528, 84));
}

#[test]
fn components_take_the_same_effort_every_time() {
    assert_eq!(total((0..400).map(random_components)), (666, 374, 4));
}

#[test]
fn searches_that_take_turns_take_the_same_effort_every_time() {
    assert_eq!(total((3..8).map(|many| levels(many, 2, 1 << many))), (1_560, 2_995, 0));
}

#[test]
fn nothing_is_excluded_without_pruning() {
    let options = Options { prune: false, ..Options::default() };
    let (states, transitions, weights) = total_with(options, (0..400).map(random_components));
    let (pruned_states, pruned_transitions, _) = total((0..400).map(random_components));
    assert!(weights == 0 && states > pruned_states && transitions > pruned_transitions, "{states} {transitions}");
}

#[test]
fn markings_take_memory() {
    let outcome = cover(&levels(7, 2, 1 << 7), Options::default(), &budget(), &mut Silent);
    // A place and its tokens at the least, and not many times of that.
    assert!((8 * outcome.states..400 * outcome.states).contains(&outcome.bytes), "{outcome:?}");
}
