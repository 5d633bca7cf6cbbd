//! A run that an engine describes, as a run of the machine. An engine knows which thread follows which
//! edge, perhaps with values before and after it; what it leaves open is found here by trying (each state
//! once for each move). With every value known there is nothing to try, however many variables a step reads. What threads wait
//! for is decided afterwards (`later`).

mod later;

use std::collections::HashSet;

use selvedge_machine::{Machine, Path, PathStep, Steps, Turn};

use crate::machine::{Around, BoolMachine, Scratch, Values};
use crate::program::EdgeId;

/// One step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The thread: index into [`crate::program::Program::threads`].
    pub thread: usize,
    /// The edge it follows.
    pub edge: EdgeId,
    /// What is known of the values before it.
    pub before: Values,
    /// What is known of the values after it.
    pub after: Values,
    /// The assertion of the edge fails: only the last move can.
    pub fails: bool,
}

/// Where a run does not fit the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// How many moves could be taken.
    pub moves: usize,
    /// Why not more.
    pub reason: String,
}

/// The run of the machine that the moves describe. If
/// the program has an `init`, its steps come first and are found here.
pub fn follow(machine: &BoolMachine, moves: &[Move]) -> Result<Path, Stuck> {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let mut search = Search { machine, moves, tried: HashSet::new(), scratch: Scratch::default(), furthest: 0 };
    let mut path: Vec<(PathStep, usize)> = Vec::new();
    let mut levels: Vec<Vec<(PathStep, usize)>> = vec![search.ways(&initial, Turn::Any, 0)];
    loop {
        let done = path.last().map_or(0, |(_, done)| *done);
        let state = path.last().map_or(initial.as_slice(), |(step, _)| &step.state);
        if done == moves.len() && (state.is_empty() || !machine.in_init(state)) {
            let steps = path.into_iter().map(|(step, _)| step).collect();
            let path = Path { initial, steps, cycle: None };
            return Ok(later::with_waits_decided(machine, moves, &path).unwrap_or(path));
        }
        match levels.last_mut().and_then(Vec::pop) {
            Some((step, done)) => {
                let ways = match step.state.is_empty() {
                    true => Vec::new(),
                    false => search.ways(&step.state, step.step.turn, done),
                };
                levels.push(ways);
                path.push((step, done));
            }
            None => {
                levels.pop();
                if path.pop().is_none() {
                    let moves = search.furthest;
                    return Err(Stuck { moves, reason: "the machine has no such step".to_owned() });
                }
            }
        }
    }
}

struct Search<'a> {
    machine: &'a BoolMachine,
    moves: &'a [Move],
    tried: HashSet<(usize, Vec<u8>)>,
    scratch: Scratch,
    furthest: usize,
}

impl Search<'_> {
    /// The ways to take the next move (or a step of `init`) in a state, each with the number of moves
    /// done after it.
    fn ways(&mut self, state: &[u8], turn: Turn, done: usize) -> Vec<(PathStep, usize)> {
        self.furthest = self.furthest.max(done);
        let mut steps = Steps::new();
        let in_init = self.machine.in_init(state);
        let wanted = self.moves.get(done);
        match wanted {
            _ if in_init => self.machine.steps(state, turn, &mut self.scratch, &mut steps),
            None => {}
            Some(Move { thread, edge, before, after, .. }) => {
                let around = Around { before, after };
                let thread = self.machine.thread_id(*thread);
                self.machine.steps_along((state, turn), thread, *edge, (around, false), &mut steps);
            }
        }
        let mut ways = Vec::new();
        for step in &steps.list {
            let next = steps.state(step).map_or_else(Vec::new, <[u8]>::to_vec);
            let fits = in_init || wanted.is_some_and(|wanted| self.fits(wanted, &next, step.faults.is_empty()));
            let done = done + usize::from(!in_init);
            if fits && self.tried.insert((done, next.clone())) {
                let faults = steps.faults[step.faults.clone()].to_vec();
                ways.push((PathStep { step: step.clone(), state: next, faults }, done));
            }
        }
        ways.reverse();
        ways
    }

    fn fits(&self, wanted: &Move, next: &[u8], fine: bool) -> bool {
        let globals = wanted.after.globals.as_deref().filter(|_| !next.is_empty());
        fine != wanted.fails && globals.is_none_or(|globals| self.machine.may_be(next, globals))
    }
}
