//! Which thread is next: the trait between a run and the ways to choose schedules.

use crate::ThreadId;
use crate::op::Op;
use crate::outcome::Nondeterminism;
use crate::set::ThreadSet;
use crate::state::State;

pub(crate) mod bounded;
pub(crate) mod happens_before;
pub(crate) mod random;
pub(crate) mod replay;
pub(crate) mod retrace;
pub(crate) mod sample;

/// What a strategy sees when it decides.
pub(crate) struct View<'a> {
    /// The run; `state.steps` holds all steps so far, complete.
    pub(crate) state: &'a State,
    /// The threads that may be chosen; not empty. With a fair bound those it allows.
    pub(crate) candidates: &'a ThreadSet,
    /// The enabled threads, fair or not.
    pub(crate) enabled: &'a ThreadSet,
    /// The thread that ran last, and whether it goes on by itself, so that a switch away is a preemption.
    pub(crate) last: (ThreadId, bool),
}

impl View<'_> {
    /// The candidate that costs nothing if there is one: who ran last, else the lowest with the fewest yields.
    pub(crate) fn default_thread(&self) -> ThreadId {
        if let (last, true) = self.last {
            return last;
        }
        let yields = |t: &ThreadId| (self.state.threads()[t.index()].yields, *t);
        self.candidates.iter().min_by_key(yields).expect("internal error: a thread is enabled")
    }

    /// The pending operation of a thread.
    pub(crate) fn pending(&self, thread: ThreadId) -> &Op {
        self.state.threads()[thread.index()].pending.as_ref().expect("internal error: an enabled thread is pending")
    }

    /// The program does not do here what it did when the same schedule led here before.
    pub(crate) fn differs(&self) -> Decision {
        let pending = self.state.threads().iter().enumerate();
        let found =
            pending.filter_map(|(t, thread)| thread.pending.as_ref().map(|op| format!("{t}: {}", describe(op))));
        Decision::Differs(Box::new(Nondeterminism {
            step: self.depth(),
            expected: "what was pending when the same schedule led here before".to_owned(),
            found: found.collect::<Vec<_>>().join(", "),
        }))
    }

    /// Steps so far.
    pub(crate) fn depth(&self) -> usize {
        self.state.steps.len()
    }
}

/// What a strategy says.
#[derive(Debug)]
pub(crate) enum Decision {
    /// This thread makes its step, with this outcome.
    Go(ThreadId, u32),
    /// Nothing within the bound is left from here.
    Cut,
    /// The program does not do what it did under the same schedule.
    Differs(Box<Nondeterminism>),
    /// The schedule to replay does not fit.
    Misfit(Box<str>),
    /// The strategy has failed: `next` gives the reason.
    GiveUp,
}

/// How an execution ended, as far as strategies care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All threads have ended, or none is enabled.
    Terminal,
    /// In its last step, with others still able to go on.
    Aborted,
    /// By [`Decision::Cut`], or given up by the program.
    Cut,
}

/// What comes after an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Another execution.
    Run,
    /// This bound is complete; ask again for the next one.
    BoundComplete {
        /// The bound.
        bound: u32,
        /// Executions within it.
        executions: u64,
    },
    /// What was explored so far rested on a wrong assumption: everything starts again.
    Restart,
    /// The time was over before it was known what comes next.
    Time,
    /// This is no program for this strategy: another one must start again.
    TooManyPrefixes,
    /// Nothing is left.
    Done {
        /// A higher bound adds nothing.
        every_bound: bool,
    },
}

/// A way to choose schedules.
///
/// Protocol: `next` until it is not `Run`, or else one execution: `follow` and, if that does not know, `decide` before every
/// step, `end` once. Must be deterministic: the same executions give the same decisions.
pub(crate) trait Strategy {
    /// Prepares the next execution.
    fn next(&mut self) -> Next;
    /// The step that is known because an earlier execution made the steps so far and had the same operations pending
    /// ([`State::fingerprint`]) here. Most steps are such.
    fn follow(&self, _depth: usize, _fingerprint: u64) -> Option<(ThreadId, u32)> {
        None
    }
    /// Chooses the next step.
    fn decide(&mut self, view: &View<'_>) -> Decision;
    /// The execution ended.
    fn end(&mut self, state: &State, ended: Ended);
    /// About how many bytes it holds: what has to be given back at the end.
    fn memory(&self) -> usize {
        0
    }
    /// Nothing more will be asked: its memory may serve the next exploration on this OS thread.
    fn retire(self: Box<Self>) {}
    /// The schedule of the execution that just ended with the fewest preemptions known, where that is not the one that ran.
    fn best_schedule(&mut self) -> Option<Vec<(ThreadId, u32)>> {
        None
    }
}

/// Compares what is pending with what was pending the first time.
#[inline]
pub(crate) fn check_same(step: usize, expected: &Op, found: &Op) -> Option<Box<Nondeterminism>> {
    if expected.same(found) {
        return None;
    }
    Some(differing(step, expected, found))
}

#[cold]
fn differing(step: usize, expected: &Op, found: &Op) -> Box<Nondeterminism> {
    Box::new(Nondeterminism { step, expected: describe(expected), found: describe(found) })
}

fn describe(op: &Op) -> String {
    format!("{} at {}", op.verb, op.at)
}
