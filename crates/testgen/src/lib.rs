//! Models for tests: random small Promela models, generated from a seed, printed as text, shrunk to what shows a bug.
//!
//! Every model is named by a seed and an index, and is the same everywhere. The text is the interface: nothing here
//! knows how a model is executed.
//!
//! | file | idea |
//! | --- | --- |
//! | `ast`, `print` | models as the generator makes them, and their text |
//! | `generate` | models of many statements, valid and with an answer of pan that is defined |
//! | `plant` | one construct in one position, so that every combination occurs |
//! | `exclusive` | claims to channels, many of them wrong |
//! | `coverage` | which construct occurs in which position of a parsed model |
//! | `families` | Boolean programs of any size, for the corpus and benchmarks |
//! | `shrink` | smaller models |
//! | `rewrite` | models with the same answer |
//! | `undefined` | models on which pan is known to be wrong |
//! | `rng` | random numbers |
#![forbid(unsafe_code)]

pub mod ast;
pub mod coverage;
mod exclusive;
pub mod families;
mod generate;
mod plant;
mod print;
pub mod rewrite;
mod rng;
mod shrink;
mod undefined;

pub use ast::Program;
pub use exclusive::with_claims;
pub use generate::program;
use plant::planted;
pub use rng::Rng;
pub use shrink::shrink;
pub use undefined::defined;

/// The model of a seed and index: every other one has a construct planted in a position.
pub fn model(seed: u64, index: u64) -> Program {
    if index.is_multiple_of(2) { program(seed, index) } else { planted(seed, index) }
}
