//! The command line: one table of commands and options, with the text of `--help`. The options of a check that a program
//! can give as well are declared in [`selvedge_verify::request`].

mod boolprog;
mod convert;
pub mod docgen;
mod include;
mod nets;
mod properties;
pub mod reports;
mod request;
mod save;
mod sequentialize;
pub mod swarm;
mod view;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use selvedge_verify::Language;
use selvedge_verify::command_line as values;
use selvedge_verify::request::{Bounds, Recheck, Search};

pub use boolprog::{BoolProgArgs, BoolProgRunArgs};
pub use convert::{CertifyArgs, ConvertArgs};
pub use docgen::{CompletionsArgs, ConfigArgs, ExplainArgs, ManArgs, Shell};
pub use include::{DefinitionArgs, IncludeArgs};
pub use nets::NetArgs;
pub use properties::PropertyArgs;
pub use reports::ReportArgs;
pub use save::SaveArgs;
pub use sequentialize::SequentializeArgs;
pub use swarm::SwarmArgs;
pub use view::ViewArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0    no violation within the requested bound
  1    a violation was found
  2    the input or the command line is wrong
  3    inconclusive: a limit or Ctrl-C stopped the search
  4    nothing was checked: there was no property of any kind
  101  a bug in selvedge itself";

const EXAMPLES: &str = "\
Examples:
  selvedge check peterson.pml
  selvedge check peterson.pml --preemptions 2
  selvedge check peterson.pml --ltl '[] (ncrit <= 1)' --trace-out bug.json
  selvedge replay bug.json
  selvedge view bug.json
  selvedge simulate peterson.pml --seed 7
  selvedge swarm peterson.pml --time-limit 5m";

/// Check concurrent models: explore their schedules, those with few context switches first, and show the simplest
/// interleaving that leads to a violation.
#[derive(Debug, Parser)]
#[command(name = "selvedge", version, max_term_width = 80, after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Ignore `selvedge.toml` and environment variables that set options
    #[arg(long, global = true, help_heading = "Configuration")]
    pub no_config: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search for violations, or prove that there are none
    #[command(after_help = format!("{}\n\n{EXIT_CODES}", request::engines()))]
    Check(CheckArgs),
    /// Execute one run: random, interactive, or following a trace
    Simulate(SimulateArgs),
    /// Replay a saved trace and report whether it still ends in the same violation
    Replay(ReplayArgs),
    /// Print the never claim (Büchi automaton) of a negated LTL formula
    Ltl(LtlArgs),
    /// Render a saved trace as one HTML file with source, lanes, diagram and state
    View(ViewArgs),
    /// Print a sequential program equivalent to a concurrent one within a bound on its rounds
    Sequentialize(SequentializeArgs),
    /// Convert a dynamic network or a net to another format
    Convert(ConvertArgs),
    /// Verify a certificate that `check --certificate` wrote, without searching
    Certify(CertifyArgs),
    /// Run many different searches in parallel, or write scripts that do so on a cluster
    #[command(after_help = EXIT_CODES)]
    Swarm(SwarmArgs),
    /// Explain a diagnostic code or a kind of violation, with an example
    Explain(ExplainArgs),
    /// Show the value of each option and where it comes from: environment, `selvedge.toml` or default
    Config(ConfigArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Print a manual page
    Man(ManArgs),
    /// Print the reference of all commands in Markdown
    #[command(hide = true)]
    Reference,
}

/// `selvedge check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Check these models; `-` is standard input, which is Promela unless --language says otherwise
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Set the language of the models [default: by file extension; .pml .prom .promela are
    /// Promela, .bp Boolean programs, .pds pushdown systems, .dcps dynamic networks, .spec Petri nets,
    /// .tts thread transition systems]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,
    #[command(flatten)]
    pub definitions: DefinitionArgs,
    #[command(flatten)]
    pub include: IncludeArgs,

    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub properties: PropertyArgs,
    #[command(flatten)]
    pub search: Search,
    /// Check N files in parallel; answers are printed in the order of the files
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Search",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: u32,

    /// Stop after this time, such as 30s, 5m or 2h
    #[arg(long, value_name = "TIME", value_parser = values::time, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Stop when the search uses this much memory, such as 512M or 4G [default: 3/4 of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Limits")]
    pub memory_limit: Option<u64>,
    /// Stop after N states
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_states: Option<u64>,
    /// Do not follow runs beyond N transitions
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_depth: Option<u64>,

    #[command(flatten)]
    pub boolprog: BoolProgArgs,
    #[command(flatten)]
    pub nets: NetArgs,

    /// Recheck an answer without a violation by an interpreter that shares no code with the search
    #[arg(long, value_name = "HOW", default_value = "quick", help_heading = "Evidence",
          value_parser = values::choice::<Recheck>())]
    pub recheck: Recheck,

    /// Print one JSON object on stdout instead of text; one line per model if there are several
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Save the trace of the violation; in a directory (DIR/), one file per model
    #[arg(long, value_name = "F.json", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,
    /// Write a web page that shows the trace: one file with source, lanes, diagram and state; in a directory (DIR/), one
    /// per model
    #[arg(long, value_name = "F.html", help_heading = "Output")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub save: SaveArgs,
    #[command(flatten)]
    pub reports: ReportArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Show diagnostics with the source underlined, or diagnostics and violations on one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,

    /// Stop, as by Ctrl-C, when stdin ends: a swarm controls its searches by it
    #[arg(long, hide = true)]
    pub until_stdin_ends: bool,
}

/// `selvedge simulate`
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// Run this model, `-` for standard input; with --replay, the current path of the trace's model
    #[arg(value_name = "FILE", required_unless_present = "replay")]
    pub file: Option<PathBuf>,
    /// Set the language of the model [default: by file extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = values::choice::<Language>())]
    pub language: Option<Language>,
    #[command(flatten)]
    pub definitions: DefinitionArgs,
    #[command(flatten)]
    pub include: IncludeArgs,

    /// Seed the random choices: the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Run")]
    pub seed: u64,
    /// End the run after N steps
    #[arg(long, value_name = "N", default_value_t = 1000, help_heading = "Run")]
    pub steps: usize,
    /// Choose every step yourself
    #[arg(long, help_heading = "Run")]
    pub interactive: bool,
    /// Follow a saved trace (and continue from its end with --interactive)
    #[arg(long, value_name = "TRACE.json", help_heading = "Run")]
    pub replay: Option<PathBuf>,

    /// Do not report deadlocks (invalid end states)
    #[arg(long, help_heading = "Properties")]
    pub no_deadlock: bool,
    /// Do not report failed assertions
    #[arg(long, help_heading = "Properties")]
    pub no_assert: bool,

    #[command(flatten)]
    pub boolprog: BoolProgRunArgs,

    /// Print one JSON object on stdout instead of text
    #[arg(long, help_heading = "Output", conflicts_with = "interactive")]
    pub json: bool,
    /// Save the trace of the run
    #[arg(long, value_name = "F.json", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Show diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}

/// `selvedge replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Replay the trace that `--trace-out` saved
    #[arg(value_name = "TRACE.json")]
    pub trace: PathBuf,
    /// Set the path of the model, `-` for standard input [default: the path in the trace]
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub include: IncludeArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Show diagnostics with the source underlined, or one line each for editors
    #[arg(long, value_name = "FORMAT", default_value = "full", help_heading = "Output")]
    pub format: Format,
}

/// `selvedge ltl`
#[derive(Debug, Args)]
pub struct LtlArgs {
    /// Translate this formula, such as '[] (request -> <> granted)'
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    pub formula: String,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Show diagnostics with the source underlined, or one line each for editors
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
    /// Choose when to use colours; `auto` also respects NO_COLOR
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
