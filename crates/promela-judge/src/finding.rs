//! What is asked of the judge and what it answers, as data.

use selvedge_core::bound::{Bound, BoundKind};
use selvedge_core::{Budget, ViolationKind};
use selvedge_source::Span;

use super::PlainFault;

/// What is checked of finite runs. Runtime errors, completed claims and violated event traces always are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// Failed assertions are violations.
    pub assertions: bool,
    /// Invalid end states are violations, unless a claim is in force.
    pub end_states: bool,
    /// Standing at this label (`label` or `process@label`) is a violation.
    pub reach: Option<String>,
    /// `accept` labels of processes mark acceptance cycles, not only those of the claim.
    pub acceptance: bool,
}

/// Which runs are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunBound {
    /// What is bounded. A kind without a value means all runs, with their costs.
    pub bound: Bound,
    /// Preempting a process that only spins costs as much as preempting any other.
    pub count_busy_wait: bool,
}

impl RunBound {
    /// All runs; costs are not counted.
    pub const NONE: RunBound = RunBound { bound: Bound::UNBOUNDED, count_busy_wait: false };

    /// At most this many preemptions; leaving a process that spins is none.
    pub fn preemptions(value: u32) -> RunBound {
        RunBound { bound: Bound { kind: BoundKind::Preemptions, value: Some(value) }, count_busy_wait: false }
    }

    /// Whether a cost is within the bound.
    pub(crate) fn allows(&self, cost: u32) -> bool {
        self.bound.value.is_none_or(|most| cost <= most)
    }
}

/// How much may be done: a number of plain steps, and no more than the limits of the whole run allow.
#[derive(Clone, Debug)]
pub struct StepBudget {
    /// Plain steps.
    pub steps: u64,
    /// Limits of time and memory, and whether the user has interrupted the run.
    pub limits: Option<Budget>,
}

impl From<u64> for StepBudget {
    fn from(steps: u64) -> Self {
        StepBudget { steps, limits: None }
    }
}

/// A step of a run, named by processes and places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunStep {
    /// The process that acts; none where only the claim moves.
    pub process: Option<u32>,
    /// The place of its statement; none for what was not written, such as the end of a process.
    pub span: Option<Span>,
    /// The receiver in a rendezvous and the place of its statement.
    pub partner: Option<(u32, Span)>,
}

/// A violation, with a run that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of violation.
    pub kind: ViolationKind,
    /// One sentence.
    pub message: String,
    /// Where.
    pub span: Option<Span>,
    /// The cost of the run: of an exploration that is complete, the least cost of such a violation. 0 without a bound.
    pub cost: u32,
    /// The run from the initial state on.
    pub run: Vec<RunStep>,
    /// Where the cycle of an infinite run begins: the number of steps before it.
    pub cycle_start: Option<usize>,
}

/// Whether everything was seen that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Every run within the bound.
    Complete,
    /// The budget ran out first; what was found is real.
    OutOfBudget,
    /// Some runs, chosen by chance.
    Sampled,
    /// The judge does not know bounds of this kind here. Nothing was explored.
    Unsupported(BoundKind),
}

/// What an exploration found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explored {
    /// Each violation once, with the cheapest run that was found, cheapest first.
    pub findings: Vec<Finding>,
    /// States explored, counted as Spin counts them: none inside atomic sequences.
    pub states: usize,
    /// Plain steps executed, those of the search for spinning included.
    pub steps: u64,
    /// Random runs made.
    pub runs: u64,
    /// Whether that is all.
    pub completion: Completion,
}

impl Explored {
    /// Nothing, because the bound is unknown here.
    pub(crate) fn unsupported(kind: BoundKind) -> Explored {
        Explored { findings: Vec::new(), states: 0, steps: 0, runs: 0, completion: Completion::Unsupported(kind) }
    }

    /// Whether a violation of this kind was found.
    pub fn has(&self, kind: ViolationKind) -> bool {
        self.findings.iter().any(|finding| finding.kind == kind)
    }
}

/// Findings, each once and with its cheapest run.
#[derive(Default)]
pub(crate) struct Findings {
    all: Vec<Finding>,
}

impl Findings {
    /// Whether a violation is not known yet, or only at a greater cost.
    pub(crate) fn is_news(&self, (kind, message): &PlainFault, span: Option<Span>, cost: u32) -> bool {
        let alike = |known: &&Finding| known.kind == *kind && known.span == span && known.message == *message;
        self.all.iter().find(alike).is_none_or(|known| cost < known.cost)
    }

    /// Adds a violation in place of one like it.
    pub(crate) fn add(&mut self, (kind, message): &PlainFault, span: Option<Span>, cost: u32, run: Vec<RunStep>) {
        self.all.retain(|known| known.kind != *kind || known.span != span || known.message != *message);
        self.all.push(Finding { kind: *kind, message: message.clone(), span, cost, run, cycle_start: None });
    }

    /// All of them, cheapest first.
    pub(crate) fn into_sorted(mut self) -> Vec<Finding> {
        self.all.sort_by(|a, b| (a.cost, a.kind, a.span, &a.message).cmp(&(b.cost, b.kind, b.span, &b.message)));
        self.all
    }
}
