//! The command line: one table of commands and options, with the text of `--help`.

pub mod about;
mod convert;
pub mod machine;
mod nets;
mod recursive;
mod request;
mod sequentialize;
pub mod swarm;
pub mod values;
mod view;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use selvedge_verify::Language;
use selvedge_verify::request::{Minimize, Optimize, Recheck, Reduction, SearchKind, Store};

pub use about::{CompletionsArgs, ConfigArgs, ExplainArgs, ManArgs, Shell};
pub use convert::{CertifyArgs, ConvertArgs};
pub use machine::MachineArgs;
pub use nets::{NetArgs, NetRunArgs};
pub use recursive::{RecursiveArgs, RecursiveRunArgs};
pub use sequentialize::SequentializeArgs;
pub use swarm::SwarmArgs;
pub use view::ViewArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0    no violation within what was asked
  1    a violation was found
  2    the input or the command line is wrong
  3    inconclusive: a limit or Ctrl-C ended the run
  4    nothing was checked: there was no property of any kind
  101  a defect of selvedge itself";

const EXAMPLES: &str = "\
Examples:
  selvedge check peterson.pml
  selvedge check peterson.pml --preemptions 2
  selvedge check peterson.pml --ltl '[] (ncrit <= 1)' --trace-out bug.json
  selvedge replay bug.json
  selvedge view bug.json
  selvedge simulate peterson.pml --seed 7
  selvedge swarm peterson.pml --time-limit 5m";

/// A model checker: searches the schedules of a concurrent model for violations, those with few context switches first,
/// and shows the simplest interleaving that leads to one.
#[derive(Debug, Parser)]
#[command(name = "selvedge", version, max_term_width = 80, after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Leave out `selvedge.toml` and the variables of the environment that set options
    #[arg(long, global = true, help_heading = "Configuration")]
    pub no_config: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search for violations, or show that there are none
    #[command(after_help = format!("{}\n\n{EXIT_CODES}", request::engines()))]
    Check(CheckArgs),
    /// Execute one run: random, chosen by you, or guided by a trace
    Simulate(SimulateArgs),
    /// Execute a saved trace again and say whether it still ends in the same violation
    Replay(ReplayArgs),
    /// Print the never claim (Büchi automaton) of the negated LTL formula
    Ltl(LtlArgs),
    /// Write the view of a saved trace: one HTML file with source, lanes, diagram and state
    View(ViewArgs),
    /// Print the sequential program that stands for a concurrent one with a bound on its rounds
    Sequentialize(SequentializeArgs),
    /// Write a dynamic network or a net in another format
    Convert(ConvertArgs),
    /// Check the proof that `check --certificate` wrote, without searching
    Certify(CertifyArgs),
    /// Run many different searches side by side, or write scripts that do so on a cluster
    #[command(after_help = EXIT_CODES)]
    Swarm(SwarmArgs),
    /// Tell the long story of a diagnostic's code or a kind of violation, with an example
    Explain(ExplainArgs),
    /// Show the value of each option and where it comes from: environment, `selvedge.toml` or default
    Config(ConfigArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print a page of the manual
    Man(ManArgs),
    /// Print the reference of all commands in Markdown
    #[command(hide = true)]
    Reference,
}

/// `selvedge check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Models to check, one after the other
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The language of the models [default: by the file's ending; .pml .prom .promela are
    /// Promela, .bp Boolean programs, .pds pushdown systems, .dcps dynamic networks, .spec Petri nets,
    /// .tts thread transition systems]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,

    #[command(flatten)]
    pub bounds: BoundArgs,

    /// Check this claim: the name of an `ltl` or `never` of the file, or a formula
    #[arg(long, value_name = "NAME|FORMULA", help_heading = "Properties", conflicts_with = "no_claim")]
    pub ltl: Option<String>,
    /// Report infinite runs that pass an `accept` label of a process again and again
    #[arg(long, help_heading = "Properties")]
    pub acceptance: bool,
    /// Report infinite runs that from some point on pass no `progress` label
    #[arg(long, help_heading = "Properties")]
    pub non_progress: bool,
    /// Of infinite runs, consider only those in which a process that can go on all the time goes on (weak fairness)
    #[arg(long, help_heading = "Properties")]
    pub fair: bool,
    /// Leave out the `never` claims and `ltl` formulas of the file
    #[arg(long, help_heading = "Properties")]
    pub no_claim: bool,
    /// Of a claim about infinite runs, check only what a finite run can show
    #[arg(long, help_heading = "Properties")]
    pub safety_only: bool,
    /// Is this label reachable? Written LABEL or PROCESS@LABEL
    #[arg(long, value_name = "LABEL", help_heading = "Properties")]
    pub reach: Option<String>,
    /// Do not report processes that are stuck (invalid end states)
    #[arg(long, help_heading = "Properties")]
    pub no_deadlock: bool,
    /// Do not report failed assertions
    #[arg(long, help_heading = "Properties")]
    pub no_assert: bool,

    /// `layered`: few switches first, each transition once; `dfs`, `bfs`: no bound, deep or near first; `spin`: the
    /// bounded depth-first search of Spin, for comparison
    #[arg(long, value_name = "KIND", default_value = "layered", help_heading = "Search",
          value_parser = values::choice::<SearchKind>())]
    pub search: SearchKind,
    /// Leave out schedules where no property can tell [default: por where that is sound, none with `--optimize none` or
    /// `--continue`]
    #[arg(long, value_name = "KIND", help_heading = "Search", value_parser = values::choice::<Reduction>())]
    pub reduction: Option<Reduction>,
    /// How states are remembered: whole, by a 64-bit hash, or by a few bits of an array. The last two may miss states
    /// and prove nothing
    #[arg(long, value_name = "KIND", default_value = "exact", help_heading = "Search",
          value_parser = values::choice::<Store>())]
    pub store: Store,
    /// Size of the array of `--store bitstate`, such as 64M [default: a quarter of --memory-limit]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Search")]
    pub bitstate_bytes: Option<u64>,
    /// Bits of that array for a state [default: 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Search")]
    pub hashes: Option<u32>,
    /// Choose the hash functions of a lossy store and the order of the search; without it the order is that of the model
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub seed: Option<u64>,
    /// Count a switch away from a spinning process (it goes round a loop that changes nothing others can see) as a
    /// preemption
    #[arg(long, help_heading = "Search")]
    pub count_busy_wait: bool,
    /// Of all runs to a violation, show the one that has least of this; the shortest of several
    #[arg(long, value_name = "WHAT", default_value = "preemptions", help_heading = "Search",
          value_parser = values::choice::<Minimize>())]
    pub minimize: Minimize,
    /// `safe`: simplify the model where no property can tell; `none`: plain semantics, with the
    /// states of `spin -o1 -o2 -o3`
    #[arg(long, value_name = "LEVEL", default_value = "safe", help_heading = "Search",
          value_parser = values::choice::<Optimize>())]
    pub optimize: Optimize,
    /// Check so many FILEs at once, each on a thread of its own; the answers come in the order of the FILEs
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Search",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: u32,
    /// Report every different violation, each with its run
    #[arg(long, help_heading = "Search")]
    pub all_violations: bool,
    /// Explore past violations, so that the figures are those of the whole model
    #[arg(long = "continue", help_heading = "Search")]
    pub keep_going: bool,

    /// Stop after this time, such as 30s, 5m or 2h
    #[arg(long, value_name = "TIME", value_parser = values::time, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Stop when the search holds this much memory, such as 512M or 4G [default: 3/4 of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Limits")]
    pub memory_limit: Option<u64>,
    /// Stop after so many states
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_states: Option<u64>,
    /// Do not follow runs beyond so many transitions
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_depth: Option<u64>,

    #[command(flatten)]
    pub recursive: RecursiveArgs,
    #[command(flatten)]
    pub nets: NetArgs,

    /// Check an answer without a violation again, by an interpreter that shares no code with the search
    #[arg(long, value_name = "HOW", default_value = "quick", help_heading = "Evidence",
          value_parser = values::choice::<Recheck>())]
    pub recheck: Recheck,

    /// Print one JSON object on stdout and nothing else there
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Save the run that leads to the violation; in a directory (DIR/), one file for each FILE
    #[arg(long, value_name = "F.json", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,
    /// Write the view of that run for a browser: one file with source, lanes, diagram and state; in a directory (DIR/), one
    /// for each FILE
    #[arg(long, value_name = "F.html", help_heading = "Output")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,

    /// Stop, as by Ctrl-C, when stdin ends: a swarm holds its searches by it
    #[arg(long, hide = true)]
    pub until_stdin_ends: bool,
}

/// What is bounded; one kind in a run.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct BoundArgs {
    /// At most N switches away from a process that could have gone on
    #[arg(long, value_name = "N", help_heading = "Bounds")]
    pub preemptions: Option<u32>,
    /// At most N switches, forced ones too
    #[arg(long, value_name = "N", help_heading = "Bounds")]
    pub switches: Option<u32>,
    /// Each process runs at most K times, in the order of their numbers
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "Bounds")]
    pub rounds: Option<u32>,
    /// Each thread of a dynamic network is activated with a switch number of at most K
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=10_000), help_heading = "Bounds")]
    pub thread_switches: Option<u32>,
    /// The same, with threads activated in the order of their switch numbers
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=10_000), help_heading = "Bounds")]
    pub strata: Option<u32>,
    /// Runs of at most N steps
    #[arg(long, value_name = "N", help_heading = "Bounds")]
    pub depth: Option<u32>,
    /// Every run
    #[arg(long, help_heading = "Bounds")]
    pub unbounded: bool,
    /// Without a bound, preemptions are bounded by 0, 1, 2, … until nothing new is found: stop at N
    #[arg(long, value_name = "N", help_heading = "Bounds")]
    pub max_bound: Option<u32>,
}

/// `selvedge simulate`
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The model; with --replay, where the trace's model is now
    #[arg(value_name = "FILE", required_unless_present = "replay")]
    pub file: Option<PathBuf>,
    /// The language of the model [default: by the file's ending]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,

    /// Start of the random choices: the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Run")]
    pub seed: u64,
    /// End the run after so many steps
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "Run")]
    pub steps: usize,
    /// Choose every step yourself
    #[arg(long, help_heading = "Run")]
    pub interactive: bool,
    /// Follow a saved trace (and go on from its end with --interactive)
    #[arg(long, value_name = "TRACE.json", help_heading = "Run")]
    pub replay: Option<PathBuf>,

    /// Processes that are stuck are no violation
    #[arg(long, help_heading = "Properties")]
    pub no_deadlock: bool,
    /// Failed assertions are no violation
    #[arg(long, help_heading = "Properties")]
    pub no_assert: bool,

    #[command(flatten)]
    pub recursive: RecursiveRunArgs,

    /// Print one JSON object on stdout and nothing else there
    #[arg(long, help_heading = "Output", conflicts_with = "interactive")]
    pub json: bool,
    /// Save the run
    #[arg(long, value_name = "F.json", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}

/// `selvedge replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A trace that `--trace-out` saved
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// The model, where it is not where the trace says
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}

/// `selvedge ltl`
#[derive(Debug, Args)]
pub struct LtlArgs {
    /// The formula, such as '[] (request -> <> granted)'
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    pub formula: String,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}

/// How the answer looks.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Print only the verdict: no run, no warnings, no progress
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
    /// Show every step of a long run
    #[arg(long, help_heading = "Output")]
    pub full: bool,
    /// Colours; `auto` also respects NO_COLOR
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: Color,
}

/// `--color`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Full,
    Short,
}
