//! `cargo bench-models`: the tables of `docs/benchmarks.md` that are about models.
//!
//! | file | idea |
//! | --- | --- |
//! | `spin` | speed, memory and waiting time beside Spin's verifier |
//! | `bcs` | the tables and charts of \[BCS\]: what a bound costs, what counterexamples look like |
//! | `nets` | coverability benchmarks beside mist and bfc |
//! | `symbolic` | the figures of \[LR\] |
#![forbid(unsafe_code)]

mod bcs;
mod nets;
mod spin;
mod symbolic;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Measure the model checker beside its peers
#[derive(Parser)]
#[command(name = "cargo bench-models")]
struct Cli {
    #[command(subcommand)]
    command: Benchmark,
}

#[derive(Subcommand)]
enum Benchmark {
    Spin(spin::Options),
    Bcs(bcs::Options),
    Nets(nets::Options),
    Symbolic(symbolic::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Benchmark::Spin(options) => spin::run(&options),
        Benchmark::Bcs(options) => bcs::run(&options),
        Benchmark::Nets(options) => nets::run(&options),
        Benchmark::Symbolic(options) => symbolic::run(&options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}
