//! A net as a network: the reduction of \[DYN\] Section 3.4, by which a target of the net can be covered iff a state of
//! the network is reachable, with two switches of each thread or with any number. It shows that networks are as
//! hard as nets, and makes hard networks for tests.
//!
//! A token is a pending thread. The first thread creates any number of helpers; a helper gives tokens by creating
//! threads, and a thread that is activated and ends is a token that is taken. The paper starts from systems that change one
//! counter by one in each step, so transitions become chains of states, and so do the start and the targets.

use selvedge_nets_syntax::dcps::{Dcps, Kind, Resume, Rule};
use selvedge_nets_syntax::net::{Net, PlaceId};
use selvedge_nets_syntax::pds::{StateId, SymbolId};
use selvedge_source::{FileId, Span};

/// Steps of one transition at most: each token of it is a state.
const MOST_TOKENS: u64 = 100_000;

/// Why a net cannot be reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReducible(pub String);

/// One unit of change.
#[derive(Clone, Copy)]
enum Unit {
    Take(PlaceId),
    Give(PlaceId),
}

/// The network of a net.
pub fn network_of_net(net: &Net) -> Result<Dcps, NotReducible> {
    if net.transitions.iter().any(|transition| !transition.moves.is_empty()) {
        return Err(NotReducible("a network cannot move all tokens of a place in one step".to_owned()));
    }
    let bags = net.transitions.iter().flat_map(|t| [&t.take, &t.give]).chain(net.targets.iter().map(|t| &t.need));
    let tokens: u64 = bags.flatten().map(|(_, count)| u64::from(*count)).sum();
    let start: u64 = net.initial.iter().map(|tokens| u64::from(tokens.most.unwrap_or(0))).sum();
    if tokens + start > MOST_TOKENS {
        return Err(NotReducible(format!(
            "its numbers are too large: the network would have {} states",
            tokens + start
        )));
    }
    let mut reduction = Reduction::new(net);
    reduction.frame();
    reduction.start(net);
    for transition in &net.transitions {
        let units = units(&transition.take, Unit::Take).chain(units(&transition.give, Unit::Give));
        reduction.chain(IDLE, &units.collect::<Vec<_>>(), IDLE);
    }
    for target in &net.targets {
        reduction.chain(IDLE, &units(&target.need, Unit::Take).collect::<Vec<_>>(), COVERED);
    }
    reduction.helpers();
    Ok(reduction.dcps)
}

const BEGIN: StateId = StateId(0);
const IDLE: StateId = StateId(1);
const COVERED: StateId = StateId(2);
const FIRST: SymbolId = SymbolId(0);
const HELPER: SymbolId = SymbolId(1);

fn units(bag: &[(PlaceId, u32)], unit: fn(PlaceId) -> Unit) -> impl Iterator<Item = Unit> + '_ {
    bag.iter().flat_map(move |(place, count)| (0..*count).map(move |_| unit(*place)))
}

struct Reduction {
    dcps: Dcps,
    span: Span,
}

impl Reduction {
    fn new(net: &Net) -> Self {
        let span = Span::new(FileId(0), 0, 0);
        let symbols = ["first", "helper"].into_iter().map(str::to_owned);
        let dcps = Dcps {
            states: ["begin", "idle", "covered"].map(str::to_owned).to_vec(),
            symbols: symbols.chain(net.places.iter().map(|name| format!("token.{name}"))).collect(),
            initial: BEGIN,
            initial_symbol: FIRST,
            targets: vec![(COVERED, span)],
            rules: Vec::new(),
            resumes: Vec::new(),
        };
        Reduction { dcps, span }
    }

    fn new_state(&mut self) -> StateId {
        let id = StateId(self.dcps.states.len() as u32);
        self.dcps.states.push(format!("step.{}", id.0));
        id
    }

    fn rule(
        &mut self,
        from: StateId,
        top: SymbolId,
        to: StateId,
        push: &[SymbolId],
        spawn: Option<SymbolId>,
        kind: Kind,
    ) {
        self.dcps.rules.push(Rule { from, top, to, push: push.to_vec(), spawn, kind, span: self.span });
    }

    /// The first thread creates helpers and leaves.
    fn frame(&mut self) {
        self.rule(BEGIN, FIRST, BEGIN, &[FIRST], Some(HELPER), Kind::Step);
    }

    /// The tokens at the start; any number of them where the net does not fix it.
    fn start(&mut self, net: &Net) {
        let filling = self.new_state();
        self.rule(BEGIN, FIRST, filling, &[], None, Kind::Yield);
        let mut fixed = Vec::new();
        for (place, tokens) in net.initial.iter().enumerate() {
            let place = PlaceId(place as u32);
            match tokens.most {
                Some(most) => fixed.extend((0..most).map(|_| Unit::Give(place))),
                None => self.chain(filling, &[Unit::Give(place)], filling),
            }
        }
        self.chain(filling, &fixed, IDLE);
    }

    /// The states and rules that make these changes one after the other.
    fn chain(&mut self, from: StateId, units: &[Unit], to: StateId) {
        let mut at = from;
        if units.is_empty() {
            self.rule(from, HELPER, to, &[HELPER], None, Kind::Step);
        }
        for (index, unit) in units.iter().enumerate() {
            let next = if index + 1 == units.len() { to } else { self.new_state() };
            match unit {
                Unit::Give(place) => {
                    self.rule(at, HELPER, next, &[HELPER], Some(SymbolId(place.0 + 2)), Kind::Step);
                }
                Unit::Take(place) => {
                    let (top, span) = (SymbolId(place.0 + 2), self.span);
                    self.dcps.resumes.push(Resume { from: at, to: next, top, span });
                    if !self.dcps.rules.iter().any(|rule| rule.from == next && rule.top == top) {
                        self.rule(next, top, next, &[], None, Kind::Yield);
                    }
                }
            }
            at = next;
        }
    }

    /// Between any two changes a helper may come or go.
    fn helpers(&mut self) {
        for state in 1..self.dcps.states.len() as u32 {
            let (state, span) = (StateId(state), self.span);
            self.dcps.resumes.push(Resume { from: state, to: state, top: HELPER, span });
            self.rule(state, HELPER, state, &[], None, Kind::Yield);
        }
    }
}
