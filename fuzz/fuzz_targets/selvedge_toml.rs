//! `selvedge.toml`: every table and option, checked by the command's own table of options.
//!
//! The parser is part of the binary crate, so its modules are included by path.
#![no_main]
#![allow(dead_code, unused_imports)]

#[path = "../../crates/cli/src"]
mod command {
    pub mod args;
    pub mod memory;
}

#[path = "../../crates/cli/src/config"]
mod config {
    pub mod codes;
    pub mod file;
    pub mod owner;
    pub mod table;

    fn command() -> clap::Command {
        <crate::args::Cli as clap::CommandFactory>::command()
    }
}

use command::{args, memory};
use libfuzzer_sys::fuzz_target;
use selvedge_source::{Diagnostics, SourceMap};

thread_local! {
    /// Built once: it is the same for every input.
    static TABLES: Vec<config::table::Table> = config::table::Table::all();
}

fuzz_target!(|text: &str| {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    TABLES.with(|tables| config::file::parse(tables, "selvedge.toml", text, &mut sources, &mut found));
    selvedge_fuzz::render(&found, &sources);
});
