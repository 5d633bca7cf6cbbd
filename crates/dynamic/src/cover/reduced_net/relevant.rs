//! Which places lead to the goal. Steps that produce tokens in none of them are dropped.

use selvedge_nets_syntax::net::PlaceId;

use super::{RawStep, RawStepId, tokens_in, with_ids};

/// Drops the steps that do not lead to the goal. The result: whether each place does.
pub(crate) fn keep_relevant(goal: PlaceId, steps: &mut Vec<RawStep>) -> Vec<bool> {
    let producers = producers(goal, steps);
    let mut relevant = vec![false; producers.len()];
    let mut useful = vec![false; steps.len()];
    relevant[goal.0 as usize] = true;
    let mut work = vec![goal];
    while let Some(place) = work.pop() {
        for producer in &producers[place.0 as usize] {
            let step = &steps[producer.index()];
            if std::mem::replace(&mut useful[producer.index()], true) && step.moves.is_empty() {
                continue;
            }
            let sources = step.moves.iter().filter(|(_, to)| *to == Some(place)).map(|(from, _)| *from);
            for needed in step.take.iter().map(|(place, _)| *place).chain(sources) {
                if !std::mem::replace(&mut relevant[needed.0 as usize], true) {
                    work.push(needed);
                }
            }
        }
    }
    let mut useful = useful.into_iter();
    steps.retain(|_| useful.next().unwrap_or(false));
    relevant
}

/// The steps after which each place may have more tokens.
fn producers(goal: PlaceId, steps: &[RawStep]) -> Vec<Vec<RawStepId>> {
    let listed = |step: &RawStep| step.take.iter().chain(&step.give).map(|(place, _)| place.0).max();
    let moved = |step: &RawStep| step.moves.iter().flat_map(|(from, to)| [Some(from.0), to.map(|to| to.0)]).max();
    let most = steps.iter().flat_map(|step| [listed(step), moved(step).flatten()]).flatten().max().unwrap_or(0);
    let mut producers: Vec<Vec<RawStepId>> = vec![Vec::new(); most.max(goal.0) as usize + 1];
    for (id, step) in with_ids(steps) {
        for (place, count) in &step.give {
            if *count > tokens_in(&step.take, *place) {
                producers[place.0 as usize].push(id);
            }
        }
        step.moves.iter().filter_map(|(_, to)| *to).for_each(|to| producers[to.0 as usize].push(id));
    }
    producers
}
