//! Promela: preprocess, parse, check, lower, execute.
#![forbid(unsafe_code)]

pub mod ast;
pub mod build;
pub mod codes;
mod lex;
pub mod lower;
pub mod ltl;
pub mod machine;
pub mod parse;
pub mod plain;
mod preprocess;
pub mod program;
pub mod reached;
pub mod safety;
