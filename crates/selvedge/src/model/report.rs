//! What an exploration found out, for the test that asked.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use selvedge_core::Trace;
use selvedge_report::ViewFile;
use selvedge_stateless::{
    BoundStats, Config, Memory, Nondeterminism, Reduction, SearchEvidence, Site, Stop, ViolationKind,
};

use super::summary;
use crate::primitive::names;

/// What an exploration found out. Displayed, it is the line on its scope or the report of the violation.
#[derive(Clone, Debug)]
pub struct Report {
    /// Executions that ran to their end.
    pub executions: u64,
    /// Executions that a bound or a limit cut off, or the test gave up.
    pub cut: u64,
    /// Of these, the executions that [`max_branches`](method@super::Builder::max_branches) cut off. With one of them the search is
    /// incomplete.
    pub too_long: u64,
    /// Each bound that was explored to its end; the executions of lower bounds are included. A bound in which an execution
    /// was too long was not.
    pub per_bound: Vec<BoundStats>,
    /// Everything that was asked for was explored.
    pub complete: bool,
    /// The first violation.
    pub violation: Option<Violation>,
    /// How the answer was checked. Its runs are counted in no other field. A disagreement is [`Stop::Disagreement`].
    pub evidence: SearchEvidence,
    /// Wall-clock time of the search, without its recheck.
    pub elapsed: Duration,
    /// Why the search ended.
    pub stop: Stop,
    /// An atomic access had an ordering weaker than `SeqCst`.
    pub weaker_orderings: bool,
    /// What reads saw: [`Memory::Rc11`] if stale values were explored.
    pub memory: Memory,
    pub(super) asked: Asked,
}

impl Report {
    /// Executions, however they ended.
    pub(super) fn runs(&self) -> u64 {
        self.executions + self.cut
    }
}

/// What the line on the scope needs besides; it is written when somebody wants to read it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) config: Config,
    /// The one in force at the end.
    pub(super) reduction: Reduction,
    /// The test started a thread.
    pub(super) spawned: bool,
    /// The test used an object of this library.
    pub(super) used: bool,
    /// The places with orderings, if they were to be collected.
    pub(super) sites: Vec<Site>,
    /// Two runs of one schedule had different values.
    pub(super) differing_values: Option<Nondeterminism>,
}

/// A violation and the run that shows it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What kind.
    pub kind: ViolationKind,
    /// What went wrong; of a panic, its message.
    pub message: String,
    /// Where, as `file:line:column`.
    pub location: Option<String>,
    /// Switches away from a thread that could have gone on.
    pub preemptions: u32,
    /// All switches.
    pub switches: u32,
    /// Accesses that did not read the newest store of their atomic, or did not write behind it.
    pub stale: u32,
    /// Changes to the orderings of the test that would have forbidden this run, each enough by itself: `` `Acquire` at
    /// src/a.rs:12:9 ``. Other runs may still fail with them.
    pub fixes: Vec<String>,
    /// The schedule, for [`Builder::replay`](super::Builder::replay) and `SELVEDGE_REPLAY`.
    pub schedule: String,
    /// The report as a test log shows it: at most 60 lines.
    pub text: String,
    /// The whole report.
    pub full_text: String,
    pub(super) trace: Trace,
}

impl Violation {
    /// The run as a trace file, which `selvedge view` and other tools read.
    pub fn trace_json(&self) -> String {
        selvedge_report::trace_to_json(&self.trace)
    }

    /// The run as a page for the browser, with the sources that are at hand.
    pub fn html(&self) -> String {
        let places = self.trace.steps.iter().filter_map(|step| step.location.as_ref()).map(|place| place.file.clone());
        let names: BTreeSet<String> = places.collect();
        let file = |name: String| ViewFile { text: names::source(&name), name };
        let files: Vec<ViewFile> = names.into_iter().map(file).collect();
        selvedge_report::html(&self.trace, &files, &[])
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.violation {
            Some(violation) => violation.fmt(f),
            None => f.write_str(&summary::scope(self)),
        }
    }
}
