//! Certificates: read the file, and check it against a model of each language that has certificates.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_verify::{Language, LoadedModel, certify};

const MODELS: [(Language, &str); 4] = [
    (Language::Spec, include_str!("../../corpus/nets/mutual_exclusion.spec")),
    (Language::Dcps, include_str!("../../corpus/nets/lock.dcps")),
    (Language::Bp, include_str!("../../corpus/boolprog/classic/handshake.bp")),
    (Language::Pds, include_str!("../../corpus/pds/never.pds")),
];

thread_local! {
    /// Parsed once: they are the same for every input.
    static LOADED: Vec<LoadedModel> = MODELS.iter().map(|(language, text)| selvedge_fuzz::model(*language, text)).collect();
}

fuzz_target!(|text: &str| {
    LOADED.with(|models| {
        for model in models {
            if let Err(refusal) = certify(model, "fuzz.proof", text) {
                selvedge_fuzz::render_refusal(&refusal);
            }
        }
    });
});
