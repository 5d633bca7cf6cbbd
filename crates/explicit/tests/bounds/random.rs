//! Small random systems of threads over a shared state.

use selvedge_core::{Chance, Span, ThreadId, ViolationKind};
use selvedge_machine::{Describe, Fault, Hints, Machine, Step, StepView, Steps, Turn};

/// A step of a thread in a state.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub to: u16,
    /// Who runs last afterwards.
    pub last: u32,
    /// The thread keeps the turn.
    pub atomic: bool,
    /// The step reports this fault.
    pub fault: bool,
}

/// A system: for each state and thread, its steps.
#[derive(Clone, Debug)]
pub struct System {
    pub threads: u32,
    pub moves: Vec<Vec<Vec<Move>>>,
    pub bad: Vec<bool>,
    pub accepting: Vec<bool>,
    pub progress: Vec<bool>,
    /// For each state and thread: states of the same class look the same to everybody else.
    pub classes: Vec<Vec<u8>>,
}

/// True in `of_hundred` of a hundred cases.
fn percent(chance: &mut Chance, of_hundred: u64) -> bool {
    chance.remainder(100) < of_hundred
}

impl System {
    pub fn random(seed: u64) -> System {
        let mut chance = Chance::new(seed);
        let states = 2 + chance.remainder(14) as usize;
        let threads = 1 + chance.remainder(4) as u32;
        let (enabled, hand_over, atomic) = (20 + chance.remainder(60), chance.remainder(15), chance.remainder(2) * 15);
        let mut moves = vec![vec![Vec::new(); threads as usize]; states];
        for of_state in &mut moves {
            for (thread, of_thread) in of_state.iter_mut().enumerate() {
                while percent(&mut chance, enabled) && of_thread.len() < 3 {
                    let last = if percent(&mut chance, hand_over) {
                        chance.remainder(u64::from(threads)) as u32
                    } else {
                        thread as u32
                    };
                    of_thread.push(Move {
                        to: chance.remainder(states as u64) as u16,
                        last,
                        atomic: percent(&mut chance, atomic),
                        fault: percent(&mut chance, 3),
                    });
                }
            }
        }
        let mut flags = |of_hundred| (0..states).map(|_| percent(&mut chance, of_hundred)).collect::<Vec<bool>>();
        let (bad, accepting, progress) = (flags(6), flags(15), flags(40));
        let number = 1 + chance.remainder(4);
        let classes = (0..states).map(|_| (0..threads).map(|_| chance.remainder(number) as u8).collect()).collect();
        System { threads, moves, bad, accepting, progress, classes }
    }
}

fn fault(message: String) -> Fault {
    Fault { kind: ViolationKind::Assertion, message, span: None, thread: None }
}

impl Machine for System {
    type Scratch = ();

    fn initial(&self, out: &mut Vec<u8>) {
        out.extend([0, 0]);
    }

    fn steps(&self, state: &[u8], turn: Turn, _: &mut (), out: &mut Steps) {
        let id = u16::from_le_bytes([state[0], state[1]]);
        for (thread, moves) in self.moves[usize::from(id)].iter().enumerate() {
            let thread = ThreadId(thread as u32);
            if matches!(turn, Turn::Only(only) if only != thread) {
                continue;
            }
            for (index, one) in moves.iter().enumerate() {
                let faults = out.faults.len();
                if one.fault {
                    out.faults.push(fault(format!("step {id} {} {index}", thread.0)));
                }
                let start = out.bytes.len();
                out.bytes.extend(one.to.to_le_bytes());
                let last = ThreadId(one.last);
                out.list.push(Step {
                    thread: Some(thread),
                    ran_last: Some(last),
                    action: [index as u32, 0, 0],
                    claim_move: 0,
                    state: start..out.bytes.len(),
                    turn: if one.atomic { Turn::Only(last) } else { Turn::Any },
                    faults: faults..out.faults.len(),
                });
            }
        }
    }

    fn end_fault(&self, state: &[u8]) -> Option<Fault> {
        Some(fault(format!("end {}", u16::from_le_bytes([state[0], state[1]]))))
    }

    fn state_fault(&self, state: &[u8]) -> Option<Fault> {
        let id = u16::from_le_bytes([state[0], state[1]]);
        self.bad[usize::from(id)].then(|| fault(format!("state {id}")))
    }

    fn is_accepting(&self, state: &[u8]) -> bool {
        self.accepting[usize::from(state[0])]
    }

    fn is_progress(&self, state: &[u8]) -> bool {
        self.progress[usize::from(state[0])]
    }

    fn thread_count(&self, _: &[u8]) -> u32 {
        self.threads
    }
}

impl Hints for System {
    fn may_spin(&self, _: &[u8], _: ThreadId) -> bool {
        true
    }

    fn same_shared(&self, one: &[u8], other: &[u8], ThreadId(thread): ThreadId) -> bool {
        let class = |state: &[u8]| self.classes[usize::from(state[0])][thread as usize];
        class(one) == class(other)
    }
}

impl Describe for System {
    fn thread_name(&self, _: &[u8], thread: ThreadId) -> String {
        format!("T{}", thread.0)
    }

    fn view(&self, _: &[u8], _: &Step, _: Option<&[u8]>) -> StepView {
        StepView::default()
    }

    fn waiting(&self, _: &[u8], _: ThreadId) -> Option<(Span, String)> {
        None
    }

    fn variables(&self, _: &[u8]) -> Vec<(String, String)> {
        Vec::new()
    }
}
