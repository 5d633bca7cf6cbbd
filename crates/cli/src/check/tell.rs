//! The answer of `check`: the verdict from why the search stopped, then words or JSON, then the exit.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use selvedge_core::trace::SCHEMA;
use selvedge_core::{Bound, BoundKind, StopReason, Trace, Verdict};
use selvedge_explicit::{Found, Omission, Outcome};
use selvedge_report::answer::Answer;
use selvedge_report::json::{
    FoundViolation, Input, Properties, ReportBound, ReportOmission, ReportSearch, ReportViolation, Tool, stop_code,
};
use selvedge_report::{CheckReport, Summary, lanes};
use selvedge_source::SourceMap;

use super::plan::{Plan, Planned};
use super::properties::Checked;
use super::say::{Forms, exit_of, say};
use super::{Saved, next};
use crate::args::CheckArgs;
use crate::console::Console;
use crate::exit::Exit;

/// What was checked, and by whom.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The model's path.
    pub path: &'a str,
    /// Its language.
    pub language: &'static str,
    /// SHA-256 of its text.
    pub sha256: &'a str,
    /// Every file read.
    pub sources: &'a SourceMap,
    /// The engine.
    pub engine: &'static str,
    /// What to do when nothing was checked.
    pub advice: &'static str,
}

/// Everything known at the end of a run.
pub struct Told<'a> {
    /// The options.
    pub args: &'a CheckArgs,
    /// The model.
    pub subject: Subject<'a>,
    /// The search.
    pub planned: &'a Planned,
    /// What it found.
    pub outcome: &'a Outcome,
    /// The runs of the first violations, replayed.
    pub traces: &'a [Trace],
    /// Where they were saved.
    pub saved: &'a Saved,
    /// What was checked.
    pub checked: Checked,
    /// Hidden variables that are read and are no part of the state.
    pub read_hidden: &'a [String],
}

/// Tells the answer.
pub fn tell(told: &Told<'_>, console: &Console) -> Exit {
    let verdict = told.verdict();
    let exit = exit_of(verdict, &told.checked);
    console.keep_answer(|| {
        Answer::new(&told.report(verdict), told.traces, &told.words(verdict, exit), told.subject.sources)
    });
    let forms = Forms {
        json: &|| told.report(verdict).to_json(),
        head: &|| told.words(verdict, exit),
        text: &|| told.text(verdict, exit, console),
    };
    say(&forms, told.args, told.subject.path, console);
    exit
}

impl Told<'_> {
    fn verdict(&self) -> Verdict {
        match (self.outcome.violations.is_empty(), self.outcome.stop) {
            (false, _) => Verdict::Violated,
            (true, _) if self.checked.nothing() => Verdict::Inconclusive,
            (true, _) if self.may_miss() => Verdict::Inconclusive,
            (true, StopReason::Exhausted) if self.beyond_every_bound() => Verdict::Holds,
            (true, StopReason::Exhausted | StopReason::Bound) => Verdict::HoldsWithinBound,
            (true, _) => Verdict::Inconclusive,
        }
    }

    /// Whether violations may have been missed within the bound.
    fn may_miss(&self) -> bool {
        self.outcome.omission.is_some() || !self.read_hidden.is_empty()
    }

    /// Whether a search that has nothing left to explore speaks for runs beyond its bound too. A search for cycles
    /// within a bound does not: infinitely many switches are beyond every bound.
    fn beyond_every_bound(&self) -> bool {
        let cycles = matches!(self.planned.plan, Plan::Cycles(_));
        !cycles || self.planned.kind == BoundKind::Unbounded || self.planned.most.is_none()
    }

    /// The bound of the run: the one asked for, or the one it got to.
    fn bound(&self) -> Bound {
        match (self.verdict(), self.outcome.violated_at) {
            (Verdict::Violated, None) if self.planned.most.is_none() => Bound::UNBOUNDED,
            (Verdict::Violated, Some(at)) if self.planned.most.is_none() => {
                Bound { value: Some(at), ..self.planned.bound(at) }
            }
            _ => self.planned.bound(self.outcome.bound),
        }
    }

    /// The largest bound within which there is no violation.
    fn covered(&self) -> Option<Bound> {
        let cut = self.outcome.stop == StopReason::Depth;
        if self.planned.kind == BoundKind::Unbounded || self.may_miss() || cut {
            return None;
        }
        let complete = self.outcome.layers.last().map(|layer| layer.bound);
        let covered = match self.outcome.violated_at {
            Some(at) => at.checked_sub(1),
            None => complete,
        };
        covered.map(|value| Bound { kind: self.planned.kind, value: Some(value) })
    }

    /// What may have been missed.
    fn omission(&self) -> Option<String> {
        if let [first, others @ ..] = self.read_hidden {
            let others: String = others.iter().map(|name| format!(", `{name}`")).collect();
            return Some(format!(
                "`--optimize none` leaves hidden variables out of the state as Spin does, but the model reads \
                 `{first}`{others}; leave the option out, or declare what is read without `hidden`"
            ));
        }
        Some(match self.outcome.omission? {
            Omission::Probability(p) => {
                format!("states were remembered by 64-bit hashes: the probability that one was missed is about {p:.1e}")
            }
            Omission::ByDesign => {
                "Spin's search misses states within its bound; `--search layered` does not".to_owned()
            }
            Omission::Coverage { expected, filled } => format!(
                "states were remembered by bits: about {:.3} % of them were covered (at most; {:.1} % of the bits are \
                 set)",
                expected * 100.0,
                filled * 100.0
            ),
        })
    }

    fn complete(&self) -> bool {
        matches!(self.outcome.stop, StopReason::Exhausted | StopReason::Bound) && !self.may_miss()
    }

    fn report(&self, verdict: Verdict) -> CheckReport {
        let violation = self.traces.first().and_then(|trace| trace.violation.as_ref());
        CheckReport {
            schema: SCHEMA,
            tool: Tool { name: "selvedge".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
            input: Input {
                path: self.subject.path.to_owned(),
                language: self.subject.language.to_owned(),
                sha256: Some(self.subject.sha256.to_owned()),
            },
            engine: self.subject.engine.to_owned(),
            bound: ReportBound::new(self.bound(), self.complete()),
            verdict,
            violation: violation.map(|violation| ReportViolation::new(violation, self.saved.traces.first().cloned())),
            layers: self.outcome.layers.clone(),
            stats: self.outcome.stats,
            violations: self.outcome.violations.iter().map(|found| self.found(found)).collect(),
            stop: stop_code(self.outcome.stop),
            properties: Properties {
                checked: self.checked.listed(),
                not_checked: self.checked.not_checked.clone(),
                never_reached: self.checked.never_reached.clone(),
            },
            search: Some(self.search()),
        }
    }

    fn search(&self) -> ReportSearch {
        let name = |value: Option<PossibleValue>| value.map(|v| v.get_name().to_owned()).unwrap_or_default();
        ReportSearch {
            kind: name(self.args.search.to_possible_value()),
            store: name(self.args.store.to_possible_value()),
            seed: self.args.seed,
            claim: self.args.ltl.clone(),
            fair: self.args.fair,
            count_busy_wait: self.args.count_busy_wait,
            covered: self.covered(),
            omission: match self.outcome.omission {
                _ if !self.read_hidden.is_empty() => Some(ReportOmission::HiddenVariables),
                None => None,
                Some(Omission::Probability(p)) => Some(ReportOmission::Probability(p)),
                Some(Omission::Coverage { expected, .. }) => Some(ReportOmission::ExpectedCoverage(expected)),
                Some(Omission::ByDesign) => Some(ReportOmission::ByDesign),
            },
        }
    }

    fn found(&self, found: &Found) -> FoundViolation {
        let location = found.fault.span.map(|span| self.subject.sources.location(span).into());
        FoundViolation { kind: found.fault.kind, message: found.fault.message.clone(), location }
    }

    fn summary(&self, verdict: Verdict, trace: Option<&Trace>) -> Summary {
        Summary {
            verdict,
            bound: self.bound(),
            complete: self.complete(),
            covered: self.covered(),
            layers: self.outcome.layers.clone(),
            stop: self.outcome.stop,
            stats: self.outcome.stats,
            omission: self.omission(),
            checked: self.checked.listed(),
            not_checked: self.checked.not_checked.clone(),
            never_reached: self.checked.never_reached.clone(),
            violation: trace.and_then(|trace| trace.violation.clone()),
            next_commands: self.next_commands(verdict),
        }
    }

    /// The answer in words.
    fn words(&self, verdict: Verdict, exit: Exit) -> String {
        match exit {
            Exit::NothingChecked => NOTHING_CHECKED.to_owned(),
            _ => self.summary(verdict, self.traces.first()).head(),
        }
    }

    fn text(&self, verdict: Verdict, exit: Exit, console: &Console) -> String {
        let summary = self.summary(verdict, self.traces.first());
        if exit == Exit::NothingChecked {
            let text = format!("{NOTHING_CHECKED}\n{}{}\n", summary.foot(), self.subject.advice);
            return console.commands(&text);
        }
        let mut text = console.wrapped(&summary.head());
        for (index, trace) in self.traces.iter().enumerate() {
            if index > 0 {
                let message = trace.violation.as_ref().map(|violation| violation.message.as_str()).unwrap_or_default();
                text.push_str(&format!("\nviolation {}: {message}", index + 1));
            }
            text.push('\n');
            text.push_str(&lanes(trace, &console.lanes()));
        }
        if !self.traces.is_empty() {
            text.push('\n');
        }
        for other in self.outcome.violations.iter().skip(self.traces.len()) {
            let FoundViolation { message, location, .. } = self.found(other);
            let place = location.map(|location| format!(" ({location})")).unwrap_or_default();
            text.push_str(&console.wrapped(&format!("also: {message}{place}\n")));
        }
        text.push_str(&console.wrapped(&summary.properties()));
        text.push_str(&console.commands(&summary.commands()));
        text
    }

    /// How to go on from here.
    fn next_commands(&self, verdict: Verdict) -> Vec<String> {
        if verdict != Verdict::Violated {
            return next::higher_limit(self.outcome.stop).or_else(|| self.raise_bound(verdict)).into_iter().collect();
        }
        next::after_a_violation(self.args, self.subject.path, self.saved)
    }

    fn raise_bound(&self, verdict: Verdict) -> Option<String> {
        (verdict == Verdict::HoldsWithinBound).then(|| next::higher_bound(self.args, self.bound()))?
    }
}

/// Why the run shown may not be the simplest there is.
pub fn not_the_best(stop: StopReason) -> String {
    let why = match stop {
        StopReason::Time => "--time-limit ended the search for a simpler one",
        StopReason::Memory => "--memory-limit ended the search for a simpler one",
        StopReason::Interrupted => "the search for a simpler one was interrupted",
        _ => "the search for a simpler one did not find it again",
    };
    format!("the run shown may not be the simplest: {why}")
}

/// The answer of a run that checks nothing.
pub const NOTHING_CHECKED: &str = "nothing was checked: the run has no property of any kind";

/// The advice for Promela.
pub const PROMELA_ADVICE: &str = "\
to check something: write `assert(…)` or an `ltl` formula in the model, or use --ltl 'FORMULA' or --reach LABEL";
