//! The run so far as a partial order: the events of each thread with their vector clocks, the accesses of each
//! object. Answers, for any prefix of the run, what a thread would do next there: whether it could, and which
//! action that would be (\[CBPOR\] section 3.3). A stack: [`History::push`] and [`History::pop`].
//!
//! DIVERGENCE \[CBPOR\] 3.3: an action is not ⟨op, thread, n, variable, m-th write⟩ but ⟨thread, n, class, the set of
//! conflicting accesses before it⟩. The set (as a sum of hashes) says the same where accesses are reads and
//! writes, needs no names for objects, and serves channels, where the relation is not reads against writes.

mod accesses;
mod clocks;
mod graph;
mod moves;

use crate::delta::{Born, Delta, Known, Pending};
use crate::graph::{Choice, Graph, NodeId};
use crate::hash::pair;
use crate::op::{Class, Kind, Step};
use crate::rt::ObjectKind;

use crate::{MAIN, ObjectId, ThreadId};
use accesses::{Access, AccessId, Accesses, Folded};
pub(crate) use moves::Move;

/// An event, numbered in the order of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventId(pub(crate) u32);

impl EventId {
    /// Where there is none.
    pub(crate) const NONE: EventId = EventId(u32::MAX);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A step in the partial order.
pub(crate) struct Event {
    pub(crate) step: Step,
    /// It is its thread's n-th, from 0.
    pub(crate) n: u32,
    /// Its part of the hash of every prefix that has it; of a store in the graph the part that is the same in all.
    pub(crate) hash: u128,
    /// For each thread how many of its events come before this one; shorter where later threads have none. A range of
    /// `History::clocks`.
    clock: (u32, u32),
    /// Where among the deltas the last one stands that comes before this one; 0 is what happens before the first step.
    pub(crate) after: u32,
    /// Its node of the graph, if it is an access there.
    node: Option<NodeId>,
}

#[derive(Default)]
struct Thread {
    key: u64,
    children: u32,
    birth: Option<(ThreadId, u32)>,
    /// It is born once this thread has made so many steps: its parent, or whoever the parent was born by at once.
    needs: (ThreadId, u32),
    /// Its operations: those of its events, and the one that is pending.
    places: Vec<Place>,
    /// How many of them are events.
    made: u32,
    ended: bool,
}

/// The n-th operation of a thread.
struct Place {
    op: Pending,
    /// What tells it from all others.
    mark: u64,
    /// Once it is made: where in the run, its hash, and the yields among the thread's events up to it.
    event: EventId,
    yields: u32,
    hash: u128,
}

/// The run so far. Threads and objects beyond `live` and `used` are kept for their memory.
pub(crate) struct History {
    threads: Vec<Thread>,
    live: usize,
    pub(crate) events: Vec<Event>,
    objects: Vec<Accesses>,
    used: usize,
    /// What was known before each delta.
    known: Vec<Known>,
    /// The channels whose senders were cloned.
    clones: Vec<ObjectId>,
    /// The clocks of all events, one behind the other, and room for the one in the making.
    clocks: Vec<u32>,
    clock: Vec<u32>,
    polls: bool,
    /// Events that yield.
    yielding: u32,
    /// The graph, where stale values are explored.
    graph: Graph,
    /// The choices of the access that was asked for last, and the hashes of all but the first.
    found: Vec<Choice>,
    stale: Vec<u128>,
    /// Coherence alone leaves it several.
    several: bool,
    /// The object folded last or [`ObjectId::NONE`], while moves of one prefix are asked for, and what came out.
    folded: ObjectId,
    scratch: Folded,
    condvar: Folded,
}

impl Default for History {
    fn default() -> History {
        History {
            threads: Vec::new(),
            live: 0,
            events: Vec::with_capacity(32),
            objects: Vec::new(),
            used: 0,
            known: Vec::with_capacity(32),
            clones: Vec::new(),
            clocks: Vec::with_capacity(128),
            clock: Vec::new(),
            polls: false,
            yielding: 0,
            graph: Graph::default(),
            found: Vec::new(),
            stale: Vec::new(),
            several: false,
            folded: ObjectId::NONE,
            scratch: Folded::new(),
            condvar: Folded::new(),
        }
    }
}

impl Thread {
    /// As newborn, keeping memory.
    fn reset(&mut self, key: u64, born: &Born, needs: (ThreadId, u32)) {
        (self.key, self.children, self.birth, self.ended) = (key, 0, born.birth, born.first.is_none());
        self.needs = needs;
        self.made = 0;
        self.places.clear();
        self.will(born.first);
    }

    /// Learns what the thread does after its events so far, if anything.
    fn will(&mut self, next: Option<Pending>) {
        if let Some(op) = next {
            let mark = pair(self.key, self.places.len() as u64);
            self.places.push(Place { op, mark, event: EventId::NONE, yields: 0, hash: 0 });
        }
    }

    /// Yields among the first n events.
    fn yields(&self, n: u32) -> u32 {
        n.checked_sub(1).map_or(0, |last| self.places[last as usize].yields)
    }

    /// The newest event, by position in the run.
    fn newest(&self) -> Option<EventId> {
        self.made.checked_sub(1).map(|last| self.places[last as usize].event)
    }
}

impl History {
    /// Forgets the little that outlives the runs.
    pub(crate) fn forget(&mut self) {
        self.polls = false;
    }

    /// Takes back everything, keeping memory.
    pub(crate) fn clear(&mut self) {
        (self.live, self.used, self.yielding) = (0, 0, 0);
        self.events.clear();
        self.known.clear();
        self.clones.clear();
        self.clocks.clear();
        self.graph.clear();
    }

    /// Bytes in use, about.
    pub(crate) fn memory(&self) -> usize {
        let accesses = self.objects.iter().map(Accesses::memory).sum::<usize>();
        accesses + self.events.capacity() * size_of::<Event>() + self.clocks.capacity() * size_of::<u32>()
    }

    /// How much of the run is known.
    pub(crate) fn known(&self) -> Known {
        Known { threads: self.live, objects: self.used, clones: self.clones.len(), nodes: self.graph.nodes().len() }
    }

    /// Threads so far.
    pub(crate) fn width(&self) -> usize {
        self.live
    }

    /// Deltas so far: one more than events.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Events of a thread so far.
    pub(crate) fn length(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].made
    }

    /// The n-th event of a thread.
    pub(crate) fn event(&self, thread: ThreadId, n: u32) -> Option<&Event> {
        (n < self.length(thread)).then(|| &self.events[self.position(thread, n).index()])
    }

    /// An event.
    pub(crate) fn at(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    /// The part of the n-th event of a thread in the hash of a prefix that has it.
    pub(crate) fn event_hash(&self, thread: ThreadId, n: u32, counts: &[u32]) -> u128 {
        let place = &self.threads[thread.index()].places[n as usize];
        match place.op.access {
            Some(_) => self.part_of_hash(&self.events[place.event.index()], counts),
            None => place.hash,
        }
    }

    /// The position in the run of the n-th event of a thread.
    pub(crate) fn position(&self, thread: ThreadId, n: u32) -> EventId {
        self.threads[thread.index()].places[n as usize].event
    }

    /// Yields among the first n events of a thread.
    pub(crate) fn yields(&self, thread: ThreadId, n: u32) -> u32 {
        self.threads[thread.index()].yields(n)
    }

    /// Whether any event yields.
    pub(crate) fn anybody_yields(&self) -> bool {
        self.yielding > 0
    }

    /// Where a thread was born: after so many steps of its parent.
    pub(crate) fn birth(&self, thread: ThreadId) -> Option<(ThreadId, u32)> {
        self.threads[thread.index()].birth
    }

    /// The pending operation of a thread after its first n events.
    pub(crate) fn op(&self, thread: ThreadId, n: u32) -> Option<&Pending> {
        self.threads[thread.index()].places.get(n as usize).map(|place| &place.op)
    }

    /// Whether everything that comes before an event is in the prefix.
    pub(crate) fn follows(&self, event: &Event, counts: &[u32]) -> bool {
        // Without a way out in between: there are few threads.
        self.clock(event).iter().zip(counts).all(|(need, have)| need <= have)
    }

    /// For each thread how many of its events come before this one.
    pub(crate) fn clock(&self, event: &Event) -> &[u32] {
        &self.clocks[event.clock.0 as usize..event.clock.1 as usize]
    }

    /// Adds what a step adds; `action` is the hash of the step's action.
    pub(crate) fn push(&mut self, delta: &Delta, action: u128) {
        self.known.push(self.known());
        self.folded = ObjectId::NONE;
        for &kind in &delta.objects {
            self.add_object(kind);
        }
        if let Some(step) = delta.step {
            let nodes = self.push_nodes(delta);
            self.push_event(step, action, step.in_graph.then_some(nodes));
            let thread = &mut self.threads[step.thread.index()];
            thread.will(delta.next);
            thread.ended = step.finished;
        }
        for born in &delta.born {
            self.add_thread(born);
        }
        if delta.step.is_none() {
            self.push_nodes(delta);
        }
        for clone in &delta.clones {
            let access = Access {
                thread: clone.thread,
                need: clone.after,
                event: EventId::NONE,
                mark: 0,
                kind: Kind::DropSender,
                class: Class::Nothing,
                choice: 0,
                clone: true,
            };
            self.objects[clone.channel.index()].push(access, &mut self.scratch);
            self.clones.push(clone.channel);
        }
    }

    /// Adds the events of the graph; where they begin: with the step.
    fn push_nodes(&mut self, delta: &Delta) -> NodeId {
        let first = NodeId(self.graph.nodes().len() as u32);
        delta.nodes.iter().for_each(|node| _ = self.graph.push(node.clone()));
        first
    }

    fn add_object(&mut self, kind: ObjectKind) {
        if self.used < self.objects.len() {
            self.objects[self.used].reset(kind);
        } else {
            self.objects.push(Accesses::new(kind));
        }
        self.used += 1;
    }

    fn add_thread(&mut self, born: &Born) {
        let (key, needs) = born.birth.map_or((1, (MAIN, 0)), |(p, after)| {
            let parent = &mut self.threads[p.index()];
            parent.children += 1;
            (pair(parent.key, parent.children.into()), if after > 0 { (p, after) } else { parent.needs })
        });
        if self.live == self.threads.len() {
            self.threads.push(Thread::default());
        }
        self.threads[self.live].reset(key, born, needs);
        self.live += 1;
    }

    fn push_event(&mut self, step: Step, mut hash: u128, node: Option<NodeId>) {
        let t = step.thread.index();
        let n = self.threads[t].made;
        let id = EventId(self.events.len() as u32);
        let (clock, after) = self.clock_of(&step, n, node);
        let mark = self.threads[t].places[n as usize].mark;
        if let Some(node) = node {
            hash = self.constant_of(self.graph.node(node), mark);
        }
        let access = |kind, class| Access {
            thread: step.thread,
            need: n + 1,
            event: id,
            mark,
            kind,
            class,
            choice: step.choice,
            clone: false,
        };
        if is_access(&step) {
            self.objects[step.object.index()].push(access(step.kind, step.class), &mut self.scratch);
        }
        if let Some(mutex) = step.second() {
            self.objects[mutex.index()].push(access(Kind::Unlock, Class::Write), &mut self.scratch);
        }
        self.yielding += u32::from(step.yielded);
        self.polls |= step.kind == Kind::IsFinished;
        self.events.push(Event { step, n, hash, clock, after, node });
        let thread = &mut self.threads[t];
        let yields = thread.yields(n) + u32::from(step.yielded);
        let place = &mut thread.places[n as usize];
        (place.event, place.hash, place.yields) = (id, hash, yields);
        thread.made += 1;
    }

    /// Takes back the newest delta.
    pub(crate) fn pop(&mut self) {
        let Some(known) = self.known.pop() else { return };
        while self.clones.len() > known.clones {
            if let Some(channel) = self.clones.pop() {
                self.objects[channel.index()].pop();
            }
        }
        for t in known.threads..self.live {
            if let Some((p, _)) = self.threads[t].birth {
                self.threads[p.index()].children -= 1;
            }
        }
        self.live = known.threads;
        while self.graph.nodes().len() > known.nodes {
            self.graph.pop();
        }
        // The first delta has no event, each other one has.
        if !self.known.is_empty() {
            self.pop_event();
        }
        self.used = known.objects;
    }

    fn pop_event(&mut self) {
        let Some(Event { step, clock, .. }) = self.events.pop() else { return };
        if let Some(mutex) = step.second() {
            self.objects[mutex.index()].pop();
        }
        if is_access(&step) {
            self.objects[step.object.index()].pop();
        }
        let thread = &mut self.threads[step.thread.index()];
        thread.made -= 1;
        thread.places.truncate(thread.made as usize + 1);
        thread.ended = false;
        self.yielding -= u32::from(step.yielded);
        self.clocks.truncate(clock.0 as usize);
    }
}

/// Whether a step is one of those that its object orders; accesses of the graph are not.
fn is_access(step: &Step) -> bool {
    step.object != ObjectId::NONE && step.class != Class::Nothing && !step.in_graph
}
