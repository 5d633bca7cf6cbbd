//! Which steps of a run are switches, and why: applies the one counter of [`bound`](selvedge_core::bound) to a run.
//!
//! * The thread that ran last is enabled if one of the steps that the state before allows ([`Turn::Any`]) is its own and
//!   leads somewhere: a thread that could only go round inside an atomic sequence without end is not. A thread that is
//!   spinning there ([`Spinning`](crate::Spinning)) counts as one that is not enabled, unless busy waiting is counted.
//! * Inside an atomic sequence the thread whose turn it is counts as the last one, so that going on is never a switch,
//!   while another thread running because the sequence is blocked is a forced one.
//! * Steps in which only the claim moves are no thread's and switch nothing.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Counting, ExpandBuffers, Hints, Leaving, Path, Step, Turn, expand};
use selvedge_core::{Budget, StopReason, Switch, SwitchCost, SwitchCounter, SwitchReason, ThreadId};
use selvedge_source::Cancel;

/// Statements of an atomic sequence that are followed to find out whether it leads to a state.
const LONGEST_SEQUENCE: usize = 10_000;
/// States inside of it that are looked at for that.
const WIDEST_SEQUENCE: usize = 200_000;

/// The reason of the switch in front of each step of a run, where there is one.
pub fn classify<M: Hints>(machine: &M, path: &Path, counting: Counting) -> Vec<Option<SwitchReason>> {
    let Ok(switches) = classify_while(machine, path, counting, || Ok::<(), Infallible>(()));
    switches
}

/// As [`classify`]; `None` if it was cancelled.
pub fn classify_until<M: Hints>(
    machine: &M,
    path: &Path,
    counting: Counting,
    cancel: &Cancel,
) -> Option<Vec<Option<SwitchReason>>> {
    classify_while(machine, path, counting, || if cancel.asks() { Err(()) } else { Ok(()) }).ok()
}

/// As [`classify`], as long as a budget allows.
pub(crate) fn classify_within<M: Hints>(
    machine: &M,
    path: &Path,
    counting: Counting,
    budget: &Budget,
) -> Result<Vec<Option<SwitchReason>>, StopReason> {
    classify_while(machine, path, counting, || budget.go_on(0))
}

/// The preemptions of each round of the cycle that an infinite run ends with; 0 of a finite run. The switch from the
/// cycle's last step back to its first is one of them. `None` if it was cancelled.
pub fn preemptions_per_cycle<M: Hints>(machine: &M, path: &Path, counting: Counting, cancel: &Cancel) -> Option<u32> {
    let Some(first) = path.cycle else { return Some(0) };
    let mut classifier = Classifier::new(machine, counting);
    let all = (0..path.steps.len()).chain(first..path.steps.len());
    let step = |index: usize| {
        let switch = classifier.step(path.before(index), &path.steps[index].step);
        (!cancel.asks()).then_some(switch)
    };
    let switches = all.map(step).collect::<Option<Vec<_>>>()?;
    Some(SwitchCost::Preemptions.of_run(&switches[path.steps.len()..]))
}

fn classify_while<M: Hints, E>(
    machine: &M,
    path: &Path,
    counting: Counting,
    go_on: impl Fn() -> Result<(), E>,
) -> Result<Vec<Option<SwitchReason>>, E> {
    let mut classifier = Classifier::new(machine, counting);
    let step = |index: usize| {
        go_on()?;
        Ok(classifier.step(path.before(index), &path.steps[index].step))
    };
    (0..path.steps.len()).map(step).collect()
}

struct Classifier<'a, M: Hints> {
    machine: &'a M,
    counter: SwitchCounter,
    buffers: ExpandBuffers<M>,
    /// It was found out whether the thread is enabled.
    enough: Arc<AtomicBool>,
    leaving: Leaving<M>,
    last: LastSteps,
}

/// The steps since the last stored state.
#[derive(Default)]
struct LastSteps {
    /// The state they start from.
    from: Vec<u8>,
    statements: u32,
    /// They end in a stored state.
    ended: bool,
}

impl LastSteps {
    fn step(&mut self, before: &[u8], step: &Step) {
        if self.ended || self.statements == 0 {
            self.from.clear();
            self.from.extend_from_slice(before);
            self.statements = 0;
        }
        self.statements += 1;
        self.ended = !matches!(step.turn, Turn::Only(_));
    }
}

impl<'a, M: Hints> Classifier<'a, M> {
    fn new(machine: &'a M, counting: Counting) -> Self {
        let enough = Arc::new(AtomicBool::new(false));
        Classifier {
            machine,
            counter: SwitchCounter::default(),
            buffers: ExpandBuffers::until(LONGEST_SEQUENCE, WIDEST_SEQUENCE, Arc::clone(&enough)),
            enough,
            leaving: Leaving::new(counting),
            last: LastSteps::default(),
        }
    }

    fn step(&mut self, before: &[u8], step: &Step) -> Option<SwitchReason> {
        let thread = step.thread?;
        let reason = self.counter.last().filter(|last| *last != thread).map(|last| self.reason(before, last));
        let ran_last = match step.turn {
            Turn::Only(next) => next,
            Turn::Any | Turn::Stutter => step.ran_last.unwrap_or(thread),
        };
        self.last.step(before, step);
        let switch = self.counter.step(thread, reason.unwrap_or(SwitchReason::Blocked), ran_last);
        reason.filter(|_| switch != Switch::None)
    }

    /// Why `last` does not run on.
    fn reason(&mut self, state: &[u8], last: ThreadId) -> SwitchReason {
        let enabled = self.is_enabled(state, last);
        match self.leaving.reason(self.machine, state, last, enabled) {
            SwitchReason::Blocked if self.machine.has_finished(state, last) => SwitchReason::Finished,
            SwitchReason::Spinning if !self.last_step_was_on_the_cycle(state, last) => SwitchReason::WouldOnlySpin,
            reason => reason,
        }
    }

    fn last_step_was_on_the_cycle(&mut self, state: &[u8], thread: ThreadId) -> bool {
        let LastSteps { from, statements, .. } = &self.last;
        self.leaving.spinning().is_on_cycle(self.machine, from, state, *statements, thread)
    }

    fn is_enabled(&mut self, state: &[u8], thread: ThreadId) -> bool {
        if let Some(enabled) = self.machine.has_step(state, thread) {
            return enabled;
        }
        let Classifier { machine, buffers, enough, .. } = self;
        enough.store(false, Ordering::Relaxed);
        expand(*machine, state, Turn::Any, buffers, &mut |arrival| {
            if arrival.thread() == Some(thread) {
                enough.store(true, Ordering::Relaxed);
            }
        });
        // A thread that only goes round inside an atomic sequence leads nowhere; of a long one that is not known.
        buffers.was_cut() || enough.load(Ordering::Relaxed)
    }
}
