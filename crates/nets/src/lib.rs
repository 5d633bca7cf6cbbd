//! Pushdown systems and nets: parse, model, execute. One module for each language; they share the
//! reader of names and marks.
#![forbid(unsafe_code)]

pub mod pds;
