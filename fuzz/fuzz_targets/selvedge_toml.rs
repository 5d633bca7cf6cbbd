//! `selvedge.toml`: every table and option, checked by the command's own table of options.
//!
//! The parser is part of the binary crate, so its modules are included by path.
#![no_main]
#![allow(dead_code, unused_imports)]

#[path = "../../crates/cli/src/args/mod.rs"]
mod args;
mod config;
#[path = "../../crates/cli/src/memory.rs"]
mod memory;

use libfuzzer_sys::fuzz_target;
use selvedge_source::{Diagnostics, SourceMap};

fuzz_target!(|text: &str| {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    config::TABLES.with(|tables| config::file::parse(tables, "selvedge.toml", text, &mut sources, &mut found));
    selvedge_fuzz::render(&found, &sources);
});
