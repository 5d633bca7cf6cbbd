//! Models: as they were loaded ([`LoadedModel`], a syntax tree), and ready to be executed for a request
//! ([`OpenModel`], a machine). The judges work on the syntax tree, the engines on what is made from it.

use selvedge_boolprog::lower::{LowerOptions, lower};
use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::program::Program;
use selvedge_core::trace::{TraceInput, TraceOptions};
use selvedge_core::{ReplayError, StopReason, Trace, ViolationKind};
use selvedge_nets::dcps::{DcpsMachine, DcpsOptions};
use selvedge_nets::net::{NetMachine, NetOptions, TOKEN_LIMIT};
use selvedge_nets::pds::{PdsMachine, PdsOptions};
use selvedge_nets_syntax::dcps::Dcps;
use selvedge_nets_syntax::net::Net;
use selvedge_nets_syntax::pds::Pds;
use selvedge_nets_syntax::tts::Tts;
use selvedge_promela::build::{BuildOptions, Built, ClaimSelection, build};
use selvedge_promela::machine;
use selvedge_promela_syntax::Setup;
use selvedge_source::{Cancel, Diagnostics, SourceMap};

use crate::choice::Choice;
use crate::language::Language;
use crate::refusal::Refusal;
use crate::request::{Claims, Dialect, MachineLimits, Minimize, Optimize, Request};

/// A model as it was loaded.
#[derive(Clone, Debug)]
pub struct LoadedModel {
    /// As shown to people.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Every file read.
    pub sources: SourceMap,
    /// SHA-256 of every file read, main file first.
    pub sha256: String,
    /// What is suspicious about its text.
    pub diagnostics: Diagnostics,
    /// The dialect that was asked for.
    pub(crate) dialect: Option<Dialect>,
    /// What the preprocessor started with.
    pub(crate) setup: Setup,
    pub(crate) syntax: Syntax,
}

/// The syntax tree of a model.
#[derive(Clone, Debug)]
pub(crate) enum Syntax {
    Promela(Box<selvedge_promela_syntax::ast::Model>),
    Bool(Box<selvedge_boolprog_syntax::ast::Program>),
    Pds(Box<Pds>),
    Dcps(Box<Dcps>),
    /// A net, or a thread transition system as one.
    Net {
        net: Box<Net>,
        tts: Option<Box<Tts>>,
    },
}

impl LoadedModel {
    /// The `input` of its traces.
    pub fn input(&self) -> TraceInput {
        let language = self.language.name().to_owned();
        TraceInput { path: self.path.clone(), language, sha256: self.sha256.clone() }
    }
}

/// What a machine has to know of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenOptions {
    /// The claim of a Promela model.
    pub claim: ClaimSelection,
    /// What is reported of a Promela model.
    pub properties: machine::Properties,
    /// Dead variables reset and statements merged.
    pub optimize: bool,
    /// Runs are measured in steps.
    pub keep_steps: bool,
    /// Every violation is reported, not the first one.
    pub every_violation: bool,
    /// A search without the claim has shown that nothing in the model is ever at fault.
    pub faultless: bool,
    /// Failed assertions are no violations.
    pub no_assert: bool,
    /// Stuck threads are a violation.
    pub deadlock: bool,
    /// The label that is not to be reached.
    pub reach: Option<String>,
    /// A new thread has the switch number 0.
    pub fresh_switches: bool,
    /// Of infinite runs, only weakly fair ones count.
    pub fair: bool,
    /// Limits of machines.
    pub limits: MachineLimits,
}

impl OpenOptions {
    /// For a check.
    pub(crate) fn for_check(request: &Request) -> Self {
        let asked = &request.properties;
        let properties = machine::Properties {
            assertions: !asked.no_assert,
            end_states: asked.reports_end_states(),
            reach: asked.reach.clone(),
            acceptance: asked.acceptance,
        };
        let claim = match &asked.claims {
            Claims::Each | Claims::First => ClaimSelection::FromFile,
            Claims::None => ClaimSelection::None,
            Claims::Chosen(text) => ClaimSelection::Chosen(text.clone()),
        };
        OpenOptions {
            claim,
            properties,
            optimize: request.search.optimize == Optimize::Safe,
            // A claim moves once for merged statements, so such a run can be shown only if another one is looked for.
            keep_steps: request.bounds.depth.is_some()
                || request.search.minimize == Minimize::None && asked.claims != Claims::None,
            every_violation: request.search.keep_going || request.search.all_violations,
            no_assert: asked.no_assert,
            deadlock: asked.deadlock,
            reach: asked.reach.clone(),
            fresh_switches: request.dynamic.fresh_switches,
            fair: asked.fair,
            limits: request.machine,
            faultless: false,
        }
    }

    /// To execute a trace again: every check is on that its violation needs.
    pub(crate) fn for_trace(trace: &Trace) -> Self {
        let claim = match &trace.options {
            TraceOptions { no_claim: true, .. } => ClaimSelection::None,
            TraceOptions { claim: Some(text), .. } => ClaimSelection::Chosen(text.clone()),
            _ => ClaimSelection::FromFile,
        };
        let kind = trace.violation.as_ref().map(|violation| violation.kind);
        let properties = machine::Properties {
            assertions: kind.is_none_or(|kind| kind == ViolationKind::Assertion),
            end_states: true,
            reach: trace.options.reach.clone(),
            acceptance: kind == Some(ViolationKind::AcceptanceCycle),
        };
        // A run cannot call deeper than it has steps.
        let steps = trace.steps.len() as u32 + 1;
        let values = trace.steps.iter().flat_map(|step| &step.changes.0);
        let tokens = values.filter_map(|(_, value)| value.parse::<u32>().ok()).max();
        OpenOptions {
            claim,
            properties,
            deadlock: true,
            reach: trace.options.reach.clone(),
            fresh_switches: trace.options.fresh_switches,
            limits: MachineLimits { stack: Some(steps), threads: Some(steps), tokens },
            ..OpenOptions::default()
        }
    }
}

/// A model that can be executed.
pub(crate) struct OpenModel {
    /// As shown to people.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Every file read, and the text of a formula that was chosen.
    pub sources: SourceMap,
    /// SHA-256 of every file read.
    pub sha256: String,
    /// What is suspicious about it.
    pub diagnostics: Diagnostics,
    /// The options that its traces have to remember.
    pub trace_options: TraceOptions,
    /// The model.
    pub executable: Executable,
}

/// A machine with what it was made from.
pub(crate) enum Executable {
    Promela(Box<PromelaModel>),
    Bool(Box<BoolModel>),
    Pds(Box<PdsMachine>),
    Dcps(Box<DcpsMachine>),
    Net(Box<NetModel>),
}

/// A Promela model.
pub(crate) struct PromelaModel {
    /// The syntax tree, for the judge.
    pub syntax: selvedge_promela_syntax::ast::Model,
    /// The machine.
    pub built: Built,
    /// What it was built for.
    pub options: BuildOptions,
}

/// A Boolean program.
pub(crate) struct BoolModel {
    /// The syntax tree, for the judge.
    pub syntax: selvedge_boolprog_syntax::ast::Program,
    /// The lowered form.
    pub program: Program,
    /// Its interpreter.
    pub machine: BoolMachine,
}

/// A net, or a thread transition system as one.
pub(crate) struct NetModel {
    /// Its interpreter.
    pub machine: NetMachine,
    /// Whether it was a thread transition system.
    pub is_tts: bool,
}

/// Makes a model executable.
pub(crate) fn open(model: &LoadedModel, options: &OpenOptions) -> Result<OpenModel, Refusal> {
    if let Some(help) = options.reach.as_ref().and(model.language.row().targets) {
        let message = format!("`{}`: --reach needs labels, and models in this language have none", model.path);
        return Err(Refusal::with_help(message, help));
    }
    let mut sources = model.sources.clone();
    let mut diagnostics = model.diagnostics.clone();
    let executable = executable(&model.syntax, options, &mut sources, &mut diagnostics);
    if diagnostics.cancel().was_cancelled() {
        return Err(Refusal::Cancelled);
    }
    let Some(executable) = executable else {
        return Err(Refusal::Model { path: model.path.clone(), diagnostics, sources });
    };
    Ok(OpenModel {
        path: model.path.clone(),
        language: model.language,
        sources,
        sha256: model.sha256.clone(),
        diagnostics,
        trace_options: trace_options(model, options),
        executable,
    })
}

/// Builds what a search executes. `None` when there were errors.
fn executable(
    syntax: &Syntax,
    options: &OpenOptions,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Executable> {
    match syntax {
        Syntax::Promela(syntax) => {
            let build_options = BuildOptions {
                claim: options.claim.clone(),
                properties: options.properties.clone(),
                optimize: options.optimize,
                keep_steps: options.keep_steps,
                every_violation: options.every_violation,
                faultless: options.faultless,
            };
            let built = build(syntax, &build_options, sources, diagnostics)?;
            let model = PromelaModel { syntax: (**syntax).clone(), built, options: build_options };
            Some(Executable::Promela(Box::new(model)))
        }
        Syntax::Bool(syntax) => {
            let lowering = LowerOptions { assertions: !options.no_assert, reach: options.reach.clone() };
            let program = lower(syntax, &lowering, diagnostics)?;
            let stack_limit = options.limits.stack.unwrap_or(MachineOptions::default().stack_limit);
            let machine_options = MachineOptions { deadlock: options.deadlock, stack_limit };
            let machine = BoolMachine::new(program.clone(), sources, machine_options);
            Some(Executable::Bool(Box::new(BoolModel { syntax: (**syntax).clone(), program, machine })))
        }
        Syntax::Pds(pds) => {
            let stack_limit = options.limits.stack.unwrap_or(PdsOptions::default().stack_limit);
            let machine_options = PdsOptions { deadlock: options.deadlock, stack_limit };
            Some(Executable::Pds(Box::new(PdsMachine::new((**pds).clone(), sources, machine_options))))
        }
        Syntax::Dcps(dcps) => {
            let standard = DcpsOptions::default();
            let machine_options = DcpsOptions {
                deadlock: options.deadlock,
                fresh_switches: options.fresh_switches,
                stack_limit: options.limits.stack.unwrap_or(standard.stack_limit),
                thread_limit: options.limits.threads.unwrap_or(standard.thread_limit),
                ..standard
            };
            Some(Executable::Dcps(Box::new(DcpsMachine::new((**dcps).clone(), sources, machine_options))))
        }
        Syntax::Net { net, tts } => {
            let token_limit = options.limits.tokens.unwrap_or(TOKEN_LIMIT);
            let machine_options = NetOptions { token_limit, deadlock: options.deadlock };
            let machine = NetMachine::new((**net).clone(), sources, machine_options);
            Some(Executable::Net(Box::new(NetModel { machine, is_tts: tts.is_some() })))
        }
    }
}

fn trace_options(model: &LoadedModel, options: &OpenOptions) -> TraceOptions {
    let reach = options.reach.clone();
    if model.language == Language::Promela {
        let claim = match &options.claim {
            ClaimSelection::Chosen(text) => Some(text.clone()),
            ClaimSelection::None | ClaimSelection::FromFile => None,
        };
        let no_claim = options.claim == ClaimSelection::None;
        return TraceOptions {
            claim,
            no_claim,
            reach,
            fair: options.fair,
            definitions: model.setup.definitions.iter().map(ToString::to_string).collect(),
            include_directories: model.setup.directories.iter().map(|path| path.display().to_string()).collect(),
            ..TraceOptions::default()
        };
    }
    let dialect = model.dialect.map(|dialect| Choice::name(dialect).to_owned());
    TraceOptions { reach, dialect, fresh_switches: options.fresh_switches, ..TraceOptions::default() }
}

impl OpenModel {
    /// The `input` of its traces.
    pub(crate) fn input(&self) -> TraceInput {
        let language = self.language.name().to_owned();
        TraceInput { path: self.path.clone(), language, sha256: self.sha256.clone() }
    }

    /// Whether it is a network or a net.
    pub(crate) fn is_net(&self) -> bool {
        matches!(self.executable, Executable::Dcps(_) | Executable::Net(_))
    }

    /// The limit of the machine that cut off runs, if one did.
    pub(crate) fn cut_by(&self) -> Option<StopReason> {
        match &self.executable {
            Executable::Promela(_) => None,
            Executable::Bool(model) => model.machine.was_cut().then_some(StopReason::Stack),
            Executable::Pds(machine) => machine.was_cut().then_some(StopReason::Stack),
            Executable::Dcps(machine) => {
                let threads = machine.reached_thread_limit().then_some(StopReason::Threads);
                threads.or_else(|| machine.was_cut().then_some(StopReason::Stack))
            }
            Executable::Net(model) => model.machine.was_cut().then_some(StopReason::Tokens),
        }
    }

    /// Lets the judge of the model's language replay a trace, unless that is cancelled.
    pub(crate) fn replay(&self, trace: &Trace, cancel: &Cancel) -> Result<(), ReplayError> {
        use selvedge_nets_judge::{dcps, net, pds};
        let sources = &self.sources;
        match &self.executable {
            Executable::Promela(model) => {
                let claim = model.built.claim.as_ref();
                selvedge_promela_judge::replay_until(&model.syntax, claim, sources, trace, cancel)
            }
            Executable::Bool(model) => selvedge_boolprog_judge::replay_until(&model.syntax, sources, trace, cancel),
            Executable::Pds(machine) => pds::replay_until(machine.pds(), sources, trace, cancel),
            Executable::Dcps(machine) => dcps::replay_until(machine.dcps(), sources, trace, cancel),
            Executable::Net(model) => net::replay_until(model.machine.net(), sources, trace, cancel),
        }
    }

    /// What to do where there is no property.
    pub(crate) fn advice(&self) -> &'static str {
        match &self.executable {
            Executable::Promela(_) => {
                "to check something: write `assert(…)` or an `ltl` formula in the model, or use --ltl 'FORMULA' or \
                 --reach LABEL"
            }
            Executable::Bool(_) => {
                "to check something: write `assert(…)` or a label `ERROR` in the program, or use --reach LABEL or \
                 --deadlock"
            }
            Executable::Pds(_) => "to check something: write `target STATE` in the file, or use --deadlock",
            Executable::Dcps(_) => "to check something: write `target STATE` in the file",
            Executable::Net(model) if model.is_tts => {
                "to check something: write a `.prop` file next to the `.tts` file"
            }
            Executable::Net(_) => "to check something: write `target` and a marking in the file",
        }
    }
}
