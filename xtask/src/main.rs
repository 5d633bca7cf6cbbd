//! `cargo xtask`: conformance with Spin, differential fuzzing, benchmarks, families of models, the book's reference.
//!
//! Nearly everything here treats Selvedge as its users do: a binary with a command line and JSON. Spin is the reference.
//! `soundness` calls the library, since it checks many thousand models.
#![forbid(unsafe_code)]

mod bcs;
mod bench;
mod bench_nets;
mod bench_symbolic;
mod conformance;
mod figures;
mod fuzz;
mod generate;
mod ltl;
mod models;
mod mutants;
mod process;
mod reference;
mod scratch;
mod selvedge;
mod soundness;
mod spin;
mod table;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Tasks of the Selvedge repository
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    Conformance(conformance::Options),
    Fuzz(fuzz::Options),
    Soundness(soundness::Options),
    Mutants(mutants::Options),
    Bench(bench::Options),
    BenchNets(bench_nets::Options),
    BenchSymbolic(bench_symbolic::Options),
    Generate(generate::Options),
    Ltl(ltl::Options),
    Bcs(bcs::Options),
    Reference(reference::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Task::Conformance(options) => conformance::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Soundness(options) => soundness::run(&options),
        Task::Mutants(options) => mutants::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::BenchNets(options) => bench_nets::run(&options),
        Task::BenchSymbolic(options) => bench_symbolic::run(&options),
        Task::Generate(options) => generate::run(&options),
        Task::Ltl(options) => ltl::run(&options),
        Task::Bcs(options) => bcs::run(&options),
        Task::Reference(options) => reference::run(&options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}
