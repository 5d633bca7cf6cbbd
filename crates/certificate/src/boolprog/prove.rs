//! Finds a proof: the least invariants of each thread that the conditions of the checker allow, thread by thread, until the
//! changes that each of them makes no longer grow. Nothing here is trusted.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_boolprog_syntax::ast::{Expr, Name, Program};
use selvedge_core::Budget;

use super::file::{ProofHead, ProofText, write};
use super::graph::{Action, Body, Graph};
use super::semantics::{After, Semantics};
use super::{Claims, Key, Proof, Property};
use crate::diagram::{Diagram, Diagrams, Limited, NONE, Stopped};

/// Why there is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoProof {
    /// Threads are created or wait for broadcasts, or too many atomic sections are open.
    Unsupported,
    /// The invariants of the threads are not enough: where the threads are, relative to each other, may matter.
    TooWeak,
    /// A limit ended the search.
    Stopped(Stopped),
}

impl From<Stopped> for NoProof {
    fn from(stopped: Stopped) -> Self {
        NoProof::Stopped(stopped)
    }
}

/// Tries to prove a property of a program without errors, within a limit of operations on diagrams.
pub fn prove(
    program: &Program,
    property: &Property,
    head: ProofHead<'_>,
    budget: &Budget,
    most_operations: u64,
) -> Result<ProofText, NoProof> {
    let graph = Graph::new(program, property).ok_or(NoProof::Unsupported)?;
    let mut search =
        Search { graph: &graph, semantics: Semantics::new(&graph, Diagrams::new(budget.clone(), most_operations)) };
    let proof = search.run()?;
    Ok(write(&search.semantics, property, head, &proof))
}

struct Search<'g, 'a> {
    graph: &'g Graph<'a>,
    semantics: Semantics<'g, 'a>,
}

/// What is known of a thread.
struct Thread {
    /// `None` for `init`.
    number: Option<usize>,
    entry: Key,
    start: Diagram,
    claims: Claims,
    /// States whose steps were not followed.
    news: BTreeMap<Key, Diagram>,
    order: BTreeSet<Key>,
    /// The places that call a function.
    callers: BTreeMap<Body, BTreeSet<Key>>,
    /// The changes of the others under which the invariants are closed.
    others: Vec<Diagram>,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<Proof, NoProof> {
        let mut start = self.semantics.initial()?;
        let mut init = None;
        if let Some(function) = self.graph.init {
            let mut thread = self.thread(None, function, start)?;
            self.saturate(&mut thread, &[])?;
            let ended = self.ended(&thread)?;
            let flagged = self.semantics.flagged();
            start = self.semantics.diagrams.minus(ended, flagged)?;
            // No thread sees what `init` changes.
            init = Some(Claims { changes: None, ..thread.claims });
        }
        let mut threads = Vec::new();
        for (number, function) in self.graph.threads.iter().enumerate() {
            threads.push(self.thread(Some(number), *function, start)?);
        }
        let mut changes: Vec<Diagram> = vec![NONE; threads.len()];
        loop {
            for (number, thread) in threads.iter_mut().enumerate() {
                let others: Vec<Diagram> = changes
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != number)
                    .map(|(_, change)| *change)
                    .collect();
                self.saturate(thread, &others)?;
            }
            let after: Vec<Diagram> = threads.iter().map(|thread| thread.claims.changes()).collect();
            if after == changes {
                break;
            }
            changes = after;
        }
        Ok(Proof { init, threads: threads.into_iter().map(|thread| thread.claims).collect() })
    }

    fn thread(&mut self, number: Option<usize>, function: usize, start: Diagram) -> Result<Thread, NoProof> {
        let entry = Key { called: false, node: self.graph.entry(Body { function, sections: 0 }) };
        self.graph.reachable(function).ok_or(NoProof::Unsupported)?;
        if self.graph.is_target(entry.node) {
            return Err(NoProof::TooWeak);
        }
        let mut thread = Thread {
            number,
            entry,
            start,
            claims: Claims::default(),
            news: BTreeMap::new(),
            order: BTreeSet::new(),
            callers: BTreeMap::new(),
            others: Vec::new(),
        };
        self.add(&mut thread, entry, start)?;
        Ok(thread)
    }

    /// Follows all steps until nothing is new.
    fn saturate(&mut self, thread: &mut Thread, others: &[Diagram]) -> Result<(), NoProof> {
        if thread.others != others {
            thread.others = others.to_vec();
            for (key, states) in thread.claims.invariants.clone() {
                self.disturb(thread, key, states)?;
            }
        }
        while let Some(key) = thread.order.pop_first() {
            let new = thread.news.remove(&key).unwrap_or(NONE);
            self.visit(thread, key, new)?;
        }
        Ok(())
    }

    fn add(&mut self, thread: &mut Thread, key: Key, states: Diagram) -> Result<(), NoProof> {
        let known = thread.claims.invariant(key);
        let new = self.semantics.diagrams.minus(states, known)?;
        if new == NONE {
            return Ok(());
        }
        self.refute(key, new)?;
        thread.claims.invariants.insert(key, self.semantics.diagrams.or(known, new)?);
        let waiting = thread.news.get(&key).copied().unwrap_or(NONE);
        thread.news.insert(key, self.semantics.diagrams.or(waiting, new)?);
        thread.order.insert(key);
        Ok(())
    }

    /// A state that violates the property refutes every proof of this kind.
    fn refute(&mut self, key: Key, states: Diagram) -> Result<(), NoProof> {
        let fails = match self.graph.assertion(key.node) {
            Some(condition) => self.semantics.failing(key.node.body.function, condition, states)? != NONE,
            None => false,
        };
        if fails || self.graph.is_target(key.node) { Err(NoProof::TooWeak) } else { Ok(()) }
    }

    fn visit(&mut self, thread: &mut Thread, key: Key, new: Diagram) -> Result<(), NoProof> {
        self.disturb(thread, key, new)?;
        let function = key.node.body.function;
        for step in self.graph.steps(key.node).ok_or(NoProof::Unsupported)? {
            let to = step.to.map(|node| Key { node, ..key });
            match step.action {
                Action::Call { body, args, targets } => {
                    let callee = Key { called: true, node: self.graph.entry(body) };
                    thread.callers.entry(body).or_default().insert(key);
                    let entered = self.semantics.entered(function, body, args, new)?;
                    self.add(thread, callee, entered)?;
                    let summary = thread.claims.summary(body);
                    self.back(thread, key, to, (body, args, targets), (new, summary))?;
                }
                Action::Return(values) if key.called => self.returns(thread, key, values, new)?,
                Action::Return(_) | Action::EndThread => {}
                action => {
                    let after = self.semantics.after(function, &action, new)?;
                    self.arrive(thread, to, &after)?;
                }
            }
        }
        Ok(())
    }

    fn arrive(&mut self, thread: &mut Thread, to: Option<Key>, after: &After) -> Result<(), NoProof> {
        let changes = self.semantics.diagrams.or(thread.claims.changes(), after.change)?;
        thread.claims.changes = Some(changes);
        to.map_or(Ok(()), |to| self.add(thread, to, after.states))
    }

    /// A call with this summary returns.
    fn back(
        &mut self,
        thread: &mut Thread,
        key: Key,
        to: Option<Key>,
        call: (Body, &[Expr], &[Option<Name>]),
        (states, summary): (Diagram, Diagram),
    ) -> Result<(), NoProof> {
        if summary == NONE {
            return Ok(());
        }
        let after = self.semantics.returned(key.node.body.function, call, states, summary)?;
        self.arrive(thread, to, &after)
    }

    fn returns(&mut self, thread: &mut Thread, key: Key, values: Option<&[Expr]>, new: Diagram) -> Result<(), NoProof> {
        let body = key.node.body;
        if key.node.sections != body.sections {
            return Err(NoProof::Unsupported);
        }
        let summary = self.semantics.summary(body.function, values, new)?;
        let known = thread.claims.summary(body);
        let new = self.semantics.diagrams.minus(summary, known)?;
        if new == NONE {
            return Ok(());
        }
        thread.claims.summaries.insert(body, self.semantics.diagrams.or(known, new)?);
        for caller in thread.callers.get(&body).cloned().unwrap_or_default() {
            for step in self.graph.steps(caller.node).unwrap_or_default() {
                let Action::Call { body: callee, args, targets } = step.action else { continue };
                let to = step.to.map(|node| Key { node, ..caller });
                let states = thread.claims.invariant(caller);
                self.back(thread, caller, to, (callee, args, targets), (states, new))?;
            }
        }
        Ok(())
    }

    /// Where another thread may run, it may change the globals.
    fn disturb(&mut self, thread: &mut Thread, key: Key, states: Diagram) -> Result<(), NoProof> {
        if thread.number.is_none() || !self.graph.is_open(key.node) {
            return Ok(());
        }
        let flagged = self.semantics.flagged();
        let mut open = self.semantics.diagrams.minus(states, flagged)?;
        if key == thread.entry {
            open = self.semantics.diagrams.or(open, thread.start)?;
        }
        for change in thread.others.clone() {
            let after = self.semantics.interrupted(open, change)?;
            self.add(thread, key, after)?;
        }
        Ok(())
    }

    /// The globals with which `init` ends.
    fn ended(&mut self, thread: &Thread) -> Limited<Diagram> {
        let mut ended = NONE;
        for (key, states) in &thread.claims.invariants {
            let ends = |action: &Action<'_>| match action {
                Action::Return(_) => !key.called,
                action => matches!(action, Action::EndThread),
            };
            if self.graph.steps(key.node).unwrap_or_default().iter().any(|step| ends(&step.action)) {
                let globals = self.semantics.globals_of(*states)?;
                ended = self.semantics.diagrams.or(ended, globals)?;
            }
        }
        Ok(ended)
    }
}
