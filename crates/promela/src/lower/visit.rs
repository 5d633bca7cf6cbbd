//! Walks through operations and expressions: which expressions an operation has, which variables it writes.

use super::uses::{Bytes, Range, extent};
use crate::program::{Base, DNode, Ex, Op, Pattern, Place, Proto, Receive};

/// The operations of a process type.
pub(super) fn ops(proto: &Proto) -> impl Iterator<Item = &Op> {
    proto.actions.iter().map(|action| &action.op)
}

/// What is evaluated when a process of this type is created: the initial values of its variables.
pub(super) fn initial_values(proto: &Proto) -> impl Iterator<Item = &Ex> {
    proto.init.iter().map(|(_, value)| value)
}

/// The statements of a deterministic sequence.
pub(super) fn basic(nodes: &[DNode]) -> impl Iterator<Item = &Op> {
    nodes.iter().filter_map(|node| match node {
        DNode::Basic { op, .. } => Some(op),
        _ => None,
    })
}

/// The variable (or array) an expression reads, if it only reads one.
pub(super) fn variable(ex: &Ex) -> Option<(Base, Range)> {
    match ex {
        Ex::GlobalByte(at) => Some((Base::Global, (*at, 1))),
        Ex::LocalByte(at) => Some((Base::Local, (*at, 1))),
        Ex::Load(place) => Some((place.base, extent(place))),
        _ => None,
    }
}

/// Whether two ranges share a byte.
pub(super) fn overlap(a: Range, b: Range) -> bool {
    a.0 < b.0 + b.1 && b.0 < a.0 + a.1
}

/// Adds the global bytes that an operation may write.
pub(super) fn written_globals(op: &Op, written: &mut Bytes) {
    let mut write = |place: &Place| {
        if place.base == Base::Global {
            written.add(extent(place));
        }
    };
    match op {
        Op::Assign(place, _) => write(place),
        Op::AssignAll(list) => list.iter().for_each(|(place, _)| write(place)),
        Op::Receive(receive) => receive.args.iter().for_each(|arg| {
            if let Pattern::Store(place) = arg {
                write(place);
            }
        }),
        Op::DStep(code) => basic(&code.nodes).for_each(|op| written_globals(op, written)),
        Op::Skip | Op::Else | Op::Condition(_) | Op::Send(_) | Op::Assert(..) | Op::Print(_) | Op::End => {}
    }
}

/// Calls `see` for every expression of an operation, inner ones too.
pub(super) fn visit_op(op: &Op, see: &mut dyn FnMut(&Ex)) {
    let place = |place: &Place, see: &mut dyn FnMut(&Ex)| place.indices.iter().for_each(|i| visit(&i.value, see));
    match op {
        Op::Skip | Op::Else | Op::End => {}
        Op::Condition(ex) | Op::Assert(ex, ..) => visit(ex, see),
        Op::Assign(to, value) => {
            place(to, see);
            visit(value, see);
        }
        Op::AssignAll(list) => list.iter().for_each(|(to, value)| {
            place(to, see);
            visit(value, see);
        }),
        Op::Send(send) => {
            visit(&send.chan, see);
            send.args.iter().for_each(|arg| visit(arg, see));
        }
        Op::Receive(receive) => visit_receive(receive, see),
        Op::Print(print) => print.args.iter().for_each(|(ex, _)| visit(ex, see)),
        Op::DStep(code) => basic(&code.nodes).for_each(|op| visit_op(op, see)),
    }
}

fn visit_receive(receive: &Receive, see: &mut dyn FnMut(&Ex)) {
    visit(&receive.chan, see);
    for arg in &receive.args {
        match arg {
            Pattern::Store(place) => place.indices.iter().for_each(|i| visit(&i.value, see)),
            Pattern::Any => {}
            Pattern::Match(ex) => visit(ex, see),
        }
    }
}

/// Calls `see` for an expression and every one inside.
pub(super) fn visit(ex: &Ex, see: &mut dyn FnMut(&Ex)) {
    see(ex);
    match ex {
        Ex::Const(_) | Ex::GlobalByte(_) | Ex::LocalByte(_) | Ex::Pid | Ex::ProcessCount | Ex::Last => {}
        Ex::OwnPriority | Ex::Timeout | Ex::NonProgress => {}
        Ex::Load(place) => place.indices.iter().for_each(|i| visit(&i.value, see)),
        Ex::Unary(_, e) | Ex::Query(_, e, _) | Ex::Enabled(e, _) | Ex::PcValue(e) | Ex::GetPriority(e) => visit(e, see),
        Ex::Binary(_, both, _) | Ex::SetPriority(both, _) => {
            visit(&both.0, see);
            visit(&both.1, see);
        }
        Ex::Conditional(all) => [&all.0, &all.1, &all.2].into_iter().for_each(|e| visit(e, see)),
        Ex::Run { args, priority, .. } => {
            args.iter().for_each(|arg| visit(arg, see));
            visit(priority, see);
        }
        Ex::Poll(receive) => visit_receive(receive, see),
        Ex::RemoteLabel(_, pid, _) => pid.iter().for_each(|pid| visit(pid, see)),
        Ex::RemoteVar(_, pid, place) => {
            pid.iter().for_each(|pid| visit(pid, see));
            place.indices.iter().for_each(|i| visit(&i.value, see));
        }
    }
}

/// An expression without the places where it is written, so that equal ones have equal names.
pub(super) fn name_of(ex: &Ex) -> String {
    format!("{:?}", Name(ex))
}

struct Name<'a>(&'a Ex);

impl std::fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Ex::Load(place) => {
                let at: Vec<_> = place.indices.iter().map(|i| (Name(&i.value), i.stride)).collect();
                f.debug_tuple("Load").field(&place.base).field(&place.offset).field(&at).finish()
            }
            Ex::Binary(op, two, _) => {
                f.debug_tuple("Binary").field(op).field(&Name(&two.0)).field(&Name(&two.1)).finish()
            }
            other => write!(f, "{other:?}"),
        }
    }
}
