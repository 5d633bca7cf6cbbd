//! The transitions of a state as a list, for searches that choose among them.

use selvedge_core::ThreadId;
use selvedge_machine::{Arrival, ExpandBuffers, Fault, Hints, PathStep, Turn, expand};

/// Statements inside atomic sequences that a step to a state has at most as a rule: where there are more, it is they that take the
/// time.
pub(crate) const STATEMENTS: u64 = 8;

/// A transition, with its steps.
pub(crate) struct Move {
    pub thread: Option<ThreadId>,
    pub ran_last: Option<ThreadId>,
    pub steps: Vec<PathStep>,
    /// Where it leads; `None` if it could not be completed.
    pub state: Option<Vec<u8>>,
    pub turn: Turn,
}

impl Move {
    fn of(arrival: &Arrival<'_>) -> Self {
        Move {
            thread: arrival.thread(),
            ran_last: arrival.ran_last(),
            steps: arrival.to_path(),
            state: arrival.state.map(<[u8]>::to_vec),
            turn: arrival.turn,
        }
    }

    /// Its first fault, and the number of steps up to it.
    pub(crate) fn fault(&self) -> Option<(Fault, usize)> {
        self.steps.iter().enumerate().find_map(|(index, step)| Some((step.faults.first()?.clone(), index + 1)))
    }
}

/// The transitions of a state, and the fault of being or ending there.
pub(crate) fn moves<M: Hints>(
    machine: &M,
    state: &[u8],
    turn: Turn,
    buffers: &mut ExpandBuffers<M>,
) -> (Vec<Move>, Option<Fault>) {
    let mut moves = Vec::new();
    let steps = expand(machine, state, turn, buffers, &mut |arrival| moves.push(Move::of(&arrival)));
    let at_end = || machine.end_fault(state).filter(|_| steps == 0 && turn != Turn::Stutter);
    let fault = machine.state_fault(state).or_else(at_end);
    (moves, fault)
}
