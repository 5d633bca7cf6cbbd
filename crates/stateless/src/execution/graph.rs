//! How a run adds its events to its execution graph, if it has one.

use super::Execution;
use crate::op::{Kind, Step};
use crate::orderings::{Site, SiteKind};
use crate::rt::Transfer;
use crate::weak::Weak;
use crate::{At, ObjectId, ThreadId, thread_ids};

impl Execution {
    /// A step that is no access of an atomic whose stores are kept becomes an event of the graph.
    pub(super) fn add_to_graph(&mut self, step: &Step, outcome: Transfer) {
        let kind = (step.object != ObjectId::NONE).then(|| self.state.objects()[step.object.index()].state.kind);
        let (count, need) = (self.state.threads().len(), self.state.thread(step.thread).steps);
        let Some(weak) = &mut self.state.weak else { return };
        match step.kind {
            Kind::Join => weak.joined(step.thread, step.other.thread()),
            Kind::Drain => thread_ids(count).skip(1).for_each(|ended| weak.joined(step.thread, ended)),
            _ => {}
        }
        weak.step(step, need, kind, outcome);
    }

    /// The memory where stale values are explored, with a thread and the steps it has made.
    pub(crate) fn weak_of(&mut self, thread: ThreadId) -> Option<(&mut Weak, (ThreadId, u32))> {
        let steps = self.state.thread(thread).steps;
        self.state.weak.as_deref_mut().map(|weak| (weak, (thread, steps)))
    }

    /// Remembers a place with an ordering, if they are collected.
    pub(crate) fn meet(&mut self, at: At, kind: SiteKind) {
        let site = Site { at, kind };
        if self.config.collect_sites && !self.sites.contains(&site) {
            self.sites.push(site);
        }
    }

    /// A fence of the running thread, recorded or not.
    pub(crate) fn fence(&mut self, order: std::sync::atomic::Ordering) {
        let thread = self.current;
        self.order.happened(&self.state, crate::order::SyncEvent::Fence { thread, order });
        if let Some((weak, thread)) = self.weak_of(thread) {
            weak.fence(thread, order);
        }
    }
}
