//! Proves that no target is reached, for any number of rounds and stacks of any height: each thread alone, with every change
//! of the shared state that the others make (thread-modular analysis). What a symbol does until it is popped is
//! computed once for each shared state in which it is pushed.
//!
//! Where the threads are, relative to each other, is forgotten: a target that is found need not be reached by a run.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::{Effort, Explored, Found, ViolationKind};
use selvedge_nets_syntax::pds::{Pds, StateId, SymbolId};

/// A symbol with the shared state in which it became the top, until it is popped.
type Call = (StateId, SymbolId);

/// Tries to prove that no run reaches a target. [`Explored::confirms`] is the proof; targets are possible ones only.
pub fn prove(pds: &Pds, effort: Effort) -> Explored {
    let known = pds.threads.iter().map(|thread| {
        let mut known = Known::default();
        known.add((pds.initial, thread.entry), pds.initial, thread.entry);
        known
    });
    let mut threads: Vec<Known> = known.collect();
    let mut explored = Explored::default();
    let mut changes: Vec<BTreeSet<(StateId, StateId)>> = vec![BTreeSet::new(); pds.threads.len()];
    let mut changed = true;
    while changed && explored.steps <= effort.steps {
        changed = false;
        for thread in 0..threads.len() {
            let others = changes.iter().enumerate().filter(|(other, _)| *other != thread);
            let disturbing: BTreeSet<(StateId, StateId)> = others.flat_map(|(_, other)| other).copied().collect();
            let before = (threads[thread].facts.len(), changes[thread].len());
            let left = effort.steps.saturating_sub(explored.steps);
            explored.steps += threads[thread].run(pds, thread, left, &disturbing, &mut changes[thread]);
            changed |= before != (threads[thread].facts.len(), changes[thread].len()) || explored.steps > effort.steps;
        }
    }
    explored.states = threads.iter().map(|thread| thread.facts.len() as u64).sum();
    (explored.complete, explored.saturated) = (!changed, !changed);
    let changed = changes.iter().flatten().map(|(_, to)| *to);
    let reached: BTreeSet<StateId> = changed.chain([pds.initial]).collect();
    for (_, span) in pds.targets.iter().filter(|(target, _)| reached.contains(target)) {
        explored.add(Found { round: 0, span: *span, kind: ViolationKind::TargetCovered });
    }
    explored
}

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

    /// Follows all rules until nothing is new or more than `most` steps are taken. Returns the steps taken.
    fn run(
        &mut self,
        pds: &Pds,
        thread: usize,
        most: u64,
        disturbing: &BTreeSet<(StateId, StateId)>,
        changes: &mut BTreeSet<(StateId, StateId)>,
    ) -> u64 {
        let mut steps = 0;
        self.work = self.facts.iter().copied().collect();
        while let Some((call, state, top)) = self.work.pop().filter(|_| steps <= most) {
            for (_, to) in disturbing.iter().filter(|(from, _)| *from == state) {
                self.add(call, *to, top);
            }
            let rules = pds.threads[thread].rules.iter().filter(|rule| rule.from == state && rule.top == top);
            for rule in rules {
                steps += 1;
                changes.insert((rule.from, rule.to));
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
}
