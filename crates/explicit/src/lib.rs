//! Searches over any [`Machine`](selvedge_machine::Machine): every reachable state once, violations
//! with the path that leads to them. Knows no language.
#![forbid(unsafe_code)]

mod ample;
mod best;
mod cycles;
mod findings;
mod frontier;
mod layered;
mod lossy;
mod memory;
mod path;
mod ranked;
mod search;
mod shuffle;
mod spin;
mod store;
mod watch;

pub use best::{BestOptions, Measure, best};
pub use cycles::{Cycle, CycleOptions, cycles};
pub use findings::Wanted;
pub use layered::{Cost, LayeredOptions, Remember, layered};
pub use ranked::{RankedOptions, Ranking, ranked};
pub use search::{Found, Omission, Order, Outcome, SearchOptions, search};
pub use spin::{BitArray, SpinOptions, SpinOutcome, spin_search};
