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

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;

use super::relations::{Events, Place, Relations, add, events_of, has};
use super::{Choice, Graph, Part, Rank, Scope, covers};
use crate::clocks::acquires;
use crate::{ObjectId, ThreadId};

/// A set of events of one's own: the condition is asked about often, and most runs have few events.
type Set = SmallVec<[u64; 2]>;

/// An access that is about to be made.
struct Newest<'a> {
    thread: ThreadId,
    object: ObjectId,
    place: Place,
    sc: bool,
    /// What happens before it: what its thread knew, and what it learns from the store that it reads.
    known: [&'a [u32]; 2],
}

impl Newest<'_> {
    /// Whether an event of a thread at a time happens before it.
    fn follows(&self, thread: ThreadId, time: u32) -> bool {
        thread == self.thread || self.known.iter().any(|known| covers(known, thread, time))
    }
}

/// The events that the condition is asked about: those of a scope.
struct World<'a> {
    relations: &'a Relations,
    /// The scope.
    here: Set,
    /// The sequentially consistent fences that happen before the newest event.
    fences: Set,
    /// The events that lead to the newest one by scb, where that is sequentially consistent.
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
        let learns = (choice.part != Part::Write && acquires(choice.order)).then(|| self.maker(object, choice.store));
        let message = learns.flatten().map_or(&[][..], |maker| maker.message());
        let place = self.place_of_choice(object, choice);
        let newest = Newest { thread, object, place, sc, known: [self.known(thread, scope), message] };
        let mut fences = self.sc_fences.iter().map(|&fence| self.node(fence));
        let fenced = fences.any(|fence| scope.has(fence) && newest.follows(fence.thread, fence.time));
        (!sc && !fenced) || self.stays_acyclic(scope, &newest)
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
        for (event, node) in self.nodes.iter().enumerate().filter(|(_, node)| scope.has(node)) {
            add(&mut world.here, event);
            let earlier = newest.follows(node.thread, node.time);
            if earlier && node.is_sc_fence() {
                add(&mut world.fences, event);
            }
            let same = node.object == newest.object;
            let place = if same { self.place(event) } else { None };
            if place.is_some_and(|place| newest.place.is_overtaken_by(place)) {
                add(&mut by_scb, event);
            }
            if place.is_some_and(|place| newest.place.is_extended_by(place)) {
                add(&mut by_eco, event);
            }
            if newest.sc
                && (node.thread == newest.thread
                    || (same && earlier)
                    || place.is_some_and(|place| place.is_overtaken_by(newest.place))
                    || last.is_some_and(|last| self.is_strongly_before(event, last)))
            {
                add(&mut world.before, event);
            }
        }
        let (mut ends, mut fences) = (empty(), empty());
        world.add_ends(&by_scb, &mut ends);
        world.add_fences(&by_eco, &mut fences);
        !world.closes(ends, newest.sc) && !world.closes(fences, false)
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
            if has(&self.fences, event) || (to_newest && self.leads_to_newest(event)) {
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

    /// Whether an edge of psc leads from an event to the newest one, which is sequentially consistent.
    fn leads_to_newest(&self, event: usize) -> bool {
        has(&self.before, event)
            || (has(self.relations.fences(), event)
                && self.relations.hb(event).iter().zip(&self.before).any(|(after, before)| after & before != 0))
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

    /// Adds the fences after some events.
    fn add_fences(&self, reached: &Events, ends: &mut Events) {
        for event in events_of(reached).filter(|&event| has(&self.here, event)) {
            let words = self.relations.hb(event).iter().zip(self.relations.fences()).zip(&self.here);
            for (end, ((after, fences), here)) in ends.iter_mut().zip(words) {
                *end |= after & fences & here;
            }
        }
    }
}
