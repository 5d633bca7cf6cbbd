//! Büchi automata while they are made small: one structure for the generalised automaton with marks
//! on its moves and for the final one with accepting states (one mark, on every move of an accepting
//! state). Called between all steps of [`super::reduce`].
//!
//! A run is accepted when it takes moves with each of the `marks` infinitely often, and reads letters of
//! each of the `fair` guards infinitely often.
//!
//! What must hold: every operation here keeps the language; with `marks_on_states`, all moves of one
//! state have the same marks.

use super::cube::Cube;
use super::{Automaton, AutomatonState, Edge};

/// One move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Move {
    pub(super) target: usize,
    pub(super) marks: u64,
    pub(super) guard: Cube,
}

/// An automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Graph {
    /// The moves of each state.
    pub(super) moves: Vec<Vec<Move>>,
    pub(super) initial: usize,
    /// All marks, a set of bits.
    pub(super) marks: u64,
    /// Whether the moves of one state have the same marks.
    pub(super) marks_on_states: bool,
    /// What the word must satisfy infinitely often besides, whatever the run: `[]<>` of each.
    pub(super) fair: Vec<Cube>,
}

/// The strongly connected components of a graph. A component's moves lead to components of
/// smaller or the same number.
pub(super) struct Components {
    pub(super) of: Vec<usize>,
    pub(super) count: usize,
}

impl Components {
    /// Whether `state` can reach itself.
    pub(super) fn is_cyclic(&self, state: usize, graph: &Graph) -> bool {
        graph.moves[state].iter().any(|m| self.of[m.target] == self.of[state])
    }

    /// For each component, the marks that occur inside; `None` where there is no cycle.
    pub(super) fn marks_inside(&self, graph: &Graph) -> Vec<Option<u64>> {
        let mut inside = vec![None; self.count];
        for (state, moves) in graph.moves.iter().enumerate() {
            for m in moves.iter().filter(|m| self.of[m.target] == self.of[state]) {
                *inside[self.of[state]].get_or_insert(0) |= m.marks;
            }
        }
        inside
    }
}

impl Graph {
    /// The automaton as a graph; guards are not kept.
    pub(super) fn from_automaton(automaton: &Automaton) -> Graph {
        let moves_of = |state: &AutomatonState| {
            let marks = u64::from(state.accepting);
            state.edges.iter().map(|e| Move { target: e.target, marks, guard: Cube::TRUE }).collect()
        };
        let moves = automaton.states.iter().map(moves_of).collect();
        Graph { moves, initial: automaton.initial, marks: 1, marks_on_states: true, fair: Vec::new() }
    }

    /// How large it is: states, then moves.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.moves.len(), self.moves.iter().map(Vec::len).sum())
    }

    /// Tarjan's algorithm on a stack of its own.
    pub(super) fn components(&self) -> Components {
        let n = self.moves.len();
        let (mut order, mut low, mut of) = (vec![0; n], vec![0; n], vec![usize::MAX; n]);
        let (mut clock, mut count, mut open) = (0, 0, Vec::new());
        for root in 0..n {
            let mut path = Vec::new();
            if order[root] == 0 {
                path.push((root, 0));
            }
            while let Some(&mut (state, ref mut position)) = path.last_mut() {
                if *position == 0 {
                    clock += 1;
                    (order[state], low[state]) = (clock, clock);
                    open.push(state);
                }
                if let Some(m) = self.moves[state].get(*position) {
                    *position += 1;
                    if order[m.target] == 0 {
                        path.push((m.target, 0));
                    } else if of[m.target] == usize::MAX {
                        low[state] = low[state].min(order[m.target]);
                    }
                    continue;
                }
                if low[state] == order[state] {
                    while of[state] == usize::MAX {
                        of[open.pop().expect("the state itself is open")] = count;
                    }
                    count += 1;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[state]);
                }
            }
        }
        Components { of, count }
    }

    /// Removes states that are unreachable or accept nothing; the first state stays.
    pub(super) fn trim(&mut self) {
        let useful = self.useful_states();
        for moves in &mut self.moves {
            moves.retain(|m| useful[m.target]);
        }
        if !useful[self.initial] {
            self.moves[self.initial].clear();
        }
        let mut order = vec![self.initial];
        let mut place = vec![usize::MAX; self.moves.len()];
        place[self.initial] = 0;
        let mut next = 0;
        while next < order.len() {
            for m in &self.moves[order[next]] {
                if place[m.target] == usize::MAX {
                    place[m.target] = order.len();
                    order.push(m.target);
                }
            }
            next += 1;
        }
        let renamed = |m: &Move| Move { target: place[m.target], ..*m };
        self.moves = order.iter().map(|s| self.moves[*s].iter().map(renamed).collect()).collect();
        self.initial = 0;
        self.moves.iter_mut().for_each(tidy_moves);
    }

    fn useful_states(&self) -> Vec<bool> {
        let components = self.components();
        let inside = components.marks_inside(self);
        let mut useful: Vec<bool> = inside.iter().map(|marks| *marks == Some(self.marks)).collect();
        let mut states: Vec<usize> = (0..self.moves.len()).collect();
        states.sort_by_key(|s| components.of[*s]);
        for state in states {
            if self.moves[state].iter().any(|m| useful[components.of[m.target]]) {
                useful[components.of[state]] = true;
            }
        }
        components.of.iter().map(|c| useful[*c]).collect()
    }

    /// Changes marks that decide nothing: none where no cycle has them all, everywhere inside where
    /// every cycle has them; on what no cycle takes, all if `saturate` and none otherwise.
    pub(super) fn normalise_marks(&mut self, saturate: bool) {
        let components = self.components();
        let inside = components.marks_inside(self);
        let constant = self.marks_on_all_cycles(&components);
        let outside = if saturate { self.marks } else { 0 };
        for state in 0..self.moves.len() {
            let here = components.of[state];
            for m in &mut self.moves[state] {
                let leaves = components.of[m.target] != here;
                m.marks = match inside[here] {
                    None => outside,
                    Some(_) if leaves && !self.marks_on_states => outside,
                    Some(marks) if marks != self.marks => 0,
                    Some(_) => m.marks | constant[here],
                };
            }
        }
        self.moves.iter_mut().for_each(tidy_moves);
    }

    /// For each component, the marks without which it has no cycle.
    fn marks_on_all_cycles(&self, components: &Components) -> Vec<u64> {
        let mut constant = vec![self.marks; components.count];
        for bit in (0..64).map(|i| 1u64 << i).filter(|bit| self.marks & bit != 0) {
            let stays = |s: usize, m: &Move| components.of[m.target] == components.of[s] && m.marks & bit == 0;
            let kept = |(s, moves): (usize, &Vec<Move>)| moves.iter().copied().filter(|m| stays(s, m)).collect();
            let moves = self.moves.iter().enumerate().map(kept).collect();
            let rest = Graph { moves, fair: Vec::new(), ..*self };
            let parts = rest.components();
            for state in (0..rest.moves.len()).filter(|s| parts.is_cyclic(*s, &rest)) {
                constant[components.of[state]] &= !bit;
            }
        }
        constant
    }

    /// The graph as an automaton. Requires marks on states.
    pub(super) fn into_automaton(self) -> Automaton {
        let edge_of = |m: &Move| Edge { guard: m.guard.literals(), target: m.target };
        let state_of = |moves: &Vec<Move>| AutomatonState {
            accepting: moves.iter().any(|m| m.marks != 0),
            edges: moves.iter().map(edge_of).collect(),
        };
        let states: Vec<AutomatonState> = self.moves.iter().map(state_of).collect();
        let mut automaton = Automaton { states, initial: self.initial };
        let accept_all: Vec<bool> = (0..self.moves.len()).map(|s| automaton.is_accept_all(s)).collect();
        for (state, here) in automaton.states.iter_mut().enumerate() {
            here.edges.sort_by_key(|e| (!accept_all[e.target], e.target == state, e.target));
        }
        automaton
    }
}

/// Orders the moves, and makes one of two where the guards allow.
pub(super) fn tidy_moves(moves: &mut Vec<Move>) {
    moves.sort();
    moves.dedup();
    let mut tidy: Vec<Move> = Vec::with_capacity(moves.len());
    for &m in moves.iter() {
        let first = tidy.partition_point(|t| (t.target, t.marks) < (m.target, m.marks));
        let mut guard = m.guard;
        while let Some((i, union)) = (first..tidy.len()).find_map(|i| Some((i, tidy[i].guard.union(guard)?))) {
            tidy.remove(i);
            guard = union;
        }
        tidy.push(Move { guard, ..m });
    }
    tidy.sort();
    *moves = tidy;
}
