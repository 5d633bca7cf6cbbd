//! Spin's default optimisations, where no property can tell: statements that only touch a
//! process's own variables and are always possible are merged with the step before them; variables
//! that will be written before they are read again are set to 0; variables that are never read are not
//! written.
//!
//! Numbers of actions and control states stay as they are, so that a run of the optimised program
//! can be followed step by step in the plain one.
//!
//! # When statements are merged
//!
//! Merging removes the point between a step *t* and the step *s* behind it, at which others could run. It turns the
//! run `t o₁ … oₙ s` into `t s o₁ … oₙ`. No violation is lost if *s* commutes with whatever others do, so all of
//! this must hold:
//!
//! - *s* is the only transition of its control state, so it belongs to no choice and no `unless` has an escape there; it
//!   is always possible; and it is a `skip`, jump, assignment, assertion or print. It is no `d_step`, `run`, send,
//!   receive, `timeout`, `else` or end of a process.
//! - *s* reads and writes the process's own variables only, and cannot fail other than as an assertion.
//! - Where *s* keeps the turn, because it is inside an atomic sequence and not its last step, what follows in the
//!   sequence must be mergeable too. Otherwise the whole sequence would move in front of the others' steps. This holds
//!   for a step that opens the sequence and for one that a jump reaches in its middle. The last step of a sequence has
//!   given up the turn already.
//! - Nobody observes the control states in front of *s* and behind it, or what *s* writes ([`Surroundings`]): no remote
//!   reference names them, no `accept` or `progress` label is there, and no `end` label in front of *s*. A receive that
//!   becomes possible behind *s* is observed too where there are rendezvous channels, by an `else` beside the send.
//! - Nothing in the model or claim depends on who has moved or can move: `_last`, `enabled`, `pc_value`, `np_`,
//!   priorities, `provided`, a `timeout` in the claim, `timeout`s for which several processes wait. One process that
//!   waits for a `timeout` is no obstacle: it cannot move while *s* is possible.
//! - A claim must not count steps (`keep_steps`): it moves once for a merged step. Under a claim, *s* is no assertion:
//!   it is reported only if the claim can move in front of it.
//! - Merged steps end.
//!
//! `_nr_pr` changes with `run` and the end of a process only, which are never merged with a step in front of them.

use super::local::Surroundings;
use super::uses::{Bytes, Uses, uses_of, uses_of_expression};
use super::visit::initial_values;
use crate::program::{Base, DNode, DStep, Op, Program, Proto};

pub(super) fn optimize(program: &mut Program, surroundings: &Surroundings, keep_steps: bool) {
    let watched = remotely_read(program);
    drop_unread_globals(program);
    for (index, proto) in program.protos.iter_mut().enumerate() {
        reset_dead_variables(proto, &watched[index]);
    }
    if !keep_steps {
        let claimed = program.claim.is_some();
        for (index, proto) in program.protos.iter_mut().enumerate() {
            merge_local_steps(proto, index, surroundings, claimed);
        }
    }
}

/// What makes steps of a program noticed.
pub(super) fn surroundings(program: &Program) -> Surroundings {
    Surroundings::of(program, remotely_read(program), looks_at_steps(program))
}

fn all_protos(program: &Program) -> impl Iterator<Item = &Proto> {
    program.protos.iter().chain(&program.claim).chain(program.events.as_ref().map(|e| &e.proto))
}

/// Variables of each process type that others read.
fn remotely_read(program: &Program) -> Vec<Bytes> {
    let mut watched = vec![Bytes::default(); program.protos.len()];
    for proto in all_protos(program) {
        let ops = proto.actions.iter().map(|a| uses_of(&a.op));
        // Initial values are read when another process is created.
        let values = proto.provided.iter().chain(initial_values(proto)).map(uses_of_expression);
        for uses in ops.chain(values) {
            for (other, range) in uses.remote {
                watched[usize::from(other.0)].add(range);
            }
        }
    }
    for (index, proto) in program.protos.iter().enumerate().filter(|_| program.checks_exclusive) {
        claimed_by(proto).local_reads.into_iter().for_each(|range| watched[index].add(range));
    }
    watched
}

/// What `xr` and `xs` of a process type read. It is evaluated at each use of a channel.
pub(super) fn claimed_by(proto: &Proto) -> Uses {
    let mut uses = Uses::default();
    proto.exclusive.iter().for_each(|claim| uses.expression(&claim.chan));
    uses
}

/// Whether something observes single steps: `_last`, `enabled`, `pc_value`, `np_`.
fn looks_at_steps(program: &Program) -> bool {
    let observes = |proto: &Proto| {
        proto.actions.iter().any(|action| uses_of(&action.op).observes_steps)
            || initial_values(proto).any(|value| uses_of_expression(value).observes_steps)
    };
    all_protos(program).any(observes)
}

/// Assignments to globals that are never read become empty steps.
fn drop_unread_globals(program: &mut Program) {
    let mut read = Bytes::default();
    for proto in all_protos(program) {
        for action in &proto.actions {
            uses_of(&action.op).global_reads.iter().for_each(|r| read.add(*r));
        }
        for value in proto.provided.iter().chain(initial_values(proto)) {
            uses_of_expression(value).global_reads.iter().for_each(|r| read.add(*r));
        }
        claimed_by(proto).global_reads.iter().for_each(|r| read.add(*r));
    }
    for chan in program.events.iter().flat_map(|events| events.sends.iter().chain(&events.receives)) {
        uses_of_expression(chan).global_reads.iter().for_each(|r| read.add(*r));
    }
    for proto in &mut program.protos {
        for action in &mut proto.actions {
            let Op::Assign(place, value) = &action.op else { continue };
            let uses = uses_of_expression(value);
            let unread = place.base == Base::Global
                && place.indices.is_empty()
                && !read.overlaps((place.offset, place.scalar.size()));
            if unread && uses.has_no_side_effect() {
                action.op = Op::Skip;
            }
        }
    }
}

/// Liveness by bytes of the process's variables, backwards to a fixed point.
fn reset_dead_variables(proto: &mut Proto, watched: &Bytes) {
    let variables = proto.shown.iter().map(|s| s.offset + s.scalar.size()).max().unwrap_or(0);
    if variables == 0 || variables as usize * proto.controls.len() > 4_000_000 {
        return;
    }
    let uses: Vec<Uses> = proto.actions.iter().map(|a| uses_of(&a.op)).collect();
    let mut always = watched.clone();
    proto.chans.iter().for_each(|(_, at)| always.add((*at, 1)));
    if let Some(provided) = &proto.provided {
        uses_of_expression(provided).local_reads.iter().for_each(|r| always.add(*r));
    }
    let mut live: Vec<Bytes> = vec![always.clone(); proto.controls.len()];
    loop {
        let mut changed = false;
        for state in (0..proto.controls.len()).rev() {
            let mut here = live[state].clone();
            for transition in &proto.controls[state].transitions {
                let action = transition.action as usize;
                let after = live[usize::from(transition.target.0)].clone();
                here.join(&live_before(&proto.actions[action].op, &uses[action], after));
            }
            here.join(&always);
            if here != live[state] {
                live[state] = here;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for state in 0..proto.controls.len() {
        let before = live[state].clone();
        for transition in &mut proto.controls[state].transitions {
            let after = &live[usize::from(transition.target.0)];
            let mut touched = before.clone();
            uses[transition.action as usize].local_writes.iter().for_each(|r| touched.add(*r));
            transition.resets = touched.ranges_outside(after, variables);
        }
    }
}

/// The process's variables whose values matter in front of an operation, given those that matter behind it.
fn live_before(op: &Op, uses: &Uses, mut after: Bytes) -> Bytes {
    if let Op::DStep(code) = op
        && code.nodes.len() <= LONGEST_SEQUENCE
    {
        return live_before_sequence(code, &after);
    }
    uses.local_kills.iter().for_each(|range| after.remove(*range));
    uses.local_reads.iter().for_each(|range| after.add(*range));
    after
}

/// Nodes of a deterministic sequence up to which its insides are looked at; beyond, it overwrites nothing for certain.
const LONGEST_SEQUENCE: usize = 1_000;

/// The same for a deterministic sequence, backwards through its nodes to a fixed point.
fn live_before_sequence(code: &DStep, after: &Bytes) -> Bytes {
    let uses: Vec<Option<Uses>> = code
        .nodes
        .iter()
        .map(|node| match node {
            DNode::Basic { op, .. } => Some(uses_of(op)),
            _ => None,
        })
        .collect();
    let mut live = vec![Bytes::default(); code.nodes.len()];
    loop {
        let mut changed = false;
        for node in (0..code.nodes.len()).rev() {
            let here = match (&code.nodes[node], &uses[node]) {
                (DNode::Basic { op, next, .. }, Some(uses)) => live_before(op, uses, live[*next].clone()),
                (DNode::Jump(next) | DNode::Block(next), _) => live[*next].clone(),
                (DNode::Choice { options, .. }, _) => options.iter().fold(Bytes::default(), |mut all, option| {
                    all.join(&live[*option]);
                    all
                }),
                _ => after.clone(),
            };
            if here != live[node] {
                live[node] = here;
                changed = true;
            }
        }
        if !changed {
            return live.swap_remove(code.entry);
        }
    }
}

/// A step that leads to a control state with one always possible step that no property can observe keeps the turn, so that the
/// state between them is not stored. As with every local step, no run becomes dearer by it.
fn merge_local_steps(proto: &mut Proto, index: usize, surroundings: &Surroundings, claimed: bool) {
    let mut mergeable: Vec<bool> =
        (0..proto.controls.len()).map(|state| is_mergeable(proto, index, state, surroundings, claimed)).collect();
    keep_sequences_apart(proto, &mut mergeable);
    let leads_out = leads_out(proto, &mergeable);
    for control in &mut proto.controls {
        for transition in &mut control.transitions {
            transition.atomic |= leads_out[usize::from(transition.target.0)];
        }
    }
}

fn is_mergeable(proto: &Proto, index: usize, state: usize, surroundings: &Surroundings, claimed: bool) -> bool {
    let control = &proto.controls[state];
    let [transition] = control.transitions.as_slice() else { return false };
    let op = &proto.actions[transition.action as usize].op;
    let possible = match op {
        Op::Skip | Op::Assign(..) | Op::Print(_) => true,
        Op::Assert(..) => !claimed,
        _ => false,
    };
    possible && !control.valid_end && surroundings.unnoticed(index, proto, state, transition)
}

/// A step that keeps the turn is merged only if all that follows in its atomic sequence is.
fn keep_sequences_apart(proto: &Proto, mergeable: &mut [bool]) {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); mergeable.len()];
    for (state, control) in proto.controls.iter().enumerate() {
        for transition in control.transitions.iter().filter(|transition| transition.atomic) {
            before[usize::from(transition.target.0)].push(state);
        }
    }
    let mut work: Vec<usize> = (0..mergeable.len()).filter(|state| !mergeable[*state]).collect();
    while let Some(state) = work.pop() {
        for state in std::mem::take(&mut before[state]) {
            if std::mem::replace(&mut mergeable[state], false) {
                work.push(state);
            }
        }
    }
}

/// The mergeable states from which merged steps end.
fn leads_out(proto: &Proto, mergeable: &[bool]) -> Vec<bool> {
    let mut known: Vec<Option<bool>> = mergeable.iter().map(|m| if *m { None } else { Some(true) }).collect();
    for start in 0..mergeable.len() {
        let mut chain = Vec::new();
        let mut at = start;
        while known[at].is_none() {
            // A state met again while its own answer is open lies on a circle.
            known[at] = Some(false);
            chain.push(at);
            at = usize::from(proto.controls[at].transitions[0].target.0);
        }
        let answer = known[at] == Some(true);
        chain.into_iter().for_each(|state| known[state] = Some(answer));
    }
    known.into_iter().zip(mergeable).map(|(answer, mergeable)| *mergeable && answer == Some(true)).collect()
}
