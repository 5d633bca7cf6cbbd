//! Options about the runs that are saved without being asked for.

use std::path::PathBuf;

use clap::Args;

/// Where runs are saved that lead to a violation.
#[derive(Clone, Debug, Args)]
pub struct SaveArgs {
    /// Save traces in this directory, as NAME-HASH.trace.json, where --trace-out is not given
    #[arg(long, value_name = "DIR", default_value = ".selvedge", help_heading = "Output")]
    pub save_dir: PathBuf,
    /// Save no trace where --trace-out is not given
    #[arg(long, help_heading = "Output")]
    pub no_save: bool,
}
