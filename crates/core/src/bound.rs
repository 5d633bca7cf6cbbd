//! What is bounded, and the one place where switches are counted: what a context, a switch and a
//! preemption is, is decided here and nowhere else (DESIGN sections 2 and 3.1).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ThreadId;

/// The kinds of bounds a run can have; one kind in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundKind {
    /// Switches away from a thread that could have gone on.
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
    /// The same thread goes on (or nothing ran before).
    #[default]
    None,
    /// Another thread runs because the last one could not go on.
    Forced,
    /// Another thread runs although the last one could have gone on.
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
    /// The last one could have gone on.
    Preempted,
}

impl SwitchReason {
    /// The kind of switch that it makes.
    pub fn switch(self) -> Switch {
        match self {
            SwitchReason::Preempted => Switch::Preemptive,
            _ => Switch::Forced,
        }
    }
}

/// Classifies the steps of a run one by one and counts.
#[derive(Clone, Debug, Default)]
pub struct SwitchCounter {
    last: Option<ThreadId>,
    /// Switches away from a thread that could have gone on.
    pub preemptions: u32,
    /// All switches.
    pub switches: u32,
}

impl SwitchCounter {
    /// The next step is `thread`'s; `last_could_go_on` tells whether the thread that ran last has
    /// an enabled step; `ran_last` is the thread that counts as the last one after the step (the
    /// receiver of a rendezvous, else `thread`).
    pub fn step(&mut self, thread: ThreadId, last_could_go_on: bool, ran_last: ThreadId) -> Switch {
        let switch = match self.last {
            Some(last) if last != thread => {
                if last_could_go_on {
                    Switch::Preemptive
                } else {
                    Switch::Forced
                }
            }
            _ => Switch::None,
        };
        self.switches += u32::from(switch != Switch::None);
        self.preemptions += u32::from(switch == Switch::Preemptive);
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

    #[test]
    fn a_switch_is_preemptive_only_when_the_last_thread_could_go_on() {
        let (a, b) = (ThreadId(0), ThreadId(1));
        let mut counter = SwitchCounter::default();
        assert_eq!(counter.step(a, true, a), Switch::None);
        assert_eq!(counter.step(a, true, a), Switch::None);
        assert_eq!(counter.step(b, true, b), Switch::Preemptive);
        assert_eq!(counter.step(a, false, a), Switch::Forced);
        assert_eq!((counter.preemptions, counter.switches), (1, 2));
    }

    #[test]
    fn the_hand_over_of_a_rendezvous_is_no_switch() {
        let (sender, receiver) = (ThreadId(0), ThreadId(1));
        let mut counter = SwitchCounter::default();
        counter.step(sender, true, receiver);
        assert_eq!(counter.step(receiver, true, receiver), Switch::None);
        assert_eq!(counter.switches, 0);
    }
}
