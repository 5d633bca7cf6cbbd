//! Violations of a claim in the user's words. A search reports that the automaton of the negated property accepts a run;
//! the user wrote a property, so the answer names it: "LTL property `agree` is violated". Called once, when the answer of a
//! Promela model is complete; kinds, runs and places do not change.

use selvedge_core::ViolationKind;

use crate::answer::Answer;
use crate::model::{Executable, OpenModel};

/// Formulas up to this length are part of the sentence.
const SHOWN_FORMULA: usize = 120;

/// Rewrites the messages of violations of the claim in force.
pub(crate) fn name_the_property(answer: &mut Answer, model: &OpenModel, accept_labels_checked: bool) {
    let Executable::Promela(promela) = &model.executable else { return };
    let Some(name) = &promela.built.claim_name else { return };
    let property = Property { name, formula: promela.built.formula.as_deref() };
    let reworded = |kind: ViolationKind, message: &str| match kind {
        // The event trace is violated by finite runs, too, and has a message of its own.
        ViolationKind::ClaimCompleted if message.starts_with("claim ") => Some(property.violated_by("")),
        // With --acceptance, the cycle may be one of a process.
        ViolationKind::AcceptanceCycle if !accept_labels_checked => Some(property.violated_by(" by an infinite run")),
        _ => None,
    };
    for violation in answer.traces.iter_mut().filter_map(|trace| trace.violation.as_mut()) {
        if let Some(message) = reworded(violation.kind, &violation.message) {
            violation.message = message;
        }
    }
    for violation in &mut answer.violations {
        if let Some(message) = reworded(violation.kind, &violation.message) {
            violation.message = message;
        }
    }
}

/// The property that the user wrote.
struct Property<'a> {
    name: &'a str,
    /// The text of an LTL property; a `never` claim has none.
    formula: Option<&'a str>,
}

impl Property<'_> {
    fn violated_by(&self, run: &str) -> String {
        let Some(text) = self.formula else { return format!("never claim `{}` is violated{run}", self.name) };
        let formula = formula_of(text);
        match (formula == text, formula.chars().count() <= SHOWN_FORMULA) {
            // Given on the command line: the formula is its name.
            (true, true) => format!("LTL property `{formula}` is violated{run}"),
            (false, true) => format!("LTL property `{}` is violated{run}: {formula}", self.name),
            (_, false) => format!("LTL property `{}` is violated{run}", self.name),
        }
    }
}

/// The formula in `ltl name { formula }`; a formula that is written alone is whole.
fn formula_of(text: &str) -> &str {
    let inner = text.strip_prefix("ltl").and_then(|rest| rest.split_once('{')?.1.rsplit_once('}'));
    inner.map_or(text, |(formula, _)| formula.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_is_named_with_its_formula() {
        let named = Property { name: "agree", formula: Some("ltl agree { [] (a == b) }") };
        assert_eq!(named.violated_by(""), "LTL property `agree` is violated: [] (a == b)");
        let alone = Property { name: "ltl", formula: Some("<> done") };
        assert_eq!(alone.violated_by(" by an infinite run"), "LTL property `<> done` is violated by an infinite run");
        let never = Property { name: "never_0", formula: None };
        assert_eq!(never.violated_by(""), "never claim `never_0` is violated");
        let long = format!("ltl p {{ {} }}", "x && ".repeat(60));
        assert_eq!(Property { name: "p", formula: Some(&long) }.violated_by(""), "LTL property `p` is violated");
    }
}
