//! Options for Boolean programs and pushdown systems.

use clap::Args;
use selvedge_verify::request::{Analysis, Dialect, Engine};

use super::{NetRunArgs, values};

/// Of `check`.
#[derive(Debug, Args)]
pub struct RecursiveArgs {
    /// Who searches Boolean programs, pushdown systems and nets
    #[arg(long, value_name = "ENGINE", help_heading = "Boolean programs and pushdown systems",
          value_parser = values::choice::<Engine>())]
    pub engine: Option<Engine>,
    /// How the symbolic engine analyses: `lazy`, only what the threads really hand to each other; `eager`, every guess of it,
    /// checked in the end; `pds`, one pushdown system, state by state; `spds`, the same with relations [default: lazy]
    #[arg(long, value_name = "METHOD", help_heading = "Boolean programs and pushdown systems",
          value_parser = values::choice::<Analysis>())]
    pub analysis: Option<Analysis>,
    /// Print the shared states that can be reached within the bound
    #[arg(long, help_heading = "Boolean programs and pushdown systems")]
    pub print_reachable: bool,
    /// If there is a violation, print every place that lies on some run to one, with as few rounds
    #[arg(long, help_heading = "Boolean programs and pushdown systems")]
    pub error_projection: bool,
    /// Threads that are stuck for ever are a violation. By default a false `assume` only ends the
    /// run, as it is meant in these languages
    #[arg(long, help_heading = "Boolean programs and pushdown systems", conflicts_with = "no_deadlock")]
    pub deadlock: bool,
    #[command(flatten)]
    pub run: RecursiveRunArgs,
}

/// Of every command that executes a model.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct RecursiveRunArgs {
    /// How operators of Boolean programs bind [default: found out from the file]
    #[arg(long, value_name = "DIALECT", help_heading = "Boolean programs and pushdown systems",
          value_parser = values::choice::<Dialect>())]
    pub dialect: Option<Dialect>,
    /// Calls inside each other that are followed [default: 32]
    #[arg(long, value_name = "N", help_heading = "Boolean programs and pushdown systems",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub stack_limit: Option<u32>,
    #[command(flatten)]
    pub nets: NetRunArgs,
}
