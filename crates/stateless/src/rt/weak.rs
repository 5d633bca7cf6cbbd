//! Atomics whose stores are kept: an access may see an older value than the newest.
//!
//! The primitive asks [`explores_stale`](super::explores_stale) first. If so it calls [`operate`], makes the operation on the value that this
//! returns, and passes what it wrote, if it wrote, to [`wrote_value`].

use std::sync::atomic::Ordering;

use crate::execution::{self, Ending, Execution, Restart, visible, with};
use crate::graph::{Choice, Part, StoreId};
use crate::op::{Kind, Op, Other};
use crate::order::SyncEvent;
use crate::race::Fault;
use crate::weak::Made;
use crate::{At, ObjectId, StaleAccess};

/// An operation on an atomic, with its orderings; values are bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reads.
    Load(Ordering),
    /// Writes.
    Store(Ordering),
    /// Reads and writes.
    Modify(Ordering),
    /// Reads, and writes if it finds what it expects.
    Exchange {
        /// The ordering if it writes.
        success: Ordering,
        /// The ordering if it does not.
        failure: Ordering,
        /// What it expects.
        expected: u64,
    },
}

impl Operation {
    /// Whether each of its orderings is `SeqCst`.
    pub fn is_sequential(self) -> bool {
        match self {
            Operation::Load(order) | Operation::Store(order) | Operation::Modify(order) => order == Ordering::SeqCst,
            Operation::Exchange { success, failure, .. } => (success, failure) == (Ordering::SeqCst, Ordering::SeqCst),
        }
    }

    fn kind(self) -> Kind {
        match self {
            Operation::Load(_) => Kind::Load,
            Operation::Store(_) => Kind::Store,
            Operation::Modify(_) => Kind::Rmw,
            Operation::Exchange { .. } => Kind::CompareExchange,
        }
    }
}

/// A test is about to use an ordering weaker than `SeqCst`: if stale values are to be explored and are not yet, the
/// exploration starts again (does not return).
pub fn weaker_ordering() {
    if with(|run| run.config.rc11 && !run.config.weak && !run.pass_through && run.exploring()) {
        execution::end_run(Ending::Restart(Restart::Weak));
    }
}

/// Visible: an operation on an atomic that holds `now`. Returns the value it is to be made on; nothing if the atomic itself
/// is to be used, because the run is over.
pub fn operate(object: ObjectId, operation: Operation, now: u64, verb: &'static str, at: At) -> Option<u64> {
    let access = with(|run| {
        if run.pass_through {
            return None;
        }
        run.meet(at, operation.site());
        let operation = run.config.changes.operation(operation, at);
        if let Some(order) = run.config.changes.fence_beside(at, false) {
            run.fence(order);
        }
        run.state.weak.as_mut().map(|weak| weak.announce(object, operation, now))
    })?;
    let op = Op { kind: operation.kind(), object, other: Other::NONE, access: Some(access), verb, at };
    let (_, choice) = visible(op);
    let (bits, failure) = with(|run| {
        if run.pass_through {
            return (None, None);
        }
        let me = run.current;
        let need = run.state.thread(me).steps;
        let weak = run.state.weak.as_mut().expect("internal error: a memory that was there");
        let (newest, stale) = (weak.graph.last_store(object), choice > 0);
        let made @ Made { choice, bits, .. } = weak.access((me, need), object, access, choice);
        let origin = weak.origin(object, choice.store);
        record(run, object, &made, stale.then_some(newest));
        let writes = choice.part != Part::Read;
        if operation.kind() == Kind::CompareExchange && writes {
            run.state.wrote();
        }
        run.fence_after = run.config.changes.fence_beside(at, true);
        if !writes {
            run.state.looked_at(at, origin.0);
        }
        if run.ending.is_some() {
            return (Some(bits), None);
        }
        let read = (choice.part != Part::Write).then_some(choice.store);
        let event = SyncEvent::Chosen { thread: me, object, read, writes, order: choice.order, at };
        let racing = run.order.happened(&run.state, event);
        let fault = run.order.freed(object).map(Fault::Freed).or(racing);
        let mine = if writes { "writes" } else { "reads" };
        (Some(bits), fault.map(|fault| run.atomic_failure(me, object, mine, at, &fault)))
    });
    if let Some(failure) = failure {
        execution::end_run_with(failure);
    }
    bits
}

/// Writes down what the access that was made last overlooks, if the run is recorded; `newest` is that if it is stale.
fn record(run: &mut Execution, object: ObjectId, made: &Made, newest: Option<StoreId>) {
    let Some(recording) = &mut run.recording else { return };
    let Some(index) = recording.steps.len().checked_sub(1) else { return };
    let step_of = |store: StoreId| recording.stores.iter().find(|s| (s.0, s.1) == (object, store)).map(|s| s.2);
    let Choice { part, order, .. } = made.choice;
    let stale = newest.map(|newest| StaleAccess {
        newest: step_of(newest),
        reads: part != Part::Write,
        writes: part != Part::Read,
        order,
    });
    recording.steps[index].stale = stale;
    recording.stores.extend(made.store.map(|store| (object, store, index)));
}

/// After [`operate`], before anything else: what the operation left, if it wrote. Whether the atomic is to hold that now.
pub fn wrote_value(object: ObjectId, bits: u64) -> bool {
    with(|run| {
        let newest = wrote(run, object, bits);
        if let Some(order) = run.fence_after.take() {
            run.fence(order);
        }
        newest
    })
}

/// After a read-modify-write was made ([`access`](super::access), [`operate`]) that leaves the value as it was: to others it
/// is a write, but its thread has learnt nothing new if it repeats it.
pub fn left_unchanged(at: At) {
    with(|run| {
        if run.pass_through || run.ending.is_some() {
            return;
        }
        let in_graph = run.state.steps.last().is_some_and(|step| step.in_graph);
        let origin = run.state.weak.as_mut().filter(|_| in_graph).and_then(|weak| weak.left_unchanged());
        run.state.left_unchanged(at, origin.map(|store| store.0));
    });
}

fn wrote(run: &mut Execution, object: ObjectId, bits: u64) -> bool {
    let Some(weak) = run.state.weak.as_mut() else { return false };
    let Some(newest) = weak.graph.nodes().last().filter(|node| node.object == object) else { return false };
    if newest.written_after().is_none() {
        return false;
    }
    weak.wrote(object, bits);
    weak.graph.newest_is_last()
}

/// What else moves the clocks of a run's memory.
pub(super) fn also(run: &mut Execution, object: ObjectId, access: super::Access) {
    let me = run.current;
    if run.config.weak
        && let Some((weak, thread)) = run.weak_of(me)
    {
        weak.sequential(thread, object, access);
    }
}
