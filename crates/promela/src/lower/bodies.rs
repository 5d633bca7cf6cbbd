//! Process types, claims and event traces: parameters, bodies, instances at the start.

use super::expr::fold;
use super::types::VarType;
use super::{EventScope, Frame, Lowerer, Unfinished, codes, processes};
use crate::program::{ControlState, Ex, Program, Proto, ProtoId, Scalar, Shown};
use selvedge_promela_syntax::ast::{self, Item, StmtKind, VarDecl};
use selvedge_source::{Diagnostic, Span};
use std::collections::HashMap;

impl Lowerer<'_> {
    pub(super) fn declare_processes(&mut self, model: &ast::Model) {
        let mut spans: HashMap<String, Span> = HashMap::new();
        for process in processes(model) {
            let id = ProtoId(self.proto_spans.len() as u16);
            if let Some(first) = spans.get(&process.name.name) {
                if process.is_init {
                    self.error(
                        Diagnostic::error(codes::TWO_INITS, process.name.span, "a model has at most one `init`")
                            .also(*first, "the first one is here"),
                    );
                } else {
                    self.redeclared(&process.name, "process type", Some(*first));
                }
            }
            spans.insert(process.name.name.clone(), process.name.span);
            self.proto_names.insert(process.name.name.clone(), id);
            self.proto_spans.push(process.name.span);
            let count = process.params.iter().map(|p| self.scalar_count(p)).sum();
            self.param_counts.push(count);
            self.proto_locals.push(HashMap::new());
        }
    }

    fn scalar_count(&mut self, decl: &VarDecl) -> usize {
        match self.types.kind(&decl.ty) {
            Some(kind) => self.types.flatten("", &VarType { kind, array: None }, 0).len(),
            None => 1,
        }
    }

    pub(super) fn process(&mut self, process: &ast::Process) -> Unfinished {
        let id = self.proto_names[&process.name.name];
        self.frame = Frame { local: true, ..Frame::default() };
        self.scopes.push(HashMap::new());
        for param in &process.params {
            self.declare(param, true);
        }
        let params: Vec<(u32, Scalar)> = {
            let declared = self.frame.declared.clone();
            declared
                .iter()
                .map(|id| &self.variables[*id])
                .flat_map(|v| self.types.flatten("", &v.ty, v.offset))
                .map(|s| (s.offset, s.scalar))
                .collect()
        };
        let provided = process.provided.as_ref().map(|e| self.expr(e));
        if process.priority.is_some() {
            self.uses_priority = true;
        }
        self.scopes.push(HashMap::new());
        let graph = self.body_graph(&process.body, process.span, false);
        self.scopes.pop();
        self.scopes.pop();
        let frame = std::mem::take(&mut self.frame);
        for declared in &frame.declared {
            let name = self.variables[*declared].name.clone();
            self.proto_locals[id.0 as usize].entry(name).or_insert(*declared);
        }
        let mut proto = self.proto(process.name.name.clone(), process.name.span, params, frame, provided);
        proto.deterministic = process.deterministic;
        Unfinished { proto, graph, events: None }
    }

    fn proto(
        &mut self,
        name: String,
        span: Span,
        params: Vec<(u32, Scalar)>,
        mut frame: Frame,
        provided: Option<Ex>,
    ) -> Proto {
        for (slot, _) in &mut frame.chans {
            slot.offset = frame.size;
            frame.size += self.specs[slot.spec as usize].size();
        }
        Proto {
            name,
            span,
            params,
            size: frame.size,
            shown: self.shown(&frame),
            // Unlike those of globals, initialisers of locals run in the order in which they are written, as in Spin.
            init: frame.init.into_iter().map(|(_, place, value)| (place, value)).collect(),
            chans: frame.chans,
            start: ControlState(0),
            controls: Vec::new(),
            actions: Vec::new(),
            executed: Vec::new(),
            provided,
            deterministic: false,
            exclusive: frame.exclusive,
        }
    }

    pub(super) fn shown(&self, frame: &Frame) -> Vec<Shown> {
        frame
            .declared
            .iter()
            .map(|id| &self.variables[*id])
            .flat_map(|v| self.types.flatten(&v.name, &v.ty, v.offset))
            .collect()
    }

    pub(super) fn claim(&mut self, claim: &ast::Claim) -> Unfinished {
        self.in_claim = true;
        let name = claim.name.as_ref().map_or("never", |n| n.name.as_str()).to_owned();
        let unfinished = self.automaton(name, claim.span, &claim.body);
        self.in_claim = false;
        unfinished
    }

    fn automaton(&mut self, name: String, span: Span, body: &ast::Sequence) -> Unfinished {
        self.frame = Frame { local: true, ..Frame::default() };
        self.scopes.push(HashMap::new());
        let graph = self.body_graph(body, span, true);
        self.scopes.pop();
        let frame = std::mem::take(&mut self.frame);
        let proto = self.proto(name, span, Vec::new(), frame, None);
        Unfinished { proto, graph, events: None }
    }

    pub(super) fn events(&mut self, model: &ast::Model) -> Option<Unfinished> {
        let mut found: Option<Unfinished> = None;
        for item in &model.items {
            let Item::Trace(trace) = item else { continue };
            if found.is_some() {
                self.error(Diagnostic::error(codes::SEVERAL_CLAIMS, trace.span, "a second event trace"));
                continue;
            }
            let mut scope = EventScope { negated: trace.negated, ..EventScope::default() };
            self.event_scope(&trace.body, &mut scope);
            let name = if trace.negated { "notrace" } else { "trace" };
            self.in_events = true;
            let mut unfinished = self.automaton(name.to_owned(), trace.span, &trace.body);
            self.in_events = false;
            unfinished.events = Some(scope);
            found = Some(unfinished);
        }
        found
    }

    /// The channels whose sends or receives occur in an event trace are the ones it speaks of.
    fn event_scope(&mut self, sequence: &ast::Sequence, scope: &mut EventScope) {
        for stmt in &sequence.stmts {
            match &stmt.kind {
                StmtKind::Send { chan, .. } => {
                    let chan = self.channel(chan).0;
                    scope.sends.push(chan);
                }
                StmtKind::Receive { chan, .. } => {
                    let chan = self.channel(chan).0;
                    scope.receives.push(chan);
                }
                StmtKind::If(options) | StmtKind::Do(options) => {
                    options.iter().for_each(|option| self.event_scope(option, scope));
                }
                StmtKind::Atomic(inner)
                | StmtKind::DStep(inner)
                | StmtKind::Block(inner)
                | StmtKind::InlineCall { body: inner, .. } => {
                    self.event_scope(inner, scope);
                }
                StmtKind::Goto(_) | StmtKind::Break | StmtKind::Else => {}
                _ => self.error(
                    Diagnostic::error(
                        codes::NOT_AN_EVENT,
                        stmt.span,
                        "an event trace consists of sends and receives only",
                    )
                    .help("use `if`, `do`, `goto` and labels to put them in order"),
                ),
            }
        }
    }

    pub(super) fn active(&mut self, model: &ast::Model) -> Vec<(ProtoId, u8)> {
        let mut active = Vec::new();
        for (index, process) in processes(model).enumerate() {
            let count = match &process.active {
                _ if process.is_init => 1,
                None => 0,
                Some(None) => 1,
                Some(Some(count)) => self.constant(count, "the number of instances").unwrap_or(0),
            };
            if count > 255 {
                self.error(Diagnostic::error(codes::TOO_LARGE, process.name.span, "more than 255 processes"));
                continue;
            }
            let priority = process.priority.as_ref().map_or(1, |e| {
                let ex = self.expr(e);
                fold(&ex).unwrap_or(1)
            });
            for _ in 0..count.max(0) {
                active.push((ProtoId(index as u16), priority.clamp(1, 255) as u8));
            }
        }
        active
    }

    /// What Spin cannot combine with rendezvous: an offer is enabled or not depending on who answers.
    pub(super) fn check_rendezvous(&mut self, model: &ast::Model, program: &Program) {
        if !program.uses_rendezvous {
            return;
        }
        if let Some(span) = self.uses_enabled {
            self.error(
                Diagnostic::error(
                    codes::ENABLED_WITH_RENDEZVOUS,
                    span,
                    "`enabled` in a model with rendezvous channels",
                )
                .help("ask about the control state instead, as in `P@label`, or give the channels room"),
            );
        }
        if self.uses_priority {
            let place = processes(model).find_map(|process| process.priority.as_ref()).map(|priority| priority.span);
            let text = "process priorities in a model with rendezvous channels";
            let error = match place {
                Some(span) => Diagnostic::error(codes::PRIORITY_WITH_RENDEZVOUS, span, text),
                None => Diagnostic::error_without_place(codes::PRIORITY_WITH_RENDEZVOUS, text),
            };
            self.error(error.help("give the channels room for a message, or leave out the priorities"));
        }
    }

    pub(super) fn check_processes(&mut self, model: &ast::Model, program: &Program) {
        if processes(model).next().is_none() {
            self.error(
                Diagnostic::error_without_place(codes::NO_PROCESS, "the model has no process")
                    .help("write `active proctype main() { … }` or `init { … }`"),
            );
        } else if program.active.is_empty() && !self.diagnostics.has_errors() {
            let span = self.proto_spans[0];
            self.error(
                Diagnostic::error(codes::NO_PROCESS, span, "no process is started")
                    .label("this process type has no instance at the start")
                    .help("declare it `active proctype`, or start it from `init` with `run`"),
            );
        } else if program.active.len() > 255 {
            let span = self.proto_spans[0];
            self.error(Diagnostic::error(codes::TOO_LARGE, span, "more than 255 processes at the start"));
        }
    }
}
