//! Boolean programs: every dialect, and the dialect that the text itself decides.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_boolprog_syntax::Dialect;
use selvedge_boolprog_syntax::check::check;
use selvedge_boolprog_syntax::parse::parse;
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_verify::Language;

fuzz_target!(|text: &str| {
    for dialect in [Dialect::Getafix, Dialect::Satabs, Dialect::Bopp] {
        let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
        let file = sources.add("fuzz.bp", text);
        if let Some(program) = parse(file, text, Some(dialect), &mut found) {
            check(&program, &mut found);
        }
        selvedge_fuzz::render(&found, &sources);
    }
    selvedge_fuzz::load_and_prepare(Language::Bp, text);
});
