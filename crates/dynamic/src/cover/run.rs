//! From the steps that a search found to a run of the net: what the task left out is put back. Places that were
//! taken for granted need tokens at the start, or steps in front that fill them.

use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::net::{Net, PlaceId, Start, TransitionId};

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

/// Why there is no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRun {
    /// A limit came first.
    Stopped(StopReason),
    /// The steps are none, which is a defect of the search, or the run would be too long.
    Unwritten,
}

impl From<StopReason> for NoRun {
    fn from(reason: StopReason) -> Self {
        NoRun::Stopped(reason)
    }
}

/// The run of these steps of a task.
pub fn run(net: &Net, task: &Task, steps: &[u32], budget: &Budget) -> Result<Run, NoRun> {
    let (target, mut transitions) = origins(task, steps).ok_or(NoRun::Unwritten)?;
    let need = shorten(net, target, &mut transitions, budget)?;
    let (start, transitions) = fill(net, task, need, transitions).ok_or(NoRun::Unwritten)?;
    budget.go_on(0)?;
    match check(net, &start, &transitions, target) {
        true => Ok(Run { start, transitions, target }),
        false => Err(NoRun::Unwritten),
    }
}

/// The transitions that steps are, and the target that the last one covers.
fn origins(task: &Task, steps: &[u32]) -> Option<(usize, Vec<TransitionId>)> {
    let (last, before) = steps.split_last()?;
    let Origin::Target(target) = task.steps[*last as usize].origin else { return None };
    let transition = |step: &u32| match task.steps[*step as usize].origin {
        Origin::Transition(transition) => Some(transition),
        Origin::Target(_) => None,
    };
    Some((target, before.iter().map(transition).collect::<Option<_>>()?))
}

/// The tokens that a run needs at the start to cover a target. Leaves out transitions that do not contribute. Only a step
/// that moves tokens looks at every place.
fn shorten(net: &Net, target: usize, transitions: &mut Vec<TransitionId>, budget: &Budget) -> Result<Vec<u32>, NoRun> {
    let moving = markings_to_choose_from(net, transitions, budget)?;
    let mut moving = moving.into_iter().rev();
    let mut need = vec![0u32; net.places.len()];
    net.targets[target].need.iter().for_each(|(place, count)| need[place.0 as usize] = *count);
    let mut kept = Vec::new();
    for transition in transitions.iter().rev() {
        budget.go_on(0)?;
        let step = &net.transitions[transition.0 as usize];
        if step.moves.is_empty() {
            if step.give.iter().all(|(place, _)| need[place.0 as usize] == 0) {
                continue;
            }
            step.give.iter().for_each(|(place, count)| {
                need[place.0 as usize] = need[place.0 as usize].saturating_sub(*count);
            });
            for (place, count) in &step.take {
                let tokens = &mut need[place.0 as usize];
                *tokens = tokens.checked_add(*count).ok_or(NoRun::Unwritten)?;
            }
        } else {
            let marking = moving.next().ok_or(NoRun::Unwritten)?;
            need = before(net, *transition, &need, &marking).ok_or(NoRun::Unwritten)?;
        }
        kept.push(*transition);
    }
    kept.reverse();
    *transitions = kept;
    Ok(need)
}

/// The largest markings in front of the steps that move tokens, to choose from where those come.
fn markings_to_choose_from(net: &Net, transitions: &[TransitionId], budget: &Budget) -> Result<Vec<Vec<u32>>, NoRun> {
    let moves = |transition: &TransitionId| !net.transitions[transition.0 as usize].moves.is_empty();
    let mut markings = Vec::new();
    if !transitions.iter().any(moves) {
        return Ok(markings);
    }
    let mut marking = top(net);
    for transition in transitions {
        budget.go_on((markings.len() * net.places.len() * size_of::<u32>()) as u64)?;
        if moves(transition) {
            markings.push(marking.clone());
        }
        fire(net, *transition, &mut marking).ok_or(NoRun::Unwritten)?;
    }
    Ok(markings)
}

/// As many tokens at the start as there can be.
fn top(net: &Net) -> Vec<u32> {
    net.initial.iter().map(|tokens| tokens.most.unwrap_or(OMEGA)).collect()
}

/// Takes a transition. A place that is filled for free may lack tokens here: it then has any number.
fn fire(net: &Net, transition: TransitionId, after: &mut [u32]) -> Option<()> {
    let step = &net.transitions[transition.0 as usize];
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
    Some(())
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
