//! The syntax tree of a Promela model: what was written, macros and inlines expanded, names not
//! yet resolved. Built by `parse`, read by `check`/`lower` (the fast machine) and by `plain` (the
//! independent interpreter that replays traces). Every node has the span of the text it came from:
//! text produced by a macro has the span of the macro's use, text of an inline that of its body.

use selvedge_source::Span;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// A whole model, items in the order written.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Declarations, process types and claims.
    pub items: Vec<Item>,
}

/// One top-level item.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a model has few items
pub enum Item {
    /// `mtype = { a, b }` or `mtype:set = { … }`.
    Mtype(MtypeDecl),
    /// `typedef name { … }`.
    Typedef(Typedef),
    /// Global variables: one declaration line.
    Vars(Vec<VarDecl>),
    /// `proctype`, `active proctype` or `init`.
    Process(Process),
    /// `never name { … }`.
    Never(Claim),
    /// `ltl name { … }`.
    Ltl(LtlClaim),
    /// `trace { … }` or `notrace { … }`.
    Trace(EventTrace),
}

/// `mtype[:set] = { names }`.
#[derive(Clone, Debug)]
pub struct MtypeDecl {
    /// The set's name, `None` for the common one.
    pub set: Option<Ident>,
    /// The symbols as written, first to last.
    pub names: Vec<Ident>,
}

/// `typedef name { fields }`.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The type's name.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<VarDecl>,
}

/// Types as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeName {
    /// `bit`, 0..1.
    Bit,
    /// `bool`, 0..1.
    Bool,
    /// `byte`, 0..255.
    Byte,
    /// `pid`, 0..255.
    Pid,
    /// `short`, 16 bits signed.
    Short,
    /// `int`, 32 bits signed.
    Int,
    /// `unsigned name : width`.
    Unsigned(u8),
    /// `mtype` or `mtype:set`.
    Mtype(Option<String>),
    /// `chan`.
    Chan,
    /// The name of a `typedef`.
    Named(String),
}

/// One declared variable, parameter or field.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// The type as written.
    pub ty: TypeName,
    /// The name; its span is the declaration's place.
    pub name: Ident,
    /// Array length, an expression that must be constant.
    pub array: Option<Expr>,
    /// The initialiser.
    pub init: Option<Init>,
    /// `hidden`: not part of the state.
    pub hidden: bool,
    /// `show`: only for displays.
    pub show: bool,
    /// `local`: the user promises that one process uses it.
    pub local: bool,
}

/// Initialisers.
#[derive(Clone, Debug)]
pub enum Init {
    /// `= expr`; fills every element of an array.
    Expr(Expr),
    /// `= { e, e, … }`, elements of an array.
    List(Vec<Expr>),
    /// `= [capacity] of { types }`.
    Chan(ChanInit),
}

/// `[capacity] of { fields }`.
#[derive(Clone, Debug)]
pub struct ChanInit {
    /// Capacity (0 for rendezvous), must be constant.
    pub capacity: Expr,
    /// Types of the message's fields.
    pub fields: Vec<(TypeName, Span)>,
    /// All of it.
    pub span: Span,
}

/// A process type, or `init` (named `init`, one instance).
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name (`init` for `init`).
    pub name: Ident,
    /// Whether it is `init`.
    pub is_init: bool,
    /// `active [n]`: instances at the start; `Some(None)` is one.
    pub active: Option<Option<Expr>>,
    /// `D_proctype`: deterministic by promise.
    pub deterministic: bool,
    /// Parameters.
    pub params: Vec<VarDecl>,
    /// `priority n`.
    pub priority: Option<Expr>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// The body.
    pub body: Sequence,
    /// From the keyword to the closing brace.
    pub span: Span,
}

/// `never [name] { … }`.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name, if written.
    pub name: Option<Ident>,
    /// The body.
    pub body: Sequence,
    /// From the keyword to the closing brace.
    pub span: Span,
}

/// `ltl [name] { formula }`: the property wanted, not negated.
#[derive(Clone, Debug)]
pub struct LtlClaim {
    /// Its name, if written.
    pub name: Option<Ident>,
    /// The formula.
    pub formula: Ltl,
    /// From the keyword to the closing brace.
    pub span: Span,
}

/// `trace`/`notrace`.
#[derive(Clone, Debug)]
pub struct EventTrace {
    /// Whether it is `notrace`.
    pub negated: bool,
    /// The body.
    pub body: Sequence,
    /// From the keyword to the closing brace.
    pub span: Span,
}

/// Linear temporal logic over expressions.
#[derive(Clone, Debug)]
pub enum Ltl {
    /// A state expression (`true` and `false` are constants 1 and 0).
    Atom(Expr),
    /// `!`.
    Not(Box<Ltl>),
    /// `X`, `next`.
    Next(Box<Ltl>),
    /// `[]`, `always`.
    Always(Box<Ltl>),
    /// `<>`, `eventually`.
    Eventually(Box<Ltl>),
    /// `&&`.
    And(Box<Ltl>, Box<Ltl>),
    /// `||`.
    Or(Box<Ltl>, Box<Ltl>),
    /// `->`, `implies`.
    Implies(Box<Ltl>, Box<Ltl>),
    /// `<->`, `equivalent`.
    Iff(Box<Ltl>, Box<Ltl>),
    /// `U`, `until`, `stronguntil`.
    Until(Box<Ltl>, Box<Ltl>),
    /// `W`, `weakuntil`.
    WeakUntil(Box<Ltl>, Box<Ltl>),
    /// `V`, `release`.
    Release(Box<Ltl>, Box<Ltl>),
}

/// Statements in order; a scope of its own where it came from braces.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// The statements (declarations among them).
    pub stmts: Vec<Stmt>,
}

/// A statement with its place and the labels in front of it.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// `name:` in front of it, outermost first.
    pub labels: Vec<Ident>,
    /// What it is.
    pub kind: StmtKind,
    /// From its first to its last token, labels not included.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A declaration of local variables.
    Decl(Vec<VarDecl>),
    /// An expression as a statement: executable when it is not 0 (`skip` is the constant 1).
    Expr(Expr),
    /// `v = e`.
    Assign(VarRef, Expr),
    /// `v++`.
    Increment(VarRef),
    /// `v--`.
    Decrement(VarRef),
    /// `c ! args` or `c !! args`.
    Send {
        /// The channel.
        chan: VarRef,
        /// `!!`: insert in sorted order.
        sorted: bool,
        /// The message.
        args: Vec<Expr>,
    },
    /// `c ? args`, `c ?? args`, `c ?< args >`, `c ??< args >`.
    Receive {
        /// The channel.
        chan: VarRef,
        /// `??`: the first message that matches.
        random: bool,
        /// `?<…>`: leave the message in the channel.
        copy: bool,
        /// Variables to fill and values to match.
        args: Vec<ReceiveArg>,
    },
    /// `assert(e)`.
    Assert(Expr),
    /// `printf("…", args)`.
    Printf {
        /// The format with escapes resolved.
        format: String,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `printm(e)`.
    Printm(Expr),
    /// `if :: … fi`.
    If(Vec<Sequence>),
    /// `do :: … od`.
    Do(Vec<Sequence>),
    /// `else` (only as the first statement of an option).
    Else,
    /// `break`.
    Break,
    /// `goto label`.
    Goto(Ident),
    /// `atomic { … }`.
    Atomic(Sequence),
    /// `d_step { … }`.
    DStep(Sequence),
    /// `{ … }`.
    Block(Sequence),
    /// `main unless escape`.
    Unless(Box<Stmt>, Box<Stmt>),
    /// `for (v : from .. to) { … }`.
    ForRange {
        /// The loop variable.
        var: VarRef,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// The body.
        body: Sequence,
    },
    /// `for (v in array-or-channel) { … }`.
    ForIn {
        /// The loop variable.
        var: VarRef,
        /// The array or channel.
        over: VarRef,
        /// The body.
        body: Sequence,
    },
    /// `select (v : from .. to)`.
    Select {
        /// The variable chosen for.
        var: VarRef,
        /// Least value.
        from: Expr,
        /// Greatest value.
        to: Expr,
    },
    /// `xr q, …` (`exclusive_read`) or `xs q, …`.
    Exclusive {
        /// `xr`.
        read: bool,
        /// The channels.
        chans: Vec<VarRef>,
    },
    /// `return e` inside an inline that is used as `v = name(args)`.
    Return(Option<Expr>),
    /// `name(args)` of an inline, expanded: the body is a block; `result` is the variable on the
    /// left of `v = name(args)`.
    InlineCall {
        /// The inline's name, at the call.
        name: Ident,
        /// Variable that receives what the inline returns.
        result: Option<VarRef>,
        /// The body with arguments in place.
        body: Sequence,
    },
}

/// An argument of a receive or poll.
#[derive(Clone, Debug)]
pub enum ReceiveArg {
    /// A variable: receives the field.
    Var(VarRef),
    /// `_`: the field is dropped.
    Any(Span),
    /// `eval(e)` or a constant: must equal the field.
    Match(Expr),
}

/// A reference to a variable: `name[index].field…`.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The name.
    pub name: Ident,
    /// `[index]`.
    pub index: Option<Box<Expr>>,
    /// `.field…`.
    pub field: Option<Box<VarRef>>,
    /// All of it.
    pub span: Span,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// From its first to its last token.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, `true`, `false`, `skip`, a character constant.
    Const(i32),
    /// A variable, an mtype symbol, or a predefined name (`_pid`, `_nr_pr`, `_last`, `_priority`, `_`).
    Var(VarRef),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run name(args) [priority n]`.
    Run {
        /// The process type.
        name: Ident,
        /// Arguments.
        args: Vec<Expr>,
        /// Priority.
        priority: Option<Box<Expr>>,
    },
    /// `len(c)`, `empty(c)`, …
    ChanQuery(ChanQuery, VarRef),
    /// `c ?[args]`, `c ??[args]`.
    Poll {
        /// The channel.
        chan: VarRef,
        /// `??`.
        random: bool,
        /// Values to match (variables count as match by their value? no: as in a receive).
        args: Vec<ReceiveArg>,
    },
    /// `enabled(e)`.
    Enabled(Box<Expr>),
    /// `pc_value(e)`.
    PcValue(Box<Expr>),
    /// `get_priority(e)`.
    GetPriority(Box<Expr>),
    /// `set_priority(pid, priority)`.
    SetPriority(Box<Expr>, Box<Expr>),
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `P[i]@label`, `P@label`.
    RemoteLabel {
        /// The process type.
        process: Ident,
        /// `[i]`.
        pid: Option<Box<Expr>>,
        /// The label.
        label: Ident,
    },
    /// `P[i]:v`, `P:v`.
    RemoteVar {
        /// The process type.
        process: Ident,
        /// `[i]`.
        pid: Option<Box<Expr>>,
        /// The variable.
        var: VarRef,
    },
}

/// `len empty nempty full nfull`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChanQuery {
    /// Messages in the channel.
    Len,
    /// Whether there is none.
    Empty,
    /// Whether there is one.
    NonEmpty,
    /// Whether there is no room.
    Full,
    /// Whether there is room.
    NonFull,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`.
    Not,
    /// `-`.
    Negate,
    /// `~`.
    Complement,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}
