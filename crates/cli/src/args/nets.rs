//! Options for dynamic networks and nets.

use std::path::PathBuf;

use clap::Args;
use selvedge_verify::request::Dynamic;

/// Of `check`.
#[derive(Debug, Args)]
pub struct NetArgs {
    /// Write a certificate if there is no violation; `selvedge certify` checks it
    #[arg(long, value_name = "F.json", help_heading = "Dynamic networks and nets")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub dynamic: Dynamic,
}
