//! From the steps that a search found to a run of the net: what the task left out is put back. Places that were
//! taken for granted need tokens at the start, or steps in front that fill them.

use selvedge_nets::net::{Net, PlaceId, Start, TransitionId};

use super::marking::{OMEGA, minus, plus};
use super::task::{Origin, Task};

/// A run of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Tokens at the start, where the net does not fix them; sorted by place.
    pub start: Start,
    /// The transitions.
    pub transitions: Vec<TransitionId>,
    /// The target that is covered at the end, by position.
    pub target: usize,
}

/// Steps in front that fill places, at most.
const MOST_PUMPED: usize = 5_000_000;

/// The run of these steps of a task. `None` if they are none, which is a defect of the search, or if the run would
/// be too long.
pub fn run(net: &Net, task: &Task, steps: &[u32]) -> Option<Run> {
    let (last, before) = steps.split_last()?;
    let Origin::Target(target) = task.steps[*last as usize].origin else { return None };
    let mut transitions = Vec::new();
    for step in before {
        match task.steps[*step as usize].origin {
            Origin::Transition(transition) => transitions.push(transition),
            Origin::Target(_) => return None,
        }
    }
    let need = shorten(net, target, &mut transitions)?;
    let (start, transitions) = fill(net, task, need, transitions)?;
    check(net, &start, &transitions, target).then_some(Run { start, transitions, target })
}

/// The tokens that a run needs at the start to cover a target. Leaves out transitions that do not contribute.
fn shorten(net: &Net, target: usize, transitions: &mut Vec<TransitionId>) -> Option<Vec<u32>> {
    // The largest markings along the run, to choose from where moved tokens come.
    let mut markings = vec![top(net)];
    for transition in transitions.iter() {
        let after = fire(net, *transition, markings.last()?)?;
        markings.push(after);
    }
    let mut need = vec![0u32; net.places.len()];
    net.targets[target].need.iter().for_each(|(place, count)| need[place.0 as usize] = *count);
    let mut kept = Vec::new();
    for (index, transition) in transitions.iter().enumerate().rev() {
        let step = &net.transitions[transition.0 as usize];
        let useful = !step.moves.is_empty() || step.give.iter().any(|(place, _)| need[place.0 as usize] > 0);
        if !useful {
            continue;
        }
        need = before(net, *transition, &need, &markings[index])?;
        kept.push(*transition);
    }
    kept.reverse();
    *transitions = kept;
    Some(need)
}

/// As many tokens at the start as there can be.
fn top(net: &Net) -> Vec<u32> {
    net.initial.iter().map(|tokens| tokens.most.unwrap_or(OMEGA)).collect()
}

/// The marking after a transition. A place that is filled for free may lack tokens here: it then has any number.
fn fire(net: &Net, transition: TransitionId, marking: &[u32]) -> Option<Vec<u32>> {
    let step = &net.transitions[transition.0 as usize];
    let mut after = marking.to_vec();
    for (place, count) in &step.take {
        let tokens = &mut after[place.0 as usize];
        *tokens = minus(*tokens, *count).unwrap_or(0);
    }
    let left: Vec<u32> = step.moves.iter().map(|(from, _)| std::mem::take(&mut after[from.0 as usize])).collect();
    for ((_, to), count) in step.moves.iter().zip(left) {
        if let Some(to) = to {
            after[to.0 as usize] = plus(after[to.0 as usize], count)?;
        }
    }
    for (place, count) in &step.give {
        after[place.0 as usize] = plus(after[place.0 as usize], *count)?;
    }
    Some(after)
}

/// What must be there before a transition so that `need` is there after it; moved tokens come from where
/// there are some, by `marking`.
fn before(net: &Net, transition: TransitionId, need: &[u32], marking: &[u32]) -> Option<Vec<u32>> {
    let step = &net.transitions[transition.0 as usize];
    let mut rest = need.to_vec();
    for (place, count) in &step.give {
        rest[place.0 as usize] = rest[place.0 as usize].saturating_sub(*count);
    }
    let taken = |place: PlaceId| step.take.iter().find(|(other, _)| *other == place).map_or(0, |(_, count)| *count);
    let mut earlier = rest.clone();
    step.moves.iter().for_each(|(from, _)| earlier[from.0 as usize] = 0);
    for (from, to) in &step.moves {
        let Some(to) = to else { continue };
        let still = rest[to.0 as usize];
        // A place that keeps its own tokens gives what it has first.
        let own = match step.moves.iter().any(|(other, _)| other == to) {
            true => 0,
            false => minus(marking[to.0 as usize], taken(*to)).unwrap_or(0).min(still),
        };
        let available = minus(marking[from.0 as usize], taken(*from)).unwrap_or(0);
        let moved = available.min(still - own);
        earlier[from.0 as usize] = moved;
        rest[to.0 as usize] -= moved;
        if own > 0 || !step.moves.iter().any(|(other, _)| other == to) {
            earlier[to.0 as usize] = rest[to.0 as usize];
        }
    }
    // Moved away without a sufficient source: no way back.
    if step.moves.iter().any(|(from, _)| rest[from.0 as usize] > 0) {
        return None;
    }
    for (place, count) in &step.take {
        earlier[place.0 as usize] = earlier[place.0 as usize].checked_add(*count)?;
    }
    Some(earlier)
}

/// Puts steps in front that fill the places which lack tokens; then the tokens at the start.
fn fill(
    net: &Net,
    task: &Task,
    mut need: Vec<u32>,
    transitions: Vec<TransitionId>,
) -> Option<(Start, Vec<TransitionId>)> {
    let mut front: Vec<TransitionId> = Vec::new();
    for (place, transition) in task.pumps.iter().rev() {
        let at = *place as usize;
        let most = net.initial[at].most.unwrap_or(OMEGA);
        while need[at] > most {
            if front.len() >= MOST_PUMPED {
                return None;
            }
            front.push(*transition);
            let step = &net.transitions[transition.0 as usize];
            for (place, count) in &step.give {
                need[place.0 as usize] = need[place.0 as usize].saturating_sub(*count);
            }
            for (place, count) in &step.take {
                need[place.0 as usize] = need[place.0 as usize].checked_add(*count)?;
            }
        }
    }
    front.reverse();
    front.extend(transitions);
    let mut start = Start::new();
    for (place, (tokens, need)) in net.initial.iter().zip(&need).enumerate() {
        if tokens.most.is_some_and(|most| *need > most) {
            return None;
        }
        if tokens.most != Some(tokens.least) {
            start.push((PlaceId(place as u32), (*need).max(tokens.least)));
        }
    }
    Some((start, front))
}

/// Whether a run is one and covers the target: executed with plain numbers.
fn check(net: &Net, start: &Start, transitions: &[TransitionId], target: usize) -> bool {
    let mut marking: Vec<u32> = net.initial.iter().map(|tokens| tokens.least).collect();
    start.iter().for_each(|(place, tokens)| marking[place.0 as usize] = *tokens);
    for transition in transitions {
        let step = &net.transitions[transition.0 as usize];
        match step.moves.is_empty() {
            true => {
                for (place, count) in &step.take {
                    let Some(left) = marking[place.0 as usize].checked_sub(*count) else { return false };
                    marking[place.0 as usize] = left;
                }
                for (place, count) in &step.give {
                    marking[place.0 as usize] = marking[place.0 as usize].saturating_add(*count);
                }
            }
            false => match step.fire(&marking) {
                Some(after) => marking = after,
                None => return false,
            },
        }
    }
    net.targets[target].is_covered(&marking)
}
