//! The reduction of a concurrent pushdown system to one pushdown system (\[LR\] Figure 4), and its analysis:
//! Theorem 1, forward, and the error projection, backward.
//!
//! A control state of the reduced system is (k, p\[1\], …, p\[K\]): the context and a shared state for each
//! context. The threads run one after the other, each through all its contexts; the next one is pushed on
//! top of the one before. The check is the equation of Theorem 1: a run that started with the guesses
//! p\[2..=K\] counts if it ends in (1, p\[2\], …, p\[K\], p'). The guesses are the bottom of the stack.
//!
//! A violation is remembered with its context, and counts only if the check passes. What lies behind it in
//! time (later contexts, and the same context of later threads) need not be real: there everyone passes. What
//! lies before it does, also where it runs later.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_core::Budget;

use super::automaton::{Automaton, Letter, Node, Rule, Rules, Transition, post_star, pre_star};
use super::system::{State, Symbol, System};
use crate::bdd::Limited;

/// A control state of the reduced system; contexts are numbered from 0, and K stands for "all spent".
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Control {
    context: usize,
    /// The first context with a violation.
    error: Option<usize>,
    states: Vec<State>,
}

/// What an automaton's node stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Meaning {
    Control(Control),
    Middle(Node, Letter),
    /// Where the stack's bottom is read that holds these guesses.
    Bottom(Vec<State>),
}

/// The letter pushed when the last thread has spent its contexts: e\[n+1\] of the paper.
const DONE: Letter = 0;

/// The reduced system.
struct Reduced<'a, S: System> {
    system: &'a mut S,
    budget: &'a Budget,
    rounds: usize,
    nodes: Vec<Meaning>,
    numbers: FxHashMap<Meaning, Node>,
}

/// What the forward analysis found.
#[derive(Clone, Debug, Default)]
pub struct Forward {
    /// Shared states reached where a context may end.
    pub shared: BTreeSet<State>,
    /// If a violation is reached: the shared states that the first thread finds in each of its contexts.
    pub violation: Option<Vec<State>>,
    /// Transitions of the automaton.
    pub transitions: usize,
}

impl<S: System> Reduced<'_, S> {
    fn node(&mut self, meaning: Meaning) -> Node {
        if let Some(number) = self.numbers.get(&meaning) {
            return *number;
        }
        let number = self.nodes.len() as Node;
        self.nodes.push(meaning.clone());
        self.numbers.insert(meaning, number);
        number
    }

    fn control(&self, node: Node) -> Option<&Control> {
        match &self.nodes[node as usize] {
            Meaning::Control(control) => Some(control),
            _ => None,
        }
    }

    /// The rules of Figure 4, and two that end the increments of k: spent contexts hand over.
    fn figure_4(&mut self, control: &Control, top: Symbol) -> Vec<(Control, Vec<Letter>)> {
        let mut rules = Vec::new();
        if control.context == self.rounds {
            let next = self.system.thread_of(top) + 1;
            let entry = if next < self.system.threads() { letter(self.system.entry(next)) } else { DONE };
            rules.push((Control { context: 0, ..control.clone() }, vec![entry, letter(top)]));
            return rules;
        }
        let here = control.states[control.context];
        for action in self.system.actions(here, top) {
            let mut next = control.clone();
            next.states[control.context] = action.state;
            if action.error && control.error.is_none_or(|context| context > control.context) {
                next.error = Some(control.context);
            }
            rules.push((next, action.push.iter().map(|symbol| letter(*symbol)).collect()));
        }
        let over = control.error.is_some_and(|context| context <= control.context);
        if over || self.system.may_switch(here, top) {
            rules.push((Control { context: control.context + 1, ..control.clone() }, vec![letter(top)]));
        }
        rules
    }
}

fn letter(symbol: Symbol) -> Letter {
    symbol.0 + 1
}

fn symbol(letter: Letter) -> Symbol {
    Symbol(letter - 1)
}

impl<S: System> Rules for Reduced<'_, S> {
    fn rules(&mut self, state: Node, top: Letter) -> Limited<Vec<(Node, Vec<Letter>)>> {
        let Some(control) = self.control(state).cloned() else { return Ok(Vec::new()) };
        if top == DONE {
            return Ok(Vec::new());
        }
        let rules = self.figure_4(&control, symbol(top));
        Ok(rules.into_iter().map(|(control, push)| (self.node(Meaning::Control(control)), push)).collect())
    }

    fn middle(&mut self, state: Node, letter: Letter) -> Node {
        self.node(Meaning::Middle(state, letter))
    }

    fn look_around(&self, transitions: usize) -> Limited<()> {
        check_budget(self.budget, transitions)
    }
}

/// A transition in the tables, with what belongs to it.
const BYTES_PER_TRANSITION: usize = 160;

fn check_budget(budget: &Budget, transitions: usize) -> Limited<()> {
    budget.check(transitions as u64, transitions.saturating_mul(BYTES_PER_TRANSITION) as u64).map_or(Ok(()), Err)
}

/// Shared states that can occur at most: every thread with every stack it can have, one at a time and
/// without history. Guesses outside cannot pass the check.
pub struct Worth {
    /// Where a context can start.
    pub guesses: Vec<State>,
    /// Also those in which none can.
    pub all: Vec<State>,
}

impl Worth {
    /// Those of a system.
    pub fn of<S: System>(system: &mut S, budget: &Budget) -> Limited<Worth> {
        let mut states: BTreeSet<State> = system.initial().into_iter().collect();
        let mut tops: BTreeSet<Symbol> = (0..system.threads()).map(|thread| system.entry(thread)).collect();
        let mut size = 0;
        while size != states.len() + tops.len() {
            size = states.len() + tops.len();
            for top in tops.clone() {
                check_budget(budget, size)?;
                for state in states.clone() {
                    for action in system.actions(state, top) {
                        tops.extend(&action.push);
                        states.insert(action.state);
                    }
                }
            }
        }
        let passable = |state: &State| tops.iter().any(|top| system.may_switch(*state, *top));
        let guesses = states.iter().copied().filter(passable).collect();
        Ok(Worth { guesses, all: states.into_iter().collect() })
    }
}

/// Every list of guesses for contexts 2 to K.
fn guesses(states: &[State], contexts: usize, budget: &Budget) -> Limited<Vec<Vec<State>>> {
    let mut lists = vec![Vec::new()];
    for _ in 0..contexts {
        // Also before they are made: there can be very many.
        check_budget(budget, lists.len().saturating_mul(states.len()))?;
        lists = lists.iter().flat_map(|list| states.iter().map(|s| [list.as_slice(), &[*s]].concat())).collect();
    }
    Ok(lists)
}

struct Explored<'a, S: System> {
    reduced: Reduced<'a, S>,
    automaton: Automaton,
    rules: Vec<Rule>,
    /// Ends of runs that pass the check: the node, the bottom with the guesses, the first shared state.
    passed: Vec<(Control, Vec<State>)>,
}

fn explore<'a, S: System>(system: &'a mut S, rounds: usize, budget: &'a Budget) -> Limited<Explored<'a, S>> {
    let worth = Worth::of(system, budget)?;
    let initial = system.initial();
    let (nodes, numbers) = (Vec::new(), FxHashMap::default());
    let mut reduced = Reduced { system, budget, rounds, nodes, numbers };
    let mut start = Vec::new();
    for list in guesses(&worth.guesses, rounds - 1, budget)? {
        check_budget(budget, start.len())?;
        for first in &initial {
            let states = [&[*first], list.as_slice()].concat();
            let from = reduced.node(Meaning::Control(Control { context: 0, error: None, states: states.clone() }));
            let entry = letter(reduced.system.entry(0));
            start.push((from, entry, reduced.node(Meaning::Bottom(states))));
        }
    }
    let (automaton, rules) = post_star(Automaton::new(start), &mut reduced)?;
    let mut passed = Vec::new();
    let ends = automaton.transitions().filter(|(_, letter, _)| *letter == DONE).copied().collect::<BTreeSet<_>>();
    for (from, _, below) in ends {
        let Some(control) = reduced.control(from).cloned() else { continue };
        for bottom in bottoms(&reduced, &automaton, below) {
            if bottom[1..] == control.states[..rounds - 1] {
                passed.push((control.clone(), bottom));
            }
        }
    }
    Ok(Explored { reduced, automaton, rules, passed })
}

/// The bottoms that can be reached from a node.
fn bottoms<S: System>(reduced: &Reduced<'_, S>, automaton: &Automaton, from: Node) -> Vec<Vec<State>> {
    let mut seen = FxHashSet::from_iter([from]);
    let mut work = vec![from];
    let mut found = BTreeSet::new();
    while let Some(node) = work.pop() {
        if let Meaning::Bottom(guesses) = &reduced.nodes[node as usize] {
            found.insert(guesses.clone());
        }
        for (_, to) in automaton.from(node) {
            if seen.insert(*to) {
                work.push(*to);
            }
        }
    }
    found.into_iter().collect()
}

/// Theorem 1: what is reachable with `rounds` contexts of each thread.
pub fn forward<S: System>(system: &mut S, rounds: usize, budget: &Budget) -> Limited<Forward> {
    let explored = explore(system, rounds, budget)?;
    let mut forward = Forward { transitions: explored.automaton.len(), ..Forward::default() };
    for (control, bottom) in &explored.passed {
        match control.error {
            None => {
                forward.shared.insert(control.states[rounds - 1]);
            }
            Some(_) => forward.violation = forward.violation.or_else(|| Some(bottom.clone())),
        }
    }
    Ok(forward)
}

/// The tops of stacks on some run to a violation within so many rounds, with the shared states there.
pub fn error_projection<S: System>(
    system: &mut S,
    rounds: usize,
    budget: &Budget,
) -> Limited<BTreeMap<Symbol, BTreeSet<State>>> {
    let Explored { mut reduced, automaton: post, rules, passed } = explore(system, rounds, budget)?;
    // A copy of the bottoms, with everything that may lie above one: the ends of erroneous runs.
    let letters: BTreeSet<Letter> = post.transitions().map(|(_, letter, _)| *letter).collect();
    let mut target: Vec<Transition> = Vec::new();
    let mut ends: FxHashMap<Node, Node> = FxHashMap::default();
    for (control, bottom) in passed.into_iter().filter(|(control, _)| control.error.is_some()) {
        let from = reduced.node(Meaning::Control(control));
        let bottom = reduced.node(Meaning::Bottom(bottom));
        let end = reduced.node(Meaning::Middle(bottom, DONE));
        ends.insert(end, bottom);
        target.push((from, DONE, end));
        target.extend(letters.iter().map(|letter| (end, *letter, end)));
    }
    let pre = pre_star(Automaton::new(target), &rules, &|transitions| check_budget(budget, transitions))?;
    let live = common(&post, &pre, &ends);
    let mut projection: BTreeMap<Symbol, BTreeSet<State>> = BTreeMap::new();
    for (from, letter, to) in post.transitions().filter(|(_, letter, _)| *letter != DONE) {
        let Some(control) = reduced.control(*from) else { continue };
        let on_the_way = pre.from(*from).iter().any(|(l, other)| l == letter && live.contains(&(*to, *other)));
        if on_the_way && control.context < rounds {
            projection.entry(symbol(*letter)).or_default().insert(control.states[control.context]);
        }
    }
    Ok(projection)
}

/// Pairs of nodes from which the same word is read to the same bottom.
fn common(post: &Automaton, pre: &Automaton, ends: &FxHashMap<Node, Node>) -> FxHashSet<(Node, Node)> {
    let mut back: FxHashMap<(Node, Letter), Vec<Node>> = FxHashMap::default();
    for (from, letter, to) in post.transitions() {
        back.entry((*to, *letter)).or_default().push(*from);
    }
    let mut back_pre: FxHashMap<Node, Vec<(Letter, Node)>> = FxHashMap::default();
    for (from, letter, to) in pre.transitions() {
        back_pre.entry(*to).or_default().push((*letter, *from));
    }
    let mut work: Vec<(Node, Node)> = ends.iter().map(|(end, bottom)| (*bottom, *end)).collect();
    let mut seen: FxHashSet<(Node, Node)> = work.iter().copied().collect();
    while let Some((a, b)) = work.pop() {
        for (letter, from_b) in back_pre.get(&b).into_iter().flatten() {
            for from_a in back.get(&(a, *letter)).into_iter().flatten() {
                if seen.insert((*from_a, *from_b)) {
                    work.push((*from_a, *from_b));
                }
            }
        }
    }
    seen
}
