//! The never claim of a model, as the product has it ([`selvedge_machine::Product`]): its control and its variables lie in
//! the vector behind the header's `claim`. A claim that reaches its end has seen the behaviour it forbids.

use selvedge_core::ViolationKind;
use selvedge_machine::{Claim, Fault, Moves, StepView, Steps, Turn};

use super::step::Done;
use super::view::one_line;
use super::{Exec, Processes, Scratch};
use crate::program::{ControlState, Op, Program, Proto};

/// States inside one atomic sequence of a claim that are looked at.
const MOST_INSIDE: usize = 10_000;

/// The claim of a program.
pub struct NeverClaim {
    /// Where its control is in the vector.
    at: usize,
    /// Its control states that accept.
    accepting: Vec<bool>,
    /// It changes nothing that a process could notice.
    only_observes: bool,
    /// What it does may depend on `timeout`.
    waits: bool,
}

impl NeverClaim {
    /// The claim of a program that has one.
    pub(super) fn of(program: &Program) -> Option<Self> {
        let (claim, at) = (program.claim.as_ref()?, program.header.claim?);
        Some(NeverClaim {
            at: at as usize,
            accepting: claim.controls.iter().map(|control| control.accept).collect(),
            only_observes: claim.actions.iter().all(|action| observes(&action.op)),
            waits: claim.controls.iter().any(|control| control.timeout),
        })
    }

    fn control(&self, state: &[u8]) -> u16 {
        u16::from_le_bytes([state[self.at], state[self.at + 1]])
    }
}

/// Whether an operation changes nothing.
fn observes(op: &Op) -> bool {
    matches!(op, Op::Skip | Op::Else | Op::Condition(_) | Op::Assert(..) | Op::Print(_) | Op::End)
}

impl Claim<Processes> for NeverClaim {
    fn start(&self, system: &Processes, state: &mut [u8]) {
        let Some(claim) = &system.program.claim else { return };
        let mut scratch = Scratch::default();
        let mut exec = system.load(state, &mut scratch);
        exec.enter_claim(self.at, claim.start);
        for (place, value) in &claim.init {
            let value = exec.eval(value);
            exec.store(place, value);
        }
        state.copy_from_slice(&scratch.work);
    }

    /// Every move from here, atomic sequences of its own passed through.
    fn moves(
        &self,
        system: &Processes,
        state: &[u8],
        timeout: bool,
        scratch: &mut Scratch,
        moves: &mut Moves,
        out: &mut Steps,
    ) {
        let Some(claim) = &system.program.claim else { return };
        let mut exec = system.load(state, scratch);
        exec.timeout = timeout;
        let mut inside = Vec::new();
        exec.claim_moves_from(claim, self.at, state, moves, &mut inside, out);
        let mut visited = 0;
        while let Some(from) = inside.pop().filter(|_| visited < MOST_INSIDE) {
            visited += 1;
            exec.restart(&from);
            exec.claim_moves_from(claim, self.at, &from, moves, &mut inside, out);
        }
    }

    fn has_left(&self, state: &[u8]) -> bool {
        self.control(state) == 0
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.accepting[usize::from(self.control(state))]
    }

    fn waits(&self) -> bool {
        self.waits
    }

    fn only_observes(&self) -> bool {
        self.only_observes
    }

    fn view(&self, system: &Processes, claim_move: u32) -> StepView {
        let actions = system.program.claim.as_ref().map_or(&[][..], |claim| &claim.actions);
        match actions.get((claim_move as usize).wrapping_sub(1)) {
            Some(action) => StepView { span: Some(action.span), text: one_line(&action.text), ..StepView::default() },
            None => StepView::default(),
        }
    }
}

impl Exec<'_> {
    fn restart(&mut self, state: &[u8]) {
        self.s.work.clear();
        self.s.work.extend_from_slice(state);
        super::locate(self.program, self.s);
    }

    fn enter_claim(&mut self, at: usize, control: ControlState) {
        self.s.work[at..at + 2].copy_from_slice(&control.0.to_le_bytes());
        self.base = at + 2;
    }

    /// The claim's moves from one state; those that lead on inside an atomic sequence are put aside.
    fn claim_moves_from(
        &mut self,
        claim: &Proto,
        at: usize,
        from: &[u8],
        moves: &mut Moves,
        inside: &mut Vec<Vec<u8>>,
        out: &mut Steps,
    ) {
        (self.in_claim, self.base, self.pid, self.moved) = (true, at + 2, 0, false);
        let control = u16::from_le_bytes([from[at], from[at + 1]]);
        let mut escaped = 0;
        for transition in &claim.controls[usize::from(control)].transitions {
            if escaped > 0 && escaped != transition.escape {
                break;
            }
            let number = transition.action + 1;
            let done = self.perform(&claim.actions[transition.action as usize].op, 0);
            if done == Done::Yes {
                self.moved = true;
                escaped = transition.escape;
                self.s.work[at..at + 2].copy_from_slice(&transition.target.0.to_le_bytes());
                self.note_completion(claim, transition.target);
                if !self.noted.is_empty() {
                    self.report(number, out);
                }
                if transition.atomic {
                    inside.push(self.s.work.clone());
                } else {
                    moves.push(number, &self.s.work);
                }
            } else if self.fault.is_some() {
                self.report(number, out);
            }
            self.s.work.clear();
            self.s.work.extend_from_slice(from);
        }
    }

    fn note_completion(&mut self, claim: &Proto, target: ControlState) {
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
    fn report(&mut self, claim_move: u32, out: &mut Steps) {
        let kept = std::mem::take(&mut self.s.work);
        let before = out.mark();
        self.emit(None, None, [0; 3], Turn::Any, out);
        out.since(&before)[0].claim_move = claim_move;
        self.s.work = kept;
    }
}
