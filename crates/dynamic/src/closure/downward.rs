//! The downward closure of a grammar's words, over created threads only: letters of other kinds stay. Strongly
//! connected nonterminals are closed together, callees first. Within a component:
//!
//! * a production with two nonterminals of the component makes words grow on both sides of themselves: all
//!   letters, in any order and number;
//! * else every word goes round for a while and leaves: letters that occur left of the component's own
//!   nonterminals, in any order and number, then the closure of a production that leaves, then letters from the right.
//!
//! A nonterminal has a fixed number of jumps and ends in its own way, so that what goes round writes created
//! threads only. The closure follows Courcelle's construction (\[DYN\] Theorem 1.1), component by
//! component, with every automaton minimised before it is used again.

use std::collections::BTreeSet;
use std::rc::Rc;

use selvedge_core::{Budget, StopReason};

use super::automaton::{Automaton, EpsilonNfa};
use super::behaviour::Letter;
use super::grammar::{Grammar, Item, NonterminalId};

/// Why there is no closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotClosed {
    /// A limit of the run.
    Stopped(StopReason),
    /// An automaton has more states than this.
    States(usize),
}

impl From<StopReason> for NotClosed {
    fn from(reason: StopReason) -> Self {
        NotClosed::Stopped(reason)
    }
}

/// States of an automaton beyond which the construction ends.
pub const MOST_STATES: usize = 200_000;

/// The closures of all nonterminals.
pub fn closures(grammar: &Grammar, budget: &Budget) -> Result<Vec<Rc<Automaton<Letter>>>, NotClosed> {
    let mut done: Vec<Option<Rc<Automaton<Letter>>>> = vec![None; grammar.productions.len()];
    let mut held = 0;
    for component in components(grammar) {
        budget.go_on(held)?;
        let closed = close(grammar, &component, &done, budget)?;
        held += closed.bytes();
        component.iter().for_each(|nonterminal| done[nonterminal.index()] = Some(Rc::clone(&closed)));
    }
    let empty = || Rc::new(Automaton { initial: 0, moves: vec![Vec::new()], accepting: vec![false] });
    Ok(done.into_iter().map(|closed| closed.unwrap_or_else(empty)).collect())
}

type Done = [Option<Rc<Automaton<Letter>>>];

/// The closure of one component.
fn close(
    grammar: &Grammar,
    component: &[NonterminalId],
    done: &Done,
    budget: &Budget,
) -> Result<Rc<Automaton<Letter>>, NotClosed> {
    let inside = |item: &Item| matches!(item, Item::Nonterminal(id) if component.binary_search(id).is_ok());
    let productions = || component.iter().flat_map(|id| &grammar.productions[id.index()]);
    if let [only] = component
        && let [production] = grammar.productions[only.index()].as_slice()
        && let [Item::Nonterminal(same)] = production.as_slice()
        && let Some(closed) = &done[same.index()]
    {
        return Ok(Rc::clone(closed));
    }
    let turns: Vec<&Vec<Item>> = productions().filter(|production| production.iter().any(inside)).collect();
    if turns.iter().any(|production| production.iter().filter(|item| inside(item)).count() > 1) {
        let letters = productions().flatten().flat_map(|item| letters(item, done)).collect();
        return Ok(Rc::new(Automaton::star(&letters)));
    }
    let (mut left, mut right) = (BTreeSet::new(), BTreeSet::new());
    for production in &turns {
        let at = production.iter().position(inside).unwrap_or(0);
        left.extend(production[..at].iter().flat_map(|item| letters(item, done)));
        right.extend(production[at + 1..].iter().flat_map(|item| letters(item, done)));
    }
    let mut nfa = EpsilonNfa::new();
    let end = nfa.state();
    nfa.accept(end);
    left.iter().for_each(|letter| nfa.link(0, Some(*letter), 0));
    right.iter().for_each(|letter| nfa.link(end, Some(*letter), end));
    let leaving: BTreeSet<&Vec<Item>> = productions().filter(|production| !production.iter().any(inside)).collect();
    for production in leaving {
        write(&mut nfa, production, end, done);
        if nfa.len() > MOST_STATES {
            return Err(NotClosed::States(MOST_STATES));
        }
    }
    Ok(Rc::new(nfa.finish(budget)?))
}

/// Adds the closure of a right side between the initial state and the end.
fn write(nfa: &mut EpsilonNfa<Letter>, production: &[Item], end: u32, done: &Done) {
    let mut at = nfa.state();
    nfa.link(0, None, at);
    for item in production {
        at = match item {
            Item::Letter(letter) => {
                let next = nfa.state();
                nfa.link(at, Some(*letter), next);
                if matches!(letter, Letter::Spawn(_)) {
                    nfa.link(at, None, next);
                }
                next
            }
            Item::Nonterminal(id) => match &done[id.index()] {
                Some(closed) => nfa.append(at, closed),
                None => nfa.state(),
            },
        };
    }
    nfa.link(at, None, end);
}

/// The letters that an item can write.
fn letters(item: &Item, done: &Done) -> BTreeSet<Letter> {
    match item {
        Item::Letter(letter) => BTreeSet::from([*letter]),
        Item::Nonterminal(id) => done[id.index()].as_ref().map(|closed| closed.letters()).unwrap_or_default(),
    }
}

/// The strongly connected components, each sorted, callees first (Tarjan, without recursion).
fn components(grammar: &Grammar) -> Vec<Vec<NonterminalId>> {
    let count = grammar.productions.len();
    let callees: Vec<Vec<usize>> = grammar
        .productions
        .iter()
        .map(|productions| {
            let items = productions.iter().flatten();
            items.filter_map(|item| if let Item::Nonterminal(id) = item { Some(id.index()) } else { None }).collect()
        })
        .collect();
    let mut order = vec![usize::MAX; count];
    let mut low = vec![0; count];
    let mut open = vec![false; count];
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..count {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if order[root] == usize::MAX {
            path.push((root, 0));
        }
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            if *at == 0 && order[node] == usize::MAX {
                (order[node], low[node]) = (next, next);
                next += 1;
                open[node] = true;
                stack.push(node);
            }
            if let Some(callee) = callees[node].get(*at).copied() {
                *at += 1;
                if order[callee] == usize::MAX {
                    path.push((callee, 0));
                } else if open[callee] {
                    low[node] = low[node].min(order[callee]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                let from = stack.iter().rposition(|other| *other == node).unwrap_or(0);
                let mut component: Vec<NonterminalId> =
                    stack.drain(from..).map(|id| NonterminalId(id as u32)).collect();
                component.iter().for_each(|id| open[id.index()] = false);
                component.sort_unstable();
                found.push(component);
            }
        }
    }
    found
}
