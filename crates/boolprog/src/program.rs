//! The lowered form of a Boolean program: what the interpreter executes and what engines encode.
//! Built by [`crate::lower`]; never printed.
//!
//! A program is a set of procedures, each a control-flow graph (\[LR\] Section 3). A thread runs one
//! procedure; a step of a thread follows one edge. What holds of every program:
//!
//! * A step is atomic. Expressions read the values *before* the step; [`Expr::Next`], in the condition
//!   of an [`Op::Assign`] only, reads the values after it.
//! * Every occurrence of `*` in an edge has a number of its own below [`Edge::choices`]: existentially
//!   quantified, free at every execution of the edge. `schoose[a,b]` is `a | (* & !b)`.
//! * Variables without a value take any value: globals whose [`Initial`] is `Any`, locals and the
//!   parameters of threads when their procedure starts.
//! * A switch is possible where the running thread's node (that of its innermost call) is not
//!   [`Node::atomic`] and the global [`Program::no_switch_while`], if there is one, is false. A thread
//!   that blocks where no switch is possible ends the run there: such a run is no run of the program,
//!   and its shared states are not reached. Entries of threads are never atomic.
//! * If that global is true at the start and there is no [`Program::init`], no thread has set it: any thread may be the first
//!   to run. If `init` ends while it is true, no thread ever runs.
//! * Nested atomic sections, `enforce`, `dead`, `abortif`, `constrain(e)` of Getafix, structured
//!   statements and `goto` are lowered away. Procedures called inside an atomic section and outside
//!   are two procedures here (the first with atomic nodes only).

use selvedge_source::Span;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The index of the item with this position.
            pub fn new(position: usize) -> Self {
                $name(position as u32)
            }

            /// As a position.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index! {
    /// A global: index into [`Program::globals`].
    GlobalId
}
index! {
    /// A local of some procedure: index into [`Procedure::locals`].
    LocalId
}
index! {
    /// Index into [`Program::procedures`].
    ProcId
}
index! {
    /// Index into [`Program::nodes`]: nodes of all procedures are numbered together.
    NodeId
}
index! {
    /// Index into [`Program::edges`]: edges of all procedures are numbered together.
    EdgeId
}

/// A variable in the scope of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VarId {
    /// Shared by all threads.
    Global(GlobalId),
    /// A parameter or local of the procedure whose edge this is.
    Local(LocalId),
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// Both.
    And,
    /// One or both.
    Or,
    /// Exactly one; also written `!=`.
    Xor,
    /// Equal.
    Eq,
    /// If the left then the right.
    Implies,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// `T` or `F`.
    Const(bool),
    /// The value before the step.
    Var(VarId),
    /// `'x`: the value after the step; only in [`Op::Assign`]'s `constrain`.
    Next(VarId),
    /// `*`: either; the number is the occurrence's own within its edge.
    Nondet(u32),
    /// Not.
    Not(Box<Expr>),
    /// Two operands.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : else`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// What an edge does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Nothing (`skip`, a choice of `goto`, the borders of atomic sections).
    Skip,
    /// Parallel assignment. `targets` are distinct, as long as `values`; every other variable keeps
    /// its value. `constrain`, over values before ([`Expr::Var`]) and after ([`Expr::Next`]),
    /// must be true or the step cannot be taken.
    Assign {
        /// Assigned to.
        targets: Vec<VarId>,
        /// What; read before.
        values: Vec<Expr>,
        /// The condition.
        constrain: Option<Expr>,
    },
    /// The step can be taken only if some choice makes this true.
    Assume(Expr),
    /// A violation if some choice makes this false; the run continues if some choice makes it true.
    Assert(Expr),
    /// Calls; the edge's end is where the caller continues.
    Call {
        /// The callee.
        procedure: ProcId,
        /// One for each parameter; read before.
        args: Vec<Expr>,
        /// One for each of the callee's results; distinct; `None` discards the result.
        targets: Vec<Option<VarId>>,
    },
    /// Returns one value for each of the procedure's results. The edge's end is [`Procedure::exit`];
    /// the interpreter pops the frame in the same step. A thread whose outermost procedure
    /// returns has ended.
    Return {
        /// The results.
        values: Vec<Expr>,
    },
    /// Creates a thread that runs a procedure.
    Start {
        /// What it runs.
        procedure: ProcId,
        /// One for each parameter.
        args: Vec<Expr>,
    },
    /// Creates a thread that runs from a node of the same procedure with a copy of the locals
    /// (`start_thread goto L`).
    StartAt(NodeId),
    /// The thread ends, whatever its stack holds (`end_thread`). The edge's end is a node with
    /// [`Node::end`] and without edges.
    EndThread,
    /// Waits for the next broadcast of another thread.
    Wait,
    /// Wakes every thread that waits.
    Broadcast,
}

/// What a global holds at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Initial {
    /// Any value.
    Any,
    /// This one.
    Value(bool),
}

/// A global.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// At the start, before [`Program::init`].
    pub initial: Initial,
}

/// A parameter or local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name in the source; two procedures here share it if one is the atomic version.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Whether this is the version called inside atomic sections: then all its nodes are atomic
    /// (except where a thread has ended).
    pub atomic: bool,
    /// Parameters first, then the locals.
    pub locals: Vec<Local>,
    /// How many of `locals` are parameters.
    pub parameters: usize,
    /// How many values it returns.
    pub results: usize,
    /// Where it starts.
    pub entry: NodeId,
    /// Where it returns; no edge leaves it.
    pub exit: NodeId,
    /// All its nodes, `entry` first, `exit` last.
    pub nodes: Vec<NodeId>,
}

/// A place in a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its procedure.
    pub procedure: ProcId,
    /// The statement that is next here, or the `end` of the procedure.
    pub span: Span,
    /// No switch is possible while a thread is here.
    pub atomic: bool,
    /// A thread that stays here for ever has ended well (`end_thread`, and the exit).
    pub end: bool,
    /// The edges that leave it.
    pub edges: Vec<EdgeId>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// What it does.
    pub op: Op,
    /// How many occurrences of `*` are in `op`: they are numbered from 0.
    pub choices: u32,
    /// The statement (of a structured one, its condition).
    pub span: Span,
    /// The step in words where the statement's text is not enough: `else` of an `if`, the target
    /// of a `goto` with several.
    pub note: Option<String>,
}

/// A thread that exists from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// What it runs; parameters take any value.
    pub procedure: ProcId,
}

/// A label of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The function it stands in.
    pub function: String,
    /// The nodes that carry it (several if the statement is lowered more than once).
    pub nodes: Vec<NodeId>,
    /// Where it stands.
    pub span: Span,
}

/// A node that no run may reach: an error label, or the label of `--reach`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The node.
    pub node: NodeId,
    /// The label's name.
    pub label: String,
    /// Where the label stands.
    pub span: Span,
}

/// A Boolean program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The shared variables.
    pub globals: Vec<Global>,
    /// The procedures.
    pub procedures: Vec<Procedure>,
    /// The nodes of all procedures.
    pub nodes: Vec<Node>,
    /// The edges of all procedures.
    pub edges: Vec<Edge>,
    /// Runs alone before the threads start, to its end (Getafix: `init` up to `endinit`); the shared
    /// states it ends in are the initial ones. It has no parameters and creates no threads.
    pub init: Option<ProcId>,
    /// The threads that exist from the start, in the order of the round-robin schedule. One or more.
    pub threads: Vec<Thread>,
    /// No switch is possible in states in which this global is true (Getafix's `atomic`).
    pub no_switch_while: Option<GlobalId>,
    /// The labels, in the order of the source.
    pub labels: Vec<Label>,
    /// Nodes that no run may reach: reaching one (being there, whether or not a switch is
    /// possible) is a violation.
    pub targets: Vec<Target>,
}

impl Program {
    /// A procedure.
    pub fn procedure(&self, id: ProcId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// An edge.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// The edges of a procedure, in the order of its nodes.
    pub fn edges_of(&self, id: ProcId) -> impl Iterator<Item = &Edge> {
        self.procedure(id).nodes.iter().flat_map(|node| &self.node(*node).edges).map(|edge| self.edge(*edge))
    }

    /// Whether threads are created while the program runs.
    pub fn creates_threads(&self) -> bool {
        self.edges.iter().any(|edge| matches!(edge.op, Op::Start { .. } | Op::StartAt(_)))
    }

    /// Whether the global of [`Program::no_switch_while`] can be true when the threads start.
    pub fn may_start_flagged(&self) -> bool {
        let may_be_true = |flag: GlobalId| self.globals[flag.index()].initial != Initial::Value(false);
        self.init.is_none() && self.no_switch_while.is_some_and(may_be_true)
    }

    /// Whether `init`, or what it calls, may end its thread by `end_thread`.
    pub fn init_ends_thread(&self) -> bool {
        let mut called: Vec<ProcId> = self.init.into_iter().collect();
        let mut next = 0;
        while let Some(procedure) = called.get(next).copied() {
            next += 1;
            for edge in self.edges_of(procedure) {
                match edge.op {
                    Op::EndThread => return true,
                    Op::Call { procedure, .. } if !called.contains(&procedure) => called.push(procedure),
                    _ => {}
                }
            }
        }
        false
    }

    /// Whether threads wait for broadcasts.
    pub fn broadcasts(&self) -> bool {
        self.edges.iter().any(|edge| matches!(edge.op, Op::Wait | Op::Broadcast))
    }
}
