//! Executes a trace of a net on the places and numbers in it, without the machine: every counterexample is
//! replayed here before it is shown. A step is a transition that stands where the trace says and changes the
//! tokens as it says; the first steps may choose tokens at the start.

use std::collections::BTreeMap;

use selvedge_core::trace::{TraceLocation, TraceStep};
use selvedge_core::{Trace, ViolationKind};
use selvedge_source::SourceMap;

use super::model::Net;
use crate::pds::ReplayError;

/// Whether the trace can be executed and ends as it says.
pub fn replay(net: &Net, sources: &SourceMap, trace: &Trace) -> Result<(), ReplayError> {
    let mut tokens: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, range) in net.places.iter().zip(&net.initial) {
        tokens.insert(name, u64::from(range.least));
    }
    let mut started = false;
    for (index, step) in trace.steps.iter().enumerate() {
        let error = |reason: String| ReplayError { step: index + 1, reason };
        let after = take_step(net, sources, step, &tokens);
        let chosen = || if started { None } else { choose(net, step, &tokens) };
        if let Some(after) = after {
            started = true;
            tokens = after;
        } else if let Some(after) = chosen() {
            tokens = after;
        } else {
            return Err(error(format!("`{}` cannot be followed here", step.text)));
        }
    }
    let covered = || {
        net.targets
            .iter()
            .any(|target| target.need.iter().all(|(place, count)| tokens[net.place_name(*place)] >= u64::from(*count)))
    };
    let stuck = || {
        net.transitions.iter().all(|transition| {
            transition.take.iter().any(|(place, count)| tokens[net.place_name(*place)] < u64::from(*count))
        })
    };
    let ends_so = match trace.violation.as_ref().map(|violation| violation.kind) {
        None => true,
        Some(ViolationKind::TargetCovered) => covered(),
        Some(ViolationKind::InvalidEndState) => stuck(),
        Some(_) => false,
    };
    if ends_so {
        return Ok(());
    }
    Err(ReplayError { step: trace.steps.len() + 1, reason: "the run does not end in the violation".to_owned() })
}

/// The tokens after a transition that stands where the step says and does what it says.
fn take_step<'a>(
    net: &'a Net,
    sources: &SourceMap,
    step: &TraceStep,
    tokens: &BTreeMap<&'a str, u64>,
) -> Option<BTreeMap<&'a str, u64>> {
    net.transitions.iter().find_map(|transition| {
        let here: TraceLocation = sources.location(transition.span).into();
        if step.location.as_ref() != Some(&here) {
            return None;
        }
        let mut after = tokens.clone();
        for (place, count) in &transition.take {
            let held = after.get_mut(net.place_name(*place))?;
            *held = held.checked_sub(u64::from(*count))?;
        }
        let mut moved = Vec::new();
        for (from, to) in &transition.moves {
            let held = after.insert(net.place_name(*from), 0)?;
            moved.extend(to.map(|to| (net.place_name(to), held)));
        }
        let given = transition.give.iter().map(|(place, count)| (net.place_name(*place), u64::from(*count)));
        for (place, count) in moved.into_iter().chain(given) {
            *after.get_mut(place)? += count;
        }
        (changes(tokens, &after) == stated(step)?).then_some(after)
    })
}

/// The tokens after more were chosen at the start.
fn choose<'a>(net: &'a Net, step: &TraceStep, tokens: &BTreeMap<&'a str, u64>) -> Option<BTreeMap<&'a str, u64>> {
    let stated = stated(step)?;
    let [(name, count)] = stated.as_slice() else { return None };
    let place = net.places.iter().position(|place| place == name)?;
    let range = net.initial[place];
    let allowed = *count >= u64::from(range.least) && range.most.is_none_or(|most| *count <= u64::from(most));
    let mut after = tokens.clone();
    after.insert(net.places[place].as_str(), *count);
    allowed.then_some(after)
}

/// What a step says it changes, by name.
fn stated(step: &TraceStep) -> Option<Vec<(String, u64)>> {
    let mut list = Vec::new();
    for (name, value) in &step.changes.0 {
        list.push((name.clone(), value.parse().ok()?));
    }
    list.sort();
    Some(list)
}

fn changes(before: &BTreeMap<&str, u64>, after: &BTreeMap<&str, u64>) -> Vec<(String, u64)> {
    let changed = after.iter().filter(|(name, count)| before.get(*name) != Some(count));
    changed.map(|(name, count)| ((*name).to_owned(), *count)).collect()
}
