//! LTL formulas: parse, translate and print the never claim, which must be Promela again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_verify::{Language, load_text, never_claim};

fuzz_target!(|text: &str| {
    let Ok(claim) = never_claim(text) else { return };
    // `process:variable` is Promela only behind the declaration of the process, which a formula does not have.
    if text.contains(':') {
        return;
    }
    let model = format!("{claim}\ninit {{ skip }}\n");
    assert!(load_text("claim.pml", Language::Promela, &model).is_ok(), "the claim is not Promela:\n{claim}");
});
