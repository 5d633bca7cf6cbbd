//! What a formula needs in order to say something: in `[] (p -> f)` the condition `p` must be true somewhere, or the formula
//! holds whatever the model does after it. Called for each formula that is checked.

use selvedge_promela_syntax::ast::Ltl;

use super::expr_text::expr_text;

/// The conditions of the implications that must always hold, as Promela text.
pub fn conditions(formula: &Ltl) -> Vec<String> {
    let mut found = Vec::new();
    collect(formula, false, &mut found);
    found
}

fn collect(formula: &Ltl, always: bool, found: &mut Vec<String>) {
    match formula {
        Ltl::And(a, b) => {
            collect(a, always, found);
            collect(b, always, found);
        }
        Ltl::Always(f) => collect(f, true, found),
        Ltl::Implies(condition, _) if always => found.extend(text(condition).filter(|text| !is_constant(text))),
        _ => {}
    }
}

fn is_constant(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

/// The text of a formula about one state.
fn text(formula: &Ltl) -> Option<String> {
    Some(match formula {
        Ltl::Atom(expr) => expr_text(expr),
        Ltl::Not(f) => format!("!({})", text(f)?),
        Ltl::And(a, b) => format!("({} && {})", text(a)?, text(b)?),
        Ltl::Or(a, b) => format!("({} || {})", text(a)?, text(b)?),
        Ltl::Implies(a, b) => format!("(!({}) || {})", text(a)?, text(b)?),
        _ => return None,
    })
}
