//! A finite-state network as a net: \[DYN\] Section 3.2, stack symbols tagged with switch numbers, and Section 3.3, one
//! place for each control state (global state and active thread) and one for each kind of pending thread. Only
//! what can occur is built.
//!
//! DIVERGENCE \[DYN\] Definition 2.7: a target counts as reached while a thread is active too, which the paper
//! brings about with more rules.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;

use selvedge_certificate::Place;
use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::dcps::{Action, Dcps, Kind, Move};
use selvedge_nets_syntax::net::{Net, PlaceId, Target, Tokens, Transition, TransitionId};
use selvedge_nets_syntax::pds::{StateId, SymbolId};
use selvedge_source::Span;

use super::Question;

/// A stack symbol tagged with the switch number of its thread; always 0 where there is no bound.
type Local = (SymbolId, u32);

/// The net of a network.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The net; its targets are the control states whose global state is a target.
    pub net: Net,
    /// The meaning of each place.
    pub places: Vec<Place>,
    /// What each transition is in the network, and the switch number of its thread.
    actions: Vec<(Action, u32)>,
    question: Question,
}

/// The net of a finite-state network.
pub fn encode(dcps: &Dcps, question: Question) -> Encoded {
    let Ok(encoded) = encode_while(dcps, question, |_| Ok::<(), Infallible>(()));
    encoded
}

/// As [`encode`], as long as a budget allows.
pub(crate) fn encode_within(dcps: &Dcps, question: Question, budget: &Budget) -> Result<Encoded, StopReason> {
    encode_while(dcps, question, |bytes| budget.go_on(bytes))
}

/// `go_on` gets the size of the net so far in bytes and may stop the construction.
fn encode_while<E>(dcps: &Dcps, question: Question, go_on: impl Fn(u64) -> Result<(), E>) -> Result<Encoded, E> {
    let mut encoder = Encoder::new(dcps, question);
    encoder.place(Place::Active(dcps.initial, dcps.initial_symbol, 0));
    while let Some(place) = encoder.work.pop_front() {
        go_on(encoder.bytes())?;
        encoder.expand(place);
    }
    Ok(encoder.finish())
}

/// Bytes of a place or a transition with its names and numbers, about.
const BYTES_OF_ONE: u64 = 256;

struct Encoder<'a> {
    dcps: &'a Dcps,
    question: Question,
    rules: BTreeMap<(StateId, SymbolId), Vec<usize>>,
    resumes_from: BTreeMap<StateId, Vec<usize>>,
    resumes_on: BTreeMap<SymbolId, Vec<usize>>,
    targets: BTreeMap<StateId, Span>,
    places: BTreeMap<Place, PlaceId>,
    order: Vec<Place>,
    work: VecDeque<Place>,
    idle: BTreeSet<StateId>,
    pending: BTreeSet<Local>,
    transitions: Vec<Transition>,
    actions: Vec<(Action, u32)>,
}

/// Positions in a list by a key.
fn by_key<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, Vec<usize>> {
    let mut index: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    keys.enumerate().for_each(|(at, key)| index.entry(key).or_default().push(at));
    index
}

impl<'a> Encoder<'a> {
    fn new(dcps: &'a Dcps, question: Question) -> Self {
        Encoder {
            dcps,
            question,
            rules: by_key(dcps.rules.iter().map(|rule| (rule.from, rule.top))),
            resumes_from: by_key(dcps.resumes.iter().map(|resume| resume.from)),
            resumes_on: by_key(dcps.resumes.iter().map(|resume| resume.top)),
            targets: dcps.targets.iter().rev().copied().collect(),
            places: BTreeMap::new(),
            order: Vec::new(),
            work: VecDeque::new(),
            idle: BTreeSet::new(),
            pending: BTreeSet::new(),
            transitions: Vec::new(),
            actions: Vec::new(),
        }
    }

    fn bytes(&self) -> u64 {
        (self.order.len() + self.transitions.len()) as u64 * BYTES_OF_ONE
    }

    fn place(&mut self, place: Place) -> PlaceId {
        if let Some(id) = self.places.get(&place) {
            return *id;
        }
        let id = PlaceId(self.order.len() as u32);
        self.places.insert(place, id);
        self.order.push(place);
        self.work.push_back(place);
        id
    }

    fn expand(&mut self, place: Place) {
        match place {
            Place::Ended(_) => {}
            Place::Active(state, top, level) => self.rules(state, (top, level)),
            Place::Idle(state) => {
                self.idle.insert(state);
                self.resumes(self.activations_in(state));
            }
            Place::Pending(top, level) => {
                let local = (top, level);
                self.pending.insert(local);
                self.resumes(self.activations_of(local));
            }
        }
    }

    /// The threads that can be activated in a state: by kind of thread, then by line.
    fn activations_in(&self, state: StateId) -> BTreeSet<(StateId, Local, usize)> {
        let mut found = BTreeSet::new();
        for index in self.resumes_from.get(&state).into_iter().flatten() {
            let top = self.dcps.resumes[*index].top;
            found.extend(self.pending.range((top, 0)..=(top, u32::MAX)).map(|local| (state, *local, *index)));
        }
        found
    }

    /// The states in which a thread can be activated: by state, then by line.
    fn activations_of(&self, local: Local) -> BTreeSet<(StateId, Local, usize)> {
        let lines = self.resumes_on.get(&local.0).into_iter().flatten();
        let states = lines.map(|index| (self.dcps.resumes[*index].from, local, *index));
        states.filter(|(state, ..)| self.idle.contains(state)).collect()
    }

    /// The steps of the active thread. Those out of a target do not matter.
    fn rules(&mut self, state: StateId, (top, level): Local) {
        if self.targets.contains_key(&state) {
            return;
        }
        let dcps = self.dcps;
        for index in self.rules.get(&(state, top)).cloned().unwrap_or_default() {
            let rule = &dcps.rules[index];
            let mut give = Vec::new();
            match (rule.kind, rule.push.first()) {
                (Kind::Step, None) => give.push(Place::Ended(rule.to)),
                (Kind::Step, Some(symbol)) => give.push(Place::Active(rule.to, *symbol, level)),
                (Kind::Yield, symbol) => {
                    give.push(Place::Idle(rule.to));
                    give.extend(symbol.and_then(|symbol| self.waiting(*symbol, level + 1)));
                }
            }
            give.extend(rule.spawn.and_then(|symbol| self.waiting(symbol, self.question.spawned(level))));
            let action = (Action::Rule(index), level);
            self.transition(vec![Place::Active(state, top, level)], give, action, rule.span);
        }
    }

    /// Activations; those in a target do not matter.
    fn resumes(&mut self, activations: BTreeSet<(StateId, Local, usize)>) {
        let dcps = self.dcps;
        for (state, local, index) in activations {
            if !self.targets.contains_key(&state) {
                let resume = &dcps.resumes[index];
                let take = vec![Place::Idle(state), Place::Pending(local.0, local.1)];
                let action = (Action::Resume(index), local.1);
                self.transition(take, vec![Place::Active(resume.to, local.0, local.1)], action, resume.span);
            }
        }
    }

    /// The place of a thread that waits; `None` if it will never run again within the bound.
    fn waiting(&self, symbol: SymbolId, level: u32) -> Option<Place> {
        self.question.level(level).map(|level| Place::Pending(symbol, level))
    }

    fn transition(&mut self, take: Vec<Place>, give: Vec<Place>, action: (Action, u32), span: Span) {
        let mut bag = |places: Vec<Place>| {
            let mut counts: BTreeMap<PlaceId, u32> = BTreeMap::new();
            places.into_iter().for_each(|place| *counts.entry(self.place(place)).or_default() += 1);
            counts.into_iter().collect()
        };
        let (take, give) = (bag(take), bag(give));
        self.transitions.push(Transition { take, give, moves: Vec::new(), span });
        self.actions.push(action);
    }

    fn finish(self) -> Encoded {
        let mut names = BTreeSet::new();
        let places = self.order.iter().map(|place| self.name(*place, &mut names)).collect();
        let mut initial = vec![Tokens { least: 0, most: Some(0), span: None }; self.order.len()];
        initial[0] = Tokens { least: 1, most: Some(1), span: None };
        let mut targets = Vec::new();
        for (place, id) in &self.places {
            let (Place::Idle(state) | Place::Ended(state) | Place::Active(state, ..)) = place else { continue };
            if let Some(span) = self.targets.get(state) {
                targets.push(Target { need: vec![(*id, 1)], span: *span });
            }
        }
        let net = Net { places, transitions: self.transitions, initial, targets };
        Encoded { net, places: self.order, actions: self.actions, question: self.question }
    }

    /// A name that `.spec` files can have.
    fn name(&self, place: Place, names: &mut BTreeSet<String>) -> String {
        let (state, symbol) = (|s: StateId| self.dcps.state_name(s), |s: SymbolId| self.dcps.symbol_name(s));
        let tag = |level: u32| self.question.thread_switches.map(|_| format!("_{level}")).unwrap_or_default();
        let name = match place {
            Place::Idle(q) => format!("idle_{}", state(q)),
            Place::Ended(q) => format!("ended_{}", state(q)),
            Place::Active(q, top, level) => format!("run_{}_{}{}", state(q), symbol(top), tag(level)),
            Place::Pending(top, level) => format!("wait_{}{}", symbol(top), tag(level)),
        };
        let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        while !names.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

impl Question {
    /// The tag of a switch number; `None` beyond the bound.
    fn level(&self, switches: u32) -> Option<u32> {
        match self.thread_switches {
            None => Some(0),
            Some(most) => (switches <= most).then_some(switches),
        }
    }

    /// The switch number of a thread that one with this number creates.
    fn spawned(&self, level: u32) -> u32 {
        if self.fresh_switches { 0 } else { level + 1 }
    }
}

impl Encoded {
    /// The run of the network that a run of the net is: threads get their identity back, and among
    /// indistinguishable threads the oldest continues. `None` if it is not a run.
    pub fn moves(&self, dcps: &Dcps, transitions: &[TransitionId]) -> Option<Vec<Move>> {
        let mut waiting: BTreeMap<Local, VecDeque<usize>> = BTreeMap::new();
        let (mut threads, mut active) = (1, Some(0));
        let mut moves = Vec::new();
        for transition in transitions {
            let (action, level) = *self.actions.get(transition.0 as usize)?;
            let thread = match action {
                Action::Resume(index) => {
                    let local = (dcps.resumes[index].top, level);
                    let thread = waiting.get_mut(&local)?.pop_front()?;
                    active = Some(thread);
                    thread
                }
                Action::Rule(index) => {
                    let rule = &dcps.rules[index];
                    let thread = active?;
                    let mut wait = |symbol: SymbolId, switches: u32, thread: usize| {
                        if let Some(level) = self.question.level(switches) {
                            waiting.entry((symbol, level)).or_default().push_back(thread);
                        }
                    };
                    if let Some(symbol) = rule.spawn {
                        wait(symbol, self.question.spawned(level), threads);
                        threads += 1;
                    }
                    if rule.kind == Kind::Yield {
                        active = None;
                        if let Some(symbol) = rule.push.first() {
                            wait(*symbol, level + 1, thread);
                        }
                    }
                    thread
                }
            };
            moves.push(Move { thread, action });
        }
        Some(moves)
    }
}
