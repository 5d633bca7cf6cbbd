//! Nodes that lie on no cycle of own steps. Nothing is to be found out about their thread, so they wait: the threads
//! whose turn has come in a state are gathered, and the state is looked at once for all of them.

use selvedge_core::ThreadId;
use selvedge_machine::{Machine, Threads, expand_own};

use super::{Cost, Layered, RestStep, Shuffle, Tools, Why, Work};
use crate::memory::Memory;

impl<M: Machine, S: Memory> Layered<'_, M, S> {
    /// Lets a node wait, if the memory can note that.
    pub(super) fn wait(&mut self, at: &S::Ref, thread: ThreadId, depth: u32) -> bool {
        let put = self.memory.put_due(at, thread);
        if put == Some(true) {
            let work = Work::Due { at: at.clone(), depth };
            match self.shuffle.as_mut().map_or(0, Shuffle::mask) & 1 {
                0 => self.work.push_back(work),
                _ => self.work.push_front(work),
            }
        }
        put.is_some()
    }

    /// Takes the steps of the threads whose turn has come.
    pub(super) fn take_due(&mut self, at: &S::Ref, depth: u32, tools: &mut Tools<M>) {
        if !self.watch.allows_depth(depth) {
            self.cut_by_depth |= !self.memory.all_taken(at);
            return;
        }
        let threads = self.memory.take_due(at);
        if threads == Threads::NONE {
            return;
        }
        self.memory.load(at, &mut tools.state);
        let Tools { buffers, state } = tools;
        let mut moved = Threads::NONE;
        expand_own(self.machine, state, &threads, buffers, &mut |arrival| {
            let thread = arrival.thread();
            thread.into_iter().for_each(|thread| moved.insert(thread));
            // Of the steps of no thread, only those that report something: the others belong to the rest.
            if thread.is_some() || arrival.state.is_none() {
                let child = self.arrive(at, &arrival, depth);
                let steps = thread.zip(child).map(|(thread, child)| RestStep { thread, may_return: false, child });
                self.rest.extend(steps);
            }
        });
        self.leave_due(at, depth, (&threads, &moved), tools);
        self.explore_rest(at, depth, tools);
    }

    /// Notes when the others' steps are to be taken, given whose turn it was and who of them could move.
    fn leave_due(&mut self, at: &S::Ref, depth: u32, (threads, moved): (&Threads, &Threads), tools: &mut Tools<M>) {
        let Tools { buffers, state } = tools;
        let blocked = !moved.includes(threads);
        if blocked && self.options.cost == Cost::Preemptions {
            if self.memory.put_free(at) {
                let why = if *moved == Threads::NONE { Why::NobodyElse } else { Why::Left };
                self.expand_rest(at, depth, why, tools);
            }
            return;
        }
        if blocked {
            self.check_end(at, state, &Threads::NONE, buffers);
        }
        let is_loud = |thread| !(self.options.reduction && self.machine.is_quiet(state, thread));
        if blocked || moved.iter().any(is_loud) {
            self.seam.push((at.clone(), depth));
        }
    }
}
