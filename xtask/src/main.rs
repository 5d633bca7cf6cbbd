//! `cargo xtask`: what a maintainer runs on this repository.
//!
//! | file | idea |
//! | --- | --- |
//! | `soundness` | random models through every search and the independent interpreter |
//! | `program_soundness` | random Boolean programs through every analysis and the independent interpreter |
//! | `fuzz` | the fuzz targets of every parser, a minute each |
//! | `mutants` | mutants of the code that decides verdicts, against the soundness suite |
//! | `generate` | Boolean programs in families; the instances in the corpus |
//! | `reference` | the book's page of commands and options |
//! | `words` | words that are not the field's |
//! | `workers` | many pieces of work at a time, with progress |
#![forbid(unsafe_code)]

mod fuzz;
mod generate;
mod mutants;
mod program_soundness;
mod reference;
mod soundness;
mod words;
mod workers;

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
    Soundness(soundness::Options),
    ProgramSoundness(program_soundness::Options),
    Fuzz(fuzz::Options),
    Mutants(mutants::Options),
    Generate(generate::Options),
    Reference(reference::Options),
    Words(words::Options),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Task::Soundness(options) => soundness::run(&options),
        Task::ProgramSoundness(options) => program_soundness::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Mutants(options) => mutants::run(&options),
        Task::Generate(options) => generate::run(&options),
        Task::Reference(options) => reference::run(&options),
        Task::Words(options) => words::run(&options),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}
