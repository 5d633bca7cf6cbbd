//! Steps: a thread announces an operation, a thread is chosen, and the chosen thread makes its step.
//!
//! Most steps are known before they are announced, because an earlier execution began in the same way. Then the
//! strategy is only asked for the next thread, and a thread that continues makes its step at once.

use selvedge_core::ThreadId;

use super::{Ending, Execution, Restart, with};
use crate::op::{Kind, Op};
use crate::order::SyncEvent;
use crate::race::Fault;
use crate::rt::Transfer;
use crate::{ObjectId, fiber, hook, thread_ids};

/// Announces an operation of the running thread and returns when it has been chosen and made: how it turned out, and
/// which outcome the environment chose.
pub(crate) fn visible(op: Op) -> (Transfer, u32) {
    visible_then(op, |_| ()).0
}

/// As [`visible`], with what the thread does right after the step, before anything else.
#[inline]
pub(crate) fn visible_then<R: Default>(op: Op, then: impl FnOnce(&mut Execution) -> R) -> ((Transfer, u32), R) {
    let mut then = Some(then);
    let mut and_then = |run: &mut Execution| then.take().map_or_else(R::default, |then| then(run));
    let done = with(|run| {
        if run.pass_through {
            return Some(((Transfer::Done, 0), R::default()));
        }
        run.announced(&op).map(|outcome| (outcome, and_then(run)))
    });
    if let Some(done) = done {
        return done;
    }
    fiber::suspend();
    with(|run| {
        if run.pass_through {
            return ((Transfer::Done, 0), R::default());
        }
        (run.make_step(run.current), and_then(run))
    })
}

impl Execution {
    /// The running thread announces an operation. How it turned out, if that thread goes on at once; else it must be suspended.
    #[inline]
    fn announced(&mut self, op: &Op) -> Option<(Transfer, u32)> {
        let me = self.current;
        if self.state.thread(me).panic.is_some() && !hook::panicking() {
            self.state.thread(me).panic = None; // the program caught it
        }
        if self.watches.contains(&me) && !self.config.counts {
            self.ending = Some(Ending::Restart(Restart::Counts));
            return None;
        }
        self.state.announce(me, op);
        if let Some(parent) = self.starting.pop() {
            self.state.wait(me, *op);
            self.current = parent;
            return None;
        }
        if self.ending.is_none()
            && self.recording.is_none()
            && let Some((thread, choice)) = self.known_step()
        {
            if thread == me {
                return Some((self.make_announced_step(me, op, choice), choice));
            }
            self.state.wait(me, *op);
            (self.current, self.choice) = (thread, choice);
            return None;
        }
        self.state.wait(me, *op);
        self.decide();
        (self.ending.is_none() && self.current == me).then(|| self.make_step(me))
    }

    /// The next step, if an earlier execution came here in the same way and nothing else has to be looked at.
    #[inline]
    pub(super) fn known_step(&self) -> Option<(ThreadId, u32)> {
        if self.draining.is_some() || self.looks_at_length() {
            return None;
        }
        let known = self.strategy.follow(self.state.steps.len(), self.state.fingerprint());
        #[cfg(all(debug_assertions, any(test, feature = "self-checks")))]
        assert!(
            known.is_none_or(|(thread, _)| self.state.is_enabled(thread)),
            "the thread that continued before is enabled again"
        );
        known
    }

    /// Makes the step that was chosen.
    fn make_step(&mut self, thread: ThreadId) -> (Transfer, u32) {
        if self.recording.is_some() {
            return self.make_recorded_step(thread);
        }
        let op = self.state.take_pending(thread);
        (self.make_announced_step(thread, &op, self.choice), self.choice)
    }

    #[inline]
    fn make_announced_step(&mut self, thread: ThreadId, op: &Op, choice: u32) -> Transfer {
        let (step, outcome) = self.state.make_step(thread, op, choice);
        self.last = thread;
        self.pulse.beat(thread, Some(op.at));
        if step.object != ObjectId::NONE {
            if let Some(fault) = self.order.step_made(&self.state, step.kind, outcome) {
                self.fail_step(thread, op, &fault);
            }
        } else if step.kind == Kind::Drain {
            for ended in thread_ids(self.state.threads().len()).skip(1) {
                self.order.happened(&self.state, SyncEvent::Joined { thread, ended });
            }
        }
        if self.config.weak && !step.in_graph {
            self.add_to_graph(&step, outcome);
        }
        outcome
    }

    /// The step just made uses an object whose creation the thread does not know.
    #[cold]
    fn fail_step(&mut self, thread: ThreadId, op: &Op, fault: &Fault) {
        if !self.pass_through {
            let failure = self.atomic_failure(thread, op.object, "uses", op.at, fault);
            self.fail(failure);
        }
    }

    /// The same, written down.
    #[cold]
    fn make_recorded_step(&mut self, thread: ThreadId) -> (Transfer, u32) {
        let would_continue = self.last != thread && self.last_goes_on(self.last);
        let choice = self.choice;
        self.record_moment(thread);
        let op = self.state.take_pending(thread);
        let outcome = self.make_announced_step(thread, &op, choice);
        self.schedule.push((thread, choice));
        self.record(&op, thread, outcome, would_continue);
        (outcome, choice)
    }

    fn last_goes_on(&self, last: ThreadId) -> bool {
        self.state.would_continue(last) && self.candidates.contains(last)
    }
}
