//! Replays runs of pushdown systems, dynamic networks and nets on the model alone: no machine, no engine. Every
//! counterexample is executed here before it is shown.
#![forbid(unsafe_code)]

pub mod dcps;
mod lasso;
pub mod net;
pub mod pds;

/// What counts as a violation beside targets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Goals {
    /// Threads that have not ended and none of which can continue.
    pub deadlock: bool,
    /// An infinite run: such a model has no labels that mark progress.
    pub infinite_runs: bool,
    /// Of infinite runs only those count in which every thread that is enabled all the time takes steps.
    pub fair: bool,
}
