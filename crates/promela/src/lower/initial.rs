//! Initial values of variables, and the channels that declarations make.

use super::types::{Kind, VarType};
use super::{Lowerer, codes, lint};
use crate::program::{Base, ChanSlot, ChanSpec, Ex, Place, Scalar, Show};
use selvedge_promela_syntax::ast::{self, ChanInit, Init, VarDecl};
use selvedge_source::Diagnostic;

impl Lowerer<'_> {
    /// The assignments of an initialiser; channels are made on the side.
    pub(super) fn initialiser(&mut self, decl: &VarDecl, id: usize) -> Vec<(Place, Ex)> {
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
            (Kind::Struct(def), None) if !self.types.structs[*def].initialised => None,
            (Kind::Struct(def), None) => {
                self.initialise_fields(*def, base, (0..count).map(element).collect(), out);
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
                let span = value.span;
                let value = self.initial_value(value, show);
                lint::truncated(self, *scalar, &value, span);
                out.extend((0..count).map(|index| (place(base, element(index).0, *scalar), value.clone())));
                None
            }
            (Kind::Scalar(scalar, _), Some(Init::List(values))) => {
                self.check_list(values.len(), at, name, ty);
                let values = self.list_of_values(values, *scalar);
                // As in Spin, the last value given fills what is left.
                let given = (0..count).map_while(|index| values.get(index as usize).or(values.last()));
                out.extend(
                    (0..).zip(given).map(|(index, value)| (place(base, element(index).0, *scalar), value.clone())),
                );
                None
            }
            (Kind::Struct(_), Some(_)) => {
                self.warn_ignored(at, name);
                self.initialise(None, at, name, ty, (base, offset), out)
            }
            (_, Some(_)) => {
                self.report_bad_initialiser(at, name);
                None
            }
        }
    }

    /// Initialises the fields of structures, given by their offsets and names.
    fn initialise_fields(
        &mut self,
        def: usize,
        base: Base,
        structures: Vec<(u32, String)>,
        out: &mut Vec<(Place, Ex)>,
    ) {
        let fields = self.types.structs[def].fields.clone();
        for (offset, name) in structures {
            for field in &fields {
                let (init, at) = (field.decl.init.as_ref(), &field.decl.name);
                let full = format!("{name}.{}", at.name);
                self.initialise(init, at, &full, &field.ty, (base, offset + field.offset), out);
            }
        }
    }

    fn list_of_values(&mut self, values: &[ast::Expr], scalar: Scalar) -> Vec<Ex> {
        let lowered: Vec<Ex> = values.iter().map(|value| self.expr(value)).collect();
        let spans = values.iter().map(|value| value.span);
        lowered.iter().zip(spans).for_each(|(value, span)| lint::truncated(self, scalar, value, span));
        lowered
    }

    fn warn_ignored(&mut self, at: &ast::Ident, name: &str) {
        self.warn(
            Diagnostic::warning(
                codes::IGNORED_INITIALISER,
                at.span,
                format!("the initial value of the structure `{name}` is ignored"),
            )
            .help("give the fields initial values in the `typedef`, or assign them"),
        );
    }

    fn report_bad_initialiser(&mut self, at: &ast::Ident, name: &str) {
        self.error(
            Diagnostic::error(codes::BAD_INITIALISER, at.span, format!("`{name}` cannot be initialised like this"))
                .help("a `chan` takes `[n] of { types }`, a structure no initialiser, other variables a value"),
        );
    }

    fn initial_value(&mut self, value: &ast::Expr, show: &Show) -> Ex {
        if let ast::ExprKind::Run { .. } = value.kind {
            self.error(
                Diagnostic::error(codes::BAD_INITIALISER, value.span, "`run` is not allowed in an initialiser")
                    .help("declare the variable first, then assign: `pid p; p = run …`"),
            );
        }
        self.check_mtype(show, value);
        self.expr(value)
    }

    /// Reports a list of initial values that does not fit its variable.
    fn check_list(&mut self, values: usize, at: &ast::Ident, name: &str, ty: &VarType) {
        let message = match ty.array {
            None => format!("`{name}` is not an array and takes one value"),
            Some(count) if values > count as usize => {
                format!("{values} values for the {count} elements of `{name}`")
            }
            Some(_) => return,
        };
        self.error(Diagnostic::error(codes::BAD_INITIALISER, at.span, message));
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
        }
        let message_size = fields.iter().map(|f| f.size()).sum();
        let spec = ChanSpec { capacity: capacity as u32, fields, shows, message_size };
        let known = self.specs.iter().position(|s| *s == spec);
        Some(known.unwrap_or_else(|| {
            self.specs.push(spec);
            self.specs.len() - 1
        }) as u16)
    }
}

fn place(base: Base, offset: u32, scalar: Scalar) -> Place {
    Place { base, offset, indices: Vec::new(), scalar }
}
