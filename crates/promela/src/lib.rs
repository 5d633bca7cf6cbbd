//! Promela: preprocess, parse, check, lower, execute.
#![forbid(unsafe_code)]

pub mod ast;
pub mod codes;
mod lex;
pub mod parse;
mod preprocess;
pub mod lower;
pub mod machine;
pub mod program;
pub mod build;
pub mod ltl;
pub mod plain;
