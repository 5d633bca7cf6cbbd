//! The memory of a run under \[RC11\]: its execution graph, the happens-before clocks that the graph rests on, and the values of
//! the stores. A run has one from the moment on at which a test uses an ordering weaker than `SeqCst`: the exploration
//! then starts again.
//!
//! These clocks are not those that races are found by: a reference count that is no visible operation orders what its
//! owners do with the value, but its order is not part of the graph, so nothing that is read may depend on it.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use crate::clocks::{Clocks, join, releases};
use crate::graph::{Access, Choice, Does, Graph, Node, Part, Scope, StoreId, ValueId, Wants};
use crate::op::Step;
use crate::rt::{ObjectKind, Operation, Transfer};
use crate::{ObjectId, ThreadId};

/// The values of an atomic.
#[derive(Default)]
struct Values {
    bits: Vec<u64>,
    ids: FxHashMap<u64, ValueId>,
    /// What the stores hold that are no steps; not known before the next access after one of them.
    base: Option<ValueId>,
}

impl Values {
    fn clear(&mut self) {
        self.bits.clear();
        self.ids.clear();
        self.base = None;
    }

    fn id(&mut self, bits: u64) -> ValueId {
        *self.ids.entry(bits).or_insert_with(|| {
            self.bits.push(bits);
            ValueId(self.bits.len() as u32 - 1)
        })
    }
}

/// What an access did.
pub(crate) struct Made {
    pub(crate) choice: Choice,
    /// What it read; of a plain store, what stands before it.
    pub(crate) bits: u64,
    /// The store it made.
    pub(crate) store: Option<StoreId>,
}

/// The memory of a run.
#[derive(Default)]
pub(crate) struct Weak {
    pub(crate) graph: Graph,
    clocks: Clocks,
    /// By object; most are no atomics.
    values: Vec<Values>,
    /// For each thread what happened before its last event.
    latest: Vec<Rc<[u32]>>,
    /// For each store that left the value as it was: the one that wrote that value.
    unchanged: FxHashMap<(ObjectId, StoreId), StoreId>,
}

impl Weak {
    /// An empty memory.
    pub(crate) fn reset(&mut self) {
        self.graph.clear();
        self.clocks.reset();
        self.values.iter_mut().for_each(Values::clear);
        self.unchanged.clear();
    }

    /// Whether its memory is worth keeping for another exploration.
    pub(crate) fn is_small(&self) -> bool {
        self.values.len() <= 1024 && self.graph.is_small()
    }

    fn values(&mut self, object: ObjectId) -> &mut Values {
        if self.values.len() <= object.index() {
            self.values.resize_with(object.index() + 1, Values::default);
        }
        &mut self.values[object.index()]
    }

    /// An access is announced; `now` is what the atomic holds.
    pub(crate) fn announce(&mut self, object: ObjectId, operation: Operation, now: u64) -> Access {
        let values = self.values(object);
        let base = match values.base {
            Some(base) => base,
            None => values.id(now),
        };
        values.base = Some(base);
        let wants = match operation {
            Operation::Load(order) => Wants::Load(order),
            Operation::Store(order) => Wants::Store(order),
            Operation::Modify(order) => Wants::Modify(order),
            Operation::Exchange { success, failure, expected } => {
                Wants::Exchange(success, failure, values.id(expected))
            }
        };
        Access { wants, base }
    }

    /// Among how many choices an access has to be made.
    pub(crate) fn arity(&self, thread: ThreadId, object: ObjectId, access: Access) -> u32 {
        self.graph.choices(Scope::Run, thread, object, access).len() as u32
    }

    /// Makes a pending access; `need` is the number of steps of its thread, this one included.
    pub(crate) fn access(
        &mut self,
        (thread, need): (ThreadId, u32),
        object: ObjectId,
        access: Access,
        choice: u32,
    ) -> Made {
        let choice = match choice {
            0 => self.graph.newest_choice(Scope::Run, object, access),
            _ => self.graph.choices(Scope::Run, thread, object, access)[choice as usize],
        };
        let Choice { store, part, order } = choice;
        let maker = self.graph.maker(object, store);
        let read = maker.and_then(|maker| maker.message.clone());
        let read = read.as_deref().unwrap_or_default();
        let value = maker.filter(|maker| maker.step).map_or(access.base, |maker| maker.value);
        if part != Part::Write {
            self.clocks.read_message(thread, read, order);
        }
        let time = self.clocks.now(thread).time;
        let known = self.known(thread);
        let message = (part != Part::Read).then(|| self.message(thread, order, &known, part, read)).flatten();
        let does = match part {
            Part::Read => Does::Reads { from: store, order },
            Part::Write => Does::Writes { after: store, order },
            Part::Update => Does::Updates { from: store, order },
        };
        let node = Node { thread, need, step: true, does, object, time, known, message, value };
        let store = self.graph.push(node);
        Made { choice, store, bits: self.values[object.index()].bits[value.0 as usize] }
    }

    /// What happens before the next event of a thread. Often that is what happened before its last one.
    fn known(&mut self, thread: ThreadId) -> Rc<[u32]> {
        let t = thread.index();
        if self.latest.len() <= t {
            self.latest.resize_with(t + 1, || Rc::from([]));
        }
        let known = &self.clocks.known(thread)[..];
        if *self.latest[t] != *known {
            self.latest[t] = Rc::from(known);
        }
        self.latest[t].clone()
    }

    /// The message of a store; `read` is that of the store which it read in the same operation. None if it is empty.
    fn message(
        &mut self,
        thread: ThreadId,
        order: Ordering,
        known: &Rc<[u32]>,
        part: Part,
        read: &[u32],
    ) -> Option<Rc<[u32]>> {
        let own: &[u32] = if releases(order) { known } else { self.clocks.fenced(thread) };
        let is_more = |(t, time): (usize, &u32)| own.get(t).is_none_or(|own| own < time);
        let message = if part == Part::Update && read.iter().enumerate().any(is_more) {
            let mut message = own.to_vec();
            join(&mut message, read);
            Some(Rc::from(message))
        } else if releases(order) {
            Some(known.clone())
        } else {
            (!own.is_empty()).then(|| Rc::from(own))
        };
        if releases(order) {
            self.clocks.tick(thread);
        }
        message
    }

    /// What the newest event, an access, wrote.
    pub(crate) fn wrote(&mut self, object: ObjectId, bits: u64) {
        let value = self.values(object).id(bits);
        if let Some(node) = self.graph.newest() {
            node.value = value;
        }
    }

    /// The store that wrote the value which a store holds, not counting those that left it as it was.
    pub(crate) fn origin(&self, object: ObjectId, store: StoreId) -> StoreId {
        self.unchanged.get(&(object, store)).copied().unwrap_or(store)
    }

    /// The newest event, a read-modify-write, leaves the value as it was; the store that wrote it.
    pub(crate) fn left_unchanged(&mut self) -> Option<StoreId> {
        let (node, made) = self.graph.newest_made()?;
        let origin = self.origin(node.object, node.reads_from()?);
        self.unchanged.insert((node.object, made), origin);
        Some(origin)
    }

    /// A thread got an exclusive reference to an atomic: what it holds is known at the next access.
    pub(crate) fn overwritten(&mut self, thread: (ThreadId, u32), object: ObjectId) {
        let after = self.graph.last_store(object);
        self.values(object).base = None;
        self.add(thread, false, Does::Overwrites { after }, object, None);
    }

    /// Adds an event that is no access of an atomic; `time` if it is not that of now.
    fn add(&mut self, (thread, need): (ThreadId, u32), step: bool, does: Does, object: ObjectId, time: Option<u32>) {
        let time = time.unwrap_or_else(|| self.clocks.now(thread).time);
        let known = self.known(thread);
        let value = ValueId(0);
        self.graph.push(Node { thread, need, step, does, object, time, known, message: None, value });
    }

    /// A fence.
    pub(crate) fn fence(&mut self, thread: (ThreadId, u32), order: Ordering) {
        let time = self.clocks.now(thread.0).time;
        self.clocks.fence(thread.0, order);
        self.add(thread, false, Does::Fence(order), ObjectId::NONE, Some(time));
    }

    /// A step that is no access of an atomic whose stores are kept.
    pub(crate) fn step(&mut self, step: &Step, need: u32, kind: Option<ObjectKind>, outcome: Transfer) {
        let time = self.clocks.now(step.thread).time;
        let does = match kind {
            Some(kind) => {
                self.clocks.step(step, kind, outcome);
                Does::Library(step.class)
            }
            None => Does::Local,
        };
        self.add((step.thread, need), true, does, step.object, Some(time));
    }

    /// `thread` waited for the end of another one; comes before [`Self::step`].
    pub(crate) fn joined(&mut self, thread: ThreadId, ended: ThreadId) {
        self.clocks.joined(thread, ended);
    }

    /// A thread starts another one.
    pub(crate) fn spawned(&mut self, parent: (ThreadId, u32), child: ThreadId) {
        let time = self.clocks.now(parent.0).time;
        self.clocks.spawned(parent.0, child);
        self.add(parent, false, Does::Local, ObjectId::NONE, Some(time));
        self.add((child, 0), false, Does::Local, ObjectId::NONE, None);
    }

    /// A thread does something that others do not see, or ends. Once between two releases is enough.
    pub(crate) fn local(&mut self, thread: (ThreadId, u32)) {
        let time = self.clocks.now(thread.0).time;
        let same = |node: &Node| node.does == Does::Local && (node.need, node.time) == (thread.1, time);
        if self.graph.newest_of(thread.0).is_some_and(same) {
            return;
        }
        self.add(thread, false, Does::Local, ObjectId::NONE, None);
    }

    /// An access of an atomic that always holds its newest value: a count, or the state of a primitive.
    pub(crate) fn sequential(&mut self, at: (ThreadId, u32), object: ObjectId, access: crate::rt::Access) {
        use crate::rt::Access::{CompareExchange, Load, Rmw, Store};
        let thread = at.0;
        let time = self.clocks.now(thread).time;
        match access {
            Load(order) => self.clocks.load(thread, object, order),
            Store(order) => self.clocks.store(thread, object, order),
            Rmw(order) => {
                self.clocks.load(thread, object, order);
                self.clocks.modify(thread, object, order);
            }
            CompareExchange => return,
        }
        self.add(at, false, Does::Local, ObjectId::NONE, Some(time));
    }

    /// What the thread knows is released to the object, or what was released to it becomes known.
    pub(crate) fn synchronise(&mut self, thread: (ThreadId, u32), object: ObjectId, release: bool) {
        let time = self.clocks.now(thread.0).time;
        if release {
            self.clocks.release(thread.0, object);
        } else {
            self.clocks.acquire(thread.0, object);
        }
        self.add(thread, false, Does::Local, ObjectId::NONE, Some(time));
    }
}
