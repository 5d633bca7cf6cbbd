//! JUnit's XML, in the dialect that Jenkins and its kin read: a suite for each model file, a case for each property. A
//! violated property is a failure with the run as its text; what a run could not decide is an error or, where the
//! search ended at a violation of another property, skipped. There is no time in it: same input, same bytes.

use selvedge_core::{Verdict, ViolationKind};
use selvedge_source::Cancel;

use crate::answer::{Answer, Record, Violation};
use crate::json::ReportProperty;
use crate::lanes::{LaneOptions, lanes_until};
use crate::sarif::sentence;

/// What became of a case.
enum Ending {
    Passed,
    Failed { kind: &'static str, message: String, text: String },
    Undecided(String),
    Skipped(String),
}

struct Case {
    name: String,
    ending: Ending,
}

/// The document, with a line end; `None` if it was cancelled.
pub fn junit(records: &[Record], cancel: &Cancel) -> Option<String> {
    let suites: Vec<(&Record, Vec<Case>)> = records.iter().map(|record| (record, cases(record, cancel))).collect();
    let all = suites.iter().flat_map(|(_, cases)| cases);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str(&format!("<testsuites name=\"selvedge\"{}>\n", totals(all)));
    for (record, cases) in &suites {
        let path = escaped(&record.path);
        out.push_str(&format!("  <testsuite name=\"{path}\"{}>\n", totals(cases)));
        cases.iter().for_each(|case| write_case(case, &path, &mut out));
        if let Some(answer) = &record.answer {
            out.push_str(&format!("    <system-out>{}</system-out>\n", escaped(&answer.words.join("\n"))));
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    (!cancel.was_cancelled()).then_some(out)
}

fn totals<'a>(cases: impl IntoIterator<Item = &'a Case>) -> String {
    let (mut tests, mut failures, mut errors, mut skipped) = (0, 0, 0, 0);
    for case in cases {
        tests += 1;
        match case.ending {
            Ending::Passed => {}
            Ending::Failed { .. } => failures += 1,
            Ending::Undecided(_) => errors += 1,
            Ending::Skipped(_) => skipped += 1,
        }
    }
    format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
}

fn write_case(case: &Case, class: &str, out: &mut String) {
    let head = format!("    <testcase name=\"{}\" classname=\"{class}\"", escaped(&case.name));
    match &case.ending {
        Ending::Passed => out.push_str(&format!("{head}/>\n")),
        Ending::Failed { kind, message, text } => out.push_str(&format!(
            "{head}>\n      <failure message=\"{}\" type=\"{kind}\">{}</failure>\n    </testcase>\n",
            escaped(message),
            escaped(text)
        )),
        Ending::Undecided(why) => out.push_str(&format!(
            "{head}>\n      <error message=\"{}\" type=\"inconclusive\"/>\n    </testcase>\n",
            escaped(why)
        )),
        Ending::Skipped(why) => {
            out.push_str(&format!("{head}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", escaped(why)))
        }
    }
}

fn cases(record: &Record, cancel: &Cancel) -> Vec<Case> {
    match &record.answer {
        Some(answer) => answered(answer, cancel),
        None => vec![Case { name: "the model can be checked".to_owned(), ending: refused(record) }],
    }
}

/// The text of a model that is wrong is a failure; anything else that kept it from being checked an error.
fn refused(record: &Record) -> Ending {
    if !record.has_errors() {
        return Ending::Undecided(record.failure.clone().unwrap_or_else(|| "there is no answer".to_owned()));
    }
    let line = |problem: &crate::answer::Problem| {
        let place = problem.location.as_ref().map_or_else(|| record.path.clone(), ToString::to_string);
        format!("{place}: [{}] {}\n", problem.code, problem.message)
    };
    let text: String = record.problems.iter().map(line).collect();
    let message = text.lines().next().unwrap_or_default().to_owned();
    Ending::Failed { kind: "input", message, text }
}

fn answered(answer: &Answer, cancel: &Cancel) -> Vec<Case> {
    let mut left: Vec<&Violation> = answer.violations.iter().collect();
    let mut cases: Vec<Case> = Vec::new();
    for property in &answer.scope.checked {
        let decided = decided(answer, property);
        let is_mine = |violation: &&&Violation| {
            let same = violation.property.is_none() || violation.property.as_ref() == decided.map(|found| &found.name);
            same && belongs(violation.kind, property)
        };
        let (mine, others): (Vec<&Violation>, Vec<&Violation>) = left.iter().partition(is_mine);
        left = others;
        cases.push(Case { name: name_of(property), ending: ending(answer, decided, &mine, cancel) });
    }
    // A violation of something that has no name in the list.
    for violation in left {
        cases.push(Case { name: violation.kind.words().to_owned(), ending: failed(&[violation], cancel) });
    }
    for property in &answer.scope.not_checked {
        let (name, why) = property.split_once(", because ").unwrap_or((property, "it was not requested"));
        cases.push(Case { name: name_of(name), ending: Ending::Skipped(format!("not checked: {why}")) });
    }
    if answer.scope.checked.is_empty() && answer.violations.is_empty() {
        let why = "nothing was checked: there is no property of any kind".to_owned();
        cases.insert(0, Case { name: "something is checked".to_owned(), ending: Ending::Undecided(why) });
    }
    cases
}

/// The property, among those that a search decided, that something which was checked belongs to.
fn decided<'a>(answer: &'a Answer, property: &str) -> Option<&'a ReportProperty> {
    let claim = answer.properties.iter().find(|known| property.ends_with(&format!("claim `{}`", known.name)));
    claim.or_else(|| answer.properties.first())
}

fn ending(answer: &Answer, decided: Option<&ReportProperty>, violations: &[&Violation], cancel: &Cancel) -> Ending {
    let (verdict, complete) =
        decided.map_or((answer.verdict, answer.rest_decided), |known| (known.verdict, known.bound.complete));
    match (violations.is_empty(), verdict) {
        (false, _) => failed(violations, cancel),
        (true, Verdict::Violated) if !complete => Ending::Skipped(
            "not decided: the search stopped at a violation of another property (--all-violations continues)"
                .to_owned(),
        ),
        (true, Verdict::Inconclusive) => Ending::Undecided(answer.words.join("; ")),
        (true, _) => Ending::Passed,
    }
}

fn failed(violations: &[&Violation], cancel: &Cancel) -> Ending {
    let options = LaneOptions { width: 100, ..LaneOptions::default() };
    let picture = |violation: &&Violation| {
        let run = violation.trace.as_ref().and_then(|trace| lanes_until(trace, &options, cancel));
        let place = violation.location.as_ref().map(|place| format!("at {place}\n")).unwrap_or_default();
        format!("{}\n{place}{}", sentence(violation), run.map(|run| format!("\n{run}")).unwrap_or_default())
    };
    let text = violations.iter().map(picture).collect::<Vec<_>>().join("\n");
    let (kind, message) = violations.first().map_or(("", String::new()), |v| (v.kind.code(), v.message.clone()));
    Ending::Failed { kind, message, text }
}

/// A name that stays when the model grows: without the number of assertions.
fn name_of(property: &str) -> String {
    match property.rsplit_once(" (") {
        Some((name, rest)) if rest.ends_with(')') && rest[..rest.len() - 1].parse::<u64>().is_ok() => name.to_owned(),
        _ => property.to_owned(),
    }
}

/// Whether a violation of this kind is one of this property, as runs name it.
fn belongs(kind: ViolationKind, property: &str) -> bool {
    let starts = |words: &[&str]| words.iter().any(|word| property.starts_with(word));
    match kind {
        ViolationKind::Assertion => starts(&["assertions"]),
        ViolationKind::InvalidEndState | ViolationKind::Deadlock => starts(&["invalid end states"]),
        ViolationKind::AcceptanceCycle => {
            starts(&["claim", "the safety part of claim"]) || property.ends_with("acceptance cycles")
        }
        ViolationKind::NonProgressCycle => property.ends_with("non-progress cycles"),
        ViolationKind::ClaimCompleted => starts(&["claim", "the safety part of claim", "the event trace"]),
        ViolationKind::LabelReached => starts(&["label"]),
        ViolationKind::TargetCovered => starts(&["target"]),
        ViolationKind::RuntimeError => starts(&["runtime errors"]),
        ViolationKind::Panic | ViolationKind::Livelock | ViolationKind::DataRace | ViolationKind::Leak => false,
    }
}

/// Text of an element or an attribute. What XML cannot hold becomes a replacement character; line ends in
/// attributes would be read as blanks, so they are written as references.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push_str(&format!("&#{};", c as u32)),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_text_are_fit_for_xml() {
        assert_eq!(name_of("assertions (12)"), "assertions");
        assert_eq!(name_of("label `a (b)` is not reached"), "label `a (b)` is not reached");
        assert_eq!(escaped("a < \"b\" & \x1b[0m\n"), "a &lt; &quot;b&quot; &amp; \u{fffd}[0m&#10;");
    }
}
