//! Concurrent Boolean programs: the union of the languages of Getafix, SATABS/Boppo and BoPP.
//! Text is parsed to a syntax tree, checked, and lowered to control-flow graphs, which the
//! interpreter executes with explicit stacks and which symbolic engines encode.
#![forbid(unsafe_code)]

pub mod program;
