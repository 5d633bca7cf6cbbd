//! Where a process or the claim may wait for a `timeout`. Elsewhere steps need not be looked for a second time when
//! nothing else is possible, which the layered search asks about each process by itself.

use selvedge_source::{Diagnostic, Span};

use super::uses::uses_of;
use super::{Lowerer, codes};
use crate::program::{DNode, Op, Program, Proto};

/// Finds the control states from which steps may depend on `timeout`.
pub(super) fn mark_timeouts(program: &mut Program) {
    if !program.uses_timeout {
        return;
    }
    // Whether a process may move is asked of others' steps, or a message is taken only on a timeout.
    let anywhere = program.uses_priority || program.uses_provided || receives_on_timeout(program);
    for proto in program.protos.iter_mut().chain(&mut program.claim) {
        let actions = &proto.actions;
        let asks = |action: u32| {
            let uses = uses_of(&actions[action as usize].op);
            uses.timeout || uses.observes_steps
        };
        for control in &mut proto.controls {
            control.timeout = anywhere || control.transitions.iter().any(|transition| asks(transition.action));
        }
    }
}

/// Whether a message may be taken or not depending on `timeout`: then so may a send by rendezvous.
fn receives_on_timeout(program: &Program) -> bool {
    let receives = |op: &Op| match op {
        Op::Receive(_) => true,
        Op::DStep(code) => code.nodes.iter().any(|node| matches!(node, DNode::Basic { op: Op::Receive(_), .. })),
        _ => false,
    };
    let mut operations = program.protos.iter().flat_map(|proto| &proto.actions).map(|action| &action.op);
    operations.any(|op| receives(op) && uses_of(op).timeout)
}

impl Lowerer<'_> {
    /// Beside a claim, Spin's verifier keeps `timeout` true until the atomic sequence ends that a `timeout` began,
    /// whatever the others can do by then. Without a claim it does not.
    pub(super) fn check_timeouts(&mut self, program: &Program) {
        if program.claim.is_none() || !program.uses_timeout {
            return;
        }
        for span in program.protos.iter().filter_map(second_timeout) {
            let text = "a second `timeout` in an atomic sequence, beside a claim";
            self.error(
                Diagnostic::error(codes::TIMEOUT_TWICE, span, text)
                    .label("true or false, depending on whether there is a claim")
                    .help("end the atomic sequence before it"),
            );
        }
    }
}

/// A statement that asks for `timeout` in an atomic sequence that was entered by asking for it.
fn second_timeout(proto: &Proto) -> Option<Span> {
    let always = proto.provided.as_ref().is_some_and(|provided| uses_of(&Op::Condition(provided.clone())).timeout);
    let asks = |action: u32| always || uses_of(&proto.actions[action as usize].op).timeout;
    let transitions = || proto.controls.iter().flat_map(|control| &control.transitions);
    let inside = |control: usize| proto.controls[control].transitions.iter().filter(|transition| transition.atomic);
    let mut reached = vec![false; proto.controls.len()];
    let mut waiting: Vec<usize> = transitions()
        .filter(|transition| transition.atomic && asks(transition.action))
        .map(|transition| usize::from(transition.target.0))
        .collect();
    while let Some(control) = waiting.pop() {
        if !std::mem::replace(&mut reached[control], true) {
            waiting.extend(inside(control).map(|transition| usize::from(transition.target.0)));
        }
    }
    let controls = proto.controls.iter().zip(reached).filter(|(_, reached)| *reached);
    let mut later = controls.flat_map(|(control, _)| &control.transitions);
    let second = later.find(|transition| asks(transition.action))?;
    Some(proto.actions[second.action as usize].span)
}
