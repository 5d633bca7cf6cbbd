//! What comparisons and benchmarks share: run Spin, Selvedge or another program under a time limit, and read its answer.
//!
//! Selvedge is used as its users use it: a binary with a command line and JSON.
//!
//! | file | idea |
//! | --- | --- |
//! | `process`, `scratch` | run a program under a time limit, in a directory of its own |
//! | `models` | find models and read their headers |
//! | `spin` | generate, compile and run a verifier; read its report |
//! | `selvedge` | run `selvedge check --json` and read its answer |
//! | `figures` | what two tools must agree on |
//! | `table` | tables in Markdown |
#![forbid(unsafe_code)]

pub mod figures;
pub mod models;
pub mod process;
pub mod scratch;
pub mod selvedge;
pub mod spin;
pub mod table;
