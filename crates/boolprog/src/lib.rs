//! Concurrent Boolean programs from syntax tree to states: lowered to control-flow graphs, which the machine executes
//! with explicit stacks and which symbolic engines encode. Text is parsed by `selvedge-boolprog-syntax`; what is found
//! is replayed by `selvedge-boolprog-judge`, which shares nothing with this crate.
#![forbid(unsafe_code)]

pub mod build;
pub mod concretize;
pub mod lower;
pub mod machine;
pub mod program;
pub mod unbounded_spawn;

pub use build::{BuildOptions, Built, build};
pub use lower::LowerOptions;
