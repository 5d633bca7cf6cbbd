//! The loops that searches spend their time in, one file each. `cargo bench --manifest-path bench/hot-loops/Cargo.toml`
//! runs them; `-- layered` only those whose name contains the word. Criterion compares with the run before.
//!
//! Public interfaces are measured where they are thin enough; the store of states is private to its crate and is included
//! by path.

mod bdd;
mod coverability;
mod layered;
mod one_execution;
mod store_insert;

use criterion::{criterion_group, criterion_main};

criterion_group!(
    hot_loops,
    layered::bench,
    store_insert::bench,
    bdd::bench,
    coverability::bench,
    one_execution::bench
);
criterion_main!(hot_loops);
