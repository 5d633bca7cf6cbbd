//! Follows a run by what its accesses did, whatever number that is among their choices: the same execution graph, or none if
//! an access may not do that any more.

use crate::ThreadId;
use crate::graph::{Scope, StoreId};
use crate::state::State;
use crate::strategy::{Decision, Ended, Next, Strategy, View};

/// A step to be made: who, with which outcome, or for an access of the graph with which store.
pub(crate) type Traced = (ThreadId, u32, Option<StoreId>);

/// One run along another one.
pub(crate) struct Retrace {
    steps: Vec<Traced>,
    begun: bool,
}

impl Retrace {
    pub(crate) fn new(steps: Vec<Traced>) -> Retrace {
        Retrace { steps, begun: false }
    }

    /// The steps of a run.
    pub(crate) fn steps(state: &State) -> Vec<Traced> {
        let nodes = state.weak.iter().flat_map(|weak| weak.graph.nodes()).filter(|node| node.step);
        let mut stores = nodes.filter_map(|node| node.reads_from().or(node.written_after()));
        state.steps.iter().map(|s| (s.thread, s.choice, if s.in_graph { stores.next() } else { None })).collect()
    }
}

impl Strategy for Retrace {
    fn next(&mut self) -> Next {
        if std::mem::replace(&mut self.begun, true) { Next::Done { every_bound: false } } else { Next::Run }
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        let Some(&(thread, choice, store)) = self.steps.get(view.depth()) else {
            return Decision::Go(view.default_thread(), 0);
        };
        if !view.enabled.contains(thread) {
            return Decision::Misfit("another thread has to make this step".into());
        }
        let op = view.pending(thread);
        let (Some(store), Some(access), Some(weak)) = (store, op.access, &view.state.weak) else {
            return Decision::Go(thread, choice);
        };
        let choices = weak.graph.choices(Scope::Run, thread, op.object, access);
        match choices.iter().position(|choice| choice.store == store) {
            Some(choice) => Decision::Go(thread, choice as u32),
            None => Decision::Misfit("the access may not do that".into()),
        }
    }

    fn end(&mut self, _: &State, _: Ended) {}
}
