//! Executes a trace of a net on the places and numbers in it, without the machine: every counterexample is
//! replayed here before it is shown. A step is a transition that stands where the trace says and changes the
//! tokens as it says; the first steps may choose tokens at the start.

use std::collections::{BTreeMap, HashMap};

use selvedge_core::trace::{TraceLocation, TraceStep};
use selvedge_core::{ReplayError, Trace, ViolationKind};
use selvedge_source::{Cancel, SourceMap, Span};

use selvedge_nets_syntax::net::{Net, PlaceId, Transition};

mod sample;

pub use sample::sample;

/// Whether the trace can be executed and ends as it says.
pub fn replay(net: &Net, sources: &SourceMap, trace: &Trace) -> Result<(), ReplayError> {
    replay_until(net, sources, trace, &Cancel::never())
}

/// As [`replay`], unless it is cancelled.
pub fn replay_until(net: &Net, sources: &SourceMap, trace: &Trace, cancel: &Cancel) -> Result<(), ReplayError> {
    let mut player = Player::new(net, sources);
    let mut started = false;
    // The tokens where the cycle begins. A net is one thread, so every cycle is fair.
    let mut cycle = None;
    for (index, step) in trace.steps.iter().enumerate() {
        if cancel.asks() {
            return Err(ReplayError::Cancelled);
        }
        if step.cycle_start {
            cycle = Some(player.tokens.clone());
        }
        if player.take_step(step) {
            started = true;
        } else if started || !player.choose(step) {
            return Err(ReplayError::at(index + 1, format!("`{}` cannot be followed here", step.text)));
        }
    }
    let ends_so = match trace.violation.as_ref().map(|violation| violation.kind) {
        None => true,
        Some(ViolationKind::TargetCovered) => player.is_covered(),
        Some(ViolationKind::InvalidEndState) => player.is_stuck(),
        Some(ViolationKind::NonProgressCycle) => cycle.is_some_and(|tokens| tokens == player.tokens),
        Some(_) => false,
    };
    if ends_so {
        return Ok(());
    }
    Err(ReplayError::at(trace.steps.len() + 1, "the run does not end in the violation"))
}

struct Player<'a> {
    net: &'a Net,
    /// The transitions by the line and column where they stand.
    standing: HashMap<(u32, u32), Vec<(TraceLocation, &'a Transition)>>,
    places: HashMap<&'a str, PlaceId>,
    tokens: Vec<u64>,
}

impl<'a> Player<'a> {
    fn new(net: &'a Net, sources: &SourceMap) -> Self {
        let mut standing: HashMap<(u32, u32), Vec<(TraceLocation, &Transition)>> = HashMap::new();
        for transition in &net.transitions {
            let here: TraceLocation = sources.location(transition.span).into();
            standing.entry((here.line, here.column)).or_default().push((here, transition));
        }
        let named = net.places.iter().enumerate().map(|(at, name)| (name.as_str(), PlaceId(at as u32)));
        let tokens = net.initial.iter().map(|range| u64::from(range.least)).collect();
        Player { net, standing, places: named.collect(), tokens }
    }

    fn held(&self, place: PlaceId) -> u64 {
        self.tokens[place.0 as usize]
    }

    /// Takes a transition that stands where the step says and does what it says; whether there is one.
    fn take_step(&mut self, step: &TraceStep) -> bool {
        let Some(stated) = self.stated(step) else { return false };
        let Some(here) = &step.location else { return false };
        let standing = self.standing.get(&(here.line, here.column)).into_iter().flatten();
        let taken = standing.filter(|(place, _)| place == here).find_map(|(_, transition)| {
            let changed = self.after(transition)?;
            (changed == stated).then_some(changed)
        });
        let Some(changed) = taken else { return false };
        changed.into_iter().for_each(|(place, count)| self.tokens[place.0 as usize] = count);
        true
    }

    /// Chooses more tokens at the start; whether that can be.
    fn choose(&mut self, step: &TraceStep) -> bool {
        let Some(stated) = self.stated(step) else { return false };
        let mut stated = stated.into_iter();
        let (Some((place, count)), None) = (stated.next(), stated.next()) else { return false };
        let range = self.net.initial[place.0 as usize];
        let allowed = count >= u64::from(range.least) && range.most.is_none_or(|most| count <= u64::from(most));
        if allowed {
            self.tokens[place.0 as usize] = count;
        }
        allowed
    }

    /// What a step says it changes; `None` if that is about something else than places, or says one twice.
    fn stated(&self, step: &TraceStep) -> Option<BTreeMap<PlaceId, u64>> {
        let mut stated = BTreeMap::new();
        for (name, value) in &step.changes.0 {
            if stated.insert(*self.places.get(name.as_str())?, value.parse().ok()?).is_some() {
                return None;
            }
        }
        Some(stated)
    }

    fn is_covered(&self) -> bool {
        self.covered().is_some()
    }

    /// The first target that is covered.
    fn covered(&self) -> Option<Span> {
        let enough = |(place, count): &(PlaceId, u32)| self.held(*place) >= u64::from(*count);
        self.net.targets.iter().find(|target| target.need.iter().all(enough)).map(|target| target.span)
    }

    fn is_stuck(&self) -> bool {
        let lacks = |(place, count): &(PlaceId, u32)| self.held(*place) < u64::from(*count);
        self.net.transitions.iter().all(|transition| transition.take.iter().any(lacks))
    }

    /// The places whose tokens a transition changes, with their tokens then; `None` if it cannot be taken.
    fn after(&self, transition: &Transition) -> Option<BTreeMap<PlaceId, u64>> {
        let mut after: BTreeMap<PlaceId, u64> = BTreeMap::new();
        for (place, count) in &transition.take {
            let held = after.entry(*place).or_insert_with(|| self.held(*place));
            *held = held.checked_sub(u64::from(*count))?;
        }
        let mut moved = Vec::new();
        for (from, to) in &transition.moves {
            let held = after.insert(*from, 0).unwrap_or_else(|| self.held(*from));
            moved.extend(to.map(|to| (to, held)));
        }
        let given = transition.give.iter().map(|(place, count)| (*place, u64::from(*count)));
        for (place, count) in moved.into_iter().chain(given) {
            *after.entry(place).or_insert_with(|| self.held(place)) += count;
        }
        after.retain(|place, count| self.held(*place) != *count);
        Some(after)
    }
}
