//! One thread through its contexts: the relations H of \[LR\] Figure 5 with rules R1', R2', R3', R7', and
//! R8/R9 as [`ThreadRun::enter`]. Contexts are done one after the other: what a thread can do in its
//! context k is complete before k+1 is looked at, and nothing of it changes later.
//!
//! A relation belongs to a node and an *activation*: the context in which the node's procedure was
//! called, or none for the thread's own procedure. It speaks of `ins[0..=k]`, `outs[0..=k]`, the locals,
//! and, for procedures called in context c, `entry[c]` and `params` ([`crate::calls`]).

use std::collections::BTreeMap;

use selvedge_boolprog::program::{EdgeId, NodeId, Op, ProcId};

use crate::bdd::{Bdd, Limited};
use crate::encode::Encoding;
use crate::facts::{Facts, join};

/// In which context a procedure was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activation {
    /// The thread's own procedure, which has no caller.
    Root,
    /// Called in this context.
    Called(usize),
}

/// What a run must not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// The assertion of this edge fails.
    Assertion(EdgeId),
    /// The thread reaches this node.
    Node(NodeId),
}

/// A goal that is met, and the histories with which it is: over `ins[0..=k]` and `outs[0..k]`.
#[derive(Clone, Debug)]
pub struct Met {
    /// The goal.
    pub goal: Goal,
    /// The context in which it is met.
    pub context: usize,
    /// The histories.
    pub histories: Bdd,
}

type Place = (Activation, NodeId);
/// Callers that wait for a call to return: their own activation and the call's edge.
type Callers = BTreeMap<(Activation, EdgeId), Bdd>;

/// One thread.
pub struct ThreadRun<'a, 'p> {
    encoding: &'a Encoding<'p>,
    procedure: ProcId,
    facts: Facts<Place>,
    /// By the context in which the call was made.
    callers: Vec<Callers>,
    /// Summaries of calls made in the current context.
    summaries: BTreeMap<ProcId, Bdd>,
    /// What was found, by goal.
    met: BTreeMap<Goal, Bdd>,
    /// Stop at the first goal that is met.
    pub stop_early: bool,
}

impl<'a, 'p> ThreadRun<'a, 'p> {
    /// A thread that has not started.
    pub fn new(encoding: &'a Encoding<'p>, procedure: ProcId) -> Self {
        ThreadRun {
            encoding,
            procedure,
            facts: Facts::new(),
            callers: Vec::new(),
            summaries: BTreeMap::new(),
            met: BTreeMap::new(),
            stop_early: false,
        }
    }

    /// The context that is running or was run last.
    fn context(&self) -> usize {
        self.callers.len() - 1
    }

    /// Runs the next context. `entering` relates the globals at its start, `ins[k]`, to the history,
    /// `ins[0..k]` and `outs[0..k]`.
    pub fn enter(&mut self, entering: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let bdds = &encoding.bdds;
        self.callers.push(Callers::new());
        self.summaries.clear();
        self.met.clear();
        let k = self.context();
        let same = bdds.equal(encoding.ins(k).into_iter().zip(encoding.outs(k)))?;
        let entering = bdds.and(entering, &same)?;
        let before = self.facts.take();
        if k == 0 {
            let entry = encoding.program.procedure(self.procedure).entry;
            self.add((Activation::Root, entry), &entering)?;
        } else {
            for (place, states) in before {
                if self.may_switch(place) {
                    let states = self.leaving(place, &states, k - 1)?;
                    self.add(place, &bdds.and(&states, &entering)?)?;
                }
            }
        }
        self.saturate()
    }

    /// Whether a context may end here; the exit of a called procedure is no place to be.
    fn may_switch(&self, (activation, node): Place) -> bool {
        let program = self.encoding.program;
        let exit = program.procedure(program.node(node).procedure).exit;
        let flow = &self.encoding.flow;
        flow.switch[node.index()] && !flow.target[node.index()] && (activation == Activation::Root || node != exit)
    }

    /// The states in which a switch is possible.
    fn switchable(&self, states: &Bdd, k: usize) -> Limited<Bdd> {
        match self.encoding.no_switch(k)? {
            Some(flag) => self.encoding.bdds.minus(states, &flag),
            None => Ok(states.clone()),
        }
    }

    /// The states of a place in which context `k` may end. A thread that has not started lets contexts pass even if the
    /// flag is true; the globals then are the initial ones.
    fn leaving(&self, place: Place, states: &Bdd, k: usize) -> Limited<Bdd> {
        let (encoding, bdds) = (self.encoding, &self.encoding.bdds);
        let free = self.switchable(states, k)?;
        let entry = encoding.program.procedure(self.procedure).entry;
        if place != (Activation::Root, entry) || !encoding.program.may_start_flagged() {
            return Ok(free);
        }
        let same = bdds.equal(encoding.ins(k).into_iter().zip(encoding.outs(k)))?;
        bdds.or(&free, &bdds.and(states, &same)?)
    }

    fn add(&mut self, place: Place, states: &Bdd) -> Limited<()> {
        self.facts.add(&self.encoding.bdds, self.encoding.flow.rank[place.1.index()], place, states)
    }

    fn saturate(&mut self) -> Limited<()> {
        while let Some((place, new)) = self.facts.pop() {
            self.visit(place, &new)?;
            if self.stop_early && !self.met.is_empty() {
                self.facts.forget_news();
            }
        }
        Ok(())
    }

    /// Applies every rule to the new states of a place.
    fn visit(&mut self, (activation, node): Place, new: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let k = self.context();
        if encoding.flow.target[node.index()] {
            // A run goes no further.
            return self.meet(Goal::Node(node), new);
        }
        let owner = encoding.program.node(node).procedure;
        if let (Activation::Called(made_in), true) = (activation, node == encoding.program.procedure(owner).exit) {
            return self.exit(owner, made_in, new);
        }
        for &id in &encoding.program.node(node).edges {
            let edge = encoding.program.edge(id);
            match &edge.op {
                Op::Call { .. } => self.call(activation, id, new)?,
                op => {
                    if let Op::Assert(assertion) = op {
                        let failing = encoding.bdds.and(new, &encoding.failure(edge, assertion, k)?)?;
                        self.meet(Goal::Assertion(id), &failing)?;
                    }
                    self.add((activation, edge.to), &encoding.step(id, k, new)?)?;
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, activation: Activation, id: EdgeId, new: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let k = self.context();
        let site = encoding.call_site(id).expect("a call");
        let waiting = encoding.waiting(&site, k, new)?;
        join(&encoding.bdds, &mut self.callers[k], (activation, id), &waiting)?;
        let entry = encoding.program.procedure(site.callee).entry;
        self.add((Activation::Called(k), entry), &encoding.entered(site.callee, k, &waiting)?)?;
        if let Some(summary) = self.summaries.get(&site.callee) {
            let returned = encoding.returned(&site, (k, k), &waiting, summary)?;
            self.add((activation, site.edge.to), &returned)?;
        }
        Ok(())
    }

    /// A procedure called in context `made_in` returns in this one.
    fn exit(&mut self, procedure: ProcId, made_in: usize, new: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let k = self.context();
        let summary = encoding.summary(made_in, new)?;
        if made_in == k {
            join(&encoding.bdds, &mut self.summaries, procedure, &summary)?;
        }
        let callers: Vec<((Activation, EdgeId), Bdd)> = self.callers[made_in]
            .iter()
            .filter(|((_, edge), _)| encoding.flow.callers[procedure.index()].contains(edge))
            .map(|(caller, waiting)| (*caller, waiting.clone()))
            .collect();
        for ((activation, id), waiting) in callers {
            let site = encoding.call_site(id).expect("a call");
            let returned = encoding.returned(&site, (made_in, k), &waiting, &summary)?;
            self.add((activation, site.edge.to), &returned)?;
        }
        Ok(())
    }

    fn meet(&mut self, goal: Goal, states: &Bdd) -> Limited<()> {
        if states.is_false() {
            return Ok(());
        }
        let encoding = self.encoding;
        let histories = encoding.bdds.exists(states, &self.forget(true)?)?;
        join(&encoding.bdds, &mut self.met, goal, &histories)
    }

    /// Everything that is not history; with `now`, the globals of the running context too.
    fn forget(&self, now: bool) -> Limited<crate::bdd::Cube> {
        let outs = if now { self.encoding.outs(self.context()) } else { Vec::new() };
        let results = self.encoding.layout.borrow().results.clone();
        let entered = self.encoding.entered_with(self.context());
        self.encoding.bdds.cube(self.encoding.locals().into_iter().chain(entered).chain(results).chain(outs))
    }

    /// What was found in the running context.
    pub fn met(&self) -> Vec<Met> {
        let context = self.context();
        self.met.iter().map(|(goal, histories)| Met { goal: *goal, context, histories: histories.clone() }).collect()
    }

    /// E of \[LR\] Figure 5, R11: what the thread can have done when its context ends, over `ins[0..=k]`
    /// and `outs[0..=k]`.
    pub fn effect(&self) -> Limited<Bdd> {
        let bdds = &self.encoding.bdds;
        let forget = self.forget(false)?;
        let mut effect = bdds.no();
        for (place, states) in self.facts.iter().filter(|(place, _)| self.may_switch(*place)) {
            let leaving = self.leaving(place, states, self.context())?;
            effect = bdds.or(&effect, &bdds.exists(&leaving, &forget)?)?;
        }
        Ok(effect)
    }

    /// The globals with which the thread's own procedure returns, over `outs[k]` and the history.
    pub fn ended(&self) -> Limited<Bdd> {
        let exit = self.encoding.program.procedure(self.procedure).exit;
        let states = self.facts.get((Activation::Root, exit)).cloned().unwrap_or_else(|| self.encoding.bdds.no());
        let results = self.encoding.layout.borrow().results.clone();
        self.encoding.bdds.exists(&states, &self.encoding.bdds.cube(results)?)
    }

    /// The states at each node in this context, for every caller: over the history and the locals.
    pub fn states(&self) -> Limited<BTreeMap<NodeId, Bdd>> {
        let bdds = &self.encoding.bdds;
        let results = self.encoding.layout.borrow().results.clone();
        let forget = bdds.cube(self.encoding.entered_with(self.context()).into_iter().chain(results))?;
        let mut states = BTreeMap::new();
        for ((_, node), facts) in self.facts.iter() {
            join(bdds, &mut states, node, &bdds.exists(facts, &forget)?)?;
        }
        Ok(states)
    }
}
