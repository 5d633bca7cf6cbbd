//! Options for Boolean programs and pushdown systems.

use clap::Args;
use selvedge_verify::command_line as values;
use selvedge_verify::request::{Dialect, Engine, MachineLimits, Symbolic};

/// Of `check`.
#[derive(Debug, Args)]
pub struct BoolProgArgs {
    /// Choose the engine
    #[arg(long, value_name = "ENGINE", help_heading = "Boolean programs and pushdown systems",
          value_parser = values::choice::<Engine>())]
    pub engine: Option<Engine>,
    #[command(flatten)]
    pub symbolic: Symbolic,
    /// Report deadlocks. By default a false `assume` only ends the run, as these languages define it
    #[arg(long, help_heading = "Boolean programs and pushdown systems", conflicts_with = "no_deadlock")]
    pub deadlock: bool,
    #[command(flatten)]
    pub run: BoolProgRunArgs,
}

/// Of every command that executes a model.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct BoolProgRunArgs {
    /// Set the dialect of Boolean programs, which decides the precedence of operators [default: detected]
    #[arg(long, value_name = "DIALECT", help_heading = "Boolean programs and pushdown systems",
          value_parser = values::choice::<Dialect>())]
    pub dialect: Option<Dialect>,
    #[command(flatten)]
    pub limits: MachineLimits,
}
