//! Options of `check` for machines that read its answers, beside `--json`.

use std::path::PathBuf;

use clap::Args;

/// What to write for other programs; all of it at once, if asked.
#[derive(Clone, Debug, Default, Args)]
pub struct MachineArgs {
    /// Write violations and diagnostics as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "F.sarif", help_heading = "Output")]
    pub sarif: Option<PathBuf>,
    /// Write the answers as JUnit's XML: a suite for each model, a case for each property
    #[arg(long, value_name = "F.xml", help_heading = "Output")]
    pub junit: Option<PathBuf>,
    /// Where only a bound was covered, or only a part of it, end with exit code 3
    #[arg(long, help_heading = "Output")]
    pub require_complete: bool,
}
