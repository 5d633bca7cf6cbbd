//! A claim beside the system: it moves before every step of the system, and alone (stuttering)
//! when the system cannot go on. A claim that reaches its end has seen the behaviour it forbids.

use selvedge_core::ViolationKind;
use selvedge_machine::{Fault, Steps, Threads, Turn};

use super::Exec;
use super::step::{Done, Mark};
use crate::program::{ControlState, Program};

/// States inside one atomic sequence of a claim that are looked at.
const MOST_INSIDE: usize = 10_000;

/// A move of the claim: which, and the vector after it.
#[derive(Default)]
struct ClaimMove {
    action: u32,
    state: Vec<u8>,
}

/// Moves of the claim from one state; their buffers are kept from state to state.
#[derive(Default)]
pub(crate) struct Moves {
    list: Vec<ClaimMove>,
    used: usize,
}

impl Moves {
    fn push(&mut self, action: u32, state: &[u8]) {
        if self.list.len() == self.used {
            self.list.push(ClaimMove::default());
        }
        let slot = &mut self.list[self.used];
        slot.action = action;
        slot.state.clear();
        slot.state.extend_from_slice(state);
        self.used += 1;
    }

    fn iter(&self) -> impl Iterator<Item = &ClaimMove> {
        self.list[..self.used].iter()
    }
}

impl Exec<'_> {
    /// The claim's moves, each followed by every step of `threads`.
    pub(super) fn claimed_steps(&mut self, state: &[u8], threads: &Threads, out: &mut Steps) {
        let rounds: &[bool] = if self.program.uses_timeout { &[false, true] } else { &[false] };
        for (index, timeout) in rounds.iter().enumerate() {
            let (program, moves) = (self.program, self.claim_moves(state, *timeout, out));
            let mut system_moved = false;
            for claim_move in moves.iter().filter(|claim_move| !has_left(program, claim_move)) {
                self.timeout = *timeout;
                self.restart(&claim_move.state);
                let moved = self.one_round(&claim_move.state, claim_move.action, threads, out);
                system_moved |= moved;
                if !moved && index + 1 == rounds.len() {
                    self.restart(&claim_move.state);
                    self.stutter_steps(&claim_move.state, out);
                }
            }
            let stays = moves.used == 0;
            self.s.claim_moves = moves;
            if system_moved || stays {
                return;
            }
        }
    }

    /// The claim's moves, each followed by every step of `threads`. Whether the others can go on is asked only where
    /// one of them waits for a `timeout`.
    pub(super) fn claimed_own_steps(&mut self, state: &[u8], threads: &Threads, out: &mut Steps) {
        let mut moves = self.claim_moves(state, false, out);
        // As in Spin, a claim that cannot move without a `timeout` does not get one.
        let stays = moves.used == 0;
        if !stays && !self.steps_after(&moves, threads, out) && self.program.uses_timeout {
            self.restart(state);
            let claim_waits = self.claim_waits();
            if (claim_waits || self.some_wait(state, threads))
                && !self.can_step_after(&moves, &threads.complement(), out)
            {
                if claim_waits {
                    self.s.claim_moves = moves;
                    moves = self.claim_moves(state, true, out);
                }
                self.timeout = true;
                self.steps_after(&moves, threads, out);
            }
        }
        self.s.claim_moves = moves;
    }

    /// Every step of `threads` after each of the claim's moves. Whether there is one.
    fn steps_after(&mut self, moves: &Moves, threads: &Threads, out: &mut Steps) -> bool {
        let before = Mark::of(out);
        let program = self.program;
        for claim_move in moves.iter().filter(|claim_move| !has_left(program, claim_move)) {
            self.restart(&claim_move.state);
            self.steps_of(&claim_move.state, claim_move.action, threads, out);
        }
        !before.is_at_end_of(out)
    }

    /// Whether one of `threads` has a step after one of the claim's moves.
    fn can_step_after(&mut self, moves: &Moves, threads: &Threads, out: &mut Steps) -> bool {
        let program = self.program;
        moves.iter().filter(|claim_move| !has_left(program, claim_move)).any(|claim_move| {
            self.restart(&claim_move.state);
            self.can_step(&claim_move.state, claim_move.action, threads, out)
        })
    }

    /// Whether what the claim does may depend on `timeout`.
    fn claim_waits(&self) -> bool {
        self.program.claim.as_ref().is_some_and(|claim| claim.controls.iter().any(|control| control.timeout))
    }

    /// The claim's moves alone.
    pub(super) fn stutter_steps(&mut self, state: &[u8], out: &mut Steps) {
        let moves = self.claim_moves(state, self.program.uses_timeout, out);
        for claim_move in moves.iter() {
            self.restart(&claim_move.state);
            self.emit(None, None, [claim_move.action, 0, 0], Turn::Stutter, out);
        }
        self.s.claim_moves = moves;
    }

    fn restart(&mut self, state: &[u8]) {
        self.s.work.clear();
        self.s.work.extend_from_slice(state);
        super::locate(self.program, self.s);
        (self.in_claim, self.changed) = (false, false);
    }

    /// Every move of the claim from here, atomic sequences of its own passed through. Violations
    /// the claim itself finds become steps without a target.
    fn claim_moves(&mut self, state: &[u8], timeout: bool, out: &mut Steps) -> Moves {
        let mut moves = std::mem::take(&mut self.s.claim_moves);
        moves.used = 0;
        let mut inside = Vec::new();
        self.timeout = timeout;
        self.moves_from(state, &mut moves, &mut inside, out);
        let mut visited = 0;
        while let Some(from) = inside.pop().filter(|_| visited < MOST_INSIDE) {
            visited += 1;
            self.moves_from(&from, &mut moves, &mut inside, out);
        }
        self.in_claim = false;
        moves
    }

    /// The moves from one state; those that lead on inside an atomic sequence are put aside.
    fn moves_from(&mut self, from: &[u8], moves: &mut Moves, inside: &mut Vec<Vec<u8>>, out: &mut Steps) {
        let program = self.program;
        let (Some(claim), Some(at)) = (&program.claim, program.header.claim) else { return };
        let at = at as usize;
        self.restart(from);
        (self.in_claim, self.base, self.pid, self.moved) = (true, at + 2, 0, false);
        let control = u16::from_le_bytes([from[at], from[at + 1]]);
        let mut escaped = 0;
        for transition in &claim.controls[usize::from(control)].transitions {
            if escaped > 0 && escaped != transition.escape {
                break;
            }
            let action = transition.action + 1;
            let done = self.perform(&claim.actions[transition.action as usize].op, 0);
            if done == Done::Yes {
                self.moved = true;
                escaped = transition.escape;
                self.s.work[at..at + 2].copy_from_slice(&transition.target.0.to_le_bytes());
                self.note_completion(transition.target);
                if !self.noted.is_empty() {
                    self.report(action, out);
                }
                if transition.atomic {
                    inside.push(self.s.work.clone());
                } else {
                    moves.push(action, &self.s.work);
                }
            } else if self.fault.is_some() {
                self.report(action, out);
            }
            self.s.work.clear();
            self.s.work.extend_from_slice(from);
        }
    }

    fn note_completion(&mut self, target: ControlState) {
        let Some(claim) = &self.program.claim else { return };
        if claim.controls[usize::from(target.0)].valid_end {
            let message = format!("claim `{}` is completed: the behaviour it describes is possible", claim.name);
            self.noted.push(Fault {
                kind: ViolationKind::ClaimCompleted,
                message,
                span: Some(claim.span),
                thread: None,
            });
        }
    }

    /// A step without a target that carries what the claim found.
    fn report(&mut self, action: u32, out: &mut Steps) {
        let kept = std::mem::take(&mut self.s.work);
        self.emit(None, None, [action, 0, 0], Turn::Any, out);
        self.s.work = kept;
    }
}

/// Whether the claim is gone after a move: nothing forbidden can follow.
fn has_left(program: &Program, claim_move: &ClaimMove) -> bool {
    program.header.claim.is_some_and(|at| claim_move.state[at as usize..at as usize + 2] == [0, 0])
}
