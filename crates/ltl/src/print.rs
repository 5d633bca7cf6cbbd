//! The automaton as the text of a never claim, in Spin's style, for people and for `spin -a`.
//!
//! What must hold: the text says the same as [`super::to_claim`].

use std::fmt::Write;

use super::atoms::literal_text;
use super::claim::{accept_all_state, looping_states, state_label};
use super::{Edge, Translation};

/// `never name { … }`, ending in a newline. An empty `name` is left out.
pub fn print_never_claim(translation: &Translation, name: &str) -> String {
    let automaton = &translation.automaton;
    let mut text = if name.is_empty() { "never {\n".to_owned() } else { format!("never {name} {{\n") };
    for state in looping_states(automaton) {
        print_state(&mut text, translation, state);
    }
    if accept_all_state(automaton).is_some() {
        text.push_str("accept_all:\n\tskip\n");
    }
    text.push_str("}\n");
    text
}

fn print_state(text: &mut String, translation: &Translation, state: usize) {
    let automaton = &translation.automaton;
    let edges = &automaton.states[state].edges;
    let mut line = |line: String| writeln!(text, "{line}").expect("a string can be written to");
    line(format!("{}:", state_label(automaton, state)));
    if edges.is_empty() {
        line("\tfalse;".to_owned());
        return;
    }
    line("\tdo".to_owned());
    for edge in edges {
        let target = state_label(automaton, edge.target);
        line(format!("\t:: ({}) -> goto {target}", guard_text(translation, edge)));
    }
    line("\tod;".to_owned());
}

fn guard_text(translation: &Translation, edge: &Edge) -> String {
    let literal = |l: &super::Literal| literal_text(&translation.atoms[l.atom.0 as usize], l.positive);
    let literals: Vec<String> = edge.guard.iter().map(literal).collect();
    if literals.is_empty() { "1".to_owned() } else { literals.join(" && ") }
}
