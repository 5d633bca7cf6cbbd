//! Models that are not Promela: Boolean programs (`.bp`), pushdown systems (`.pds`), dynamic networks (`.dcps`) and nets
//! (`.spec`, `.tts`). What they are, and the independent interpreters that replay their traces; opening them and the commands are
//! beside this file.

pub mod answer;
pub mod check;
mod open;
pub mod replay;
pub mod simulate;

use clap::ValueEnum;
use selvedge_boolprog::Built;
use selvedge_boolprog::machine::BoolMachine;
use selvedge_core::trace::{TraceInput, TraceOptions};
use selvedge_core::{ReplayError, StopReason, Trace};
use selvedge_nets::dcps::DcpsMachine;
use selvedge_nets::net::NetMachine;
use selvedge_nets::pds::PdsMachine;
use selvedge_nets_syntax::tts::Tts;
use selvedge_source::SourceMap;

use crate::args::{Dialect, Language, NetRunArgs, RecursiveRunArgs};
use crate::load::{self, Request};

pub use open::open;

/// How to open a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--dialect` and `--stack-limit`.
    pub run: RecursiveRunArgs,
    /// Failed assertions are no violations.
    pub no_assert: bool,
    /// Stuck threads are a violation.
    pub deadlock: bool,
    /// `--reach`.
    pub reach: Option<String>,
    /// `--fresh-switches`.
    pub fresh_switches: bool,
}

/// A Boolean program.
pub struct BoolModel {
    /// Its tree and its lowered form.
    pub built: Built,
    /// Its interpreter.
    pub machine: BoolMachine,
}

/// What was read.
pub enum Model {
    /// A Boolean program.
    Bool(Box<BoolModel>),
    /// A pushdown system.
    Pds(Box<PdsMachine>),
    /// A dynamic network.
    Dcps(Box<DcpsMachine>),
    /// A net.
    Net(Box<NetModel>),
}

/// A net, or a thread transition system as one.
pub struct NetModel {
    /// Its interpreter.
    pub machine: NetMachine,
    /// The thread transition system that it was.
    pub tts: Option<Tts>,
}

/// A model that can be executed.
pub struct Opened {
    /// As shown to people.
    pub path: String,
    /// The file.
    pub sources: SourceMap,
    /// Its SHA-256.
    pub sha256: String,
    /// The model.
    pub model: Model,
}

/// Whether a file is in one of these languages.
pub fn reads(request: &Request<'_>) -> bool {
    load::language(request).is_some_and(is_one)
}

fn is_one(language: Language) -> bool {
    language != Language::Promela
}

/// The language that a trace says its model is in, if it is one of these.
pub fn language_of(trace: &Trace) -> Option<Language> {
    let language = Language::from_str(&trace.input.language, false).ok();
    language.filter(|language| is_one(*language))
}

impl Opened {
    /// Its language in JSON and traces.
    pub fn language(&self) -> &'static str {
        match &self.model {
            Model::Bool(_) => "bp",
            Model::Pds(_) => "pds",
            Model::Dcps(_) => "dcps",
            Model::Net(model) if model.tts.is_some() => "tts",
            Model::Net(_) => "spec",
        }
    }

    /// What to do when there is nothing to check in it.
    pub fn advice(&self) -> &'static str {
        match &self.model {
            Model::Bool(_) => {
                "to check something: write `assert(…)` or a label `ERROR` in the program, or use --reach LABEL or --deadlock"
            }
            Model::Pds(_) => "to check something: write `target STATE` in the file, or use --deadlock",
            Model::Dcps(_) => "to check something: write `target STATE` in the file",
            Model::Net(model) if model.tts.is_some() => {
                "to check something: write a `.prop` file beside the `.tts` file"
            }
            Model::Net(_) => "to check something: write `target` and a marking in the file",
        }
    }

    /// The `input` of its traces.
    pub fn input(&self) -> TraceInput {
        TraceInput { path: self.path.clone(), language: self.language().to_owned(), sha256: self.sha256.clone() }
    }

    /// The limit of the machine that was in the way, if one was.
    pub fn cut_by(&self) -> Option<StopReason> {
        match &self.model {
            Model::Bool(model) => model.machine.was_cut().then_some(StopReason::Stack),
            Model::Pds(machine) => machine.was_cut().then_some(StopReason::Stack),
            Model::Dcps(machine) => {
                let crowded = machine.was_crowded().then_some(StopReason::Threads);
                crowded.or_else(|| machine.was_cut().then_some(StopReason::Stack))
            }
            Model::Net(model) => model.machine.was_cut().then_some(StopReason::Tokens),
        }
    }

    /// Lets the judge of the model's language replay a trace.
    pub fn replay(&self, trace: &Trace) -> Result<(), ReplayError> {
        match &self.model {
            Model::Bool(model) => selvedge_boolprog_judge::replay(&model.built.ast, &self.sources, trace),
            Model::Pds(machine) => selvedge_nets_judge::pds::replay(machine.pds(), &self.sources, trace),
            Model::Dcps(machine) => selvedge_nets_judge::dcps::replay(machine.dcps(), &self.sources, trace),
            Model::Net(model) => selvedge_nets_judge::net::replay(model.machine.net(), &self.sources, trace),
        }
    }
}

/// The options that a trace has to remember.
pub fn trace_options(options: &Options) -> TraceOptions {
    let dialect = options.run.dialect.map(|dialect| selvedge_boolprog_syntax::Dialect::from(dialect).name().to_owned());
    let (reach, fresh_switches) = (options.reach.clone(), options.fresh_switches);
    TraceOptions { reach, dialect, fresh_switches, ..TraceOptions::default() }
}

/// What to build to execute a trace again.
pub fn options_of(trace: &Trace) -> Options {
    let dialect = trace.options.dialect.as_deref().and_then(|name| Dialect::from_str(name, false).ok());
    // A run cannot call deeper than it has steps.
    let steps = trace.steps.len() as u32 + 1;
    let values = trace.steps.iter().flat_map(|step| &step.changes.0).filter_map(|(_, value)| value.parse::<u32>().ok());
    let nets = NetRunArgs { thread_limit: Some(steps), token_limit: values.max() };
    let run = RecursiveRunArgs { dialect, stack_limit: Some(steps), nets };
    let (reach, fresh_switches) = (trace.options.reach.clone(), trace.options.fresh_switches);
    Options { run, no_assert: false, deadlock: true, reach, fresh_switches }
}
