//! The transitions of a packed state: remembered steps ([`Memo`]), followed through atomic sequences on keys. What is not
//! remembered yet is executed by the machine with its footprint traced; what cannot be remembered is executed by the machine
//! every time, for one thread in one state. The machine is the reference: a debug build asks it again for a sample.
//!
//! Transitions are those of [`selvedge_machine::expand_own`] for one thread, in the same order.

use selvedge_core::{StopReason, ThreadId};
use selvedge_machine::{
    Arrival, ExpandBuffers, Fault, Footprint, Hints, Parts, Path, PathStep, Steps, Threads, Traced, Turn, Unit,
    expand_own,
};

use super::ample::Positions;
use super::codes::{Codes, Key, Moves};
use super::memo::{Delta, Known, Memo, Question, unit};
use crate::path;

/// Steps inside one atomic sequence, and its length, beyond which the machine follows it: it merges paths then.
const MOST_INSIDE: usize = 10_000;
const LONGEST: usize = 200;
/// Look-ups after which it is decided whether remembering pays, for the first time.
const FIRST_LOOK: u64 = 1 << 14;
/// It pays if at most one look-up in this many fails.
const RARE: u64 = 8;

/// Where a transition leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    pub key: Key,
    pub hash: u64,
    /// The thread that ran last.
    pub last: u8,
    /// It is gone.
    pub gone: bool,
}

/// What a thread does in a state, besides its transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    /// It has a step.
    pub has_step: bool,
    /// Something goes wrong in a step.
    pub faulty: bool,
}

/// A transition with what goes wrong in it, each fault with the steps up to it; and where it leads, if anywhere.
pub(crate) type Faulty = (Vec<(Fault, Vec<PathStep>)>, Option<Reached>);

/// Why something was not completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// Codes do not fit: call [`Remembered::widen`], move all keys, and ask again.
    Widen,
    /// The search without packing has to go on: packing does not pay or is impossible.
    GiveUp,
    /// The budget is spent.
    Stop(StopReason),
}

impl Halt {
    /// The same where keys cannot be moved any more.
    pub(crate) fn in_the_middle(self) -> Self {
        if self == Halt::Widen { Halt::GiveUp } else { self }
    }
}

/// Steps of a machine, remembered.
pub(crate) struct Remembered<'a, M: Hints> {
    machine: &'a M,
    tracer: Box<dyn Traced + 'a>,
    pub codes: Codes,
    pub memo: Memo,
    positions: Positions,
    buffers: ExpandBuffers<M>,
    tools: Tools,
    /// Keys inside the atomic sequence that is being followed.
    inside: Vec<Key>,
    executed: usize,
    /// The parts that what is looked up depends on, while somebody wants to know.
    depends_on: Option<Vec<u64>>,
    lookups: u64,
    misses: u64,
    next_look: u64,
}

#[derive(Default)]
struct Tools {
    parts: Parts,
    state: Vec<u8>,
    steps: Steps,
    footprint: Footprint,
    deltas: Vec<Delta>,
}

impl<'a, M: Hints> Remembered<'a, M> {
    /// Nothing is remembered yet; the initial state gets the first key. `None` if the machine cannot be traced.
    pub(super) fn new(machine: &'a M, buffers: ExpandBuffers<M>) -> Option<(Self, Key)> {
        let tracer = machine.traced()?;
        let mut codes = Codes::new(tracer.shared_parts());
        let mut tools = Tools::default();
        machine.initial(&mut tools.state);
        tracer.split(&tools.state, &mut tools.parts);
        let key = codes.pack(&tools.parts)?;
        let mut memo = Memo::new();
        let moves = codes.widen();
        memo.rekey(&codes, &moves);
        let remembered = Remembered {
            machine,
            tracer,
            codes,
            memo,
            positions: Positions::default(),
            buffers,
            tools,
            inside: Vec::new(),
            executed: 0,
            depends_on: None,
            lookups: 0,
            misses: 0,
            next_look: FIRST_LOOK,
        };
        Some((remembered, key))
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.codes.bytes() + self.memo.bytes() + self.positions.bytes()
    }

    /// Lays out keys so that all codes fit.
    pub(super) fn widen(&mut self) -> Moves {
        let moves = self.codes.widen();
        self.memo.rekey(&self.codes, &moves);
        moves
    }

    /// The key of a state, if it has only codes that are known.
    pub(super) fn pack(&mut self, state: &[u8]) -> Option<Key> {
        self.tracer.split(state, &mut self.tools.parts);
        self.codes.pack(&self.tools.parts)
    }

    /// Writes the state of a key to `out`.
    pub(super) fn unpack(&mut self, key: Key, out: &mut Vec<u8>) {
        out.clear();
        self.tracer.join(self.codes.unpack(key), out);
    }

    /// The machine.
    pub(super) fn machine(&self) -> &'a M {
        self.machine
    }

    /// See [`Hints::is_safe`].
    pub(super) fn is_safe(&mut self, key: Key, thread: usize) -> bool {
        let known = self.positions.is_safe(key, thread, &self.codes, &*self.tracer);
        if !cfg!(debug_assertions)
            && let Some(known) = known
        {
            return known;
        }
        let mut state = std::mem::take(&mut self.tools.state);
        self.unpack(key, &mut state);
        let safe = self.machine.is_safe(&state, ThreadId(thread as u32));
        self.tools.state = state;
        assert!(known.is_none_or(|known| known == safe), "whether thread {thread} is safe in {key:#x}");
        safe
    }

    /// What is known about a thread in a state.
    #[inline]
    pub(super) fn find(&mut self, key: Key, thread: usize, question: Question) -> Option<Known> {
        self.lookups += 1;
        let code = self.codes.field(self.codes.thread_part(thread)).get(key);
        let known = self.memo.find(unit(thread, question), code, key);
        self.misses += u64::from(known.is_none());
        known
    }

    /// Appends the transitions of a thread that are remembered, and adds the parts that they depend on to `parts`; whether all
    /// of them are remembered.
    pub(super) fn own_transitions(
        &mut self,
        key: Key,
        thread: usize,
        parts: &mut Vec<u64>,
        out: &mut Vec<Reached>,
    ) -> Result<bool, Halt> {
        self.depends_on = Some(std::mem::take(parts));
        let result = self.remembered_transitions(key, thread, out);
        *parts = self.depends_on.take().unwrap_or_default();
        Ok(result?.is_some())
    }

    /// Appends the transitions of a thread.
    pub(super) fn transitions(&mut self, key: Key, thread: usize, out: &mut Vec<Reached>) -> Result<Moved, Halt> {
        let from = out.len();
        let result = self.remembered_transitions(key, thread, out);
        let moved = match result {
            Ok(Some(has_step)) => Moved { has_step, faulty: false },
            Ok(None) => {
                out.truncate(from);
                self.misses += 1;
                self.executed_transitions(key, thread, out)?
            }
            Err(halt) => {
                out.truncate(from);
                return Err(halt);
            }
        };
        if cfg!(debug_assertions) && self.lookups.is_multiple_of(7) {
            self.compare_with_machine(key, thread, moved, &out[from..])?;
        }
        self.check_pay()?;
        Ok(moved)
    }

    /// The same from memory; `None` if the machine has to be asked.
    fn remembered_transitions(
        &mut self,
        key: Key,
        thread: usize,
        out: &mut Vec<Reached>,
    ) -> Result<Option<bool>, Halt> {
        let known = self.known(key, thread, Question::Alone)?;
        if known.is(Known::OPAQUE) {
            return Ok(None);
        }
        if known.is(Known::OFFERS) {
            return self.with_meetings(key, thread, known, out);
        }
        let steps = known.steps();
        if steps.is_empty() {
            return self.without_steps(key, thread, known);
        }
        for index in steps {
            let delta = self.memo.delta(index);
            if !self.take(key, delta, out)? {
                return Ok(None);
            }
        }
        Ok(Some(true))
    }

    /// The transitions of a thread that offers to meet others, in order.
    fn with_meetings(
        &mut self,
        key: Key,
        thread: usize,
        known: Known,
        out: &mut Vec<Reached>,
    ) -> Result<Option<bool>, Halt> {
        let Some(deltas) = self.with_partners(key, thread, known)? else { return Ok(None) };
        for delta in &deltas {
            if !self.take(key, *delta, out)? {
                return Ok(None);
            }
        }
        if deltas.is_empty() { self.without_steps(key, thread, known) } else { Ok(Some(true)) }
    }

    /// A thread has no step. If it waits for a timeout and nobody else has one either, the machine is asked.
    fn without_steps(&mut self, key: Key, thread: usize, known: Known) -> Result<Option<bool>, Halt> {
        if !known.is(Known::WAITS) {
            return Ok(Some(false));
        }
        // What this depends on is not only parts that threads have read.
        if self.depends_on.is_some() {
            return Ok(None);
        }
        for other in (0..self.codes.thread_count(key)).filter(|other| *other != thread) {
            match self.has_own_step(key, other)? {
                Some(true) => return Ok(Some(false)),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Whether a thread has a step without a timeout, as far as is remembered.
    fn has_own_step(&mut self, key: Key, thread: usize) -> Result<Option<bool>, Halt> {
        let known = self.known(key, thread, Question::Alone)?;
        if known.is(Known::OPAQUE) {
            return Ok(None);
        }
        if !known.steps().is_empty() || !known.is(Known::OFFERS) {
            return Ok(Some(!known.steps().is_empty()));
        }
        Ok(self.with_partners(key, thread, known)?.map(|deltas| !deltas.is_empty()))
    }

    /// The steps of a thread that offers to meet others: its own and those with each partner, youngest first.
    fn with_partners(&mut self, key: Key, thread: usize, known: Known) -> Result<Option<Vec<Delta>>, Halt> {
        let mut deltas: Vec<Delta> = known.steps().map(|index| self.memo.delta(index)).collect();
        // Who is there is the shape, part 0.
        self.depends_on.iter_mut().for_each(|parts| parts[0] |= 1);
        for other in (0..self.codes.thread_count(key)).rev().filter(|other| *other != thread) {
            let met = self.known(key, thread, Question::Meets(other))?;
            if met.is(Known::OPAQUE) {
                return Ok(None);
            }
            deltas.extend(met.steps().map(|index| self.memo.delta(index)));
        }
        deltas.sort_by_key(|delta| delta.order);
        Ok(Some(deltas))
    }

    /// Takes a step from a stored state; whether it could be followed to the next stored states.
    #[inline]
    fn take(&mut self, key: Key, delta: Delta, out: &mut Vec<Reached>) -> Result<bool, Halt> {
        let next = key ^ delta.change;
        if !delta.atomic {
            out.push(reached(next, delta));
            return Ok(true);
        }
        self.inside.clear();
        self.executed = 0;
        self.follow(next, delta, out)
    }

    /// Goes on inside an atomic sequence from a key that a step of it led to.
    fn follow(&mut self, key: Key, by: Delta, out: &mut Vec<Reached>) -> Result<bool, Halt> {
        if self.inside.contains(&key) {
            return Ok(true);
        }
        let thread = usize::from(by.last);
        let known = self.known(key, thread, Question::Alone)?;
        if known.is(Known::OPAQUE) || self.inside.len() >= LONGEST {
            return Ok(false);
        }
        let deltas = match known.is(Known::OFFERS) {
            true => match self.with_partners(key, thread, known)? {
                Some(deltas) => deltas,
                None => return Ok(false),
            },
            false => known.steps().map(|index| self.memo.delta(index)).collect(),
        };
        if deltas.is_empty() {
            // Blocked inside the sequence: here every thread may go on.
            out.push(reached(key, by));
            return Ok(true);
        }
        self.executed += deltas.len();
        if self.executed > MOST_INSIDE {
            return Ok(false);
        }
        self.inside.push(key);
        for delta in deltas {
            let next = key ^ delta.change;
            if !delta.atomic {
                out.push(reached(next, delta));
            } else if !self.follow(next, delta, out)? {
                return Ok(false);
            }
        }
        self.inside.pop();
        Ok(true)
    }

    /// What is known about a unit, found out now if it was not.
    #[inline]
    fn known(&mut self, key: Key, thread: usize, question: Question) -> Result<Known, Halt> {
        let known = match self.find(key, thread, question) {
            Some(known) => known,
            None => self.learn(key, thread, question)?,
        };
        if let Some(parts) = &mut self.depends_on {
            let part = self.codes.thread_part(thread);
            self.memo.add_parts_of(unit(thread, question), self.codes.field(part).get(key), parts);
            parts[part / 64] |= 1 << (part % 64);
        }
        Ok(known)
    }

    /// Executes a unit with its footprint traced, and remembers it.
    #[cold]
    fn learn(&mut self, key: Key, thread: usize, question: Question) -> Result<Known, Halt> {
        let mut tools = std::mem::take(&mut self.tools);
        let result = self.learn_with(key, thread, question, &mut tools);
        self.tools = tools;
        result
    }

    fn learn_with(&mut self, key: Key, thread: usize, question: Question, tools: &mut Tools) -> Result<Known, Halt> {
        let id = |thread: usize| ThreadId(thread as u32);
        let unit_of = match question {
            Question::Meets(other) => Unit::Meeting(id(thread), id(other)),
            _ => Unit::Alone(id(thread)),
        };
        let Tools { parts, state, steps, footprint, deltas } = tools;
        self.unpack(key, state);
        steps.clear();
        self.tracer.steps(state, unit_of, steps, footprint);
        deltas.clear();
        let too_many = steps.list.len() > usize::from(u16::MAX);
        let opaque = footprint.opaque || too_many;
        for (index, step) in steps.list.iter().enumerate().filter(|_| !opaque) {
            let after = &steps.bytes[step.state.clone()];
            self.tracer.split(after, parts);
            let next = self.codes.pack(parts).ok_or(Halt::Widen)?;
            self.add_changed_parts(key ^ next, footprint);
            let last = step.ran_last.map_or(thread as u32, |last| last.0);
            deltas.push(Delta {
                change: key ^ next,
                last: last as u8,
                gone: last >= self.machine.thread_count(after),
                atomic: matches!(step.turn, Turn::Only(_)),
                order: footprint.order.get(index).copied().unwrap_or(0),
            });
        }
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        let flags =
            flag(footprint.offers, Known::OFFERS) | flag(footprint.waits, Known::WAITS) | flag(opaque, Known::OPAQUE);
        Ok(self.memo.add(unit(thread, question), key, &self.codes, &footprint.parts, deltas, flags))
    }

    /// What a step changes is part of its footprint.
    fn add_changed_parts(&self, change: Key, footprint: &mut Footprint) {
        let changed = |part: &usize| self.codes.field(*part).ones() & change != 0;
        (0..self.codes.parts()).filter(changed).for_each(|part| footprint.add(part));
    }

    /// The transitions of a thread by the machine itself.
    fn executed_transitions(&mut self, key: Key, thread: usize, out: &mut Vec<Reached>) -> Result<Moved, Halt> {
        let mut faulty = false;
        let steps = self.execute(key, thread, |arrival, reached| {
            faulty |= arrival.steps().any(|(_, step)| !step.faults.is_empty());
            out.extend(reached);
        })?;
        Ok(Moved { has_step: steps > 0, faulty })
    }

    /// The transitions of a thread with what goes wrong in each: the faults, and the steps up to each.
    pub(super) fn faulty_transitions(&mut self, key: Key, thread: usize) -> Result<Vec<Faulty>, Halt> {
        let mut all = Vec::new();
        self.execute(key, thread, |arrival, reached| {
            let faults = arrival.steps().flat_map(|(buffer, step)| &buffer.faults[step.faults.clone()]);
            let with_steps = |fault: &Fault| (fault.clone(), path::extended(Path::default(), arrival, fault).steps);
            all.push((faults.map(with_steps).collect(), reached));
        })?;
        Ok(all)
    }

    /// Lets the machine take the transitions of a thread; how many steps the thread has.
    fn execute(
        &mut self,
        key: Key,
        thread: usize,
        mut arrive: impl FnMut(&Arrival<'_>, Option<Reached>),
    ) -> Result<usize, Halt> {
        let mut state = std::mem::take(&mut self.tools.state);
        self.unpack(key, &mut state);
        let Remembered { machine, tracer, codes, buffers, tools, .. } = self;
        let mut fits = true;
        let threads = Threads::only(ThreadId(thread as u32));
        let steps = expand_own(*machine, &state, &threads, buffers, &mut |arrival| {
            let reached = arrival.state.and_then(|next| {
                tracer.split(next, &mut tools.parts);
                let key = codes.pack(&tools.parts);
                fits &= key.is_some();
                let last = arrival.ran_last().map_or(thread as u32, |last| last.0);
                let delta = Delta { last: last as u8, gone: last >= machine.thread_count(next), ..Delta::default() };
                Some(reached(key?, delta))
            });
            arrive(&arrival, reached);
        });
        self.tools.state = state;
        match self.buffers.stopped() {
            Some(stop) => Err(Halt::Stop(stop)),
            None if fits => Ok(steps),
            None => Err(Halt::Widen),
        }
    }

    /// Asks the machine whether what was remembered is right.
    fn compare_with_machine(&mut self, key: Key, thread: usize, moved: Moved, found: &[Reached]) -> Result<(), Halt> {
        let mut expected = Vec::new();
        let expected_moved = self.executed_transitions(key, thread, &mut expected)?;
        assert_eq!((moved, found), (expected_moved, &*expected), "remembered steps of thread {thread} in {key:#x}");
        Ok(())
    }

    /// Gives up where too little of what is looked for is known.
    #[inline]
    fn check_pay(&mut self) -> Result<(), Halt> {
        if self.lookups < self.next_look {
            return Ok(());
        }
        self.next_look = self.lookups * 2;
        if self.misses * RARE > self.lookups { Err(Halt::GiveUp) } else { Ok(()) }
    }
}

#[inline]
fn reached(key: Key, by: Delta) -> Reached {
    Reached { key, hash: super::table::hash(key), last: by.last, gone: by.gone }
}
