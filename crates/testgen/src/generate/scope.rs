//! What is declared, and how to refer to it.

use super::Gen;
use crate::ast::*;

/// The messages of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// The types of the fields.
    pub fields: Vec<Type>,
    /// How many messages it holds, where that is known here (not for parameters).
    pub capacity: Option<u8>,
}

/// Something declared.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// Its declaration.
    pub var: Var,
    /// For channels: of what.
    pub signature: Option<Signature>,
    /// May be read: hidden variables may not, since what they hold is no part of a state.
    pub readable: bool,
    /// May be assigned: loop variables and channels may not.
    pub writable: bool,
    /// Stands for itself: parameters of inlines may stand for an element of an array.
    pub itself: bool,
}

impl Binding {
    /// Can count in a `for` or `select`.
    pub(crate) fn is_counter(&self) -> bool {
        self.writable && self.itself && self.var.len.is_none() && self.var.ty == Type::Byte
    }

    /// A variable for reading and writing.
    pub(crate) fn variable(var: Var) -> Binding {
        let readable = var.prefix != "hidden ";
        Binding { var, signature: None, readable, writable: true, itself: true }
    }

    /// A channel.
    pub(crate) fn channel(var: Var, signature: Signature) -> Binding {
        Binding { var, signature: Some(signature), readable: true, writable: false, itself: true }
    }
}

/// What a place is wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// For its value.
    Read,
    /// To be given a value.
    Write,
}

/// A way to a scalar: names with lengths of arrays, from the variable down through its fields.
type Route = Vec<(String, Option<u8>)>;

/// The messages of channels that may themselves be sent in messages.
pub(crate) fn reply_signature() -> Signature {
    Signature { fields: vec![Type::Byte], capacity: None }
}

impl Type {
    /// Neither a channel nor a structure.
    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self, Type::Chan | Type::Struct(_))
    }

    /// A number that is never negative.
    pub(crate) fn is_natural(&self) -> bool {
        matches!(self, Type::Bit | Type::Bool | Type::Byte | Type::Unsigned(_) | Type::Pid)
    }
}

impl Gen {
    /// Everything visible here, innermost last; of equal names only the innermost.
    fn visible(&self) -> Vec<&Binding> {
        let all: Vec<&Binding> = self.globals.iter().chain(&self.locals).collect();
        let hidden = |at: usize| all[at + 1..].iter().any(|b| b.var.name == all[at].var.name);
        (0..all.len()).filter(|at| !hidden(*at)).map(|at| all[at]).collect()
    }

    /// A random place of a wanted type, with its type.
    pub(crate) fn place(&mut self, access: Access, wanted: impl Fn(&Type) -> bool) -> Option<(Place, Type)> {
        let mut found = Vec::new();
        for binding in self.visible() {
            let usable = match access {
                Access::Read => binding.readable,
                Access::Write => binding.writable,
            };
            if usable && binding.signature.is_none() {
                self.routes(&binding.var, Vec::new(), &mut |route, ty| {
                    if wanted(ty) {
                        found.push((route, ty.clone()));
                    }
                });
            }
        }
        let (route, ty) = self.rng.pick(&found)?.clone();
        Some((self.along(&route), ty))
    }

    /// All ways from a variable to itself and to the fields in it.
    fn routes(&self, var: &Var, before: Route, found: &mut impl FnMut(Route, &Type)) {
        let mut route = before;
        route.push((var.name.clone(), var.len));
        if let Type::Struct(name) = &var.ty {
            let typedef = self.program.typedefs.iter().find(|t| &t.name == name);
            for field in typedef.into_iter().flat_map(|t| &t.fields) {
                self.routes(field, route.clone(), found);
            }
        }
        found(route, &var.ty);
    }

    /// The place at the end of a route, with random indices.
    fn along(&mut self, route: &[(String, Option<u8>)]) -> Place {
        let ((name, len), rest) = route.split_first().expect("routes are not empty");
        let index = len.map(|len| Box::new(self.index(len, name)));
        let field = if rest.is_empty() { None } else { Some(Box::new(self.along(rest))) };
        Place { name: name.clone(), index, field }
    }

    /// An index that is always within an array of this length. (Beyond it, pan reads foreign memory.)
    pub(crate) fn index(&mut self, len: u8, array: &str) -> Expr {
        let constant = Expr::Num(self.rng.between(0, i64::from(len) - 1));
        match self.rng.below(10) {
            0..4 => constant,
            4 => Expr::word("_pid").guarded("%", i64::from(len)),
            5..9 => {
                let scalars: Vec<Binding> = self.visible().into_iter().cloned().collect();
                let natural =
                    |b: &&Binding| b.readable && b.var.len.is_none() && b.var.ty.is_natural() && b.var.name != array;
                let naturals: Vec<&Binding> = scalars.iter().filter(natural).collect();
                match self.rng.pick(&naturals) {
                    Some(b) => Expr::var(&b.var.name).guarded("%", i64::from(len)),
                    None => constant,
                }
            }
            _ if len >= 2 => self.plain_value().guarded("&", 1),
            _ => constant,
        }
    }

    /// A scalar without index, or a constant.
    pub(crate) fn plain_value(&mut self) -> Expr {
        let plain = |b: &&Binding| b.readable && b.var.len.is_none() && b.var.ty.is_scalar();
        let names: Vec<String> = self.visible().into_iter().filter(plain).map(|b| b.var.name.clone()).collect();
        match self.rng.pick(&names) {
            Some(name) => Expr::var(name),
            None => Expr::Num(self.rng.between(0, 2)),
        }
    }

    /// A random channel for which `wanted` holds.
    pub(crate) fn channel(&mut self, wanted: impl Fn(&Signature) -> bool) -> Option<(Place, Signature)> {
        let mut found = Vec::new();
        for binding in self.visible() {
            if let Some(signature) = &binding.signature
                && wanted(signature)
            {
                found.push((binding.var.name.clone(), binding.var.len, signature.clone()));
            }
        }
        let (name, len, signature) = self.rng.pick(&found)?.clone();
        let index = len.map(|len| Box::new(self.index(len, &name)));
        Some((Place { name, index, field: None }, signature))
    }

    /// A name not used before in this program.
    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.serial += 1;
        format!("{prefix}{}", self.serial)
    }
}
