//! Trace files: read the file, draw it as lanes and as HTML, and replay it against a model of each kind.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_report::html::html;
use selvedge_report::json::trace_from_json;
use selvedge_report::lanes::{LaneOptions, lanes};
use selvedge_verify::{Language, replay};

const MODELS: [(Language, &str); 3] = [
    (Language::Promela, include_str!("../../corpus/promela/classic/lost_update.pml")),
    (Language::Bp, include_str!("../../corpus/boolprog/classic/lost_update.bp")),
    (Language::Dcps, include_str!("../../corpus/nets/lock.dcps")),
];

fuzz_target!(|text: &str| {
    let Ok(trace) = trace_from_json(text) else { return };
    let _ = lanes(&trace, &LaneOptions::default());
    let _ = html(&trace, &[], &[]);
    for (language, model) in MODELS {
        let _ = replay(&selvedge_fuzz::model(language, model), &trace);
    }
});
