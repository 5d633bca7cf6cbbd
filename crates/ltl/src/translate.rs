//! The tableau: from a formula to a generalised Büchi automaton with marks on its moves (\[Couvreur\]).
//! A state is a set of formulas that must hold from here on. Each formula unfolds into choices: a
//! guard on the letter read, what must hold next, and which promises (`a U b` that has not met its
//! `b`) the choice puts off. A move of a state combines one choice per formula, and has the mark of
//! every promise that it does not put off.
//!
//! What must hold: a choice is dropped only for one that asks less now and later and puts off no
//! more.

use std::collections::HashMap;
use std::rc::Rc;

use super::TooLarge;
use super::cube::Cube;
use super::formula::{FormulaId, Formulas, Node};
use super::graph::{Graph, Move};

const MAX_STATES: usize = 2_000;
const MAX_PROMISES: usize = 64;
const MAX_WORK: usize = 40_000_000;
/// From this many conjuncts `[]<>p` on they are left out of the tableau, which they make exponential.
const MANY_FAIR: usize = 4;

/// One way to fulfil a formula now.
#[derive(Clone, Debug)]
struct Choice {
    guard: Cube,
    /// What must hold after this letter, ordered.
    next: Vec<FormulaId>,
    /// Promises put off, a set of bits.
    put_off: u64,
}

impl Choice {
    fn asks_no_more_than(&self, other: &Choice) -> bool {
        other.guard.implies(self.guard)
            && self.put_off & !other.put_off == 0
            && self.next.iter().all(|f| other.next.binary_search(f).is_ok())
    }
}

/// Free choices of the construction; none changes the language, each makes some automata smaller.
#[derive(Clone, Copy, Debug)]
struct Style {
    /// Whether `X (a || b)` decides now between `a` and `b`.
    split_next: bool,
    /// Whether `<>a || e` with eventual `e` is unfolded as `<>(a || e)`, which stays in one state.
    linger: bool,
}

/// Automata of `root`, one in each style; the smallest after reduction is the one to use.
pub(super) fn candidates(formulas: &mut Formulas, root: FormulaId) -> Result<Vec<Graph>, TooLarge> {
    let mut graphs = Vec::new();
    let mut error = None;
    let (root, fair) = without_fairness(formulas, root);
    for (split_next, linger) in [(false, false), (true, false), (false, true), (true, true)] {
        match Tableau::new(formulas, Style { split_next, linger }).build(root) {
            Ok(graph) => graphs.push(Graph { fair: fair.clone(), ..graph }),
            Err(e) => error = Some(e),
        }
    }
    graphs.dedup();
    match error {
        Some(error) if graphs.is_empty() => Err(error),
        _ => Ok(graphs),
    }
}

/// Splits `root` into a formula and the letters of its conjuncts `[]<>letter`, where there are many.
fn without_fairness(formulas: &mut Formulas, root: FormulaId) -> (FormulaId, Vec<Cube>) {
    let conjuncts = formulas.conjuncts(root);
    let fair: Vec<(FormulaId, Cube)> =
        conjuncts.iter().filter_map(|f| Some((*f, fair_letters(formulas, *f)?))).collect();
    if fair.len() < MANY_FAIR {
        return (root, Vec::new());
    }
    let rest = conjuncts.into_iter().filter(|c| fair.iter().all(|(f, _)| f != c)).collect();
    (formulas.and(rest), fair.into_iter().map(|(_, letters)| letters).collect())
}

/// The guard `a` of `[]<>a`, if it is one.
fn fair_letters(formulas: &Formulas, f: FormulaId) -> Option<Cube> {
    let goal = formulas.eventually_of(formulas.always_of(f)?)?;
    formulas.conjuncts(goal).into_iter().try_fold(Cube::TRUE, |cube, part| match formulas.node(part) {
        Node::Literal(literal) => cube.and(Cube::literal(*literal)),
        _ => None,
    })
}

struct Tableau<'a> {
    formulas: &'a mut Formulas,
    style: Style,
    unfolded: HashMap<FormulaId, Rc<Vec<Choice>>>,
    promises: HashMap<FormulaId, u64>,
    states: HashMap<Vec<FormulaId>, usize>,
    sets: Vec<Vec<FormulaId>>,
    work: usize,
}

impl<'a> Tableau<'a> {
    fn new(formulas: &'a mut Formulas, style: Style) -> Self {
        Tableau {
            formulas,
            style,
            unfolded: HashMap::new(),
            promises: HashMap::new(),
            states: HashMap::new(),
            sets: Vec::new(),
            work: 0,
        }
    }

    fn build(mut self, root: FormulaId) -> Result<Graph, TooLarge> {
        let first = self.obligations(root);
        self.state(first)?;
        let mut choices: Vec<Vec<(Choice, usize)>> = Vec::new();
        while choices.len() < self.sets.len() {
            let set = self.sets[choices.len()].clone();
            let mut here = Vec::new();
            for choice in self.choices_of_set(&set)? {
                let target = self.state(choice.next.clone())?;
                here.push((choice, target));
            }
            choices.push(here);
        }
        let marks = if self.promises.is_empty() { 0 } else { u64::MAX >> (64 - self.promises.len()) };
        let to_move = |(choice, target): &(Choice, usize)| Move {
            guard: choice.guard,
            marks: marks & !choice.put_off,
            target: *target,
        };
        let moves = choices.iter().map(|here| here.iter().map(to_move).collect()).collect();
        Ok(Graph { moves, initial: 0, marks, marks_on_states: false, fair: Vec::new() })
    }

    fn state(&mut self, set: Vec<FormulaId>) -> Result<usize, TooLarge> {
        if let Some(&known) = self.states.get(&set) {
            return Ok(known);
        }
        if self.sets.len() == MAX_STATES {
            return Err(TooLarge { what: "states", limit: MAX_STATES });
        }
        let state = self.sets.len();
        self.states.insert(set.clone(), state);
        self.sets.push(set);
        Ok(state)
    }

    fn choices_of_set(&mut self, set: &[FormulaId]) -> Result<Vec<Choice>, TooLarge> {
        let mut choices = vec![Choice { guard: Cube::TRUE, next: Vec::new(), put_off: 0 }];
        for &f in set {
            let more = self.unfold(f)?;
            choices = self.product(&choices, &more)?;
        }
        Ok(choices)
    }

    fn choices_of_any(&mut self, parts: &[FormulaId]) -> Result<Vec<Choice>, TooLarge> {
        let mut all = Vec::new();
        for &part in parts {
            all.extend(self.unfold(part)?.iter().cloned());
        }
        self.without_dominated(all)
    }

    /// The choices of one formula.
    fn unfold(&mut self, f: FormulaId) -> Result<Rc<Vec<Choice>>, TooLarge> {
        if let Some(known) = self.unfolded.get(&f) {
            return Ok(Rc::clone(known));
        }
        let choices = match self.formulas.node(f).clone() {
            Node::True => self.keep(&[], 0),
            Node::False => Vec::new(),
            Node::Literal(literal) => vec![Choice { guard: Cube::literal(literal), next: Vec::new(), put_off: 0 }],
            Node::And(parts) => self.choices_of_set(&parts)?,
            Node::Or(parts) if self.style.linger && self.formulas.is_eventual(f) => self.unfold_lingering(f, &parts)?,
            Node::Or(parts) => self.choices_of_any(&parts)?,
            Node::Next(a) => self.unfold_next(a),
            Node::Until(a, b) => {
                let promise = self.promise(f)?;
                let (now, meanwhile) = (self.unfold(b)?, self.unfold(a)?);
                let later = self.product(&meanwhile, &self.keep(&[f], promise))?;
                self.without_dominated([&now[..], &later[..]].concat())?
            }
            Node::Release(a, b) => match self.formulas.eventually_of(b) {
                Some(goal) if a == FormulaId::FALSE => self.unfold_always_eventually(f, goal)?,
                _ => {
                    let (released, held) = (self.unfold(a)?, self.unfold(b)?);
                    let next = self.obligations(f);
                    let either = [&released[..], &self.keep(&next, 0)[..]].concat();
                    self.product(&held, &either)?
                }
            },
        };
        let choices = Rc::new(choices);
        self.unfolded.insert(f, Rc::clone(&choices));
        Ok(choices)
    }

    /// `[]<>a` is one state: meet `a` now, or put it off.
    fn unfold_always_eventually(&mut self, f: FormulaId, goal: FormulaId) -> Result<Vec<Choice>, TooLarge> {
        let promise = self.promise(f)?;
        let met = self.unfold(goal)?;
        let mut choices = self.product(&met, &self.keep(&[f], 0))?;
        choices.extend(self.keep(&[f], promise));
        self.without_dominated(choices)
    }

    /// `<>a || e`, all of it eventual: one of `a` and `e` now, or put it off.
    fn unfold_lingering(&mut self, f: FormulaId, parts: &[FormulaId]) -> Result<Vec<Choice>, TooLarge> {
        let goals: Vec<FormulaId> = parts.iter().map(|p| self.formulas.eventually_of(*p).unwrap_or(*p)).collect();
        let promise = self.promise(f)?;
        let mut choices = self.choices_of_any(&goals)?;
        choices.extend(self.keep(&[f], promise));
        self.without_dominated(choices)
    }

    fn unfold_next(&mut self, a: FormulaId) -> Vec<Choice> {
        let alternatives = if self.style.split_next { self.formulas.disjuncts(a) } else { vec![a] };
        let sets: Vec<Vec<FormulaId>> = alternatives.into_iter().map(|a| self.obligations(a)).collect();
        sets.iter().flat_map(|set| self.keep(set, 0)).collect()
    }

    /// The one choice that asks nothing of the letter and `next` of what follows.
    fn keep(&self, next: &[FormulaId], put_off: u64) -> Vec<Choice> {
        vec![Choice { guard: Cube::TRUE, next: next.to_vec(), put_off }]
    }

    /// The set of formulas that `f` is as a state: its conjuncts, with `[](a && b)` taken apart.
    fn obligations(&mut self, f: FormulaId) -> Vec<FormulaId> {
        let mut set = Vec::new();
        for part in self.formulas.conjuncts(f) {
            match self.formulas.always_of(part) {
                Some(held) => {
                    let held = self.formulas.conjuncts(held).into_iter();
                    set.extend(held.map(|h| self.formulas.intern(Node::Release(FormulaId::FALSE, h))));
                }
                None => set.push(part),
            }
        }
        set.sort();
        set.dedup();
        set
    }

    fn promise(&mut self, f: FormulaId) -> Result<u64, TooLarge> {
        let index = self.promises.len();
        match self.promises.get(&f) {
            Some(&bit) => Ok(bit),
            None if index == MAX_PROMISES => Err(TooLarge { what: "acceptance sets", limit: MAX_PROMISES }),
            None => {
                self.promises.insert(f, 1 << index);
                Ok(1 << index)
            }
        }
    }

    fn product(&mut self, left: &[Choice], right: &[Choice]) -> Result<Vec<Choice>, TooLarge> {
        let mut all = Vec::new();
        for a in left {
            for b in right {
                self.spend(1)?;
                let Some(guard) = a.guard.and(b.guard) else { continue };
                let mut next = [&a.next[..], &b.next[..]].concat();
                next.sort();
                next.dedup();
                if !self.contradicts_itself(&next) {
                    all.push(Choice { guard, next, put_off: a.put_off | b.put_off });
                }
            }
        }
        self.without_dominated(all)
    }

    /// Whether two formulas of the set exclude each other.
    ///
    /// A formula that another one of the set implies is not dropped: the other may hold only
    /// because this one is watched, as `[](a U (b && <>c))` and its own `<>c` show.
    fn contradicts_itself(&mut self, set: &[FormulaId]) -> bool {
        (0..set.len()).any(|i| (0..i).any(|j| self.formulas.contradict(set[i], set[j])))
    }

    /// Drops choices that another one makes needless, in place order.
    fn without_dominated(&mut self, choices: Vec<Choice>) -> Result<Vec<Choice>, TooLarge> {
        let mut kept: Vec<Choice> = Vec::new();
        for choice in choices {
            self.spend(kept.len())?;
            if !kept.iter().any(|k| k.asks_no_more_than(&choice)) {
                kept.retain(|k| !choice.asks_no_more_than(k));
                kept.push(choice);
            }
        }
        Ok(kept)
    }

    fn spend(&mut self, steps: usize) -> Result<(), TooLarge> {
        self.work += steps;
        if self.work > MAX_WORK {
            return Err(TooLarge { what: "steps of the translation", limit: MAX_WORK });
        }
        Ok(())
    }
}
