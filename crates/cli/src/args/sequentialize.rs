//! Options of `selvedge sequentialize`.

use std::path::PathBuf;

use clap::Args;

use selvedge_verify::{Emit, Language};

use super::{BoolProgRunArgs, Format, OutputArgs, values};

/// `selvedge sequentialize`
#[derive(Debug, Args)]
pub struct SequentializeArgs {
    /// Sequentialize this program
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Run the threads round-robin, each at most K times
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Set the label that must not be reached [default: SLIC_ERROR and ERROR]
    #[arg(long, value_name = "LABEL")]
    pub reach: Option<String>,
    /// Choose the output language
    #[arg(long, value_name = "LANGUAGE", default_value = "bp", value_parser = values::choice::<Emit>())]
    pub emit: Emit,
    /// Write to this file [default: stdout]
    #[arg(long, short, value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// Set the language of the program [default: by file extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,
    #[command(flatten)]
    pub run: BoolProgRunArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Show diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}
