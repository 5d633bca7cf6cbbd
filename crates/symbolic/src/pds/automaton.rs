//! P-automata: finite automata that accept sets of configurations of a pushdown system, and their
//! saturation under its rules, forward ([`post_star`]) and backward ([`pre_star`]) (Schwoon, Model-Checking
//! Pushdown Systems, Algorithms 2 and 1). A configuration ⟨p, w⟩ is accepted if w is read from the
//! automaton's state for p to a final state.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::bdd::Limited;

/// A state of the automaton.
pub type Node = u32;
/// A symbol read by it.
pub type Letter = u32;
/// A transition.
pub type Transition = (Node, Letter, Node);

/// A rule of one pushdown system: in control state and with top symbol on the left, what is on the right.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    /// Control state and top before.
    pub from: (Node, Letter),
    /// Control state after.
    pub to: Node,
    /// What replaces the top: no, one or two letters, the new top first.
    pub push: Vec<Letter>,
}

/// Gives the rules of a pushdown system as they are asked for.
pub trait Rules {
    /// The rules for a control state and top symbol.
    fn rules(&mut self, state: Node, top: Letter) -> Limited<Vec<(Node, Vec<Letter>)>>;

    /// An automaton state that is no control state, one for each control state and letter.
    fn middle(&mut self, state: Node, letter: Letter) -> Node;

    /// Called once in a while with the number of transitions: whether to go on.
    fn look_around(&self, transitions: usize) -> Limited<()>;
}

/// An automaton.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    transitions: FxHashSet<Transition>,
    from: FxHashMap<Node, Vec<(Letter, Node)>>,
}

impl Automaton {
    /// The one with these transitions.
    pub fn new(transitions: impl IntoIterator<Item = Transition>) -> Self {
        let mut automaton = Automaton::default();
        transitions.into_iter().for_each(|t| {
            automaton.add(t);
        });
        automaton
    }

    fn add(&mut self, (from, letter, to): Transition) -> bool {
        let new = self.transitions.insert((from, letter, to));
        if new {
            self.from.entry(from).or_default().push((letter, to));
        }
        new
    }

    /// What is read from a state.
    pub fn from(&self, state: Node) -> &[(Letter, Node)] {
        self.from.get(&state).map_or(&[], Vec::as_slice)
    }

    /// How many transitions it has.
    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.transitions.is_empty()
    }

    /// Every transition.
    pub fn transitions(&self) -> impl Iterator<Item = &Transition> {
        self.transitions.iter()
    }

    /// Whether a word is read from a state to one that `is_final`.
    pub fn accepts(&self, state: Node, word: &[Letter], is_final: impl Fn(Node) -> bool) -> bool {
        let mut here = FxHashSet::from_iter([state]);
        for letter in word {
            let next = here.iter().flat_map(|s| self.from(*s)).filter(|(l, _)| l == letter).map(|(_, to)| *to);
            here = next.collect();
        }
        here.into_iter().any(is_final)
    }

    /// The states from which a state that `is_final` can be reached.
    pub fn reaching(&self, is_final: impl Fn(Node) -> bool) -> FxHashSet<Node> {
        let mut back: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
        let mut work = Vec::new();
        let mut seen = FxHashSet::default();
        for (from, _, to) in &self.transitions {
            back.entry(*to).or_default().push(*from);
            if is_final(*to) && seen.insert(*to) {
                work.push(*to);
            }
        }
        while let Some(state) = work.pop() {
            for from in back.get(&state).into_iter().flatten() {
                if seen.insert(*from) {
                    work.push(*from);
                }
            }
        }
        seen
    }
}

/// Everything reachable from the configurations of `start`, in which no transition leads to a control
/// state. Also the rules that were met.
pub fn post_star(start: Automaton, rules: &mut dyn Rules) -> Limited<(Automaton, Vec<Rule>)> {
    let mut work: VecDeque<(Node, Option<Letter>, Node)> =
        start.transitions.iter().map(|(from, letter, to)| (*from, Some(*letter), *to)).collect();
    work.make_contiguous().sort_unstable();
    let mut automaton = Automaton::default();
    let mut empty: FxHashSet<(Node, Node)> = FxHashSet::default();
    let mut empty_into: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
    let mut met = Vec::new();
    while let Some((from, letter, to)) = work.pop_front() {
        rules.look_around(automaton.len() + work.len())?;
        let Some(letter) = letter else {
            if empty.insert((from, to)) {
                empty_into.entry(to).or_default().push(from);
                work.extend(automaton.from(to).iter().map(|(letter, next)| (from, Some(*letter), *next)));
            }
            continue;
        };
        if !automaton.add((from, letter, to)) {
            continue;
        }
        for (state, push) in rules.rules(from, letter)? {
            match push.as_slice() {
                [] => work.push_back((state, None, to)),
                [top] => work.push_back((state, Some(*top), to)),
                [top, below, ..] => {
                    let middle = rules.middle(state, *top);
                    work.push_back((state, Some(*top), middle));
                    if automaton.add((middle, *below, to)) {
                        let into = empty_into.get(&middle).into_iter().flatten();
                        work.extend(into.map(|from| (*from, Some(*below), to)));
                    }
                }
            }
            met.push(Rule { from: (from, letter), to: state, push });
        }
    }
    Ok((automaton, met))
}

/// Everything from which a configuration of `end` can be reached by these rules.
pub fn pre_star(end: Automaton, rules: &[Rule], look_around: &dyn Fn(usize) -> Limited<()>) -> Limited<Automaton> {
    let mut by_top: FxHashMap<(Node, Letter), Vec<&Rule>> = FxHashMap::default();
    let mut work: Vec<Transition> = end.transitions.iter().copied().collect();
    work.sort_unstable();
    for rule in rules {
        match rule.push.first() {
            None => work.push((rule.from.0, rule.from.1, rule.to)),
            Some(top) => by_top.entry((rule.to, *top)).or_default().push(rule),
        }
    }
    let mut automaton = Automaton::default();
    // Left sides that wait for a second letter to be read from a state.
    let mut waiting: FxHashMap<(Node, Letter), Vec<(Node, Letter)>> = FxHashMap::default();
    while let Some(transition) = work.pop() {
        if !automaton.add(transition) {
            continue;
        }
        look_around(automaton.len())?;
        let (from, letter, to) = transition;
        for rule in by_top.get(&(from, letter)).into_iter().flatten() {
            match rule.push.as_slice() {
                [_, below] => {
                    waiting.entry((to, *below)).or_default().push(rule.from);
                    let further = automaton.from(to).iter().filter(|(l, _)| l == below);
                    work.extend(further.map(|(_, next)| (rule.from.0, rule.from.1, *next)));
                }
                _ => work.push((rule.from.0, rule.from.1, to)),
            }
        }
        work.extend(waiting.get(&(from, letter)).into_iter().flatten().map(|left| (left.0, left.1, to)));
    }
    Ok(automaton)
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_core::Chance;
    use std::collections::BTreeSet;

    /// Control states 0..STATES, letters 0..LETTERS, rules given.
    struct Given {
        rules: Vec<Rule>,
        middles: FxHashMap<(Node, Letter), Node>,
    }

    const STATES: u32 = 3;
    const LETTERS: u32 = 3;
    const FINAL: Node = 100;

    impl Rules for Given {
        fn rules(&mut self, state: Node, top: Letter) -> Limited<Vec<(Node, Vec<Letter>)>> {
            let fits = self.rules.iter().filter(|rule| rule.from == (state, top));
            Ok(fits.map(|rule| (rule.to, rule.push.clone())).collect())
        }

        fn middle(&mut self, state: Node, letter: Letter) -> Node {
            let next = 200 + self.middles.len() as u32;
            *self.middles.entry((state, letter)).or_insert(next)
        }

        fn look_around(&self, _: usize) -> Limited<()> {
            Ok(())
        }
    }

    fn below(chance: &mut Chance, limit: u32) -> u32 {
        chance.below(limit as usize) as u32
    }

    fn random_rules(chance: &mut Chance) -> Vec<Rule> {
        let count = 1 + below(chance, 7);
        (0..count)
            .map(|_| {
                let push = (0..below(chance, 3)).map(|_| below(chance, LETTERS)).collect();
                Rule { from: (below(chance, STATES), below(chance, LETTERS)), to: below(chance, STATES), push }
            })
            .collect()
    }

    /// Configurations with short stacks reachable through configurations with stacks that are not too long.
    fn brute(rules: &[Rule], start: (Node, Vec<Letter>), longest: usize) -> BTreeSet<(Node, Vec<Letter>)> {
        let mut seen = BTreeSet::from([start.clone()]);
        let mut work = vec![start];
        while let Some((state, stack)) = work.pop() {
            let Some(top) = stack.first() else { continue };
            for rule in rules.iter().filter(|rule| rule.from == (state, *top)) {
                let next: Vec<Letter> = rule.push.iter().chain(&stack[1..]).copied().collect();
                if next.len() <= longest && seen.insert((rule.to, next.clone())) {
                    work.push((rule.to, next));
                }
            }
        }
        seen
    }

    fn words(most: usize) -> Vec<Vec<Letter>> {
        let mut all = vec![Vec::new()];
        let mut last = all.clone();
        for _ in 0..most {
            last = last.iter().flat_map(|w| (0..LETTERS).map(|l| w.iter().copied().chain([l]).collect())).collect();
            all.extend(last.clone());
        }
        all
    }

    #[test]
    fn saturation_accepts_exactly_what_runs_reach() {
        for seed in 0..3000 {
            let mut chance = Chance::new(seed);
            let rules = random_rules(&mut chance);
            let start = (below(&mut chance, STATES), vec![below(&mut chance, LETTERS)]);
            let reached = brute(&rules, start.clone(), 9);
            let mut given = Given { rules: rules.clone(), middles: FxHashMap::default() };
            let (post, _) = post_star(Automaton::new([(start.0, start.1[0], FINAL)]), &mut given).expect("no limit");
            for state in 0..STATES {
                for word in words(3).into_iter().filter(|w| !w.is_empty()) {
                    let expected = reached.contains(&(state, word.clone()));
                    let found = post.accepts(state, &word, |q| q == FINAL);
                    assert_eq!(found, expected, "seed {seed}: post* of {start:?}, ({state}, {word:?}), {rules:?}");
                    let target = Automaton::new(path(state, &word));
                    let pre = pre_star(target, &rules, &|_| Ok(())).expect("no limit");
                    let found = pre.accepts(start.0, &start.1, |q| q == FINAL);
                    assert_eq!(found, expected, "seed {seed}: pre* of ({state}, {word:?}), {start:?}, {rules:?}");
                }
            }
        }
    }

    /// The automaton that accepts one configuration.
    fn path(state: Node, word: &[Letter]) -> Vec<Transition> {
        let last = word.len() - 1;
        let place = |index: usize| if index == 0 { state } else { 300 + index as u32 };
        let end = |index: usize| if index == last { FINAL } else { place(index + 1) };
        word.iter().enumerate().map(|(index, letter)| (place(index), *letter, end(index))).collect()
    }
}
