//! What is bounded, and the one place where switches are counted: what a context, a switch and a preemption is, and what a
//! switch costs ([`SwitchCost`]), is decided here (DESIGN sections 2 and 3.1). Every search uses it; only the independent
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
    /// Another thread runs because the last one only spins. In files this is a forced one.
    #[serde(rename(serialize = "forced"), skip_deserializing)]
    BusyWait,
}

/// What the thread that ran last can do in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LastThread {
    /// It has an enabled step that leads somewhere.
    Enabled,
    /// It is enabled, but only spins: its own steps lead back here. Where busy waiting counts, such a thread is
    /// [`Enabled`](LastThread::Enabled).
    Spinning,
    /// It is blocked, or it has finished.
    Disabled,
}

impl From<bool> for LastThread {
    /// From whether it is enabled, where nothing spins.
    fn from(enabled: bool) -> Self {
        if enabled { LastThread::Enabled } else { LastThread::Disabled }
    }
}

impl Switch {
    /// The switch to another thread, given what the last one could have done.
    pub fn away_from(last: LastThread) -> Switch {
        match last {
            LastThread::Enabled => Switch::Preemptive,
            LastThread::Spinning => Switch::BusyWait,
            LastThread::Disabled => Switch::Forced,
        }
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
    pub fn of(self, switch: Switch) -> u32 {
        let counts = match self {
            SwitchCost::Preemptions => switch == Switch::Preemptive,
            SwitchCost::Switches => switch != Switch::None,
        };
        u32::from(counts)
    }

    /// What it costs to run another thread than the last one.
    pub fn of_leaving(self, last: LastThread) -> u32 {
        self.of(Switch::away_from(last))
    }

    /// What it costs to run `next` after `last`; nothing if no thread has run yet.
    pub fn of_step<T: PartialEq>(self, last: Option<(T, LastThread)>, next: &T) -> u32 {
        match last {
            Some((thread, last)) if thread != *next => self.of_leaving(last),
            _ => 0,
        }
    }

    /// Whether the last thread still matters after it has finished, because the switch away from it counts.
    pub fn remembers_finished_threads(self) -> bool {
        self.of_leaving(LastThread::Disabled) > 0
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
    /// Counts a step of `thread`. `last` is what the thread that ran last could have done; `ran_last` is the thread that
    /// counts as the last one after the step (the receiver of a rendezvous, else `thread`).
    pub fn step(&mut self, thread: ThreadId, last: impl Into<LastThread>, ran_last: ThreadId) -> Switch {
        let switch = match self.last {
            Some(previous) if previous != thread => Switch::away_from(last.into()),
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

    const LAST: [LastThread; 3] = [LastThread::Enabled, LastThread::Spinning, LastThread::Disabled];

    #[test]
    fn a_switch_is_preemptive_only_when_the_last_thread_is_enabled() {
        let (a, b) = (ThreadId(0), ThreadId(1));
        let mut counter = SwitchCounter::default();
        assert_eq!(counter.step(a, true, a), Switch::None);
        assert_eq!(counter.step(a, true, a), Switch::None);
        assert_eq!(counter.step(b, true, b), Switch::Preemptive);
        assert_eq!(counter.step(a, false, a), Switch::Forced);
        assert_eq!(counter.step(b, LastThread::Spinning, b), Switch::BusyWait);
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
        assert_eq!(LAST.map(|last| SwitchCost::Preemptions.of_leaving(last)), [1, 0, 0]);
        assert_eq!(LAST.map(|last| SwitchCost::Switches.of_leaving(last)), [1, 1, 1]);
        assert!(SwitchCost::Switches.remembers_finished_threads());
        assert!(!SwitchCost::Preemptions.remembers_finished_threads());
    }

    #[test]
    fn the_cost_of_a_run_is_what_the_counter_counts() {
        let mut chance = crate::Chance::new(5);
        for _ in 0..500 {
            let mut counter = SwitchCounter::default();
            let (mut preemptions, mut switches) = (0, 0);
            for _ in 0..12 {
                let (thread, last) = (ThreadId(chance.below(3) as u32), LAST[chance.below(3)]);
                let before = counter.last().map(|thread| (thread, last));
                preemptions += SwitchCost::Preemptions.of_step(before, &thread);
                switches += SwitchCost::Switches.of_step(before, &thread);
                counter.step(thread, last, thread);
            }
            assert_eq!((counter.preemptions, counter.switches), (preemptions, switches));
        }
    }
}
