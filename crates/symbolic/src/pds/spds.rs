//! Symbolic pushdown systems (\[LR\] Section 5): one control state, and a binary relation for each rule, here on
//! the tuples (k, error, p\[1\], …, p\[K\]) of the reduction. Reachability is the join over all paths of the
//! composed relations, computed by saturation of an automaton whose transitions carry relations (the weighted
//! post* of Reps, Schwoon, Jha and Melski).
//!
//! Relations are diagrams over three copies of the tuple: 0 and 1 are the two sides of a relation, 1
//! and 2 those of the relation composed with it.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::Budget;

use super::reduce::{Forward, Worth};
use super::system::{State, Symbol, System};
use crate::bdd::{Bdd, Bdds, Limited, Var};
use crate::facts::join;

type Node = u32;
type Letter = u32;

/// What an action does to the stack, and whether it is a violation.
type Effect = (Vec<Symbol>, bool);

/// The control state.
const P: Node = 0;
const FINAL: Node = 1;
/// Middle states are numbered from here by letter.
const MIDDLE: Node = 2;
const DONE: Letter = 0;

/// The variables: three copies of each bit of the tuple.
struct Tuple {
    context: Vec<[Var; 3]>,
    /// The first context with a violation, from 1; 0 if there is none.
    error: Vec<[Var; 3]>,
    states: Vec<Vec<[Var; 3]>>,
}

impl Tuple {
    fn new(rounds: usize, width: u32) -> (Tuple, u32) {
        let mut next = 0;
        let mut bit = || {
            next += 3;
            [Var(next - 3), Var(next - 2), Var(next - 1)]
        };
        let digits = usize::BITS - rounds.leading_zeros();
        let context = (0..digits).map(|_| bit()).collect();
        let error = (0..digits).map(|_| bit()).collect();
        let states = (0..rounds).map(|_| (0..width).map(|_| bit()).collect()).collect();
        (Tuple { context, error, states }, next)
    }

    fn bits(&self) -> impl Iterator<Item = &[Var; 3]> {
        self.context.iter().chain(&self.error).chain(self.states.iter().flatten())
    }
}

struct Symbolic<'a, S: System> {
    system: &'a mut S,
    bdds: Bdds,
    tuple: Tuple,
    rounds: usize,
    /// Shared states that can occur at all.
    worth: Worth,
    rules: BTreeMap<Letter, Vec<(Vec<Letter>, Bdd)>>,
    weights: BTreeMap<(Node, Letter, Node), Bdd>,
    empty: BTreeMap<Node, Bdd>,
    news: BTreeMap<(Node, Letter, Node), Bdd>,
}

/// What is reachable with `rounds` contexts of each thread; also the figures of the diagrams.
pub fn forward<S: System>(system: &mut S, rounds: usize, budget: &Budget) -> Limited<(Forward, crate::bdd::BddStats)> {
    let worth = Worth::of(system, budget)?;
    let width = 64 - worth.all.iter().max().copied().unwrap_or(0).leading_zeros();
    let (tuple, variables) = Tuple::new(rounds, width);
    let bdds = Bdds::new(variables, budget);
    let (rules, weights, empty, news) = Default::default();
    let mut symbolic = Symbolic { system, bdds, tuple, rounds, worth, rules, weights, empty, news };
    symbolic.saturate()?;
    let forward = symbolic.read_off()?;
    Ok((forward, symbolic.bdds.stats()))
}

fn letter(symbol: Symbol) -> Letter {
    symbol.0 + 1
}

impl<S: System> Symbolic<'_, S> {
    fn same(&self, bits: impl Iterator<Item = [Var; 3]>, a: usize, b: usize) -> Limited<Bdd> {
        self.bdds.equal(bits.map(|bit| (bit[a], bit[b])))
    }

    fn identity(&self, a: usize, b: usize) -> Limited<Bdd> {
        self.same(self.tuple.bits().copied(), a, b)
    }

    fn number(&self, bits: &[[Var; 3]], copy: usize, value: u64) -> Limited<Bdd> {
        self.bdds.point(bits.iter().enumerate().map(|(place, bit)| (bit[copy], value >> place & 1 == 1)))
    }

    fn rename(&self, relation: &Bdd, pairs: &[(usize, usize)]) -> Limited<Bdd> {
        let vars = pairs.iter().flat_map(|(a, b)| self.tuple.bits().map(|bit| (bit[*a], bit[*b])));
        self.bdds.rename(relation, &self.bdds.renaming(vars)?)
    }

    /// `first` over copies 0 and 1, `second` over 1 and 2; the result over 0 and 1.
    fn then(&self, first: &Bdd, second: &Bdd) -> Limited<Bdd> {
        let middle = self.bdds.cube(self.tuple.bits().map(|bit| bit[1]))?;
        let product = self.bdds.and_exists(first, second, &middle)?;
        self.rename(&product, &[(2, 1)])
    }

    /// The composition of two relations over copies 0 and 1.
    fn compose(&self, first: &Bdd, second: &Bdd) -> Limited<Bdd> {
        self.then(first, &self.rename(second, &[(0, 1), (1, 2)])?)
    }

    /// From context c to context d, every shared state but that of context c kept; over copies 1 and 2.
    fn in_context(&self, c: usize, d: usize) -> Limited<Bdd> {
        let others = self.tuple.states.iter().enumerate().filter(|(other, _)| *other != c).flat_map(|(_, bits)| bits);
        let frame = self.same(others.copied(), 1, 2)?;
        let from = self.number(&self.tuple.context, 1, c as u64)?;
        let to = self.number(&self.tuple.context, 2, d as u64)?;
        self.bdds.and(&frame, &self.bdds.and(&from, &to)?)
    }

    /// A violation happened in context c or before, in copy 1.
    fn violated_up_to(&self, c: usize) -> Limited<Bdd> {
        (0..=c).try_fold(self.bdds.no(), |any, c| self.bdds.or(&any, &self.number(&self.tuple.error, 1, c as u64 + 1)?))
    }

    /// A violation happens in context c: the earliest one is remembered; over copies 1 and 2.
    fn violation_in(&self, c: usize) -> Limited<Bdd> {
        let kept = self.same(self.tuple.error.iter().copied(), 1, 2)?;
        let noted = self.number(&self.tuple.error, 2, c as u64 + 1)?;
        self.bdds.ite(&self.violated_up_to(c)?, &kept, &noted)
    }

    /// The rules for a letter with their relations, over copies 1 and 2.
    fn rules_of(&mut self, top: Letter) -> Limited<Vec<(Vec<Letter>, Bdd)>> {
        if let Some(rules) = self.rules.get(&top) {
            return Ok(rules.clone());
        }
        let mut rules = Vec::new();
        if top != DONE {
            let symbol = Symbol(top - 1);
            self.actions_of(symbol, &mut rules)?;
            self.hand_over(symbol, &mut rules)?;
        }
        self.rules.insert(top, rules.clone());
        Ok(rules)
    }

    fn actions_of(&mut self, top: Symbol, rules: &mut Vec<(Vec<Letter>, Bdd)>) -> Limited<()> {
        let mut groups: BTreeMap<Effect, Vec<(State, State)>> = BTreeMap::new();
        for state in self.worth.all.clone() {
            for action in self.system.actions(state, top) {
                groups.entry((action.push, action.error)).or_default().push((state, action.state));
            }
        }
        let bdds = &self.bdds;
        for ((push, error), steps) in groups {
            let kept = self.same(self.tuple.error.iter().copied(), 1, 2)?;
            let mut relation = bdds.no();
            for (c, bits) in self.tuple.states.iter().enumerate() {
                let mut change = bdds.no();
                for (from, to) in &steps {
                    let step = bdds.and(&self.number(bits, 1, *from)?, &self.number(bits, 2, *to)?)?;
                    change = bdds.or(&change, &step)?;
                }
                let flag = if error { self.violation_in(c)? } else { kept.clone() };
                let here = bdds.and(&self.in_context(c, c)?, &bdds.and(&flag, &change)?)?;
                relation = bdds.or(&relation, &here)?;
            }
            rules.push((push.into_iter().map(letter).collect(), relation));
        }
        Ok(())
    }

    /// The rules that end a context, and the one that hands over to the next thread.
    fn hand_over(&mut self, top: Symbol, rules: &mut Vec<(Vec<Letter>, Bdd)>) -> Limited<()> {
        let next = self.system.thread_of(top) + 1;
        let entry = if next < self.system.threads() { letter(self.system.entry(next)) } else { DONE };
        let bdds = &self.bdds;
        let flag = self.same(self.tuple.error.iter().copied(), 1, 2)?;
        let mut relation = bdds.no();
        for (c, bits) in self.tuple.states.iter().enumerate() {
            let mut passing = self.violated_up_to(c)?;
            for state in self.worth.all.iter().filter(|state| self.system.may_switch(**state, top)) {
                passing = bdds.or(&passing, &self.number(bits, 1, *state)?)?;
            }
            let kept = self.same(bits.iter().copied(), 1, 2)?;
            let here = bdds.and(&self.in_context(c, c + 1)?, &bdds.and(&passing, &kept)?)?;
            relation = bdds.or(&relation, &here)?;
        }
        rules.push((vec![letter(top)], bdds.and(&relation, &flag)?));
        let spent = self.number(&self.tuple.context, 1, self.rounds as u64)?;
        let first = self.number(&self.tuple.context, 2, 0)?;
        let frame = self.same(self.tuple.states.iter().flatten().chain(&self.tuple.error).copied(), 1, 2)?;
        let relation = bdds.and(&frame, &bdds.and(&spent, &first)?)?;
        rules.push((vec![entry, letter(top)], relation));
        Ok(())
    }

    /// The start: the first thread, in its first context, in an initial state, with any guesses worth it.
    fn start(&mut self) -> Limited<()> {
        let bdds = &self.bdds;
        let mut start = bdds.and(&self.identity(0, 1)?, &self.number(&self.tuple.context, 0, 0)?)?;
        start = bdds.and(&start, &self.number(&self.tuple.error, 0, 0)?)?;
        for (c, bits) in self.tuple.states.iter().enumerate() {
            let states = if c == 0 { self.system.initial() } else { self.worth.guesses.clone() };
            let mut allowed = bdds.no();
            for state in states {
                allowed = bdds.or(&allowed, &self.number(bits, 0, state)?)?;
            }
            start = bdds.and(&start, &allowed)?;
        }
        let entry = letter(self.system.entry(0));
        self.add((P, entry, FINAL), &start)
    }

    fn add(&mut self, transition: (Node, Letter, Node), weight: &Bdd) -> Limited<()> {
        let new = match self.weights.get(&transition) {
            Some(old) => self.bdds.minus(weight, old)?,
            None => weight.clone(),
        };
        if new.satisfiable() {
            join(&self.bdds, &mut self.weights, transition, &new)?;
            join(&self.bdds, &mut self.news, transition, &new)?;
        }
        Ok(())
    }

    fn saturate(&mut self) -> Limited<()> {
        self.start()?;
        while let Some((transition, new)) = self.news.pop_first() {
            let (from, top, to) = transition;
            if from != P {
                // A frame below a procedure that may have returned already.
                if let Some(returned) = self.empty.get(&from) {
                    let weight = self.compose(&new, returned)?;
                    self.add((P, top, to), &weight)?;
                }
                continue;
            }
            for (push, relation) in self.rules_of(top)? {
                let weight = self.then(&new, &relation)?;
                if weight.is_false() {
                    continue;
                }
                match push.as_slice() {
                    [] => self.pop(to, &weight)?,
                    [top] => self.add((P, *top, to), &weight)?,
                    [top, below, ..] => {
                        let middle = MIDDLE + top;
                        let one = self.identity(0, 1)?;
                        self.add((P, *top, middle), &one)?;
                        self.add((middle, *below, to), &weight)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn pop(&mut self, to: Node, weight: &Bdd) -> Limited<()> {
        let new = match self.empty.get(&to) {
            Some(old) => self.bdds.minus(weight, old)?,
            None => weight.clone(),
        };
        if new.is_false() {
            return Ok(());
        }
        join(&self.bdds, &mut self.empty, to, &new)?;
        let below: Vec<((Node, Letter, Node), Bdd)> =
            self.weights.range((to, 0, 0)..(to + 1, 0, 0)).map(|(t, w)| (*t, w.clone())).collect();
        for ((_, top, next), frame) in below {
            let weight = self.compose(&frame, &new)?;
            self.add((P, top, next), &weight)?;
        }
        Ok(())
    }

    /// The relation between the start and the moment when `DONE` is pushed: all paths to the final state.
    fn all_paths(&self) -> Limited<Bdd> {
        let mut known: BTreeMap<Node, Bdd> = BTreeMap::from([(FINAL, self.identity(0, 1)?)]);
        let mut changed = true;
        while changed {
            changed = false;
            for ((from, _, to), weight) in self.weights.iter().filter(|((from, ..), _)| *from != P) {
                let Some(below) = known.get(to) else { continue };
                let all = self.compose(below, weight)?;
                let old = known.get(from).cloned().unwrap_or_else(|| self.bdds.no());
                let union = self.bdds.or(&old, &all)?;
                changed |= union != old;
                known.insert(*from, union);
            }
        }
        Ok(known.get(&(MIDDLE + DONE)).cloned().unwrap_or_else(|| self.bdds.no()))
    }

    /// Theorem 1: what passes the check.
    fn read_off(&self) -> Limited<Forward> {
        let bdds = &self.bdds;
        let all = self.all_paths()?;
        let fine = self.number(&self.tuple.error, 1, 0)?;
        let last: Vec<Var> = self.tuple.states[self.rounds - 1].iter().map(|bit| bit[1]).collect();
        // What the last thread left is what the first one guessed.
        let guessed: Vec<(Var, Var)> = (1..self.rounds)
            .flat_map(|c| self.tuple.states[c - 1].iter().zip(&self.tuple.states[c]))
            .map(|(left, guessed)| (left[1], guessed[0]))
            .collect();
        let rest = self.tuple.bits().flatten().copied().filter(|var| !last.contains(var));
        let kept = rest.filter(|var| guessed.iter().all(|(a, b)| a != var && b != var));
        let shared = bdds.and_exists(&all, &fine, &bdds.cube(kept)?)?;
        let shared = bdds.diagonal(&shared, guessed.iter().copied())?;
        let number =
            |values: &[bool]| values.iter().enumerate().fold(0, |all, (place, v)| all | u64::from(*v) << place);
        let shared: BTreeSet<State> = bdds.assignments(&shared, &last, usize::MAX)?.iter().map(|v| number(v)).collect();
        let violation = bdds.pick(&self.agreeing(bdds.minus(&all, &fine)?, &guessed)?).map(|values| {
            let value = |bit: &[Var; 3]| values[bit[0].0 as usize].unwrap_or(false);
            self.tuple.states.iter().map(|bits| number(&bits.iter().map(value).collect::<Vec<_>>())).collect()
        });
        Ok(Forward { shared, violation, transitions: self.weights.len() })
    }

    /// Those assignments in which each pair is equal.
    fn agreeing(&self, mut relation: Bdd, pairs: &[(Var, Var)]) -> Limited<Bdd> {
        for pair in pairs {
            relation = self.bdds.and(&relation, &self.bdds.equal([*pair])?)?;
        }
        Ok(relation)
    }
}
