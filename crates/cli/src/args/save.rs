//! Options about the runs that are saved without being asked for.

use std::path::PathBuf;

use clap::Args;

/// Where runs are saved that lead to a violation.
#[derive(Clone, Debug, Args)]
pub struct SaveArgs {
    /// Without --trace-out, save the run that leads to a violation in this directory, as NAME-HASH.trace.json
    #[arg(long, value_name = "DIR", default_value = ".selvedge", help_heading = "Output")]
    pub save_dir: PathBuf,
    /// Without --trace-out, save no run
    #[arg(long, help_heading = "Output")]
    pub no_save: bool,
}
