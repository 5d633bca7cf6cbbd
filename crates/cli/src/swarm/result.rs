//! The result of one search, as `check --json` printed it.

use selvedge_report::json::{
    Input, ReportBound, ReportOmission, ReportProperty, ReportSearch, ReportViolation, Scope, stop_code,
};
use selvedge_verify::trace::SCHEMA;
use selvedge_verify::{Bound, BoundKind, Layer, Stats, StopReason, Verdict};
use serde::Deserialize;

/// What a search found out.
#[derive(Clone, Debug, Deserialize)]
pub struct Found {
    schema: u32,
    /// The model.
    pub input: Input,
    /// The bound of the search.
    pub bound: ReportBound,
    /// Its answer.
    pub verdict: Verdict,
    /// What is wrong with the model.
    pub violation: Option<ReportViolation>,
    /// The bounds it completed.
    pub layers: Vec<Layer>,
    /// Its figures.
    pub stats: Stats,
    stop: String,
    /// What it says of each property.
    pub properties: Vec<ReportProperty>,
    /// What it checked.
    pub scope: Scope,
    /// How it searched.
    pub search: ReportSearch,
}

impl Found {
    /// Reads a result; the error is one sentence.
    pub fn read(text: &str) -> Result<Self, String> {
        let found: Found =
            serde_json::from_str(text).map_err(|error| format!("not a result of `selvedge check --json`: {error}"))?;
        if found.schema > SCHEMA {
            return Err(format!("format {}, and this selvedge reads formats up to {SCHEMA}", found.schema));
        }
        let in_range = |share: f64| (0.0..=1.0).contains(&share);
        match found.search.omission {
            Some(ReportOmission::Probability(p)) if !in_range(p) => Err(format!("{p} is not a probability")),
            Some(ReportOmission::ExpectedCoverage(c)) if !in_range(c) => Err(format!("{c} is not a fraction")),
            _ => Ok(found),
        }
    }

    /// Why the search stopped.
    pub fn stop(&self) -> StopReason {
        use StopReason::{Bound, Depth, Exhausted, Interrupted, Memory, States, Time, Violation};
        let all = [Exhausted, Bound, Violation, Time, Memory, States, Depth, Interrupted];
        all.into_iter().find(|stop| stop_code(*stop) == self.stop).unwrap_or(Interrupted)
    }

    /// The model has no property of any kind. Of a search that was ended while the model was read, that is not known.
    pub fn checked_nothing(&self) -> bool {
        use StopReason::{Interrupted, Memory, Time};
        self.scope.checked.is_empty() && !matches!(self.stop(), Time | Memory | Interrupted)
    }

    /// The bound as the other crates know it.
    pub fn bound(&self) -> Bound {
        Bound { kind: self.bound.kind, value: self.bound.value }
    }

    /// The share of states that a lossy memory is expected to have missed; `None` for an exact one.
    pub fn missed(&self) -> Option<f64> {
        Some(match self.search.omission? {
            // The probability that any state is missed is at least that of a given one.
            ReportOmission::Probability(p) => p,
            ReportOmission::ExpectedCoverage(share) => 1.0 - share,
            // Nothing is known of what Spin's search leaves out.
            ReportOmission::ByDesign | ReportOmission::HiddenVariables => 1.0,
        })
    }

    /// How far a lossy search got without finding a violation: to every state (the largest number), or to a number of
    /// preemptions.
    pub fn lossy_reach(&self) -> Option<Reach> {
        let passed = self.verdict != Verdict::Violated && self.missed().is_some();
        match self.stop() {
            _ if !passed => None,
            StopReason::Depth => None,
            StopReason::Exhausted => Some(Reach::Everything),
            _ if self.bound.kind == BoundKind::Preemptions => self.layers.last().map(|layer| Reach::Bound(layer.bound)),
            _ => None,
        }
    }

    /// Why two results do not speak of the same question, if so.
    pub fn differs_from(&self, other: &Found) -> Option<&'static str> {
        let same_input = match (&self.input.sha256, &other.input.sha256) {
            (Some(one), Some(two)) => one == two,
            _ => self.input.path == other.input.path,
        };
        let (one, two) = (&self.search, &other.search);
        if !same_input || self.input.language != other.input.language {
            Some("they are about different models")
        } else if self.scope.checked != other.scope.checked || one.claim != two.claim || one.fair != two.fair {
            Some("they checked different properties")
        } else if one.count_busy_wait != two.count_busy_wait {
            Some("they counted preemptions differently (--count-busy-wait)")
        } else {
            None
        }
    }
}

/// How far a search got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// To every state with at most this many preemptions.
    Bound(u32),
    /// To every state.
    Everything,
}
