//! From the steps that a search found to a run of the net: what the reduction left out is put back. Places that were
//! taken for granted need tokens at the start, or steps in front that fill them.

use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::net::{Net, PlaceId, Start, TransitionId};

use super::marking::{OMEGA, minus, plus};
use super::reduced_net::{Origin, ReducedNet, StepId, TargetId};

/// A run of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Tokens at the start, where the net does not fix them; sorted by place.
    pub start: Start,
    /// The transitions.
    pub transitions: Vec<TransitionId>,
    /// The target that is covered at the end, by position.
    pub target: TargetId,
}

/// Steps in front that fill places, at most.
const MOST_PUMPED: usize = 5_000_000;

/// Why there is no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoRun {
    /// A limit came first.
    Stopped(StopReason),
    /// There is one with more steps or tokens than can be written down.
    TooLong,
    /// The steps are none: the search and its check disagree, which is a fault of these analyses. What each says.
    Defect(String),
}

impl From<StopReason> for NoRun {
    fn from(reason: StopReason) -> Self {
        NoRun::Stopped(reason)
    }
}

/// The run of the net that these steps of the reduced net are.
pub(super) fn run(net: &Net, reduced: &ReducedNet, steps: &[StepId], budget: &Budget) -> Result<Run, NoRun> {
    let (target, mut transitions) = origins(reduced, steps)
        .ok_or_else(|| disagree(net, &[], None, "they do not end at a target, and only there"))?;
    let wrong = |transitions: &[TransitionId], why: &str| disagree(net, transitions, Some(target), why);
    let need = match shorten(net, target, &mut transitions, budget) {
        Err(NoRun::Defect(why)) => return Err(wrong(&transitions, &why)),
        other => other?,
    };
    let (start, transitions) = match fill(net, reduced, need, transitions.clone()) {
        Err(NoRun::Defect(why)) => return Err(wrong(&transitions, &why)),
        other => other?,
    };
    budget.go_on(0)?;
    match check(net, &start, &transitions, target) {
        Ok(()) => Ok(Run { start, transitions, target }),
        Err(why) => Err(wrong(&transitions, &why)),
    }
}

/// Steps of a run that a defect is shown with.
const SHOWN: usize = 20;

/// The search claims a run that its check refuses: both sides.
fn disagree(net: &Net, transitions: &[TransitionId], target: Option<TargetId>, why: &str) -> NoRun {
    let names: Vec<String> = transitions.iter().take(SHOWN).map(|step| (step.0 + 1).to_string()).collect();
    let more = transitions.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(", … ({more} more)") } else { String::new() };
    let target =
        target.map_or_else(|| "a target".to_owned(), |at| format!("`{}`", net.shown(&net.targets[at.index()].need)));
    NoRun::Defect(format!(
        "the search covers {target} by {} steps (transitions {}{more}), but the check of this run says: {why}",
        transitions.len(),
        names.join(", ")
    ))
}

/// The transitions that steps are, and the target that the last one covers.
fn origins(reduced: &ReducedNet, steps: &[StepId]) -> Option<(TargetId, Vec<TransitionId>)> {
    let (last, before) = steps.split_last()?;
    let Origin::Target(target) = reduced.step(*last).origin else { return None };
    let transition = |step: &StepId| match reduced.step(*step).origin {
        Origin::Transition(transition) => Some(transition),
        Origin::Target(_) => None,
    };
    Some((target, before.iter().map(transition).collect::<Option<_>>()?))
}

/// The tokens that a run needs at the start to cover a target. Leaves out transitions that do not contribute. Only a step
/// that moves tokens visits every place.
fn shorten(
    net: &Net,
    target: TargetId,
    transitions: &mut Vec<TransitionId>,
    budget: &Budget,
) -> Result<Vec<u32>, NoRun> {
    let moving = markings_to_choose_from(net, transitions, budget)?;
    let mut moving = moving.into_iter().rev();
    let mut need = vec![0u32; net.places.len()];
    net.targets[target.index()].need.iter().for_each(|(place, count)| need[place.0 as usize] = *count);
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
                *tokens = tokens.checked_add(*count).ok_or(NoRun::TooLong)?;
            }
        } else {
            let marking = moving.next().expect("a marking for each step that moves tokens");
            need = before(net, *transition, &need, &marking)?;
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
        fire(net, *transition, &mut marking).ok_or(NoRun::TooLong)?;
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
fn before(net: &Net, transition: TransitionId, need: &[u32], marking: &[u32]) -> Result<Vec<u32>, NoRun> {
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
    if let Some((from, _)) = step.moves.iter().find(|(from, _)| rest[from.0 as usize] > 0) {
        let place = &net.places[from.0 as usize];
        return Err(NoRun::Defect(format!(
            "transition {} moves away the tokens that `{place}` needs behind it",
            transition.0 + 1
        )));
    }
    for (place, count) in &step.take {
        earlier[place.0 as usize] = earlier[place.0 as usize].checked_add(*count).ok_or(NoRun::TooLong)?;
    }
    Ok(earlier)
}

/// Puts steps in front that fill the places which lack tokens; then the tokens at the start.
fn fill(
    net: &Net,
    reduced: &ReducedNet,
    mut need: Vec<u32>,
    transitions: Vec<TransitionId>,
) -> Result<(Start, Vec<TransitionId>), NoRun> {
    let mut front: Vec<TransitionId> = Vec::new();
    for (place, transition) in reduced.pumps.iter().rev() {
        let at = place.0 as usize;
        let most = net.initial[at].most.unwrap_or(OMEGA);
        while need[at] > most {
            if front.len() >= MOST_PUMPED {
                return Err(NoRun::TooLong);
            }
            front.push(*transition);
            let step = &net.transitions[transition.0 as usize];
            for (place, count) in &step.give {
                need[place.0 as usize] = need[place.0 as usize].saturating_sub(*count);
            }
            for (place, count) in &step.take {
                need[place.0 as usize] = need[place.0 as usize].checked_add(*count).ok_or(NoRun::TooLong)?;
            }
        }
    }
    front.reverse();
    front.extend(transitions);
    let mut start = Start::new();
    for (place, (tokens, need)) in net.initial.iter().zip(&need).enumerate() {
        if let Some(most) = tokens.most.filter(|most| need > most) {
            let name = &net.places[place];
            return Err(NoRun::Defect(format!("`{name}` needs {need} tokens at the start and has {most} at most")));
        }
        if tokens.most != Some(tokens.least) {
            start.push((PlaceId(place as u32), (*need).max(tokens.least)));
        }
    }
    Ok((start, front))
}

/// Whether a run is one and covers the target: executed with plain numbers. The error says where it is not.
fn check(net: &Net, start: &Start, transitions: &[TransitionId], target: TargetId) -> Result<(), String> {
    let mut marking: Vec<u32> = net.initial.iter().map(|tokens| tokens.least).collect();
    start.iter().for_each(|(place, tokens)| marking[place.0 as usize] = *tokens);
    for (position, transition) in transitions.iter().enumerate() {
        let step = &net.transitions[transition.0 as usize];
        let refused =
            |why: String| format!("step {} (transition {}) cannot be taken: {why}", position + 1, transition.0 + 1);
        match step.moves.is_empty() {
            true => {
                for (place, count) in &step.take {
                    let tokens = &mut marking[place.0 as usize];
                    let lacks = || format!("`{}` has {tokens} tokens of {count}", net.places[place.0 as usize]);
                    *tokens = tokens.checked_sub(*count).ok_or_else(|| refused(lacks()))?;
                }
                for (place, count) in &step.give {
                    marking[place.0 as usize] = marking[place.0 as usize].saturating_add(*count);
                }
            }
            false => marking = step.fire(&marking).ok_or_else(|| refused("it is not enabled".to_owned()))?,
        }
    }
    let target = &net.targets[target.index()];
    match target.is_covered(&marking) {
        true => Ok(()),
        false => Err(format!("it ends without `{}`", net.shown(&target.need))),
    }
}

#[cfg(test)]
mod tests {
    use selvedge_core::{Interrupt, Limits};
    use selvedge_nets_syntax::net::{Target, Tokens, Transition};

    use super::*;

    /// `a` has one token; transition 1 takes it to `b`, transition 2 from there to `c`, the target.
    fn line() -> Net {
        let span = selvedge_source::Span::new(selvedge_source::FileId(0), 0, 0);
        let step = |from: u32, to: u32| Transition {
            take: vec![(PlaceId(from), 1)],
            give: vec![(PlaceId(to), 1)],
            moves: Vec::new(),
            span,
        };
        let tokens = |count| Tokens { least: count, most: Some(count), span: None };
        Net {
            places: ["a", "b", "c"].map(str::to_owned).to_vec(),
            transitions: vec![step(0, 1), step(1, 2)],
            initial: vec![tokens(1), tokens(0), tokens(0)],
            targets: vec![Target { need: vec![(PlaceId(2), 1)], span }],
        }
    }

    /// The run of the steps of the reduced net that come from these.
    fn written(origins: &[Origin]) -> Result<Run, NoRun> {
        let net = line();
        let reduced = ReducedNet::of(&net, false);
        let position =
            |origin: &Origin| reduced.numbered_steps().find(|(_, step)| step.origin == *origin).expect("a step").0;
        let steps: Vec<StepId> = origins.iter().map(position).collect();
        run(&net, &reduced, &steps, &Budget::start(Limits::default(), Interrupt::new()))
    }

    fn taken(transition: u32) -> Origin {
        Origin::Transition(TransitionId(transition))
    }

    #[test]
    fn steps_that_are_a_run_are_written() {
        let run = written(&[taken(0), taken(1), Origin::Target(TargetId(0))]).expect("a run");
        assert_eq!((run.transitions, run.target), (vec![TransitionId(0), TransitionId(1)], TargetId(0)));
    }

    #[test]
    fn steps_that_are_none_are_a_defect_and_no_limit() {
        let defect = |origins: &[Origin]| match written(origins) {
            Err(NoRun::Defect(why)) => why,
            other => panic!("{other:?}"),
        };
        let why = defect(&[taken(1), Origin::Target(TargetId(0))]);
        let expected = "by 1 steps (transitions 2), but the check of this run says: `b` needs 1 tokens at the start";
        assert!(why.starts_with("the search covers `c") && why.contains(expected), "{why}");
        assert!(defect(&[Origin::Target(TargetId(0))]).contains("`c` needs 1 tokens at the start and has 0 at most"));
        assert!(defect(&[taken(0)]).contains("they do not end at a target"));
    }

    #[test]
    fn the_check_reports_where_a_run_ends() {
        let net = line();
        let checked = |transitions: &[u32]| {
            let transitions: Vec<TransitionId> = transitions.iter().copied().map(TransitionId).collect();
            check(&net, &Start::new(), &transitions, TargetId(0))
        };
        assert_eq!(checked(&[0, 1]), Ok(()));
        let lacks = "step 2 (transition 1) cannot be taken: `a` has 0 tokens of 1";
        assert_eq!(checked(&[0, 0]), Err(lacks.to_owned()));
        assert!(checked(&[0]).is_err_and(|why| why.starts_with("it ends without `c")));
    }
}
