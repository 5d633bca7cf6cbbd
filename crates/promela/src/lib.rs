//! Promela from syntax tree to states: check, lower, optimise, execute. Text is parsed by `selvedge-promela-syntax`;
//! what is found here is replayed by `selvedge-promela-judge`, which shares nothing with this crate.
#![forbid(unsafe_code)]

pub mod build;
pub mod events;
pub mod exclusive;
pub mod independence;
pub mod lower;
pub mod machine;
pub mod program;
pub mod reached;
pub mod safety;
pub mod spinning;
mod weight;
