//! The table of contents of making an automaton small: reduce the generalised automata, try several
//! ways to leave one acceptance set, reduce again, keep the smallest.
//!
//! What must hold: each step keeps the language; ties are broken by the order of trying, so that the
//! same property always gives the same automaton.

use super::cube::Cube;
use super::degeneralise::{Order, degeneralise};
use super::graph::{Graph, Move};
use super::simulate::Direction;
use super::{Automaton, TooLarge};

/// Above this many states simulation is not tried.
const MAX_SIMULATED: usize = 300;
/// Steps spent on simulation in all.
const MAX_WORK: u64 = 60_000_000;
/// Above this many states only one order of the marks is tried.
const MAX_TRIED: usize = 60;

/// The smallest automaton found for the language that all `candidates` have.
pub(super) fn smallest_automaton(candidates: Vec<Graph>) -> Result<Automaton, TooLarge> {
    let mut best: Option<Graph> = None;
    let mut error = None;
    let mut fuel = MAX_WORK;
    for mut candidate in candidates {
        reduce(&mut candidate, &mut fuel);
        for order in orders(&candidate) {
            match degeneralise(&candidate, &order) {
                Ok(mut graph) => {
                    reduce(&mut graph, &mut fuel);
                    if best.as_ref().is_none_or(|b| graph.size() < b.size()) {
                        best = Some(graph);
                    }
                }
                Err(e) => error = Some(e),
            }
        }
    }
    match (best, error) {
        (Some(graph), _) => Ok(finish(graph, &mut fuel)),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("internal error: no candidate"),
    }
}

fn finish(mut graph: Graph, fuel: &mut u64) -> Automaton {
    graph.normalise_marks(false);
    if graph.moves.len() <= MAX_SIMULATED && *fuel > 0 {
        graph.sharpen_guards(fuel);
    }
    graph.into_automaton()
}

/// Makes `graph` smaller until nothing changes.
fn reduce(graph: &mut Graph, fuel: &mut u64) {
    graph.trim();
    merge_equal_states(graph);
    loop {
        let before = graph.size();
        for saturate in [false, true] {
            graph.normalise_marks(saturate);
            if graph.moves.len() <= MAX_SIMULATED && *fuel > 0 {
                add_accept_all(graph);
                graph.quotient(Direction::Forward, fuel);
                graph.quotient(Direction::Backward, fuel);
            }
            merge_equal_states(graph);
        }
        if graph.size() >= before {
            break;
        }
    }
}

/// Adds a state that accepts everything, for others to be found equivalent to it.
fn add_accept_all(graph: &mut Graph) {
    let target = graph.moves.len();
    graph.moves.push(vec![Move { target, marks: graph.marks, guard: Cube::TRUE }]);
}

/// Merges states with the same moves; cheap, and enough for most of a large automaton.
fn merge_equal_states(graph: &mut Graph) {
    loop {
        let mut seen = std::collections::HashMap::new();
        let same: Vec<usize> =
            graph.moves.iter().enumerate().map(|(state, moves)| *seen.entry(moves.clone()).or_insert(state)).collect();
        if same.iter().enumerate().all(|(state, other)| state == *other) {
            return;
        }
        graph.moves.iter_mut().flatten().for_each(|m| m.target = same[m.target]);
        graph.initial = same[graph.initial];
        graph.trim();
    }
}

/// Orders of the marks to try: all of few, the rotations of many.
fn orders(graph: &Graph) -> Vec<Order> {
    let marks: Vec<u64> = (0..64).map(|i| 1 << i).filter(|bit| graph.marks & bit != 0).collect();
    let mut all = vec![marks.clone()];
    if graph.moves.len() <= MAX_TRIED {
        all = if marks.len() <= 3 { permutations(&marks) } else { rotations(&marks) };
    }
    let both = |marks: Vec<u64>| [false, true].map(|enter_accepting| Order { marks: marks.clone(), enter_accepting });
    all.into_iter().flat_map(both).collect()
}

fn permutations(items: &[u64]) -> Vec<Vec<u64>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |&first: &u64| {
        let rest: Vec<u64> = items.iter().copied().filter(|i| *i != first).collect();
        permutations(&rest).into_iter().map(move |tail| [vec![first], tail].concat())
    };
    items.iter().flat_map(with_first).collect()
}

fn rotations(items: &[u64]) -> Vec<Vec<u64>> {
    (0..items.len()).map(|i| [&items[i..], &items[..i]].concat()).collect()
}
