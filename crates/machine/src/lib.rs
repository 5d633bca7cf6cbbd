//! [`Machine`]: the one narrow interface between a language and an engine that explores states one by one, and what
//! serves every machine: following atomic sequences ([`expand`]), busy waiting ([`BusyWaiting`]), which steps of a
//! run are switches ([`classify`]), following a run in another machine of the same model ([`retrace()`]), and the
//! trace of a run ([`narrate()`]). The judges do not depend on this crate.
#![forbid(unsafe_code)]

pub mod busy;
pub mod machine;
pub mod narrate;
pub mod recorded;
pub mod retrace;
pub mod switches;

pub use busy::BusyWaiting;
pub use machine::{
    Arrival, ExpandBuffers, Fault, Machine, Path, PathStep, Step, StepView, Steps, Threads, Turn, expand, expand_own,
    expand_threads,
};
pub use narrate::{Heading, narrate, narrate_within};
pub use recorded::Recorded;
pub use retrace::retrace;
pub use switches::{Counting, classify, classify_within, preemptions_per_cycle};
