//! Options of the commands that print documentation of the command itself.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `selvedge explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Explain codes of diagnostics, such as P0012, or kinds of violations, such as assertion [default: list them]
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
}

/// `selvedge config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Show only the options of this command
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// `selvedge completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Complete commands of this shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// The shells that completions are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(clippy::enum_variant_names, reason = "one of the shells is called so")]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
}

/// `selvedge man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Print the page of this command [default: selvedge]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub command: Option<String>,
    /// Write all pages into this directory
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
