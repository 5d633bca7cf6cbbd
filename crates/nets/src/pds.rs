//! Concurrent pushdown systems with shared states: `.pds` files (\[LR\] Section 4).

mod machine;
mod model;
mod parse;
mod print;
mod replay;

pub use machine::{PdsMachine, PdsOptions, STACK_LIMIT, Scratch};
pub use model::{Pds, Rule, StateId, SymbolId, Thread};
pub use parse::parse;
pub use print::print;
pub use replay::{ReplayError, replay};
