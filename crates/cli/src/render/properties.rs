//! The answer to several properties, each searched alone: a line for each, then the runs of those that are violated.

use selvedge_source::Cancel;
use selvedge_verify::{Answer, PropertyAnswer, PropertyKind, StopReason, Verdict, ViolationKind};

use super::Rendering;
use crate::console::Console;
use crate::shell;

/// A property that was searched alone, with its answer.
fn searched<'a>(whole: &'a Rendering<'a>) -> impl Iterator<Item = (&'a str, Rendering<'a>)> {
    let Rendering { answer, request, saved, one_of_many } = *whole;
    let part = move |(found, answer): (&'a PropertyAnswer, &'a Answer)| {
        (found.property.name.as_str(), Rendering { answer, request, saved, one_of_many })
    };
    answer.properties.iter().zip(&answer.parts).map(part)
}

/// Which properties decide the verdict, and a line for each of all.
pub fn head(whole: &Rendering<'_>) -> String {
    let properties = &whole.answer.properties;
    let verdict = whole.answer.verdict;
    let deciding = properties.iter().filter(|found| found.verdict == verdict);
    let names: Vec<&str> = deciding.map(|found| found.property.name.as_str()).collect();
    let (names, part) = (names.join(", "), format!("{} of {} properties", names.len(), properties.len()));
    let mut text = match verdict {
        Verdict::Violated => format!("violated: {names} ({part})\n"),
        Verdict::Inconclusive => format!("inconclusive: {names} ({part})\n"),
        Verdict::HoldsWithinBound => {
            format!("holds within the bound: no violation of {} properties\n", properties.len())
        }
        Verdict::Holds => format!("holds: all of {} properties\n", properties.len()),
    };
    for (name, part) in searched(whole) {
        text.push_str(&format!("{name}: {}\n", part.head().lines().next().unwrap_or_default()));
    }
    for open in properties.iter().skip(whole.answer.parts.len()) {
        text.push_str(&format!("{}: inconclusive: not searched\n", open.property.name));
    }
    text
}

/// The runs of each violated property, after the scope and the place of its violation.
pub fn runs(whole: &Rendering<'_>, cancel: &Cancel, console: &Console) -> String {
    let violated = searched(whole).filter(|(_, part)| part.answer.verdict == Verdict::Violated);
    let shown = violated.map(|(name, part)| {
        let head = part.head();
        let scope = head.split_once('\n').map_or("", |(_, scope)| scope);
        format!("\n{name}:\n{}{}", console.wrapped(scope), part.runs(cancel, console).trim_end_matches('\n'))
    });
    let shown: String = shown.map(|text| text + "\n").collect();
    if shown.is_empty() { shown } else { shown + "\n" }
}

/// How each verdict was checked.
pub fn evidence(whole: &Rendering<'_>) -> String {
    searched(whole)
        .map(|(name, part)| part.evidence().replacen("evidence:", &format!("evidence for {name}:"), 1))
        .collect()
}

/// How to search on for formulas whose search ended because another property is violated: alone, so without assertions if one
/// is violated. A runtime error would end that search too.
pub fn next(whole: &Rendering<'_>) -> Vec<String> {
    let Rendering { answer, one_of_many, .. } = *whole;
    let violated = |kind| answer.violations.iter().any(|violation| violation.kind == kind);
    if one_of_many || violated(ViolationKind::RuntimeError) {
        return Vec::new();
    }
    let without_assertions = if violated(ViolationKind::Assertion) { " --no-assert" } else { "" };
    let ended = answer.properties.iter().filter(|found| {
        let formula = found.property.kind == PropertyKind::Ltl;
        formula && found.verdict == Verdict::Inconclusive && found.stop == StopReason::Violation
    });
    let command = |found: &PropertyAnswer| shell::again_replacing("--ltl", &found.property.name, &[]);
    ended.map(|found| format!("continue: {}{without_assertions}", command(found))).collect()
}
