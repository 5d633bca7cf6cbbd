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
//! The steps of the library count as sequentially consistent accesses of their objects, ordered as they were made:
//! what a failed attempt saw (a lock that was taken, an empty channel) fits into one order with the rest.

use std::sync::atomic::Ordering;

use super::{Choice, Does, Graph, Node, Part, Scope, covers};
use crate::clocks::{Clock, acquires, join};
use crate::{ObjectId, ThreadId};

/// An event as the condition sees it.
struct Event<'a> {
    thread: ThreadId,
    /// Its position among the events of its thread.
    n: u32,
    object: ObjectId,
    time: u32,
    known: &'a [u32],
    sc: bool,
    fence: bool,
    library: Option<crate::op::Class>,
    /// An atomic access: where in modification order it stands, or what it reads does; and whether it writes.
    place: Option<u32>,
    writes: bool,
    reads: Option<u32>,
}

/// The events of a scope, and one more.
struct World<'a> {
    events: Vec<Event<'a>>,
    /// For each thread its events in order, by position.
    threads: Vec<Vec<usize>>,
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
        let mut known: Clock = self.known(thread, scope).to_vec();
        if choice.part != Part::Write
            && acquires(choice.order)
            && let Some(maker) = self.maker(object, choice.store)
        {
            join(&mut known, maker.message());
        }
        let fenced = |node: &&Node| {
            node.is_sc_fence() && scope.has(node) && (node.thread == thread || covers(&known, node.thread, node.time))
        };
        if choice.order != Ordering::SeqCst && !self.nodes.iter().any(|node| fenced(&node)) {
            return true;
        }
        let mut world = World { events: Vec::new(), threads: Vec::new() };
        for node in self.nodes.iter().filter(|node| scope.has(node)) {
            world.add(node, self.place(node));
        }
        let (place, reads) = self.place_of_choice(object, choice);
        world.push(Event {
            thread,
            n: 0,
            object,
            // Nobody knows of it.
            time: u32::MAX,
            known: &known,
            sc: choice.order == Ordering::SeqCst,
            fence: false,
            library: None,
            place: Some(place),
            writes: choice.part != Part::Read,
            reads,
        });
        world.stays_acyclic()
    }

    /// Twice the position in modification order, so that the new store fits in between: of a store its own, of a read that of
    /// what it reads.
    fn place(&self, node: &Node) -> Option<u32> {
        let location = self.known_location(node.object)?;
        if node.written_after().is_some() {
            let mine = |s: &super::StoreId| {
                location.stores[s.index()].node.is_some_and(|n| std::ptr::eq(&self.nodes[n as usize], node))
            };
            return location.order.iter().position(mine).map(|place| 2 * place as u32);
        }
        node.reads_from().map(|from| 2 * location.position(from) as u32)
    }

    fn place_of_choice(&self, object: ObjectId, choice: Choice) -> (u32, Option<u32>) {
        let place = self.known_location(object).map_or(0, |location| 2 * location.position(choice.store) as u32);
        match choice.part {
            Part::Read => (place, Some(place)),
            Part::Write => (place + 1, None),
            Part::Update => (place + 1, Some(place)),
        }
    }
}

impl<'a> World<'a> {
    fn add(&mut self, node: &'a Node, place: Option<u32>) {
        let library = match node.does {
            Does::Library(class) => Some(class),
            _ => None,
        };
        self.push(Event {
            thread: node.thread,
            n: 0,
            object: node.object,
            time: node.time,
            known: &node.known,
            sc: node.is_sc(),
            fence: node.is_sc_fence(),
            library,
            place,
            writes: node.written_after().is_some(),
            reads: match node.does {
                Does::Reads { .. } => place,
                Does::Updates { .. } => place.map(|place| place.saturating_sub(2)),
                _ => None,
            },
        });
    }

    fn push(&mut self, event: Event<'a>) {
        let t = event.thread.index();
        if self.threads.len() <= t {
            self.threads.resize_with(t + 1, Vec::new);
        }
        let n = self.threads[t].len() as u32;
        self.threads[t].push(self.events.len());
        self.events.push(Event { n, ..event });
    }

    /// a happens before b.
    fn before(&self, a: &Event<'_>, b: &Event<'_>) -> bool {
        if a.thread == b.thread { a.n < b.n } else { covers(b.known, a.thread, a.time) }
    }

    /// b comes after a by mo or rb, or by the order in which steps of the library were made.
    fn overtaken(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.events[i], &self.events[j]);
        if i == j || a.object != b.object || a.object == ObjectId::NONE {
            return false;
        }
        match (a.library, b.library) {
            (Some(first), Some(second)) => i < j && first.conflicts() & second.bit() != 0,
            _ => b.writes && a.place.zip(b.place).is_some_and(|(a, b)| a < b),
        }
    }

    /// b comes after a by (rf ∪ mo ∪ rb)⁺.
    fn extended(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.events[i], &self.events[j]);
        if i == j || a.object != b.object || a.place.is_none() {
            return false;
        }
        // It reads a later store, or what a wrote.
        let read = b.reads.zip(a.place).is_some_and(|(from, a_place)| from > a_place || (from == a_place && a.writes));
        self.overtaken(i, j) || read
    }

    /// The first event of a's thread after it, and the last of b's before it, elsewhere: one happens before the other.
    fn strongly(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.events[i], &self.events[j]);
        let elsewhere = |e: &Event<'_>, from: &Event<'_>| from.object == ObjectId::NONE || e.object != from.object;
        let after = &self.threads[a.thread.index()][a.n as usize + 1..];
        let before = &self.threads[b.thread.index()][..b.n as usize];
        let first = after.iter().map(|&e| &self.events[e]).find(|e| elsewhere(e, a));
        let last = before.iter().rev().map(|&e| &self.events[e]).find(|e| elsewhere(e, b));
        first.zip(last).is_some_and(|(first, last)| self.before(first, last))
    }

    fn scb(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.events[i], &self.events[j]);
        if i == j {
            return false;
        }
        if a.thread == b.thread {
            return a.n < b.n || self.overtaken(i, j);
        }
        let same_object = a.object != ObjectId::NONE && a.object == b.object;
        self.overtaken(i, j) || (same_object && self.before(a, b)) || self.strongly(i, j)
    }

    /// Whether psc, which was acyclic before the last event came, still is.
    ///
    /// A new cycle has an edge of psc through a step from the newest event to another one. Such edges start at the newest
    /// event, if it is sequentially consistent, and at the fences before it. So there is a cycle if one of their ends leads back to
    /// one of their starts. Edges by the extended coherence order are between fences only.
    fn stays_acyclic(&self) -> bool {
        let newest = self.events.len() - 1;
        let fence = |a: usize| self.events[a].fence && self.before(&self.events[a], &self.events[newest]);
        let start = |a: usize| (a == newest && self.events[a].sc) || fence(a);
        let mut ends = vec![false; self.events.len()];
        self.add_ends(newest, false, &mut ends);
        if self.leads_to(ends, start) {
            return false;
        }
        let mut ends = vec![false; self.events.len()];
        self.add_ends(newest, true, &mut ends);
        !self.leads_to(ends, fence)
    }

    /// Whether psc leads from one of some events, in any number of steps, to one that is asked for.
    fn leads_to(&self, mut seen: Vec<bool>, wanted: impl Fn(usize) -> bool) -> bool {
        let mut todo: Vec<usize> = (0..seen.len()).filter(|&c| seen[c]).collect();
        while let Some(a) = todo.pop() {
            if wanted(a) {
                return true;
            }
            let mut ends = vec![false; seen.len()];
            self.add_edges(a, &mut ends);
            for c in (0..seen.len()).filter(|&c| ends[c]) {
                if !std::mem::replace(&mut seen[c], true) {
                    todo.push(c);
                }
            }
        }
        false
    }

    /// Marks where the edges of psc from an event end.
    fn add_edges(&self, a: usize, ends: &mut [bool]) {
        self.add_ends(a, false, ends);
        if !self.events[a].fence {
            return;
        }
        self.add_ends(a, true, ends);
        for b in 0..self.events.len() {
            if self.before(&self.events[a], &self.events[b]) {
                ends[b] |= self.events[b].fence;
                self.add_ends(b, false, ends);
                self.add_ends(b, true, ends);
            }
        }
    }

    /// Marks where edges of psc end that step from `b` on by scb, or by the extended coherence order: at the event that this leads
    /// to, and at the fences after it.
    fn add_ends(&self, b: usize, by_eco: bool, ends: &mut [bool]) {
        for d in 0..self.events.len() {
            if !(if by_eco { self.extended(b, d) } else { self.scb(b, d) }) {
                continue;
            }
            let reached = &self.events[d];
            ends[d] |= if by_eco { reached.fence } else { reached.sc };
            for (c, event) in self.events.iter().enumerate().filter(|(_, event)| event.fence) {
                ends[c] |= self.before(reached, event);
            }
        }
    }
}
