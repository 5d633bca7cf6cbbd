//! Finds the control states whose steps may stand for those of all processes: see
//! [`crate::safety`]. Called once, on the program as it will run.
//!
//! A statement is *global* by the rules of Spin's own tables: it reads or writes a global variable,
//! looks at another process, or uses a channel that nobody declared exclusive. A control state is
//! safe if none of its statements is global; statements on exclusive channels are safe only while
//! the channel is not full (a send) or not empty (a receive). An atomic sequence counts as one
//! statement.

use super::uses::{Bytes, Range, extent, uses_of};
use crate::program::{Action, Base, Control, DNode, Ex, Op, Pattern, Place, Program, Proto, Receive, Transition};
use crate::safety::{ChannelUse, ChannelUser, Safe, SafeWhen, Safety};
use selvedge_promela_syntax::ast::ChanQuery;

/// Conditions of one statement beyond which Spin calls it global, and of one control state.
const MOST_OF_STATEMENT: usize = 2;
const MOST_OF_CONTROL: usize = 6;

/// Classifies every control state. `steps_count` says that a property sees single steps.
pub(super) fn classify(program: &Program, steps_count: bool) -> Safety {
    let finder = Finder::new(program, steps_count);
    let per_proto = || program.protos.iter().enumerate();
    Safety {
        controls: per_proto().map(|(index, proto)| finder.controls(index, proto)).collect(),
        users: program.protos.iter().map(|proto| finder.users(proto)).collect(),
        watchers: program.claim.iter().flat_map(|claim| finder.users(claim)).collect(),
        may_run: program.protos.iter().map(may_run).collect(),
    }
}

struct Finder<'p> {
    program: &'p Program,
    /// Channel variables that the claim polls: not exclusive.
    polled: Vec<Range>,
    /// Global bytes that some process writes.
    written: Bytes,
    /// No property, condition or clause can tell one more step of a process.
    blind: bool,
    /// Process types that remote references look into.
    watched: Vec<bool>,
    /// How many processes there are matters, or which.
    counted: bool,
}

/// What somebody asks of the processes.
#[derive(Default)]
struct Asked {
    steps: bool,
    labels_by_number: bool,
    protos: Vec<usize>,
    processes: bool,
    timeout: bool,
}

/// Whether a process that arrives at a rendezvous may disable a step of another: the offer that it answers is an escape,
/// or has an `else` beside it. Then even a step that touches nothing but its own process is no safe one.
fn arrivals_disable(program: &Program) -> bool {
    let rendezvous = program.specs.iter().any(|spec| spec.capacity == 0);
    let offers = |proto: &Proto, t: &Transition| matches!(proto.actions[t.action as usize].op, Op::Send(_));
    let otherwise = |proto: &Proto, t: &Transition| proto.actions[t.action as usize].op.is_otherwise();
    let disabled = |proto: &Proto, control: &Control| {
        let beside_else = control.transitions.iter().any(|t| otherwise(proto, t));
        control.transitions.iter().any(|t| offers(proto, t) && (beside_else || t.escape != 0))
    };
    rendezvous && program.protos.iter().any(|proto| proto.controls.iter().any(|control| disabled(proto, control)))
}

impl<'p> Finder<'p> {
    fn new(program: &'p Program, steps_count: bool) -> Self {
        let claim = program.claim.as_ref();
        let mut asked = Asked::default();
        let mut written = Bytes::default();
        for proto in program.protos.iter().chain(claim) {
            for op in ops(proto) {
                visit_op(op, &mut |ex| asked.note(ex));
                written_globals(op, &mut written);
            }
        }
        let (mut by_claim, mut polled) = (Asked::default(), Vec::new());
        for op in claim.into_iter().flat_map(ops) {
            visit_op(op, &mut |ex| {
                by_claim.note(ex);
                polled.extend(polled_channel(ex));
            });
        }
        let mut watched = vec![asked.labels_by_number; program.protos.len()];
        asked.protos.iter().for_each(|proto| watched[*proto] = true);
        let blind = !steps_count
            && !program.uses_priority
            && !program.uses_provided
            && program.events.is_none()
            && !asked.steps
            && !by_claim.timeout
            && !arrivals_disable(program)
            && (claim.is_none() || !program.protos.iter().flat_map(ops).any(may_be_at_fault));
        let counted = asked.processes || watched.contains(&true);
        Finder { program, polled, written, blind, watched, counted }
    }

    fn controls(&self, index: usize, proto: &Proto) -> Vec<Option<Safe>> {
        let global = self.global_sequences(proto);
        let classify = |(state, control): (usize, &Control)| {
            let mut safe = self.control(index, proto, control)?;
            let starts_global = |t: &Transition| t.atomic && global[usize::from(t.target.0)];
            safe.as_spin = !global[state] && !control.transitions.iter().any(starts_global);
            Some(safe)
        };
        proto.controls.iter().enumerate().map(classify).collect()
    }

    /// The control states inside atomic sequences that Spin calls global as a whole: one of their
    /// statements is, or a `goto` leaves them.
    fn global_sequences(&self, proto: &Proto) -> Vec<bool> {
        let (mut inside, mut global) = (vec![false; proto.controls.len()], vec![false; proto.controls.len()]);
        let transitions =
            || proto.controls.iter().enumerate().flat_map(|(s, c)| c.transitions.iter().map(move |t| (s, t)));
        transitions().filter(|(_, t)| t.atomic).for_each(|(_, t)| inside[usize::from(t.target.0)] = true);
        loop {
            let mut changed = false;
            for (state, transition) in transitions() {
                let (action, target) = (&proto.actions[transition.action as usize], usize::from(transition.target.0));
                let leaves = inside[state] && !transition.atomic && goes_back(action, &proto.controls[target]);
                let bad = leaves || self.is_global(&action.op, proto);
                let here = inside[state] && (bad || transition.atomic && global[target]);
                let there = transition.atomic && (bad || inside[state] && global[state]);
                changed |= here && !global[state] || there && !global[target];
                global[state] |= here;
                global[target] |= there;
            }
            if !changed {
                return global;
            }
        }
    }

    fn control(&self, index: usize, proto: &Proto, control: &Control) -> Option<Safe> {
        if control.transitions.is_empty() || proto.provided.is_some() {
            return None;
        }
        let mut safe = Safe { when: Vec::new(), as_spin: true, sound: self.blind && !self.watched[index] };
        safe.sound &= !control.accept && !control.progress;
        for transition in &control.transitions {
            let sequence = Sequence::of(proto, transition);
            let mut conditions = Vec::new();
            for op in &sequence.ops {
                if self.is_global(op, proto) {
                    return None;
                }
                self.conditions(op, &mut conditions);
            }
            conditions.dedup_by_key(|when| format!("{when:?}"));
            let composed = transition.atomic || matches!(sequence.ops[0], Op::DStep(_));
            if conditions.len() > MOST_OF_STATEMENT && composed {
                return None;
            }
            safe.sound &= transition.escape == 0
                && !sequence.visible
                && (!composed || conditions.is_empty())
                && sequence.ops.iter().all(|op| self.is_sound(op, proto));
            for when in conditions {
                if !safe.when.iter().any(|w| format!("{w:?}") == format!("{when:?}")) {
                    safe.when.push(when);
                }
            }
        }
        (safe.when.len() <= MOST_OF_CONTROL).then_some(safe)
    }

    /// Whether a statement is global by Spin's rules.
    fn is_global(&self, op: &Op, proto: &Proto) -> bool {
        let ex = |ex: &Ex| self.is_global_ex(ex, proto);
        match op {
            Op::Skip | Op::Else | Op::End => false,
            Op::Condition(e) | Op::Assert(e, ..) => ex(e),
            Op::Assign(place, value) => self.is_global_place(place, proto) || ex(value),
            Op::AssignAll(list) => list.iter().any(|(p, v)| self.is_global_place(p, proto) || ex(v)),
            Op::Send(send) => send.args.iter().any(ex) || !self.is_exclusive(&send.chan, proto, false),
            Op::Receive(receive) => {
                self.is_global_receive(receive, proto) || !self.is_exclusive(&receive.chan, proto, true)
            }
            Op::Print(print) => print.args.iter().any(|(e, _)| ex(e)),
            Op::DStep(code) => basic(&code.nodes).any(|op| self.is_global(op, proto)),
        }
    }

    fn is_global_receive(&self, receive: &Receive, proto: &Proto) -> bool {
        receive.args.iter().any(|arg| match arg {
            Pattern::Store(place) => self.is_global_place(place, proto),
            Pattern::Any => false,
            Pattern::Match(e) => self.is_global_ex(e, proto),
        })
    }

    fn is_global_place(&self, place: &Place, proto: &Proto) -> bool {
        place.base == Base::Global || place.indices.iter().any(|i| self.is_global_ex(&i.value, proto))
    }

    fn is_global_ex(&self, ex: &Ex, proto: &Proto) -> bool {
        let both = |chan: &Ex| self.is_exclusive(chan, proto, true) && self.is_exclusive(chan, proto, false);
        match ex {
            Ex::Const(_) | Ex::LocalByte(_) | Ex::Pid => false,
            Ex::GlobalByte(_) => true,
            Ex::Load(place) => self.is_global_place(place, proto),
            Ex::Unary(_, inner) => self.is_global_ex(inner, proto),
            Ex::Binary(_, two, _) => self.is_global_ex(&two.0, proto) || self.is_global_ex(&two.1, proto),
            Ex::Conditional(three) => [&three.0, &three.1, &three.2].iter().any(|e| self.is_global_ex(e, proto)),
            // As in Spin, only what the new process's own declarations read counts.
            Ex::Run { proto: new, .. } => {
                let new = &self.program.protos[usize::from(new.0)];
                new.init.iter().any(|(_, value)| self.is_global_ex(value, new))
            }
            Ex::Query(query, chan, _) => match query {
                ChanQuery::Len => !both(chan),
                ChanQuery::NonEmpty | ChanQuery::Full => !self.is_exclusive(chan, proto, true),
                ChanQuery::NonFull | ChanQuery::Empty => !self.is_exclusive(chan, proto, false),
            },
            Ex::Poll(receive) => self.is_global_receive(receive, proto) || !both(&receive.chan),
            _ => true,
        }
    }

    /// Whether a channel variable was declared exclusive and no claim polls it.
    fn is_exclusive(&self, chan: &Ex, proto: &Proto, read: bool) -> bool {
        let Some((base, range)) = variable(chan) else { return false };
        let declared = |p: &Proto| {
            let named =
                |(r, ex): &(bool, Ex)| *r == read && variable(ex).is_some_and(|v| v.0 == base && overlap(v.1, range));
            p.exclusive.iter().any(named)
        };
        let known = match base {
            Base::Local => declared(proto),
            Base::Global => self.program.protos.iter().any(declared),
        };
        known && !(base == Base::Global && self.polled.iter().any(|polled| overlap(*polled, range)))
    }

    /// Under which conditions a statement that is not global is safe.
    fn conditions(&self, op: &Op, out: &mut Vec<SafeWhen>) {
        let unless = self.program.uses_unless;
        match op {
            Op::Send(send) if unless => out.push(SafeWhen::InBetween(send.chan.clone())),
            Op::Receive(receive) if unless => out.push(SafeWhen::InBetween(receive.chan.clone())),
            Op::Send(send) => out.push(SafeWhen::NotFull(send.chan.clone())),
            Op::Receive(receive) => out.push(SafeWhen::NotEmpty(receive.chan.clone())),
            Op::Condition(ex) => visit(ex, &mut |ex| {
                let Ex::Query(query, chan, _) = ex else { return };
                match query {
                    ChanQuery::Len => {}
                    ChanQuery::NonEmpty => out.push(SafeWhen::NotEmpty((**chan).clone())),
                    ChanQuery::NonFull => out.push(SafeWhen::NotFull((**chan).clone())),
                    ChanQuery::Full => out.push(SafeWhen::Full((**chan).clone())),
                    ChanQuery::Empty => out.push(SafeWhen::Empty((**chan).clone())),
                }
            }),
            Op::End => out.push(SafeWhen::Youngest),
            Op::DStep(code) => basic(&code.nodes).for_each(|op| self.conditions(op, out)),
            Op::Skip | Op::Else | Op::Assign(..) | Op::AssignAll(_) | Op::Assert(..) | Op::Print(_) => {}
        }
    }

    /// Whether a statement that is not global is also nobody's business, channels aside.
    fn is_sound(&self, op: &Op, proto: &Proto) -> bool {
        match op {
            Op::Send(send) => !send.sorted && send.args.iter().all(is_own),
            Op::Receive(receive) => {
                let own = |arg: &Pattern| !matches!(arg, Pattern::Match(ex) if !is_own(ex));
                !receive.random && receive.args.iter().all(own)
            }
            Op::End => !self.counted && proto.chans.is_empty(),
            op => {
                let uses = uses_of(op);
                !uses.environment && !uses.acts && uses.global_reads.is_empty() && !uses.global_writes
            }
        }
    }

    /// The channels a process type uses.
    fn users(&self, proto: &Proto) -> Vec<ChannelUser> {
        let mut own_writes = Bytes::default();
        ops(proto).for_each(|op| uses_of(op).local_writes.iter().for_each(|r| own_writes.add(*r)));
        let fixed = |chan: &Ex| match variable(chan) {
            Some((Base::Global, range)) => !self.written.overlaps(range),
            Some((Base::Local, range)) => !own_writes.overlaps(range),
            None => false,
        };
        let mut users = Vec::new();
        let mut add = |what, chan: &Ex| users.push(ChannelUser { what, chan: chan.clone(), fixed: fixed(chan) });
        for control in &proto.controls {
            let op_of = |t: &Transition| &proto.actions[t.action as usize].op;
            // Who can take an `else` or an escape beside it depends on whether the channel is full or empty.
            let beside = control.transitions.iter().any(|t| t.escape != 0 || op_of(t).is_otherwise());
            for transition in &control.transitions {
                match op_of(transition) {
                    Op::Send(send) => {
                        let plain = !beside && !send.sorted;
                        add(if plain { ChannelUse::Send } else { ChannelUse::Other }, &send.chan);
                    }
                    Op::Receive(receive) => {
                        let plain = !beside && !receive.random && !receive.copy;
                        add(if plain { ChannelUse::Receive } else { ChannelUse::Other }, &receive.chan);
                    }
                    Op::DStep(code) => basic(&code.nodes).for_each(|op| match op {
                        Op::Send(send) => add(ChannelUse::Other, &send.chan),
                        Op::Receive(receive) => add(ChannelUse::Other, &receive.chan),
                        _ => {}
                    }),
                    _ => {}
                }
                visit_op(op_of(transition), &mut |ex| match ex {
                    Ex::Query(_, chan, _) => add(ChannelUse::Other, chan),
                    Ex::Poll(receive) => add(ChannelUse::Other, &receive.chan),
                    _ => {}
                });
            }
        }
        users
    }
}

impl Asked {
    fn note(&mut self, ex: &Ex) {
        match ex {
            Ex::Last | Ex::NonProgress | Ex::Enabled(..) | Ex::PcValue(_) => self.steps = true,
            Ex::ProcessCount => self.processes = true,
            Ex::Timeout => self.timeout = true,
            Ex::RemoteLabel(proto, pid, _) => {
                // A number is not checked against the type: it may be any process.
                self.labels_by_number |= pid.is_some();
                self.protos.push(usize::from(proto.0));
            }
            Ex::RemoteVar(proto, ..) => self.protos.push(usize::from(proto.0)),
            _ => {}
        }
    }
}

/// The operations of one step: one, or those of the atomic sequence that it starts.
struct Sequence<'p> {
    ops: Vec<&'p Op>,
    /// It passes a control state that liveness properties see.
    visible: bool,
}

impl<'p> Sequence<'p> {
    fn of(proto: &'p Proto, first: &Transition) -> Self {
        let mut sequence = Sequence { ops: Vec::new(), visible: false };
        let mut seen = vec![false; proto.controls.len()];
        let mut todo = vec![first];
        while let Some(transition) = todo.pop() {
            sequence.ops.push(&proto.actions[transition.action as usize].op);
            let target = usize::from(transition.target.0);
            let control = &proto.controls[target];
            sequence.visible |= control.accept || control.progress;
            if transition.atomic && !std::mem::replace(&mut seen[target], true) {
                todo.extend(&control.transitions);
            }
        }
        sequence
    }
}

/// Whether an action is a `goto` to an earlier place. (Spin takes later places for a part of the
/// sequence that the `goto` leaves.)
fn goes_back(action: &Action, target: &Control) -> bool {
    let earlier = target.span.is_none_or(|span| span.start <= action.span.start);
    matches!(action.op, Op::Skip) && action.text.starts_with("goto") && earlier
}

/// Whether a statement can show a fault of its own. Beside a claim such a fault is seen only as long as
/// the claim can go on, so that one more step before it makes a difference.
fn may_be_at_fault(op: &Op) -> bool {
    let uses = uses_of(op);
    let asserts = |op: &Op| matches!(op, Op::Assert(..));
    uses.can_fail || asserts(op) || matches!(op, Op::DStep(code) if basic(&code.nodes).any(asserts))
}

/// Whether an expression reads nothing but the process's own variables.
fn is_own(ex: &Ex) -> bool {
    let mut uses = super::uses::Uses::default();
    uses.expression(ex);
    !uses.environment && !uses.acts && uses.global_reads.is_empty()
}

/// For each control state, whether a process may be started from there on.
fn may_run(proto: &Proto) -> Vec<bool> {
    let starts: Vec<bool> = proto.actions.iter().map(|action| uses_of(&action.op).acts).collect();
    let mut may = vec![false; proto.controls.len()];
    loop {
        let mut changed = false;
        for (index, control) in proto.controls.iter().enumerate().rev() {
            let here = control.transitions.iter().any(|t| starts[t.action as usize] || may[usize::from(t.target.0)]);
            changed |= here != may[index];
            may[index] = here;
        }
        if !changed {
            return may;
        }
    }
}

fn ops(proto: &Proto) -> impl Iterator<Item = &Op> {
    proto.actions.iter().map(|action| &action.op)
}

fn basic(nodes: &[DNode]) -> impl Iterator<Item = &Op> {
    nodes.iter().filter_map(|node| match node {
        DNode::Basic { op, .. } => Some(op),
        _ => None,
    })
}

/// The variable (or array) an expression reads, if it only reads one.
fn variable(ex: &Ex) -> Option<(Base, Range)> {
    match ex {
        Ex::GlobalByte(at) => Some((Base::Global, (*at, 1))),
        Ex::LocalByte(at) => Some((Base::Local, (*at, 1))),
        Ex::Load(place) => Some((place.base, extent(place))),
        _ => None,
    }
}

fn overlap(a: Range, b: Range) -> bool {
    a.0 < b.0 + b.1 && b.0 < a.0 + a.1
}

fn polled_channel(ex: &Ex) -> Option<Range> {
    let chan = match ex {
        Ex::Query(_, chan, _) => chan,
        Ex::Poll(receive) => &receive.chan,
        _ => return None,
    };
    variable(chan).map(|(_, range)| range)
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
