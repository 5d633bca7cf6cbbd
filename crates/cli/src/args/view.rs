//! The command line of `selvedge view`.

use std::path::PathBuf;

use clap::Args;

use super::{Color, IncludeArgs, OutputArgs};

/// `selvedge view`
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// A trace that `--trace-out` saved
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// Where to write the page; `-` is stdout [default: beside the trace, ending in .html]
    #[arg(long, short, value_name = "F.html")]
    pub out: Option<PathBuf>,
    /// The model, where it is not where the trace says
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub include: IncludeArgs,
    /// Say nothing but what is wrong
    #[arg(long, short)]
    pub quiet: bool,
}

impl ViewArgs {
    /// How it talks.
    pub fn output(&self) -> OutputArgs {
        OutputArgs { quiet: self.quiet, full: false, color: Color::Auto }
    }
}
