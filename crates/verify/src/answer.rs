//! The answer to a request, as data. Rendering it needs nothing else: no engine, no machine, no language.

use std::collections::BTreeSet;

use selvedge_certificate::CertificateFile;
use selvedge_core::trace::TraceLocation;
use selvedge_core::{Bound, Evidence, Layer, Omission, Stats, StopReason, Trace, Verdict, ViolationKind};
use selvedge_source::SourceMap;

use crate::language::Language;
use crate::parts::PropertyAnswer;
use crate::properties::Checked;
use crate::request::{Analysis, Engine};

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The model's path, as shown to people.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// SHA-256 of every file read.
    pub sha256: String,
    /// Every file read, and the text of a formula that was chosen.
    pub sources: SourceMap,
    /// The engine that answered.
    pub engine: Engine,
    /// The verdict.
    pub verdict: Verdict,
    /// The bound that the answer speaks of.
    pub bound: Bound,
    /// Whether everything within it was explored.
    pub complete: bool,
    /// The largest bound within which there is no violation.
    pub covered: Option<Bound>,
    /// Why the search ended.
    pub stop: StopReason,
    /// Figures of each bound that was completed.
    pub layers: Vec<Layer>,
    /// Figures of the whole search.
    pub stats: Stats,
    /// Every violation that was found.
    pub violations: Vec<FoundViolation>,
    /// The runs of the first of them, each replayed by the judge of the language.
    pub traces: Vec<Trace>,
    /// Of a violation: whether the first of these runs is proven to be the simplest; `None` where the engine has no
    /// notion of that.
    pub minimal: Option<bool>,
    /// What was checked and what was not.
    pub checked: Checked,
    /// What is known of each property.
    pub properties: Vec<PropertyAnswer>,
    /// The answers to the properties, where each had a search of its own: those of the same places in `properties`. The
    /// figures above are then those of the property that decides the verdict, violations and runs those of all.
    pub parts: Vec<Answer>,
    /// How the answer was checked independently.
    pub evidence: Evidence,
    /// What the user should know besides, one sentence each.
    pub warnings: Vec<String>,
    /// What to do where there is no property.
    pub advice: &'static str,
    /// What only one engine has.
    pub details: Details,
}

impl Answer {
    /// Counts the time of its search from when that began.
    pub(crate) fn begins_at(&mut self, before: f64) {
        let layers = self.layers.iter_mut().map(|layer| &mut layer.seconds);
        let properties = self.properties.iter_mut().map(|property| &mut property.stats.seconds);
        layers
            .chain(properties)
            .chain([&mut self.stats.seconds])
            .for_each(|seconds| *seconds = (*seconds - before).max(0.0));
    }

    /// The search was ended from outside, for this reason.
    pub(crate) fn ended_by(&mut self, stop: StopReason) {
        self.stop = stop;
        self.properties.iter_mut().for_each(|property| property.stop = stop);
    }

    /// There was nothing to check, and no violation came up.
    pub fn checked_nothing(&self) -> bool {
        self.verdict != Verdict::Violated && self.checked.nothing()
    }
}

/// What only one engine has, and where a certificate is kept.
impl Details {
    /// Whether there is a certificate to be written.
    pub(crate) fn has_certificate(&self) -> bool {
        match self {
            Details::Explicit(_) => false,
            Details::Symbolic(details) => details.certificate.is_some(),
            Details::Dynamic(details) => details.certificate.is_some(),
        }
    }
}

/// A violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundViolation {
    /// What kind.
    pub kind: ViolationKind,
    /// One sentence.
    pub message: String,
    /// Where; `None` where no place is to blame.
    pub location: Option<TraceLocation>,
    /// The name of the property that is violated, where there are several.
    pub property: Option<String>,
}

impl FoundViolation {
    /// The violation at the end of a trace.
    pub(crate) fn of(trace: &Trace) -> Option<Self> {
        let violation = trace.violation.as_ref()?;
        let (message, location) = (violation.message.clone(), violation.location.clone());
        Some(FoundViolation { kind: violation.kind, message, location, property: None })
    }
}

/// What only one engine has.
#[derive(Clone, Debug)]
pub enum Details {
    /// The explicit engine.
    Explicit(ExplicitDetails),
    /// The symbolic engine.
    Symbolic(SymbolicDetails),
    /// The dynamic engine.
    Dynamic(DynamicDetails),
}

/// Of the explicit engine.
#[derive(Clone, Debug)]
pub struct ExplicitDetails {
    /// What may have been missed.
    pub omission: Option<Omission>,
}

/// Of the symbolic engine.
#[derive(Clone, Debug)]
pub struct SymbolicDetails {
    /// The analysis.
    pub analysis: Analysis,
    /// The rounds that were completed.
    pub rounds: Vec<RoundFigures>,
    /// Rounds of the violation.
    pub violated_at: Option<u32>,
    /// Why the answer is one for every bound.
    pub proof: Option<SymbolicProof>,
    /// No bound reaches further shared states.
    pub all_shared: bool,
    /// How many of the last rounds reached no new shared state.
    pub quiet_rounds: Option<u32>,
    /// The shared states that are reachable, if they were asked for.
    pub reachable: Option<Reachable>,
    /// Places on runs to a violation, if they were asked for.
    pub projection: Option<Projection>,
    /// The certificate, if it was asked for; the independent checker accepted it.
    pub certificate: Option<ProofFile>,
    /// Figures of the decision diagrams.
    pub diagrams: DiagramFigures,
}

/// A certificate of a Boolean program or a pushdown system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFile {
    /// The text of the file.
    pub text: String,
    /// How large it is, in words.
    pub size: String,
}

/// Figures of one round.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundFigures {
    /// Its number, from 1.
    pub number: u32,
    /// Shared states up to it.
    pub shared: f64,
    /// Of these, how many the round before had not reached.
    pub new_shared: f64,
    /// Operations up to it.
    pub operations: u64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// Why the answer of the symbolic engine is one for every bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolicProof {
    /// There is one thread.
    OneThread,
    /// Each thread alone, with every change that others make, meets no violation.
    ThreadModular,
}

/// The reachable shared states.
#[derive(Clone, Debug, PartialEq)]
pub enum Reachable {
    /// They are known.
    States {
        /// Each in words; of very many, the first ones.
        states: Vec<String>,
        /// Whether all of them are listed.
        all: bool,
    },
    /// The analysis ended before they were known.
    NotComputed {
        /// The limit that ended it; `None` if a violation did.
        limit: Option<StopReason>,
    },
}

/// Places on runs to a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Thread and place.
    Places(BTreeSet<(String, TraceLocation)>),
    /// There is no violation.
    NoViolation,
    /// A limit ended it.
    Stopped(StopReason),
    /// The program is too large for it.
    TooLarge(String),
}

/// Figures of decision diagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiagramFigures {
    /// Variables.
    pub variables: u64,
    /// Nodes at the end.
    pub nodes: u64,
    /// The most nodes there were.
    pub peak_nodes: u64,
    /// Operations.
    pub operations: u64,
    /// Garbage collections.
    pub collections: u64,
    /// The most bytes they took.
    pub peak_bytes: u64,
}

/// Of the dynamic engine.
#[derive(Clone, Debug)]
pub struct DynamicDetails {
    /// What is bounded.
    pub counts: DynamicCount,
    /// The certificate, which the independent checker accepted.
    pub certificate: Option<CertificateFile>,
    /// Why it holds, where there is no certificate to be written.
    pub why_holds: Option<&'static str>,
    /// Why the engine gave up.
    pub gave_up: Option<String>,
    /// The steps of a run to a target that a limit kept from being written down and replayed.
    pub unwritten: Option<usize>,
    /// Deciding without a bound is possible.
    pub decidable: bool,
}

/// What the layers of the dynamic engine count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DynamicCount {
    /// Tokens of a net: nothing is bounded.
    Tokens,
    /// Switches of each thread.
    ThreadSwitches,
    /// Strata.
    Strata,
}
