//! The axioms of RC11 (docs/bibliography.md) with the release sequences of C++20, checked on a finished execution
//! graph by relation algebra, straight from their definition:
//!
//! ```text
//! rs  = [W⊒rlx];(rf;[U])*
//! sw  = [⊒rel];([F];sb)?;rs;rf;[R⊒rlx];(sb;[F])?;[⊒acq]  ∪ the edges of `synchronises`
//! hb  = (sb ∪ sw)⁺
//! coherence   hb;eco? irreflexive          atomicity   an update stands in mo right after what it reads
//! SC          psc acyclic
//! scb = sb ∪ sb≠loc;hb;sb≠loc ∪ hb|loc ∪ mo ∪ rb
//! psc = ([SC] ∪ [Fsc];hb?);scb;([SC] ∪ hb?;[Fsc])  ∪  [Fsc];(hb ∪ hb;eco;hb);[Fsc]
//! ```

use crate::relation::Relation;
use crate::run::LabelKind;
use crate::{Mode, Model};

/// An event of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// None for the initial stores, which come before everything.
    pub thread: Option<usize>,
    pub kind: LabelKind,
    /// None for fences.
    pub location: Option<usize>,
    pub read_mode: Option<Mode>,
    pub write_mode: Option<Mode>,
}

impl Event {
    fn reads(&self) -> bool {
        matches!(self.kind, LabelKind::Read | LabelKind::Update)
    }

    fn writes(&self) -> bool {
        matches!(self.kind, LabelKind::Write | LabelKind::Update)
    }

    fn is_fence(&self) -> bool {
        self.kind == LabelKind::Fence
    }

    fn is_sc(&self) -> bool {
        self.read_mode == Some(Mode::SeqCst) || self.write_mode == Some(Mode::SeqCst)
    }
}

/// An execution graph. The events of a thread stand in the order of the thread.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub events: Vec<Event>,
    /// What each event reads from.
    pub reads_from: Vec<Option<usize>>,
    /// Edges of synchronisation besides those of accesses and fences: spawns and joins.
    pub synchronises: Vec<(usize, usize)>,
}

/// What follows from a graph without its modification orders.
pub(crate) struct Derived {
    sb: Relation,
    rf: Relation,
    same_location: Relation,
    pub(crate) hb: Relation,
}

impl Graph {
    pub(crate) fn derive(&self) -> Derived {
        let (events, n) = (&self.events, self.events.len());
        let sb = Relation::of(n, |a, b| match (events[a].thread, events[b].thread) {
            (Some(s), Some(t)) => s == t && a < b,
            (None, Some(_)) => true,
            _ => false,
        });
        let mut rf = Relation::empty(n);
        for (read, from) in self.reads_from.iter().enumerate() {
            if let Some(from) = from {
                rf.add(*from, read);
            }
        }
        let same_location =
            Relation::of(n, |a, b| events[a].location.is_some() && events[a].location == events[b].location);
        let mut sw = self.synchronises_with(&sb, &rf);
        self.synchronises.iter().for_each(|&(a, b)| sw.add(a, b));
        let hb = sb.or(&sw).plus();
        Derived { sb, rf, same_location, hb }
    }

    fn synchronises_with(&self, sb: &Relation, rf: &Relation) -> Relation {
        let (events, n) = (&self.events, self.events.len());
        let atomic_write = |e: usize| events[e].writes() && events[e].write_mode != Some(Mode::NotAtomic);
        let atomic_read = |e: usize| events[e].reads() && events[e].read_mode != Some(Mode::NotAtomic);
        let releases = |e: usize| events[e].write_mode.is_some_and(Mode::releases);
        let acquires = |e: usize| events[e].read_mode.is_some_and(Mode::acquires);
        let is_fence = |e: usize| events[e].is_fence();
        let (writes, reads) = (Relation::on(n, atomic_write), Relation::on(n, atomic_read));
        let updates = Relation::on(n, |e| events[e].kind == LabelKind::Update);
        let sequence = writes.then(&rf.then(&updates).plus().reflexive());
        let before_fence = Relation::on(n, |e| releases(e) && is_fence(e)).then(sb).then(&writes);
        let before = Relation::on(n, |e| releases(e) && atomic_write(e)).or(&before_fence);
        let after_fence = reads.then(sb).then(&Relation::on(n, |e| acquires(e) && is_fence(e)));
        let after = Relation::on(n, |e| acquires(e) && atomic_read(e)).or(&after_fence);
        before.then(&sequence).then(rf).then(&after)
    }

    /// Whether two accesses that are not both atomic and not ordered conflict.
    pub(crate) fn is_racy(&self, derived: &Derived) -> bool {
        let plain = |e: &Event| e.read_mode == Some(Mode::NotAtomic) || e.write_mode == Some(Mode::NotAtomic);
        let races = |a: usize, b: usize| {
            let (e, f) = (&self.events[a], &self.events[b]);
            e.thread.is_some()
                && f.thread.is_some()
                && e.thread != f.thread
                && derived.same_location.has(a, b)
                && (e.writes() || f.writes())
                && (plain(e) || plain(f))
                && !derived.hb.has(a, b)
                && !derived.hb.has(b, a)
        };
        (0..self.events.len()).any(|a| (0..a).any(|b| races(a, b)))
    }

    /// mo and reads-before of one modification order.
    fn order(&self, order: &[usize]) -> (Relation, Relation) {
        let n = self.events.len();
        let (mut mo, mut rb) = (Relation::empty(n), Relation::empty(n));
        for (i, &write) in order.iter().enumerate() {
            order[i + 1..].iter().for_each(|&later| mo.add(write, later));
        }
        for (read, from) in self.reads_from.iter().enumerate() {
            if let Some(from) = from.filter(|from| order.contains(from)) {
                rb.0[read] = mo.0[from] & !(1 << read);
            }
        }
        (mo, rb)
    }

    /// Whether updates stand right after what they read in this order of all writes of one location.
    pub(crate) fn is_atomic(&self, order: &[usize]) -> bool {
        let place = |write: usize| order.iter().position(|&w| w == write);
        order
            .iter()
            .filter(|&&write| self.events[write].kind == LabelKind::Update)
            .all(|&update| self.reads_from[update].and_then(place).is_some_and(|from| place(update) == Some(from + 1)))
    }

    /// Coherence of one location.
    pub(crate) fn is_coherent(&self, derived: &Derived, order: &[usize]) -> bool {
        let (mo, rb) = self.order(order);
        let location = self.events[order[0]].location;
        let here = Relation::on(self.events.len(), |e| self.events[e].location == location);
        let eco = here.then(&derived.rf.and(&derived.same_location).or(&mo).or(&rb).plus()).then(&here);
        derived.hb.is_irreflexive() && derived.hb.then(&eco).is_irreflexive() && eco.is_irreflexive()
    }

    /// The condition on SC, for coherent orders of all locations.
    pub(crate) fn is_sc_consistent(&self, derived: &Derived, orders: &[Vec<usize>], model: Model) -> bool {
        let n = self.events.len();
        let (mut mo, mut rb) = (Relation::empty(n), Relation::empty(n));
        for order in orders {
            let (m, r) = self.order(order);
            (mo, rb) = (mo.or(&m), rb.or(&r));
        }
        let Derived { sb, rf, same_location, hb } = derived;
        match model {
            Model::Coherent => true,
            Model::Sequential => sb.or(rf).or(&mo).or(&rb).is_acyclic(),
            Model::Rc11 => {
                let fences = Relation::on(n, |e| self.events[e].is_fence() && self.events[e].is_sc());
                let sc = Relation::on(n, |e| self.events[e].is_sc());
                let eco = rf.or(&mo).or(&rb).plus();
                let sb_elsewhere = sb.without(same_location);
                let scb = sb.or(&sb_elsewhere.then(hb).then(&sb_elsewhere)).or(&hb.and(same_location)).or(&mo).or(&rb);
                let (left, right) = (sc.or(&fences.then(hb)), sc.or(&hb.then(&fences)));
                let base = left.then(&scb).then(&right);
                let of_fences = fences.then(&hb.or(&hb.then(&eco).then(hb))).then(&fences);
                base.or(&of_fences).is_acyclic()
            }
        }
    }

    /// Whether RC11 allows the execution with these modification orders, the initial store of each location first; what is
    /// violated if it does not.
    ///
    /// # Errors
    /// Names the axiom.
    pub fn check(&self, orders: &[Vec<usize>]) -> Result<(), &'static str> {
        let derived = self.derive();
        if !derived.sb.or(&derived.rf).is_acyclic() {
            return Err("no thin air");
        }
        if !orders.iter().all(|order| self.is_atomic(order)) {
            return Err("atomicity");
        }
        if !orders.iter().all(|order| self.is_coherent(&derived, order)) {
            return Err("coherence");
        }
        if !self.is_sc_consistent(&derived, orders, Model::Rc11) {
            return Err("SC");
        }
        Ok(())
    }
}
