//! Steps that can be remembered ([`Traced`]): a machine defines how its states split into parts, and executes the steps of one
//! thread while it records the parts that they read and write. A search that has packed each part into a small number then
//! takes the same step again without the machine, wherever those parts are the same (`explicit/src/packed`).
//!
//! What must hold. Joining the parts of a state gives the state again, its hidden prefix aside, which is zero. Part 0 is the
//! *shape*: its first byte is the number of threads, and where anything stands in a state follows from it. Each thread
//! has a part of its own, behind the others, in the order of the threads; a thread that does not exist has none. What a thread
//! does alone, and whether it may spin or its steps are local ([`Hints`](crate::Hints)), depends on its own part and on the
//! parts in the footprint. If two states agree in these, the steps of the unit lead to states that agree in them, and that
//! differ from the states before in no other part.

use selvedge_core::ThreadId;

use crate::Steps;

/// Whose steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Those that a thread takes alone.
    Alone(ThreadId),
    /// Those in which two threads meet.
    Meeting(ThreadId, ThreadId),
}

/// Bytes that are compared at once.
const CHUNK: usize = 32;

/// The parts of a state.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Parts {
    /// None.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Becomes equal to other parts.
    pub fn copy_from(&mut self, other: &Parts) {
        self.bytes.clone_from(&other.bytes);
        self.ends.clone_from(&other.ends);
    }

    /// One more.
    pub fn push(&mut self, part: &[u8]) {
        self.bytes.extend_from_slice(part);
        self.ends.push(self.bytes.len());
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Calls `changed` with each part that differs from that of `other`; whether the parts are as long there, so that they can
    /// be compared.
    pub fn changed(&self, other: &Parts, mut changed: impl FnMut(usize)) -> bool {
        if self.ends != other.ends {
            return false;
        }
        let mut next = 0;
        for (index, (one, two)) in self.bytes.chunks(CHUNK).zip(other.bytes.chunks(CHUNK)).enumerate() {
            if one == two {
                continue;
            }
            for at in (0..one.len()).filter(|at| one[*at] != two[*at]) {
                let part = self.ends.partition_point(|end| *end <= index * CHUNK + at);
                if part >= next {
                    changed(part);
                    next = part + 1;
                }
            }
        }
        true
    }

    /// A part; empty if there is no such part.
    pub fn get(&self, part: usize) -> &[u8] {
        let Some(end) = self.ends.get(part) else { return &[] };
        &self.bytes[part.checked_sub(1).map_or(0, |before| self.ends[before])..*end]
    }
}

/// What the steps of a unit depend on.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    /// The parts that were read or written, as bits.
    pub parts: Vec<u64>,
    /// For each step the position of its transition among those of the thread, by which steps are in order.
    pub order: Vec<u16>,
    /// The thread offers to meet another one.
    pub offers: bool,
    /// Without a step the thread waits until no thread has one.
    pub waits: bool,
    /// The steps depend on more than parts, or report something: they cannot be remembered.
    pub opaque: bool,
}

impl Footprint {
    /// Nothing.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.order.clear();
        (self.offers, self.waits, self.opaque) = (false, false, false);
    }

    /// Adds a part.
    pub fn add(&mut self, part: usize) {
        if self.parts.len() <= part / 64 {
            self.parts.resize(part / 64 + 1, 0);
        }
        self.parts[part / 64] |= 1 << (part % 64);
    }
}

/// A machine whose steps can be remembered. Without a claim.
pub trait Traced {
    /// The number of parts that do not belong to a thread. The part of thread `p` is that number plus `p`.
    fn shared_parts(&self) -> usize;

    /// Splits a state.
    fn split(&self, state: &[u8], parts: &mut Parts);

    /// Appends the state with these parts.
    fn join(&self, parts: &Parts, state: &mut Vec<u8>);

    /// Where a thread stands, given its part: a small number.
    fn position(&self, part: &[u8]) -> u32;

    /// Whether another thread that stands at `other` keeps the steps of a thread that stands at `own` from being safe
    /// ([`Hints::is_safe`](crate::Hints::is_safe)); `None` if that does not follow from where the two stand. What nobody
    /// prevents is safe.
    fn is_safe_beside(&self, own: u32, other: u32) -> Option<bool>;

    /// Appends the steps of a unit in a state as [`Machine::steps`](crate::Machine::steps) has them for that thread's turn, and notes their footprint.
    fn steps(&mut self, state: &[u8], unit: Unit, out: &mut Steps, footprint: &mut Footprint);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_that_differ_are_named_once_and_in_order() {
        let mut chance = selvedge_core::Chance::new(4);
        for _ in 0..500 {
            let lengths: Vec<usize> = (0..1 + chance.below(60)).map(|_| chance.below(4)).collect();
            let (mut one, mut two) = (Parts::default(), Parts::default());
            for length in &lengths {
                let part: Vec<u8> = (0..*length).map(|_| chance.below(3) as u8).collect();
                one.push(&part);
                let other = part.iter().map(|byte| byte ^ u8::from(chance.once_in(20)));
                two.push(&other.collect::<Vec<u8>>());
            }
            let expected: Vec<usize> = (0..one.len()).filter(|part| one.get(*part) != two.get(*part)).collect();
            let mut found = Vec::new();
            assert!(one.changed(&two, |part| found.push(part)));
            assert_eq!(found, expected);
            two.push(&[1]);
            assert!(!one.changed(&two, |_| ()), "one has a part more");
        }
    }
}
