//! Values and how they are cut to the size of what stores them, and the declarations of a model
//! that belong to no process: structures, mtype symbols, constants, global variables.

use std::collections::BTreeMap;

use super::store::FastMap;
use selvedge_promela_syntax::ast::{BinaryOp, Expr, ExprKind, Init, Item, Model, TypeName, UnaryOp, VarDecl};

/// What a variable holds: a number, or the elements of an array or the fields of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Value {
    /// A number.
    Int(i32),
    /// Elements or fields in order.
    Many(Vec<Value>),
}

impl Value {
    /// The part of the value that a path of positions leads to.
    pub(crate) fn at(&self, path: &[usize]) -> &Value {
        match (self, path) {
            (Value::Many(parts), [first, rest @ ..]) => parts[*first].at(rest),
            (value, _) => value,
        }
    }

    /// The same, to change it.
    pub(crate) fn at_mut(&mut self, path: &[usize]) -> &mut Value {
        match (self, path) {
            (Value::Many(parts), [first, rest @ ..]) => parts[*first].at_mut(rest),
            (value, _) => value,
        }
    }

    /// The number; an array or structure without a path stands for its first number.
    pub(crate) fn number(&self) -> i32 {
        match self {
            Value::Int(number) => *number,
            Value::Many(parts) => parts.first().map_or(0, Value::number),
        }
    }
}

/// How one number, or one structure, is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Bit,
    Byte,
    Short,
    Int,
    Unsigned(u8),
    /// Index into [`Globals::structs`].
    Struct(usize),
}

impl Kind {
    /// What an assignment of `value` stores.
    pub(crate) fn cut(&self, value: i32) -> i32 {
        match self {
            Kind::Bit => value & 1,
            Kind::Byte => value & 0xff,
            Kind::Short => i32::from(value as i16),
            Kind::Unsigned(bits @ 0..32) => value & ((1i64 << bits) - 1) as i32,
            Kind::Int | Kind::Unsigned(_) | Kind::Struct(_) => value,
        }
    }
}

/// The type of a variable or field.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Of the variable, or of each element.
    pub(crate) kind: Kind,
    /// Length of an array.
    pub(crate) length: Option<usize>,
}

/// A `typedef`.
pub(crate) struct Structure {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
}

/// A field of a structure.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) init: Option<Init>,
}

/// A global variable.
pub(crate) struct Global {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) init: Option<Init>,
    pub(crate) hidden: bool,
    /// Position among the hidden variables or among the others.
    pub(crate) slot: usize,
    /// Position of its type among those that are initialised one after the other.
    pub(crate) rank: usize,
}

/// Everything declared outside processes.
#[derive(Default)]
pub(crate) struct Globals {
    /// Type definitions.
    pub(crate) structs: Vec<Structure>,
    /// mtype symbols.
    pub(crate) symbols: BTreeMap<String, i32>,
    /// Variables in the order declared.
    pub(crate) variables: Vec<Global>,
    /// Their positions by name.
    by_name: FastMap<String, usize>,
}

/// Spin initialises all globals of one type before those of the next: the place of a type in this sequence.
fn place_of_type(ty: &TypeName) -> usize {
    let is: [fn(&TypeName) -> bool; 7] = [
        |ty| matches!(ty, TypeName::Unsigned(_)),
        |ty| matches!(ty, TypeName::Bit | TypeName::Bool),
        |ty| matches!(ty, TypeName::Byte | TypeName::Pid),
        |ty| matches!(ty, TypeName::Chan),
        |ty| matches!(ty, TypeName::Mtype(_)),
        |ty| matches!(ty, TypeName::Short),
        |ty| matches!(ty, TypeName::Int),
    ];
    is.iter().position(|is| is(ty)).unwrap_or(is.len())
}

impl Globals {
    /// Reads the declarations of a model.
    pub(crate) fn of(model: &Model) -> Result<Globals, String> {
        let mut globals = Globals::default();
        let mut sets: BTreeMap<Option<&str>, i32> = BTreeMap::new();
        for item in &model.items {
            match item {
                Item::Mtype(decl) => {
                    let count = sets.entry(decl.set.as_ref().map(|set| set.name.as_str())).or_default();
                    // Spin numbers the names of a declaration from the last to the first.
                    for name in decl.names.iter().rev() {
                        *count += 1;
                        globals.symbols.insert(name.name.clone(), *count);
                    }
                }
                Item::Typedef(definition) => {
                    let mut fields = Vec::new();
                    for field in &definition.fields {
                        let shape = globals.shape(field)?;
                        fields.push(Field { name: field.name.name.clone(), shape, init: field.init.clone() });
                    }
                    globals.structs.push(Structure { name: definition.name.name.clone(), fields });
                }
                Item::Vars(vars) => {
                    for var in vars {
                        let shape = globals.shape(var)?;
                        let (name, init) = (var.name.name.clone(), var.init.clone());
                        let alike = globals.variables.iter().filter(|other| other.hidden == var.hidden);
                        let slot = alike.count();
                        globals.by_name.entry(name.clone()).or_insert(globals.variables.len());
                        let rank = place_of_type(&var.ty);
                        globals.variables.push(Global { name, shape, init, hidden: var.hidden, slot, rank });
                    }
                }
                _ => {}
            }
        }
        Ok(globals)
    }

    /// The global variable of this name.
    pub(crate) fn variable(&self, name: &str) -> Option<&Global> {
        self.by_name.get(name).map(|index| &self.variables[*index])
    }

    /// The type of a declaration. Spin keeps bits of arrays and hidden bits in whole bytes.
    pub(crate) fn shape(&self, decl: &VarDecl) -> Result<Shape, String> {
        let length = match &decl.array {
            None => None,
            Some(length) => Some(usize::try_from(self.constant(length)?).map_err(|_| "negative array length")?),
        };
        let kind = match self.kind(&decl.ty)? {
            Kind::Bit if length.is_some() || decl.hidden => Kind::Byte,
            Kind::Unsigned(_) if decl.hidden => Kind::Byte,
            kind => kind,
        };
        Ok(Shape { kind, length })
    }

    /// How a type is stored.
    pub(crate) fn kind(&self, ty: &TypeName) -> Result<Kind, String> {
        Ok(match ty {
            TypeName::Bit | TypeName::Bool => Kind::Bit,
            TypeName::Byte | TypeName::Pid | TypeName::Mtype(_) | TypeName::Chan => Kind::Byte,
            TypeName::Short => Kind::Short,
            TypeName::Int => Kind::Int,
            TypeName::Unsigned(bits) => Kind::Unsigned(*bits),
            TypeName::Named(name) => {
                let found = self.structs.iter().position(|structure| structure.name == *name);
                Kind::Struct(found.ok_or_else(|| format!("no type is called `{name}`"))?)
            }
        })
    }

    /// The kinds of the numbers in a value of this kind: itself, or those of all fields.
    pub(crate) fn leaves(&self, kind: &Kind) -> Vec<Kind> {
        let Kind::Struct(index) = kind else { return vec![kind.clone()] };
        let fields = self.structs[*index].fields.iter();
        let each = fields.flat_map(|f| std::iter::repeat_n(self.leaves(&f.shape.kind), f.shape.length.unwrap_or(1)));
        each.flatten().collect()
    }

    /// The value of an expression that must be constant: an array's length, a capacity, a number
    /// of processes. A variable stands for its initial value.
    pub(crate) fn constant(&self, expr: &Expr) -> Result<i32, String> {
        let not_constant = || "this expression must be constant".to_string();
        match &expr.kind {
            ExprKind::Const(value) => Ok(*value),
            ExprKind::Var(var) => match self.symbols.get(&var.name.name) {
                Some(value) => Ok(*value),
                None => match self.variable(&var.name.name).and_then(|variable| variable.init.as_ref()) {
                    Some(Init::Expr(init)) => self.constant(init),
                    _ => Err(not_constant()),
                },
            },
            ExprKind::Unary(op, inner) => Ok(unary(*op, self.constant(inner)?)),
            ExprKind::Binary(op, left, right) => {
                binary(*op, self.constant(left)?, self.constant(right)?).ok_or_else(not_constant)
            }
            _ => Err(not_constant()),
        }
    }
}

/// C's prefix operators on `int`.
pub(crate) fn unary(op: UnaryOp, value: i32) -> i32 {
    match op {
        UnaryOp::Not => i32::from(value == 0),
        UnaryOp::Negate => value.wrapping_neg(),
        UnaryOp::Complement => !value,
    }
}

/// C's infix operators on `int`, both sides known; `None` for a division by zero.
pub(crate) fn binary(op: BinaryOp, left: i32, right: i32) -> Option<i32> {
    Some(match op {
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::Div if right == 0 => return None,
        BinaryOp::Rem if right == 0 => return None,
        BinaryOp::Div => left.wrapping_div(right),
        BinaryOp::Rem => left.wrapping_rem(right),
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Shl => left.wrapping_shl(right as u32),
        BinaryOp::Shr => left.wrapping_shr(right as u32),
        BinaryOp::Lt => i32::from(left < right),
        BinaryOp::Le => i32::from(left <= right),
        BinaryOp::Gt => i32::from(left > right),
        BinaryOp::Ge => i32::from(left >= right),
        BinaryOp::Eq => i32::from(left == right),
        BinaryOp::Ne => i32::from(left != right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::BitOr => left | right,
        BinaryOp::And => i32::from(left != 0 && right != 0),
        BinaryOp::Or => i32::from(left != 0 || right != 0),
    })
}
