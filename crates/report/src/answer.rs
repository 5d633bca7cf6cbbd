//! The data of every machine format: one [`Record`] per model file, with the diagnostics about its text, the answer, or the
//! reason why there is none. SARIF, JUnit and GitHub's formats are made from it. It holds no clock and no figure that depends on one.

use selvedge_core::trace::TraceLocation;
use selvedge_core::{Trace, Verdict, ViolationKind};
use selvedge_source::{Diagnostic, Severity, SourceMap};

use crate::json::{CheckReport, ReportProperty, Scope};

/// One model file.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// As given on the command line.
    pub path: String,
    /// What is wrong with its text, or suspicious.
    pub problems: Vec<Problem>,
    /// What the search found out; `None` if there was none.
    pub answer: Option<Answer>,
    /// Why there is no answer, where no problem says it.
    pub failure: Option<String>,
}

/// What a search found out.
#[derive(Clone, Debug)]
pub struct Answer {
    /// `explicit`, `symbolic`, …
    pub engine: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict and its scope in words, one line each.
    pub words: Vec<String>,
    /// What was checked and what was not.
    pub scope: Scope,
    /// What is known of each property.
    pub properties: Vec<ReportProperty>,
    /// Whether a property without a violation in the list has none, within what the words say.
    pub rest_decided: bool,
    /// The violations that have runs, then the others.
    pub violations: Vec<Violation>,
}

/// A violation.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What kind.
    pub kind: ViolationKind,
    /// One sentence.
    pub message: String,
    /// Where; `None` where no place is to blame.
    pub location: Option<TraceLocation>,
    /// The line of the source there, without the blanks around it.
    pub line: String,
    /// The property that is violated, where there are several.
    pub property: Option<String>,
    /// The run that leads to it.
    pub trace: Option<Trace>,
}

/// A diagnostic whose place is known as people read it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Error or warning.
    pub severity: Severity,
    /// Its code.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// Where.
    pub location: Option<TraceLocation>,
    /// The line of the source there, without the blanks around it.
    pub line: String,
    /// What to do about it.
    pub help: Vec<String>,
}

impl Record {
    /// Nothing is known yet.
    pub fn new(path: &str) -> Self {
        Record { path: path.to_owned(), ..Record::default() }
    }

    /// Forgets the runs of its violations.
    pub fn forget_runs(&mut self) {
        let violations = self.answer.iter_mut().flat_map(|answer| &mut answer.violations);
        violations.for_each(|violation| violation.trace = None);
    }

    /// Whether it has a run.
    pub fn has_runs(&self) -> bool {
        let mut violations = self.answer.iter().flat_map(|answer| &answer.violations);
        violations.any(|violation| violation.trace.is_some())
    }

    /// Whether something is wrong with its text.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

impl Answer {
    /// The answer that a report gives; `words` is what people read first, `traces` are the runs of its first violations.
    pub fn new(report: &CheckReport, traces: &[Trace], words: &str, sources: &SourceMap) -> Self {
        let of_trace = traces.iter().enumerate().filter_map(|(index, trace)| {
            let violation = trace.violation.as_ref()?;
            Some(Violation {
                kind: violation.kind,
                message: violation.message.clone(),
                location: violation.location.clone(),
                line: violation.location.as_ref().map(|place| line(sources, place)).unwrap_or_default(),
                property: report.violations.get(index).and_then(|found| found.property.clone()),
                trace: Some(trace.clone()),
            })
        });
        let without_run = report.violations.iter().skip(traces.len()).map(|found| Violation {
            kind: found.kind,
            message: found.message.clone(),
            location: found.location.clone(),
            line: found.location.as_ref().map(|place| line(sources, place)).unwrap_or_default(),
            property: found.property.clone(),
            trace: None,
        });
        Answer {
            engine: report.engine.clone(),
            verdict: report.verdict,
            words: sentences(words),
            scope: report.scope.clone(),
            properties: report.properties.clone(),
            rest_decided: report.bound.complete,
            violations: of_trace.chain(without_run).collect(),
        }
    }
}

/// The lines in front of the figures; a continued line begins with blanks.
fn sentences(words: &str) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for line in words.lines().take_while(|line| !is_table(line)) {
        match (line.strip_prefix("  "), sentences.last_mut()) {
            (Some(rest), Some(last)) => last.push_str(&format!(" {}", rest.trim_start())),
            _ => sentences.push(line.to_owned()),
        }
    }
    sentences
}

/// Whether a line begins the figures, which have times among them.
fn is_table(line: &str) -> bool {
    line.is_empty() || line.starts_with("bound by bound")
}

impl Problem {
    /// A diagnostic about these files.
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let location = diagnostic.primary.as_ref().map(|label| TraceLocation::from(sources.location(label.span)));
        Problem {
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            line: location.as_ref().map(|place| line(sources, place)).unwrap_or_default(),
            location,
            help: diagnostic.help.clone(),
        }
    }
}

/// The line of a place, without the blanks around it.
fn line(sources: &SourceMap, place: &TraceLocation) -> String {
    let file = sources.files().map(|(_, file)| file).find(|file| file.path == place.file);
    let line = file.and_then(|file| file.text.lines().nth((place.line as usize).checked_sub(1)?));
    line.unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_sentences_without_figures_of_time() {
        let words = "holds: no violation;\n  every state was explored\nbound by bound:\n  0  0.001\n";
        assert_eq!(sentences(words), ["holds: no violation; every state was explored"]);
        assert_eq!(sentences("violated: x\nat a.pml:1:1\n\nlanes"), ["violated: x", "at a.pml:1:1"]);
    }
}
