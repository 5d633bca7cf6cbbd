//! What is asked of a model, as data: the command line, a language server and programs that embed Selvedge all fill in
//! a [`Request`]. Its options are declared here, each in one place ([`options`](crate::options)).

pub use crate::engine::Engine;
pub use selvedge_boolprog_syntax::Dialect;
use selvedge_core::Limits;

use crate::choice::Choice;
#[cfg(feature = "command-line")]
use crate::command_line::{choice, size};
use crate::options::{
    EVERYBODY, EXPLICIT, PROMELA, ROUND_BY_ROUND, STACKS, STEP_BY_STEP, SWITCH_NUMBERS, SYMBOLIC, THREADS, TOKENS,
    UNBOUNDED, options,
};

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

options! {
    /// What is bounded; one kind in a run.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    #[cfg_attr(feature = "command-line", group(multiple = false))]
    pub struct Bounds of bounds {
        /// Allow at most N preemptions: switches away from an enabled process
        #[arg(value_name = "N", help_heading = "Bounds")]
        pub preemptions: Option<u32> => "preemptions", EXPLICIT;
        /// Allow at most N context switches, forced ones included
        #[arg(value_name = "N", help_heading = "Bounds")]
        pub switches: Option<u32> => "switches", EXPLICIT;
        /// Run the processes round-robin, each at most K times
        #[arg(value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "Bounds")]
        pub rounds: Option<u32> => "rounds", ROUND_BY_ROUND;
        /// Allow each thread of a dynamic network at most K switches
        #[arg(value_name = "K", value_parser = clap::value_parser!(u32).range(0..=10_000), help_heading = "Bounds")]
        pub thread_switches: Option<u32> => "thread-switches", SWITCH_NUMBERS;
        /// Allow each thread at most K switches, with threads activated in the order of their switch numbers
        #[arg(value_name = "K", value_parser = clap::value_parser!(u32).range(0..=10_000), help_heading = "Bounds")]
        pub strata: Option<u32> => "strata", SWITCH_NUMBERS;
        /// Allow at most N steps
        #[arg(value_name = "N", help_heading = "Bounds")]
        pub depth: Option<u32> => "depth", EXPLICIT;
        /// Explore every run
        #[arg(help_heading = "Bounds")]
        pub unbounded: bool => "unbounded", UNBOUNDED;
        /// Stop increasing the bound on preemptions (0, 1, 2, …) at N
        #[arg(value_name = "N", help_heading = "Bounds")]
        pub max_bound: Option<u32> => "max-bound", STEP_BY_STEP;
    }
}

options! {
    /// What is checked; by default the properties of the file, assertions and deadlocks.
    #[derive(Clone, Debug, Default)]
    pub struct Properties of properties {
        /// Report infinite runs that pass an `accept` label of a process infinitely often
        #[arg(help_heading = "Properties")]
        pub acceptance: bool => "acceptance", EXPLICIT;
        /// Report infinite runs that pass `progress` labels only finitely often
        #[arg(help_heading = "Properties")]
        pub non_progress: bool => "non-progress", EXPLICIT;
        /// Consider only weakly fair infinite runs: a process that stays enabled eventually runs
        #[arg(help_heading = "Properties")]
        pub fair: bool => "fair", EXPLICIT;
        /// Check only the part of a property that finite runs can violate
        #[arg(help_heading = "Properties")]
        pub safety_only: bool => "safety-only", PROMELA;
        /// Report a run that reaches this label, written LABEL or PROCESS@LABEL
        #[arg(value_name = "LABEL", help_heading = "Properties")]
        pub reach: Option<String> => "reach", EVERYBODY;
        /// Do not report deadlocks (invalid end states)
        #[arg(help_heading = "Properties")]
        pub no_deadlock: bool => "no-deadlock", EVERYBODY;
        /// Do not report failed assertions
        #[arg(help_heading = "Properties")]
        pub no_assert: bool => "no-assert", EVERYBODY;
    }
    besides {
        /// Which claims of a Promela model.
        pub claims: Claims;
        /// Threads that are stuck are a violation, in languages where they are not by default.
        pub deadlock: bool;
    }
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

options! {
    /// How the explicit engine searches.
    #[derive(Clone, Debug, Default)]
    pub struct Search of search {
        /// Choose the search: `layered` explores few switches first and each transition once; `dfs` and `bfs` are unbounded
        /// depth-first and breadth-first search; `spin` is the bounded depth-first search of Spin, for comparison
        #[arg(id = "search", value_name = "KIND", default_value = "layered", help_heading = "Search",
              value_parser = choice::<SearchKind>())]
        pub kind: SearchKind => "search", EXPLICIT;
        /// Skip schedules that no property can distinguish (partial-order reduction) [default: por where that is sound, none
        /// with `--optimize none` or `--continue`]
        #[arg(value_name = "KIND", help_heading = "Search", value_parser = choice::<Reduction>())]
        pub reduction: Option<Reduction> => "reduction", EXPLICIT;
        /// Choose how states are stored: exactly, as a 64-bit hash, or as a few bits of an array. The last two may miss
        /// states and prove nothing
        #[arg(value_name = "KIND", default_value = "exact", help_heading = "Search", value_parser = choice::<Store>())]
        pub store: Store => "store", EXPLICIT;
        /// Set the size of the array of `--store bitstate`, such as 64M [default: a quarter of --memory-limit]
        #[arg(value_name = "SIZE", value_parser = size, help_heading = "Search")]
        pub bitstate_bytes: Option<u64> => "bitstate-bytes", EXPLICIT;
        /// Set the number of bits per state in that array [default: 3]
        #[arg(value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Search")]
        pub hashes: Option<u32> => "hashes", EXPLICIT;
        /// Seed the hash functions of a lossy store and the search order [default: the order of the model]
        #[arg(value_name = "N", help_heading = "Search")]
        pub seed: Option<u64> => "seed", EXPLICIT;
        /// Count a switch away from a spinning process (one in a loop that changes nothing others can see) as a preemption
        #[arg(help_heading = "Search")]
        pub count_busy_wait: bool => "count-busy-wait", EXPLICIT;
        /// Show the violating run with the fewest of these, and the shortest of those; `none` shows the run as it was found
        #[arg(value_name = "WHAT", default_value = "preemptions", help_heading = "Search",
              value_parser = choice::<Minimize>())]
        pub minimize: Minimize => "minimize", EXPLICIT;
        /// Choose the optimisation: `safe` simplifies the model where no property can tell the difference; `none` is the
        /// plain semantics, with the states of `spin -o1 -o2 -o3`
        #[arg(value_name = "LEVEL", default_value = "safe", help_heading = "Search", value_parser = choice::<Optimize>())]
        pub optimize: Optimize => "optimize", PROMELA;
        /// Report every distinct violation, each with its run
        #[arg(help_heading = "Search")]
        pub all_violations: bool => "all-violations", EXPLICIT;
        /// Continue after violations, so that the statistics are those of the whole model
        #[arg(help_heading = "Search")]
        pub keep_going: bool => "continue", ROUND_BY_ROUND;
    }
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

options! {
    /// Options of the symbolic engine.
    #[derive(Clone, Debug, Default)]
    pub struct Symbolic of symbolic {
        /// Choose the symbolic analysis: `lazy` computes only the shared states that are reachable; `eager` guesses all of
        /// them and checks the guesses at the end; `pds` saturates one explicit pushdown system; `spds` a symbolic one
        /// [default: lazy]
        #[arg(value_name = "METHOD", help_heading = "Boolean programs and pushdown systems",
              value_parser = choice::<Analysis>())]
        pub analysis: Option<Analysis> => "analysis", SYMBOLIC;
        /// Print the shared states that are reachable within the bound
        #[arg(help_heading = "Boolean programs and pushdown systems")]
        pub print_reachable: bool => "print-reachable", SYMBOLIC;
        /// Print every location that lies on some run to a violation with the fewest rounds
        #[arg(help_heading = "Boolean programs and pushdown systems")]
        pub error_projection: bool => "error-projection", SYMBOLIC;
    }
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

options! {
    /// Options of the dynamic engine.
    #[derive(Clone, Debug, Default)]
    pub struct Dynamic of dynamic {
        /// Start new threads with switch number 0, so that each has K switches of its own; by default a thread starts with
        /// its creator's number plus one
        #[arg(help_heading = "Dynamic networks and nets")]
        pub fresh_switches: bool => "fresh-switches", SWITCH_NUMBERS;
        /// Choose the solver for the formulas of --strata: built-in, or an installed one [default: builtin]
        #[arg(value_name = "SOLVER", help_heading = "Dynamic networks and nets",
              value_parser = choice::<SolverName>())]
        pub solver: Option<SolverName> => "solver", SWITCH_NUMBERS;
    }
    besides {
        /// The certificate is wanted as a file.
        pub certificate: bool;
    }
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

options! {
    /// Limits of machines that execute models with stacks, threads or tokens state by state.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct MachineLimits of machine {
        /// Follow at most N nested calls [default: 32]
        #[arg(id = "stack_limit", value_name = "N", help_heading = "Boolean programs and pushdown systems",
              value_parser = clap::value_parser!(u32).range(1..=100_000))]
        pub stack: Option<u32> => "stack-limit", STACKS;
        /// Limit the threads of a dynamic network in explicit-state search [default: 4]
        #[arg(id = "thread_limit", value_name = "N", help_heading = "Dynamic networks and nets",
              value_parser = clap::value_parser!(u32).range(1..=100_000))]
        pub threads: Option<u32> => "thread-limit", THREADS;
        /// Limit the tokens in a place of a net in explicit-state search [default: 8]
        #[arg(id = "token_limit", value_name = "N", help_heading = "Dynamic networks and nets",
              value_parser = clap::value_parser!(u32).range(1..=100_000))]
        pub tokens: Option<u32> => "token-limit", TOKENS;
    }
}

impl Choice for Dialect {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Dialect::Getafix, "getafix", ""), (Dialect::Satabs, "satabs", ""), (Dialect::Bopp, "bopp", "")];
}
