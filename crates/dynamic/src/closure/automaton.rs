//! Finite automata over letters of any kind. They are built with epsilon transitions ([`EpsilonNfa`]), then determinised
//! and minimised if the result is not too large; otherwise epsilon transitions are eliminated and equivalent states merged
//! ([`Automaton`]).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::Hash;

use rustc_hash::FxHashMap;
use selvedge_core::{Budget, StopReason};

/// A state of an automaton.
pub type State = u32;

/// An automaton without epsilon transitions. Every state is reached from the initial one and reaches an accepting
/// one, unless no word is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton<L> {
    /// Where words start.
    pub initial: State,
    /// Moves of each state, sorted.
    pub moves: Vec<Vec<(L, State)>>,
    /// States in which words may end.
    pub accepting: Vec<bool>,
}

/// An automaton with epsilon transitions, while it is built. State 0 is the initial one.
#[derive(Clone, Debug)]
pub struct EpsilonNfa<L> {
    moves: Vec<Vec<(Option<L>, State)>>,
    accepting: Vec<bool>,
}

impl<L: Copy + Ord + Hash> EpsilonNfa<L> {
    /// One state, no word.
    pub fn new() -> Self {
        EpsilonNfa { moves: vec![Vec::new()], accepting: vec![false] }
    }

    /// A new state.
    pub fn state(&mut self) -> State {
        self.moves.push(Vec::new());
        self.accepting.push(false);
        self.moves.len() as State - 1
    }

    /// Adds a transition; without a letter, an epsilon transition.
    pub fn link(&mut self, from: State, letter: Option<L>, to: State) {
        self.moves[from as usize].push((letter, to));
    }

    /// Words may end in this state.
    pub fn accept(&mut self, state: State) {
        self.accepting[state as usize] = true;
    }

    /// Puts a copy of an automaton behind a state; the result is where its words end.
    pub fn append(&mut self, from: State, automaton: &Automaton<L>) -> State {
        let offset = self.moves.len() as State;
        let end = offset + automaton.moves.len() as State;
        for (moves, accepting) in automaton.moves.iter().zip(&automaton.accepting) {
            let mut copied: Vec<_> = moves.iter().map(|(letter, to)| (Some(*letter), to + offset)).collect();
            if *accepting {
                copied.push((None, end));
            }
            self.moves.push(copied);
            self.accepting.push(false);
        }
        let end = self.state();
        self.link(from, None, automaton.initial + offset);
        end
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there is no state; there always is.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The automaton, as long as a budget allows.
    pub fn finish(&self, budget: &Budget) -> Result<Automaton<L>, StopReason> {
        let most = 4 * self.moves.len() + 256;
        let automaton = match self.determinised(most, budget)? {
            Some(automaton) => automaton,
            None => self.without_epsilon(budget)?,
        };
        automaton.minimised(budget)
    }

    fn closure(&self, states: &mut BTreeSet<State>) {
        let mut work: Vec<State> = states.iter().copied().collect();
        while let Some(state) = work.pop() {
            for (letter, to) in &self.moves[state as usize] {
                if letter.is_none() && states.insert(*to) {
                    work.push(*to);
                }
            }
        }
    }

    /// The subset construction; `None` if there are too many sets.
    fn determinised(&self, most: usize, budget: &Budget) -> Result<Option<Automaton<L>>, StopReason> {
        let mut held = 0;
        let mut first = BTreeSet::from([0]);
        self.closure(&mut first);
        let mut ids = FxHashMap::from_iter([(first.clone(), 0)]);
        let mut sets = vec![first];
        let mut automaton = Automaton { initial: 0, moves: Vec::new(), accepting: Vec::new() };
        while automaton.moves.len() < sets.len() {
            let set = sets[automaton.moves.len()].clone();
            let mut targets: BTreeMap<L, BTreeSet<State>> = BTreeMap::new();
            for (letter, to) in set.iter().flat_map(|state| &self.moves[*state as usize]) {
                if let Some(letter) = letter {
                    targets.entry(*letter).or_default().insert(*to);
                }
            }
            let mut moves = Vec::with_capacity(targets.len());
            for (letter, mut target) in targets {
                self.closure(&mut target);
                budget.go_on(held)?;
                let next = ids.len() as State;
                let id = *ids.entry(target.clone()).or_insert(next);
                if id == next {
                    held += (target.len() * 4 * size_of::<State>()) as u64;
                    sets.push(target);
                }
                moves.push((letter, id));
            }
            if sets.len() > most {
                return Ok(None);
            }
            automaton.accepting.push(set.iter().any(|state| self.accepting[*state as usize]));
            held += (moves.len() * size_of::<(L, State)>()) as u64;
            automaton.moves.push(moves);
        }
        Ok(Some(automaton))
    }

    fn without_epsilon(&self, budget: &Budget) -> Result<Automaton<L>, StopReason> {
        let mut held = 0;
        let mut automaton = Automaton { initial: 0, moves: Vec::new(), accepting: Vec::new() };
        for state in 0..self.moves.len() as State {
            let mut closed = BTreeSet::from([state]);
            self.closure(&mut closed);
            automaton.accepting.push(closed.iter().any(|state| self.accepting[*state as usize]));
            let moves = closed.iter().flat_map(|state| &self.moves[*state as usize]);
            let mut moves: Vec<(L, State)> = moves.filter_map(|(letter, to)| Some(((*letter)?, *to))).collect();
            moves.sort_unstable();
            moves.dedup();
            held += (moves.len() * size_of::<(L, State)>()) as u64;
            budget.go_on(held)?;
            automaton.moves.push(moves);
        }
        Ok(automaton)
    }
}

impl<L: Copy + Ord + Hash> Default for EpsilonNfa<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Copy + Ord + Hash> Automaton<L> {
    /// Accepts these letters in any order and number.
    pub(crate) fn star(letters: &BTreeSet<L>) -> Self {
        let moves = letters.iter().map(|letter| (*letter, 0)).collect();
        Automaton { initial: 0, moves: vec![moves], accepting: vec![true] }
    }

    /// Its size in bytes, about.
    pub fn bytes(&self) -> u64 {
        self.moves.iter().map(|moves| 32 + (moves.len() * size_of::<(L, State)>()) as u64).sum()
    }

    /// The letters that occur.
    pub fn letters(&self) -> BTreeSet<L> {
        self.moves.iter().flatten().map(|(letter, _)| *letter).collect()
    }

    /// Whether a word is accepted.
    pub fn accepts(&self, word: &[L]) -> bool {
        let mut states = BTreeSet::from([self.initial]);
        for letter in word {
            let moves = states.iter().flat_map(|state| &self.moves[*state as usize]);
            states = moves.filter(|(other, _)| other == letter).map(|(_, to)| *to).collect();
        }
        states.iter().any(|state| self.accepting[*state as usize])
    }

    /// A shortest word from a state to an accepting one.
    pub fn completion(&self, from: State) -> Option<Vec<L>> {
        let mut before: FxHashMap<State, Option<(State, L)>> = FxHashMap::from_iter([(from, None)]);
        let mut work = VecDeque::from([from]);
        while let Some(state) = work.pop_front() {
            if self.accepting[state as usize] {
                let mut word = Vec::new();
                let mut at = state;
                while let Some(Some((previous, letter))) = before.get(&at) {
                    word.push(*letter);
                    at = *previous;
                }
                word.reverse();
                return Some(word);
            }
            for (letter, to) in &self.moves[state as usize] {
                if !before.contains_key(to) {
                    before.insert(*to, Some((state, *letter)));
                    work.push_back(*to);
                }
            }
        }
        None
    }

    /// Only the states between the initial one and an accepting one, equivalent states merged.
    pub(crate) fn minimised(&self, budget: &Budget) -> Result<Automaton<L>, StopReason> {
        let trimmed = self.trimmed();
        let (classes, count) = equivalent_states(&trimmed.moves, &trimmed.accepting, budget)?;
        let mut moves = vec![Vec::new(); count];
        let mut accepting = vec![false; count];
        for (state, class) in classes.iter().enumerate() {
            let class = *class as usize;
            if moves[class].is_empty() {
                let mut merged: Vec<(L, State)> =
                    trimmed.moves[state].iter().map(|(letter, to)| (*letter, classes[*to as usize])).collect();
                merged.sort_unstable();
                merged.dedup();
                moves[class] = merged;
            }
            accepting[class] |= trimmed.accepting[state];
        }
        Ok(Automaton { initial: classes[trimmed.initial as usize], moves, accepting })
    }

    fn trimmed(&self) -> Automaton<L> {
        let mut before: Vec<Vec<State>> = vec![Vec::new(); self.moves.len()];
        for (state, moves) in self.moves.iter().enumerate() {
            moves.iter().for_each(|(_, to)| before[*to as usize].push(state as State));
        }
        let ends = (0..self.moves.len() as State).filter(|state| self.accepting[*state as usize]);
        let useful = reachable(self.moves.len(), ends, |state| before[state as usize].iter().copied());
        let reached = reachable(self.moves.len(), [self.initial].into_iter(), |state| {
            self.moves[state as usize].iter().map(|(_, to)| *to)
        });
        let kept = |state: State| state == self.initial || useful[state as usize] && reached[state as usize];
        let mut ids = vec![0; self.moves.len()];
        let mut count = 0;
        for state in 0..self.moves.len() as State {
            ids[state as usize] = count;
            count += State::from(kept(state));
        }
        let mut trimmed = Automaton { initial: ids[self.initial as usize], moves: Vec::new(), accepting: Vec::new() };
        for state in (0..self.moves.len() as State).filter(|state| kept(*state)) {
            let moves = self.moves[state as usize].iter().filter(|(_, to)| useful[*to as usize]);
            trimmed.moves.push(moves.map(|(letter, to)| (*letter, ids[*to as usize])).collect());
            trimmed.accepting.push(self.accepting[state as usize]);
        }
        trimmed
    }
}

/// The states that can be reached.
fn reachable<I: Iterator<Item = State>>(
    count: usize,
    from: impl Iterator<Item = State>,
    next: impl Fn(State) -> I,
) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut work: Vec<State> = from.collect();
    work.iter().for_each(|state| seen[*state as usize] = true);
    while let Some(state) = work.pop() {
        for to in next(state) {
            if !std::mem::replace(&mut seen[to as usize], true) {
                work.push(to);
            }
        }
    }
    seen
}

/// States between two checks of the budget.
const PULSE: usize = 256;

/// The signature of a state: whether it accepts, its class so far, and the classes its moves lead to.
type Signature<L> = (bool, State, Vec<(L, State)>);

/// Classes of equivalent states (bisimilar; in a deterministic automaton: equivalent), numbered in
/// the order of their first states, and how many there are. Moore's refinement.
pub(crate) fn equivalent_states<L: Copy + Ord + Hash>(
    moves: &[Vec<(L, State)>],
    accepting: &[bool],
    budget: &Budget,
) -> Result<(Vec<State>, usize), StopReason> {
    let mut classes: Vec<State> = vec![0; moves.len()];
    let mut count = 0;
    loop {
        let mut ids: FxHashMap<Signature<L>, State> = FxHashMap::default();
        let mut refined = Vec::with_capacity(moves.len());
        for (state, from) in moves.iter().enumerate() {
            if state % PULSE == 0 {
                budget.go_on(0)?;
            }
            let mut signature: Vec<(L, State)> =
                from.iter().map(|(letter, to)| (*letter, classes[*to as usize])).collect();
            signature.sort_unstable();
            signature.dedup();
            let next = ids.len() as State;
            refined.push(*ids.entry((accepting[state], classes[state], signature)).or_insert(next));
        }
        let found = ids.len();
        classes = refined;
        if found == count {
            return Ok((classes, count));
        }
        count = found;
    }
}
