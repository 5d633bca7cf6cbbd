//! Direct simulation: `q` simulates `p` when it can match every move of `p`, letter by letter and
//! with the same marks, by moves to states that simulate again ([EWS], \[SB\]). States that simulate
//! each other are one state; a move is needless beside one to a state that simulates its target. The
//! same backwards, over moves that arrive.
//!
//! Marks and guards are compared letter by letter: one move may be matched by several that share its
//! letters.
//!
//! Work is bounded: steps are taken from a tank of fuel that all reductions of one property share, and
//! with an empty tank nothing is reduced.
//!
//! What must hold: the relation is a preorder; pruning keeps it a simulation of what is left.

use super::cube::Cube;
use super::graph::{Graph, Move, tidy_moves};

/// In which direction moves are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// Which state simulates which.
pub(super) struct Simulation {
    /// `above[p][q]`: `q` simulates `p`.
    above: Vec<Vec<bool>>,
}

impl Simulation {
    /// The largest simulation of `graph`, or only equality when the `fuel` does not last.
    pub(super) fn of(graph: &Graph, direction: Direction, fuel: &mut u64) -> Simulation {
        let n = graph.moves.len();
        let (moves, flags) = match direction {
            Direction::Forward => (graph.moves.clone(), vec![0; n]),
            Direction::Backward => (graph.reversed(), graph.flags()),
        };
        let below = |p: usize| (0..n).map(|q| flags[p] & !flags[q] == 0).collect();
        let mut simulation = Simulation { above: (0..n).map(below).collect() };
        while simulation.refine(&moves, fuel) {}
        if *fuel == 0 {
            simulation.above = (0..n).map(|p| (0..n).map(|q| p == q).collect()).collect();
        }
        simulation
    }

    /// Removes pairs that fail; whether there were any.
    fn refine(&mut self, moves: &[Vec<Move>], fuel: &mut u64) -> bool {
        let mut changed = false;
        for p in 0..moves.len() {
            for q in 0..moves.len() {
                if p != q && self.above[p][q] && !self.matches_all(&moves[p], &moves[q], fuel) {
                    self.above[p][q] = false;
                    changed = true;
                }
                if *fuel == 0 {
                    return false;
                }
            }
        }
        changed
    }

    fn matches_all(&self, moves: &[Move], by: &[Move], fuel: &mut u64) -> bool {
        moves.iter().all(|m| {
            *fuel = fuel.saturating_sub(by.len() as u64);
            let guards: Vec<Cube> = by.iter().filter(|b| self.dominates(b, m)).map(|b| b.guard).collect();
            m.guard.covered_by(&guards, fuel)
        })
    }

    /// Whether `better` is as good as `m`, guards aside.
    fn dominates(&self, better: &Move, m: &Move) -> bool {
        m.marks & !better.marks == 0 && self.above[m.target][better.target]
    }

    /// For each state, the least one equivalent to it.
    fn representatives(&self) -> Vec<usize> {
        let n = self.above.len();
        let least = |p: usize| (0..=p).find(|q| self.above[p][*q] && self.above[*q][p]).unwrap_or(p);
        (0..n).map(least).collect()
    }

    /// Drops moves of one state that the others make needless, one by one: after each, what is left
    /// still matches all that was there.
    fn prune(&self, moves: &mut Vec<Move>, fuel: &mut u64) {
        let mut i = 0;
        while i < moves.len() {
            let m = moves[i];
            let others = moves.iter().enumerate().filter(|(j, o)| *j != i && self.dominates(o, &m));
            let guards: Vec<Cube> = others.map(|(_, o)| o.guard).collect();
            if m.guard.covered_by(&guards, fuel) {
                moves.remove(i);
            } else {
                i += 1;
            }
        }
    }
}

impl Graph {
    /// The moves that arrive at each state; the target of each is where it came from.
    fn reversed(&self) -> Vec<Vec<Move>> {
        let mut reversed = vec![Vec::new(); self.moves.len()];
        for (state, moves) in self.moves.iter().enumerate() {
            for m in moves {
                reversed[m.target].push(Move { target: state, ..*m });
            }
        }
        reversed
    }

    /// What a state backwards must have in common with one that simulates it.
    fn flags(&self) -> Vec<u8> {
        let accepting = |s: usize| self.marks_on_states && self.moves[s].iter().any(|m| m.marks != 0);
        (0..self.moves.len()).map(|s| u8::from(s == self.initial) | u8::from(accepting(s)) << 1).collect()
    }

    /// Merges states that simulate each other and prunes needless moves.
    pub(super) fn quotient(&mut self, direction: Direction, fuel: &mut u64) {
        let representatives = Simulation::of(self, direction, fuel).representatives();
        for state in 0..self.moves.len() {
            let representative = representatives[state];
            let moves = std::mem::take(&mut self.moves[state]);
            // Forwards, the representative's own moves match those of the others.
            if representative == state || direction == Direction::Backward {
                let merged = moves.iter().map(|m| Move { target: representatives[m.target], ..*m });
                self.moves[representative].extend(merged);
            }
        }
        self.initial = representatives[self.initial];
        self.moves.iter_mut().for_each(tidy_moves);
        self.trim();
        self.prune(direction, fuel);
        self.trim();
    }

    fn prune(&mut self, direction: Direction, fuel: &mut u64) {
        let simulation = Simulation::of(self, direction, fuel);
        if direction == Direction::Forward {
            self.moves.iter_mut().for_each(|moves| simulation.prune(moves, fuel));
            return;
        }
        let mut arriving = self.reversed();
        arriving.iter_mut().for_each(|moves| simulation.prune(moves, fuel));
        self.moves = Graph { moves: arriving, fair: Vec::new(), ..*self }.reversed();
        self.moves.iter_mut().for_each(tidy_moves);
    }

    /// Takes letters from a guard where another move with them leads to a state that accepts more:
    /// the automaton chooses less often.
    pub(super) fn sharpen_guards(&mut self, fuel: &mut u64) {
        let simulation = Simulation::of(self, Direction::Forward, fuel);
        for moves in &mut self.moves {
            for i in 0..moves.len() {
                for j in 0..moves.len() {
                    let strictly = moves[i].target != moves[j].target && simulation.dominates(&moves[j], &moves[i]);
                    if let Some(guard) = moves[i].guard.and_not(moves[j].guard).filter(|_| strictly) {
                        moves[i].guard = guard;
                    }
                }
            }
        }
    }
}
