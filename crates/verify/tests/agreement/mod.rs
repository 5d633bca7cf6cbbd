//! One Promela model, many ways to check it: every way of searching gives the answer that the plain interpreter finds by
//! exploring every state. Used by the tests of this crate and by `cargo xtask soundness`.

use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use selvedge_promela::build::{BuildOptions, Built, ClaimSelection, build};
use selvedge_promela_judge::{Completion, CycleKind, Interpreter, Properties, RunBound, explore, find_cycles};
use selvedge_promela_syntax::ast;
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, Severity, SourceMap};
use selvedge_verify::request::{Claims, Optimize, Reduction, SearchKind, Store};
use selvedge_verify::{
    Answer, Budget, Interrupt, Language, Limits, Refusal, Request, Silent, Verdict, ViolationKind, load_text, verify,
};

/// Models with more states than this are not compared.
pub(super) const MOST_STATES: usize = 2_000;

/// Steps of the interpreter that looks for infinite runs.
const MOST_JUDGE_STEPS: u64 = 2_000_000;

/// What came of one model.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The model is refused.
    Refused(String),
    /// There is nothing to compare with: too many states, or the interpreter cannot execute the model.
    Skipped(String),
    /// Every way gives the same answer.
    Agreed(Agreement),
    /// Some do not.
    Disagreed(Vec<String>),
}

/// What all ways agree on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Agreement {
    /// The kinds of violations that finite runs show.
    pub kinds: BTreeSet<ViolationKind>,
    /// States of the plain semantics.
    pub states: usize,
    /// Infinite runs were searched for as well.
    pub cycles: bool,
}

impl Outcome {
    /// Whether two ways differ.
    pub(super) fn is_disagreement(&self) -> bool {
        matches!(self, Outcome::Disagreed(_))
    }
}

/// The ways of searching that are compared with the interpreter: the first is the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways(&'static [Way]);

impl Ways {
    /// All of them, or the default only.
    pub(super) fn new(default_only: bool) -> Self {
        Self(if default_only { &WAYS[..1] } else { WAYS })
    }
}

/// Compares ways of checking a model; a panic is a disagreement.
pub(super) fn compare(text: &str, ways: Ways) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| compare_all(text, ways))) {
        Ok(outcome) => outcome,
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
            Outcome::Disagreed(vec![format!("panic: {message}")])
        }
    }
}

fn compare_all(text: &str, ways: Ways) -> Outcome {
    let (model, built) = match parsed(text) {
        Ok(parsed) => parsed,
        Err(message) => return Outcome::Refused(message),
    };
    let interpreter = match Interpreter::new(&model, built.claim.as_ref()) {
        Ok(interpreter) => interpreter,
        Err(message) => return Outcome::Skipped(format!("the interpreter refuses the model: {message}")),
    };
    if !built.read_hidden.is_empty() {
        return Outcome::Skipped("hidden variables are read".to_owned());
    }
    let Some((states, kinds)) = explore(&interpreter, MOST_STATES) else {
        return Outcome::Skipped("too many states".to_owned());
    };
    let mut differences = finite_runs(text, states, &kinds, ways);
    let mut cycles = false;
    for infinite in [Infinite::Acceptance, Infinite::NonProgress] {
        if infinite.matters(text, &built) {
            cycles = true;
            differences.extend(infinite_runs(text, &interpreter, infinite, ways));
        }
    }
    match differences.is_empty() {
        true => Outcome::Agreed(Agreement { kinds, states, cycles }),
        false => Outcome::Disagreed(differences),
    }
}

/// The model, and its machine without any simplification.
fn parsed(text: &str) -> Result<(ast::Model, Built), String> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", text, &mut no_files, &mut sources, &mut found);
    let options = BuildOptions { claim: ClaimSelection::FromFile, ..BuildOptions::default() };
    let built = model.and_then(|model| {
        let built = build(&model, &options, &mut sources, &mut found)?;
        Some((model, built))
    });
    let message = || {
        found
            .iter()
            .find(|diagnostic| diagnostic.severity == Severity::Error)
            .map_or_else(String::new, |error| error.message.clone())
    };
    built.filter(|_| !found.has_errors()).ok_or_else(message)
}

/// A way of searching.
pub(super) type Way = (&'static str, fn(&mut Request));

/// Every way; the first is the default.
pub(super) const WAYS: &[Way] = &[
    ("default", |_| {}),
    ("--optimize none", |request| request.search.optimize = Optimize::None),
    ("--reduction none", |request| request.search.reduction = Some(Reduction::None)),
    ("--search dfs", |request| request.search.kind = SearchKind::Dfs),
    ("--search bfs", |request| request.search.kind = SearchKind::Bfs),
    ("--unbounded", |request| request.bounds.unbounded = true),
    ("--unbounded --reduction none", |request| {
        request.bounds.unbounded = true;
        request.search.reduction = Some(Reduction::None);
    }),
    ("--store compact", |request| request.search.store = Store::Compact),
    ("--count-busy-wait", |request| request.search.count_busy_wait = true),
    ("--continue", |request| request.search.keep_going = true),
    (PLAIN, |request| {
        request.bounds.unbounded = true;
        request.search.kind = SearchKind::Dfs;
        request.search.optimize = Optimize::None;
        request.search.reduction = Some(Reduction::None);
        request.search.keep_going = true;
    }),
];

/// The way in which the machine explores the states that the interpreter explores.
const PLAIN: &str = "--unbounded --search dfs --optimize none --reduction none --continue";

/// What finite runs show, in every way.
fn finite_runs(text: &str, states: usize, kinds: &BTreeSet<ViolationKind>, ways: Ways) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, change) in ways.0 {
        let mut request = Request::default();
        request.properties.claims = Claims::First;
        request.properties.safety_only = true;
        change(&mut request);
        let answer = match answer(text, &request) {
            Ok(answer) => answer,
            Err(Refusal::Request { .. }) => continue,
            Err(refusal) => {
                differences.push(format!("{name}: {refusal}"));
                continue;
            }
        };
        let found: BTreeSet<ViolationKind> = answer.violations.iter().map(|violation| violation.kind).collect();
        let verdict = match answer.verdict {
            Verdict::Violated => !kinds.is_empty() && !found.is_empty() && found.is_subset(kinds),
            Verdict::Holds => kinds.is_empty(),
            // The interpreter explored everything: no limit was reached, and there is no bound.
            Verdict::HoldsWithinBound => false,
            Verdict::Inconclusive => true,
        };
        let all = !request.search.keep_going || answer.verdict == Verdict::Inconclusive || found == *kinds;
        if !verdict || !all {
            differences.push(format!("{name}: {:?} {found:?}; interpreter: {kinds:?}", answer.verdict));
        }
        let plain = *name == PLAIN && answer.verdict != Verdict::Inconclusive;
        if plain && answer.stats.states != states as u64 {
            differences.push(format!("{name}: {} states; interpreter: {states}", answer.stats.states));
        }
    }
    differences
}

/// A property of infinite runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Infinite {
    Acceptance,
    NonProgress,
}

impl Infinite {
    /// Whether the model has labels for it.
    fn matters(self, text: &str, built: &Built) -> bool {
        match self {
            Infinite::Acceptance => built.liveness || text.contains("accept"),
            Infinite::NonProgress => text.contains("progress") && built.claim.is_none(),
        }
    }

    fn option(self) -> &'static str {
        match self {
            Infinite::Acceptance => "--acceptance",
            Infinite::NonProgress => "--non-progress",
        }
    }

    /// Whether the interpreter finds a violation, if it can tell.
    fn violated(self, interpreter: &Interpreter) -> Option<bool> {
        let kind = match self {
            Infinite::Acceptance => CycleKind::Acceptance,
            Infinite::NonProgress => CycleKind::NonProgress,
        };
        let acceptance = self == Infinite::Acceptance;
        let properties = Properties { assertions: true, end_states: acceptance, reach: None, acceptance };
        let explored = find_cycles(interpreter, &properties, (kind, false), RunBound::NONE, MOST_JUDGE_STEPS);
        (explored.completion == Completion::Complete).then_some(!explored.findings.is_empty())
    }
}

/// Infinite runs, in every way. A model that is refused for this property is refused in every way.
fn infinite_runs(text: &str, interpreter: &Interpreter, infinite: Infinite, ways: Ways) -> Vec<String> {
    let option = infinite.option();
    let expected = infinite.violated(interpreter);
    let (mut differences, mut refused, mut answered) = (Vec::new(), 0, 0);
    for (name, change) in ways.0 {
        let mut request = Request::default();
        request.properties.claims = Claims::First;
        match infinite {
            Infinite::Acceptance => request.properties.acceptance = true,
            Infinite::NonProgress => request.properties.non_progress = true,
        }
        change(&mut request);
        match answer(text, &request) {
            Ok(answer) if answer.verdict == Verdict::Inconclusive => answered += 1,
            Ok(answer) => {
                answered += 1;
                let violated = answer.verdict == Verdict::Violated;
                if expected.is_some_and(|expected| expected != violated) {
                    differences.push(format!("{name} {option}: {:?}; interpreter: {expected:?}", answer.verdict));
                }
            }
            Err(Refusal::Request { .. }) => {}
            Err(Refusal::Model { .. }) => refused += 1,
            Err(refusal) => differences.push(format!("{name} {option}: {refusal}")),
        }
    }
    if refused > 0 && answered > 0 {
        differences.push(format!("{option}: {refused} ways refuse the model, {answered} do not"));
    }
    differences
}

/// The answer to a request, within a limit of states that no model reaches which the interpreter explored.
pub(super) fn answer(text: &str, request: &Request) -> Result<Answer, Refusal> {
    let model = load_text("model.pml", Language::Promela, text)?;
    let limits = Limits { states: Some(10 * MOST_STATES as u64), ..Limits::default() };
    verify(&model, request, &Budget::start(limits, Interrupt::new()), &mut Silent)
}
