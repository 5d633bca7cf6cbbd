//! Where a process can spin, and what others can see of it (see [`crate::spinning`]). Called before the program is
//! optimised, for what spinning is does not depend on that.
//!
//! A process that spins goes round a cycle of its table. A send or a receive outside of `atomic` changes what others
//! see, so the edges of these are left out.
//!
//! A variable is read or not as a whole: an array of which one element is read is read.

use super::optimize::claimed_by;
use super::uses::{Bytes, extent};
use super::visit::{visit, visit_op};
use crate::program::{Base, Ex, Op, Program, Proto, Shown};
use crate::spinning::{Range, Spinning, SpinningProto};

/// What decides about spinning in a program.
pub(super) fn spinning(program: &Program) -> Spinning {
    let reads = Reads::of(program);
    let claim = program.claim.as_ref().zip(program.header.claim).map(|(claim, at)| (at, 2 + claim.size));
    let unread = variables(&program.shown).into_iter().filter(|range| !reads.globals.overlaps(*range));
    let protos = program.protos.iter().enumerate().map(|(index, proto)| SpinningProto {
        on_cycle: on_cycle(proto),
        unread: variables(&proto.shown).into_iter().filter(|range| !reads.locals[index].overlaps(*range)).collect(),
        private: private(program, proto, &reads, index),
        private_control: !reads.all_watched && !reads.watched_control[index],
    });
    Spinning { unread: unread.chain(claim).collect(), protos: protos.collect() }
}

/// The bytes of each variable, structures and arrays as one.
fn variables(shown: &[Shown]) -> Vec<Range> {
    let mut groups: Vec<(&str, &str, Range)> = Vec::new();
    for part in shown {
        let base = part.name.split(['[', '.']).next().unwrap_or_default();
        let end = part.offset + part.scalar.size();
        match groups.last_mut() {
            // A variable of the same name in another block starts with the same part again.
            Some((name, first, range)) if *name == base && *first != part.name => range.1 = end - range.0,
            _ => groups.push((base, &part.name, (part.offset, end - part.offset))),
        }
    }
    groups.into_iter().map(|(.., range)| range).collect()
}

/// The bytes of a process's variables that only it can see; the contents of its channels are not among them.
fn private(program: &Program, proto: &Proto, reads: &Reads, index: usize) -> Vec<Range> {
    let mut seen = Bytes::default();
    if reads.all_watched {
        seen.add((0, proto.size));
    }
    for (slot, _) in &proto.chans {
        seen.add((slot.offset, program.specs[usize::from(slot.spec)].size()));
    }
    let watched = variables(&proto.shown).into_iter().filter(|range| reads.watched[index].overlaps(*range));
    watched.for_each(|range| seen.add(range));
    let mut all = Bytes::default();
    all.add((0, proto.size));
    all.ranges_outside(&seen, proto.size)
}

/// What is read.
struct Reads {
    globals: Bytes,
    /// Of each process type.
    locals: Vec<Bytes>,
    /// Of each process type: variables that some process refers to from outside.
    watched: Vec<Bytes>,
    watched_control: Vec<bool>,
    /// `enabled` or `pc_value` occurs in a process.
    all_watched: bool,
}

impl Reads {
    fn of(program: &Program) -> Self {
        let protos = program.protos.len();
        let mut reads = Reads {
            globals: Bytes::default(),
            locals: vec![Bytes::default(); protos],
            watched: vec![Bytes::default(); protos],
            watched_control: vec![false; protos],
            all_watched: false,
        };
        for (index, proto) in program.protos.iter().enumerate() {
            reads.proto(proto, Some(index));
        }
        for (index, proto) in program.protos.iter().enumerate().filter(|_| program.checks_exclusive) {
            let claimed = claimed_by(proto);
            claimed.global_reads.into_iter().for_each(|range| reads.globals.add(range));
            for range in claimed.local_reads {
                reads.locals[index].add(range);
                reads.watched[index].add(range);
            }
        }
        for proto in program.claim.iter().chain(program.events.as_ref().map(|events| &events.proto)) {
            reads.proto(proto, None);
        }
        reads
    }

    /// A process type, or the claim or the event trace.
    fn proto(&mut self, proto: &Proto, index: Option<usize>) {
        let mut see = |ex: &Ex| self.expression(ex, index);
        proto.actions.iter().for_each(|action| visit_op(&action.op, &mut see));
        proto.provided.iter().for_each(|provided| visit(provided, &mut see));
        proto.init.iter().for_each(|(_, value)| visit(value, &mut see));
    }

    fn expression(&mut self, ex: &Ex, index: Option<usize>) {
        match ex {
            Ex::GlobalByte(at) => self.globals.add((*at, 1)),
            Ex::LocalByte(at) => self.local((*at, 1), index),
            Ex::Load(place) if place.base == Base::Global => self.globals.add(extent(place)),
            Ex::Load(place) => self.local(extent(place), index),
            Ex::Enabled(..) | Ex::PcValue(_) => self.all_watched |= index.is_some(),
            Ex::RemoteLabel(proto, ..) => self.watched_control[usize::from(proto.0)] |= index.is_some(),
            Ex::RemoteVar(proto, _, place) => {
                self.locals[usize::from(proto.0)].add(extent(place));
                if index.is_some() {
                    self.watched[usize::from(proto.0)].add(extent(place));
                }
            }
            _ => {}
        }
    }

    fn local(&mut self, range: Range, index: Option<usize>) {
        index.into_iter().for_each(|index| self.locals[index].add(range));
    }
}

/// The control states on cycles of a table, edges that others are sure to see left out.
fn on_cycle(proto: &Proto) -> Vec<bool> {
    let controls = proto.controls.len();
    let mut in_atomic = vec![false; controls];
    for transition in proto.controls.iter().flat_map(|control| &control.transitions) {
        in_atomic[usize::from(transition.target.0)] |= transition.atomic;
    }
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); controls];
    for (from, control) in proto.controls.iter().enumerate() {
        for transition in &control.transitions {
            let op = &proto.actions[transition.action as usize].op;
            let is_seen = match op {
                Op::Send(_) => true,
                Op::Receive(receive) => !receive.copy,
                _ => false,
            };
            // A transition that names no target stays where it is, unless it ends the process.
            match usize::from(transition.target.0) {
                _ if is_seen && !transition.atomic && !in_atomic[from] => {}
                0 if matches!(op, Op::End) => {}
                0 => next[from].push(from),
                to => next[from].push(to),
            }
        }
    }
    let component = components(&next);
    let stays_inside = |from: usize| next[from].iter().any(|to| component[*to] == component[from]);
    (0..controls).map(stays_inside).collect()
}

/// The strongly connected components of a graph, each named by one of its nodes. Kosaraju's algorithm.
fn components(next: &[Vec<usize>]) -> Vec<usize> {
    let mut before = vec![Vec::new(); next.len()];
    for (from, targets) in next.iter().enumerate() {
        targets.iter().for_each(|to| before[*to].push(from));
    }
    let mut finished = Vec::new();
    let mut seen = vec![false; next.len()];
    for root in 0..next.len() {
        visit_from(root, next, &mut seen, &mut finished);
    }
    let mut component = vec![0; next.len()];
    let mut seen = vec![false; next.len()];
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
