//! What the explicit engine adds to an answer: what a lossy store may have missed, the summary bound by bound.

use selvedge_report::Summary;
use selvedge_report::json::{ReportOmission, ReportSearch};
use selvedge_verify::Omission;
use selvedge_verify::answer::ExplicitDetails;
use selvedge_verify::request::Claims;
use selvedge_verify::{Bound, Choice, Request, Verdict};
use serde_json::{Map, Value};

use super::{EngineForm, Rendering, next};

/// An answer of the explicit engine.
pub struct Explicit<'a> {
    pub rendering: &'a Rendering<'a>,
    pub details: &'a ExplicitDetails,
}

impl Explicit<'_> {
    fn summary(&self) -> Summary {
        let answer = self.rendering.answer;
        Summary {
            verdict: answer.verdict,
            bound: answer.bound,
            complete: answer.complete,
            covered: answer.covered,
            layers: answer.layers.clone(),
            stop: answer.stop,
            stats: answer.stats,
            omission: self.details.omission.as_ref().map(omission),
            scope: super::scope(&self.rendering.answer.checked),
            violation: answer.traces.first().and_then(|trace| trace.violation.clone()),
            next_commands: Vec::new(),
        }
    }
}

/// What may have been missed, in one sentence.
fn omission(omission: &Omission) -> String {
    match omission {
        Omission::Probability(p) => {
            format!("states were stored as 64-bit hashes: the probability that one was missed is about {p:.1e}")
        }
        Omission::ByDesign { .. } => {
            "Spin's search misses states within its bound; `--search layered` does not".to_owned()
        }
        Omission::Coverage { expected, filled } => format!(
            "states were stored as bits of an array: about {:.3} % of them were covered (at most; {:.1} % of the bits are set)",
            expected * 100.0,
            filled * 100.0
        ),
        Omission::HiddenVariables(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "`--optimize none` leaves hidden variables out of the state as Spin does, but the model reads {}; leave \
                 the option out, or declare what is read without `hidden`",
                names.join(", ")
            )
        }
    }
}

impl EngineForm for Explicit<'_> {
    fn head(&self) -> String {
        self.summary().head()
    }

    fn figures(&self) -> String {
        String::new()
    }

    fn next(&self) -> Vec<String> {
        let Rendering { answer, saved, one_of_many, .. } = self.rendering;
        match answer.verdict {
            Verdict::Violated => next::after_a_violation(answer, saved, *one_of_many),
            verdict => {
                let higher = || {
                    (verdict == Verdict::HoldsWithinBound).then(|| next::higher_bound(answer.bound, *one_of_many))?
                };
                let any_depth = next::calls_of_any_depth(answer, *one_of_many);
                next::higher_limit(answer.stop).or_else(higher).into_iter().chain(any_depth).collect()
            }
        }
    }

    fn extend(&self, _: &mut Map<String, Value>) {}

    fn search(&self) -> Option<ReportSearch> {
        let Rendering { answer, request, .. } = self.rendering;
        let omission = self.details.omission.as_ref().map(|omission| match omission {
            Omission::Probability(p) => ReportOmission::Probability(*p),
            Omission::Coverage { expected, .. } => ReportOmission::ExpectedCoverage(*expected),
            Omission::ByDesign { .. } => ReportOmission::ByDesign,
            Omission::HiddenVariables(_) => ReportOmission::HiddenVariables,
        });
        Some(searched(request, answer.covered, omission))
    }
}

/// How a request has a model searched, with what came of it.
pub fn searched(request: &Request, covered: Option<Bound>, omission: Option<ReportOmission>) -> ReportSearch {
    ReportSearch {
        kind: request.search.kind.name().to_owned(),
        store: request.search.store.name().to_owned(),
        seed: request.search.seed,
        claim: match &request.properties.claims {
            Claims::Chosen(text) => Some(text.clone()),
            Claims::None | Claims::Each | Claims::First => None,
        },
        fair: request.properties.fair,
        count_busy_wait: request.search.count_busy_wait,
        covered,
        omission,
    }
}
