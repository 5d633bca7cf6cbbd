//! Options for dynamic networks and nets.

use std::path::PathBuf;

use clap::Args;
use selvedge_verify::request::SolverName;

use super::values;

/// Of `check`.
#[derive(Debug, Args)]
pub struct NetArgs {
    /// Start new threads with switch number 0, so that each has K switches of its own; by default a thread starts with its
    /// creator's number plus one
    #[arg(long, help_heading = "Dynamic networks and nets")]
    pub fresh_switches: bool,
    /// Write a certificate if there is no violation; `selvedge certify` checks it
    #[arg(long, value_name = "F.json", help_heading = "Dynamic networks and nets")]
    pub certificate: Option<PathBuf>,
    /// Choose the solver for the formulas of --strata: built-in, or an installed one [default: builtin]
    #[arg(long, value_name = "SOLVER", help_heading = "Dynamic networks and nets",
          value_parser = values::choice::<SolverName>())]
    pub solver: Option<SolverName>,
}

/// Of every command that executes a model.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct NetRunArgs {
    /// Limit the threads of a dynamic network in explicit-state search [default: 4]
    #[arg(long, value_name = "N", help_heading = "Dynamic networks and nets",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub thread_limit: Option<u32>,
    /// Limit the tokens in a place of a net in explicit-state search [default: 8]
    #[arg(long, value_name = "N", help_heading = "Dynamic networks and nets",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub token_limit: Option<u32>,
}
