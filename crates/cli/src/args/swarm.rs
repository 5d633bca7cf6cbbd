//! The options of `swarm`: the properties, as in `check`, and the budget of the whole swarm.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use selvedge_verify::Language;

use super::{DefinitionArgs, Format, IncludeArgs, OutputArgs, PropertyArgs, SaveArgs, values};

/// `selvedge swarm`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, disable_help_subcommand = true)]
pub struct SwarmArgs {
    #[command(subcommand)]
    pub command: Option<SwarmCommand>,

    /// Search this model (a model called `merge` is written ./merge)
    #[arg(required = true, value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub options: LocalArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What a swarm searches.
#[derive(Debug, Args)]
pub struct LocalArgs {
    /// Set the language of the model [default: by file extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,

    /// Run N searches in parallel [default: the machine's cores]
    #[arg(long, value_name = "N", help_heading = "Swarm", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub workers: Option<u32>,
    /// Run K searches in all [default: twice as many as workers, at least 8]
    #[arg(long, value_name = "K", help_heading = "Swarm", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub jobs: Option<u32>,
    /// Set the first seed: another number gives other hash functions and search orders
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Swarm")]
    pub seed: u64,
    /// Search only runs with at most N preemptions
    #[arg(long, value_name = "N", help_heading = "Swarm")]
    pub max_bound: Option<u32>,
    /// Write a script that runs the same searches instead of running them: in batches (`shell`), with GNU parallel, or as
    /// a Slurm array job
    #[arg(long, value_name = "KIND", help_heading = "Swarm", conflicts_with_all = ["json", "trace_out"])]
    pub emit: Option<Emit>,
    /// Write the script to this file [default: stdout]
    #[arg(long = "output", short = 'o', value_name = "SCRIPT", help_heading = "Swarm", requires = "emit")]
    pub script: Option<PathBuf>,

    #[command(flatten)]
    pub properties: PropertyArgs,

    /// End the whole swarm after this time, such as 30s, 5m or 2h
    #[arg(long, value_name = "TIME", value_parser = values::time, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Limit the memory of the whole swarm, shared among the workers [default: 3/4 of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Limits")]
    pub memory_limit: Option<u64>,

    /// Print one JSON object on stdout instead of text
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Save the trace of the violation
    #[arg(long, value_name = "F.json", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,
    #[command(flatten)]
    pub save: SaveArgs,
    #[command(flatten)]
    pub definitions: DefinitionArgs,
    #[command(flatten)]
    pub include: IncludeArgs,
    /// Show diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}

/// The command inside `swarm`.
#[derive(Debug, Subcommand)]
pub enum SwarmCommand {
    /// Merge the results of `selvedge check --json` for the same model
    Merge(MergeArgs),
}

/// `selvedge swarm merge`
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Merge results that `selvedge check --json` printed
    #[arg(required = true, value_name = "RESULT.json")]
    pub results: Vec<PathBuf>,
    /// Require that runs with up to N preemptions were covered; otherwise the answer is inconclusive
    #[arg(long, value_name = "N")]
    pub max_bound: Option<u32>,
    /// Print one JSON object on stdout instead of text
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `--emit`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    Shell,
    Parallel,
    Slurm,
}
