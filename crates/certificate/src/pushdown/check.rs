//! The checker: whether nothing leads out of what a proof says.

use std::collections::BTreeSet;

use selvedge_core::Budget;
use selvedge_nets_syntax::pds::{Pds, Rule, StateId, SymbolId};
use selvedge_source::{Diagnostic, FileId, Span};

use super::file::{Read, read};
use super::{Automaton, NodeId};
use crate::codes;
use crate::diagram::Stopped;
use crate::rejected::Rejected;

/// Checks the proof in the text of a file for a pushdown system.
pub fn check(pds: &Pds, file: FileId, text: &str, budget: &Budget) -> Result<(), Rejected> {
    let lines = crate::text::lines(file, text);
    let read = read(pds, file, &lines)?;
    let checker = Checker { pds, read: &read, budget };
    checker.targets()?;
    for thread in 0..pds.threads.len() {
        checker.start(thread)?;
        checker.rules(thread)?;
        checker.closed(thread)?;
    }
    Ok(())
}

struct Checker<'c> {
    pds: &'c Pds,
    read: &'c Read,
    budget: &'c Budget,
}

impl Checker<'_> {
    fn targets(&self) -> Result<(), Rejected> {
        for (target, _) in &self.pds.targets {
            let changes = self.read.automata.iter().enumerate();
            let reached = changes.filter(|(_, automaton)| automaton.changes.iter().any(|(_, to)| to == target));
            if let Some(thread) = reached.map(|(thread, _)| thread).next() {
                return Err(
                    self.flaw(thread, &format!("it changes the shared state to the target `{}`", self.state(*target)))
                );
            }
            if *target == self.pds.initial {
                return Err(self.flaw(0, "the start is a target"));
            }
        }
        Ok(())
    }

    fn start(&self, thread: usize) -> Result<(), Rejected> {
        let start = (self.pds.initial, self.pds.threads[thread].entry);
        match self.read.automata[thread].tops.get(&start) {
            Some(_) => Ok(()),
            None => Err(self.flaw(thread, "its automaton does not describe the start")),
        }
    }

    fn rules(&self, thread: usize) -> Result<(), Rejected> {
        let automaton = &self.read.automata[thread];
        for rule in &self.pds.threads[thread].rules {
            self.budget.go_on(0).map_err(Stopped::Limit)?;
            let nodes = automaton.tops.get(&(rule.from, rule.top));
            for node in nodes.into_iter().flatten() {
                if !follows(automaton, rule, *node) {
                    return Err(self.flaw(
                        thread,
                        &format!("its automaton does not describe the stack after {}", self.rule(thread, rule)),
                    ));
                }
            }
            let changes = rule.from != rule.to && nodes.is_some();
            if changes && !automaton.changes.contains(&(rule.from, rule.to)) {
                return Err(self.flaw(thread, &format!("no change of it is that of {}", self.rule(thread, rule))));
            }
        }
        Ok(())
    }

    /// Each change of another thread leads to a shared state with the same stacks.
    fn closed(&self, thread: usize) -> Result<(), Rejected> {
        let automaton = &self.read.automata[thread];
        let others = self.read.automata.iter().enumerate().filter(|(other, _)| *other != thread);
        let changes: BTreeSet<(StateId, StateId)> = others.flat_map(|(_, other)| &other.changes).copied().collect();
        for (from, to) in changes {
            self.budget.go_on(0).map_err(Stopped::Limit)?;
            let symbols = (0..self.pds.threads[thread].symbols.len() as u32).map(SymbolId);
            for symbol in symbols {
                let nodes = |state| automaton.tops.get(&(state, symbol));
                let kept = |node: &NodeId| nodes(to).is_some_and(|after| after.contains(node));
                if !nodes(from).into_iter().flatten().all(kept) {
                    let (from, to) = (self.state(from), self.state(to));
                    return Err(self.flaw(
                        thread,
                        &format!("the change of another thread from `{from}` to `{to}` leads out of its automaton"),
                    ));
                }
            }
        }
        Ok(())
    }

    fn state(&self, state: StateId) -> &str {
        &self.pds.states[state.0 as usize]
    }

    fn rule(&self, thread: usize, rule: &Rule) -> String {
        let symbol = |symbol: &SymbolId| self.pds.threads[thread].symbols[symbol.0 as usize].as_str();
        let pushed: Vec<&str> = rule.push.iter().map(symbol).collect();
        format!("({}, {}) -> ({}, {})", self.state(rule.from), symbol(&rule.top), self.state(rule.to), pushed.join(" "))
    }

    fn flaw(&self, thread: usize, message: &str) -> Rejected {
        let name = &self.pds.threads[thread].name;
        let message = format!("the proof does not hold for thread `{name}`: {message}");
        let span = self.read.threads[thread].unwrap_or_else(|| Span::new(self.read.file, 0, 0));
        Diagnostic::error(codes::NOT_PROVED, span, message).into()
    }
}

/// Whether the stack after a rule is described, where the rest of the stack is read from a node.
fn follows(automaton: &Automaton, rule: &Rule, node: NodeId) -> bool {
    let nodes = |symbol| automaton.tops.get(&(rule.to, symbol));
    let reads = |from: &NodeId, edge| automaton.below.get(from).is_some_and(|edges| edges.contains(&edge));
    match rule.push[..] {
        [] => {
            let mut edges = automaton.below.get(&node).into_iter().flatten();
            edges.all(|(symbol, to)| nodes(*symbol).is_some_and(|nodes| nodes.contains(to)))
        }
        [symbol] => nodes(symbol).is_some_and(|nodes| nodes.contains(&node)),
        [symbol, below] => nodes(symbol).into_iter().flatten().any(|middle| reads(middle, (below, node))),
        _ => false,
    }
}
