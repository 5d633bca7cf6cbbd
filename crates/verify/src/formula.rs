//! The never claim of a formula's negation, as a search uses it.

use selvedge_ltl::{print_never_claim, translate_negation};
use selvedge_promela_syntax::parse::parse_ltl;
use selvedge_source::{Diagnostics, SourceMap};

use crate::refusal::Refusal;

/// The text of the claim, with the formula in front.
pub fn never_claim(formula: &str) -> Result<String, Refusal> {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let Some(parsed) = parse_ltl(formula, &mut sources, &mut diagnostics) else {
        return Err(Refusal::Model { path: "<formula>".to_owned(), diagnostics, sources });
    };
    let translation = translate_negation(&parsed).map_err(|error| Refusal::request(error.to_string()))?;
    let written = formula.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /");
    Ok(format!("/* !({written}) */\n{}", print_never_claim(&translation, "")))
}
