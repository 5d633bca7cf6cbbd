//! Models that are not Promela: Boolean programs (`.bp`), pushdown systems (`.pds`), dynamic networks (`.dcps`) and nets
//! (`.spec`, `.tts`). Opening them, and the independent interpreters that replay their traces; the commands are beside this file.

pub mod check;
pub mod replay;
pub mod simulate;

use clap::ValueEnum;
use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::{BuildOptions, Built, LowerOptions, build, plain};
use selvedge_core::Trace;
use selvedge_core::trace::{TraceInput, TraceOptions};
use selvedge_nets::dcps::{self, DcpsMachine, DcpsOptions};
use selvedge_nets::net::{self, NetMachine, NetOptions};
use selvedge_nets::pds::{self, PdsMachine, PdsOptions};
use selvedge_nets::tts::{self, Tts};
use selvedge_source::{Diagnostic, Diagnostics, SourceMap};

use crate::args::{Dialect, Language, NetRunArgs, RecursiveRunArgs};
use crate::console::{Console, complain};
use crate::independent::Answer;
use crate::load::{self, Request};

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

/// Opens a model and shows its diagnostics. `None` if it cannot be used: then everything was said.
pub fn open(request: &Request<'_>, options: &Options, console: &Console) -> Option<Opened> {
    let text = match load::read(request.path) {
        Ok(text) => text,
        Err(error) => {
            complain(&format!("cannot read `{}`: {error}", request.path.display()));
            return None;
        }
    };
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let model = match load::language(request) {
        Some(Language::Pds) => open_pds(&request.shown, &text, options, &mut sources, &mut found),
        Some(Language::Dcps | Language::Spec | Language::Tts) if options.reach.is_some() => {
            complain("--reach needs labels, and a net has none: the file says what its target is");
            return None;
        }
        Some(Language::Dcps) => open_dcps(&request.shown, &text, options, &mut sources, &mut found),
        Some(Language::Spec) => open_spec(&request.shown, &text, options, &mut sources, &mut found),
        Some(Language::Tts) => open_tts(request, &text, options, &mut sources, &mut found),
        _ => open_bool(&request.shown, &text, options, &mut sources, &mut found),
    };
    load::show_diagnostics(&found, &sources, &request.shown, request.format, console);
    let sha256 = load::hash(&sources);
    Some(Opened { path: request.shown.clone(), sources, sha256, model: model? })
}

fn open_bool(
    path: &str,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Model> {
    let lower = LowerOptions { assertions: !options.no_assert, reach: options.reach.clone() };
    let build_options = BuildOptions { dialect: options.run.dialect.map(Into::into), lower };
    let built = build(path, text, &build_options, sources, found)?;
    let mut machine_options = MachineOptions { deadlock: options.deadlock, ..MachineOptions::default() };
    if let Some(limit) = options.run.stack_limit {
        machine_options.stack_limit = limit;
    }
    let machine = BoolMachine::new(built.program.clone(), sources, machine_options);
    Some(Model::Bool(Box::new(BoolModel { built, machine })))
}

fn open_pds(
    path: &str,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Model> {
    let file = sources.add(path, text);
    if options.reach.is_some() {
        let message = "--reach needs labels, and a pushdown system has none";
        found.push(Diagnostic::error_without_place(selvedge_nets::codes::MISSING, message).help("use `target STATE`"));
        return None;
    }
    let pds = pds::parse(file, text, found)?;
    let mut machine_options = PdsOptions { deadlock: options.deadlock, ..PdsOptions::default() };
    if let Some(limit) = options.run.stack_limit {
        machine_options.stack_limit = limit;
    }
    Some(Model::Pds(Box::new(PdsMachine::new(pds, sources, machine_options))))
}

fn open_dcps(
    path: &str,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Model> {
    let file = sources.add(path, text);
    let dcps = dcps::parse(file, text, found)?;
    let plain = DcpsOptions::default();
    let machine_options = DcpsOptions {
        deadlock: options.deadlock,
        fresh_switches: options.fresh_switches,
        stack_limit: options.run.stack_limit.unwrap_or(plain.stack_limit),
        thread_limit: options.run.nets.thread_limit.unwrap_or(plain.thread_limit),
        ..plain
    };
    Some(Model::Dcps(Box::new(DcpsMachine::new(dcps, sources, machine_options))))
}

fn net_options(options: &Options) -> NetOptions {
    let token_limit = options.run.nets.token_limit.unwrap_or(net::TOKEN_LIMIT);
    NetOptions { token_limit, deadlock: options.deadlock }
}

fn open_spec(
    path: &str,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Model> {
    let file = sources.add(path, text);
    let net = net::parse(file, text, found)?;
    let machine = NetMachine::new(net, sources, net_options(options));
    Some(Model::Net(Box::new(NetModel { machine, tts: None })))
}

/// A thread transition system; its property stands beside it in `X.prop` or `X.tts.prop`.
fn open_tts(
    request: &Request<'_>,
    text: &str,
    options: &Options,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Model> {
    let file = sources.add(&request.shown, text);
    let tts = tts::parse(file, text, found)?;
    let longer = |ending: &str| {
        let mut name = request.path.as_os_str().to_owned();
        name.push(ending);
        std::path::PathBuf::from(name)
    };
    let beside = [request.path.with_extension("prop"), longer(".prop")].into_iter().find(|path| path.is_file());
    let mut targets = Vec::new();
    if let Some(beside) = beside {
        let property = match load::read(&beside) {
            Ok(property) => property,
            Err(error) => {
                complain(&format!("cannot read `{}`: {error}", beside.display()));
                return None;
            }
        };
        let file = sources.add(beside.display().to_string(), property.clone());
        targets = tts::parse_property(file, &property, &tts, found)?;
    }
    let machine = NetMachine::new(tts.to_net(targets), sources, net_options(options));
    Some(Model::Net(Box::new(NetModel { machine, tts: Some(tts) })))
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

    /// The `input` of its traces.
    pub fn input(&self) -> TraceInput {
        TraceInput { path: self.path.clone(), language: self.language().to_owned(), sha256: self.sha256.clone() }
    }

    /// Whether the stack limit was in the way.
    pub fn was_cut(&self) -> bool {
        match &self.model {
            Model::Bool(model) => model.machine.was_cut(),
            Model::Pds(machine) => machine.was_cut(),
            Model::Dcps(machine) => machine.was_cut(),
            Model::Net(model) => model.machine.was_cut(),
        }
    }

    /// What the independent interpreter says about a trace.
    pub fn ask(&self, trace: &Trace) -> Answer {
        let result = match &self.model {
            Model::Bool(model) => {
                plain::replay(&model.built.ast, &self.sources, trace).map_err(|error| (error.step, error.reason))
            }
            Model::Pds(machine) => {
                pds::replay(machine.pds(), &self.sources, trace).map_err(|error| (error.step, error.reason))
            }
            Model::Dcps(machine) => {
                let fresh_switches = trace.options.fresh_switches;
                dcps::replay(machine.dcps(), &self.sources, trace, fresh_switches)
                    .map_err(|error| (error.step, error.reason))
            }
            Model::Net(model) => {
                net::replay(model.machine.net(), &self.sources, trace).map_err(|error| (error.step, error.reason))
            }
        };
        match result {
            Ok(()) => Answer::Agrees,
            Err((step, reason)) => Answer::Disagrees { step, reason },
        }
    }
}

/// The options that a trace has to remember.
pub fn trace_options(options: &Options) -> TraceOptions {
    let dialect = options.run.dialect.map(|dialect| selvedge_boolprog::Dialect::from(dialect).name().to_owned());
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
