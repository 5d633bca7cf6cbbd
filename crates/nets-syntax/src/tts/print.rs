//! A thread transition system as the text of its files.

use std::fmt::Write;

use super::model::{Kind, Tts};
use crate::net::Target;

/// The text of the `.tts` file.
pub fn print(tts: &Tts) -> String {
    let mut out = format!("{} {}\n", tts.shared, tts.local);
    for rule in &tts.rules {
        let arrow = match rule.kind {
            Kind::Move => "->",
            Kind::Spawn => "+>",
            Kind::Broadcast => "~>",
        };
        let passive: String = rule.passive.iter().map(|(from, to)| format!(" {from} ~> {to}")).collect();
        let _ = writeln!(out, "{} {} {arrow} {} {}{passive}", rule.from.0, rule.from.1, rule.to.0, rule.to.1);
    }
    out
}

/// The text of the `.prop` file.
pub fn print_property(tts: &Tts, targets: &[Target]) -> String {
    let mut out = String::new();
    for target in targets {
        let shared = target.need.iter().find(|(place, _)| place.0 < tts.shared).map_or(0, |(place, _)| place.0);
        let locals = target.need.iter().filter(|(place, _)| place.0 >= tts.shared);
        let locals = locals.flat_map(|(place, count)| (0..*count).map(|_| (place.0 - tts.shared).to_string()));
        let _ = writeln!(out, "{shared}|{}", locals.collect::<Vec<_>>().join(","));
    }
    out
}
