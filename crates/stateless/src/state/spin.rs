//! Busy waiting without `yield_now` or `spin_loop`: a thread that reads at the same places what nobody has written since
//! waits for another one. Such a read counts as a yield, so that loops that wait come to an end under fair schedules. What
//! a read sees is decided by the partial order of the run, and so is this. An exchange that leaves the value as it was, like
//! that of a spinlock (`while lock.swap(true) {}`), is such a read, too; in the partial order it stays a write.

use crate::{At, ObjectId};

/// So many reads that tell nothing new, one after the other, are busy waiting.
const SPINS: u32 = 16;
/// So many different places are remembered.
const PLACES: usize = 16;

/// A read: where, of which object, and how often that was written before.
type Read = (*const std::panic::Location<'static>, ObjectId, u32);

/// The reads of a thread since it did something else.
#[derive(Default)]
pub(crate) struct Spin {
    reads: Vec<Read>,
    repeated: u32,
    /// The same before the last reset.
    before: (Vec<Read>, u32),
}

impl Spin {
    /// The thread did something else than read.
    pub(crate) fn reset(&mut self) {
        std::mem::swap(&mut self.reads, &mut self.before.0);
        self.reads.clear();
        self.before.1 = std::mem::take(&mut self.repeated);
    }

    /// What the thread did was no more than a read: takes the last reset back.
    pub(crate) fn restore(&mut self) {
        std::mem::swap(&mut self.reads, &mut self.before.0);
        self.repeated = self.before.1;
    }

    /// As new, with the memory of this one.
    pub(crate) fn emptied(&mut self) -> Spin {
        self.reset();
        std::mem::take(self)
    }

    /// The thread reads; whether it is waiting.
    pub(crate) fn reads(&mut self, at: At, object: ObjectId, writes: u32) -> bool {
        let place = std::ptr::from_ref(at);
        match self.reads.iter_mut().find(|read| read.0 == place && read.1 == object) {
            Some(read) if read.2 == writes => self.repeated += 1,
            Some(read) => {
                read.2 = writes;
                self.repeated = 0;
            }
            None => {
                if self.reads.len() == PLACES {
                    self.reads.clear();
                }
                self.reads.push((place, object, writes));
                self.repeated = 0;
            }
        }
        self.repeated >= SPINS
    }
}
