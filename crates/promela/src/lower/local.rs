//! Which control states are *local*: the steps from there touch only the process's own variables, cannot fail, and are
//! observed by nothing. Preempting a process in front of such a step is pointless, and so the search leaves that out
//! ([`selvedge_machine::Hints::is_local`]). Called after the program is complete, and by the merging of statements, which
//! must not change what a run costs either.
//!
//! A step to a control state that receives from a rendezvous channel is not local: it enables senders.
//! Where several processes may wait for a `timeout`, nothing is: whether one of them can continue depends on whether
//! anybody else can. The same holds where the claim asks for `timeout`.

use super::uses::{Bytes, uses_of};
use crate::program::{Control, ControlState, DNode, Op, Program, Proto, Transition};

/// What makes steps noticed, apart from the steps themselves.
pub(super) struct Surroundings {
    /// Control states that remote references name.
    labels: Vec<ControlState>,
    /// Variables of each process type that others read.
    watched: Vec<Bytes>,
    rendezvous: bool,
    /// Nothing is local.
    everything_matters: bool,
}

impl Surroundings {
    pub(super) fn of(program: &Program, watched: Vec<Bytes>, looks_at_steps: bool) -> Self {
        Surroundings {
            labels: program.remote_labels.clone(),
            watched,
            rendezvous: program.specs.iter().any(|spec| spec.capacity == 0),
            everything_matters: looks_at_steps
                || program.uses_priority
                || program.uses_provided
                || claim_asks_for_timeout(program)
                || timeouts_compete(program),
        }
    }

    /// Whether nothing observes that a process of type `index` goes from one control state to another by an operation.
    pub(crate) fn unnoticed(&self, index: usize, proto: &Proto, from: usize, transition: &Transition) -> bool {
        let op = &proto.actions[transition.action as usize].op;
        let uses = uses_of(op);
        let to = usize::from(transition.target.0);
        let plain =
            matches!(op, Op::Skip | Op::Else | Op::Condition(_) | Op::Assign(..) | Op::Assert(..) | Op::Print(_));
        let named = |state: usize| self.labels.contains(&ControlState(state as u16));
        let marked = |state: usize| proto.controls[state].accept || proto.controls[state].progress;
        !self.everything_matters
            && plain
            && to > 0
            && uses.is_local()
            && ![from, to].into_iter().any(|state| named(state) || marked(state))
            && !uses.local_writes.iter().any(|range| self.watched[index].overlaps(*range))
            && !(self.rendezvous && can_receive(proto, &proto.controls[to]))
    }
}

/// Marks the local control states.
pub(super) fn mark_local(program: &mut Program, surroundings: &Surroundings) {
    for index in 0..program.protos.len() {
        let proto = &program.protos[index];
        let mut local: Vec<bool> = (0..proto.controls.len())
            .map(|state| {
                let transitions = &proto.controls[state].transitions;
                !transitions.is_empty() && transitions.iter().all(|t| surroundings.unnoticed(index, proto, state, t))
            })
            .collect();
        // What follows in the same atomic sequence must be local too.
        loop {
            let leaves_locality =
                |control: &Control| control.transitions.iter().any(|t| t.atomic && !local[usize::from(t.target.0)]);
            let leaving: Vec<usize> =
                (0..local.len()).filter(|state| local[*state] && leaves_locality(&proto.controls[*state])).collect();
            if leaving.is_empty() {
                break;
            }
            leaving.into_iter().for_each(|state| local[state] = false);
        }
        for (control, local) in program.protos[index].controls.iter_mut().zip(local) {
            control.local = local;
        }
    }
}

/// Whether a receive is possible from a control state.
fn can_receive(proto: &Proto, control: &Control) -> bool {
    let receives = |op: &Op| match op {
        Op::Receive(_) => true,
        Op::DStep(code) => code.nodes.iter().any(|n| matches!(n, DNode::Basic { op: Op::Receive(_), .. })),
        _ => false,
    };
    control.transitions.iter().any(|t| receives(&proto.actions[t.action as usize].op))
}

/// Whether the claim observes that no process can move.
fn claim_asks_for_timeout(program: &Program) -> bool {
    program.claim.iter().flat_map(|claim| &claim.actions).any(|action| uses_of(&action.op).timeout)
}

/// Whether more than one process may wait for a `timeout`.
fn timeouts_compete(program: &Program) -> bool {
    if !program.uses_timeout {
        return false;
    }
    let uses: Vec<Vec<_>> =
        program.protos.iter().map(|proto| proto.actions.iter().map(|a| uses_of(&a.op)).collect()).collect();
    let waits = |proto: usize| uses[proto].iter().any(|uses| uses.timeout);
    let started = |proto: usize| uses.iter().flatten().any(|uses| uses.runs.iter().any(|p| usize::from(p.0) == proto));
    let active = program.active.iter().filter(|(proto, _)| waits(usize::from(proto.0))).count();
    let later = (0..program.protos.len()).filter(|proto| waits(*proto) && started(*proto)).count();
    active + 2 * later > 1
}
