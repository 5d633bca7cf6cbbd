//! Where a process or the claim may wait for a `timeout`. Elsewhere steps need not be looked for a second time when
//! nothing else is possible, which the layered search asks about each process by itself.

use super::uses::uses_of;
use crate::program::{DNode, Op, Program};

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
