//! Thread transition systems and the property that stands beside them, apart by a NUL character.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_nets_syntax::tts;
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_verify::Language;

fuzz_target!(|text: &str| {
    let (system, property) = text.split_once('\0').unwrap_or((text, "0|0"));
    selvedge_fuzz::load_and_prepare(Language::Tts, system);
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = sources.add("fuzz.tts", system);
    let Some(parsed) = tts::parse(file, system, &mut found) else { return };
    let file = sources.add("fuzz.prop", property);
    if let Some(targets) = tts::parse_property(file, property, &parsed, &mut found) {
        let _ = parsed.to_net(targets);
    }
    selvedge_fuzz::render(&found, &sources);
});
