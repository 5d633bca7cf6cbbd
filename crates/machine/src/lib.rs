//! [`Machine`]: the one narrow interface between a language and an engine that explores states one by one, and what
//! serves every machine: following atomic sequences ([`expand()`]), busy waiting ([`Spinning`]), why a
//! thread would be left ([`Leaving`]), which steps of a
//! run are switches and why ([`classify`]), following a run in another machine of the same model ([`retrace()`]), and
//! the trace of a run ([`narrate()`]). The judges do not depend on this crate.
#![forbid(unsafe_code)]

pub mod expand;
pub mod insight;
pub mod leaving;
pub mod machine;
pub mod narrate;
pub mod recorded;
pub mod retrace;
pub mod spinning;
pub mod switches;
pub mod threads;

pub use expand::{Arrival, ExpandBuffers, expand, expand_own, expand_threads, expand_unclaimed};
pub use insight::{Condition, Frame};
pub use leaving::{Counting, Leaving};
pub use machine::{Fault, Machine, Path, PathStep, Step, StepView, Steps, Turn};
pub use narrate::{Heading, narrate, narrate_within};
pub use recorded::Recorded;
pub use retrace::retrace;
pub use spinning::{OwnCycle, Spinning};
pub use switches::{classify, classify_within, preemptions_per_cycle};
pub use threads::Threads;
