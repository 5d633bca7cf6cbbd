//! Which control states a process may come back to by its own steps, with the whole state as it was. Elsewhere the
//! layered search need not look for busy waiting ([`selvedge_machine::Machine::may_return`]).
//!
//! Such a return goes round a cycle of the process's table, on which every channel gets as many messages as it loses.
//! So a send on a channel from which nothing is received in the same component of the table is on no such cycle, and
//! the other way round; nor is a rendezvous, after which it is the partner that ran last. These edges are taken away
//! until none is left to take. Channels are told apart by their numbers where these are known: those of global
//! variables that nobody assigns to, and of parameters that are given such; and elements of arrays of channels by a
//! parameter that they are chosen by, as in a ring.

use std::collections::HashSet;

use super::safe::{visit_op, written_globals};
use super::uses::{Bytes, extent, uses_of};
use crate::machine::eval::{binary, unary};
use crate::program::{Base, DNode, Ex, Instance, Op, Place, Program, Proto, ProtoId, Returns};

/// How often edges are taken away at most; those that are left over only cost time.
const MOST_ROUNDS: usize = 50;

/// For how many values of the parameter that chooses channels it is found out at most.
const MOST_VALUES: usize = 32;

/// Finds, for every process type, where its processes may come back to.
pub(super) fn mark_loops(program: &mut Program) {
    let channels = Channels::of(program);
    program.returns = (0..program.protos.len()).map(|index| returns(program, &channels, index)).collect();
}

/// Finds it for one process type: in general, and for the values of its channel parameters that are known or of the
/// parameter that chooses its channels.
fn returns(program: &Program, channels: &Channels, index: usize) -> Returns {
    let proto = &program.protos[index];
    let parameters = channel_parameters(proto);
    let (edges, elements) = edges(proto, channels, &parameters);
    let unknown = vec![None; parameters.len() + elements.len()];
    let in_general = on_cycles(proto.controls.len(), &edges, &unknown, channels);
    let used = |at: usize| edges.iter().any(|edge| matches!(edge.effect, Effect::One(Channel::Given(p), _) if p == at));
    if !in_general.contains(&true) {
        return Returns { in_general, ..Returns::default() };
    }
    if !(0..parameters.len()).any(used) {
        let chooser = elements.iter().find_map(|place| chooser(&place.indices[0].value, &parameters));
        let Some(chooser) = chooser else { return Returns { in_general, ..Returns::default() } };
        let mut instances = Vec::new();
        for value in 0..=u8::MAX {
            let mut numbers = unknown.clone();
            for (number, place) in numbers[parameters.len()..].iter_mut().zip(&elements) {
                *number = channels.chosen(place, chooser, value);
            }
            let may_return = on_cycles(proto.controls.len(), &edges, &numbers, channels);
            if may_return != in_general && instances.len() < MOST_VALUES {
                instances.push(Instance { channels: vec![value], may_return });
            }
        }
        return Returns { in_general, parameters: vec![chooser], instances };
    }
    let offsets: Vec<u32> = parameters.iter().map(|parameter| parameter.offset).collect();
    let mut instances: Vec<Instance> = Vec::new();
    for given in channels.given(program, ProtoId(index as u16), &parameters) {
        if instances.iter().all(|instance| instance.channels != given) {
            let mut numbers: Vec<Option<u8>> = given.iter().map(|number| Some(*number)).collect();
            numbers.resize(unknown.len(), None);
            let may_return = on_cycles(proto.controls.len(), &edges, &numbers, channels);
            instances.push(Instance { channels: given, may_return });
        }
    }
    Returns { in_general, parameters: offsets, instances }
}

/// The first parameter that an expression reads.
fn chooser(ex: &Ex, parameters: &[Parameter]) -> Option<u32> {
    match ex {
        Ex::LocalByte(at) => parameters.iter().map(|parameter| parameter.offset).find(|offset| offset == at),
        Ex::Unary(_, inner) => chooser(inner, parameters),
        Ex::Binary(_, both, _) => chooser(&both.0, parameters).or_else(|| chooser(&both.1, parameters)),
        _ => None,
    }
}

/// The value of an expression of constants and one parameter, whose value is given.
fn evaluate(ex: &Ex, parameter: u32, value: u8) -> Option<i32> {
    match ex {
        Ex::Const(number) => Some(*number),
        Ex::LocalByte(at) if *at == parameter => Some(i32::from(value)),
        Ex::Unary(op, inner) => Some(unary(*op, evaluate(inner, parameter, value)?)),
        Ex::Binary(op, both, _) => {
            binary(*op, evaluate(&both.0, parameter, value)?, evaluate(&both.1, parameter, value)?)
        }
        _ => None,
    }
}

/// A parameter that the process never changes and uses as a channel, perhaps.
struct Parameter {
    /// Which of the arguments.
    position: usize,
    offset: u32,
}

fn channel_parameters(proto: &Proto) -> Vec<Parameter> {
    let mut written = Bytes::default();
    let ranges = proto.actions.iter().flat_map(|action| uses_of(&action.op).local_writes);
    ranges.chain(proto.init.iter().map(|(place, _)| extent(place))).for_each(|range| written.add(range));
    let all = proto.params.iter().enumerate();
    all.filter(|(_, (offset, _))| !written.contains(*offset))
        .map(|(position, (offset, _))| Parameter { position, offset: *offset })
        .collect()
}

/// What is known of the global channels.
struct Channels {
    /// Variable and number of those whose variable nobody assigns to.
    fixed: Vec<(u32, u8)>,
    /// Numbers of rendezvous channels.
    rendezvous: Vec<u8>,
    /// Some channel is no part of what tells states apart: what happens to channels says nothing.
    hidden: bool,
}

impl Channels {
    fn of(program: &Program) -> Self {
        let mut written = Bytes::default();
        for proto in program.protos.iter().chain(&program.claim) {
            proto.actions.iter().for_each(|action| written_globals(&action.op, &mut written));
        }
        let numbered = || program.chans.iter().zip(1..=u8::MAX);
        Channels {
            fixed: numbered().filter(|((_, at), _)| !written.contains(*at)).map(|((_, at), n)| (*at, n)).collect(),
            hidden: program.chans.iter().any(|(slot, _)| slot.offset < program.header.hidden),
            rendezvous: numbered()
                .filter(|((slot, _), _)| program.specs[usize::from(slot.spec)].capacity == 0)
                .map(|(_, number)| number)
                .collect(),
        }
    }

    /// The number of the channel that an expression is sure to name.
    fn number(&self, ex: &Ex) -> Option<u8> {
        let Ex::GlobalByte(at) = ex else { return None };
        self.fixed.iter().find(|(variable, _)| variable == at).map(|(_, number)| *number)
    }

    /// The number of the element of an array of channels, given the value of the parameter that chooses it.
    fn chosen(&self, place: &Place, parameter: u32, value: u8) -> Option<u8> {
        let index = &place.indices[0];
        let element = u32::try_from(evaluate(&index.value, parameter, value)?).ok().filter(|e| *e < index.len)?;
        let at = place.offset + element * index.stride;
        self.fixed.iter().find(|(variable, _)| *variable == at).map(|(_, number)| *number)
    }

    /// The channels that processes of a type are given where it is started, if they are known.
    fn given(&self, program: &Program, started: ProtoId, parameters: &[Parameter]) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let mut see = |ex: &Ex| {
            if let Ex::Run { proto, args, .. } = ex
                && *proto == started
            {
                found
                    .extend(parameters.iter().map(|p| self.number(args.get(p.position)?)).collect::<Option<Vec<u8>>>());
            }
        };
        for action in program.protos.iter().flat_map(|proto| &proto.actions) {
            visit_op(&action.op, &mut see);
        }
        found
    }
}

/// A channel as a process names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Channel {
    Number(u8),
    /// Which of the channel parameters or, behind them, of the elements of arrays of channels.
    Given(usize),
    Unknown,
}

/// A message more or a message less.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sign {
    More,
    Less,
}

/// What an edge does to channels.
#[derive(Clone, Copy)]
enum Effect {
    None,
    /// To one channel, for certain.
    One(Channel, Sign),
    /// Anything to any.
    Any,
}

/// From where to where a transition leads.
#[derive(Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    effect: Effect,
}

/// The edges of a table, and the elements of arrays of channels that they name. A transition that names no target stays
/// where it is, unless it ends the process.
fn edges<'a>(proto: &'a Proto, channels: &Channels, parameters: &[Parameter]) -> (Vec<Edge>, Vec<&'a Place>) {
    let mut elements = Vec::new();
    let mut channel = |ex: &'a Ex| match (channels.number(ex), ex) {
        (Some(number), _) => Channel::Number(number),
        (None, Ex::LocalByte(at)) => {
            parameters.iter().position(|p| p.offset == *at).map_or(Channel::Unknown, Channel::Given)
        }
        (None, Ex::Load(place)) if place.base == Base::Global && place.indices.len() == 1 => {
            elements.push(&**place);
            Channel::Given(parameters.len() + elements.len() - 1)
        }
        _ => Channel::Unknown,
    };
    let mut effect = |op: &'a Op| match op {
        _ if channels.hidden => Effect::None,
        Op::Send(send) => Effect::One(channel(&send.chan), Sign::More),
        Op::Receive(receive) if !receive.copy => Effect::One(channel(&receive.chan), Sign::Less),
        Op::DStep(code) if code.nodes.iter().any(uses_channels) => Effect::Any,
        _ => Effect::None,
    };
    let mut edges = Vec::new();
    for (from, control) in proto.controls.iter().enumerate() {
        for transition in &control.transitions {
            let op = &proto.actions[transition.action as usize].op;
            let to = match (transition.target.0, op) {
                (0, Op::End) => continue,
                (0, _) => from,
                (target, _) => usize::from(target),
            };
            edges.push(Edge { from, to, effect: effect(op) });
        }
    }
    (edges, elements)
}

fn uses_channels(node: &DNode) -> bool {
    matches!(node, DNode::Basic { op: Op::Send(_) | Op::Receive(_), .. })
}

/// The control states on cycles on which every channel may get as many messages as it loses. `numbers` are those of the
/// channel parameters and of the elements of arrays.
fn on_cycles(controls: usize, edges: &[Edge], numbers: &[Option<u8>], channels: &Channels) -> Vec<bool> {
    let resolve = |channel: Channel| match channel {
        Channel::Given(at) => numbers[at].map_or(Channel::Unknown, Channel::Number),
        other => other,
    };
    let mut edges: Vec<Edge> = edges.to_vec();
    for edge in &mut edges {
        if let Effect::One(channel, sign) = edge.effect {
            edge.effect = Effect::One(resolve(channel), sign);
        }
    }
    let meets = |edge: &Edge| matches!(edge.effect, Effect::One(Channel::Number(number), _) if channels.rendezvous.contains(&number));
    edges.retain(|edge| !meets(edge));
    for _ in 0..MOST_ROUNDS {
        let component = components(controls, &edges);
        edges.retain(|edge| component[edge.from] == component[edge.to]);
        let (balance, before) = (Balance::of(&edges, &component), edges.len());
        edges.retain(|edge| balance.is_undone(edge, component[edge.from]));
        if edges.len() == before {
            break;
        }
    }
    let mut on_cycle = vec![false; controls];
    edges.iter().for_each(|edge| on_cycle[edge.from] = true);
    on_cycle
}

/// Who sends and receives in the components of a table.
#[derive(Default)]
struct Balance {
    known: HashSet<(usize, Channel, Sign)>,
    /// On a channel that is not known.
    unknown: HashSet<(usize, Sign)>,
    /// On any channel.
    signs: HashSet<(usize, Sign)>,
}

impl Balance {
    fn of(edges: &[Edge], component: &[usize]) -> Self {
        let mut balance = Balance::default();
        for edge in edges {
            let component = component[edge.from];
            match edge.effect {
                Effect::None => {}
                Effect::One(channel, sign) => {
                    balance.known.insert((component, channel, sign));
                    balance.signs.insert((component, sign));
                    if channel == Channel::Unknown {
                        balance.unknown.insert((component, sign));
                    }
                }
                Effect::Any => {
                    for sign in [Sign::More, Sign::Less] {
                        balance.signs.insert((component, sign));
                        balance.unknown.insert((component, sign));
                    }
                }
            }
        }
        balance
    }

    /// Whether an edge of the same component may undo what this one does to its channel.
    fn is_undone(&self, edge: &Edge, component: usize) -> bool {
        let Effect::One(channel, sign) = edge.effect else { return true };
        let opposite = if sign == Sign::More { Sign::Less } else { Sign::More };
        match channel {
            Channel::Unknown => self.signs.contains(&(component, opposite)),
            channel => {
                self.known.contains(&(component, channel, opposite)) || self.unknown.contains(&(component, opposite))
            }
        }
    }
}

/// The strongly connected components of a graph, each named by one of its nodes. Kosaraju's algorithm.
fn components(nodes: usize, edges: &[Edge]) -> Vec<usize> {
    let (mut next, mut before) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for edge in edges {
        next[edge.from].push(edge.to);
        before[edge.to].push(edge.from);
    }
    let mut finished = Vec::new();
    let mut seen = vec![false; nodes];
    for root in 0..nodes {
        visit_from(root, &next, &mut seen, &mut finished);
    }
    let mut component = vec![0; nodes];
    let mut seen = vec![false; nodes];
    for root in finished.into_iter().rev() {
        let mut members = Vec::new();
        visit_from(root, &before, &mut seen, &mut members);
        members.into_iter().for_each(|member| component[member] = root);
    }
    component
}

/// Depth-first from a node through what was not seen; appends nodes when they are done with.
fn visit_from(root: usize, next: &[Vec<usize>], seen: &mut [bool], finished: &mut Vec<usize>) {
    let mut path = Vec::new();
    if !std::mem::replace(&mut seen[root], true) {
        path.push((root, 0));
    }
    while let Some((node, position)) = path.last_mut() {
        match next[*node].get(*position) {
            Some(&child) => {
                *position += 1;
                if !std::mem::replace(&mut seen[child], true) {
                    path.push((child, 0));
                }
            }
            None => {
                finished.push(*node);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: Channels = Channels { fixed: Vec::new(), rendezvous: Vec::new(), hidden: false };

    fn edge(from: usize, to: usize, effect: Effect) -> Edge {
        Edge { from, to, effect }
    }

    #[test]
    fn what_lies_on_no_cycle_is_left_once() {
        // 0 -> 1 <-> 2 -> 3 -> 4 (itself) -> 5
        let pairs = [(0, 1), (1, 2), (2, 1), (2, 3), (3, 4), (4, 4), (4, 5)];
        let edges = pairs.map(|(from, to)| edge(from, to, Effect::None));
        assert_eq!(on_cycles(6, &edges, &[], &KNOWN), [false, true, true, false, true, false]);
    }

    #[test]
    fn messages_must_come_back() {
        let send = |channel| Effect::One(channel, Sign::More);
        let receive = |channel| Effect::One(channel, Sign::Less);
        let (a, b) = (Channel::Number(1), Channel::Number(2));
        let two = |first, second| on_cycles(2, &[edge(0, 1, first), edge(1, 0, second)], &[], &KNOWN);
        assert_eq!(two(receive(a), send(b)), [false, false]);
        assert_eq!(two(receive(a), send(a)), [true, true]);
        assert_eq!(two(receive(a), send(Channel::Unknown)), [true, true]);
        assert_eq!(two(send(a), send(Channel::Unknown)), [false, false]);
        assert_eq!(two(receive(a), Effect::Any), [true, true]);
    }

    #[test]
    fn a_cycle_that_remains_counts() {
        // Receiving ends in waiting again, but waiting itself may go round.
        let receive = Effect::One(Channel::Number(1), Sign::Less);
        let edges = [edge(0, 1, receive), edge(1, 0, Effect::None), edge(1, 1, Effect::None)];
        assert_eq!(on_cycles(2, &edges, &[], &KNOWN), [false, true]);
    }

    #[test]
    fn parameters_tell_channels_apart() {
        let edges = [
            edge(0, 1, Effect::One(Channel::Given(0), Sign::Less)),
            edge(1, 0, Effect::One(Channel::Given(1), Sign::More)),
        ];
        assert_eq!(on_cycles(2, &edges, &[None, None], &KNOWN), [true, true]);
        assert_eq!(on_cycles(2, &edges, &[Some(1), Some(2)], &KNOWN), [false, false]);
        assert_eq!(on_cycles(2, &edges, &[Some(1), Some(1)], &KNOWN), [true, true]);
    }
}
