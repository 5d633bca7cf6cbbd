//! The option of every command that reads a model with its includes.

use clap::Args;

/// Where included files may be.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct IncludeArgs {
    /// Allow `#include` to read files outside of the model's directory
    #[arg(id = "allow_include_anywhere", long = "allow-include-anywhere", help_heading = "Input")]
    pub anywhere: bool,
}
