//! The syntax tree of a Boolean program: what the parser makes, the checks read, the printer prints,
//! the lowering translates and the plain interpreter executes.

use selvedge_source::Span;

use crate::dialect::Dialect;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// How operators bind.
    pub dialect: Dialect,
    /// The shared variables.
    pub globals: Vec<Variable>,
    /// The functions.
    pub functions: Vec<Function>,
}

/// The initialiser of a variable (`decl x := 1;`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initializer {
    /// `*`
    Any,
    /// `0` or `1`
    Value(bool),
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// What it holds at first; any value if nothing is said.
    pub initial: Option<Initializer>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// How many values it returns.
    pub results: usize,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// Its other locals.
    pub locals: Vec<Variable>,
    /// Must hold after every step.
    pub enforce: Option<Expr>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The word `end`.
    pub end: Span,
}

/// A statement with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Its labels.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StmtKind,
    /// The statement without its labels; of a structured one, its first words with the condition.
    pub span: Span,
}

/// A branch of an `if`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// When it is taken.
    pub condition: Expr,
    /// The word `if` or `elsif` and the condition.
    pub span: Span,
    /// What is done.
    pub body: Vec<Stmt>,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `skip`
    Skip,
    /// `x, y := e, f constrain g`; a target `None` is `_`.
    Assign {
        /// Assigned to.
        targets: Vec<Option<Name>>,
        /// What.
        values: Vec<Expr>,
        /// Must hold, over values before and after.
        constrain: Option<Expr>,
    },
    /// `x, _ := f(e)` or `f(e)` (then `targets` is empty and every result is dropped).
    Call {
        /// Where the results go.
        targets: Vec<Option<Name>>,
        /// The function.
        callee: Name,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `return e, f`
    Return(Vec<Expr>),
    /// `goto L, M`
    Goto(Vec<Name>),
    /// `if … elsif … else … fi`
    If {
        /// `if` and the `elsif`s; at least one.
        branches: Vec<Branch>,
        /// `else`
        otherwise: Option<Vec<Stmt>>,
    },
    /// `while … do … od`
    While {
        /// The condition.
        condition: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `assert(e)`
    Assert(Expr),
    /// `assume(e)`
    Assume(Expr),
    /// `constrain(e)`: a relation between the values of all variables before and after.
    Constrain(Expr),
    /// `print(e)`: does nothing.
    Print(Vec<Expr>),
    /// `abortif e`
    AbortIf(Expr),
    /// `dead x, y`
    Dead(Vec<Name>),
    /// `start_thread f(e)`, or a call labelled `ASYNC_n`.
    Start {
        /// What the thread runs.
        callee: Name,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `start_thread goto L`
    StartGoto(Name),
    /// `end_thread`
    EndThread,
    /// `atomic_begin`
    AtomicBegin,
    /// `atomic_end`
    AtomicEnd,
    /// `wait`
    Wait,
    /// `broadcast`
    Broadcast,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOp {
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `=>`
    Implies,
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// `T`, `F`, `1`, `0`
    Const(bool),
    /// `x`
    Var(String),
    /// `'x`: the value after the step.
    Next(String),
    /// `*`
    Star,
    /// `!e`
    Not(Box<Expr>),
    /// `e op f`
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `e ? f : g`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `schoose[e, f]`
    Schoose(Box<Expr>, Box<Expr>),
}

/// A place for trees that were made, not read.
pub const NOWHERE: Span = Span { file: selvedge_source::FileId(0), start: 0, end: 0 };

impl Name {
    /// A name that stands nowhere.
    pub fn made(text: impl Into<String>) -> Self {
        Name { text: text.into(), span: NOWHERE }
    }
}

impl Expr {
    /// An expression that stands nowhere.
    pub fn made(kind: ExprKind) -> Self {
        Expr { kind, span: NOWHERE }
    }

    /// A variable.
    pub fn var(name: impl Into<String>) -> Self {
        Expr::made(ExprKind::Var(name.into()))
    }

    /// The sub-expressions.
    pub fn children(&self) -> impl Iterator<Item = &Expr> {
        let children: [Option<&Expr>; 3] = match &self.kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Next(_) | ExprKind::Star => [None, None, None],
            ExprKind::Not(e) => [Some(e), None, None],
            ExprKind::Binary(_, e, f) | ExprKind::Schoose(e, f) => [Some(e), Some(f), None],
            ExprKind::If(e, f, g) => [Some(e), Some(f), Some(g)],
        };
        children.into_iter().flatten()
    }
}

impl Stmt {
    /// A statement that stands nowhere and has no labels.
    pub fn made(kind: StmtKind) -> Self {
        Stmt { labels: Vec::new(), kind, span: NOWHERE }
    }

    /// The statement lists inside.
    pub fn blocks(&self) -> impl Iterator<Item = &Vec<Stmt>> {
        let (branches, last): (&[Branch], Option<&Vec<Stmt>>) = match &self.kind {
            StmtKind::If { branches, otherwise } => (branches, otherwise.as_ref()),
            StmtKind::While { body, .. } => (&[], Some(body)),
            _ => (&[], None),
        };
        branches.iter().map(|branch| &branch.body).chain(last)
    }
}

/// Calls `visit` for every statement of a list, inner ones included, in the order of the text.
pub fn walk<'a>(statements: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for statement in statements {
        visit(statement);
        for block in statement.blocks() {
            walk(block, visit);
        }
    }
}
