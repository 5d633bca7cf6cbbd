//! Finds a proof: each thread alone, with every change of the shared state that the others make. What a symbol does until
//! it is popped is computed once for each shared state in which it is pushed. Nothing here is trusted.
//!
//! Where the threads are, relative to each other, is forgotten: a target that is found need not be reached by a run.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::{Budget, Effort, Explored, Found, ViolationKind};
use selvedge_nets_syntax::pds::{Pds, StateId, SymbolId};

use super::file::write;
use super::{Automaton, NodeId};

/// A symbol with the shared state in which it became the top, until it is popped.
type Call = (StateId, SymbolId);

/// What came of looking for a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What was explored. [`Explored::confirms`]: there is a proof. Violations are possible ones only.
    pub explored: Explored,
    automata: Vec<Automaton>,
}

impl Attempt {
    /// The proof as the text of a file; `None` if there is none.
    pub fn text(&self, pds: &Pds, path: &str, sha256: &str) -> Option<String> {
        self.explored.confirms().then(|| write(pds, path, sha256, &self.automata))
    }

    /// How large the proof is: the edges of all automata.
    pub fn edges(&self) -> usize {
        let edges = |automaton: &Automaton| {
            automaton.tops.values().map(BTreeSet::len).sum::<usize>()
                + automaton.below.values().map(BTreeSet::len).sum::<usize>()
        };
        self.automata.iter().map(edges).sum()
    }
}

/// Tries to prove that no run reaches a target. The stack limit does not matter here.
pub fn prove(pds: &Pds, effort: Effort, budget: &Budget) -> Attempt {
    let known = pds.threads.iter().map(|thread| {
        let mut known = Known::default();
        known.add((pds.initial, thread.entry), pds.initial, thread.entry);
        known
    });
    let mut threads: Vec<Known> = known.collect();
    let mut explored = Explored::default();
    let mut changes: Vec<BTreeSet<(StateId, StateId)>> = vec![BTreeSet::new(); pds.threads.len()];
    let mut changed = true;
    while changed && explored.steps <= effort.steps && budget.spent(0).is_none() {
        changed = false;
        for thread in 0..threads.len() {
            let others = changes.iter().enumerate().filter(|(other, _)| *other != thread);
            let disturbing: BTreeSet<(StateId, StateId)> = others.flat_map(|(_, other)| other).copied().collect();
            let before = (threads[thread].facts.len(), changes[thread].len());
            let work = Work { left: effort.steps.saturating_sub(explored.steps), budget };
            let steps = threads[thread].run(pds, thread, &work, &disturbing, &mut changes[thread]);
            explored.steps += steps;
            let unfinished = !threads[thread].work.is_empty();
            changed |= before != (threads[thread].facts.len(), changes[thread].len()) || unfinished;
        }
    }
    explored.states = threads.iter().map(|thread| thread.facts.len() as u64).sum();
    (explored.complete, explored.saturated) = (!changed, !changed);
    let reached: BTreeSet<StateId> = changes.iter().flatten().map(|(_, to)| *to).chain([pds.initial]).collect();
    for (_, span) in pds.targets.iter().filter(|(target, _)| reached.contains(target)) {
        explored.add(Found { round: 0, span: *span, kind: ViolationKind::TargetCovered });
    }
    let automata = threads.iter().zip(changes).map(|(thread, changes)| thread.automaton(changes)).collect();
    Attempt { explored, automata }
}

/// How much may be done.
struct Work<'b> {
    left: u64,
    budget: &'b Budget,
}

/// Steps between two looks at the limits.
const LOOK_EVERY: u64 = 1 << 10;

/// What is known of a thread.
#[derive(Default)]
struct Known {
    /// The shared states in which a symbol is the top, in a call.
    facts: BTreeSet<(Call, StateId, SymbolId)>,
    /// Calls whose symbol lies below another call's.
    callers: BTreeMap<Call, BTreeSet<(Call, SymbolId)>>,
    /// Shared states in which a call is popped.
    popped: BTreeMap<Call, BTreeSet<StateId>>,
    work: Vec<(Call, StateId, SymbolId)>,
}

impl Known {
    fn add(&mut self, call: Call, state: StateId, top: SymbolId) {
        if self.facts.insert((call, state, top)) {
            self.work.push((call, state, top));
        }
    }

    /// Follows all rules until nothing is new or a limit is met. Returns the steps taken.
    fn run(
        &mut self,
        pds: &Pds,
        thread: usize,
        work: &Work<'_>,
        disturbing: &BTreeSet<(StateId, StateId)>,
        changes: &mut BTreeSet<(StateId, StateId)>,
    ) -> u64 {
        let mut steps = 0;
        self.work = self.facts.iter().copied().collect();
        while steps <= work.left
            && let Some((call, state, top)) = self.work.pop()
        {
            if steps % LOOK_EVERY == LOOK_EVERY - 1 && work.budget.spent(0).is_some() {
                self.work.push((call, state, top));
                break;
            }
            for (_, to) in disturbing.iter().filter(|(from, _)| *from == state) {
                self.add(call, *to, top);
            }
            let rules = pds.threads[thread].rules.iter().filter(|rule| rule.from == state && rule.top == top);
            for rule in rules {
                steps += 1;
                if rule.from != rule.to {
                    changes.insert((rule.from, rule.to));
                }
                match rule.push[..] {
                    [] => self.pop(call, rule.to),
                    [symbol] => self.add(call, rule.to, symbol),
                    [symbol, below, ..] => self.push(call, rule.to, symbol, below),
                }
            }
            steps += 1;
        }
        steps
    }

    fn push(&mut self, caller: Call, state: StateId, symbol: SymbolId, below: SymbolId) {
        let call = (state, symbol);
        self.callers.entry(call).or_default().insert((caller, below));
        self.add(call, state, symbol);
        for state in self.popped.get(&call).cloned().unwrap_or_default() {
            self.add(caller, state, below);
        }
    }

    fn pop(&mut self, call: Call, state: StateId) {
        self.popped.entry(call).or_default().insert(state);
        for (caller, below) in self.callers.get(&call).cloned().unwrap_or_default() {
            self.add(caller, state, below);
        }
    }

    /// The stacks that the facts describe.
    fn automaton(&self, changes: BTreeSet<(StateId, StateId)>) -> Automaton {
        let calls: BTreeSet<Call> =
            self.facts.iter().map(|(call, ..)| *call).chain(self.callers.keys().copied()).collect();
        let numbers: BTreeMap<Call, NodeId> = calls.into_iter().zip(0..).collect();
        let mut automaton = Automaton { changes, ..Automaton::default() };
        for (call, state, top) in &self.facts {
            automaton.tops.entry((*state, *top)).or_default().insert(numbers[call]);
        }
        for (call, callers) in &self.callers {
            let edges = callers.iter().map(|(caller, below)| (*below, numbers[caller]));
            automaton.below.entry(numbers[call]).or_default().extend(edges);
        }
        automaton
    }
}
