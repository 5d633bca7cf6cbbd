//! The checker: whether nothing leads out of what a proof says.

use selvedge_boolprog_syntax::ast::{Expr, Name, Program};
use selvedge_core::Budget;
use selvedge_source::{Diagnostic, FileId};

use super::graph::{Action, Body, Graph, Node};
use super::read::{Origin, read};
use super::semantics::{After, Semantics};
use super::{Claims, Key, Proof, Property, names};
use crate::codes;
use crate::diagram::{Diagram, Diagrams, NONE};
use crate::rejected::Rejected;

/// Checks the proof in the text of a file for a program without errors. Returns what is proved.
pub fn check(program: &Program, file: FileId, text: &str, budget: &Budget) -> Result<Property, Rejected> {
    let lines = crate::text::lines(file, text);
    crate::text::header(file, &lines)?;
    let property = super::read::property(file, &lines)?;
    let Some(graph) = Graph::new(program, &property) else {
        let message = "there are no proofs of this kind for programs that create threads or wait for broadcasts";
        return Err(Diagnostic::error_without_place(codes::NOT_PROVED, message).into());
    };
    let mut semantics = Semantics::new(&graph, Diagrams::new(budget.clone(), u64::MAX));
    let (proof, origin) = read(&mut semantics, &lines)?;
    Checker { graph: &graph, semantics, proof: &proof, origin: &origin }.all()?;
    Ok(property)
}

struct Checker<'g, 'a> {
    graph: &'g Graph<'a>,
    semantics: Semantics<'g, 'a>,
    proof: &'g Proof,
    origin: &'g Origin,
}

type Checked<T> = Result<T, Rejected>;

/// A thread, or `init`.
#[derive(Clone, Copy)]
struct Who<'g> {
    /// `None` for `init`.
    number: Option<usize>,
    root: usize,
    claims: &'g Claims,
}

impl<'g> Checker<'g, '_> {
    fn all(&mut self) -> Checked<()> {
        let initial = self.semantics.initial()?;
        let root = |function| Key { called: false, node: self.graph.entry(Body { function, sections: 0 }) };
        let entries: Vec<Key> = self.graph.threads.iter().map(|thread| root(*thread)).collect();
        if let Some(entry) = entries.iter().find(|entry| self.graph.is_target(entry.node)) {
            return Err(self.flaw(None, entry.node, "a thread starts at a forbidden label"));
        }
        let mut start = initial;
        if let (Some(function), Some(claims)) = (self.graph.init, &self.proof.init) {
            let ended = self.thread(Who { number: None, root: function, claims }, initial)?;
            let flagged = self.semantics.flagged();
            start = self.semantics.diagrams.minus(ended, flagged)?;
        }
        for (number, (root, claims)) in self.graph.threads.iter().zip(&self.proof.threads).enumerate() {
            self.thread(Who { number: Some(number), root: *root, claims }, start)?;
        }
        Ok(())
    }

    /// Checks what is said of a thread that starts in these states. Returns the globals with which it ends.
    fn thread(&mut self, who: Who<'g>, start: Diagram) -> Checked<Diagram> {
        let entry = Key { called: false, node: self.graph.entry(Body { function: who.root, sections: 0 }) };
        self.within(who, start, who.claims.invariant(entry), entry.node, "the thread starts outside of the invariant")?;
        let mut ended = NONE;
        let unsupported = |node| self.flaw(who.number, node, "too many atomic sections are open");
        for key in self.graph.reachable(who.root).ok_or_else(|| unsupported(entry.node))? {
            self.safe(who, key)?;
            self.closed(who, key, start)?;
            let unsupported = || self.flaw(who.number, key.node, "too many atomic sections are open");
            for step in self.graph.steps(key.node).ok_or_else(unsupported)? {
                let to = step.to.map(|node| Key { node, ..key });
                match step.action {
                    Action::Call { body, args, targets } => self.call(who, key, to, (body, args, targets))?,
                    Action::Return(values) if key.called => self.returns(who, key, values)?,
                    Action::Return(_) | Action::EndThread => {
                        let states = self.semantics.globals_of(who.claims.invariant(key))?;
                        ended = self.semantics.diagrams.or(ended, states)?;
                    }
                    action => {
                        let function = key.node.body.function;
                        let after = self.semantics.after(function, &action, who.claims.invariant(key))?;
                        self.arrives(who, key.node, to, &after)?;
                    }
                }
            }
        }
        Ok(ended)
    }

    /// No invariant is violated.
    fn safe(&mut self, who: Who<'g>, key: Key) -> Checked<()> {
        let states = who.claims.invariant(key);
        if states == NONE {
            return Ok(());
        }
        if self.graph.is_target(key.node) {
            return Err(self.flaw(who.number, key.node, "the invariant of a forbidden label is not empty"));
        }
        if let Some(condition) = self.graph.assertion(key.node)
            && self.semantics.failing(key.node.body.function, condition, states)? != NONE
        {
            return Err(self.flaw(who.number, key.node, "an assertion can fail in the invariant"));
        }
        Ok(())
    }

    /// What other threads do does not lead out of an invariant.
    fn closed(&mut self, who: Who<'g>, key: Key, start: Diagram) -> Checked<()> {
        let Some(number) = who.number.filter(|_| self.graph.is_open(key.node)) else { return Ok(()) };
        let states = who.claims.invariant(key);
        let flagged = self.semantics.flagged();
        let mut open = self.semantics.diagrams.minus(states, flagged)?;
        if !key.called && key.node == self.graph.entry(key.node.body) {
            // Any thread may be the first to run, whatever `atomic` is.
            open = self.semantics.diagrams.or(open, start)?;
        }
        for other in (0..self.proof.threads.len()).filter(|other| *other != number) {
            let after = self.semantics.interrupted(open, self.proof.threads[other].changes())?;
            self.within(who, after, states, key.node, "a change by another thread leads out of the invariant")?;
        }
        Ok(())
    }

    fn arrives(&mut self, who: Who<'g>, from: Node, to: Option<Key>, after: &After) -> Checked<()> {
        let next = to.map_or(NONE, |to| who.claims.invariant(to));
        self.within(who, after.states, next, from, "a step leads out of the invariants")?;
        if who.number.is_some() {
            let message = "a step changes the globals as no change of the thread does";
            self.within(who, after.change, who.claims.changes(), from, message)?;
        }
        Ok(())
    }

    fn call(&mut self, who: Who<'g>, key: Key, to: Option<Key>, call: (Body, &[Expr], &[Option<Name>])) -> Checked<()> {
        let (body, args, _) = call;
        let (function, states) = (key.node.body.function, who.claims.invariant(key));
        let callee = Key { called: true, node: self.graph.entry(body) };
        let entered = self.semantics.entered(function, body, args, states)?;
        self.within(
            who,
            entered,
            who.claims.invariant(callee),
            key.node,
            "a call begins outside of the callee's invariant",
        )?;
        let after = self.semantics.returned(function, call, states, who.claims.summary(body))?;
        self.arrives(who, key.node, to, &after)
    }

    fn returns(&mut self, who: Who<'g>, key: Key, values: Option<&[Expr]>) -> Checked<()> {
        let Node { body, sections, .. } = key.node;
        if sections != body.sections {
            return Err(self.flaw(who.number, key.node, "a function returns inside an atomic section that it opened"));
        }
        let summary = self.semantics.summary(body.function, values, who.claims.invariant(key))?;
        self.within(
            who,
            summary,
            who.claims.summary(body),
            key.node,
            "a function returns with more than its summary says",
        )
    }

    fn within(&mut self, who: Who<'g>, states: Diagram, allowed: Diagram, node: Node, message: &str) -> Checked<()> {
        match self.semantics.diagrams.implies(states, allowed)? {
            true => Ok(()),
            false => Err(self.flaw(who.number, node, message)),
        }
    }

    fn flaw(&self, thread: Option<usize>, node: Node, message: &str) -> Rejected {
        let (function, place) = (names::body(self.graph.program, node.body), names::place(node));
        let message = format!("the proof does not hold at place {place} of `{function}`: {message}");
        self.origin.flaw(thread, node, message)
    }
}
