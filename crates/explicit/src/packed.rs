//! Searches on packed states with remembered steps (docs/design.md 3.9): the same answers as the searches of the same names, state by
//! state and number by number, several times faster and in a fraction of the memory. For machines that can trace what a
//! step uses ([`selvedge_machine::Traced`]).
//!
//! | file | idea |
//! | --- | --- |
//! | `ample` | ample sets |
//! | `codes` | a state as a tuple of small numbers in one word |
//! | `table` | the set of such words, with marks, that grows in place |
//! | `queue` | those that wait |
//! | `memo` | steps by what they read |
//! | `remembered` | the transitions of a state from remembered steps |
//! | `leaving` | whether a thread spins, remembered |
//! | `group` | a few states ahead, so that the table is in the cache |
//! | `layered`, `exhaustive` | the searches |
//! | `trail` | the run to a state, by a second search |
//! | `relay` | from the plain search to the packed one, and back where packing does not pay |
//! | `handover` | what the plain search has stored, as keys |

mod ample;
mod codes;
mod exhaustive;
mod group;
mod handover;
mod layered;
mod leaving;
mod memo;
mod queue;
mod relay;
mod remembered;
mod table;
mod trail;

pub(crate) use exhaustive::PackedWhole;
pub(crate) use layered::PackedLayers;
pub use relay::Packing;
pub(crate) use relay::{Relay, Reports, TakeOver};
