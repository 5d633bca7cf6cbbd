//! Concurrent Boolean programs, the union of the languages of Getafix, SATABS/Boppo and BoPP: from text to a checked
//! syntax tree, and back to text.
#![forbid(unsafe_code)]

pub mod ast;
pub mod check;
pub mod codes;
#[cfg(feature = "testing")]
pub mod coverage;
pub mod dialect;
mod lex;
pub mod parse;
pub mod print;
#[cfg(feature = "testing")]
pub mod random;
#[cfg(feature = "testing")]
pub mod shrink;

pub use dialect::Dialect;
