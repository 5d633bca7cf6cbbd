//! [`Machine`]: the one narrow interface between a language and an engine that explores states one by one; what a machine may
//! know to make searches smaller ([`Hints`]) and how it shows states to people ([`Describe`]). And what
//! serves every machine: a claim beside it ([`Product`]), following atomic sequences ([`expand()`]), busy waiting ([`Spinning`]), steps that can be remembered ([`Traced`]), why a
//! thread would be left ([`Leaving`]), which steps of a
//! run are switches and why ([`classify`]), following a run in another machine of the same model ([`retrace()`]), and
//! the trace of a run ([`narrate()`]). The judges do not depend on this crate.
#![forbid(unsafe_code)]

pub mod describe;
pub mod expand;
pub mod hints;
pub mod insight;
pub mod leaving;
pub mod machine;
pub mod narrate;
pub mod path;
pub mod product;
pub mod recorded;
pub mod retrace;
pub mod spinning;
pub mod switches;
pub mod threads;
pub mod traced;

pub use describe::{Describe, StepView};
pub use expand::{Arrival, ExpandBuffers, expand, expand_own, expand_threads, expand_unclaimed};
pub use hints::Hints;
pub use insight::{Condition, Frame};
pub use leaving::{Counting, Leaving};
pub use machine::{Fault, Machine, Mark, Step, Steps, Turn};
pub use narrate::{Heading, narrate, narrate_until, narrate_within};
pub use path::{Path, PathStep};
pub use product::{Claim, ClaimMove, Moves, Product, Timeouts};
pub use recorded::Recorded;
pub use retrace::retrace;
pub use spinning::Spinning;
pub use switches::{classify, classify_until, preemptions_per_cycle};
pub use threads::Threads;
pub use traced::{Footprint, Parts, Traced, Unit};
