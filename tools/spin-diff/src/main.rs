//! `cargo spin-diff`: Selvedge compared with Spin, which is the reference for Promela.
//!
//! | file | idea |
//! | --- | --- |
//! | `conformance` | states, transitions and kinds of errors on real models |
//! | `fuzz` | the same on random programs; disagreements are shrunk to a corpus file |
//! | `ltl` | sizes of never claims |
#![forbid(unsafe_code)]

mod conformance;
mod fuzz;
mod ltl;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Compare Selvedge with Spin
#[derive(Parser)]
#[command(name = "cargo spin-diff")]
struct Cli {
    #[command(subcommand)]
    command: Comparison,
}

#[derive(Subcommand)]
enum Comparison {
    Conformance(conformance::Options),
    Fuzz(fuzz::Options),
    Ltl(ltl::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Comparison::Conformance(options) => conformance::run(&options),
        Comparison::Fuzz(options) => fuzz::run(&options),
        Comparison::Ltl(options) => ltl::run(&options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}
