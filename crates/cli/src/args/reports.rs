//! Options of `check` for reports that other programs read, besides `--json`.

use std::path::PathBuf;

use clap::Args;

/// Reports for other programs; any combination of them.
#[derive(Clone, Debug, Default, Args)]
pub struct ReportArgs {
    /// Write violations and diagnostics as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "F.sarif", help_heading = "Output")]
    pub sarif: Option<PathBuf>,
    /// Write the answers as JUnit XML: a suite per model, a case per property
    #[arg(long, value_name = "F.xml", help_heading = "Output")]
    pub junit: Option<PathBuf>,
    /// Exit with code 3 unless every reachable state was explored
    #[arg(long, help_heading = "Output")]
    pub require_complete: bool,
}
