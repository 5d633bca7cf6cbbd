//! Options of `selvedge sequentialize`.

use std::path::PathBuf;

use clap::Args;

use selvedge_verify::{Emit, Language};

use super::{Format, OutputArgs, RecursiveRunArgs, values};

/// `selvedge sequentialize`
#[derive(Debug, Args)]
pub struct SequentializeArgs {
    /// The concurrent program
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Each thread runs at most K times, in the order of the threads
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// The label that must not be reached [default: SLIC_ERROR and ERROR]
    #[arg(long, value_name = "LABEL")]
    pub reach: Option<String>,
    /// What to print
    #[arg(long, value_name = "LANGUAGE", default_value = "bp", value_parser = values::choice::<Emit>())]
    pub emit: Emit,
    /// Write to this file
    #[arg(long, short, value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// The language of the program [default: by the file's ending]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,
    #[command(flatten)]
    pub run: RecursiveRunArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}
