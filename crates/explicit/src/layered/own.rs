//! Along the own steps of one thread, with Tarjan's algorithm: every cycle of own steps is seen without executing a step
//! twice. Called by the layered search for each node whose own steps are due, and for each thread whose steps were taken
//! from a state.

use std::ops::Range;

use selvedge_core::{StopReason, ThreadId};
use selvedge_machine::{Machine, Threads, expand_own};

use super::{Cost, Layered, Tools, Why, Work};
use crate::memory::Memory;

/// What a node asks for when its own steps have been explored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// Nothing: the others' steps are taken already, or the thread is blocked and they are taken now.
    Nothing,
    /// The others' steps cost a preemption.
    Seam,
    /// The others need not come in between.
    Quiet,
}

/// A node on the path of Tarjan's algorithm.
pub(super) struct Frame<R> {
    pub(super) at: R,
    pub(super) after: After,
    pub(super) self_loop: bool,
    pub(super) depth: u32,
    /// Counts the nodes of components that are not complete; [`NO_CYCLE`] if it cannot lie on a cycle.
    pub(super) number: u32,
    pub(super) low: u32,
    /// Its own successors not looked at yet: the children from here up to `end`.
    pub(super) next: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Where the bytes of its successors start in the arena.
    pub(super) bytes: u32,
}

/// An own successor that is looked at soon. Its bytes are kept until then if there is room for them, so that they need
/// not be decoded from the memory.
#[derive(Clone)]
pub(super) struct Child<R> {
    pub(super) at: R,
    pub(super) bytes: Range<u32>,
    /// It is known that the thread may come back to it.
    pub(super) may_return: bool,
}

/// How many of the last nodes are looked through before a table is made.
const NEAR: usize = 32;

/// The number of a node that lies on no cycle.
const NO_CYCLE: u32 = u32::MAX;

/// Bytes of states that are looked at soon, at most.
const ARENA: u32 = 16 << 20;

/// A node of a component that is not complete.
pub(super) struct Member<R> {
    pub(super) at: R,
    pub(super) after: After,
    pub(super) depth: u32,
}

impl<M: Machine, S: Memory> Layered<'_, M, S> {
    /// Whether the own steps of a node are to be taken now: nobody took them before, and the run is short enough.
    pub(super) fn may_take(&mut self, at: &S::Ref, thread: ThreadId, depth: u32) -> bool {
        if self.watch.allows_depth(depth) {
            return self.memory.take(at, thread);
        }
        self.cut_by_depth |= !self.memory.is_taken(at, thread);
        false
    }

    /// Takes the steps of the thread that ran last. If there is anything to explore from there, the node is put on the path,
    /// and the answer is yes.
    pub(super) fn take_own(&mut self, node: Child<S::Ref>, thread: ThreadId, depth: u32, tools: &mut Tools<M>) -> bool {
        let Tools { buffers, state } = tools;
        let at = node.at;
        if node.bytes.is_empty() {
            self.memory.load(&at, state);
        } else {
            state.clear();
            state.extend_from_slice(&self.arena[node.bytes.start as usize..node.bytes.end as usize]);
        }
        let (start, bytes) = (self.children.len(), self.arena.len() as u32);
        let mut enabled = false;
        expand_own(self.machine, state, &Threads::only(thread), buffers, &mut |arrival| {
            let own = arrival.thread() == Some(thread);
            enabled |= own;
            // Of the steps of no thread, only those that report something: the others belong to the rest.
            if own || arrival.state.is_none() {
                let child = self.arrive(&at, &arrival, depth);
                self.children.extend(child);
            }
        });
        if let Some(shuffle) = &mut self.shuffle {
            shuffle.mix(&mut self.children[start..]);
        }
        let after = match (enabled, self.options.cost) {
            (false, Cost::Preemptions) => {
                if self.memory.put_free(&at) {
                    self.work.push_back(Work::Rest { at: at.clone(), depth, why: Why::NobodyElse });
                }
                After::Nothing
            }
            (false, Cost::Switches) => {
                self.check_end(&at, state, &Threads::NONE, buffers);
                After::Seam
            }
            (true, _) if self.options.reduction && self.machine.is_quiet(state, thread) => After::Quiet,
            (true, _) => After::Seam,
        };
        if self.children.len() == start {
            // Without own successors there is no cycle.
            if after == After::Seam {
                self.seam.push((at, depth));
            }
            return false;
        }
        let may_return = node.may_return || self.may_return(state, thread);
        self.open_node(at, after, depth, may_return, (start as u32, bytes));
        true
    }

    /// Whether a cycle of a thread's own steps through a state matters and is possible.
    pub(super) fn may_return(&self, state: &[u8], thread: ThreadId) -> bool {
        self.look_for_cycles && self.machine.may_return(state, thread)
    }

    pub(super) fn child(&mut self, at: S::Ref, state: &[u8], may_return: bool) -> Child<S::Ref> {
        let from = self.arena.len() as u32;
        // What the memory has of hidden bytes is what was there first.
        if self.machine.hidden_prefix() == 0 && from < ARENA {
            self.arena.extend_from_slice(state);
        }
        Child { at, bytes: from..self.arena.len() as u32, may_return }
    }

    /// Puts a node on the path. Its children start at these places of their list and of the arena.
    #[inline]
    pub(super) fn open_node(
        &mut self,
        at: S::Ref,
        after: After,
        depth: u32,
        may_return: bool,
        (start, bytes): (u32, u32),
    ) {
        let mut number = NO_CYCLE;
        if may_return {
            number = self.component.len() as u32;
            self.memory.set_on_path(&at, true);
            self.component.push(Member { at: at.clone(), after, depth });
        }
        let end = self.children.len() as u32;
        self.frames.push(Frame {
            at,
            after,
            depth,
            number,
            low: number,
            self_loop: false,
            next: start,
            start,
            end,
            bytes,
        });
    }

    /// Tarjan's algorithm along the own steps of one thread, from the node on the path.
    pub(super) fn explore(&mut self, thread: ThreadId, tools: &mut Tools<M>) {
        while let Some(frame) = self.frames.last_mut() {
            if frame.next == frame.end {
                self.leave_node();
                continue;
            }
            let child = self.children[frame.next as usize].clone();
            frame.next += 1;
            let depth = frame.depth + 1;
            if self.may_take(&child.at, thread, depth) {
                self.take_own(child, thread, depth, tools);
            } else {
                self.meet_again(&child.at);
            }
            if self.findings.done() {
                self.stop = Some(StopReason::Violation);
            } else if let Some(stop) = self.look_around() {
                self.stop = Some(stop);
            }
            if self.stop.is_some() {
                return;
            }
        }
    }

    /// An own step leads to a node whose own steps were taken before.
    fn meet_again(&mut self, child: &S::Ref) {
        if !self.look_for_cycles || !self.memory.is_on_path(child) {
            return;
        }
        if let (Some(number), Some(frame)) = (self.number_of(child), self.frames.last_mut()) {
            frame.low = frame.low.min(number);
            frame.self_loop |= number == frame.number;
        }
    }

    /// The number of a node of a component that is not complete.
    fn number_of(&mut self, node: &S::Ref) -> Option<u32> {
        let key = self.memory.key(node);
        let near = self.component.iter().enumerate().rev().take(NEAR);
        for (number, member) in near {
            if self.memory.key(&member.at) == key {
                return Some(number as u32);
            }
        }
        for number in self.open.len()..self.component.len() {
            self.open.insert(self.memory.key(&self.component[number].at), number as u32);
        }
        self.open.get(&key).copied()
    }

    fn leave_node(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.children.truncate(frame.start as usize);
        self.arena.truncate(frame.bytes as usize);
        if let Some(parent) = self.frames.last_mut() {
            parent.low = parent.low.min(frame.low);
        }
        if frame.number == NO_CYCLE {
            if frame.after == After::Seam {
                self.seam.push((frame.at, frame.depth));
            }
        } else if frame.low == frame.number {
            self.close_component(frame.number as usize, frame.self_loop);
        }
    }

    /// A component of one thread's own steps is complete.
    fn close_component(&mut self, from: usize, self_loop: bool) {
        let busy = self_loop || self.component.len() > from + 1;
        let leaving_is_free = busy && self.options.cost == Cost::Preemptions && !self.options.count_busy_wait;
        while self.component.len() > from {
            let Some(Member { at, after, depth }) = self.component.pop() else { return };
            self.memory.set_on_path(&at, false);
            if self.component.len() < self.open.len() {
                self.open.remove(&self.memory.key(&at));
            }
            match after {
                After::Nothing => {}
                After::Quiet if !busy => {}
                _ if leaving_is_free => self.work.push_back(Work::Rest { at, depth, why: Why::Left }),
                After::Seam | After::Quiet => self.seam.push((at, depth)),
            }
        }
    }
}
