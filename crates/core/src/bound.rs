//! What is bounded, and the one place where switches are counted: what a context, a switch and a preemption is, and what a
//! switch costs ([`SwitchCost`]), is decided here (docs/design.md 2 and 3.1). Every search uses it; only the independent
//! judges count on their own.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ThreadId;

/// The kinds of bounds a run can have; one kind in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundKind {
    /// Switches away from an enabled thread.
    Preemptions,
    /// All switches.
    Switches,
    /// Contexts of each thread, round-robin.
    Rounds,
    /// Switches of each thread, threads created dynamically.
    ThreadSwitches,
    /// The same, in order of the threads' switch numbers.
    Strata,
    /// Steps of the run.
    Depth,
    /// Nothing.
    Unbounded,
}

/// A bound: its kind and value (`None` where nothing is bounded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bound {
    /// What is bounded.
    pub kind: BoundKind,
    /// How much of it is allowed.
    pub value: Option<u32>,
}

impl Bound {
    /// Every run.
    pub const UNBOUNDED: Bound = Bound { kind: BoundKind::Unbounded, value: None };
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, many) = match self.kind {
            BoundKind::Preemptions => ("preemption", "preemptions"),
            BoundKind::Switches => ("switch", "switches"),
            BoundKind::Rounds => ("round", "rounds"),
            BoundKind::ThreadSwitches => ("switch of each thread", "switches of each thread"),
            BoundKind::Strata => ("stratum", "strata"),
            BoundKind::Depth => ("step", "steps"),
            BoundKind::Unbounded => return f.write_str("any number of switches"),
        };
        match self.value {
            Some(1) => write!(f, "at most 1 {one}"),
            Some(n) => write!(f, "at most {n} {many}"),
            None => write!(f, "any number of {many}"),
        }
    }
}

/// How a step's thread relates to the thread that ran before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// The same thread continues (or nothing ran before).
    #[default]
    None,
    /// Another thread runs because the last one is blocked or has finished.
    Forced,
    /// Another thread runs although the last one was enabled.
    Preemptive,
}

/// Why another thread runs than the one that ran last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchReason {
    /// The last one has no enabled step.
    Blocked,
    /// The last one has ended.
    Finished,
    /// The last one goes round a loop that changes nothing others can see.
    Spinning,
    /// The last one would do so if it ran on; its last step was not part of the loop.
    WouldOnlySpin,
    /// The last one was enabled.
    Preempted,
}

impl SwitchReason {
    /// The kind of switch that it makes.
    #[inline]
    pub fn switch(self) -> Switch {
        match self {
            SwitchReason::Preempted => Switch::Preemptive,
            _ => Switch::Forced,
        }
    }
}

impl From<bool> for SwitchReason {
    /// From whether the last thread is enabled, where threads do not spin.
    fn from(enabled: bool) -> Self {
        if enabled { SwitchReason::Preempted } else { SwitchReason::Blocked }
    }
}

/// Which switches a search counts against its bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SwitchCost {
    /// Switches away from an enabled thread that does not spin.
    #[default]
    Preemptions,
    /// All switches.
    Switches,
}

impl SwitchCost {
    /// What a step costs: 1 if its switch counts.
    #[inline]
    pub fn of(self, switch: Switch) -> u32 {
        let counts = match self {
            SwitchCost::Preemptions => switch == Switch::Preemptive,
            SwitchCost::Switches => switch != Switch::None,
        };
        u32::from(counts)
    }

    /// What a run costs, given the reason of the switch in front of each of its steps.
    pub fn of_run(self, reasons: &[Option<SwitchReason>]) -> u32 {
        reasons.iter().flatten().map(|reason| self.of_leaving(*reason)).sum()
    }

    /// What it costs to run another thread than the last one.
    #[inline]
    pub fn of_leaving(self, reason: impl Into<SwitchReason>) -> u32 {
        self.of(reason.into().switch())
    }

    /// What it costs to run `next` after the last thread, given why that one would be left; nothing if none has run yet.
    #[inline]
    pub fn of_step<T: PartialEq>(self, last: Option<(T, impl Into<SwitchReason>)>, next: &T) -> u32 {
        match last {
            Some((thread, reason)) if thread != *next => self.of_leaving(reason),
            _ => 0,
        }
    }

    /// Whether it matters why the last thread is left: some switches count and others do not.
    #[inline]
    pub fn depends_on_reason(self) -> bool {
        self.of_leaving(SwitchReason::Preempted) != self.of_leaving(SwitchReason::Blocked)
    }

    /// Whether the last thread still matters after it has finished, because the switch away from it counts.
    #[inline]
    pub fn remembers_finished_threads(self) -> bool {
        self.of_leaving(SwitchReason::Finished) > 0
    }
}

/// Classifies the steps of a run one by one and counts.
#[derive(Clone, Debug, Default)]
pub struct SwitchCounter {
    last: Option<ThreadId>,
    /// Switches away from an enabled thread.
    pub preemptions: u32,
    /// All switches.
    pub switches: u32,
}

impl SwitchCounter {
    /// Counts a step of `thread`. `reason` is why the thread that ran last would be left; `ran_last` is the thread that
    /// counts as the last one after the step (the receiver of a rendezvous, else `thread`).
    pub fn step(&mut self, thread: ThreadId, reason: impl Into<SwitchReason>, ran_last: ThreadId) -> Switch {
        let switch = match self.last {
            Some(last) if last != thread => reason.into().switch(),
            _ => Switch::None,
        };
        self.switches += SwitchCost::Switches.of(switch);
        self.preemptions += SwitchCost::Preemptions.of(switch);
        self.last = Some(ran_last);
        switch
    }

    /// The thread that ran last.
    pub fn last(&self) -> Option<ThreadId> {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use SwitchReason::{Blocked, Finished, Preempted, Spinning, WouldOnlySpin};

    const REASONS: [SwitchReason; 5] = [Preempted, Blocked, Finished, Spinning, WouldOnlySpin];

    #[test]
    fn a_switch_is_preemptive_only_when_the_last_thread_is_enabled() {
        let (a, b) = (ThreadId(0), ThreadId(1));
        let mut counter = SwitchCounter::default();
        assert_eq!(counter.step(a, true, a), Switch::None);
        assert_eq!(counter.step(a, true, a), Switch::None);
        assert_eq!(counter.step(b, true, b), Switch::Preemptive);
        assert_eq!(counter.step(a, false, a), Switch::Forced);
        assert_eq!(counter.step(b, Spinning, b), Switch::Forced);
        assert_eq!((counter.preemptions, counter.switches), (1, 3));
    }

    #[test]
    fn the_hand_over_of_a_rendezvous_is_no_switch() {
        let (sender, receiver) = (ThreadId(0), ThreadId(1));
        let mut counter = SwitchCounter::default();
        counter.step(sender, true, receiver);
        assert_eq!(counter.step(receiver, true, receiver), Switch::None);
        assert_eq!(counter.switches, 0);
    }

    #[test]
    fn only_a_switch_away_from_an_enabled_thread_is_a_preemption_and_every_switch_is_one() {
        assert_eq!(REASONS.map(|reason| SwitchCost::Preemptions.of_leaving(reason)), [1, 0, 0, 0, 0]);
        assert_eq!(REASONS.map(|reason| SwitchCost::Switches.of_leaving(reason)), [1; 5]);
        assert!(SwitchCost::Switches.remembers_finished_threads());
        assert!(!SwitchCost::Preemptions.remembers_finished_threads());
        assert!(SwitchCost::Preemptions.depends_on_reason() && !SwitchCost::Switches.depends_on_reason());
        let run = [None, Some(Preempted), None, Some(Blocked), Some(Spinning)];
        assert_eq!((SwitchCost::Preemptions.of_run(&run), SwitchCost::Switches.of_run(&run)), (1, 3));
    }

    #[test]
    fn the_cost_of_a_run_is_what_the_counter_counts() {
        let mut chance = crate::Chance::new(5);
        for _ in 0..500 {
            let mut counter = SwitchCounter::default();
            let (mut preemptions, mut switches) = (0, 0);
            for _ in 0..12 {
                let (thread, reason) = (ThreadId(chance.below(3) as u32), REASONS[chance.below(5)]);
                let before = counter.last().map(|last| (last, reason));
                preemptions += SwitchCost::Preemptions.of_step(before, &thread);
                switches += SwitchCost::Switches.of_step(before, &thread);
                counter.step(thread, reason, thread);
            }
            assert_eq!((counter.preemptions, counter.switches), (preemptions, switches));
        }
    }
}
