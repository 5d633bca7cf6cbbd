//! A pushdown system as the text of a `.pds` file.

use std::fmt::Write;

use super::model::{Pds, Rule, Thread};

/// The text; parsing it gives the same system, up to the numbers of states and symbols.
pub fn print(pds: &Pds) -> String {
    let mut out = format!("pds\ninit {}\n", pds.states[pds.initial.0 as usize]);
    for (target, _) in &pds.targets {
        let _ = writeln!(out, "target {}", pds.states[target.0 as usize]);
    }
    for thread in &pds.threads {
        let _ = writeln!(out, "thread {} entry {}", thread.name, thread.symbols[thread.entry.0 as usize]);
        for rule in &thread.rules {
            let _ = writeln!(out, "  {}", print_rule(pds, thread, rule));
        }
    }
    out
}

/// A rule as a line of the file.
pub fn print_rule(pds: &Pds, thread: &Thread, rule: &Rule) -> String {
    let state = |id: super::model::StateId| &pds.states[id.0 as usize];
    let symbol = |id: &super::model::SymbolId| thread.symbols[id.0 as usize].as_str();
    let push: Vec<&str> = rule.push.iter().map(symbol).collect();
    let right = if push.is_empty() { String::new() } else { format!(", {}", push.join(" ")) };
    format!("({}, {}) -> ({}{right})", state(rule.from), symbol(&rule.top), state(rule.to))
}
