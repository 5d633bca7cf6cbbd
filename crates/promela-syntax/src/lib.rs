//! Promela from text to syntax tree: preprocessor, tokens, parser, diagnostics. What names mean is not decided here:
//! the machine's lowering and the judge each resolve them on their own.
#![forbid(unsafe_code)]

pub mod ast;
pub mod codes;
mod lex;
pub mod parse;
mod preprocess;
mod symbols;
pub mod walk;

pub use preprocess::{Definition, Setup};
