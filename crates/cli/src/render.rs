//! Renders an answer as text, lanes and JSON, from the [`Answer`] alone. What is common to every engine is in this file;
//! what an engine adds is in the file of its name.

mod dynamic;
mod explicit;
mod next;
mod properties;
mod symbolic;

use selvedge_report::json::{
    FoundViolation, Input, ReportBound, ReportProperty, ReportSearch, ReportViolation, Scope, Tool, stop_code,
};
use selvedge_report::{CheckReport, answer, evidence, lanes_until, one_line};
use selvedge_source::Cancel;
use selvedge_verify::trace::{SCHEMA, TraceLocation};
use selvedge_verify::{Answer, Checked, Choice, Details, PropertyAnswer, Request, Verdict};
use serde_json::{Map, Value};

use crate::args::Format;
use crate::config::in_force;
use crate::console::Console;
use crate::diagnostics::json_text;
use crate::exit::Exit;
use crate::outputs::Saved;

pub use explicit::searched;

/// The answer of a run that checks nothing.
pub const NOTHING_CHECKED: &str = "nothing was checked: there is no property of any kind";

/// The advice for Promela, where nothing was checked.
pub const PROMELA_ADVICE: &str = "\
to check something, write `assert(…)` or an `ltl` formula in the model, or use --ltl 'FORMULA' or --reach LABEL";

/// An answer and what is needed to show it.
pub struct Rendering<'a> {
    /// The answer.
    pub answer: &'a Answer,
    /// The request.
    pub request: &'a Request,
    /// What was written.
    pub saved: &'a Saved,
    /// It is one of several.
    pub one_of_many: bool,
}

/// What was checked and what was not, as data.
pub fn scope(checked: &Checked) -> Scope {
    Scope {
        checked: checked.listed(),
        not_checked: checked.not_checked.clone(),
        never_reached: checked.never_reached.clone(),
        never_executed: checked.never_executed.clone(),
    }
}

/// What an engine adds.
trait EngineForm {
    /// Verdict and scope in words.
    fn head(&self) -> String;
    /// Statistics between the runs and the list of properties.
    fn figures(&self) -> String;
    /// Commands to continue with.
    fn next(&self) -> Vec<String>;
    /// Adds the engine's own fields to the document.
    fn extend(&self, fields: &mut Map<String, Value>);
    /// What the document says about the search.
    fn search(&self) -> Option<ReportSearch>;
}

impl Rendering<'_> {
    /// The answer in the form that was asked for; `None` if it was cancelled.
    pub fn rendered(&self, cancel: &Cancel, console: &Console) -> Option<String> {
        let text = if console.json {
            self.json(console)
        } else if console.quiet {
            self.line(console)
        } else {
            console.painted(&self.text(cancel, console))
        };
        (!cancel.was_cancelled()).then_some(text)
    }

    /// Prints the answer, which was rendered before.
    pub fn print(&self, rendered: &str, console: &mut Console) -> Exit {
        if console.format == Format::Short {
            console.stderr(&self.short());
        }
        if self.one_of_many && !console.json && !console.quiet {
            console.section(&self.answer.path);
        }
        console.answer(rendered);
        self.exit()
    }

    /// Prints the answer without its run.
    pub fn print_briefly(&self, console: &mut Console) -> Exit {
        let text = if console.json { self.json(console) } else { self.line(console) };
        self.print(&text, console)
    }

    /// The verdict in one line.
    fn line(&self, console: &Console) -> String {
        let head = self.head();
        let line = console.painted(head.lines().next().unwrap_or_default());
        let name = if self.one_of_many && console.quiet { format!("{}: ", self.answer.path) } else { String::new() };
        format!("{name}{line}\n")
    }

    /// The exit code of an answer is decided here.
    fn exit(&self) -> Exit {
        match self.answer.verdict {
            Verdict::Violated => Exit::Violation,
            _ if self.answer.checked.nothing() => Exit::NothingChecked,
            Verdict::Holds | Verdict::HoldsWithinBound => Exit::NoViolation,
            Verdict::Inconclusive => Exit::Inconclusive,
        }
    }

    /// The answer for SARIF, JUnit and GitHub's formats, with or without its runs.
    pub fn for_programs(&self, with_runs: bool) -> answer::Answer {
        let traces = if with_runs { self.answer.traces.as_slice() } else { &[] };
        answer::Answer::new(&self.report(), traces, &self.head(), &self.answer.sources)
    }

    fn engine(&self) -> Box<dyn EngineForm + '_> {
        match &self.answer.details {
            Details::Explicit(details) => Box::new(explicit::Explicit { rendering: self, details }),
            Details::Symbolic(details) => Box::new(symbolic::Symbolic { rendering: self, details }),
            Details::Dynamic(details) => Box::new(dynamic::Dynamic { rendering: self, details }),
        }
    }

    /// The verdict and its scope in words.
    fn head(&self) -> String {
        if self.answer.checked_nothing() {
            return format!("{NOTHING_CHECKED}\n");
        }
        if !self.answer.parts.is_empty() {
            return properties::head(self);
        }
        self.engine().head()
    }

    fn text(&self, cancel: &Cancel, console: &Console) -> String {
        let answer = self.answer;
        let engine = self.engine();
        let mut text = console.wrapped(&self.head());
        match answer.parts.is_empty() {
            true => text.push_str(&self.runs(cancel, console)),
            false => text.push_str(&properties::runs(self, cancel, console)),
        }
        text.push_str(&engine.figures());
        text.push_str(&console.wrapped(&self.properties()));
        text.push_str(&console.wrapped(&match answer.parts.is_empty() {
            true => self.evidence(),
            false => properties::evidence(self),
        }));
        let mut next = if answer.checked_nothing() { vec![answer.advice.to_owned()] } else { engine.next() };
        next.extend(properties::next(self));
        let next: String = next.iter().map(|line| format!("{line}\n")).collect();
        text.push_str(&console.commands(&next));
        text
    }

    /// The runs, and the violations without one.
    fn runs(&self, cancel: &Cancel, console: &Console) -> String {
        let answer = self.answer;
        let mut text = String::new();
        for (index, trace) in answer.traces.iter().enumerate() {
            if index > 0 {
                let message = trace.violation.as_ref().map(|violation| violation.message.as_str()).unwrap_or_default();
                text.push_str(&format!("\nviolation {}: {message}", index + 1));
            }
            text.push('\n');
            text.push_str(&lanes_until(trace, &console.lanes(), cancel).unwrap_or_default());
        }
        if !answer.traces.is_empty() {
            text.push('\n');
        }
        for other in answer.violations.iter().skip(answer.traces.len()) {
            let place = other.location.as_ref().map(|location| format!(" ({location})")).unwrap_or_default();
            text.push_str(&console.wrapped(&format!("also: {}{place}\n", other.message)));
        }
        text
    }

    /// How the answer was checked.
    fn evidence(&self) -> String {
        match self.answer.verdict {
            Verdict::Inconclusive => String::new(),
            _ => format!("evidence: {}\n", evidence(&self.answer.evidence)),
        }
    }

    /// What was checked and what was not.
    fn properties(&self) -> String {
        let mut text = selvedge_report::properties(self.answer.verdict, &scope(&self.answer.checked));
        for found in &self.answer.properties {
            let when = if found.verdict == Verdict::Holds { "never true" } else { "not true within the bound" };
            let name = &found.property.name;
            let line = |condition: &String| format!("{name} holds vacuously: {condition} is {when}\n");
            text.push_str(&found.vacuous.iter().map(line).collect::<String>());
        }
        text
    }

    fn report(&self) -> CheckReport {
        let answer = self.answer;
        let found = |found: &selvedge_verify::answer::FoundViolation| FoundViolation {
            kind: found.kind,
            message: found.message.clone(),
            location: found.location.clone(),
            property: found.property.clone(),
        };
        CheckReport {
            schema: SCHEMA,
            tool: Tool { name: "selvedge".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            input: Input {
                path: answer.path.clone(),
                language: answer.language.name().to_owned(),
                sha256: Some(answer.sha256.clone()),
            },
            engine: answer.engine.name().to_owned(),
            bound: ReportBound::new(answer.bound, answer.complete),
            verdict: answer.verdict,
            violation: self.violation(0, answer.minimal),
            layers: answer.layers.clone(),
            stats: answer.stats,
            violations: answer.violations.iter().map(found).collect(),
            stop: stop_code(answer.stop),
            properties: answer.properties.iter().map(|property| self.property(property)).collect(),
            scope: scope(&self.answer.checked),
            search: self.engine().search(),
            evidence: answer.evidence.clone(),
        }
    }

    /// A violation that has a run.
    fn violation(&self, index: usize, minimal: Option<bool>) -> Option<ReportViolation> {
        let violation = self.answer.traces.get(index)?.violation.as_ref()?;
        Some(ReportViolation { found: violation.clone(), minimal, trace: self.saved.traces.get(index).cloned() })
    }

    fn property(&self, found: &PropertyAnswer) -> ReportProperty {
        ReportProperty {
            name: found.property.name.clone(),
            kind: found.property.kind.code().to_owned(),
            verdict: found.verdict,
            violation: found.violation.and_then(|index| self.violation(index, found.minimal)),
            bound: ReportBound::new(found.bound, found.complete),
            stop: stop_code(found.stop).to_owned(),
            stats: found.stats,
            evidence: found.evidence.clone(),
            vacuous: found.vacuous.clone(),
        }
    }

    /// The document, on one line among several.
    fn json(&self, console: &Console) -> String {
        let mut value = serde_json::to_value(self.report()).unwrap_or(Value::Null);
        if let Value::Object(fields) = &mut value {
            self.engine().extend(fields);
            in_force::add_to(fields);
        }
        json_text(&value, console.one_line_json)
    }

    /// The violations as one line each, which editors understand.
    fn short(&self) -> String {
        let line = |found: &selvedge_verify::answer::FoundViolation| {
            let place = found.location.as_ref().or_else(|| self.place_of_run(found)).map(ToString::to_string);
            let place = place.unwrap_or_else(|| format!("{}:1:1", self.answer.path));
            format!("{place}: error[{}]: {}\n", found.kind.code(), one_line(&found.message))
        };
        self.answer.violations.iter().map(line).collect()
    }

    /// Where to look at a violation that no single place is to blame for: where a thread is blocked, where the cycle of an
    /// infinite run starts, or the last step.
    fn place_of_run(&self, found: &selvedge_verify::answer::FoundViolation) -> Option<&TraceLocation> {
        let shows = |trace: &&selvedge_verify::Trace| {
            trace.violation.as_ref().is_some_and(|shown| shown.kind == found.kind && shown.message == found.message)
        };
        let trace = self.answer.traces.iter().find(shows)?;
        let blocked = trace.waiting.first().map(|waiting| &waiting.location);
        let cycle = || trace.steps.iter().find(|step| step.cycle_start).and_then(|step| step.location.as_ref());
        blocked.or_else(cycle).or_else(|| trace.steps.last()?.location.as_ref())
    }
}
