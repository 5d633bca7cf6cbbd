//! Dynamic networks of concurrent pushdown systems: `.dcps` files (\[DYN\] Definition 2.1).

mod model;
mod parse;
mod print;

pub use model::{Action, Dcps, Kind, Move, Resume, Rule};
pub use parse::parse;
pub use print::{print, print_resume, print_rule};
