//! Dynamic networks of concurrent pushdown systems: `.dcps` files (\[DYN\] Definition 2.1).

mod machine;
mod model;
mod parse;
mod print;
mod replay;

pub use machine::{DcpsMachine, DcpsOptions, THREAD_LIMIT};
pub use model::{Action, Dcps, Kind, Move, Resume, Rule};
pub use parse::parse;
pub use print::print;
pub use replay::replay;
