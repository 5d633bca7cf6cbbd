//! Declarations: types, variables, process types, claims, and where everything stands in the state
//! vector.

use selvedge_source::{Diagnostic, Span, nearest};

use super::statements::basic;
use super::types::{Field, Kind, STRUCTURE_RANK, StructDef, VarType, Variable, initialisation_rank};
use super::{Lowerer, codes};
use crate::program::{Base, ChanSlot, Ex, Op, Place, Scalar, Show};
use selvedge_promela_syntax::ast::{self, Init, Item, TypeName, VarDecl};

/// Bytes of the variables of one process, or of the global ones. What is built for them, a name for each scalar, is larger.
const MOST_BYTES: u32 = 1 << 20;
/// The same of channels.
const MOST_CHANNEL_BYTES: u64 = 1 << 24;

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
        let has_values = |kind: &Kind| matches!(kind, Kind::Struct(inner) if self.types.structs[*inner].initialised);
        let initialised = fields.iter().any(|field| field.decl.init.is_some() || has_values(&field.ty.kind));
        self.types.structs.push(StructDef { name: def.name.name.clone(), fields, size: offset, initialised });
    }

    pub(super) fn redeclared(&mut self, name: &ast::Ident, what: &str, first: Option<Span>) {
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
            if let Some(near) = nearest(name, known.iter().map(String::as_str)) {
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
            (Kind::Scalar(Scalar::Bit, show), Some(_)) => Kind::Scalar(Scalar::Byte, show),
            (kind, _) => kind,
        };
        Some(VarType { kind, array })
    }

    fn sized(&mut self, ty: &VarType, decl: &VarDecl) -> u32 {
        self.types.size(ty).unwrap_or_else(|| {
            self.too_large(decl, &format!("`{}` is too large for a state", decl.name.name));
            1
        })
    }

    fn too_large(&mut self, decl: &VarDecl, message: &str) {
        self.error(Diagnostic::error(codes::TOO_LARGE, decl.name.span, message).help(
            "the variables of a process, and all global ones, may take at most a million bytes, channels 16 million",
        ));
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
            let such: Vec<_> = decls().filter(|(_, decl)| self.is_outside(decl) == hidden).collect();
            for (index, decl) in such {
                if self.is_cancelled() {
                    return;
                }
                self.item = index;
                self.declare(decl, false);
            }
        }
    }

    /// Whether a global variable stands outside of the state: it is hidden and does not matter, or nothing depends on it.
    fn is_outside(&self, decl: &VarDecl) -> bool {
        let name = &decl.name.name;
        let hidden = decl.hidden && !self.in_state.iter().any(|variable| variable.name == *name);
        hidden || self.dropped.contains(name)
    }

    /// A variable in the current frame and scope; its initialiser takes effect when the frame is
    /// made. Returns the variable.
    pub(super) fn declare(&mut self, decl: &VarDecl, parameter: bool) -> Option<usize> {
        let ty = self.var_type(decl)?;
        if let Some(first) = self.scopes.last().and_then(|s| s.get(&decl.name.name)) {
            let first = self.variables[*first].span;
            self.redeclared(&decl.name, "variable", Some(first));
            return None;
        }
        self.check_declaration(decl, &ty, parameter);
        let base = if self.frame.local { Base::Local } else { Base::Global };
        let offset = self.frame.size;
        self.frame.size += self.sized(&ty, decl);
        if self.frame.size > MOST_BYTES {
            self.too_large(decl, "the variables up to this one are too large for a state");
            self.frame.size = offset;
            return None;
        }
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
            hidden: if self.frame.local { decl.hidden } else { self.is_outside(decl) },
            shown: decl.show,
            parameter,
            item: self.item,
        });
        self.frame.declared.push(id);
        let chans = self.frame.chans.len();
        // A parameter has what it was given, even if fields of its type have initialisers.
        let channels = self.frame.chans.len();
        let values = if parameter { Vec::new() } else { self.initialiser(decl, id) };
        let size = |(slot, _): &(ChanSlot, u32)| u64::from(self.specs[slot.spec as usize].size());
        self.frame.channel_bytes += self.frame.chans[channels..].iter().map(size).sum::<u64>();
        if self.frame.channel_bytes > MOST_CHANNEL_BYTES {
            self.too_large(decl, "the channels up to this one are too large for a state");
            self.frame.chans.truncate(channels);
        }
        let rank = initialisation_rank(&decl.ty);
        self.frame.init.extend(values.into_iter().map(|(place, value)| (rank, place, value)));
        if rank == STRUCTURE_RANK && !self.frame.local {
            self.frame.structure_chans.extend(self.frame.chans.drain(chans..));
        }
        self.scopes.last_mut().expect("a scope").insert(decl.name.name.clone(), id);
        Some(id)
    }

    /// Reports what is not allowed in a declaration of this type.
    fn check_declaration(&mut self, decl: &VarDecl, ty: &VarType, parameter: bool) {
        if decl.hidden && matches!(decl.ty, TypeName::Bit | TypeName::Bool) && ty.array.is_none() {
            self.error(
                Diagnostic::error(codes::HIDDEN_BIT, decl.name.span, "a single bit cannot be hidden")
                    .help("declare it `hidden byte`"),
            );
        }
        let visible = self.lookup(&decl.name.name).filter(|seen| self.variables[*seen].item <= self.item);
        if let Some(seen) = visible {
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
        if parameter && self.types.has_array_field(&ty.kind) {
            self.error(
                Diagnostic::error(codes::ARRAY_LENGTH, decl.name.span, "a parameter cannot have an array as a field")
                    .help("pass the elements one by one, or send the structure on a channel"),
            );
        }
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
                self.builder_add(basic(Op::AssignAll(Vec::new()), decl.name.span, text));
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
}
