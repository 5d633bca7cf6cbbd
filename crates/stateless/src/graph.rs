//! The execution graph of a run under \[RC11\]: its events, what they read from, and for each atomic its stores in
//! modification order. Pure data: the running program adds to it (`weak`), and the walk over prefixes of a run rebuilds it
//! from the same nodes (`history`). A stack: [`Graph::push`] and [`Graph::pop`].
//!
//! Happens-before is known by vector clocks, which are the same in every prefix of the run that has the event. Times
//! are those of `clocks`: they move on where a thread releases, so events between two releases share one.
//!
//! An access does what one of its [choices](choices) says. `sc` holds the condition on SeqCst; `axioms` checks
//! a whole graph from the definitions, at the end of each run, in debug builds with the feature of that name.

#[cfg(all(debug_assertions, any(test, feature = "self-checks")))]
mod axioms;
mod choices;
mod location;
mod relations;
mod sc;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use crate::op::Class;
use crate::{ObjectId, ThreadId};

pub(crate) use choices::{Choice, Part};
use location::{Location, Rank, Store};
use relations::Relations;

/// A value of an atomic, numbered in the order in which the run met it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ValueId(pub(crate) u32);

/// A store of an atomic, numbered in the order of the run; 0 is the value it was created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StoreId(pub(crate) u32);

impl StoreId {
    /// The value that the atomic was created with.
    pub(crate) const BASE: StoreId = StoreId(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// An event of the graph, numbered in the order of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an atomic access asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Wants {
    Load(Ordering),
    Store(Ordering),
    Modify(Ordering),
    /// Orderings of success and failure, and what must be there.
    Exchange(Ordering, Ordering, ValueId),
}

impl Wants {
    /// Whether an ordering that may come to count is `SeqCst`.
    fn may_be_sc(self) -> bool {
        match self {
            Wants::Load(order) | Wants::Store(order) | Wants::Modify(order) => order == Ordering::SeqCst,
            Wants::Exchange(success, failure, _) => success == Ordering::SeqCst || failure == Ordering::SeqCst,
        }
    }
}

/// A pending access of an atomic whose stores are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Access {
    pub(crate) wants: Wants,
    /// What the stores hold that are no steps: the first one, and those by exclusive references.
    pub(crate) base: ValueId,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Does {
    /// Reads a store.
    Reads {
        from: StoreId,
        order: Ordering,
    },
    /// Writes; `after` is the store it stands behind in modification order.
    Writes {
        after: StoreId,
        order: Ordering,
    },
    /// Reads a store and writes right behind it.
    Updates {
        from: StoreId,
        order: Ordering,
    },
    /// Writes not atomically, through an exclusive reference, at the end of the modification order.
    Overwrites {
        after: StoreId,
    },
    Fence(Ordering),
    /// A step on an object of the library.
    Library(Class),
    /// Anything else: starts or ends a thread, accesses a cell.
    Local,
}

/// An event of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) thread: ThreadId,
    /// It is in the prefixes that have so many steps of its thread.
    pub(crate) need: u32,
    /// It is a step; else it belongs to the step before it.
    pub(crate) step: bool,
    pub(crate) does: Does,
    /// The object accessed, or [`ObjectId::NONE`].
    pub(crate) object: ObjectId,
    /// The time of its thread.
    pub(crate) time: u32,
    /// What happens before it, or is it.
    pub(crate) known: Rc<[u32]>,
    /// A store: what an acquiring read of it learns.
    pub(crate) message: Option<Rc<[u32]>>,
    /// A store: what it wrote.
    pub(crate) value: ValueId,
}

impl Node {
    /// What it reads from.
    pub(crate) fn reads_from(&self) -> Option<StoreId> {
        match self.does {
            Does::Reads { from, .. } | Does::Updates { from, .. } => Some(from),
            _ => None,
        }
    }

    /// The store behind which it stands in modification order, if it writes.
    pub(crate) fn written_after(&self) -> Option<StoreId> {
        match self.does {
            Does::Writes { after, .. } | Does::Overwrites { after } | Does::Updates { from: after, .. } => Some(after),
            _ => None,
        }
    }

    fn is_sc(&self) -> bool {
        match self.does {
            Does::Reads { order, .. }
            | Does::Writes { order, .. }
            | Does::Updates { order, .. }
            | Does::Fence(order) => order == Ordering::SeqCst,
            Does::Library(_) => true,
            Does::Overwrites { .. } | Does::Local => false,
        }
    }

    fn is_sc_fence(&self) -> bool {
        self.does == Does::Fence(Ordering::SeqCst)
    }
}

/// Whether a clock covers a moment of a thread.
fn covers(clock: &[u32], thread: ThreadId, time: u32) -> bool {
    clock.get(thread.index()).is_some_and(|&known| known >= time)
}

/// Some of the events: those of a run, or of a prefix of it.
#[derive(Clone, Copy)]
pub(crate) enum Scope<'a> {
    Run,
    /// For each thread how many of its steps.
    Prefix(&'a [u32]),
}

impl Scope<'_> {
    fn has(self, node: &Node) -> bool {
        match self {
            Scope::Run => true,
            Scope::Prefix(counts) => counts.get(node.thread.index()).is_some_and(|&count| count >= node.need),
        }
    }
}

/// The graph.
#[derive(Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    /// For each node that reads a store: the one that read the same store before.
    earlier: Vec<Option<NodeId>>,
    /// For each node the store that it made.
    made: Vec<Option<StoreId>>,
    /// For each thread its nodes in order.
    threads: Vec<Vec<NodeId>>,
    /// By object; most are no atomics.
    locations: Vec<Location>,
    /// Nodes that are sequentially consistent accesses or fences; steps of the library do not count.
    sc: u32,
    /// The fences among them.
    sc_fences: Vec<NodeId>,
    /// What the condition on SeqCst is made of; worked out when it is asked for.
    relations: RefCell<Relations>,
}

impl Graph {
    /// Forgets everything, keeping memory.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.earlier.clear();
        self.made.clear();
        self.threads.iter_mut().for_each(Vec::clear);
        self.locations.iter_mut().for_each(|location| {
            location.stores.clear();
            location.order.clear();
            location.threads.iter_mut().for_each(|(_, stores)| stores.clear());
        });
        self.sc = 0;
        self.sc_fences.clear();
        self.relations.get_mut().clear();
    }

    /// Whether little memory was needed so far.
    pub(crate) fn is_small(&self) -> bool {
        self.nodes.capacity() <= 4096 && self.locations.len() <= 1024
    }

    /// The events so far.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// An event.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The newest event, whose value is not known yet.
    pub(crate) fn newest(&mut self) -> Option<&mut Node> {
        self.nodes.last_mut()
    }

    /// The newest event with the store that it made, if it did.
    pub(crate) fn newest_made(&self) -> Option<(&Node, StoreId)> {
        Some((self.nodes.last()?, (*self.made.last()?)?))
    }

    fn location(&mut self, object: ObjectId) -> &mut Location {
        if self.locations.len() <= object.index() {
            self.locations.resize_with(object.index() + 1, Location::default);
        }
        let location = &mut self.locations[object.index()];
        if location.stores.is_empty() {
            location.begin();
        }
        location
    }

    /// The stores of an object that was accessed.
    fn known_location(&self, object: ObjectId) -> Option<&Location> {
        self.locations.get(object.index()).filter(|location| !location.stores.is_empty())
    }

    /// Adds an event; the store that it makes, if it does.
    pub(crate) fn push(&mut self, node: Node) -> Option<StoreId> {
        let id = NodeId(self.nodes.len() as u32);
        let t = node.thread.index();
        if self.threads.len() <= t {
            self.threads.resize_with(t + 1, Vec::new);
        }
        self.threads[t].push(id);
        let earlier = node.reads_from().and_then(|from| {
            let store = &mut self.location(node.object).stores[from.index()];
            store.reader.replace(id)
        });
        self.earlier.push(earlier);
        let made = node.written_after().map(|after| {
            let location = self.location(node.object);
            let new = location.insert(id, after);
            if let Does::Updates { from, .. } = node.does {
                location.stores[from.index()].update = Some(new);
            }
            if node.step {
                location.of_thread(node.thread).push(id);
            }
            new
        });
        self.made.push(made);
        self.sc += u32::from(node.is_sc() && !matches!(node.does, Does::Library(_)));
        if node.is_sc_fence() {
            self.sc_fences.push(id);
        }
        self.nodes.push(node);
        made
    }

    /// Takes back the newest event.
    pub(crate) fn pop(&mut self) {
        let Some(node) = self.nodes.pop() else { return };
        self.relations.get_mut().truncate(self.nodes.len());
        let earlier = self.earlier.pop().flatten();
        self.made.pop();
        self.threads[node.thread.index()].pop();
        if node.is_sc_fence() {
            self.sc_fences.pop();
        }
        self.sc -= u32::from(node.is_sc() && !matches!(node.does, Does::Library(_)));
        if node.written_after().is_some() {
            let location = self.location(node.object);
            location.pop();
            if node.step {
                location.of_thread(node.thread).pop();
            }
        }
        if let Some(from) = node.reads_from() {
            let store = &mut self.location(node.object).stores[from.index()];
            store.reader = earlier;
            if matches!(node.does, Does::Updates { .. }) {
                store.update = None;
            }
        }
    }

    /// The events that read a store, the newest first.
    fn readers(&self, store: &Store) -> impl Iterator<Item = &Node> {
        let readers = std::iter::successors(store.reader, |&reader| self.earlier[reader.index()]);
        readers.map(|reader| self.node(reader))
    }

    /// The event that made a store; none for the first one.
    pub(crate) fn maker(&self, object: ObjectId, store: StoreId) -> Option<&Node> {
        let node = self.known_location(object)?.stores.get(store.index())?.node?;
        Some(self.node(node))
    }

    /// The newest store of an object in modification order.
    pub(crate) fn last_store(&self, object: ObjectId) -> StoreId {
        self.known_location(object).and_then(|location| location.order.last().copied()).unwrap_or(StoreId::BASE)
    }

    /// Whether the newest event is the last store of its object in modification order.
    pub(crate) fn newest_is_last(&self) -> bool {
        let Some(newest) = self.nodes.last() else { return false };
        let last = self.maker(newest.object, self.last_store(newest.object));
        last.is_some_and(|last| std::ptr::eq(last, newest))
    }

    /// The stores of an object in modification order that a scope has, with their events.
    pub(crate) fn stores(
        &self,
        object: ObjectId,
        scope: Scope<'_>,
    ) -> impl DoubleEndedIterator<Item = (StoreId, Option<&Node>)> {
        let location = self.known_location(object);
        let order = location.map_or(&[][..], |location| &location.order);
        order.iter().filter_map(move |&store| {
            let node = location.and_then(|l| l.stores[store.index()].node).map(|node| self.node(node));
            node.is_none_or(|node| scope.has(node)).then_some((store, node))
        })
    }

    /// Where the stores of an object stand in modification order, by their numbers.
    pub(crate) fn places(&self, object: ObjectId, places: &mut Vec<u32>) {
        let order = self.known_location(object).map_or(&[][..], |location| &location.order);
        places.clear();
        places.resize(order.len(), 0);
        for (place, store) in (0..).zip(order) {
            places[store.index()] = place;
        }
    }

    /// The store that an event made, if it made one.
    pub(crate) fn made(&self, node: NodeId) -> Option<StoreId> {
        self.made[node.index()]
    }

    /// The stores of an object that are steps of other threads in a scope.
    pub(crate) fn stores_of_others(
        &self,
        object: ObjectId,
        thread: ThreadId,
        scope: Scope<'_>,
    ) -> impl Iterator<Item = (StoreId, &Node)> {
        let threads = self.known_location(object).map_or(&[][..], |location| &location.threads);
        let others = threads.iter().filter(move |(other, _)| *other != thread);
        others.flat_map(move |(_, stores)| {
            let nodes = stores.iter().map(|&node| (self.made(node).unwrap_or(StoreId::BASE), node));
            nodes.map(|(made, node)| (made, self.node(node))).take_while(move |(_, node)| scope.has(node))
        })
    }

    /// Which stores of an object a prefix has, as a number: of each thread its first ones. None if the number would be too large, or
    /// some were not made by steps.
    pub(crate) fn stores_as_number(&self, object: ObjectId, counts: &[u32]) -> Option<u64> {
        let threads = self.known_location(object).map_or(&[][..], |location| &location.threads);
        let (mut number, mut steps) = (0, 1);
        for (shift, (_, stores)) in (0..).step_by(8).zip(threads).filter(|(_, (_, stores))| !stores.is_empty()) {
            let count = self.count_in(stores, Scope::Prefix(counts)) as u64;
            if shift > 56 || count > 255 {
                return None;
            }
            number |= count << shift;
            steps += stores.len();
        }
        let all = self.known_location(object).is_none_or(|location| location.stores.len() == steps);
        all.then_some(number)
    }

    /// Whether a store of an object stands before another one in modification order.
    pub(crate) fn is_before(&self, object: ObjectId, a: StoreId, b: StoreId) -> bool {
        let location = self.known_location(object);
        location.is_some_and(|location| location.stores[a.index()].rank < location.stores[b.index()].rank)
    }

    /// The last event of a thread in a scope.
    fn last_of(&self, thread: ThreadId, scope: Scope<'_>) -> Option<&Node> {
        let nodes = self.threads.get(thread.index())?;
        self.count_in(nodes, scope).checked_sub(1).map(|last| self.node(nodes[last]))
    }

    /// How many of a thread's events a scope has.
    fn count_in(&self, nodes: &[NodeId], scope: Scope<'_>) -> usize {
        match scope {
            Scope::Run => nodes.len(),
            // Most prefixes have all events of most threads.
            Scope::Prefix(_) if nodes.last().is_none_or(|&last| scope.has(self.node(last))) => nodes.len(),
            Scope::Prefix(_) => nodes.partition_point(|&node| scope.has(self.node(node))),
        }
    }

    /// The newest event of a thread.
    pub(crate) fn newest_of(&self, thread: ThreadId) -> Option<&Node> {
        self.last_of(thread, Scope::Run)
    }

    /// What happens before the next event of a thread.
    fn known(&self, thread: ThreadId, scope: Scope<'_>) -> &[u32] {
        self.last_of(thread, scope).map_or(&[], |node| &node.known)
    }
}
