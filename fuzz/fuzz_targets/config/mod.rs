//! What the parser of `selvedge.toml` needs of `crates/cli/src/config`.

#[path = "../../../crates/cli/src/config/codes.rs"]
pub mod codes;
#[path = "../../../crates/cli/src/config/file.rs"]
pub mod file;
#[path = "../../../crates/cli/src/config/table.rs"]
pub mod table;

use clap::CommandFactory;

thread_local! {
    /// Built once: it is the same for every input.
    pub static TABLES: Vec<table::Table> = table::Table::all();
}

fn command() -> clap::Command {
    crate::args::Cli::command()
}
