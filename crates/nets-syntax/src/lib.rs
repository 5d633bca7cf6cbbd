//! Pushdown systems and nets from text to model, and back to text. One module for each language; they share the
//! reader of words and marks (`text`) and the codes of their diagnostics ([`codes`]).
#![forbid(unsafe_code)]

pub mod codes;
pub mod dcps;
pub mod net;
pub mod pds;
mod text;
pub mod tts;
