//! What an execution leaves for the recheck: its operations in order, and the few facts about threads and objects
//! without which the operations cannot be understood. Data only.

use crate::graph::{NodeId, StoreId};
use crate::op::{Kind, Other, Step};
use crate::rt::ObjectKind;
use crate::state::{Cloned, State};
use crate::{ObjectId, ThreadId};

/// A recorded execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) steps: Vec<Step>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) objects: Vec<ObjectKind>,
    /// Clones of senders, which are not steps.
    pub(crate) clones: Vec<Cloned>,
    /// The accesses of atomics whose stores are kept, in order.
    pub(crate) accesses: Vec<Access>,
    /// Room for the places of the stores of each object.
    pub(crate) places: Vec<Vec<u32>>,
}

/// An access of an atomic whose stores are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// The store it read: by whom, and after how many of its steps; none for the first value.
    pub(crate) from: Option<(ThreadId, u32)>,
    /// Where what it read, and what it wrote, stand in modification order at the end.
    pub(crate) read: Option<u32>,
    pub(crate) written: Option<u32>,
}

/// A thread of a recorded execution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Thread {
    /// Its parent, and the number of steps the parent had made; none for the main thread.
    pub(crate) birth: Option<(ThreadId, u32)>,
    /// What it was about to do at the end: kind, object, other.
    pub(crate) pending: Option<(Kind, ObjectId, Other)>,
}

impl Record {
    /// Records the execution that `state` has made, in the memory of `self`.
    pub(crate) fn read(&mut self, state: &State) {
        self.steps.clone_from(&state.steps);
        self.clones.clone_from(&state.clones);
        self.accesses.clear();
        if let Some(weak) = &state.weak {
            self.places.resize_with(self.places.len().max(state.objects().len()), Vec::new);
            for (object, places) in (0..).map(ObjectId).zip(&mut self.places).take(state.objects().len()) {
                weak.graph.places(object, places);
            }
            let places = &self.places;
            let nodes = weak.graph.nodes().iter().enumerate().filter(|(_, node)| node.step);
            let in_graph = nodes.filter(|(_, node)| node.reads_from().or(node.written_after()).is_some());
            self.accesses.extend(in_graph.map(|(index, node)| {
                let from = node.reads_from().and_then(|from| weak.graph.maker(node.object, from));
                let from = from.map(|maker| (maker.thread, maker.need));
                let place = |store: StoreId| places[node.object.index()][store.0 as usize];
                let (read, written) = (node.reads_from().map(place), weak.graph.made(NodeId(index as u32)).map(place));
                Access { from, read, written }
            }));
        }
        self.objects.clear();
        self.objects.extend(state.objects().iter().map(|object| object.state.kind));
        self.threads.clear();
        self.threads.extend(state.threads().iter().map(|thread| Thread {
            birth: thread.birth,
            pending: thread.pending.as_ref().map(|op| (op.kind, op.object, op.other)),
        }));
    }

    /// The schedule: threads and outcomes in order.
    pub(crate) fn schedule(&self) -> Vec<(ThreadId, u32)> {
        self.steps.iter().map(|step| (step.thread, step.choice)).collect()
    }
}
