//! Options of `selvedge convert` and `selvedge certify`.

use std::path::PathBuf;

use clap::Args;

use selvedge_verify::Language;

use super::{Format, OutputArgs, values};

/// `selvedge convert`
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The model: .dcps, .spec or .tts
    #[arg(value_name = "FROM")]
    pub from: PathBuf,
    /// The file to write, or `-` for stdout. .dcps to .spec and .spec to .dcps follow the reductions between networks
    /// and nets; .tts to .spec counts threads; the same ending prints the model as it was read
    #[arg(value_name = "TO")]
    pub to: PathBuf,
    /// The language to write [default: by the file's ending]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub emit: Option<Language>,
    /// The language of the model [default: by the file's ending]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,
    /// From .dcps to .spec: only runs in which each thread is activated with a switch number of at most K. Recursive
    /// threads need it; to .dcps, it makes them finite-state
    #[arg(long, value_name = "K")]
    pub thread_switches: Option<u32>,
    /// With --thread-switches: a new thread has the switch number 0
    #[arg(long, requires = "thread_switches")]
    pub fresh_switches: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}

/// `selvedge certify`
#[derive(Debug, Args)]
pub struct CertifyArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The proof that `check --certificate` wrote
    #[arg(value_name = "PROOF.json")]
    pub proof: PathBuf,
    /// The language of the model [default: by the file's ending]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}
