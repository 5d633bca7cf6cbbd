//! Concurrent Boolean programs: the union of the languages of Getafix, SATABS/Boppo and BoPP.
//! Text is parsed to a syntax tree, checked, and lowered to control-flow graphs, which the
//! interpreter executes with explicit stacks and which symbolic engines encode.
#![forbid(unsafe_code)]

pub mod ast;
#[cfg(feature = "testing")]
pub mod brute;
pub mod build;
pub mod check;
pub mod codes;
pub mod dialect;
pub mod endless;
pub mod guide;
mod lex;
pub mod lower;
pub mod machine;
pub mod parse;
pub mod plain;
pub mod print;
pub mod program;
#[cfg(feature = "testing")]
pub mod random;
#[cfg(feature = "testing")]
pub mod shrink;

pub use build::{BuildOptions, Built, build};
pub use dialect::Dialect;
pub use lower::LowerOptions;
