//! The vocabulary shared by Selvedge's languages, engines and judges: thread ids, bounds, limits, verdicts,
//! traces, events. Data only: nothing here explores or executes anything, so that a judge may depend on it.
#![forbid(unsafe_code)]

pub mod bound;
pub mod chance;
pub mod changes;
pub mod event;
pub mod evidence;
pub mod explored;
pub mod frames;
pub mod judgement;
pub mod limit;
pub mod omission;
pub mod sampled_run;
pub mod thread;
pub mod trace;
pub mod verdict;

pub use bound::{Bound, BoundKind, Switch, SwitchCost, SwitchCounter, SwitchReason};
pub use chance::{Chance, mix};
pub use event::{Event, Observer, Silent};
pub use evidence::Evidence;
pub use explored::{Effort, Explored, Found, Runs};
pub use judgement::ReplayError;
pub use limit::{Budget, Interrupt, Limits, Meter, StopReason};
pub use omission::Omission;
pub use sampled_run::{SampledRun, Spent};
pub use selvedge_source::Span;
pub use thread::ThreadId;
pub use trace::Trace;
pub use verdict::{Layer, Stats, Verdict, ViolationKind};
