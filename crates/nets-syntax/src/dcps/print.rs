//! A network as the text of a `.dcps` file.

use std::fmt::Write;

use super::model::{Dcps, Kind, Resume, Rule};

/// The text; parsing it gives the same network, up to the numbers of states and symbols.
pub fn print(dcps: &Dcps) -> String {
    let start = (dcps.state_name(dcps.initial), dcps.symbol_name(dcps.initial_symbol));
    let mut out = format!("dcps\ninit {} {}\n", start.0, start.1);
    for (target, _) in &dcps.targets {
        let _ = writeln!(out, "target {}", dcps.state_name(*target));
    }
    for rule in &dcps.rules {
        let _ = writeln!(out, "{}", print_rule(dcps, rule));
    }
    for resume in &dcps.resumes {
        let _ = writeln!(out, "{}", print_resume(dcps, resume));
    }
    out
}

/// A rule as a line of the file.
pub fn print_rule(dcps: &Dcps, rule: &Rule) -> String {
    let word = match rule.kind {
        Kind::Step => "rule",
        Kind::Yield => "yield",
    };
    let push: Vec<&str> = rule.push.iter().map(|symbol| dcps.symbol_name(*symbol)).collect();
    let right = if push.is_empty() { String::new() } else { format!(", {}", push.join(" ")) };
    let spawn = rule.spawn.map(|symbol| format!(" spawn {}", dcps.symbol_name(symbol))).unwrap_or_default();
    let (from, top, to) = (dcps.state_name(rule.from), dcps.symbol_name(rule.top), dcps.state_name(rule.to));
    format!("{word} ({from}, {top}) -> ({to}{right}){spawn}")
}

/// An activation as a line of the file.
pub fn print_resume(dcps: &Dcps, resume: &Resume) -> String {
    let (from, to) = (dcps.state_name(resume.from), dcps.state_name(resume.to));
    format!("resume {from} -> {to} on {}", dcps.symbol_name(resume.top))
}
