//! Relations between the events of the graph that the condition on sequentially consistent events is made of (`sc`), as rows of
//! bits. Whether two events are related is the same in every prefix of the run that has both: happens-before and modification order
//! are, and what comes between two events by program order is in each prefix that has the later one. So a row is worked out
//! once, when it is first asked for after its event was added, and stays until the event is taken back.
//!
//! Without fences psc is scb between sequentially consistent events, and only these have rows. As soon as there is a sequentially
//! consistent fence, all events have.
//!
//! ```text
//! scb = sb ∪ sb≠loc;hb;sb≠loc ∪ hb|loc ∪ mo ∪ rb         eco = (rf ∪ mo ∪ rb)⁺
//! ```
//!
//! The steps of the library count as sequentially consistent accesses of their objects, ordered as they were made.

use super::{Does, Graph, Node, NodeId, Rank, covers};
use crate::{ObjectId, ThreadId};

/// A set of events, 64 in a word.
pub(super) type Events = [u64];

/// Whether an event is in a set.
pub(super) fn has(set: &Events, event: usize) -> bool {
    set[event / 64] >> (event % 64) & 1 != 0
}

/// Adds an event to a set.
pub(super) fn add(set: &mut Events, event: usize) {
    set[event / 64] |= 1 << (event % 64);
}

/// The events of a set in order.
pub(super) fn events_of(set: &Events) -> impl Iterator<Item = usize> {
    (0..).zip(set).flat_map(|(word, &bits)| {
        std::iter::successors((bits != 0).then_some(bits), |bits| Some(bits & (bits - 1)).filter(|&bits| bits != 0))
            .map(move |bits: u64| word * 64 + bits.trailing_zeros() as usize)
    })
}

/// A relation: for each event those that it is related to.
#[derive(Default)]
struct Rows(Vec<u64>);

impl Rows {
    fn set(&mut self, words: usize, from: usize, to: usize, related: bool) {
        let word = &mut self.0[from * words + to / 64];
        let bit = 1 << (to % 64);
        *word = if related { *word | bit } else { *word & !bit };
    }

    /// Makes rows of more words, and room for more of them.
    fn widen(&mut self, old: usize, new: usize) {
        if old != new && old > 0 {
            let rows = self.0.chunks(old);
            self.0 = rows.flat_map(|row| row.iter().copied().chain((old..new).map(|_| 0))).collect();
        }
    }
}

/// An event that has rows.
#[derive(Clone, Copy)]
pub(super) struct Related {
    pub(super) node: NodeId,
    /// Where it stands among those of its thread.
    pub(super) number: usize,
}

/// The relations between events of a graph. Those that have rows are numbered in the order of the run.
#[derive(Default)]
pub(super) struct Relations {
    events: Vec<Related>,
    /// Nodes that were looked at, and whether all of them have rows.
    seen: usize,
    all: bool,
    /// Words of a row.
    words: usize,
    hb: Rows,
    scb: Rows,
    eco: Rows,
    /// The sequentially consistent events, and the fences among them.
    sc: Vec<u64>,
    fences: Vec<u64>,
}

/// An access as far as its place in the order of its object goes.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Of a store its own place in modification order, of a read that of what it reads.
    pub(super) at: Rank,
    pub(super) writes: bool,
    /// Where what it reads is.
    pub(super) reads: Option<Rank>,
}

impl Place {
    /// The other one comes later by mo or rb.
    pub(super) fn is_overtaken_by(self, other: Place) -> bool {
        other.writes && self.at < other.at
    }

    /// The other one comes later by (rf ∪ mo ∪ rb)⁺: it is a later store, reads one, or reads what this one wrote.
    pub(super) fn is_extended_by(self, other: Place) -> bool {
        let reads = other.reads.is_some_and(|from| from > self.at || (from == self.at && self.writes));
        reads || self.is_overtaken_by(other)
    }
}

impl Relations {
    /// Forgets the rows of events that were taken back.
    pub(super) fn truncate(&mut self, nodes: usize) {
        if self.seen > nodes {
            self.seen = nodes;
            let events = self.events.partition_point(|event| event.node.index() < nodes);
            self.events.truncate(events);
        }
    }

    /// Forgets everything, keeping memory.
    pub(super) fn clear(&mut self) {
        self.truncate(0);
        self.all = false;
    }

    /// The events that have rows.
    pub(super) fn events(&self) -> &[Related] {
        &self.events
    }

    /// Words of a set of events.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Those that an event happens before.
    pub(super) fn hb(&self, event: usize) -> &Events {
        &self.hb.0[event * self.words..][..self.words]
    }

    /// Those that an event is related to by scb.
    pub(super) fn scb(&self, event: usize) -> &Events {
        &self.scb.0[event * self.words..][..self.words]
    }

    /// ... by eco.
    pub(super) fn eco(&self, event: usize) -> &Events {
        &self.eco.0[event * self.words..][..self.words]
    }

    /// The sequentially consistent events; what stands beyond the last event is of no account.
    pub(super) fn sc(&self) -> &Events {
        &self.sc
    }

    /// Whether there may be fences.
    pub(super) fn has_fences(&self) -> bool {
        self.all
    }

    /// The fences among them.
    pub(super) fn fences(&self) -> &Events {
        &self.fences
    }

    /// Works out the rows that are missing.
    pub(super) fn complete(&mut self, graph: &Graph) {
        if !self.all && !graph.sc_fences.is_empty() {
            self.truncate(0);
            self.all = true;
        }
        for (new, node) in (0..).map(NodeId).zip(&graph.nodes).skip(self.seen) {
            if self.all || node.is_sc() {
                self.add(graph, new);
            }
        }
        self.seen = graph.nodes.len();
    }

    fn make_room(&mut self, events: usize) {
        let words = events.div_ceil(64).next_power_of_two().max(self.words);
        for rows in [&mut self.hb, &mut self.scb, &mut self.eco] {
            rows.widen(self.words, words);
            rows.0.resize(rows.0.len().max(events * words), 0);
        }
        self.words = words;
        for set in [&mut self.sc, &mut self.fences] {
            set.resize(words, 0);
        }
    }

    /// The rows and columns of an event, all events before which have theirs.
    fn add(&mut self, graph: &Graph, id: NodeId) {
        let new = self.events.len();
        self.make_room(new + 1);
        let words = self.words;
        let node = graph.node(id);
        let (place, number) = (graph.place(id), graph.number_in_thread(id));
        let before = graph.last_elsewhere(node.object, node.thread, number);
        for (set, is) in [(&mut self.sc, node.is_sc()), (&mut self.fences, node.is_sc_fence())] {
            set[new / 64] &= !(1 << (new % 64));
            set[new / 64] |= u64::from(is) << (new % 64);
        }
        for rows in [&mut self.hb, &mut self.scb, &mut self.eco] {
            rows.set(words, new, new, false);
        }
        for (old, event) in self.events.iter().enumerate() {
            let other = graph.node(event.node);
            let earlier = happens_before(other, node);
            let same = node.object != ObjectId::NONE && node.object == other.object;
            let places = if same { graph.place(event.node).zip(place) } else { None };
            let scb = other.thread == node.thread
                || (same && (earlier || conflict(other, node)))
                || places.is_some_and(|(old, new)| old.is_overtaken_by(new))
                || before.is_some_and(|before| graph.is_strongly_before(event, before));
            self.hb.set(words, old, new, earlier);
            self.scb.set(words, old, new, scb);
            self.eco.set(words, old, new, places.is_some_and(|(old, new)| old.is_extended_by(new)));
            // The new one may stand before the old one in modification order.
            self.hb.set(words, new, old, false);
            self.scb.set(words, new, old, places.is_some_and(|(old, new)| new.is_overtaken_by(old)));
            self.eco.set(words, new, old, places.is_some_and(|(old, new)| new.is_extended_by(old)));
        }
        self.events.push(Related { node: id, number });
    }
}

/// a happens before b, which came later in the run.
fn happens_before(a: &Node, b: &Node) -> bool {
    a.thread == b.thread || covers(&b.known, a.thread, a.time)
}

/// Steps of the library on one object, whose order matters.
fn conflict(a: &Node, b: &Node) -> bool {
    match (a.does, b.does) {
        (Does::Library(first), Does::Library(second)) => first.conflicts() & second.bit() != 0,
        _ => false,
    }
}

impl Graph {
    /// Where the access of a node stands; none for other events.
    pub(super) fn place(&self, id: NodeId) -> Option<Place> {
        let node = self.node(id);
        let location = self.known_location(node.object)?;
        let reads = node.reads_from().map(|from| location.rank(from));
        let made = self.made(id).map(|made| location.rank(made));
        Some(Place { at: made.or(reads)?, writes: made.is_some(), reads })
    }

    /// The last event of a thread, of its first `count`, that is not on an object.
    pub(super) fn last_elsewhere(&self, object: ObjectId, thread: ThreadId, count: usize) -> Option<&Node> {
        let events = self.threads.get(thread.index())?[..count].iter().rev();
        events.map(|&event| self.node(event)).find(|node| is_elsewhere(node, object))
    }

    /// Whether the first event after another one in its thread that is not on the same object happens before `later`, an event
    /// of another thread.
    pub(super) fn is_strongly_before(&self, event: &Related, later: &Node) -> bool {
        let Node { thread, object, .. } = *self.node(event.node);
        let after = self.threads[thread.index()][event.number + 1..].iter();
        let first = after.map(|&event| self.node(event)).find(|node| is_elsewhere(node, object));
        first.is_some_and(|first| covers(&later.known, first.thread, first.time))
    }

    /// Where an event stands among those of its thread.
    fn number_in_thread(&self, id: NodeId) -> usize {
        self.threads[self.node(id).thread.index()].partition_point(|other| other.index() < id.index())
    }
}

fn is_elsewhere(node: &Node, object: ObjectId) -> bool {
    node.object == ObjectId::NONE || node.object != object
}
