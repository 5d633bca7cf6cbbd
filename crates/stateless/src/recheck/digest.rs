//! The class of an execution as a number of 128 bits, computed from its operations alone. Two executions have the same
//! digest if and only if one becomes the other by swapping adjacent independent operations (collisions aside).
//!
//! This is the canonical form of \[CBPOR\] section 3.3: the set of actions ⟨op, thread, n-th of thread, m⟩, where `m`
//! generalises "the m-th write": for each kind of access that the operation depends on, the number of earlier
//! ones on the same object. Objects need no names: the thread and its earlier actions determine the object.
//!
//! *Same digest, same class*: let both executions begin with the prefix p, and let a be the next action of the first.
//! In the second, a thread that has made the same steps makes a on the same object, and as many accesses that a depends on
//! come before it as in p. So none comes between p and a, and a can be swapped to the front. Induction over the rest.
//! An order that waiting enforces (a message is sent before it is received) holds in every execution and adds nothing.
//!
//! An access of an atomic whose stores are kept counts no accesses before it: `m` is the store it read from, and where its own
//! stands in modification order. That is the execution graph, which is the class.
//!
//! The search has its own canonical form (`history`), from which nothing is used here.

use super::record::{Access, Record};
use crate::op::{Class, Kind, Step};
use crate::{ObjectId, ThreadId};

/// For each class of accesses, the classes it depends on.
fn depends_on(class: Class) -> &'static [Class] {
    match class {
        Class::Read => &[Class::Write],
        Class::Write => &[Class::Read, Class::Write],
        Class::Send => &[Class::Send, Class::Empty, Class::Full, Class::CloseReceive],
        Class::Receive => &[Class::Receive, Class::Empty, Class::Full],
        Class::Empty => &[Class::Send, Class::Receive, Class::CloseSend],
        Class::Full => &[Class::Send, Class::Receive, Class::CloseReceive],
        Class::CloseReceive => &[Class::Send, Class::Full],
        Class::CloseSend => &[Class::Empty],
        Class::Nothing => &[],
    }
}

/// A hash of words in order: two lanes that multiply each word, mixed at the end by the finaliser of MurmurHash3. A step
/// of a lane is a bijection for each word, so that only different sequences of words can meet, in both lanes at once.
#[derive(Clone, Copy)]
struct Hash(u64, u64);

impl Hash {
    fn new() -> Hash {
        Hash(0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344)
    }

    #[inline]
    fn add(self, word: u64) -> Hash {
        Hash(
            (self.0.rotate_left(23) ^ word).wrapping_mul(0x87c3_7b91_1142_53d5),
            (self.1.rotate_left(41) ^ word).wrapping_mul(0x4cf5_ad43_2745_937f),
        )
    }

    #[inline]
    fn value(self) -> u128 {
        u128::from(finalise(self.0)) << 64 | u128::from(finalise(self.1))
    }
}

fn finalise(mut word: u64) -> u64 {
    word = (word ^ (word >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    word = (word ^ (word >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ (word >> 33)
}

/// A thread: its name, which does not depend on the schedule as its number does, and what it has done so far.
struct Thread {
    name: Hash,
    children: u64,
    steps: u64,
    ended: bool,
}

/// An object: its accesses so far by class, and who waits on it, by number.
#[derive(Clone, Default)]
struct Object {
    accesses: [u64; 9],
    waiting: Vec<ThreadId>,
}

/// Computes digests; keeps memory from one to the next.
#[derive(Default)]
pub(crate) struct Digester {
    threads: Vec<Thread>,
    objects: Vec<Object>,
}

impl Digester {
    /// The digest of an execution.
    pub(crate) fn digest(&mut self, record: &Record) -> u128 {
        self.name_threads(record);
        for object in &mut self.objects {
            object.accesses = [0; 9];
            object.waiting.clear();
        }
        if self.objects.len() < record.objects.len() {
            self.objects.resize_with(record.objects.len(), Object::default);
        }
        let mut accesses = record.accesses.iter();
        record.steps.iter().fold(0, |sum: u128, step| {
            let access = if step.in_graph { accesses.next() } else { None };
            sum.wrapping_add(self.action(step, access))
        })
    }

    /// A thread is named by its parent and its position among the children of that parent.
    fn name_threads(&mut self, record: &Record) {
        self.threads.clear();
        for thread in &record.threads {
            let name = match thread.birth {
                Some((parent, _)) => {
                    let parent = &mut self.threads[parent.index()];
                    parent.children += 1;
                    parent.name.add(parent.children)
                }
                None => Hash::new(),
            };
            self.threads.push(Thread { name, children: 0, steps: 0, ended: false });
        }
    }

    /// The hash of the next action.
    fn action(&mut self, step: &Step, in_graph: Option<&Access>) -> u128 {
        let outcome = if in_graph.is_some() { (0, 0) } else { self.outcome(step) };
        let thread = &mut self.threads[step.thread.index()];
        thread.steps += 1;
        thread.ended = step.finished;
        // This runs for each step of each execution of the search, so what is small shares a word.
        let accesses = in_graph.is_none() && step.object != ObjectId::NONE;
        let class = if accesses { step.class as u64 + 1 } else { 0 };
        let has_outcome = outcome != (0, 0);
        let word = thread.steps << 32 | (step.kind as u64) << 16 | class << 8 | u64::from(has_outcome);
        let mut hash = thread.name.add(word);
        if has_outcome {
            hash = hash.add(outcome.0).add(outcome.1);
        }
        if let Some(access) = in_graph {
            hash = self.in_graph(hash, access);
        } else if accesses {
            hash = self.access(hash, step.object, step.class);
        }
        if matches!(step.kind, Kind::Wait | Kind::WaitTimed) {
            hash = self.access(hash, step.other.object(), Class::Write); // unlocks the mutex
        }
        hash.value()
    }

    /// An access that reads from a store, or stands behind stores.
    fn in_graph(&self, hash: Hash, access: &Access) -> Hash {
        let from = access.from.map_or((0, 0), |(thread, steps)| {
            let name = self.threads[thread.index()].name;
            (name.0 ^ name.1.rotate_left(32), u64::from(steps) + 1)
        });
        let written = access.written.map_or(0, |place| u64::from(place) + 1);
        hash.add(from.0).add(from.1 << 33 | u64::from(access.read.is_some()) << 32 | written)
    }

    fn access(&mut self, mut hash: Hash, object: ObjectId, class: Class) -> Hash {
        let object = &mut self.objects[object.index()];
        // An execution has fewer than 2^31 steps, so two numbers fit into a word.
        for pair in depends_on(class).chunks(2) {
            hash = hash.add(pair.iter().fold(0, |word, &other| word << 32 | object.accesses[other as usize]));
        }
        object.accesses[class as usize] += 1;
        hash
    }

    /// What distinguishes the outcomes of one operation: a choice, the thread that is woken, whether a thread has ended.
    fn outcome(&mut self, step: &Step) -> (u64, u64) {
        match step.kind {
            Kind::IsFinished => (self.threads[step.other.thread().index()].ended.into(), 0),
            Kind::NotifyOne => {
                let waiting = &mut self.objects[step.object.index()].waiting;
                let index = step.choice as usize;
                let woken = (index < waiting.len()).then(|| waiting.remove(index));
                woken
                    .map_or((0, 0), |thread| (self.threads[thread.index()].name.0, self.threads[thread.index()].name.1))
            }
            Kind::NotifyAll => {
                self.objects[step.object.index()].waiting.clear();
                (0, 0)
            }
            Kind::WakeTimed => {
                self.objects[step.object.index()].waiting.retain(|&thread| thread != step.thread);
                (0, 0)
            }
            Kind::Wait | Kind::WaitTimed => {
                let waiting = &mut self.objects[step.object.index()].waiting;
                waiting.push(step.thread);
                waiting.sort_unstable();
                (0, 0)
            }
            _ => (step.choice.into(), 0),
        }
    }
}
