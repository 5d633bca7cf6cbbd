//! The vocabulary shared by Selvedge's languages and engines: thread ids, bounds, limits, verdicts,
//! traces, events, and [`Machine`], the one narrow interface between a language and an engine.
#![forbid(unsafe_code)]

pub mod bound;
pub mod busy;
pub mod changes;
pub mod event;
pub mod limit;
pub mod machine;
pub mod narrate;
pub mod recorded;
pub mod retrace;
pub mod switches;
pub mod trace;
pub mod verdict;

pub use bound::{Bound, BoundKind, Switch, SwitchCounter};
pub use busy::BusyWaiting;
pub use event::{Event, Observer, Silent};
pub use limit::{Budget, Interrupt, Limits, StopReason};
pub use machine::{
    Arrival, ExpandBuffers, Fault, Machine, Path, PathStep, Step, StepView, Steps, ThreadId, Threads, Turn, expand,
    expand_own, expand_threads,
};
pub use narrate::{Heading, narrate, narrate_within};
pub use recorded::Recorded;
pub use retrace::retrace;
pub use selvedge_source::Span;
pub use switches::{Counting, classify, classify_within, preemptions_per_cycle};
pub use trace::Trace;
pub use verdict::{Layer, Stats, Verdict, ViolationKind};
