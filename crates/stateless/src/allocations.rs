//! Who allocated memory in this run, and when. A `const fn` that makes an object cannot say who calls it, so its creation
//! would count as known to everybody. But an object in memory that was allocated in this run was written there after that:
//! a thread that uses it and does not know of the allocation does not know of the creation either, and races with it, however
//! it has found the address. The same holds for the stack of a thread, which is its own from its start on.
//!
//! What was allocated before the main thread started another one is known to all and is not kept. The allocation is a lower
//! bound of the creation: an object that was made later, in memory that all know of, is not watched, and no alarm is
//! false.

use std::cell::Cell;

use crate::ThreadId;
use crate::clocks::Moment;

/// The most blocks that are kept: where there are more, the older ones are not dated any more.
const KEPT: usize = 4096;

thread_local! {
    /// Whether the run in progress keeps a block: most that the program frees are none.
    static KEEPS: Cell<bool> = const { Cell::new(false) };
}

/// Whether the run in progress on this OS thread may keep a block.
#[inline]
pub(crate) fn any() -> bool {
    KEEPS.get()
}

/// What was allocated and is not freed: by whom and when. Before the clocks run, `time` is the number of events that were logged.
#[derive(Clone, Copy)]
struct Block {
    start: usize,
    end: usize,
    thread: ThreadId,
    time: u32,
}

impl Block {
    fn covers(&self, address: usize) -> bool {
        self.start <= address && address < self.end
    }
}

/// The allocations of a run.
#[derive(Default)]
pub(crate) struct Allocations {
    /// The newest last: few live, and most are freed soon.
    blocks: Vec<Block>,
    /// How many of them have the time of a running clock already: the first ones.
    dated: usize,
    /// From where to where the stacks of the threads reach, without that of the main thread.
    stacks: Vec<(ThreadId, usize, usize)>,
}

impl Allocations {
    /// Forgets everything, keeping memory.
    pub(crate) fn reset(&mut self) {
        self.blocks.clear();
        self.stacks.clear();
        self.dated = 0;
        KEEPS.set(false);
    }

    /// A thread allocates `size` bytes at an address; for `time` see [`Block`].
    #[inline]
    pub(crate) fn add(&mut self, thread: ThreadId, time: u32, start: usize, size: usize) {
        if self.blocks.len() == KEPT {
            self.blocks.clear();
            self.dated = 0;
        }
        self.blocks.push(Block { start, end: start + size, thread, time });
        KEEPS.set(true);
    }

    /// A block keeps its address and has `size` bytes from now on.
    pub(crate) fn resize(&mut self, start: usize, size: usize) {
        if let Some(block) = self.blocks.iter_mut().rev().find(|block| block.start == start) {
            block.end = start + size;
        }
    }

    /// The block at an address is freed.
    #[inline]
    pub(crate) fn remove(&mut self, start: usize) {
        if let Some(i) = self.blocks.iter().rposition(|block| block.start == start) {
            self.blocks.remove(i);
            self.dated -= usize::from(i < self.dated);
            KEEPS.set(!self.blocks.is_empty());
        }
    }

    /// The block that an address lies in is none of the program's.
    pub(crate) fn disown(&mut self, address: usize) {
        while let Some(block) = self.covering(address) {
            self.remove(block.start);
        }
    }

    /// The newest block that has an address: what the engine has freed is still here.
    fn covering(&self, address: usize) -> Option<&Block> {
        self.blocks.iter().rev().find(|block| block.covers(address))
    }

    /// The stack of a thread that starts.
    pub(crate) fn add_stack(&mut self, thread: ThreadId, (start, end): (usize, usize)) {
        self.stacks.push((thread, start, end));
    }

    /// Whether an address lies in memory that not every thread knows of.
    #[inline]
    pub(crate) fn has(&self, address: usize) -> bool {
        self.owner_of_stack(address).is_some() || self.covering(address).is_some()
    }

    /// When the memory at an address was allocated. The clocks must run.
    pub(crate) fn date(&self, address: usize) -> Option<Moment> {
        if let Some(thread) = self.owner_of_stack(address) {
            return Some(Moment { thread, time: 1 });
        }
        let &Block { thread, time, .. } = self.covering(address)?;
        Some(Moment { thread, time })
    }

    /// Whose stack an address is on now.
    fn owner_of_stack(&self, address: usize) -> Option<ThreadId> {
        let mut stacks = self.stacks.iter().rev();
        stacks.find(|(_, start, end)| (*start..*end).contains(&address)).map(|&(thread, ..)| thread)
    }

    /// Asks for the time of each block that was allocated when at most `logged` events were logged, oldest first.
    pub(crate) fn date_until(&mut self, logged: u32, mut time: impl FnMut(ThreadId) -> u32) {
        let open = self.blocks[self.dated..].iter_mut().take_while(|block| block.time <= logged);
        for block in open {
            block.time = time(block.thread);
            self.dated += 1;
        }
    }
}
