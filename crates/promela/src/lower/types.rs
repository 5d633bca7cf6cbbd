//! Types, variables and where they stand. A structure is laid out field after field without
//! padding; every declaration gets a place of its own, whatever its scope.

use std::collections::HashMap;

use selvedge_source::Span;

use crate::program::{Base, Scalar, Show, Shown};
use selvedge_promela_syntax::ast::{self, TypeName};

/// What one element of a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar(Scalar, Show),
    Struct(usize),
}

/// A variable's type: element and, for arrays, their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VarType {
    pub kind: Kind,
    pub array: Option<u32>,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub decl: ast::VarDecl,
    pub ty: VarType,
    pub offset: u32,
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub(crate) struct StructDef {
    pub name: String,
    pub fields: Vec<Field>,
    pub size: u32,
    /// Some field has an initial value, at any depth.
    pub initialised: bool,
}

/// A declared variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub ty: VarType,
    pub base: Base,
    pub offset: u32,
    pub span: Span,
    /// The message format, where the declaration tells it.
    pub spec: Option<u16>,
    /// Constant initial value of a scalar, for `byte a[N]` with an initialised `N`.
    pub initial: Option<i32>,
    pub read: bool,
    pub written: bool,
    pub hidden: bool,
    /// Declared `show`: it is there for displays.
    pub shown: bool,
    pub parameter: bool,
    /// The top-level item that declares it (or its process).
    pub item: usize,
}

/// Structures and mtype sets of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    pub structs: Vec<StructDef>,
    pub by_name: HashMap<String, usize>,
    /// Symbols of each set; the value of a symbol is its index plus 1. Set 0 is the common one.
    pub mtypes: Vec<Vec<String>>,
    pub set_names: HashMap<String, usize>,
    /// Symbol to set and value.
    pub symbols: HashMap<String, (usize, i32)>,
}

impl Types {
    pub(super) fn new() -> Self {
        Types { mtypes: vec![Vec::new()], ..Types::default() }
    }

    /// The set of this name, made if it is new.
    pub(super) fn set(&mut self, name: Option<&str>) -> usize {
        let Some(name) = name else { return 0 };
        if let Some(set) = self.set_names.get(name) {
            return *set;
        }
        self.mtypes.push(Vec::new());
        self.set_names.insert(name.to_owned(), self.mtypes.len() - 1);
        self.mtypes.len() - 1
    }

    /// What a type name means; `None` if no such type is declared.
    pub(super) fn kind(&mut self, ty: &TypeName) -> Option<Kind> {
        Some(match ty {
            TypeName::Bit => Kind::Scalar(Scalar::Bit, Show::Number),
            TypeName::Bool => Kind::Scalar(Scalar::Bit, Show::Bool),
            TypeName::Byte | TypeName::Pid => Kind::Scalar(Scalar::Byte, Show::Number),
            TypeName::Short => Kind::Scalar(Scalar::Short, Show::Number),
            TypeName::Int => Kind::Scalar(Scalar::Int, Show::Number),
            TypeName::Unsigned(bits) => Kind::Scalar(Scalar::Unsigned(*bits), Show::Number),
            TypeName::Mtype(set) => Kind::Scalar(Scalar::Byte, Show::Mtype(self.set(set.as_deref()))),
            TypeName::Chan => Kind::Scalar(Scalar::Byte, Show::Chan),
            TypeName::Named(name) => Kind::Struct(*self.by_name.get(name)?),
        })
    }

    /// Bytes of one element.
    pub(crate) fn element_size(&self, kind: &Kind) -> u32 {
        match kind {
            Kind::Scalar(scalar, _) => scalar.size(),
            Kind::Struct(index) => self.structs[*index].size,
        }
    }

    /// Bytes of a variable; `None` where no memory could hold it.
    pub(super) fn size(&self, ty: &VarType) -> Option<u32> {
        self.element_size(&ty.kind).checked_mul(ty.array.unwrap_or(1)).filter(|size| *size <= 1 << 20)
    }

    /// The scalars of a variable in order, with their full names and offsets.
    pub(super) fn flatten(&self, name: &str, ty: &VarType, offset: u32) -> Vec<Shown> {
        let mut out = Vec::new();
        self.flatten_into(name, ty, offset, &mut out);
        out
    }

    /// Whether a structure has a field that is an array, or one of its fields has.
    pub(crate) fn has_array_field(&self, kind: &Kind) -> bool {
        let Kind::Struct(def) = kind else { return false };
        self.structs[*def].fields.iter().any(|f| f.ty.array.is_some() || self.has_array_field(&f.ty.kind))
    }

    fn flatten_into(&self, name: &str, ty: &VarType, offset: u32, out: &mut Vec<Shown>) {
        let stride = self.element_size(&ty.kind);
        for index in 0..ty.array.unwrap_or(1) {
            let full = if ty.array.is_some() { format!("{name}[{index}]") } else { name.to_owned() };
            let at = offset + index * stride;
            match &ty.kind {
                Kind::Scalar(scalar, show) => {
                    out.push(Shown { name: full, offset: at, scalar: *scalar, show: show.clone() });
                }
                Kind::Struct(def) => {
                    for field in &self.structs[*def].fields {
                        self.flatten_into(
                            &format!("{full}.{}", field.decl.name.name),
                            &field.ty,
                            at + field.offset,
                            out,
                        );
                    }
                }
            }
        }
    }
}

/// When channels get their numbers.
pub(crate) const CHANNEL_RANK: u8 = 3;

/// When structures get theirs.
pub(crate) const STRUCTURE_RANK: u8 = 7;

/// The order in which initialisers of globals run: by type, as Spin orders them.
pub(crate) fn initialisation_rank(ty: &TypeName) -> u8 {
    match ty {
        TypeName::Unsigned(_) => 0,
        TypeName::Bit | TypeName::Bool => 1,
        TypeName::Byte | TypeName::Pid => 2,
        TypeName::Chan => CHANNEL_RANK,
        TypeName::Mtype(_) => 4,
        TypeName::Short => 5,
        TypeName::Int => 6,
        TypeName::Named(_) => STRUCTURE_RANK,
    }
}
