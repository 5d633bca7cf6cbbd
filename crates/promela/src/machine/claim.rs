//! A claim beside the system: it moves before every step of the system, and alone (stuttering)
//! when the system cannot go on. A claim that reaches its end has seen the behaviour it forbids.

use selvedge_core::{Fault, Steps, Threads, Turn, ViolationKind};

use super::Exec;
use super::step::Done;
use crate::program::ControlState;

/// A move of the claim: which, and the vector after it.
struct ClaimMove {
    action: u32,
    state: Vec<u8>,
}

impl Exec<'_> {
    /// The claim's moves, each followed by every step of `threads`.
    pub(super) fn claimed_steps(&mut self, state: &[u8], threads: &Threads, out: &mut Steps) {
        let rounds: &[bool] = if self.program.uses_timeout { &[false, true] } else { &[false] };
        for (index, timeout) in rounds.iter().enumerate() {
            self.timeout = *timeout;
            let moves = self.claim_moves(state, out);
            let mut system_moved = false;
            for claim_move in &moves {
                if self.claim_has_left(&claim_move.state) {
                    continue;
                }
                self.timeout = *timeout;
                self.restart(&claim_move.state);
                let moved = self.one_round(&claim_move.state, claim_move.action, threads, out);
                system_moved |= moved;
                if !moved && index + 1 == rounds.len() {
                    self.restart(&claim_move.state);
                    self.stutter_steps(&claim_move.state, claim_move.action, out);
                }
            }
            if system_moved || moves.is_empty() {
                return;
            }
        }
    }

    /// The claim's moves alone.
    pub(super) fn stutter_steps(&mut self, state: &[u8], _earlier: u32, out: &mut Steps) {
        self.timeout = self.program.uses_timeout;
        for claim_move in self.claim_moves(state, out) {
            self.restart(&claim_move.state);
            self.emit(None, None, [claim_move.action, 0, 0], Turn::Stutter, out);
        }
    }

    fn claim_has_left(&self, state: &[u8]) -> bool {
        self.program.header.claim.is_some_and(|at| state[at as usize] == 0 && state[at as usize + 1] == 0)
    }

    fn restart(&mut self, state: &[u8]) {
        self.s.work.clear();
        self.s.work.extend_from_slice(state);
        super::locate(self.program, self.s);
        self.in_claim = false;
    }

    /// Every move of the claim from here, atomic sequences of its own passed through. Violations
    /// the claim itself finds become steps without a target.
    fn claim_moves(&mut self, state: &[u8], out: &mut Steps) -> Vec<ClaimMove> {
        let program = self.program;
        let (Some(claim), Some(at)) = (&program.claim, program.header.claim) else { return Vec::new() };
        let at = at as usize;
        let mut moves = Vec::new();
        let mut todo = vec![state.to_vec()];
        let mut visited = 0;
        while let Some(from) = todo.pop() {
            visited += 1;
            if visited > 10_000 {
                break;
            }
            self.restart(&from);
            (self.in_claim, self.base, self.moved) = (true, at + 2, false);
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
                    let target = self.s.work.clone();
                    if !self.noted.is_empty() {
                        self.report(action, out);
                    }
                    if transition.atomic {
                        todo.push(target);
                    } else {
                        moves.push(ClaimMove { action, state: target });
                    }
                } else if self.fault.is_some() {
                    self.report(action, out);
                }
                self.s.work.clear();
                self.s.work.extend_from_slice(&from);
            }
        }
        self.in_claim = false;
        moves
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
