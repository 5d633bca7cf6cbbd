//! Sequential programs: the rules of \[LR\] Figure 3, which compute the states that can reach each node of
//! a program with one thread. H relates the states at a node to the state in which its procedure was entered, S is
//! what a call does, R is what reaches a node.
//!
//! *Eager*: H and S for every way to enter every procedure (R0 to R3), then R from the start (R4 to R6).
//! *Lazy*: only the ways in which procedures are really entered (R7), and R is read off H (R8).

use std::collections::{BTreeMap, BTreeSet};

use selvedge_boolprog::program::{EdgeId, NodeId, ProcId};

use crate::bdd::{Bdd, Limited};
use crate::encode::Encoding;
use crate::facts::{Facts, join};

/// How summaries are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summaries {
    /// For every state.
    Eager,
    /// For states that occur.
    Lazy,
}

struct Figure3<'a, 'p> {
    encoding: &'a Encoding<'p>,
    summaries: Summaries,
    h: Facts<NodeId>,
    s: BTreeMap<ProcId, Bdd>,
    callers: BTreeMap<EdgeId, Bdd>,
}

/// The states that reach each node when `procedure` is started in these shared states (over `ins[0]`): over
/// `outs[0]` and the locals.
pub fn reachable(
    encoding: &Encoding<'_>,
    procedure: ProcId,
    start: &Bdd,
    summaries: Summaries,
) -> Limited<BTreeMap<NodeId, Bdd>> {
    let bdds = &encoding.bdds;
    let (h, s, callers) = Default::default();
    let mut figure = Figure3 { encoding, summaries, h, s, callers };
    let start = bdds.rename(start, &bdds.renaming(encoding.ins(0).into_iter().zip(encoding.outs(0)))?)?;
    let first = bdds.and(&encoding.entered_anyhow(procedure, 0)?, &start)?;
    match summaries {
        Summaries::Lazy => figure.add(encoding.program.procedure(procedure).entry, &first)?,
        Summaries::Eager => {
            for callee in figure.called_from(procedure) {
                figure.add(encoding.program.procedure(callee).entry, &encoding.entered_anyhow(callee, 0)?)?;
            }
        }
    }
    figure.saturate()?;
    match summaries {
        Summaries::Lazy => figure.read_off(),
        Summaries::Eager => figure.second_phase(procedure, &first),
    }
}

impl Figure3<'_, '_> {
    fn called_from(&self, procedure: ProcId) -> BTreeSet<ProcId> {
        let mut known = BTreeSet::from([procedure]);
        let mut work = vec![procedure];
        while let Some(procedure) = work.pop() {
            for edge in self.encoding.program.edges_of(procedure) {
                if let selvedge_boolprog::program::Op::Call { procedure, .. } = &edge.op
                    && known.insert(*procedure)
                {
                    work.push(*procedure);
                }
            }
        }
        known
    }

    fn add(&mut self, node: NodeId, states: &Bdd) -> Limited<()> {
        self.h.add(&self.encoding.bdds, self.encoding.flow.rank[node.index()], node, states)
    }

    fn saturate(&mut self) -> Limited<()> {
        let encoding = self.encoding;
        while let Some((node, new)) = self.h.pop() {
            let procedure = encoding.program.node(node).procedure;
            if node == encoding.program.procedure(procedure).exit {
                self.r3(procedure, &new)?;
            }
            for &id in &encoding.program.node(node).edges {
                match encoding.call_site(id) {
                    Some(_) => self.call(id, &new)?,
                    None => self.add(encoding.program.edge(id).to, &encoding.step(id, 0, &new)?)?,
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, id: EdgeId, new: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let site = encoding.call_site(id).expect("a call");
        let waiting = encoding.waiting(&site, 0, new)?;
        join(&encoding.bdds, &mut self.callers, id, &waiting)?;
        if self.summaries == Summaries::Lazy {
            let entry = encoding.program.procedure(site.callee).entry;
            self.add(entry, &encoding.entered(site.callee, 0, &waiting)?)?;
        }
        if let Some(summary) = self.s.get(&site.callee) {
            let returned = encoding.returned(&site, (0, 0), &waiting, summary)?;
            self.add(site.edge.to, &returned)?;
        }
        Ok(())
    }

    fn r3(&mut self, procedure: ProcId, new: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let summary = encoding.summary(0, new)?;
        join(&encoding.bdds, &mut self.s, procedure, &summary)?;
        for &id in &encoding.flow.callers[procedure.index()] {
            let Some(waiting) = self.callers.get(&id).cloned() else { continue };
            let site = encoding.call_site(id).expect("a call");
            self.add(site.edge.to, &encoding.returned(&site, (0, 0), &waiting, &summary)?)?;
        }
        Ok(())
    }

    /// R8.
    fn read_off(&self) -> Limited<BTreeMap<NodeId, Bdd>> {
        let bdds = &self.encoding.bdds;
        let results = self.encoding.layout.borrow().results.clone();
        let forget = bdds.cube(self.encoding.entered_with(0).into_iter().chain(results))?;
        self.h.iter().map(|(node, states)| Ok((node, bdds.exists(states, &forget)?))).collect()
    }

    /// R4 to R6: `entries` are the ways in which each procedure is entered, over `entry[0]` and `params`.
    fn second_phase(&self, procedure: ProcId, first: &Bdd) -> Limited<BTreeMap<NodeId, Bdd>> {
        let encoding = self.encoding;
        let bdds = &encoding.bdds;
        let not_entry = bdds.cube(encoding.locals().into_iter().chain(encoding.outs(0)))?;
        let mut entries = BTreeMap::from([(procedure, bdds.exists(first, &not_entry)?)]);
        let mut work = vec![procedure];
        while let Some(caller) = work.pop() {
            for node in &encoding.program.procedure(caller).nodes {
                let Some(h) = self.h.get(*node) else { continue };
                let here = bdds.and(h, &entries[&caller])?;
                for site in encoding.program.node(*node).edges.iter().filter_map(|id| encoding.call_site(*id)) {
                    let entered = encoding.entered(site.callee, 0, &encoding.waiting(&site, 0, &here)?)?;
                    let entered = bdds.exists(&entered, &not_entry)?;
                    let old = entries.get(&site.callee).cloned().unwrap_or_else(|| bdds.no());
                    let all = bdds.or(&old, &entered)?;
                    if all != old {
                        entries.insert(site.callee, all);
                        work.push(site.callee);
                    }
                }
            }
        }
        let results = encoding.layout.borrow().results.clone();
        let forget = bdds.cube(encoding.entered_with(0).into_iter().chain(results))?;
        let mut reached = BTreeMap::new();
        for (node, h) in self.h.iter() {
            let Some(entry) = entries.get(&encoding.program.node(node).procedure) else { continue };
            let states = bdds.and_exists(h, entry, &forget)?;
            if states.satisfiable() {
                reached.insert(node, states);
            }
        }
        Ok(reached)
    }
}
