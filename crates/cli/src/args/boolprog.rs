//! Options for Boolean programs and pushdown systems.

use clap::Args;
use selvedge_verify::request::{Analysis, Dialect, Engine};

use super::{NetRunArgs, values};

/// Of `check`.
#[derive(Debug, Args)]
pub struct BoolProgArgs {
    /// Choose the engine
    #[arg(long, value_name = "ENGINE", help_heading = "Boolean programs and pushdown systems",
          value_parser = values::choice::<Engine>())]
    pub engine: Option<Engine>,
    /// Choose the symbolic analysis: `lazy` computes only the shared states that threads really pass on; `eager` guesses them
    /// all and checks the guesses at the end; `pds` saturates one explicit pushdown system; `spds` a symbolic one [default:
    /// lazy]
    #[arg(long, value_name = "METHOD", help_heading = "Boolean programs and pushdown systems",
          value_parser = values::choice::<Analysis>())]
    pub analysis: Option<Analysis>,
    /// Print the shared states that are reachable within the bound
    #[arg(long, help_heading = "Boolean programs and pushdown systems")]
    pub print_reachable: bool,
    /// Print every location that lies on some run to a violation with the fewest rounds
    #[arg(long, help_heading = "Boolean programs and pushdown systems")]
    pub error_projection: bool,
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
    /// Follow at most N nested calls [default: 32]
    #[arg(long, value_name = "N", help_heading = "Boolean programs and pushdown systems",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub stack_limit: Option<u32>,
    #[command(flatten)]
    pub nets: NetRunArgs,
}
