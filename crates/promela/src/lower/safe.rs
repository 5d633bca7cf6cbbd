//! Finds the control states that Spin calls safe, for the search that does as Spin does: see
//! [`crate::safety`]. Called once, on the program as it will run.
//!
//! A statement is *global* by the rules of Spin's own tables: it reads or writes a global variable,
//! looks at another process, or uses a channel that nobody declared exclusive. A control state is
//! safe if none of its statements is global; statements on exclusive channels are safe only while
//! the channel is not full (a send) or not empty (a receive). An atomic sequence counts as one
//! statement.

use super::uses::Range;
use super::visit::{basic, ops, overlap, variable, visit, visit_op};
use crate::exclusive::Exclusive;
use crate::independence::End;
use crate::program::{Action, Base, Control, Ex, Op, Pattern, Place, Program, Proto, Receive, Transition};
use crate::safety::{Safe, SafeWhen, Safety};
use selvedge_promela_syntax::ast::ChanQuery;

/// Conditions of one statement beyond which Spin calls it global, and of one control state.
const MOST_OF_STATEMENT: usize = 2;
const MOST_OF_CONTROL: usize = 6;

/// Classifies every control state.
pub(super) fn classify(program: &Program) -> Safety {
    let finder = Finder::new(program);
    Safety { controls: program.protos.iter().map(|proto| finder.controls(proto)).collect() }
}

struct Finder<'p> {
    program: &'p Program,
    /// Channel variables that the claim polls: not exclusive.
    polled: Vec<Range>,
}

impl<'p> Finder<'p> {
    fn new(program: &'p Program) -> Self {
        let mut polled = Vec::new();
        for op in program.claim.iter().flat_map(ops) {
            visit_op(op, &mut |ex| polled.extend(polled_channel(ex)));
        }
        Finder { program, polled }
    }

    fn controls(&self, proto: &Proto) -> Vec<Option<Safe>> {
        let global = self.global_sequences(proto);
        let reaches = Reaches {
            global: reaching(proto, |op| self.is_global(op, proto)),
            conditional: reaching(proto, |op| {
                let mut conditions = Vec::new();
                self.conditions(op, &mut conditions);
                !conditions.is_empty()
            }),
        };
        let classify = |(state, control): (usize, &Control)| {
            let mut safe = self.control(proto, control, &reaches)?;
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

    fn control(&self, proto: &Proto, control: &Control, reaches: &Reaches) -> Option<Safe> {
        if control.transitions.is_empty() || proto.provided.is_some() {
            return None;
        }
        let mut safe = Safe { when: Vec::new(), as_spin: true };
        for transition in &control.transitions {
            let first = &proto.actions[transition.action as usize].op;
            let target = usize::from(transition.target.0);
            if self.is_global(first, proto) || transition.atomic && reaches.global[target] {
                return None;
            }
            let mut conditions = Vec::new();
            if transition.atomic && reaches.conditional[target] {
                sequence(proto, transition).iter().for_each(|op| self.conditions(op, &mut conditions));
            } else {
                self.conditions(first, &mut conditions);
            }
            conditions.dedup_by_key(|when| format!("{when:?}"));
            let composed = transition.atomic || matches!(first, Op::DStep(_));
            if conditions.len() > MOST_OF_STATEMENT && composed {
                return None;
            }
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
            let end = if read { End::Head } else { End::Tail };
            let named = |claim: &Exclusive| {
                claim.end == end && variable(&claim.chan).is_some_and(|v| v.0 == base && overlap(v.1, range))
            };
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
}

/// By control state: whether an atomic sequence that continues there has such an operation before its end.
struct Reaches {
    global: Vec<bool>,
    conditional: Vec<bool>,
}

/// The control states from which an operation that `is` accepts is reached by atomic transitions and one more.
fn reaching(proto: &Proto, is: impl Fn(&Op) -> bool) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); proto.controls.len()];
    let mut reaches = vec![false; proto.controls.len()];
    for (state, control) in proto.controls.iter().enumerate() {
        for transition in &control.transitions {
            reaches[state] |= is(&proto.actions[transition.action as usize].op);
            if transition.atomic {
                before[usize::from(transition.target.0)].push(state);
            }
        }
    }
    let mut work: Vec<usize> = (0..reaches.len()).filter(|state| reaches[*state]).collect();
    while let Some(state) = work.pop() {
        for state in std::mem::take(&mut before[state]) {
            if !std::mem::replace(&mut reaches[state], true) {
                work.push(state);
            }
        }
    }
    reaches
}

/// The operations of one step: one, or those of the atomic sequence that it starts.
fn sequence<'p>(proto: &'p Proto, first: &'p Transition) -> Vec<&'p Op> {
    let mut ops = Vec::new();
    let mut seen = vec![false; proto.controls.len()];
    let mut todo = vec![first];
    while let Some(transition) = todo.pop() {
        ops.push(&proto.actions[transition.action as usize].op);
        let target = usize::from(transition.target.0);
        if transition.atomic && !std::mem::replace(&mut seen[target], true) {
            todo.extend(&proto.controls[target].transitions);
        }
    }
    ops
}

/// Whether an action is a `goto` to an earlier place. (Spin takes later places for a part of the
/// sequence that the `goto` leaves.)
fn goes_back(action: &Action, target: &Control) -> bool {
    let earlier = target.span.is_none_or(|span| span.start <= action.span.start);
    matches!(action.op, Op::Skip) && action.text.starts_with("goto") && earlier
}

fn polled_channel(ex: &Ex) -> Option<Range> {
    let chan = match ex {
        Ex::Query(_, chan, _) => chan,
        Ex::Poll(receive) => &receive.chan,
        _ => return None,
    };
    variable(chan).map(|(_, range)| range)
}
