//! What the fuzz targets share. A target passes if it does not panic and stays within libFuzzer's limits: every text is
//! either a model or has diagnostics that can be rendered.
#![forbid(unsafe_code)]

use selvedge_report::diagnostics::{self, Style};
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_verify::{Budget, Language, LoadedModel, Refusal, Request, load_text, prepare};

/// Parses a text and, where it is a model, builds what the search would run on.
pub fn load_and_prepare(language: Language, text: &str) {
    let loaded = load_text("fuzz", language, text);
    let refusal = match &loaded {
        Ok(model) => prepare(model, &Request::default(), &Budget::unlimited()).err(),
        Err(_) => loaded.err(),
    };
    refusal.iter().for_each(render_refusal);
}

/// Renders the diagnostics of a refusal; one about a text must have some. A defect of Selvedge is a finding.
pub fn render_refusal(refusal: &Refusal) {
    assert!(!matches!(refusal, Refusal::Defect(_)), "a defect");
    if let Refusal::Model { diagnostics, sources, .. } = refusal {
        assert!(!diagnostics.is_empty(), "refused without a diagnostic");
        render(diagnostics, sources);
    }
}

/// A model that is known to be right.
pub fn model(language: Language, text: &str) -> LoadedModel {
    match load_text("model", language, text) {
        Ok(model) => model,
        Err(_) => panic!("the model of the target is broken"),
    }
}

/// Renders diagnostics as the command does: spans must lie within the text.
pub fn render(found: &Diagnostics, sources: &SourceMap) {
    let _ = diagnostics::render(found, sources, Style { width: 80, color: false });
    let _ = diagnostics::short(found, sources);
}
