//! Downward closures against a direct test of words, and recursive networks against brute force.

mod support;

use selvedge_core::Chance;
use selvedge_dynamic::closure::downward::closures;
use selvedge_dynamic::closure::grammar::{Grammar, Item, NonterminalId};
use selvedge_dynamic::closure::{Letter, Reduction};
use selvedge_dynamic::follow::{Rules, follow};
use selvedge_dynamic::reach::Reach;
use selvedge_dynamic::strata::{Solver, stratified};
use selvedge_nets_syntax::pds::{StateId, SymbolId};
use support::{Query, Size, free, network, reaches};

/// A jump that is identified by its number.
fn jump(number: u32) -> Letter {
    Letter::Jump(StateId(number), SymbolId(0), StateId(0))
}

/// A random grammar. Each nonterminal has a fixed number of jumps, as those of threads have.
fn grammar(chance: &mut Chance) -> Grammar {
    let jumps: Vec<usize> = (0..3 + chance.below(4)).map(|_| [0, 0, 1, 2][chance.below(4)]).collect();
    let spawn = |chance: &mut Chance| Item::Letter(Letter::Spawn(SymbolId(chance.below(3) as u32)));
    let mut productions = Vec::new();
    for count in &jumps {
        // One that ends, so that every nonterminal derives a word.
        let mut ends: Vec<Item> = (0..*count).map(|_| Item::Letter(jump(chance.below(2) as u32))).collect();
        if chance.once_in(2) {
            ends.insert(chance.below(ends.len() + 1), spawn(chance));
        }
        let mut list = vec![ends];
        for _ in 0..chance.below(3) {
            let mut items = Vec::new();
            let mut left = *count;
            for _ in 0..1 + chance.below(3) {
                let other = chance.below(jumps.len());
                if chance.once_in(3) || jumps[other] > left {
                    items.push(spawn(chance));
                } else {
                    left -= jumps[other];
                    items.push(Item::Nonterminal(NonterminalId(other as u32)));
                }
            }
            items.extend((0..left).map(|_| Item::Letter(jump(chance.below(2) as u32))));
            list.push(items);
        }
        productions.push(list);
    }
    Grammar { productions }
}

/// Whether each nonterminal derives a word that contains `word` with the same jumps: for all parts of the
/// word together, until nothing changes.
fn contained(grammar: &Grammar, word: &[Letter]) -> Vec<bool> {
    let n = word.len() + 1;
    let count = grammar.productions.len();
    let mut table = vec![vec![false; n * n]; count];
    loop {
        let mut changed = false;
        for id in 0..count {
            for from in 0..n {
                for production in &grammar.productions[id] {
                    let mut ends = vec![false; n];
                    ends[from] = true;
                    for item in production {
                        let mut next = vec![false; n];
                        for at in (0..n).filter(|at| ends[*at]) {
                            match item {
                                Item::Letter(letter) => {
                                    next[at] |= matches!(letter, Letter::Spawn(_));
                                    if word.get(at) == Some(letter) {
                                        next[at + 1] = true;
                                    }
                                }
                                Item::Nonterminal(id) => {
                                    (at..n).for_each(|to| next[to] |= table[id.index()][at * n + to]);
                                }
                            }
                        }
                        ends = next;
                    }
                    for to in (from..n).filter(|to| ends[*to]) {
                        changed |= !std::mem::replace(&mut table[id][from * n + to], true);
                    }
                }
            }
        }
        if !changed {
            return table.iter().map(|row| row[n - 1]).collect();
        }
    }
}

/// All words up to a length.
fn words(alphabet: &[Letter], length: usize) -> Vec<Vec<Letter>> {
    let mut all: Vec<Vec<Letter>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let to = all.len();
        for at in from..to {
            all.extend(alphabet.iter().map(|letter| [all[at].as_slice(), &[*letter]].concat()).collect::<Vec<_>>());
        }
        from = to;
    }
    all
}

#[test]
fn closures_accept_exactly_the_words_contained_in_derived_ones() {
    let spawns = (0..3).map(|symbol| Letter::Spawn(SymbolId(symbol)));
    let alphabet: Vec<Letter> = spawns.chain([jump(0), jump(1)]).collect();
    let all = words(&alphabet, 4);
    let mut chance = Chance::new(0x5EED_0003);
    let (mut accepted, mut refused) = (0, 0);
    for case in 0..120 {
        let grammar = grammar(&mut chance);
        let closed = closures(&grammar, &free()).expect("no limit");
        for word in &all {
            let expected = contained(&grammar, word);
            for (automaton, expected) in closed.iter().zip(expected) {
                assert_eq!(automaton.accepts(word), expected, "case {case}: {word:?}: {grammar:?}");
                if expected { accepted += 1 } else { refused += 1 }
            }
        }
    }
    assert!(accepted > 5_000 && refused > 5_000, "{accepted} {refused}");
}

#[test]
fn a_power_of_two_is_written_by_few_productions() {
    // The example of [DYN] Section 1.5: the closure has as many states as the word is long.
    let next = |id: u32| Item::Nonterminal(NonterminalId(id));
    let mut productions: Vec<Vec<Vec<Item>>> = (1..=6).map(|id| vec![vec![next(id), next(id)]]).collect();
    productions.push(vec![vec![Item::Letter(Letter::Spawn(SymbolId(0)))]]);
    let closed = closures(&Grammar { productions }, &free()).expect("no limit");
    assert_eq!(closed[0].moves.len(), 65);
}

#[test]
fn stratified_reachability_of_recursive_networks_is_what_brute_force_finds() {
    let mut chance = Chance::new(0x5EED_0004);
    let (mut reached, mut unreachable) = (0, 0);
    for case in 0..500 {
        let (states, symbols) = (3 + chance.below(3), 2 + chance.below(3));
        let size = Size { states, symbols, rules: 6 + chance.below(8), resumes: 3 + chance.below(6), recursive: true };
        let dcps = network(&mut chance, &size);
        for k in 0..=2 {
            let reduction = Reduction::build(&dcps, k, false, &free()).expect("no limit");
            let answer = stratified(&reduction.network, k, Solver::BuiltIn, &free()).expect("finite-state").reach;
            match answer {
                Reach::Reached(moves) => {
                    reached += 1;
                    let rules = Rules { most: Some(k), stratified: true, fresh_switches: false };
                    let failed = |why| format!("case {case}, k = {k}: {why:?}: {dcps:?}");
                    let lifted = reduction.lift(&dcps, &moves, &free()).map_err(failed).expect("a run");
                    assert_eq!(follow(&dcps, rules, &lifted), Ok(()), "case {case}, k = {k}: {dcps:?}");
                }
                Reach::Unreachable => {
                    unreachable += 1;
                    let query =
                        Query { most: k, stratified: true, fresh: false, threads: 3, stack: 4, configurations: 3_000 };
                    assert!(!reaches(&dcps, query), "case {case}, k = {k}: {dcps:?}");
                }
                other => panic!("case {case}, k = {k}: {other:?}: {dcps:?}"),
            }
        }
    }
    assert!(reached > 200 && unreachable > 200, "{reached} {unreachable}");
}

#[test]
fn the_finite_state_network_reaches_what_the_recursive_one_does() {
    let mut chance = Chance::new(0x5EED_0005);
    let mut reached = 0;
    for case in 0..400 {
        let (states, symbols) = (3 + chance.below(2), 2 + chance.below(2));
        let size = Size { states, symbols, rules: 5 + chance.below(7), resumes: 3 + chance.below(5), recursive: true };
        let dcps = network(&mut chance, &size);
        for (k, fresh) in [(1, false), (2, false), (0, true), (1, true)] {
            let reduction = Reduction::build(&dcps, k, fresh, &free()).expect("no limit");
            let low = Query { most: k, stratified: false, fresh, threads: 2, stack: 3, configurations: 2_000 };
            let high = Query { threads: 4, stack: 1, configurations: 20_000, ..low };
            let recursive = reaches(&dcps, low);
            reached += usize::from(recursive);
            assert!(!recursive || reaches(&reduction.network, high), "case {case}, k = {k}, fresh {fresh}: {dcps:?}");
        }
    }
    assert!(reached > 100, "{reached}");
}
