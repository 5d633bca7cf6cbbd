//! What one step adds to the partial order of a run: the step, the next operation of its thread, new threads and new
//! objects. Runs are rebuilt from these without running the program.

use crate::graph::{self, Node};
use crate::op::{Kind, Op, Other, Step};
use crate::rt::ObjectKind;
use crate::state::{Cloned, State};
use crate::{ObjectId, ThreadId};

/// A pending operation without its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pending {
    pub(crate) kind: Kind,
    pub(crate) object: ObjectId,
    pub(crate) other: Other,
    pub(crate) access: Option<graph::Access>,
}

impl From<&Op> for Pending {
    fn from(op: &Op) -> Pending {
        Pending { kind: op.kind, object: op.object, other: op.other, access: op.access }
    }
}

/// A thread that was spawned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Born {
    /// By whom, and after how many of its steps; none for the main thread.
    pub(crate) birth: Option<(ThreadId, u32)>,
    /// What it will do first; none if it ended at once.
    pub(crate) first: Option<Pending>,
}

/// What a step adds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Delta {
    /// None for what happens before the first step.
    pub(crate) step: Option<Step>,
    /// What the thread of the step will do next; none if it ended.
    pub(crate) next: Option<Pending>,
    pub(crate) born: Vec<Born>,
    pub(crate) objects: Vec<ObjectKind>,
    pub(crate) clones: Vec<Cloned>,
    /// Events of the graph, where there is one.
    pub(crate) nodes: Vec<Node>,
}

/// How much of a run is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) threads: usize,
    pub(crate) objects: usize,
    pub(crate) clones: usize,
    pub(crate) nodes: usize,
}

impl Delta {
    /// What the newest step of `state` adds to what is known, in the memory of `self`.
    pub(crate) fn read(&mut self, state: &State, known: Known) {
        let pending = |t: ThreadId| state.threads()[t.index()].pending.as_ref().map(Pending::from);
        self.step = state.steps.last().copied();
        self.next = self.step.and_then(|s| pending(s.thread));
        self.born.clear();
        for (i, thread) in (known.threads as u32..).map(ThreadId).zip(&state.threads()[known.threads..]) {
            self.born.push(Born { birth: thread.birth, first: pending(i) });
        }
        self.objects.clear();
        self.objects.extend(state.objects()[known.objects..].iter().map(|o| o.state.kind));
        self.clones.clear();
        self.clones.extend_from_slice(&state.clones[known.clones..]);
        self.nodes.clear();
        if let Some(weak) = &state.weak {
            self.nodes.extend_from_slice(&weak.graph.nodes()[known.nodes..]);
        }
    }
}
