//! The axioms of \[RC11\], checked on a whole graph from their definitions, by relation algebra: what the machine of
//! `choices` and `sc` allows step by step must satisfy them. Clocks are used for what the library orders and for nothing else.
//! In debug builds with the feature `self-checks` only: it takes far longer than the run.

use std::sync::atomic::Ordering;

use super::{Does, Graph, Node, Scope, covers};
use crate::clocks::{acquires, releases};

/// A relation between at most 128 events: row `a` has the events that `a` is related to.
#[derive(Clone)]
struct Relation(Vec<u128>);

impl Relation {
    fn of(n: usize, are: impl Fn(usize, usize) -> bool) -> Relation {
        Relation((0..n).map(|a| (0..n).fold(0, |row, b| row | u128::from(are(a, b)) << b)).collect())
    }

    /// The identity on the events for which `is` holds.
    fn on(n: usize, is: impl Fn(usize) -> bool) -> Relation {
        Relation::of(n, |a, b| a == b && is(a))
    }

    fn or(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    fn then(&self, other: &Relation) -> Relation {
        let step = |row: u128| (0..other.0.len()).filter(|b| row >> b & 1 != 0).fold(0, |out, b| out | other.0[b]);
        Relation(self.0.iter().map(|&row| step(row)).collect())
    }

    fn plus(&self) -> Relation {
        let mut rows = self.0.clone();
        for k in 0..rows.len() {
            let through = rows[k];
            rows.iter_mut().filter(|row| **row >> k & 1 != 0).for_each(|row| *row |= through);
        }
        Relation(rows)
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 != 0
    }

    fn is_irreflexive(&self) -> bool {
        (0..self.0.len()).all(|a| !self.has(a, a))
    }
}

/// The basic relations of a graph.
struct Basics<'a> {
    nodes: &'a [Node],
    sb: Relation,
    rf: Relation,
    mo: Relation,
    rb: Relation,
}

impl Graph {
    /// Panics if the graph is not one that the memory model allows. Large graphs are not looked at.
    pub(crate) fn check_axioms(&self) {
        let n = self.nodes.len();
        if n > 128 {
            return;
        }
        let position =
            |node: Option<&Node>| node.and_then(|node| self.nodes.iter().position(|other| std::ptr::eq(node, other)));
        let source =
            |b: usize| self.nodes[b].reads_from().map(|from| (from, position(self.maker(self.nodes[b].object, from))));
        let rf = Relation::of(n, |a, b| source(b).is_some_and(|(_, maker)| maker == Some(a)));
        let mut mo = Relation::of(n, |_, _| false);
        let mut rb = Relation::of(n, |_, _| false);
        for object in 0..self.locations.len() as u32 {
            let order: Vec<_> = self.stores(crate::ObjectId(object), Scope::Run).collect();
            let places: Vec<Option<usize>> = order.iter().map(|(_, node)| position(*node)).collect();
            for (i, (store, _)) in order.iter().enumerate() {
                let later = places[i + 1..].iter().flatten().fold(0, |set, b| set | 1u128 << b);
                if let Some(a) = places[i] {
                    mo.0[a] |= later;
                }
                let readers = (0..n)
                    .filter(|&r| self.nodes[r].object.0 == object && source(r).is_some_and(|(from, _)| from == *store));
                readers.for_each(|r| rb.0[r] |= later & !(1 << r));
            }
        }
        let sb = Relation::of(n, |a, b| a < b && self.nodes[a].thread == self.nodes[b].thread);
        Basics { nodes: &self.nodes, sb, rf, mo, rb }.check();
    }
}

impl Basics<'_> {
    fn on(&self, is: impl Fn(&Node) -> bool) -> Relation {
        Relation::on(self.nodes.len(), |e| is(&self.nodes[e]))
    }

    fn check(&self) {
        let (nodes, n) = (self.nodes, self.nodes.len());
        let hb = self.happens_before();
        let by_clock = |a: usize, b: usize| match nodes[a].thread == nodes[b].thread {
            true => a < b,
            false => covers(&nodes[b].known, nodes[a].thread, nodes[a].time),
        };
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            assert_eq!(
                hb.has(a, b),
                by_clock(a, b),
                "internal error: happens-before of {:?} and {:?}",
                nodes[a],
                nodes[b]
            );
        }
        let eco = self.rf.or(&self.mo).or(&self.rb).plus();
        assert!(self.sb.or(&self.rf).plus().is_irreflexive(), "internal error: an execution out of thin air");
        assert!(eco.is_irreflexive() && hb.then(&eco).is_irreflexive(), "internal error: an incoherent execution");
        let between = self.rb.then(&self.mo);
        let torn = (0..n).any(|e| matches!(nodes[e].does, Does::Updates { .. }) && between.has(e, e));
        assert!(!torn, "internal error: a read-modify-write that is not atomic");
        assert!(self.psc(&hb, &eco).plus().is_irreflexive(), "internal error: an execution that SeqCst forbids");
    }

    fn happens_before(&self) -> Relation {
        let nodes = self.nodes;
        let order = |e: &Node| match e.does {
            Does::Reads { order, .. } | Does::Writes { order, .. } | Does::Updates { order, .. } => Some(order),
            Does::Fence(order) => Some(order),
            _ => None,
        };
        let fence = |e: &Node| matches!(e.does, Does::Fence(_));
        let write = |e: &Node| matches!(e.does, Does::Writes { .. } | Does::Updates { .. });
        let read = |e: &Node| matches!(e.does, Does::Reads { .. } | Does::Updates { .. });
        let update = self.on(|e| matches!(e.does, Does::Updates { .. }));
        let all = self.on(|_| true);
        let sequence = self.on(write).then(&all.or(&self.rf.then(&update).plus()));
        let released = |e: &Node| order(e).is_some_and(releases);
        let acquired = |e: &Node| order(e).is_some_and(acquires);
        let before = self
            .on(|e| released(e) && write(e))
            .or(&self.on(|e| released(e) && fence(e)).then(&self.sb).then(&self.on(write)));
        let after = self
            .on(|e| acquired(e) && read(e))
            .or(&self.on(read).then(&self.sb).then(&self.on(|e| acquired(e) && fence(e))));
        let sw = before.then(&sequence).then(&self.rf).then(&after);
        let library = Relation::of(nodes.len(), |a, b| {
            nodes[a].thread != nodes[b].thread
                && matches!(nodes[b].does, Does::Library(_) | Does::Local)
                && covers(&nodes[b].known, nodes[a].thread, nodes[a].time)
        });
        self.sb.or(&sw).or(&library).plus()
    }

    fn psc(&self, hb: &Relation, eco: &Relation) -> Relation {
        let (nodes, n) = (self.nodes, self.nodes.len());
        let same = |a: usize, b: usize| nodes[a].object != crate::ObjectId::NONE && nodes[a].object == nodes[b].object;
        let library = |a: usize, b: usize| match (nodes[a].does, nodes[b].does) {
            (Does::Library(first), Does::Library(second)) => {
                a < b && same(a, b) && first.conflicts() & second.bit() != 0
            }
            _ => false,
        };
        let fences = self.on(|e| e.does == Does::Fence(Ordering::SeqCst));
        let sc = self.on(Node::is_sc);
        let elsewhere = Relation::of(n, |a, b| self.sb.has(a, b) && !same(a, b));
        let here = Relation::of(n, |a, b| hb.has(a, b) && same(a, b));
        let scb = self.sb.or(&elsewhere.then(hb).then(&elsewhere)).or(&here).or(&self.mo).or(&self.rb);
        let scb = scb.or(&Relation::of(n, library));
        let (left, right) = (sc.or(&fences.then(hb)), sc.or(&hb.then(&fences)));
        let of_fences = fences.then(&hb.or(&hb.then(eco).then(hb))).then(&fences);
        left.then(&scb).then(&right).or(&of_fences)
    }
}
