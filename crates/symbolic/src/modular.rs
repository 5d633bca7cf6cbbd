//! An upper bound of what any number of contexts can reach, thread by thread: each thread runs alone, and
//! where a switch is possible the globals may change by any step that another thread was seen to take (thread-
//! modular analysis; the threads' places are forgotten). If no goal is met here, none is met by any run,
//! and the shared states found here are all there can be.
//!
//! It is not in \[LR\]: the paper's analysis never ends by itself. Intermediate states of atomic
//! sections are visible here, which only makes the bound larger. While the flag of
//! [`Program::no_switch_while`] is true they are not: the thread that set it runs alone until it is false again, so its steps
//! up to there are followed to the end and count as one.
//!
//! [`Program::no_switch_while`]: selvedge_boolprog::program::Program::no_switch_while

use std::collections::BTreeMap;

use selvedge_boolprog::program::{EdgeId, NodeId, Op, ProcId, VarId};

use crate::bdd::{Bdd, Cube, Limited};
use crate::encode::Encoding;
use crate::facts::{Facts, join};
use crate::flow::written;

/// What no run exceeds.
pub struct UpperBound {
    /// No goal is met by any run.
    pub safe: bool,
    /// Shared states where a switch is possible, over `ins[0]`.
    pub shared: Bdd,
}

/// Whether the node's procedure was called.
type Place = (bool, NodeId);

struct Alone<'a, 'p> {
    encoding: &'a Encoding<'p>,
    /// The entry of the thread, and the states there before any thread has run, over `outs[0]`: even if the flag
    /// is true in them, another thread may be the first to run.
    start: (NodeId, Bdd),
    facts: Facts<Place>,
    callers: BTreeMap<(bool, EdgeId), Bdd>,
    summaries: BTreeMap<ProcId, Bdd>,
    /// Steps on the globals, from `ins[0]` to `outs[0]`.
    steps: Bdd,
    /// Steps of each other thread.
    others: Vec<Bdd>,
    safe: bool,
}

/// The upper bound for a program that starts in these shared states, over `ins[0]`.
pub fn upper_bound(encoding: &Encoding<'_>, start: &Bdd) -> Limited<UpperBound> {
    let bdds = &encoding.bdds;
    let mut threads = Vec::new();
    for thread in &encoding.program.threads {
        threads.push(Alone::new(encoding, thread.procedure, start)?);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for index in 0..threads.len() {
            let others = threads.iter().enumerate().filter(|(other, _)| *other != index);
            let others = others.map(|(_, other)| other.steps.clone()).collect();
            let before = threads[index].steps.clone();
            threads[index].run(others)?;
            changed |= threads[index].steps != before;
        }
    }
    // Stable once the steps of no thread changed in a pass over all.
    let mut shared = start.clone();
    for thread in &threads {
        shared = bdds.or(&shared, &thread.shared()?)?;
    }
    Ok(UpperBound { safe: threads.iter().all(|thread| thread.safe), shared })
}

impl<'a, 'p> Alone<'a, 'p> {
    fn new(encoding: &'a Encoding<'p>, procedure: ProcId, start: &Bdd) -> Limited<Self> {
        let bdds = &encoding.bdds;
        let now = bdds.rename(start, &bdds.renaming(encoding.ins(0).into_iter().zip(encoding.outs(0)))?)?;
        let entry = encoding.program.procedure(procedure).entry;
        let mut alone = Alone {
            encoding,
            start: (entry, now.clone()),
            facts: Facts::new(),
            callers: BTreeMap::new(),
            summaries: BTreeMap::new(),
            steps: bdds.no(),
            others: Vec::new(),
            safe: true,
        };
        alone.add((false, entry), &now)?;
        Ok(alone)
    }

    fn run(&mut self, others: Vec<Bdd>) -> Limited<()> {
        if others != self.others {
            self.others = others;
            let known: Vec<(Place, Bdd)> = self.facts.iter().map(|(place, states)| (place, states.clone())).collect();
            for (place, states) in known {
                self.disturb(place, &states)?;
            }
        }
        while let Some((place, new)) = self.facts.pop() {
            self.visit(place, &new)?;
        }
        Ok(())
    }

    fn add(&mut self, place: Place, states: &Bdd) -> Limited<()> {
        self.facts.add(&self.encoding.bdds, self.encoding.flow.rank[place.1.index()], place, states)
    }

    fn is_exit(&self, node: NodeId) -> bool {
        let program = self.encoding.program;
        program.procedure(program.node(node).procedure).exit == node
    }

    fn visit(&mut self, place: Place, new: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let (called, node) = place;
        if encoding.flow.target[node.index()] {
            self.safe = false;
            return Ok(());
        }
        if called && self.is_exit(node) {
            return self.exit(encoding.program.node(node).procedure, new);
        }
        self.disturb(place, new)?;
        for &id in &encoding.program.node(node).edges {
            let edge = encoding.program.edge(id);
            if let Some(site) = encoding.call_site(id) {
                let waiting = encoding.waiting(&site, 0, new)?;
                join(&encoding.bdds, &mut self.callers, (called, id), &waiting)?;
                let entry = encoding.program.procedure(site.callee).entry;
                self.add((true, entry), &encoding.entered(site.callee, 0, &waiting)?)?;
                if let Some(summary) = self.summaries.get(&site.callee).cloned() {
                    self.back(called, id, &waiting, &summary)?;
                }
                continue;
            }
            if let Op::Assert(assertion) = &edge.op {
                self.safe &= encoding.bdds.and(new, &encoding.failure(edge, assertion, 0)?)?.is_false();
            }
            if writes_globals(&edge.op) {
                let marked = encoding.bdds.and(new, &self.unchanged()?)?;
                self.note(&encoding.step(id, 0, &marked)?)?;
            }
            self.add((called, edge.to), &encoding.step(id, 0, new)?)?;
        }
        Ok(())
    }

    fn unchanged(&self) -> Limited<Bdd> {
        self.encoding.bdds.equal(self.encoding.ins(0).into_iter().zip(self.encoding.outs(0)))
    }

    fn exit(&mut self, procedure: ProcId, new: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let summary = encoding.summary(0, new)?;
        join(&encoding.bdds, &mut self.summaries, procedure, &summary)?;
        for ((called, id), waiting) in self.callers.clone() {
            if encoding.flow.callers[procedure.index()].contains(&id) {
                self.back(called, id, &waiting, &summary)?;
            }
        }
        Ok(())
    }

    /// A call returns.
    fn back(&mut self, called: bool, id: EdgeId, waiting: &Bdd, summary: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let site = encoding.call_site(id).expect("a call");
        if writes_globals(&site.edge.op) {
            let marked = encoding.bdds.and(summary, &self.unchanged()?)?;
            self.note(&encoding.returned(&site, (0, 0), waiting, &marked)?)?;
        }
        self.add((called, site.edge.to), &encoding.returned(&site, (0, 0), waiting, summary)?)
    }

    fn all_but_globals(&self) -> Limited<Cube> {
        let results = self.encoding.layout.borrow().results.clone();
        let rest = self.encoding.locals().into_iter().chain(self.encoding.entered_with(0)).chain(results);
        self.encoding.bdds.cube(rest)
    }

    fn note(&mut self, step: &Bdd) -> Limited<()> {
        let bdds = &self.encoding.bdds;
        self.steps = bdds.or(&self.steps, &bdds.exists(step, &self.all_but_globals()?)?)?;
        Ok(())
    }

    /// Where a switch is possible, another thread may run until the next switch is possible.
    fn disturb(&mut self, place: Place, states: &Bdd) -> Limited<()> {
        if !self.switches(place) {
            return Ok(());
        }
        let mut free = self.switchable(states)?;
        if place == (false, self.start.0) {
            free = self.encoding.bdds.or(&free, &self.start.1)?;
        }
        for index in 0..self.others.len() {
            let after = self.section(index, &free)?;
            self.add(place, &after)?;
        }
        Ok(())
    }

    /// The states in which a switch is possible again after a step of another thread, and the steps that it
    /// takes while the flag is true.
    fn section(&self, other: usize, states: &Bdd) -> Limited<Bdd> {
        let encoding = self.encoding;
        let bdds = &encoding.bdds;
        let (ins, outs) = (encoding.ins(0), encoding.outs(0));
        let to_ins = bdds.renaming(outs.into_iter().zip(ins.clone()))?;
        let forget = bdds.cube(ins)?;
        let (mut arrived, mut inside) = (bdds.no(), bdds.no());
        let mut frontier = states.clone();
        while !frontier.is_false() {
            let before = bdds.rename(&frontier, &to_ins)?;
            let after = bdds.and_exists(&before, &self.others[other], &forget)?;
            let free = self.switchable(&after)?;
            arrived = bdds.or(&arrived, &free)?;
            frontier = bdds.minus(&bdds.minus(&after, &free)?, &inside)?;
            inside = bdds.or(&inside, &frontier)?;
        }
        Ok(arrived)
    }

    fn switches(&self, (called, node): Place) -> bool {
        self.encoding.flow.switch[node.index()] && !(called && self.is_exit(node))
    }

    fn switchable(&self, states: &Bdd) -> Limited<Bdd> {
        match self.encoding.no_switch(0)? {
            Some(flag) => self.encoding.bdds.minus(states, &flag),
            None => Ok(states.clone()),
        }
    }

    /// Shared states where a switch is possible, over `ins[0]`.
    fn shared(&self) -> Limited<Bdd> {
        let encoding = self.encoding;
        let bdds = &encoding.bdds;
        let forget = self.all_but_globals()?;
        let mut shared = bdds.no();
        for (_, states) in self.facts.iter().filter(|(place, _)| self.switches(*place)) {
            shared = bdds.or(&shared, &bdds.exists(&self.switchable(states)?, &forget)?)?;
        }
        bdds.rename(&shared, &bdds.renaming(encoding.outs(0).into_iter().zip(encoding.ins(0)))?)
    }
}

fn writes_globals(op: &Op) -> bool {
    written(op).into_iter().any(|var| matches!(var, VarId::Global(_)))
}
