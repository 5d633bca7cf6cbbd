//! Searches over any [`Machine`](selvedge_machine::Machine): every reachable state once, violations
//! with the path that leads to them. Knows no language.
#![forbid(unsafe_code)]

mod ample;
mod cycles;
mod exhaustive;
mod findings;
mod frontier;
mod interleaved;
mod layered;
mod lossy;
mod memory;
mod moves;
mod outcome;
mod packed;
mod path;
mod rounds_or_depth;
mod search;
mod shortest;
mod shuffle;
mod simplify;
mod spin;
mod step;
mod store;
mod stored;
mod watch;

pub use cycles::{Cycle, CycleOptions, cycles};
pub use exhaustive::{ExhaustiveOptions, Order, exhaustive};
pub use findings::Wanted;
pub use interleaved::{InterleavedOptions, among_choices, improvement, interleaved};
pub use layered::{LayeredOptions, Remember, layered};
pub use outcome::{Found, Outcome};
pub use packed::Packing;
pub use rounds_or_depth::{Counted, RoundsOrDepthOptions, rounds_or_depth};
pub use shortest::{Measure, ShortestOptions, shortest};
pub use simplify::{Simplified, simplify};
pub use spin::{BitArray, SpinOptions, spin_search};
pub use stored::Stored;
