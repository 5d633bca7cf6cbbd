//! The condition on sequentially consistent events, `psc` acyclic (\[RC11\]), for an access that is about to be made:
//!
//! ```text
//! scb = sb ∪ sb≠loc;hb;sb≠loc ∪ hb|loc ∪ mo ∪ rb
//! psc = ([SC] ∪ [Fsc];hb?);scb;([SC] ∪ hb?;[Fsc])  ∪  [Fsc];(hb ∪ hb;eco;hb);[Fsc]
//! ```
//!
//! The newest event has edges to others (mo, rb) only if it is stale; so only a stale access can close a cycle, and only if it
//! is sequentially consistent or comes after a fence that is. Everything else is consistent if what came before is.
//!
//! A new cycle has an edge of psc through a step from the newest event to another one. Such edges start at the newest event, if it
//! is sequentially consistent, and at the fences before it. So there is a cycle if one of their ends leads back to one of
//! their starts. Edges by the extended coherence order are between fences only.
//!
//! Less leads to the newest event e than the definition says, because e is stale: the first step of the cycle after e is to a
//! later access b of its object, by mo or rb. What is earlier than e by mo or rb, and so by coherence all that happens before e
//! and accesses its object, is earlier than b, too: a cycle through such an event has an edge to b without e and was
//! there before. The same holds for what e learns from the store that it reads: the store is earlier than b. And a fence
//! that is before e by hb and scb is either before such an event, or happens before e: then it is one of the starts itself.
//! What is left is what the program orders before e: its thread's events, and sb≠loc;hb;sb≠loc.

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;

use super::relations::{Events, Place, Relations, add, events_of, has};
use super::{Choice, Graph, Node, Part, Rank, Scope, covers};
use crate::{ObjectId, ThreadId};

/// A set of events of one's own: the condition is asked about often, and most runs have few events.
type Set = SmallVec<[u64; 2]>;

/// An access that is about to be made.
struct Newest<'a> {
    thread: ThreadId,
    object: ObjectId,
    place: Place,
    sc: bool,
    /// What happens before it, apart from what it learns from the store that it reads.
    known: &'a [u32],
}

impl Newest<'_> {
    /// Whether an event of a thread at a time happens before it.
    fn follows(&self, thread: ThreadId, time: u32) -> bool {
        thread == self.thread || covers(self.known, thread, time)
    }
}

/// The events that the condition is asked about: those of a scope.
struct World<'a> {
    relations: &'a Relations,
    /// The scope.
    here: Set,
    /// The sequentially consistent fences that happen before the newest event.
    fences: Set,
    /// The events that the program orders before the newest one by scb, where that is sequentially consistent.
    before: Set,
}

impl Graph {
    /// Whether psc stays acyclic if a thread's next event is this stale access.
    pub(super) fn is_sc_consistent(
        &self,
        scope: Scope<'_>,
        thread: ThreadId,
        object: ObjectId,
        choice: Choice,
    ) -> bool {
        let sc = choice.order == Ordering::SeqCst;
        let place = self.place_of_choice(object, choice);
        let newest = Newest { thread, object, place, sc, known: self.known(thread, scope) };
        // Without fences edges end at sequentially consistent stores, in the first step at those that are newer.
        let overtaken = || {
            let newer = self.stores(object, scope).rev().take_while(|(store, _)| *store != choice.store);
            newer.filter_map(|(_, node)| node).any(Node::is_sc)
        };
        (!sc && !self.is_fenced(scope, thread))
            || (self.sc_fences.is_empty() && !overtaken())
            || self.stays_acyclic(scope, &newest)
    }

    /// Whether a sequentially consistent fence happens before a thread's next event.
    pub(super) fn is_fenced(&self, scope: Scope<'_>, thread: ThreadId) -> bool {
        if self.sc_fences.is_empty() {
            return false;
        }
        let known = self.known(thread, scope);
        let mut fences = self.sc_fences.iter().map(|&fence| self.node(fence)).filter(|fence| scope.has(fence));
        fences.any(|fence| fence.thread == thread || covers(known, fence.thread, fence.time))
    }

    fn place_of_choice(&self, object: ObjectId, choice: Choice) -> Place {
        let at = self.known_location(object).map_or(Rank(0), |location| location.rank(choice.store));
        match choice.part {
            Part::Read => Place { at, writes: false, reads: Some(at) },
            Part::Write => Place { at: at.behind(), writes: true, reads: None },
            Part::Update => Place { at: at.behind(), writes: true, reads: Some(at) },
        }
    }

    /// Whether psc, which is acyclic in a scope, still is with one more event.
    fn stays_acyclic(&self, scope: Scope<'_>, newest: &Newest<'_>) -> bool {
        let relations: &RefCell<Relations> = &self.relations;
        relations.borrow_mut().complete(self);
        let relations = &relations.borrow();
        let empty = || Set::from_elem(0, relations.words());
        let (mut by_scb, mut by_eco) = (empty(), empty());
        let mut world = World { relations, here: empty(), fences: empty(), before: empty() };
        // The thread's last event that is not on the object.
        let events = self.threads.get(newest.thread.index()).map_or(0, |events| self.count_in(events, scope));
        let last = self.last_elsewhere(newest.object, newest.thread, events);
        for (event, related) in relations.events().iter().enumerate() {
            let node = self.node(related.node);
            if !scope.has(node) {
                continue;
            }
            add(&mut world.here, event);
            if node.is_sc_fence() && newest.follows(node.thread, node.time) {
                add(&mut world.fences, event);
            }
            let place = if node.object == newest.object { self.place(related.node) } else { None };
            if place.is_some_and(|place| newest.place.is_overtaken_by(place)) {
                add(&mut by_scb, event);
            }
            if place.is_some_and(|place| newest.place.is_extended_by(place)) {
                add(&mut by_eco, event);
            }
            if newest.sc
                && (node.thread == newest.thread || last.is_some_and(|last| self.is_strongly_before(related, last)))
            {
                add(&mut world.before, event);
            }
        }
        let mut ends = empty();
        world.add_ends(&by_scb, &mut ends);
        if world.closes(ends, newest.sc) {
            return false;
        }
        let mut fences = empty();
        world.add_fences(&by_eco, &mut fences);
        !world.closes(fences, false)
    }
}

impl World<'_> {
    /// Whether psc leads from one of some events, in any number of steps, to a fence before the newest event, or to that
    /// event.
    fn closes(&self, mut seen: Set, to_newest: bool) -> bool {
        let mut todo = seen.clone();
        loop {
            let Some(event) = events_of(&todo).next() else { return false };
            todo[event / 64] &= !(1 << (event % 64));
            if has(&self.fences, event) || (to_newest && has(&self.before, event)) {
                return true;
            }
            let mut ends = Set::from_elem(0, seen.len());
            self.add_edges(event, &mut ends);
            for (word, end) in ends.into_iter().enumerate() {
                todo[word] |= end & !seen[word];
                seen[word] |= end;
            }
        }
    }

    /// Adds where the edges of psc from an event end.
    fn add_edges(&self, event: usize, ends: &mut Events) {
        self.add_ends(self.relations.scb(event), ends);
        if !has(self.relations.fences(), event) {
            return;
        }
        self.add_fences(self.relations.eco(event), ends);
        let after: Set = self.relations.hb(event).iter().zip(&self.here).map(|(after, here)| after & here).collect();
        for (word, after) in after.iter().enumerate() {
            ends[word] |= after & self.relations.fences()[word];
        }
        for next in events_of(&after) {
            self.add_ends(self.relations.scb(next), ends);
            self.add_fences(self.relations.eco(next), ends);
        }
    }

    /// Adds where edges of psc end that get to some events by scb: there, and at the fences after them.
    fn add_ends(&self, reached: &Events, ends: &mut Events) {
        for (word, reached) in reached.iter().enumerate() {
            ends[word] |= reached & self.here[word] & self.relations.sc()[word];
        }
        self.add_fences(reached, ends);
    }

    /// Adds the fences after some events. Some are beyond the scope or were taken back. Nothing leads from them into the scope: edges
    /// from fences begin with hb, and what happens before an event of the scope is in it.
    fn add_fences(&self, reached: &Events, ends: &mut Events) {
        if !self.relations.has_fences() {
            return;
        }
        for event in events_of(reached) {
            for (end, (after, fences)) in
                ends.iter_mut().zip(self.relations.hb(event).iter().zip(self.relations.fences()))
            {
                *end |= after & fences;
            }
        }
    }
}
