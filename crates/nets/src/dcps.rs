//! Dynamic networks of concurrent pushdown systems: `.dcps` files (\[DYN\] Definition 2.1).

mod model;

pub use model::{Dcps, Kind, Resume, Rule};
