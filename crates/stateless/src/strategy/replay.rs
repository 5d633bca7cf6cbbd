//! Follows a given schedule; beyond its end, the thread that ran last continues.

use crate::ThreadId;
use crate::state::State;
use crate::strategy::{Decision, Ended, Next, Strategy, View};

/// One run along a schedule.
pub(crate) struct Replay {
    schedule: Vec<(ThreadId, u32)>,
    begun: bool,
}

impl Replay {
    pub(crate) fn new(schedule: Vec<(ThreadId, u32)>) -> Replay {
        Replay { schedule, begun: false }
    }
}

impl Strategy for Replay {
    fn next(&mut self) -> Next {
        if std::mem::replace(&mut self.begun, true) { Next::Done { every_bound: false } } else { Next::Run }
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        let step = view.depth();
        match self.schedule.get(step) {
            Some(&(thread, choice)) if view.enabled.contains(thread) && choice < view.state.arity(thread) => {
                Decision::Go(thread, choice)
            }
            Some(&(thread, choice)) => {
                let why = if view.enabled.contains(thread) {
                    format!("outcome {choice} does not exist")
                } else {
                    format!("thread {} is not enabled", thread.0)
                };
                Decision::Misfit(format!("step {}: {why}", step + 1).into())
            }
            None => Decision::Go(view.default_thread(), 0),
        }
    }

    fn end(&mut self, _: &State, _: Ended) {}
}
