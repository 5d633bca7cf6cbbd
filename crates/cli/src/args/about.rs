//! Options of the commands that are about the command itself.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `selvedge explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Codes of diagnostics, such as P0012, or kinds of violations, such as assertion [default: list them]
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
}

/// `selvedge config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Only the options of this command
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// `selvedge completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// The shells that completions are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
    /// The page of this command [default: the page of selvedge]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub command: Option<String>,
    /// Write all pages into this directory
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
