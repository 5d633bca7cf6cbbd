//! Options of `selvedge convert` and `selvedge certify`.

use std::path::PathBuf;

use clap::Args;

use selvedge_verify::Language;

use super::{Format, OutputArgs, values};

/// `selvedge convert`
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Convert this model: .dcps, .spec or .tts
    #[arg(value_name = "FROM")]
    pub from: PathBuf,
    /// Write this file, or `-` for stdout. .dcps to .spec and .spec to .dcps follow the reductions between networks
    /// and nets; .tts to .spec counts threads; the same extension prints the model as it was read
    #[arg(value_name = "TO")]
    pub to: PathBuf,
    /// Set the language to write [default: by file extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub emit: Option<Language>,
    /// Set the language of the model [default: by file extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,
    /// Bound the switches of each thread by K, from .dcps to .spec. Recursive threads need it; to .dcps, it makes them
    /// finite-state
    #[arg(long, value_name = "K")]
    pub thread_switches: Option<u32>,
    /// Start new threads with switch number 0
    #[arg(long, requires = "thread_switches")]
    pub fresh_switches: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Show diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}

/// `selvedge certify`
#[derive(Debug, Args)]
pub struct CertifyArgs {
    /// Check the certificate of this model
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Check the certificate that `check --certificate` wrote
    #[arg(value_name = "PROOF.json")]
    pub proof: PathBuf,
    /// Set the language of the model [default: by file extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Show diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}
