//! Declarations: types, variables, process types, claims, and where everything stands in the state
//! vector.

use std::collections::HashMap;

use selvedge_source::{Diagnostic, Span};

use super::expr::fold;
use super::graph::basic;
use super::types::{Field, Kind, StructDef, VarType, Variable, initialisation_rank};
use super::{EventScope, Frame, Lowerer, Unfinished, codes, ordered, processes};
use crate::program::{
    Base, ChanSlot, ChanSpec, ControlState, Ex, Header, Op, Place, Program, Proto, ProtoId, Scalar, Show, Shown,
};
use selvedge_promela_syntax::ast::{self, ChanInit, Init, Item, StmtKind, TypeName, VarDecl};

impl Lowerer<'_> {
    pub(super) fn declare_types(&mut self, model: &ast::Model) {
        for item in &model.items {
            match item {
                Item::Mtype(decl) => self.declare_mtype(decl),
                Item::Typedef(def) => self.declare_struct(def),
                _ => {}
            }
        }
    }

    /// Symbols count upwards from the last name of the first declaration of their set.
    fn declare_mtype(&mut self, decl: &ast::MtypeDecl) {
        let set = self.types.set(decl.set.as_ref().map(|s| s.name.as_str()));
        for name in decl.names.iter().rev() {
            if self.types.symbols.contains_key(&name.name) {
                self.error(Diagnostic::error(
                    codes::MTYPE_REDECLARED,
                    name.span,
                    format!("mtype symbol `{}` is declared twice", name.name),
                ));
                continue;
            }
            self.types.mtypes[set].push(name.name.clone());
            let value = self.types.mtypes[set].len() as i32;
            if value > 255 {
                self.error(Diagnostic::error(codes::TOO_LARGE, name.span, "more than 255 symbols in one mtype set"));
                return;
            }
            self.types.symbols.insert(name.name.clone(), (set, value));
        }
    }

    fn declare_struct(&mut self, def: &ast::Typedef) {
        if self.types.by_name.contains_key(&def.name.name) {
            self.redeclared(&def.name, "type", None);
            return;
        }
        let (mut fields, mut offset) = (Vec::<Field>::new(), 0u32);
        for decl in &def.fields {
            if fields.iter().any(|f| f.decl.name.name == decl.name.name) {
                self.redeclared(&decl.name, "field", None);
                continue;
            }
            let Some(ty) = self.var_type(decl) else { continue };
            let size = self.sized(&ty, decl);
            fields.push(Field { decl: decl.clone(), ty, offset });
            offset = offset.saturating_add(size);
        }
        self.types.by_name.insert(def.name.name.clone(), self.types.structs.len());
        self.types.structs.push(StructDef { name: def.name.name.clone(), fields, size: offset });
    }

    fn redeclared(&mut self, name: &ast::Ident, what: &str, first: Option<Span>) {
        let mut error =
            Diagnostic::error(codes::REDECLARED, name.span, format!("{what} `{}` is declared twice", name.name))
                .label("second declaration")
                .help("rename one of them");
        if let Some(first) = first {
            error = error.also(first, "first declaration");
        }
        self.error(error);
    }

    fn var_type(&mut self, decl: &VarDecl) -> Option<VarType> {
        let Some(kind) = self.types.kind(&decl.ty) else {
            let TypeName::Named(name) = &decl.ty else { return None };
            let known: Vec<String> = self.types.by_name.keys().cloned().collect();
            let mut error =
                Diagnostic::error(codes::UNKNOWN_TYPE, decl.name.span, format!("there is no type `{name}`"))
                    .help("a `typedef` must be complete before it is used");
            if let Some(near) = super::suggestion(name, known.iter().map(String::as_str)) {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.error(error);
            return None;
        };
        let array = match &decl.array {
            None => None,
            Some(length) => {
                let value = self.constant(length, "the length of an array")?;
                if value <= 0 || value > 65_535 {
                    self.error(
                        Diagnostic::error(
                            codes::ARRAY_LENGTH,
                            length.span,
                            format!("an array cannot have {value} elements"),
                        )
                        .help("lengths go from 1 to 65535"),
                    );
                    return None;
                }
                Some(value as u32)
            }
        };
        // Spin keeps the elements of a bit array in bytes and does not truncate them.
        let kind = match (kind, array) {
            (Kind::Scalar(Scalar::Bit, show), Some(_)) => Kind::Scalar(Scalar::Byte, bits_as_numbers(show)),
            (kind, _) => kind,
        };
        Some(VarType { kind, array })
    }

    fn sized(&mut self, ty: &VarType, decl: &VarDecl) -> u32 {
        self.types.size(ty).unwrap_or_else(|| {
            self.error(
                Diagnostic::error(
                    codes::TOO_LARGE,
                    decl.name.span,
                    format!("`{}` is too large for a state", decl.name.name),
                )
                .help("a variable may take at most a million bytes"),
            );
            1
        })
    }

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

    pub(super) fn declare_globals(&mut self, model: &ast::Model) {
        let decls = || {
            model.items.iter().enumerate().flat_map(|(index, item)| {
                let decls = match item {
                    Item::Vars(decls) => decls.as_slice(),
                    _ => &[],
                };
                decls.iter().map(move |decl| (index, decl))
            })
        };
        for (_, decl) in decls() {
            if self.proto_names.contains_key(&decl.name.name) {
                self.redeclared(&decl.name, "name", None);
            }
        }
        // Hidden variables stand in front of everything that tells states apart.
        for hidden in [true, false] {
            let is_hidden = |decl: &VarDecl| decl.hidden && !self.in_state.iter().any(|v| v.name == decl.name.name);
            let such: Vec<_> = decls().filter(|(_, decl)| is_hidden(decl) == hidden).collect();
            for (index, decl) in such {
                self.item = index;
                self.declare(decl, false);
            }
        }
    }

    /// Gives global channels their places; returns the size of the hidden part.
    pub(super) fn layout_globals(&mut self, globals: &Frame) -> u32 {
        globals
            .declared
            .iter()
            .map(|id| &self.variables[*id])
            .filter(|v| v.hidden)
            .map(|v| v.offset + self.types.size(&v.ty).unwrap_or(1))
            .max()
            .unwrap_or(0)
    }

    /// A variable in the current frame and scope; its initialiser takes effect when the frame is
    /// made. Returns the variable.
    fn declare(&mut self, decl: &VarDecl, parameter: bool) -> Option<usize> {
        let ty = self.var_type(decl)?;
        if let Some(first) = self.scopes.last().and_then(|s| s.get(&decl.name.name)) {
            let first = self.variables[*first].span;
            self.redeclared(&decl.name, "variable", Some(first));
            return None;
        }
        if decl.hidden && matches!(decl.ty, TypeName::Bit | TypeName::Bool) && ty.array.is_none() {
            self.error(
                Diagnostic::error(codes::HIDDEN_BIT, decl.name.span, "a single bit cannot be hidden")
                    .help("declare it `hidden byte`"),
            );
        }
        if let Some(seen) = self.lookup(&decl.name.name) {
            let seen = self.variables[seen].span;
            self.error(
                Diagnostic::error(
                    codes::REDECLARED,
                    decl.name.span,
                    format!("`{}` hides a variable of the same name", decl.name.name),
                )
                .label("Promela does not allow this")
                .also(seen, "already visible here")
                .help("rename one of them"),
            );
        }
        if parameter && ty.array.is_some() {
            self.error(Diagnostic::error(codes::ARRAY_LENGTH, decl.name.span, "a parameter cannot be an array"));
        }
        let base = if self.frame.local { Base::Local } else { Base::Global };
        let offset = self.frame.size;
        self.frame.size += self.sized(&ty, decl);
        let initial = match &decl.init {
            Some(Init::Expr(e)) if decl.array.is_none() => match &e.kind {
                ast::ExprKind::Const(value) => Some(*value),
                _ => None,
            },
            _ => None,
        };
        let id = self.variables.len();
        self.variables.push(Variable {
            name: decl.name.name.clone(),
            ty,
            base,
            offset,
            span: decl.name.span,
            spec: None,
            initial,
            read: false,
            written: false,
            hidden: decl.hidden && !self.in_state.iter().any(|v| v.name == decl.name.name),
            shown: decl.show,
            parameter,
            item: self.item,
        });
        self.frame.declared.push(id);
        // A parameter has what it was given, even if fields of its type have initialisers.
        let values = if parameter { Vec::new() } else { self.initialiser(decl, id) };
        let rank = initialisation_rank(&decl.ty);
        self.frame.init.extend(values.into_iter().map(|(place, value)| (rank, place, value)));
        self.scopes.last_mut().expect("a scope").insert(decl.name.name.clone(), id);
        Some(id)
    }

    /// The assignments of an initialiser; channels are made on the side.
    fn initialiser(&mut self, decl: &VarDecl, id: usize) -> Vec<(Place, Ex)> {
        let (ty, base, offset) = (self.variables[id].ty.clone(), self.variables[id].base, self.variables[id].offset);
        let name = decl.name.name.clone();
        let mut out = Vec::new();
        let spec = self.initialise(decl.init.as_ref(), &decl.name, &name, &ty, (base, offset), &mut out);
        self.variables[id].spec = spec;
        out
    }

    fn initialise(
        &mut self,
        init: Option<&Init>,
        at: &ast::Ident,
        name: &str,
        ty: &VarType,
        (base, offset): (Base, u32),
        out: &mut Vec<(Place, Ex)>,
    ) -> Option<u16> {
        let stride = self.types.element_size(&ty.kind);
        let count = ty.array.unwrap_or(1);
        let element = |index: u32| {
            (offset + index * stride, if ty.array.is_some() { format!("{name}[{index}]") } else { name.to_owned() })
        };
        match (&ty.kind, init) {
            (Kind::Struct(def), None) => {
                for field in self.types.structs[*def].fields.clone() {
                    for index in 0..count {
                        let (at_offset, full) = element(index);
                        let full = format!("{full}.{}", field.decl.name.name);
                        self.initialise(
                            field.decl.init.as_ref(),
                            &field.decl.name,
                            &full,
                            &field.ty,
                            (base, at_offset + field.offset),
                            out,
                        );
                    }
                }
                None
            }
            (_, None) => None,
            (Kind::Scalar(Scalar::Byte, Show::Chan), Some(Init::Chan(chan))) => {
                let spec = self.chan_spec(chan)?;
                for index in 0..count {
                    let (at_offset, full) = element(index);
                    self.frame.chans.push((ChanSlot { name: full, offset: 0, spec }, at_offset));
                }
                Some(spec)
            }
            (Kind::Scalar(scalar, show), Some(Init::Expr(value))) => {
                if let ast::ExprKind::Run { .. } = value.kind {
                    self.error(
                        Diagnostic::error(codes::BAD_INITIALISER, value.span, "`run` is not allowed in an initialiser")
                            .help("declare the variable first, then assign: `pid p; p = run …`"),
                    );
                }
                self.check_mtype(show, value);
                let value = self.expr(value);
                for index in 0..count {
                    let place = Place { base, offset: element(index).0, indices: Vec::new(), scalar: *scalar };
                    out.push((place, value.clone()));
                }
                None
            }
            (Kind::Scalar(scalar, _), Some(Init::List(values))) => {
                if ty.array.is_none() {
                    self.error(Diagnostic::error(
                        codes::BAD_INITIALISER,
                        at.span,
                        format!("`{name}` is not an array and takes one value"),
                    ));
                } else if values.len() > count as usize {
                    self.error(Diagnostic::error(
                        codes::BAD_INITIALISER,
                        at.span,
                        format!("{} values for the {count} elements of `{name}`", values.len()),
                    ));
                }
                let values: Vec<Ex> = values.iter().map(|v| self.expr(v)).collect();
                // As in Spin, the last value given fills what is left.
                for index in 0..count {
                    let Some(value) = values.get(index as usize).or(values.last()) else { break };
                    let place = Place { base, offset: element(index).0, indices: Vec::new(), scalar: *scalar };
                    out.push((place, value.clone()));
                }
                None
            }
            (_, Some(_)) => {
                self.error(
                    Diagnostic::error(
                        codes::BAD_INITIALISER,
                        at.span,
                        format!("`{name}` cannot be initialised like this"),
                    )
                    .help("a `chan` takes `[n] of { types }`, a structure no initialiser, other variables a value"),
                );
                None
            }
        }
    }

    fn chan_spec(&mut self, chan: &ChanInit) -> Option<u16> {
        let capacity = self.constant(&chan.capacity, "a channel's capacity")?;
        if !(0..=65_535).contains(&capacity) {
            self.error(
                Diagnostic::error(
                    codes::ARRAY_LENGTH,
                    chan.capacity.span,
                    format!("a channel cannot hold {capacity} messages"),
                )
                .help("capacities go from 0 (rendezvous) to 65535"),
            );
            return None;
        }
        let (mut fields, mut shows) = (Vec::new(), Vec::new());
        for (ty, span) in &chan.fields {
            let Some(kind) = self.types.kind(ty) else {
                self.error(
                    Diagnostic::error(codes::UNKNOWN_TYPE, *span, "there is no such type")
                        .help("a `typedef` must be complete before it is used"),
                );
                continue;
            };
            for leaf in self.types.flatten("", &VarType { kind, array: None }, 0) {
                fields.push(leaf.scalar);
                shows.push(leaf.show);
            }
        }
        // Nor does it truncate the only field of a message.
        if let [Scalar::Bit] = fields.as_slice() {
            fields = vec![Scalar::Byte];
            shows = shows.into_iter().map(bits_as_numbers).collect();
        }
        let message_size = fields.iter().map(|f| f.size()).sum();
        let spec = ChanSpec { capacity: capacity as u32, fields, shows, message_size };
        let known = self.specs.iter().position(|s| *s == spec);
        Some(known.unwrap_or_else(|| {
            self.specs.push(spec);
            self.specs.len() - 1
        }) as u16)
    }

    /// A declaration inside a body: at the start part of the process's creation, later a step.
    pub(super) fn local_declarations(&mut self, decls: &[VarDecl]) {
        for decl in decls {
            let (inits, chans) = (self.frame.init.len(), self.frame.chans.len());
            let Some(id) = self.declare(decl, false) else { continue };
            if self.builder.at_start {
                continue;
            }
            if self.frame.chans.len() > chans {
                self.error(
                    Diagnostic::error(
                        codes::BAD_INITIALISER,
                        decl.name.span,
                        "a channel is initialised after the first statement",
                    )
                    .help("move the declaration to the start of the process"),
                );
            }
            if let TypeName::Named(ty) = &decl.ty {
                // As in Spin, a step that leaves the structure as it is: it has its initial values from the start.
                let text = format!("{ty} {}", decl.name.name);
                self.builder_add(basic(Op::Skip, decl.name.span, text));
                continue;
            }
            let values: Vec<(Place, Ex)> = self.frame.init.drain(inits..).map(|(_, p, v)| (p, v)).collect();
            self.declaration_step(decl, id, values);
        }
    }

    /// Reaching a declaration sets the variable again, as Spin does it: a scalar (or element 0 of
    /// an array) to its initial value or 0; an array with a list to the list.
    fn declaration_step(&mut self, decl: &VarDecl, id: usize, mut values: Vec<(Place, Ex)>) {
        let variable = &self.variables[id];
        let Kind::Scalar(scalar, _) = variable.ty.kind else { return };
        if values.is_empty() {
            let place = Place { base: variable.base, offset: variable.offset, indices: Vec::new(), scalar };
            values.push((place, Ex::Const(0)));
        }
        if !matches!(decl.init, Some(Init::List(_))) {
            values.truncate(1);
        }
        let op = match values.len() {
            1 => {
                let (place, value) = values.remove(0);
                Op::Assign(place, value)
            }
            _ => Op::AssignAll(values),
        };
        let text = match &decl.init {
            Some(Init::Expr(value)) => format!("{} = {}", decl.name.name, self.text(value.span)),
            _ => format!("{} = 0", decl.name.name),
        };
        self.builder_add(basic(op, decl.name.span, text));
    }

    /// The counter of a loop over a channel.
    pub(super) fn hidden_counter(&mut self, span: Span, long: bool) -> Place {
        let scalar = if long { Scalar::Short } else { Scalar::Byte };
        let offset = self.frame.size;
        self.frame.size += scalar.size();
        let show = Show::Number;
        self.variables.push(Variable {
            name: "_for".to_owned(),
            ty: VarType { kind: Kind::Scalar(scalar, show), array: None },
            base: Base::Local,
            offset,
            span,
            spec: None,
            initial: None,
            read: true,
            written: true,
            hidden: false,
            shown: false,
            parameter: false,
            item: self.item,
        });
        Place { base: Base::Local, offset, indices: Vec::new(), scalar }
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
            init: ordered(frame.init),
            chans: frame.chans,
            start: ControlState(0),
            controls: Vec::new(),
            actions: Vec::new(),
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
                StmtKind::Expr(e) if matches!(e.kind, ast::ExprKind::Const(1)) => {}
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

    /// Fixes the header and the places that depend on it.
    pub(super) fn layout(&mut self, program: &mut Program, globals: &Frame) {
        let mut at = globals.size;
        for (slot, _) in &mut program.chans {
            slot.offset = at;
            at += program.specs[slot.spec as usize].size();
        }
        let mut take = |size: u32| {
            let here = at;
            at += size;
            here
        };
        let mut header = Header { hidden: program.header.hidden, process_count: take(1), ..Header::default() };
        header.last = self.uses_last.then(|| take(1));
        header.event = program.events.is_some().then(|| take(2));
        header.claim = program.claim.as_ref().map(|claim| take(2 + claim.size));
        header.processes = at;
        let wide = program.protos.iter().any(|p| p.controls.len() > 255);
        header.control_size = if wide { 2 } else { 1 };
        header.record_header = 1 + header.control_size + u32::from(program.uses_priority);
        program.header = header;
        for shown in &mut program.shown {
            debug_assert!(shown.offset < globals.size);
        }
    }
}

/// `true` and `false` are wrong for a value that may be neither.
fn bits_as_numbers(show: Show) -> Show {
    if show == Show::Bool { Show::Number } else { show }
}
