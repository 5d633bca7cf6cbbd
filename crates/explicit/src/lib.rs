//! Searches over any [`Machine`](selvedge_core::Machine): every reachable state once, violations
//! with the path that leads to them. Knows no language.
#![forbid(unsafe_code)]

mod ample;
mod frontier;
mod path;
mod search;
mod spin;
mod store;

pub use search::{Found, Order, Outcome, SearchOptions, search};
pub use spin::{BitArray, SpinOptions, SpinOutcome, spin_search};
