//! Finds out what the steps from each control state use and what each process may still do: see
//! [`crate::independence`]. Called once, on the program as it will run.
//!
//! Steps can stand for those of all processes only if no property can tell them from standing still. So they write
//! nothing that the claim reads, pass no `accept` or `progress` label, and nothing in the model observes single steps
//! (`_last`, priorities, …). They touch nothing but variables and one end of each channel, and start no process.
//!
//! An atomic sequence, or statements that were merged, count as one step. Within it, an end of a channel may be used once:
//! what a second receive finds depends on what others have sent meanwhile. For the same reason, a process that may have to stop
//! at a channel in the middle of a sequence uses more than one end of it (`granted`).
//!
//! Whether a step violates a claim (`xr`, `xs`) depends on who is alive. So the end of a process that claims a channel
//! depends on those who use it, and no use of a channel is safe while a process with claims may be started.

use std::collections::HashMap;

use super::Faults;
use super::declared::Declared;
use super::granted::{Granted, only_waits};
use super::optimize::claimed_by;
use super::rendezvous::{arrivals_disable, may_stop, may_take};
use super::sequence::Sequence;
use super::touches::{Touch, touches};
use super::uses::{Bytes, uses_of, uses_of_expression};
use super::visit::{basic, initial_values, name_of, ops, variable, visit, visit_op, written_globals};
use selvedge_source::Cancel;

use crate::exclusive::Exclusive;
use crate::independence::{ChannelUse, ChannelUser, End, FutureUse, Here, Independence};
use crate::program::{Action, Base, Control, Ex, Op, Program, Proto, Transition};

/// Sets of global bytes, one for each control state, that are kept at the most.
const MOST_BITS: usize = 400_000_000;

/// Analyses every control state. `steps_count` says that a property sees single steps.
pub(super) fn analyse(program: &Program, steps_count: bool, faults: Faults, cancel: &Cancel) -> Independence {
    let controls: usize = program.protos.iter().map(|proto| proto.controls.len()).sum();
    if controls.saturating_mul(program.header.processes as usize) > MOST_BITS {
        return nothing(program);
    }
    let finder = Finder::new(program, steps_count, faults);
    let watchers = program.claim.iter().flat_map(|claim| finder.users_of(claim)).map(|(_, user)| user).collect();
    let mut accesses = Numbered::default();
    let number =
        |here: Found, accesses: &mut Numbered<Access>| Here { access: accesses.number(here.access), ..here.here };
    let here = program.protos.iter().enumerate().map(|(index, proto)| {
        let controls = proto.controls.iter().take_while(|_| !cancel.asks());
        let found = controls.map(|control| finder.here(index, proto, control));
        found.map(|found| found.map(|found| number(found, &mut accesses))).collect()
    });
    let here = here.collect();
    let mut futures = Numbered::default();
    let future_of =
        finder.futures(cancel).into_iter().map(|controls| controls.into_iter().map(|f| futures.number(f)).collect());
    let future_of = future_of.collect();
    let conflicts =
        accesses.list.iter().flat_map(|access| futures.list.iter().map(|f| access.conflicts_with(&f.access)));
    Independence {
        here,
        future_of,
        conflicts: conflicts.collect(),
        futures: futures.list.iter().map(|future| finder.future(future)).collect(),
        watchers,
    }
}

/// Nothing is known: no steps stand for those of all processes.
fn nothing(program: &Program) -> Independence {
    Independence {
        here: program.protos.iter().map(|proto| vec![None; proto.controls.len()]).collect(),
        ..Independence::default()
    }
}

/// Different values, numbered in the order in which they are met.
struct Numbered<T> {
    numbers: HashMap<T, usize>,
    list: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { numbers: HashMap::new(), list: Vec::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    fn number(&mut self, value: T) -> usize {
        let next = self.list.len();
        *self.numbers.entry(value).or_insert_with_key(|value| {
            self.list.push(value.clone());
            next
        })
    }
}

/// Global bytes that are read and written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Access {
    reads: Bytes,
    writes: Bytes,
}

impl Access {
    fn add(&mut self, op: &Op) {
        uses_of(op).global_reads.iter().for_each(|range| self.reads.add(*range));
        written_globals(op, &mut self.writes);
    }

    fn read(&mut self, ex: &Ex) {
        uses_of_expression(ex).global_reads.iter().for_each(|range| self.reads.add(*range));
    }

    fn join(&mut self, other: &Access) {
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
    }

    fn conflicts_with(&self, other: &Access) -> bool {
        self.reads.meets(&other.writes) || self.writes.meets(&other.reads) || self.writes.meets(&other.writes)
    }
}

/// What a process may still do, as sets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Future {
    access: Access,
    /// Numbers of its own uses of channels, and of those of processes that it may start.
    own: Bytes,
    started: Bytes,
    may_run: bool,
    may_claim: bool,
}

impl Future {
    fn join(&mut self, other: &Future) {
        self.access.join(&other.access);
        self.own.join(&other.own);
        self.started.join(&other.started);
        self.may_run |= other.may_run;
        self.may_claim |= other.may_claim;
    }
}

/// The steps from a control state, with the variables that they use.
#[derive(Default)]
struct Found {
    access: Access,
    here: Here,
}

struct Finder<'p> {
    program: &'p Program,
    /// No property, condition or clause can tell one more step of a process.
    blind: bool,
    /// Process types that remote references look into.
    watched: Vec<bool>,
    /// How many processes there are matters, or which.
    counted: bool,
    /// Global bytes that some process writes.
    written: Bytes,
    /// For each process type, its own bytes that it writes.
    own_writes: Vec<Bytes>,
    /// A sequence may stop in its middle until somebody arrives at a rendezvous.
    sequences_wait: bool,
    claim: Access,
    /// Every use of a channel, with process type and control state.
    users: Vec<(usize, usize, ChannelUser)>,
}

/// What an expression reads of the processes.
#[derive(Default)]
struct Asked {
    steps: bool,
    labels_by_number: bool,
    protos: Vec<usize>,
    processes: bool,
    timeout: bool,
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

impl<'p> Finder<'p> {
    fn new(program: &'p Program, steps_count: bool, faults: Faults) -> Self {
        let (mut asked, mut by_claim, mut claim_access) = (Asked::default(), Asked::default(), Access::default());
        let mut written = Bytes::default();
        let claim = program.claim.as_ref();
        for op in program.protos.iter().chain(claim).flat_map(ops) {
            visit_op(op, &mut |ex| asked.note(ex));
            written_globals(op, &mut written);
        }
        let values = || program.protos.iter().flat_map(initial_values);
        values().for_each(|value| visit(value, &mut |ex| asked.note(ex)));
        for op in claim.into_iter().flat_map(ops) {
            visit_op(op, &mut |ex| by_claim.note(ex));
            claim_access.add(op);
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
            && !claims_move(program, &written)
            && (claim.is_none() || !program.protos.iter().flat_map(ops).any(|op| may_be_at_fault(op, faults)))
            && (claim.is_none() || faults == Faults::None || !values().any(|value| uses_of_expression(value).can_fail));
        let counted = asked.processes || watched.contains(&true);
        let own_writes = program.protos.iter().map(own_writes).collect();
        let (claim, sequences_wait, users) = (claim_access, false, Vec::new());
        let mut finder = Finder { program, blind, watched, counted, written, own_writes, sequences_wait, claim, users };
        let stops = |(proto, own): (&Proto, &Bytes)| {
            let declared = finder.declared(proto, own);
            may_stop(&declared, &Granted::of(&declared))
        };
        let sequences_wait = program.uses_rendezvous && program.protos.iter().zip(&finder.own_writes).any(stops);
        finder.sequences_wait = sequences_wait;
        let users = program.protos.iter().enumerate().flat_map(|(index, proto)| {
            finder.users_of(proto).into_iter().map(move |(control, user)| (index, control, user))
        });
        finder.users = users.collect();
        finder
    }

    fn declared<'a>(&'a self, proto: &'a Proto, own_writes: &'a Bytes) -> Declared<'a> {
        Declared { program: self.program, proto, written: &self.written, own_writes }
    }

    /// What the steps from a control state use; `None` if they cannot stand for those of all processes.
    fn here(&self, index: usize, proto: &Proto, control: &Control) -> Option<Found> {
        let may = self.blind && !self.watched[index] && !control.transitions.is_empty();
        if !may || control.accept || control.progress || proto.provided.is_some() {
            return None;
        }
        let mut found = Found::default();
        for transition in &control.transitions {
            self.add_sequence(&Sequence::of(proto, transition)?, index, proto, &mut found)?;
        }
        let noticed = found.access.conflicts_with(&self.claim);
        (!noticed).then_some(found)
    }

    /// Adds one step, which may be a sequence of statements.
    fn add_sequence(&self, sequence: &Sequence, index: usize, proto: &Proto, found: &mut Found) -> Option<()> {
        let declared = self.declared(proto, &self.own_writes[index]);
        if self.sequences_wait && sequence.targets.iter().any(|control| may_take(&declared, control)) {
            return None;
        }
        let touched: Vec<Vec<Touch>> = sequence.steps.iter().map(|(op, _)| touches(op)).collect::<Option<_>>()?;
        for (op, _) in &sequence.steps {
            found.access.add(op);
            if matches!(op, Op::End) {
                found.here.ends_process = true;
                (!self.counted && proto.chans.is_empty()).then_some(())?;
                found.here.claims = self.claims_of(proto).map(|claim| (claim.end, claim.chan.clone())).collect();
            }
        }
        // A single `d_step` is a sequence, too: it may write the variables that name its channels.
        if sequence.steps.len() > 1 || sequence.steps.iter().any(|(op, _)| matches!(op, Op::DStep(_))) {
            found.here.apart |= self.used_once(sequence, &touched, index)?;
        }
        for touch in touched.into_iter().flatten() {
            if !found.here.ends.iter().any(|(end, chan)| *end == touch.end && same(chan, &touch.chan)) {
                found.here.ends.push((touch.end, touch.chan));
            }
        }
        Some(())
    }

    /// Whether a sequence uses each end of a channel before something else depends on it; the answer is whether this
    /// holds only as long as channels with different names are different.
    fn used_once(&self, sequence: &Sequence, touched: &[Vec<Touch>], index: usize) -> Option<bool> {
        let all_fixed = touched.iter().flatten().all(|touch| self.is_fixed(&touch.chan, &self.own_writes[index]));
        if !all_fixed {
            return None;
        }
        let mut apart = false;
        for (at, touches) in touched.iter().enumerate() {
            for first in touches.iter().filter(|touch| touch.consumes) {
                for later in sequence.behind(at).into_iter().flat_map(|later| &touched[later]) {
                    if later.end == first.end {
                        (!same(&later.chan, &first.chan)).then_some(())?;
                        apart = true;
                    }
                }
            }
        }
        Some(apart)
    }

    /// Whether nothing that a channel expression reads is ever written.
    fn is_fixed(&self, chan: &Ex, own_writes: &Bytes) -> bool {
        let uses = uses_of_expression(chan);
        !uses.global_reads.iter().any(|range| self.written.overlaps(*range))
            && !uses.local_reads.iter().any(|range| own_writes.overlaps(*range))
    }

    /// The channels that a process type uses, each with the control state.
    fn users_of(&self, proto: &Proto) -> Vec<(usize, ChannelUser)> {
        let own_writes = own_writes(proto);
        let granted = Granted::of(&self.declared(proto, &own_writes));
        let fixed = |chan: &Ex| match variable(chan) {
            Some((Base::Global, range)) => !self.written.overlaps(range),
            Some((Base::Local, range)) => !own_writes.overlaps(range),
            None => false,
        };
        let mut users = Vec::new();
        // When the process is created: as if it was there at the start.
        for value in initial_values(proto) {
            visit(value, &mut |ex| {
                if let Some(chan) = channel_of(ex) {
                    let (what, fixed) = (ChannelUse::Both, fixed(chan));
                    let user = ChannelUser { what, chan: chan.clone(), fixed, asks: true };
                    users.push((usize::from(proto.start.0), user));
                }
            });
        }
        for (state, control) in proto.controls.iter().enumerate() {
            let op_of = |t: &Transition| &proto.actions[t.action as usize].op;
            // Who can take an `else` or an escape beside it depends on whether the channel is full or empty.
            let has_alternative = control.transitions.iter().any(|t| t.escape != 0 || op_of(t).is_otherwise());
            let one = |end, chan: &Ex, plain: bool| {
                let undisturbed =
                    granted.is_outside(state) || granted.has(state, end, chan) && self.is_fixed(chan, &own_writes);
                if plain && !has_alternative && undisturbed { ChannelUse::One(end) } else { ChannelUse::Both }
            };
            for op in control.transitions.iter().map(op_of) {
                let asks = !matches!(op, Op::Send(_) | Op::Receive(_));
                for (what, chan) in uses_of_channels(op, &one) {
                    users.push((state, ChannelUser { what, chan: chan.clone(), fixed: fixed(&chan), asks }));
                }
            }
        }
        users
    }

    /// For each process type and control state, what a process there may still do: a fixed point backwards along the
    /// control flow and through the processes that are started.
    fn futures(&self, cancel: &Cancel) -> Vec<Vec<Future>> {
        let protos = &self.program.protos;
        let mut futures: Vec<Vec<Future>> = protos.iter().map(|p| vec![Future::default(); p.controls.len()]).collect();
        for (number, (proto, control, _)) in self.users.iter().enumerate() {
            futures[*proto][*control].own.add((number as u32, 1));
        }
        for (index, proto) in protos.iter().enumerate() {
            for (future, control) in futures[index].iter_mut().zip(&proto.controls) {
                control.transitions.iter().for_each(|t| future.access.add(&proto.actions[t.action as usize].op));
            }
        }
        let runs = |action: &Action| uses_of(&action.op).runs;
        let runs: Vec<Vec<_>> = protos.iter().map(|proto| proto.actions.iter().map(runs).collect()).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (index, proto) in protos.iter().enumerate() {
                for state in (0..proto.controls.len()).rev() {
                    if cancel.asks_at(state, 16) {
                        return futures;
                    }
                    let mut here = futures[index][state].clone();
                    for transition in &proto.controls[state].transitions {
                        for started in &runs[index][transition.action as usize] {
                            self.start(usize::from(started.0), &futures, &mut here);
                        }
                        here.join(&futures[index][usize::from(transition.target.0)]);
                    }
                    changed |= here != futures[index][state];
                    futures[index][state] = here;
                }
            }
        }
        futures
    }

    /// Adds what a process of this type may do from its creation on.
    fn start(&self, proto: usize, futures: &[Vec<Future>], here: &mut Future) {
        let started = &self.program.protos[proto];
        here.may_run = true;
        here.may_claim |= self.claims_of(started).next().is_some();
        initial_values(started).for_each(|value| here.access.read(value));
        let first = &futures[proto][usize::from(started.start.0)];
        here.access.join(&first.access);
        here.started.join(&first.own);
        here.started.join(&first.started);
    }

    /// The same for the machine. The channels of a process that does not exist yet are known only if they are global.
    fn future(&self, future: &Future) -> FutureUse {
        let user = |number: usize, started: bool| {
            let user = self.users[number].2.clone();
            let local = !matches!(variable(&user.chan), Some((Base::Global, _)));
            ChannelUser { fixed: user.fixed && !(started && local), ..user }
        };
        let of = |set: &Bytes, started: bool| {
            let members = (0..self.users.len()).filter(|number| set.contains(*number as u32));
            members.map(|number| user(number, started)).collect::<Vec<_>>()
        };
        let mut channels = of(&future.own, false);
        channels.extend(of(&future.started, true));
        let text = |user: &ChannelUser| format!("{:?}", (user.what, user.fixed, user.asks, name_of(&user.chan)));
        channels.sort_by_cached_key(text);
        channels.dedup_by_key(|user| text(user));
        FutureUse { channels, may_run: future.may_run, may_claim: future.may_claim }
    }

    /// The claims of a process type that are checked.
    fn claims_of<'a>(&self, proto: &'a Proto) -> impl Iterator<Item = &'a Exclusive> {
        proto.exclusive.iter().filter(|_| self.program.checks_exclusive)
    }
}

/// The channels that a statement uses. `one` says how the use of one end counts, if nothing else depends on the channel.
fn uses_of_channels(op: &Op, one: &dyn Fn(End, &Ex, bool) -> ChannelUse) -> Vec<(ChannelUse, Ex)> {
    let mut found = Vec::new();
    match op {
        Op::Send(send) => found.push((one(End::Tail, &send.chan, !send.sorted), send.chan.clone())),
        Op::Receive(receive) => {
            let plain = !receive.random && !receive.copy;
            found.push((one(End::Head, &receive.chan, plain), receive.chan.clone()));
        }
        Op::DStep(code) => basic(&code.nodes).for_each(|op| match op {
            Op::Send(send) => found.push((ChannelUse::Both, send.chan.clone())),
            Op::Receive(receive) => found.push((ChannelUse::Both, receive.chan.clone())),
            _ => {}
        }),
        _ => {}
    }
    let mut asked = Vec::new();
    let waits = match op {
        Op::Condition(ex) => only_waits(ex, &mut |end, chan| asked.push((one(end, chan, true), chan.clone()))),
        _ => false,
    };
    if waits {
        found.extend(asked);
        return found;
    }
    visit_op(op, &mut |ex| channel_of(ex).into_iter().for_each(|chan| found.push((ChannelUse::Both, chan.clone()))));
    found
}

/// The channel that an expression asks about.
fn channel_of(ex: &Ex) -> Option<&Ex> {
    match ex {
        Ex::Query(_, chan, _) => Some(chan),
        Ex::Poll(receive) => Some(&receive.chan),
        _ => None,
    }
}

/// Whether a claim (`xr`, `xs`) may move on to another channel, since a variable that it names is written.
fn claims_move(program: &Program, written: &Bytes) -> bool {
    let moves = |proto: &Proto| {
        let (claimed, own) = (claimed_by(proto), own_writes(proto));
        claimed.global_reads.iter().any(|range| written.overlaps(*range))
            || claimed.local_reads.iter().any(|range| own.overlaps(*range))
    };
    program.checks_exclusive && program.protos.iter().any(moves)
}

/// Own bytes that a process type writes.
fn own_writes(proto: &Proto) -> Bytes {
    let mut written = Bytes::default();
    ops(proto).for_each(|op| uses_of(op).local_writes.iter().for_each(|range| written.add(*range)));
    written
}

/// Whether a statement can show a fault of its own. Beside a claim such a fault is seen only as long as
/// the claim can continue, so that one more step before it makes a difference.
fn may_be_at_fault(op: &Op, faults: Faults) -> bool {
    let asserts = |op: &Op| matches!(op, Op::Assert(..));
    let can_assert = || asserts(op) || matches!(op, Op::DStep(code) if basic(&code.nodes).any(asserts));
    match faults {
        Faults::All => uses_of(op).can_fail || can_assert(),
        Faults::ButAssertions => uses_of(op).can_fail,
        Faults::None => false,
    }
}

/// Whether two expressions are the same variable, wherever they are written.
fn same(one: &Ex, other: &Ex) -> bool {
    variable(one).is_some() && variable(other).is_some() && name_of(one) == name_of(other)
}
