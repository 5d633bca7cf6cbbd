//! References to variables: `name[index].field…` becomes a place in the state.

use super::Lowerer;
use super::codes;
use super::expr::{Reference, load_place};
use super::types::Kind;
use crate::program::{Ex, Index, Place, Show};
use selvedge_promela_syntax::ast::VarRef;
use selvedge_source::{Diagnostic, Span, misspelt, nearest};

/// Reserved words that are a statement or a value by themselves.
const STANDS_ALONE: &[&str] = &["skip", "break", "else", "true", "false", "timeout"];

impl Lowerer<'_> {
    /// Resolves `name[index].field…`. `read` marks the variable as read, otherwise it is written.
    pub(crate) fn reference(&mut self, var: &VarRef, read: bool) -> Option<Reference> {
        let Some(id) = self.lookup(&var.name.name) else {
            self.undeclared(var);
            return None;
        };
        if self.variables[id].item > self.item {
            let span = self.variables[id].span;
            self.error(
                Diagnostic::error(
                    codes::UNDECLARED,
                    var.name.span,
                    format!("`{}` is used before it is declared", var.name.name),
                )
                .also(span, "declared here")
                .help("move the declaration up"),
            );
            return None;
        }
        let variable = &mut self.variables[id];
        variable.read |= read;
        variable.written |= !read;
        let (ty, spec) = (variable.ty.clone(), variable.spec);
        let mut reference = Reference { base: variable.base, offset: variable.offset, indices: Vec::new(), ty, spec };
        let declared = variable.span;
        self.step_into(var, &mut reference, declared)?;
        let mut here = var;
        while let Some(field) = &here.field {
            let Kind::Struct(def) = reference.ty.kind else {
                self.error(
                    Diagnostic::error(
                        codes::FIELD_OF_SCALAR,
                        field.name.span,
                        format!("`{}` has no fields", here.name.name),
                    )
                    .label("it is not a structure")
                    .also(declared, "declared here"),
                );
                return None;
            };
            let found = self.types.structs[def].fields.iter().find(|f| f.decl.name.name == field.name.name);
            let Some(found) = found else {
                self.unknown_field(def, field);
                return None;
            };
            reference.offset += found.offset;
            reference.ty = found.ty.clone();
            reference.spec = None;
            self.step_into(field, &mut reference, declared)?;
            here = field;
        }
        Some(reference)
    }

    fn unknown_field(&mut self, def: usize, field: &VarRef) {
        let structure = &self.types.structs[def];
        let names: Vec<&str> = structure.fields.iter().map(|f| f.decl.name.name.as_str()).collect();
        let mut error = Diagnostic::error(
            codes::UNKNOWN_FIELD,
            field.name.span,
            format!("`{}` has no field `{}`", structure.name, field.name.name),
        )
        .note(format!("its fields are: {}", names.join(", ")));
        if let Some(near) = nearest(&field.name.name, names.iter().copied()) {
            error = error.help(format!("did you mean `{near}`?"));
        }
        self.error(error);
    }

    /// Applies the index of one component.
    fn step_into(&mut self, var: &VarRef, reference: &mut Reference, declared: Span) -> Option<()> {
        let stride = self.types.element_size(&reference.ty.kind);
        match (reference.ty.array, &var.index) {
            (Some(len), Some(index)) => {
                let value = self.expr(index);
                match value {
                    Ex::Const(at) if at >= 0 && (at as u32) < len => reference.offset += at as u32 * stride,
                    value => reference.indices.push(Index { value, len, stride, span: index.span }),
                }
                reference.ty.array = None;
            }
            (Some(_), None) if !self.whole_array_allowed => {
                self.warn(
                    Diagnostic::warning(
                        codes::MISSING_INDEX,
                        var.name.span,
                        format!("array `{}` is used without an index", var.name.name),
                    )
                    .label("taken as element 0")
                    .help(format!("write `{}[0]` if that is meant", var.name.name)),
                );
                reference.ty.array = None;
            }
            (None, Some(index)) => {
                self.error(
                    Diagnostic::error(
                        codes::INDEX_OF_SCALAR,
                        index.span,
                        format!("`{}` is not an array", var.name.name),
                    )
                    .label("index not allowed")
                    .also(declared, "declared here, without a length"),
                );
                return None;
            }
            _ => {}
        }
        Some(())
    }

    pub(super) fn undeclared(&mut self, var: &VarRef) {
        let name = &var.name.name;
        let mut error = Diagnostic::error(codes::UNDECLARED, var.name.span, format!("`{name}` is not declared"))
            .label("no variable, channel or mtype symbol of this name");
        let known: Vec<String> = self.visible_names();
        if self.proto_names.contains_key(name) {
            error = error.help(format!("`{name}` is a process type: start it with `run {name}(…)`"));
        } else if let Some(near) = nearest(name, known.iter().map(String::as_str)) {
            error = error.help(format!("did you mean `{near}`?"));
        } else if let Some(keyword) = misspelt(name, STANDS_ALONE) {
            error = error.help(format!("did you mean `{keyword}`?"));
        } else {
            error = error.help(format!("declare it, as in `byte {name};`"));
        }
        self.error(error);
    }

    /// A place to assign to; `None` for `_`, whose value is dropped, and after a mistake.
    pub(crate) fn assignable(&mut self, var: &VarRef) -> Option<(Place, Show)> {
        let name = var.name.name.as_str();
        if self.lookup(name).is_none() {
            if name == "_" {
                return None;
            }
            if name == "_priority" {
                self.error(
                    Diagnostic::error(codes::ASSIGN_TO_CONSTANT, var.span, "`_priority` cannot be assigned here")
                        .help("write `_priority = n` as a statement, or `set_priority(_pid, n)`"),
                );
                return None;
            }
            let what = match name {
                "_pid" | "_nr_pr" | "_last" => Some("a predefined, read-only variable"),
                _ if self.types.symbols.contains_key(name) => Some("an mtype symbol, a constant"),
                _ => None,
            };
            if let Some(what) = what {
                self.error(
                    Diagnostic::error(codes::ASSIGN_TO_CONSTANT, var.span, format!("cannot assign to `{name}`"))
                        .label(format!("`{name}` is {what}")),
                );
                return None;
            }
        }
        let reference = self.reference(var, false)?;
        match reference.ty.kind.clone() {
            Kind::Scalar(scalar, show) => Some((reference.place(scalar), show)),
            Kind::Struct(_) => {
                self.error(
                    Diagnostic::error(
                        codes::STRUCT_AS_SCALAR,
                        var.span,
                        format!("cannot assign to structure `{name}` as a whole"),
                    )
                    .help("assign to its fields one by one"),
                );
                None
            }
        }
    }

    /// A channel as an expression for its number, with its format where known.
    pub(crate) fn channel(&mut self, var: &VarRef) -> (Ex, Option<u16>) {
        if var.field.is_none()
            && self.lookup(&var.name.name).is_none()
            && self.types.symbols.contains_key(&var.name.name)
        {
            self.not_a_channel(var);
            return (Ex::Const(0), None);
        }
        let Some(reference) = self.reference(var, true) else { return (Ex::Const(0), None) };
        match reference.ty.kind.clone() {
            Kind::Scalar(scalar, Show::Chan) => {
                let spec = reference.spec;
                (load_place(reference.place(scalar)), spec)
            }
            _ => {
                self.not_a_channel(var);
                (Ex::Const(0), None)
            }
        }
    }

    fn not_a_channel(&mut self, var: &VarRef) {
        let mut error =
            Diagnostic::error(codes::NOT_A_CHANNEL, var.span, format!("`{}` is not a channel", self.text(var.span)))
                .help("declare a channel as in `chan q = [4] of { byte };`");
        if let Some(id) = self.lookup(&var.name.name) {
            error = error.also(self.variables[id].span, "declared here");
        }
        self.error(error);
    }

    pub(super) fn is_variable(&self, var: &VarRef) -> bool {
        self.lookup(&var.name.name).is_some()
    }

    /// The scalars of what a reference leads to.
    pub(super) fn spread(&self, reference: Reference) -> Vec<(Place, Show)> {
        self.types
            .flatten("", &reference.ty, reference.offset)
            .into_iter()
            .map(|leaf| {
                let place = Place {
                    base: reference.base,
                    offset: leaf.offset,
                    indices: reference.indices.clone(),
                    scalar: leaf.scalar,
                };
                (place, leaf.show)
            })
            .collect()
    }
}
