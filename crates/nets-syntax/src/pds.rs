//! Concurrent pushdown systems with shared states: `.pds` files (\[LR\] Section 4).

mod model;
mod parse;
mod print;

pub use model::{Pds, Rule, StateId, SymbolId, Thread};
pub use parse::parse;
pub use print::{print, print_rule};
