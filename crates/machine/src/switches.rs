//! Which steps of a run are switches, and of which kind: applies the one counter of [`bound`](selvedge_core::bound) to a run.
//!
//! * The thread that ran last could have gone on if one of the steps that the state before allows ([`Turn::Any`]) is
//!   its own and leads somewhere: a thread that could only go round inside an endless atomic sequence could not. A
//!   thread that is busy-waiting there counts as one that could not, unless that is counted.
//! * Inside an atomic sequence the thread whose turn it is counts as the last one, so that going on is never a switch,
//!   while another thread running because the sequence is blocked is a forced one.
//! * Steps in which only the claim moves are no thread's and switch nothing.

use std::convert::Infallible;

use crate::{BusyWaiting, ExpandBuffers, Machine, Path, Step, Turn, expand};
use selvedge_core::{Budget, StopReason, Switch, SwitchCounter, ThreadId};

/// How preemptions are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counting {
    /// A switch away from a busy-waiting thread is a preemption too.
    pub busy_waiting: bool,
}

/// A thread that has more states of its own in front of it than this is not taken for busy-waiting: with recursion or with
/// new threads it may have any number of them.
const MOST_OWN_STATES: usize = 10_000;

/// The kind of switch in front of each step of a run.
pub fn classify<M: Machine>(machine: &M, path: &Path, counting: Counting) -> Vec<Switch> {
    let Ok(switches) = classify_while(machine, path, counting, || Ok::<(), Infallible>(()));
    switches
}

/// As [`classify`], as long as a budget allows.
pub fn classify_within<M: Machine>(
    machine: &M,
    path: &Path,
    counting: Counting,
    budget: &Budget,
) -> Result<Vec<Switch>, StopReason> {
    classify_while(machine, path, counting, || budget.go_on(0))
}

/// The preemptions of each round of the cycle that an infinite run ends with; 0 of a finite run. The switch from the
/// cycle's last step back to its first is one of them.
pub fn preemptions_per_cycle<M: Machine>(machine: &M, path: &Path, counting: Counting) -> u32 {
    let Some(first) = path.cycle else { return 0 };
    let mut classifier = Classifier::new(machine, counting);
    let all = (0..path.steps.len()).chain(first..path.steps.len());
    let switches = all.map(|index| classifier.step(path.before(index), &path.steps[index].step));
    switches.skip(path.steps.len()).filter(|switch| *switch == Switch::Preemptive).count() as u32
}

fn classify_while<M: Machine, E>(
    machine: &M,
    path: &Path,
    counting: Counting,
    go_on: impl Fn() -> Result<(), E>,
) -> Result<Vec<Switch>, E> {
    let mut classifier = Classifier::new(machine, counting);
    let step = |index: usize| {
        go_on()?;
        Ok(classifier.step(path.before(index), &path.steps[index].step))
    };
    (0..path.steps.len()).map(step).collect()
}

struct Classifier<'a, M: Machine> {
    machine: &'a M,
    counting: Counting,
    counter: SwitchCounter,
    buffers: ExpandBuffers<M>,
    busy: BusyWaiting<M>,
}

impl<'a, M: Machine> Classifier<'a, M> {
    fn new(machine: &'a M, counting: Counting) -> Self {
        Classifier {
            machine,
            counting,
            counter: SwitchCounter::default(),
            buffers: ExpandBuffers::default(),
            busy: BusyWaiting::at_most(MOST_OWN_STATES),
        }
    }

    fn step(&mut self, before: &[u8], step: &Step) -> Switch {
        let Some(thread) = step.thread else { return Switch::None };
        let last = self.counter.last().filter(|last| *last != thread);
        let enabled = last.is_some_and(|last| self.is_enabled(before, last));
        let waits = last.is_some_and(|last| {
            enabled && !self.counting.busy_waiting && self.busy.is_busy(self.machine, before, last)
        });
        let ran_last = match step.turn {
            Turn::Only(next) => next,
            Turn::Any | Turn::Stutter => step.ran_last.unwrap_or(thread),
        };
        match self.counter.step(thread, enabled && !waits, ran_last) {
            Switch::Forced if waits => Switch::BusyWait,
            switch => switch,
        }
    }

    fn is_enabled(&mut self, state: &[u8], thread: ThreadId) -> bool {
        let mut enabled = false;
        expand(self.machine, state, Turn::Any, &mut self.buffers, &mut |arrival| {
            enabled |= arrival.thread() == Some(thread);
        });
        enabled
    }
}
