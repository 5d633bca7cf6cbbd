//! Promela programs as the generator makes them: just enough structure to print and to shrink.
//!
//! This is deliberately not the syntax tree of the checker: a second, independent reading of the language, in which
//! types are only what the generator needs and names are plain text.

/// A type of a variable or of a field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `bit`
    Bit,
    /// `bool`
    Bool,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned x : n`
    Unsigned(u8),
    /// `mtype`
    Mtype,
    /// `pid`
    Pid,
    /// `chan`
    Chan,
    /// A `typedef`.
    Struct(String),
}

/// A declaration, of a variable, parameter or field.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Number of elements, if it is an array.
    pub len: Option<u8>,
    /// `hidden`, `show`, `local` or nothing.
    pub prefix: &'static str,
    /// What it starts with.
    pub init: Init,
}

/// An initialiser.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// None: zero.
    None,
    /// `= e`
    Value(Expr),
    /// `= { e, … }`
    List(Vec<Expr>),
    /// `= [n] of { … }`
    Channel(u8, Vec<Type>),
}

/// `name[index].field…`
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable or field.
    pub name: String,
    /// Its index, if it is an array.
    pub index: Option<Box<Expr>>,
    /// Which field of it.
    pub field: Option<Box<Place>>,
}

/// Expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Num(i64),
    /// A word that stands for itself: `true`, `_pid`, `timeout`, an element of `mtype`, a macro, …
    Word(String),
    /// The value of a variable.
    Read(Place),
    /// `-e`, `~e`, `!e`
    Unary(&'static str, Box<Expr>),
    /// `a op b`
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `a op n` where only a constant is safe: divisors, shifts, masks, moduli of indices.
    Guarded(&'static str, Box<Expr>, i64),
    /// `(a -> b : c)`
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `len(c)`, `empty(c)`, …
    Test(&'static str, Place),
    /// `c?[…]`, `c??[…]`
    Poll(Place, bool, Vec<Arg>),
    /// `enabled(e)`, `pc_value(e)`, a macro with arguments, …
    Call(String, Vec<Expr>),
    /// `P[pid]@label`, `P[pid]:var`; the text between is `@` or `:`.
    Remote(String, Option<Box<Expr>>, &'static str, String),
    /// `run P(…)`, with a priority.
    Run(String, Vec<Expr>, Option<u8>),
}

/// An argument of a receive.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// `_`
    Any,
    /// A value the message must have.
    Match(Expr),
    /// `eval(e)`
    Eval(Expr),
    /// A variable that takes the value.
    Into(Place),
}

/// The brackets around a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `{ … }`
    Plain,
    /// `atomic { … }`
    Atomic,
    /// `d_step { … }`
    DStep,
}

/// A sequence of statements.
pub type Body = Vec<Stmt>;

/// Statements.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `skip`, `break`, `else`
    Word(&'static str),
    /// A condition to wait for, or `run …`.
    Expr(Expr),
    /// `x = e`
    Assign(Place, Expr),
    /// `x++`, `x--`
    Count(Place, &'static str),
    /// `assert(e)`
    Assert(Expr),
    /// `printf("%d\n", e)`
    Print(Expr),
    /// `goto l`
    Goto(String),
    /// `l: s`
    Labelled(String, Box<Stmt>),
    /// `if … fi` or, where the first is true, `do … od`
    Choice(bool, Vec<Body>),
    /// A bracketed sequence.
    Block(Bracket, Body),
    /// `{ … } unless { … }`
    Unless(Body, Body),
    /// `for (x : a .. b) { … }`
    For(Place, Expr, Expr, Body),
    /// `for (x in array) { … }`
    ForIn(Place, String, Body),
    /// `select (x : a .. b)`
    Select(Place, i64, i64),
    /// `c!…`, `c!!…`
    Send {
        /// To where.
        chan: Place,
        /// `!!`
        sorted: bool,
        /// The fields of the message.
        args: Vec<Expr>,
    },
    /// `c?…`, `c??…`, `c?<…>`, `c??<…>`
    Receive {
        /// From where.
        chan: Place,
        /// `??`
        random: bool,
        /// `<…>`
        peek: bool,
        /// What to do with the fields.
        args: Vec<Arg>,
    },
    /// A call of an inline.
    Inline(String, Vec<Expr>),
    /// A declaration among statements.
    Declare(Var),
    /// A statement without statements in it, as text.
    Text(String),
}

/// `#define name(params) body`
#[derive(Clone, Debug, PartialEq)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// Its parameters; none means no parentheses either.
    pub params: Vec<String>,
    /// What it expands to, in parentheses.
    pub body: Expr,
}

/// `typedef name { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Typedef {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Var>,
}

/// `inline name(params) { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Inline {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// Its statements.
    pub body: Body,
}

/// A proctype, or `init`.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its name; `init` for init.
    pub name: String,
    /// `D_proctype`
    pub deterministic: bool,
    /// How many are created at the start (`active [n]`).
    pub active: Option<u8>,
    /// Its parameters.
    pub params: Vec<Var>,
    /// `priority n`
    pub priority: Option<u8>,
    /// `provided (e)`
    pub provided: Option<Expr>,
    /// Its statements.
    pub body: Body,
}

/// `trace { … }` or `notrace { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// `trace` or `notrace`.
    pub keyword: &'static str,
    /// The events.
    pub body: Body,
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// `#define`s.
    pub macros: Vec<Macro>,
    /// The elements of `mtype`.
    pub mtypes: Vec<String>,
    /// The structures, each using only earlier ones.
    pub typedefs: Vec<Typedef>,
    /// The global variables.
    pub globals: Vec<Var>,
    /// Further declarations, as text.
    pub declarations: Vec<String>,
    /// The inlines.
    pub inlines: Vec<Inline>,
    /// The processes; `init` comes last.
    pub processes: Vec<Process>,
    /// The formula of an `ltl` claim, as text.
    pub formula: Option<String>,
    /// The never claim.
    pub never: Option<Body>,
    /// The event trace.
    pub trace: Option<Trace>,
}

impl Place {
    /// A variable without index and field.
    pub fn plain(name: impl Into<String>) -> Place {
        Place { name: name.into(), index: None, field: None }
    }

    /// Adds the names of the variables on which the indices depend.
    pub(crate) fn indices_read(&self, names: &mut Vec<String>) {
        self.index.iter().for_each(|index| index.names_read(names));
        self.field.iter().for_each(|field| field.indices_read(names));
    }
}

impl Expr {
    /// A word.
    pub fn word(text: impl Into<String>) -> Expr {
        Expr::Word(text.into())
    }

    /// The value of a variable without index and field.
    pub fn var(name: impl Into<String>) -> Expr {
        Expr::Read(Place::plain(name))
    }

    /// `self op other`
    pub fn with(self, op: &'static str, other: Expr) -> Expr {
        Expr::Binary(op, Box::new(self), Box::new(other))
    }

    /// Adds the names of the variables whose values it depends on.
    pub(crate) fn names_read(&self, names: &mut Vec<String>) {
        match self {
            Expr::Num(_) | Expr::Word(_) | Expr::Remote(..) => {}
            Expr::Read(place) | Expr::Test(_, place) | Expr::Poll(place, ..) => {
                names.push(place.name.clone());
                place.indices_read(names);
            }
            Expr::Unary(_, a) | Expr::Guarded(_, a, _) => a.names_read(names),
            Expr::Binary(_, a, b) => [a, b].iter().for_each(|e| e.names_read(names)),
            Expr::Choose(a, b, c) => [a, b, c].iter().for_each(|e| e.names_read(names)),
            Expr::Call(_, args) | Expr::Run(_, args, _) => args.iter().for_each(|e| e.names_read(names)),
        }
    }

    /// `self op n` for a constant that must stay as it is.
    pub fn guarded(self, op: &'static str, n: i64) -> Expr {
        Expr::Guarded(op, Box::new(self), n)
    }
}

impl Var {
    /// A scalar that starts with zero.
    pub fn plain(name: impl Into<String>, ty: Type) -> Var {
        Var { name: name.into(), ty, len: None, prefix: "", init: Init::None }
    }
}

impl Process {
    /// `init` without statements.
    pub fn init() -> Process {
        Process {
            name: "init".to_owned(),
            deterministic: false,
            active: None,
            params: Vec::new(),
            priority: None,
            provided: None,
            body: Vec::new(),
        }
    }

    /// A process type without statements, of which one instance exists from the start.
    pub fn active(name: &str) -> Process {
        Process { name: name.to_owned(), active: Some(1), ..Process::init() }
    }
}
