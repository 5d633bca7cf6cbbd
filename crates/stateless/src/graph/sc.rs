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

/// A set of events, by position in [`World::events`].
type Set = Vec<u64>;

fn insert(set: &mut Set, i: usize) {
    set[i / 64] |= 1 << (i % 64);
}

fn meets(a: &Set, b: &Set) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

fn add_all(into: &mut Set, from: &Set) {
    into.iter_mut().zip(from).for_each(|(a, b)| *a |= b);
}

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
            join(&mut known, &maker.message);
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
        world.is_acyclic()
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

    fn empty(&self) -> Set {
        vec![0; self.events.len().div_ceil(64)]
    }

    /// The events that satisfy `is`.
    fn all(&self, is: impl Fn(&Event<'a>) -> bool) -> Set {
        let mut set = self.empty();
        self.events.iter().enumerate().filter(|(_, e)| is(e)).for_each(|(i, _)| insert(&mut set, i));
        set
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

    /// The events from which an edge of psc may start on behalf of one, or end if `ends`.
    fn stand_ins(&self, i: usize, ends: bool) -> Set {
        let sc = &self.events[i];
        let mut set = match (sc.fence, ends) {
            (false, _) => self.empty(),
            (true, false) => self.all(|e| self.before(sc, e)),
            (true, true) => self.all(|e| self.before(e, sc)),
        };
        insert(&mut set, i);
        set
    }

    fn is_acyclic(&self) -> bool {
        let sc: Vec<usize> = (0..self.events.len()).filter(|&i| self.events[i].sc).collect();
        let mut rows: Vec<Option<(Set, Set)>> = vec![None; self.events.len()];
        let mut edges: Vec<Set> = Vec::new();
        let ends: Vec<Set> = sc.iter().map(|&c| self.stand_ins(c, true)).collect();
        for &a in &sc {
            let starts = self.stand_ins(a, false);
            let (mut reached, mut by_eco) = (self.empty(), self.empty());
            for b in (0..self.events.len()).filter(|&b| starts[b / 64] >> (b % 64) & 1 != 0) {
                let (scb, eco) = rows[b].get_or_insert_with(|| self.row(b));
                add_all(&mut reached, scb);
                add_all(&mut by_eco, eco);
            }
            let mut row = vec![0; sc.len().div_ceil(64)];
            for (k, &c) in sc.iter().enumerate() {
                let fences = self.events[a].fence && self.events[c].fence;
                let direct = fences && self.before(&self.events[a], &self.events[c]);
                if direct || meets(&reached, &ends[k]) || (fences && meets(&by_eco, &ends[k])) {
                    insert(&mut row, k);
                }
            }
            edges.push(row);
        }
        is_acyclic(&edges)
    }

    /// What comes after an event by scb, and by the extended coherence order.
    fn row(&self, b: usize) -> (Set, Set) {
        let (mut scb, mut eco) = (self.empty(), self.empty());
        for d in 0..self.events.len() {
            if self.scb(b, d) {
                insert(&mut scb, d);
            }
            if self.extended(b, d) {
                insert(&mut eco, d);
            }
        }
        (scb, eco)
    }
}

fn is_acyclic(edges: &[Set]) -> bool {
    let mut closed = edges.to_vec();
    for k in 0..closed.len() {
        let through = closed[k].clone();
        for row in closed.iter_mut().filter(|row| row[k / 64] >> (k % 64) & 1 != 0) {
            add_all(row, &through);
        }
    }
    closed.iter().enumerate().all(|(k, row)| row[k / 64] >> (k % 64) & 1 == 0)
}
