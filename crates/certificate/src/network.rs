//! The net that a certificate of a finite-state network speaks of: one place for each control state (the global state
//! with what the active thread is doing) and one for each kind of thread that waits, tagged with its switch number
//! where switches are bounded (\[DYN\] Sections 3.2 and 3.3). Written from the definition of networks, apart from the
//! engine's own construction: a certificate that was found on a wrong net does not pass here.
//!
//! Only places that can be marked are there, by the simplest criterion: a transition exists where each of its inputs
//! can be marked, whatever the numbers of tokens. A run that has reached a target is over.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_nets_syntax::dcps::{Dcps, Kind};
use selvedge_nets_syntax::net::{Net, PlaceId, Target, Tokens, Transition, bag};
use selvedge_nets_syntax::pds::{StateId, SymbolId};
use selvedge_source::Span;

use crate::net::{Certificate, Flaw};

/// What is bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwitchBound {
    /// The largest switch number of a thread that runs; `None` is no bound.
    pub thread_switches: Option<u32>,
    /// A new thread has the switch number 0, not its creator's plus one.
    pub fresh_switches: bool,
}

/// What a place stands for. Switch numbers are 0 where nothing is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// No thread is active in this global state.
    Idle(StateId),
    /// The active thread has emptied its stack in this global state: no step is left.
    Ended(StateId),
    /// A thread is active: global state, top of its stack, switch number.
    Active(StateId, SymbolId, u32),
    /// Threads that wait to be activated: top of the stack, switch number.
    Pending(SymbolId, u32),
}

/// A certificate of a network, with what its places stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkCertificate {
    /// The certificate.
    pub certificate: Certificate,
    /// What its places stand for, by their numbers.
    pub places: Vec<Place>,
}

impl NetworkCertificate {
    /// Checks it against the network, and returns it with the places of [`NetworkNet`].
    pub fn check(&self, dcps: &Dcps, bound: SwitchBound) -> Result<Certificate, Flaw> {
        let network = NetworkNet::new(dcps, bound).ok_or_else(|| Flaw("a stack of the network can grow".to_owned()))?;
        let certificate = network.translate(self)?;
        crate::net::check(&network.net, &certificate)?;
        Ok(certificate)
    }
}

/// A network as a net.
#[derive(Clone, Debug)]
pub struct NetworkNet {
    /// The net.
    pub net: Net,
    /// What its places stand for.
    pub places: Vec<Place>,
}

/// A step of the network: places it takes a token from, places it gives one to, where it stands.
type NetStep = (Vec<Place>, Vec<Place>, Span);

impl NetworkNet {
    /// The net of a finite-state network. `None` if a rule pushes two symbols.
    pub fn new(dcps: &Dcps, bound: SwitchBound) -> Option<NetworkNet> {
        if !dcps.is_finite_state() {
            return None;
        }
        let start = Place::Active(dcps.initial, dcps.initial_symbol, 0);
        let mut steps = Vec::new();
        let mut marked = BTreeSet::from([start]);
        let mut unseen = vec![start];
        let mut seen = BTreeSet::new();
        let lines = Lines::new(dcps);
        while let Some(place) = unseen.pop() {
            seen.insert(place);
            for step in lines.steps_from(dcps, bound, place, &seen) {
                for given in &step.1 {
                    if marked.insert(*given) {
                        unseen.push(*given);
                    }
                }
                steps.push(step);
            }
        }
        Some(assemble(dcps, bound, start, &marked, &steps))
    }

    /// A certificate with the places of this net.
    fn translate(&self, NetworkCertificate { certificate, places }: &NetworkCertificate) -> Result<Certificate, Flaw> {
        let here: BTreeMap<Place, PlaceId> = self.places.iter().copied().zip((0..).map(PlaceId)).collect();
        let find = |place: &PlaceId| {
            let known = places.get(place.0 as usize).and_then(|place| here.get(place));
            known.copied().ok_or_else(|| Flaw("it names a place that no run can mark".to_owned()))
        };
        let list = |list: &[BTreeMap<PlaceId, u32>]| -> Result<Vec<BTreeMap<PlaceId, u32>>, Flaw> {
            list.iter().map(|map| map.iter().map(|(place, count)| Ok((find(place)?, *count))).collect()).collect()
        };
        let unmarked = certificate.unmarked.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Certificate { basis: list(&certificate.basis)?, weights: list(&certificate.weights)?, unmarked })
    }
}

/// The lines of a network by what they need.
struct Lines {
    rules: BTreeMap<(StateId, SymbolId), Vec<usize>>,
    resumes_in: BTreeMap<StateId, Vec<usize>>,
    resumes_of: BTreeMap<SymbolId, Vec<usize>>,
}

impl Lines {
    fn new(dcps: &Dcps) -> Self {
        let mut lines = Lines { rules: BTreeMap::new(), resumes_in: BTreeMap::new(), resumes_of: BTreeMap::new() };
        for (index, rule) in dcps.rules.iter().enumerate() {
            lines.rules.entry((rule.from, rule.top)).or_default().push(index);
        }
        for (index, resume) in dcps.resumes.iter().enumerate() {
            lines.resumes_in.entry(resume.from).or_default().push(index);
            lines.resumes_of.entry(resume.top).or_default().push(index);
        }
        lines
    }

    /// The steps that need a token of this place and otherwise only places that were seen before: of two places that
    /// a step needs, the one that is seen second finds the step.
    fn steps_from(&self, dcps: &Dcps, bound: SwitchBound, place: Place, seen: &BTreeSet<Place>) -> Vec<NetStep> {
        match place {
            Place::Ended(_) => Vec::new(),
            Place::Active(state, ..) | Place::Idle(state) if dcps.is_target(state) => Vec::new(),
            Place::Active(state, top, level) => {
                let rules = self.rules.get(&(state, top)).into_iter().flatten();
                rules.map(|index| rule_step(dcps, bound, *index, level)).collect()
            }
            Place::Idle(state) => {
                let resumes = self.resumes_in.get(&state).into_iter().flatten();
                let pairs = resumes.flat_map(|index| {
                    let top = dcps.resumes[*index].top;
                    let waiting = seen.range(Place::Pending(top, 0)..=Place::Pending(top, u32::MAX));
                    waiting.filter_map(|place| match place {
                        Place::Pending(_, level) => Some((*index, *level)),
                        _ => None,
                    })
                });
                pairs.map(|(index, level)| resume_step(dcps, index, level)).collect()
            }
            Place::Pending(top, level) => {
                let resumes = self.resumes_of.get(&top).into_iter().flatten();
                let possible = resumes.filter(|index| {
                    let from = dcps.resumes[**index].from;
                    seen.contains(&Place::Idle(from)) && !dcps.is_target(from)
                });
                possible.map(|index| resume_step(dcps, *index, level)).collect()
            }
        }
    }
}

fn rule_step(dcps: &Dcps, bound: SwitchBound, index: usize, level: u32) -> NetStep {
    let rule = &dcps.rules[index];
    let remaining = rule.push.first().copied();
    let mut give = Vec::new();
    match (rule.kind, remaining) {
        (Kind::Step, Some(symbol)) => give.push(Place::Active(rule.to, symbol, level)),
        (Kind::Step, None) => give.push(Place::Ended(rule.to)),
        (Kind::Yield, _) => give.push(Place::Idle(rule.to)),
    }
    if let (Kind::Yield, Some(symbol)) = (rule.kind, remaining) {
        give.extend(pending(bound, symbol, level + 1));
    }
    if let Some(symbol) = rule.spawn {
        give.extend(pending(bound, symbol, if bound.fresh_switches { 0 } else { level + 1 }));
    }
    (vec![Place::Active(rule.from, rule.top, level)], give, rule.span)
}

/// A thread that waits. One whose switch number is beyond the bound never runs again and leaves the net.
fn pending(bound: SwitchBound, symbol: SymbolId, switches: u32) -> Option<Place> {
    match bound.thread_switches {
        None => Some(Place::Pending(symbol, 0)),
        Some(most) if switches <= most => Some(Place::Pending(symbol, switches)),
        Some(_) => None,
    }
}

fn resume_step(dcps: &Dcps, index: usize, level: u32) -> NetStep {
    let resume = &dcps.resumes[index];
    let take = vec![Place::Idle(resume.from), Place::Pending(resume.top, level)];
    (take, vec![Place::Active(resume.to, resume.top, level)], resume.span)
}

fn assemble(dcps: &Dcps, bound: SwitchBound, start: Place, marked: &BTreeSet<Place>, steps: &[NetStep]) -> NetworkNet {
    let places: Vec<Place> = marked.iter().copied().collect();
    let ids: BTreeMap<Place, PlaceId> = places.iter().copied().zip((0..).map(PlaceId)).collect();
    let tokens = |list: &[Place]| bag(list.iter().map(|place| (ids[place], 1)));
    let transition = |(take, give, span): &NetStep| Transition {
        take: tokens(take),
        give: tokens(give),
        moves: Vec::new(),
        span: *span,
    };
    let initial = places.iter().map(|place| {
        let count = u32::from(*place == start);
        Tokens { least: count, most: Some(count), span: None }
    });
    let spans: BTreeMap<StateId, Span> = dcps.targets.iter().copied().collect();
    let targets = places.iter().filter_map(|place| {
        let (Place::Idle(state) | Place::Ended(state) | Place::Active(state, ..)) = place else { return None };
        Some(Target { need: vec![(ids[place], 1)], span: *spans.get(state)? })
    });
    let net = Net {
        places: names(dcps, bound, &places),
        transitions: steps.iter().map(transition).collect(),
        initial: initial.collect(),
        targets: targets.collect(),
    };
    NetworkNet { net, places }
}

/// The names of places in files. Those that would be the same but for marks in the names of states and symbols are
/// written with spaces, which such names do not have.
fn names(dcps: &Dcps, bound: SwitchBound, places: &[Place]) -> Vec<String> {
    let words = |place: &Place| match *place {
        Place::Idle(q) => vec!["idle".to_owned(), dcps.state_name(q).to_owned()],
        Place::Ended(q) => vec!["ended".to_owned(), dcps.state_name(q).to_owned()],
        Place::Active(q, top, level) => {
            vec!["run".to_owned(), dcps.state_name(q).to_owned(), dcps.symbol_name(top).to_owned(), level.to_string()]
        }
        Place::Pending(top, level) => vec!["wait".to_owned(), dcps.symbol_name(top).to_owned(), level.to_string()],
    };
    let short = |place: &Place| {
        let mut words = words(place);
        // Without a bound there are no switch numbers.
        if bound.thread_switches.is_none() && matches!(place, Place::Active(..) | Place::Pending(..)) {
            words.pop();
        }
        let joined = words.join("_");
        joined.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>()
    };
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    places.iter().for_each(|place| *uses.entry(short(place)).or_default() += 1);
    let name = |place: &Place| {
        let short = short(place);
        if uses[&short] == 1 { short } else { words(place).join(" ") }
    };
    places.iter().map(name).collect()
}
