//! Inside atomic sequences, which uses of a channel cannot block because the sequence has asked before:
//! `atomic { nempty(c) && nfull(d) -> c?x; d!x }`. Where a sequence can block in its middle depends on what others have
//! sent or received, and so such a use is more than the use of one end (see [`crate::independence`]).
//!
//! A forward analysis over the control states of a process type. A condition grants the ends that it asks for; using an end
//! takes the grant away, and those of every variable that may name the same channel; a control state at which the sequence
//! may stop has no grants, since others can run there. The caller makes sure that the variables which name channels keep
//! their values.

use super::declared::Declared;
use super::visit::{name_of, variable, visit};
use crate::independence::End;
use crate::program::{Control, Ex, Op, Pattern, Proto, Transition};
use selvedge_promela_syntax::ast::{BinaryOp, ChanQuery};

/// An end of a channel.
#[derive(Clone, PartialEq)]
struct Grant {
    end: End,
    /// The name of the channel.
    name: String,
    /// No other such name is one of this channel.
    own: bool,
}

impl Grant {
    fn is_of(&self, end: End, chan: &Ex) -> bool {
        self.end == end && self.name == name_of(chan)
    }
}

/// What is known at the control states of a process type.
pub(super) struct Granted {
    /// `None`: not inside an atomic sequence.
    controls: Vec<Option<Vec<Grant>>>,
}

impl Granted {
    pub(super) fn of(declared: &Declared<'_>) -> Self {
        let proto = declared.proto;
        let mut controls: Vec<Option<Vec<Grant>>> = vec![None; proto.controls.len()];
        let mut entered = vec![false; proto.controls.len()];
        entered[usize::from(proto.start.0)] = true;
        let transitions = proto.controls.iter().flat_map(|control| &control.transitions);
        transitions.filter(|t| !t.atomic).for_each(|t| entered[usize::from(t.target.0)] = true);
        let mut todo: Vec<usize> = (0..proto.controls.len()).collect();
        while let Some(state) = todo.pop() {
            for transition in proto.controls[state].transitions.iter().filter(|t| t.atomic) {
                let target = usize::from(transition.target.0);
                let after = after(declared, transition, controls[state].as_deref().unwrap_or_default());
                let mut kept: Vec<Grant> = match &controls[target] {
                    None => after,
                    Some(known) => known.iter().filter(|grant| after.contains(grant)).cloned().collect(),
                };
                if entered[target] || may_block(proto, &proto.controls[target], &kept) {
                    kept.clear();
                }
                if controls[target].as_ref() != Some(&kept) {
                    controls[target] = Some(kept);
                    todo.push(target);
                }
            }
        }
        Granted { controls }
    }

    /// Whether a control state is outside of atomic sequences, or at the start of one.
    pub(crate) fn is_outside(&self, state: usize) -> bool {
        self.controls[state].is_none()
    }

    /// Whether an end can be used at a control state.
    pub(super) fn has(&self, state: usize, end: End, chan: &Ex) -> bool {
        let grants = self.controls[state].as_deref().unwrap_or_default();
        variable(chan).is_some() && grants.iter().any(|grant| grant.is_of(end, chan))
    }
}

/// The grants behind a transition.
fn after(declared: &Declared<'_>, transition: &Transition, before: &[Grant]) -> Vec<Grant> {
    let op = &declared.proto.actions[transition.action as usize].op;
    let mut grants = before.to_vec();
    let mut used = |end: End, chan: &Ex| {
        // After a rendezvous, the partner goes on.
        let stays = !declared.may_be_rendezvous(chan);
        let own = declared.is_own(chan);
        grants.retain(|grant| stays && (grant.end != end || own && grant.own && !grant.is_of(end, chan)));
    };
    match op {
        Op::Condition(ex) => asked(ex, declared, &mut grants),
        Op::Send(send) => used(End::Tail, &send.chan),
        Op::Receive(receive) => used(End::Head, &receive.chan),
        Op::DStep(_) => grants.clear(),
        Op::Skip | Op::Else | Op::Print(_) | Op::Assert(..) | Op::Assign(..) | Op::AssignAll(_) | Op::End => {}
    }
    grants
}

/// Adds the ends that a condition asks for. That a rendezvous channel is not full says nothing about who takes a message.
fn asked(ex: &Ex, declared: &Declared<'_>, grants: &mut Vec<Grant>) {
    let mut grant = |end: End, chan: &Ex| grants.push(Grant { end, name: name_of(chan), own: declared.is_own(chan) });
    match ex {
        Ex::Binary(BinaryOp::And, two, _) => {
            asked(&two.0, declared, grants);
            asked(&two.1, declared, grants);
        }
        Ex::Query(ChanQuery::NonEmpty, chan, _) => grant(End::Head, chan),
        Ex::Query(ChanQuery::NonFull, chan, _) if !declared.may_be_rendezvous(chan) => grant(End::Tail, chan),
        _ => {}
    }
}

/// Whether a sequence may have to stop at a control state.
fn may_block(proto: &Proto, control: &Control, grants: &[Grant]) -> bool {
    let goes_on = |transition: &Transition| match &proto.actions[transition.action as usize].op {
        Op::Skip | Op::Else | Op::Assign(..) | Op::AssignAll(_) | Op::Print(_) | Op::Assert(..) | Op::End => true,
        Op::Send(send) => grants.iter().any(|grant| grant.is_of(End::Tail, &send.chan)),
        Op::Receive(receive) => {
            let any = !receive.args.iter().any(|arg| matches!(arg, Pattern::Match(_)));
            any && grants.iter().any(|grant| grant.is_of(End::Head, &receive.chan))
        }
        Op::Condition(_) | Op::DStep(_) => false,
    };
    !control.transitions.iter().any(goes_on)
}

/// Whether a condition can only become true, never false, when others send or receive; `see` is called with each end that
/// it asks for.
pub(super) fn only_waits(ex: &Ex, see: &mut dyn FnMut(End, &Ex)) -> bool {
    match ex {
        Ex::Binary(BinaryOp::And | BinaryOp::Or, two, _) => {
            let one = only_waits(&two.0, see);
            only_waits(&two.1, see) && one
        }
        Ex::Query(ChanQuery::NonEmpty, chan, _) => {
            see(End::Head, chan);
            true
        }
        Ex::Query(ChanQuery::NonFull, chan, _) => {
            see(End::Tail, chan);
            true
        }
        other => {
            let mut asks = false;
            visit(other, &mut |ex| asks |= matches!(ex, Ex::Query(..) | Ex::Poll(_)));
            !asks
        }
    }
}
