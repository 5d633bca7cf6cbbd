//! What arriving at a rendezvous changes for others, for [`super::independence`].
//!
//! An atomic sequence that offers a message in its middle stops if nobody is ready to take it, and others run there. So
//! whoever arrives at a receive changes the steps of another process, although it touches nothing that this process uses:
//! its step cannot stand for those of all.

use super::declared::Declared;
use super::granted::Granted;
use super::visit::basic;
use crate::program::{Control, Op, Program, Proto, Transition};

/// Whether a process of this type may stop in the middle of a sequence until somebody takes its message.
pub(super) fn may_stop(declared: &Declared<'_>, granted: &Granted) -> bool {
    let offers = |op: &Op| matches!(op, Op::Send(send) if declared.may_be_rendezvous(&send.chan));
    let mut controls = declared.proto.controls.iter().enumerate();
    controls.any(|(state, control)| !granted.is_outside(state) && any_of(declared, control, &offers))
}

/// Whether a process at a control state may take a message that is offered.
pub(super) fn may_take(declared: &Declared<'_>, control: &Control) -> bool {
    any_of(declared, control, &|op| matches!(op, Op::Receive(receive) if declared.may_be_rendezvous(&receive.chan)))
}

fn any_of(declared: &Declared<'_>, control: &Control, which: &dyn Fn(&Op) -> bool) -> bool {
    control.transitions.iter().any(|Transition { action, .. }| match &declared.proto.actions[*action as usize].op {
        Op::DStep(code) => basic(&code.nodes).any(which),
        op => which(op),
    })
}

/// Whether a process that arrives at a rendezvous may disable a step of another: the offer that it answers is an escape,
/// or has an `else` beside it. Then even a step that touches nothing but its own process is no safe one.
pub(super) fn arrivals_disable(program: &Program) -> bool {
    let disabled = |proto: &Proto, control: &Control| {
        let beside_else = control.transitions.iter().any(|t| proto.actions[t.action as usize].op.is_otherwise());
        let offers = |t: &Transition| matches!(proto.actions[t.action as usize].op, Op::Send(_));
        control.transitions.iter().any(|t| offers(t) && (beside_else || t.escape != 0))
    };
    program.uses_rendezvous
        && program.protos.iter().any(|proto| proto.controls.iter().any(|control| disabled(proto, control)))
}
