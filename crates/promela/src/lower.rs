//! From the syntax tree to a [`Program`]: names resolved, types and arities checked, statements
//! laid out as transitions. Reports as many mistakes as it can in one run.

mod bodies;
mod claims;
pub mod codes;
mod declare;
mod declared;
mod expr;
mod granted;
mod graph;
mod hidden;
mod independence;
mod initial;
mod layout;
mod lint;
mod local;
mod optimize;
mod reference;
mod remote;
mod rendezvous;
pub(crate) mod restrict;
mod safe;
mod sequence;
mod spinning;
mod statements;
mod stmt;
mod sugar;
mod table;
mod timeouts;
mod touches;
mod types;
mod uses;
mod visit;

use std::collections::{HashMap, HashSet};

use selvedge_source::{Cancel, Diagnostic, Diagnostics, SourceMap, Span};

use crate::exclusive::Exclusive;
use crate::independence::Independence;
use crate::program::{Base, ChanSlot, ChanSpec, Ex, Header, Place, Program, ProtoId, Scalar};
use crate::reached::{Assertions, Mark};
use crate::safety::Safety;
use crate::spinning::Spinning;
use graph::{Builder, Graph};
pub use hidden::Hidden;
use selvedge_promela_syntax::ast;
use types::{CHANNEL_RANK, STRUCTURE_RANK, Types, Variable};

/// Which claim is in force.
#[derive(Clone, Debug, Default)]
pub enum ClaimChoice<'a> {
    /// No claim.
    #[default]
    None,
    /// This one.
    Claim(&'a ast::Claim),
}

/// How the model is lowered.
#[derive(Clone, Debug, Default)]
pub struct LowerOptions<'a> {
    /// The claim in force.
    pub claim: ClaimChoice<'a>,
    /// Dead variables reset and statements merged where no property can tell.
    pub optimize: bool,
    /// Statements are not merged: a property looks at control states between steps, or runs are measured.
    pub keep_steps: bool,
    /// The claim may count steps: statements are not merged, and no step goes unnoticed.
    pub counts_steps: bool,
    /// Hidden variables are no part of the state even if they are read, as in Spin.
    pub hide_as_spin: bool,
    /// What statements may be at fault for.
    pub faults: Faults,
}

/// What the statements of a model may be at fault for. Beside a claim a fault is seen only as long as the claim can continue, so
/// that reduction has to keep every step in front of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Faults {
    /// Runtime errors and failed assertions.
    #[default]
    All,
    /// Runtime errors: failed assertions are not reported.
    ButAssertions,
    /// Nothing: a search has shown that there is no fault.
    None,
}

/// Lowers a model. `None` when there were errors.
pub fn lower(
    model: &ast::Model,
    options: &LowerOptions<'_>,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Lowered> {
    let reveal = !options.hide_as_spin && hidden::declares_hidden(model);
    if !reveal && !options.optimize {
        return Lowerer::new(sources, diagnostics).model(model, options);
    }
    // Which variables matter is known when everything was read; where they are comes first.
    let trial = Lowerer::new(sources, &mut diagnostics.new_with_same_cancel()).model(model, options);
    let mut lowerer = Lowerer::new(sources, diagnostics);
    if let Some(trial) = trial {
        lowerer.in_state = if reveal { trial.read_hidden } else { Vec::new() };
        lowerer.dropped = if options.optimize { trial.without_effect.into_iter().collect() } else { HashSet::new() };
    }
    let mut lowered = lowerer.model(model, options)?;
    if reveal {
        lowered.read_hidden.clear();
    }
    Some(lowered)
}

/// A lowered model and what was learned on the way.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Hidden variables that are read and are no part of the state.
    pub read_hidden: Vec<Hidden>,
    /// Global variables whose values change nothing.
    without_effect: Vec<String>,
}

/// What is known so far.
pub(crate) struct Lowerer<'a> {
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
    types: Types,
    specs: Vec<ChanSpec>,
    variables: Vec<Variable>,
    /// Innermost last; the first is the global scope.
    scopes: Vec<HashMap<String, usize>>,
    proto_names: HashMap<String, ProtoId>,
    proto_spans: Vec<Span>,
    param_counts: Vec<usize>,
    proto_locals: Vec<HashMap<String, usize>>,
    remote_requests: Vec<(ProtoId, ast::Ident)>,
    builder: Builder,
    /// The process (or global scope) whose declarations are being read.
    frame: Frame,
    uses_last: bool,
    uses_timeout: bool,
    uses_run: bool,
    uses_priority: bool,
    /// Where `enabled` is used.
    uses_enabled: Option<Span>,
    uses_unless: bool,
    /// Index of the top-level item being read.
    item: usize,
    in_claim: bool,
    in_events: bool,
    in_d_step: bool,
    whole_array_allowed: bool,
    /// The next statement is the first of an option.
    else_allowed: bool,
    assertions: Assertions,
    /// Hidden variables that are part of the state.
    in_state: Vec<Hidden>,
    /// Globals that are no part of the state, since nothing depends on them.
    dropped: HashSet<String>,
    /// Variables declared as rendezvous channels that are polled, and where.
    polled: Vec<(usize, Span)>,
}

/// Where declarations go.
#[derive(Default)]
struct Frame {
    local: bool,
    size: u32,
    /// Initialisers with their rank.
    init: Vec<(u8, Place, Ex)>,
    chans: Vec<(ChanSlot, u32)>,
    channel_bytes: u64,
    /// Channels of global structures: Spin numbers them after those of all other globals.
    structure_chans: Vec<(ChanSlot, u32)>,
    declared: Vec<usize>,
    /// `xr` and `xs`.
    exclusive: Vec<Exclusive>,
}

impl<'a> Lowerer<'a> {
    fn new(sources: &'a SourceMap, diagnostics: &'a mut Diagnostics) -> Self {
        Lowerer {
            sources,
            diagnostics,
            types: Types::new(),
            specs: Vec::new(),
            variables: Vec::new(),
            scopes: vec![HashMap::new()],
            proto_names: HashMap::new(),
            proto_spans: Vec::new(),
            param_counts: Vec::new(),
            proto_locals: Vec::new(),
            remote_requests: Vec::new(),
            builder: Builder::default(),
            frame: Frame::default(),
            uses_last: false,
            uses_timeout: false,
            uses_run: false,
            uses_priority: false,
            uses_enabled: None,
            uses_unless: false,
            item: 0,
            in_claim: false,
            in_events: false,
            in_d_step: false,
            whole_array_allowed: false,
            else_allowed: false,
            assertions: Assertions::default(),
            in_state: Vec::new(),
            dropped: HashSet::new(),
            polled: Vec::new(),
        }
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn warn(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// The source text of a span; of a macro's use, its name.
    fn text(&self, span: Span) -> &'a str {
        self.sources.text(span)
    }

    /// Whether to give up: nothing that is made from here on is used.
    fn is_cancelled(&self) -> bool {
        self.diagnostics.cancel().asks()
    }

    fn lookup(&self, name: &str) -> Option<usize> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name).copied())
    }

    fn is_declared(&self, name: &str) -> bool {
        self.lookup(name).is_some()
    }

    fn visible_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.scopes.iter().flat_map(|s| s.keys().cloned()).collect();
        names.extend(self.types.symbols.keys().cloned());
        names.sort();
        names
    }

    fn model(mut self, model: &ast::Model, options: &LowerOptions<'_>) -> Option<Lowered> {
        self.declare_types(model);
        self.declare_processes(model);
        self.declare_globals(model);
        let globals = std::mem::take(&mut self.frame);
        let hidden = self.layout_globals(&globals);
        let mut protos = self.processes(model)?;
        let (claim, propositions) = match options.claim {
            ClaimChoice::Claim(claim) => (Some(self.claim(claim)), self.propositions(claim)),
            ClaimChoice::None => (None, Vec::new()),
        };
        let events = self.events(model);
        let remote_labels = self.resolve_remote_labels(&mut protos);
        lint::never_read(&mut self, &claims::ClaimReads::of(model));
        lint::polled_rendezvous(&mut self);
        let active = self.active(model);
        let mut program = Program { active, remote_labels, propositions, ..self.empty_program(&globals, hidden) };
        for proto in protos {
            if self.is_cancelled() {
                return None;
            }
            program.protos.push(self.finish(proto));
        }
        program.claim = claim.map(|claim| self.finish(claim));
        program.events = events.map(|events| self.finish_events(events));
        self.check_processes(model, &program);
        self.check_rendezvous(model, &program);
        self.check_timeouts(&program);
        if self.diagnostics.has_errors() || self.is_cancelled() {
            return None;
        }
        program.specs = std::mem::take(&mut self.specs);
        program.assertions = std::mem::take(&mut self.assertions);
        for proto in &mut program.protos {
            proto.executed = proto.actions.iter().map(Mark::of).collect();
        }
        program.mtypes = std::mem::take(&mut self.types.mtypes);
        program.checks_exclusive =
            program.claim.is_none() && program.protos.iter().any(|proto| !proto.exclusive.is_empty());
        program.uses_provided = program.protos.iter().any(|p| p.provided.is_some());
        self.layout(&mut program, &globals);
        let read_hidden = hidden::that_matter(&self, &program);
        let without_effect = hidden::without_effect(&self, &program);
        let in_state = std::mem::take(&mut self.in_state);
        hidden::warn(&mut self, &in_state, true);
        if options.hide_as_spin {
            hidden::warn(&mut self, &read_hidden, false);
        }
        complete(&mut program, options, self.diagnostics.cancel());
        Some(Lowered { program, read_hidden, without_effect })
    }

    /// Every process of the model; `None` if cancelled.
    fn processes(&mut self, model: &ast::Model) -> Option<Vec<Unfinished>> {
        let mut protos = Vec::new();
        for (index, item) in model.items.iter().enumerate() {
            if self.is_cancelled() {
                return None;
            }
            if let ast::Item::Process(process) = item {
                self.item = index;
                protos.push(self.process(process));
            }
        }
        self.item = usize::MAX;
        Some(protos)
    }

    /// A program without processes.
    fn empty_program(&self, globals: &Frame, hidden: u32) -> Program {
        Program {
            protos: Vec::new(),
            active: Vec::new(),
            claim: None,
            propositions: Vec::new(),
            events: None,
            specs: Vec::new(),
            chans: globals.chans.iter().chain(&globals.structure_chans).cloned().collect(),
            init: global_initialisers(globals),
            shown: self.shown(globals),
            mtypes: Vec::new(),
            remote_labels: Vec::new(),
            header: Header { hidden, ..Header::default() },
            uses_timeout: self.uses_timeout,
            uses_run: self.uses_run,
            uses_priority: self.uses_priority,
            uses_provided: false,
            uses_rendezvous: self.specs.iter().any(|s| s.capacity == 0),
            uses_unless: self.uses_unless,
            checks_exclusive: false,
            spinning: Spinning::default(),
            safety: Safety::default(),
            independence: Independence::default(),
            assertions: Assertions::default(),
        }
    }
}

/// Optimises a program and adds what searches ask about it, unless that is cancelled.
fn complete(program: &mut Program, options: &LowerOptions<'_>, cancel: &Cancel) {
    program.spinning = spinning::spinning(program);
    let surroundings = optimize::surroundings(program);
    if options.optimize && !cancel.asks() {
        optimize::optimize(program, &surroundings, options.keep_steps || options.counts_steps);
    }
    if !options.counts_steps && !cancel.asks() {
        local::mark_local(program, &surroundings);
    }
    timeouts::mark_timeouts(program);
    if !cancel.asks() {
        program.safety = safe::classify(program);
    }
    if !cancel.asks() {
        program.independence =
            independence::analyse(program, options.counts_steps || options.keep_steps, options.faults, cancel);
    }
}

/// Everything about a process type before its table is made.
struct Unfinished {
    proto: crate::program::Proto,
    graph: Graph,
    events: Option<EventScope>,
}

/// Channels an event trace speaks of.
#[derive(Default)]
struct EventScope {
    negated: bool,
    sends: Vec<Ex>,
    receives: Vec<Ex>,
}

fn processes(model: &ast::Model) -> impl Iterator<Item = &ast::Process> {
    model.items.iter().filter_map(|item| match item {
        ast::Item::Process(process) => Some(process),
        _ => None,
    })
}

/// The initialisers of globals in the order in which Spin runs them: by type, channels among them.
fn global_initialisers(globals: &Frame) -> Vec<(Place, Ex)> {
    let ranks =
        globals.chans.iter().map(|_| CHANNEL_RANK).chain(globals.structure_chans.iter().map(|_| STRUCTURE_RANK));
    let places = globals.chans.iter().chain(&globals.structure_chans).map(|(_, at)| *at);
    let numbers = ranks.zip(places).zip(1..).map(|((rank, offset), number)| {
        (rank, Place { base: Base::Global, offset, indices: Vec::new(), scalar: Scalar::Byte }, Ex::Const(number))
    });
    let mut init: Vec<(u8, Place, Ex)> = numbers.chain(globals.init.iter().cloned()).collect();
    init.sort_by_key(|(rank, ..)| *rank);
    init.into_iter().map(|(_, place, value)| (place, value)).collect()
}
