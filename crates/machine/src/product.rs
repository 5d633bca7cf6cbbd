//! A machine beside a claim: their synchronous product, which is a machine again ([`Product`]).
//!
//! The claim moves before every step of the system, on the state as it is. It moves alone where the system is blocked
//! (stuttering, [`Turn::Stutter`]), so that finite runs are extended to infinite ones. Inside an atomic sequence
//! ([`Turn::Only`]) it does not move. A move that lets the claim leave has no steps: nothing forbidden can follow.
//!
//! Where threads may wait for a timeout, [`Timeouts`] says what they can do with and without one: as in Spin there is a
//! timeout if no move of the claim lets any thread go on without it. A system without a claim passes through unchanged.

use selvedge_core::ThreadId;
use selvedge_source::Span;

use crate::{Condition, Describe, Fault, Frame, Hints, Machine, Step, StepView, Steps, Threads, Traced, Turn};

#[cfg(test)]
mod tests;

/// An automaton that observes a machine. Its control lies in the vector of the state, at a place that claim and machine
/// have agreed on: the machine carries it along and the product never looks at it.
pub trait Claim<M: Machine>: Sync {
    /// Puts the claim to its start in the machine's initial state.
    fn start(&self, system: &M, state: &mut [u8]);

    /// Appends every move from `state`, each with the state after it. What the claim itself finds wrong becomes a step of
    /// no thread and without a target, with the number of the move.
    fn moves(
        &self,
        system: &M,
        state: &[u8],
        timeout: bool,
        scratch: &mut M::Scratch,
        moves: &mut Moves,
        out: &mut Steps,
    );

    /// Whether the claim is gone.
    fn has_left(&self, state: &[u8]) -> bool;

    /// Whether an infinite run through this state again and again is accepted.
    fn is_accepting(&self, state: &[u8]) -> bool;

    /// Whether its moves may depend on `timeout`.
    fn waits(&self) -> bool {
        false
    }

    /// Whether no thread can notice its moves.
    fn only_observes(&self) -> bool;

    /// A move, for people.
    fn view(&self, system: &M, claim_move: u32) -> StepView;
}

/// A machine in which a thread may wait until nothing else can continue. The defaults are those of a machine without
/// timeouts.
pub trait Timeouts: Machine {
    /// Whether some thread may ever wait for one.
    fn uses_timeout(&self) -> bool {
        false
    }

    /// Appends the steps of `threads` in `state` if `timeout` is as given.
    fn steps_given(
        &self,
        state: &[u8],
        _timeout: bool,
        threads: &Threads,
        scratch: &mut Self::Scratch,
        out: &mut Steps,
    ) {
        self.thread_steps(state, threads, scratch, out);
    }

    /// Whether one of `threads` has such a step; `out` is as before afterwards.
    fn can_step(
        &self,
        state: &[u8],
        timeout: bool,
        threads: &Threads,
        scratch: &mut Self::Scratch,
        out: &mut Steps,
    ) -> bool {
        let before = out.mark();
        self.steps_given(state, timeout, threads, scratch, out);
        let can = out.grew_since(&before);
        out.go_back(&before);
        can
    }

    /// Whether the steps of one of `threads` in `state` may depend on `timeout`.
    fn some_wait(&self, _state: &[u8], _threads: &Threads, _scratch: &mut Self::Scratch) -> bool {
        false
    }
}

/// A move of the claim.
#[derive(Default)]
pub struct ClaimMove {
    /// Which one; not 0.
    pub number: u32,
    /// The state after it.
    pub state: Vec<u8>,
}

/// The moves of the claim from one state; their buffers are kept from state to state.
#[derive(Default)]
pub struct Moves {
    list: Vec<ClaimMove>,
    used: usize,
}

impl Moves {
    /// Appends a move.
    pub fn push(&mut self, number: u32, state: &[u8]) {
        if self.list.len() == self.used {
            self.list.push(ClaimMove::default());
        }
        let slot = &mut self.list[self.used];
        slot.number = number;
        slot.state.clear();
        slot.state.extend_from_slice(state);
        self.used += 1;
    }

    fn clear(&mut self) {
        self.used = 0;
    }

    fn as_slice(&self) -> &[ClaimMove] {
        &self.list[..self.used]
    }
}

/// A system, with a claim beside it or without one.
pub struct Product<M, C> {
    /// The machine that is observed.
    pub system: M,
    /// Who observes.
    pub claim: Option<C>,
}

/// Reusable buffers of one caller.
#[derive(Default)]
pub struct ProductScratch<S> {
    system: S,
    moves: Moves,
    stutter: Moves,
}

impl<M: Timeouts, C: Claim<M>> Product<M, C> {
    /// The claim's moves, each followed by every step of `threads`, or by a stutter where no thread is enabled.
    fn claimed_steps(
        &self,
        claim: &C,
        state: &[u8],
        threads: &Threads,
        scratch: &mut ProductScratch<M::Scratch>,
        out: &mut Steps,
    ) {
        let timeouts: &[bool] = if self.system.uses_timeout() { &[false, true] } else { &[false] };
        let ProductScratch { system, moves, stutter } = scratch;
        for (round, timeout) in timeouts.iter().enumerate() {
            self.claim_moves(claim, state, *timeout, system, moves, out);
            let mut some_moved = false;
            for claim_move in moves.as_slice().iter().filter(|claim_move| !claim.has_left(&claim_move.state)) {
                let moved = self.moves_system(claim_move, *timeout, threads, system, out);
                some_moved |= moved;
                if !moved && round + 1 == timeouts.len() {
                    self.stutter_steps(claim, &claim_move.state, system, stutter, out);
                }
            }
            // As in Spin, a claim that cannot move without a timeout does not get one.
            if some_moved || moves.used == 0 {
                return;
            }
        }
    }

    /// The claim's moves, each followed by every step of `threads`. Whether the others can continue is asked only where
    /// one of them waits for a timeout, so stutters are left out.
    fn claimed_own_steps(
        &self,
        claim: &C,
        state: &[u8],
        threads: &Threads,
        scratch: &mut ProductScratch<M::Scratch>,
        out: &mut Steps,
    ) {
        let ProductScratch { system, moves, .. } = scratch;
        self.claim_moves(claim, state, false, system, moves, out);
        if moves.used == 0 || self.steps_after(claim, moves, false, threads, system, out) || !self.system.uses_timeout()
        {
            return;
        }
        if !claim.waits() && !self.system.some_wait(state, threads, system) {
            return;
        }
        let others = threads.complement();
        let mut remaining = moves.as_slice().iter().filter(|claim_move| !claim.has_left(&claim_move.state));
        if remaining.any(|claim_move| self.system.can_step(&claim_move.state, false, &others, system, out)) {
            return;
        }
        if claim.waits() {
            self.claim_moves(claim, state, true, system, moves, out);
        }
        self.steps_after(claim, moves, true, threads, system, out);
    }

    fn claim_moves(
        &self,
        claim: &C,
        state: &[u8],
        timeout: bool,
        system: &mut M::Scratch,
        moves: &mut Moves,
        out: &mut Steps,
    ) {
        moves.clear();
        claim.moves(&self.system, state, timeout, system, moves, out);
    }

    /// Every step of `threads` after each of the claim's moves. Whether there is one.
    fn steps_after(
        &self,
        claim: &C,
        moves: &Moves,
        timeout: bool,
        threads: &Threads,
        system: &mut M::Scratch,
        out: &mut Steps,
    ) -> bool {
        let before = out.mark();
        for claim_move in moves.as_slice().iter().filter(|claim_move| !claim.has_left(&claim_move.state)) {
            self.step_system(claim_move, timeout, threads, system, out);
        }
        out.grew_since(&before)
    }

    /// Steps of `threads` after a move of the claim. Whether any thread has a step then.
    fn moves_system(
        &self,
        claim_move: &ClaimMove,
        timeout: bool,
        threads: &Threads,
        system: &mut M::Scratch,
        out: &mut Steps,
    ) -> bool {
        let before = out.mark();
        self.step_system(claim_move, timeout, threads, system, out);
        let others_can = |system: &mut M::Scratch, out: &mut Steps| {
            self.system.can_step(&claim_move.state, timeout, &threads.complement(), system, out)
        };
        out.grew_since(&before) || (*threads != Threads::ALL && others_can(system, out))
    }

    fn step_system(
        &self,
        claim_move: &ClaimMove,
        timeout: bool,
        threads: &Threads,
        system: &mut M::Scratch,
        out: &mut Steps,
    ) {
        let before = out.mark();
        self.system.steps_given(&claim_move.state, timeout, threads, system, out);
        for step in out.since(&before) {
            step.claim_move = claim_move.number;
        }
    }

    /// The claim's moves alone.
    fn stutter_steps(&self, claim: &C, state: &[u8], system: &mut M::Scratch, moves: &mut Moves, out: &mut Steps) {
        self.claim_moves(claim, state, self.system.uses_timeout(), system, moves, out);
        for claim_move in moves.as_slice() {
            let from = out.bytes.len();
            out.bytes.extend_from_slice(&claim_move.state);
            out.list.push(Step {
                thread: None,
                ran_last: None,
                action: [0; 3],
                claim_move: claim_move.number,
                state: from..out.bytes.len(),
                turn: Turn::Stutter,
                faults: out.faults.len()..out.faults.len(),
            });
        }
    }
}

impl<M: Timeouts, C: Claim<M>> Machine for Product<M, C> {
    type Scratch = ProductScratch<M::Scratch>;

    fn initial(&self, out: &mut Vec<u8>) {
        let from = out.len();
        self.system.initial(out);
        if let Some(claim) = &self.claim {
            claim.start(&self.system, &mut out[from..]);
        }
    }

    fn hidden_prefix(&self) -> usize {
        self.system.hidden_prefix()
    }

    fn steps(&self, state: &[u8], turn: Turn, scratch: &mut Self::Scratch, out: &mut Steps) {
        match (turn, &self.claim) {
            (Turn::Any, Some(claim)) => self.claimed_steps(claim, state, &Threads::ALL, scratch, out),
            (Turn::Stutter, Some(claim)) => {
                self.stutter_steps(claim, state, &mut scratch.system, &mut scratch.moves, out);
            }
            (Turn::Only(_), _) | (_, None) => self.system.steps(state, turn, &mut scratch.system, out),
        }
    }

    fn thread_steps(&self, state: &[u8], threads: &Threads, scratch: &mut Self::Scratch, out: &mut Steps) {
        match &self.claim {
            None => self.system.thread_steps(state, threads, &mut scratch.system, out),
            Some(claim) => self.claimed_steps(claim, state, threads, scratch, out),
        }
    }

    fn own_steps(&self, state: &[u8], threads: &Threads, scratch: &mut Self::Scratch, out: &mut Steps) {
        match &self.claim {
            None => self.system.own_steps(state, threads, &mut scratch.system, out),
            Some(claim) if claim.only_observes() => self.claimed_own_steps(claim, state, threads, scratch, out),
            // Whether a thread can continue may differ from one move of the claim to another.
            Some(claim) => self.claimed_steps(claim, state, threads, scratch, out),
        }
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.claim.as_ref().is_some_and(|claim| claim.is_accepting(state)) || self.system.is_accepting(state)
    }

    fn is_progress(&self, state: &[u8]) -> bool {
        self.system.is_progress(state)
    }

    /// With a claim every run continues: the claim stutters.
    fn end_fault(&self, state: &[u8]) -> Option<Fault> {
        if self.claim.is_some() { None } else { self.system.end_fault(state) }
    }

    fn state_fault(&self, state: &[u8]) -> Option<Fault> {
        self.system.state_fault(state)
    }

    fn has_finished(&self, state: &[u8], thread: ThreadId) -> bool {
        self.system.has_finished(state, thread)
    }

    fn thread_count(&self, state: &[u8]) -> u32 {
        self.system.thread_count(state)
    }
}

/// The system's own; their computation has to know what the claim observes.
impl<M: Timeouts + Hints, C: Claim<M>> Hints for Product<M, C> {
    fn unclaimed_steps(&self, state: &[u8], thread: ThreadId, scratch: &mut Self::Scratch, out: &mut Steps) {
        self.system.unclaimed_steps(state, thread, &mut scratch.system, out);
    }

    /// Beside a claim that depends on the moves of the claim.
    fn has_step(&self, state: &[u8], thread: ThreadId) -> Option<bool> {
        if self.claim.is_some() { None } else { self.system.has_step(state, thread) }
    }

    fn may_spin(&self, state: &[u8], thread: ThreadId) -> bool {
        self.system.may_spin(state, thread)
    }

    fn same_shared(&self, one: &[u8], other: &[u8], thread: ThreadId) -> bool {
        self.system.same_shared(one, other, thread)
    }

    fn erase_unread(&self, state: &mut [u8], thread: ThreadId) {
        self.system.erase_unread(state, thread);
    }

    fn is_local(&self, state: &[u8], thread: ThreadId) -> bool {
        self.system.is_local(state, thread)
    }

    fn is_safe(&self, state: &[u8], thread: ThreadId) -> bool {
        self.system.is_safe(state, thread)
    }

    fn most_choices(&self) -> usize {
        self.system.most_choices()
    }

    /// Beside a claim a step depends on the claim's moves.
    fn traced(&self) -> Option<Box<dyn Traced + '_>> {
        if self.claim.is_some() { None } else { self.system.traced() }
    }
}

impl<M: Timeouts + Describe, C: Claim<M>> Describe for Product<M, C> {
    fn thread_name(&self, state: &[u8], thread: ThreadId) -> String {
        self.system.thread_name(state, thread)
    }

    fn view(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView {
        match (&self.claim, step.thread) {
            (Some(claim), None) => claim.view(&self.system, step.claim_move),
            _ => self.system.view(before, step, after),
        }
    }

    fn waiting(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)> {
        self.system.waiting(state, thread)
    }

    fn waits_on(&self, state: &[u8], thread: ThreadId) -> Vec<String> {
        self.system.waits_on(state, thread)
    }

    fn stack(&self, state: &[u8], thread: ThreadId) -> Vec<Frame> {
        self.system.stack(state, thread)
    }

    fn condition(&self, at: &[u8], step: &Step, state: &[u8]) -> Option<Condition> {
        self.system.condition(at, step, state)
    }

    fn propositions(&self, state: &[u8]) -> Vec<(String, bool)> {
        self.system.propositions(state)
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        self.system.variables(state)
    }

    fn differing_variables(&self, before: &[u8], after: &[u8]) -> [Vec<(String, String)>; 2] {
        self.system.differing_variables(before, after)
    }
}
