//! What is asked of a model, as data: the command line, a language server and programs that embed Selvedge all fill in
//! a [`Request`]. Which engine accepts which part of it is in [`table`](crate::table).

pub use selvedge_boolprog_syntax::Dialect;
use selvedge_core::Limits;

use crate::choice::Choice;

/// What to do with a model. The default is what `selvedge check FILE` does.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The engine; chosen by model and options if nothing is said.
    pub engine: Option<Engine>,
    /// What is bounded; one kind in a run.
    pub bounds: Bounds,
    /// What is checked.
    pub properties: Properties,
    /// How the explicit engine searches.
    pub search: Search,
    /// Options of the symbolic engine.
    pub symbolic: Symbolic,
    /// Options of the dynamic engine.
    pub dynamic: Dynamic,
    /// Limits of machines that execute models with stacks, threads or tokens state by state.
    pub machine: MachineLimits,
    /// What the run may use.
    pub limits: Limits,
    /// How an answer without a violation is checked independently.
    pub recheck: Recheck,
}

/// How an answer without a violation is checked by something independent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recheck {
    /// Not at all.
    None,
    /// With a small part of the search's own work.
    #[default]
    Quick,
    /// Completely where that is possible, with much work otherwise.
    Full,
}

impl Choice for Recheck {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Recheck::None, "none", ""),
        (Recheck::Quick, "quick", "with at most a tenth of the search's own work"),
        (Recheck::Full, "full", "completely, where the independent interpreter can explore the model"),
    ];
}

/// The engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// State by state.
    Explicit,
    /// Decision diagrams.
    Symbolic,
    /// Threads without limit.
    Dynamic,
}

impl Choice for Engine {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Engine::Explicit, "explicit", "Explicit-state search, with calls up to --stack-limit"),
        (Engine::Symbolic, "symbolic", "Decision diagrams, unlimited calls, round by round: the default"),
        (
            Engine::Dynamic,
            "dynamic",
            "Unlimited threads: the default for dynamic networks, nets, and programs that create threads without \
             limit",
        ),
    ];
}

/// What is bounded; one kind in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Switches away from a process that is enabled.
    pub preemptions: Option<u32>,
    /// All switches.
    pub switches: Option<u32>,
    /// Contexts of each thread, round-robin.
    pub rounds: Option<u32>,
    /// Switches of each thread, threads created dynamically.
    pub thread_switches: Option<u32>,
    /// The same, in order of the threads' switch numbers.
    pub strata: Option<u32>,
    /// Steps of the run.
    pub depth: Option<u32>,
    /// Nothing is bounded.
    pub unbounded: bool,
    /// Where raising the bound step by step ends.
    pub max_bound: Option<u32>,
}

/// What is checked.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    /// Which claims of a Promela model.
    pub claims: Claims,
    /// Infinite runs that pass an `accept` label again and again.
    pub acceptance: bool,
    /// Infinite runs that from some point on pass no `progress` label.
    pub non_progress: bool,
    /// Of infinite runs, only weakly fair ones count.
    pub fair: bool,
    /// Of a claim about infinite runs, only what finite runs show.
    pub safety_only: bool,
    /// This label is not to be reached.
    pub reach: Option<String>,
    /// Invalid end states of a Promela model are no violation.
    pub no_deadlock: bool,
    /// Failed assertions are no violation.
    pub no_assert: bool,
    /// Threads that are stuck are a violation, in languages where they are not by default.
    pub deadlock: bool,
}

/// Which claims of a Promela model are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Claims {
    /// Every one that the file states, each in a search of its own.
    #[default]
    Each,
    /// The first one that the file states, in one search with everything else.
    First,
    /// None.
    None,
    /// The one of this name, or this formula, in one search with everything else.
    Chosen(String),
}

impl Properties {
    /// Whether invalid end states of a Promela model are violations. A search for non-progress cycles is about infinite
    /// runs only, as in Spin.
    pub(crate) fn reports_end_states(&self) -> bool {
        !self.no_deadlock && !self.non_progress
    }
}

/// How the explicit engine searches.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The algorithm.
    pub kind: SearchKind,
    /// Whether schedules that no property can distinguish are skipped; by default where that is sound.
    pub reduction: Option<Reduction>,
    /// How states are remembered.
    pub store: Store,
    /// Size of the array of [`Store::Bitstate`].
    pub bitstate_bytes: Option<u64>,
    /// Bits of that array for a state.
    pub hashes: Option<u32>,
    /// Chooses hash functions and the order of the search.
    pub seed: Option<u64>,
    /// A switch away from a busy-waiting process is a preemption too.
    pub count_busy_wait: bool,
    /// What the run that is shown has least of.
    pub minimize: Minimize,
    /// How the model is simplified.
    pub optimize: Optimize,
    /// Every different violation is reported, each with its run.
    pub all_violations: bool,
    /// Violations do not end the search.
    pub keep_going: bool,
}

/// The algorithm of the explicit engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchKind {
    /// Few switches first, each transition once.
    #[default]
    Layered,
    /// Depth first, no bound.
    Dfs,
    /// Breadth first, no bound.
    Bfs,
    /// The bounded depth-first search of Spin.
    Spin,
}

impl Choice for SearchKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (SearchKind::Layered, "layered", ""),
        (SearchKind::Dfs, "dfs", ""),
        (SearchKind::Bfs, "bfs", ""),
        (SearchKind::Spin, "spin", ""),
    ];
}

/// Whether schedules that no property can distinguish are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Every schedule.
    None,
    /// Partial-order reduction.
    Por,
}

impl Choice for Reduction {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Reduction::None, "none", ""), (Reduction::Por, "por", "")];
}

/// How states are remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Store {
    /// Whole.
    #[default]
    Exact,
    /// By a 64-bit hash.
    Compact,
    /// By a few bits of an array.
    Bitstate,
}

impl Choice for Store {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Store::Exact, "exact", ""), (Store::Compact, "compact", ""), (Store::Bitstate, "bitstate", "")];
}

/// What the run that is shown has least of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Minimize {
    /// Preemptions.
    #[default]
    Preemptions,
    /// Switches.
    Switches,
    /// Steps.
    Length,
    /// Nothing: the run is shown as it was found.
    None,
}

impl Choice for Minimize {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Minimize::Preemptions, "preemptions", ""),
        (Minimize::Switches, "switches", ""),
        (Minimize::Length, "length", ""),
        (Minimize::None, "none", ""),
    ];
}

/// How a Promela model is simplified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimize {
    /// Not at all: the plain semantics.
    None,
    /// Simplifications that no property can distinguish.
    #[default]
    Safe,
}

impl Choice for Optimize {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Optimize::None, "none", ""), (Optimize::Safe, "safe", "")];
}

/// Options of the symbolic engine.
#[derive(Clone, Debug, Default)]
pub struct Symbolic {
    /// The analysis; lazy if nothing is said.
    pub analysis: Option<Analysis>,
    /// List the shared states that are reachable within the bound.
    pub print_reachable: bool,
    /// List every location on some run to a violation.
    pub error_projection: bool,
}

/// How the symbolic engine analyses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Analysis {
    /// Only what the threads really hand to each other.
    #[default]
    Lazy,
    /// Every guess of it, checked in the end.
    Eager,
    /// One pushdown system, state by state.
    Pds,
    /// One symbolic pushdown system.
    Spds,
}

impl Choice for Analysis {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Analysis::Lazy, "lazy", ""),
        (Analysis::Eager, "eager", ""),
        (Analysis::Pds, "pds", ""),
        (Analysis::Spds, "spds", ""),
    ];
}

/// Options of the dynamic engine.
#[derive(Clone, Debug, Default)]
pub struct Dynamic {
    /// A new thread has the switch number 0.
    pub fresh_switches: bool,
    /// The certificate is wanted as a file.
    pub certificate: bool,
    /// The solver for the formulas of strata; the built-in one if nothing is said.
    pub solver: Option<SolverName>,
}

/// A solver for the formulas of strata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverName {
    /// The one that is built in.
    Builtin,
    /// z3, if it is installed.
    Z3,
    /// cvc5, if it is installed.
    Cvc5,
}

impl Choice for SolverName {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(SolverName::Builtin, "builtin", ""), (SolverName::Z3, "z3", ""), (SolverName::Cvc5, "cvc5", "")];
}

/// Limits of machines that execute models with stacks, threads or tokens state by state.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachineLimits {
    /// Calls inside each other.
    pub stack: Option<u32>,
    /// Threads of a network.
    pub threads: Option<u32>,
    /// Tokens in a place.
    pub tokens: Option<u32>,
}

impl Choice for Dialect {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Dialect::Getafix, "getafix", ""), (Dialect::Satabs, "satabs", ""), (Dialect::Bopp, "bopp", "")];
}
