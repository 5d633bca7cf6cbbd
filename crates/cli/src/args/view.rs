//! The command line of `selvedge view`.

use std::path::PathBuf;

use clap::Args;

use super::{Color, IncludeArgs, OutputArgs};

/// `selvedge view`
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// Render the trace that `--trace-out` saved
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// Write the page to this file; `-` is stdout [default: next to the trace, with extension .html]
    #[arg(long, short, value_name = "F.html")]
    pub out: Option<PathBuf>,
    /// Set the path of the model [default: the path in the trace]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub include: IncludeArgs,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
}

impl ViewArgs {
    /// The options for output.
    pub fn output(&self) -> OutputArgs {
        OutputArgs { quiet: self.quiet, full: false, color: Color::Auto }
    }
}
