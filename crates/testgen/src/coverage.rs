//! Which construct occurs in which position of a parsed model. A test demands that every possible cell of this table
//! is hit by the models of a fixed number of seeds.
//!
//! The walk matches the parser's tree without wildcards, so a construct that is added to the language does not compile
//! here before it has a row.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_promela_syntax::ast::{
    BinaryOp, ChanInit, ChanQuery, Expr, ExprKind, Init, Item, Ltl, Model, Process, ReceiveArg, Sequence, Stmt,
    StmtKind, TypeName, UnaryOp, VarDecl, VarRef,
};

/// What encloses a statement directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Process,
    If,
    Do,
    Atomic,
    DStep,
    Main,
    Escape,
    Block,
    For,
    Inline,
    Claim,
    Trace,
}

impl Around {
    fn name(self) -> &'static str {
        match self {
            Around::Process => "process",
            Around::If => "if",
            Around::Do => "do",
            Around::Atomic => "atomic",
            Around::DStep => "d_step",
            Around::Main => "unless main",
            Around::Escape => "unless escape",
            Around::Block => "block",
            Around::For => "for",
            Around::Inline => "inline",
            Around::Claim => "claim",
            Around::Trace => "trace",
        }
    }
}

/// Rows of the table of statements.
pub const STATEMENTS: &[&str] = &[
    "declaration",
    "condition",
    "skip",
    "run",
    "timeout",
    "assignment",
    "assignment of run",
    "increment",
    "decrement",
    "send",
    "rendezvous send",
    "sorted send",
    "receive",
    "rendezvous receive",
    "random receive",
    "copy receive",
    "random copy receive",
    "assert",
    "printf",
    "printm",
    "if",
    "do",
    "else",
    "break",
    "goto",
    "atomic",
    "d_step",
    "block",
    "unless",
    "for range",
    "for array",
    "for channel",
    "select",
    "xr",
    "xs",
    "return",
    "inline",
    "inline with result",
];

/// Columns of the table of statements.
pub const POSITIONS: &[&str] = &[
    "process first",
    "process middle",
    "process last",
    "if first",
    "if middle",
    "if last",
    "do first",
    "do middle",
    "do last",
    "atomic first",
    "atomic middle",
    "atomic last",
    "d_step first",
    "d_step middle",
    "d_step last",
    "unless main first",
    "unless main middle",
    "unless main last",
    "unless escape first",
    "unless escape middle",
    "unless escape last",
    "block first",
    "block middle",
    "block last",
    "for first",
    "for middle",
    "for last",
    "inline first",
    "inline middle",
    "inline last",
    "claim first",
    "claim middle",
    "claim last",
    "within atomic",
    "within d_step",
    "within unless main",
    "within unless escape",
    "after label",
    "before label",
    "after assignment",
    "target of goto",
    "target of goto from atomic",
    "target of goto into atomic",
];

/// Rows of the table of expressions.
pub const EXPRESSIONS: &[&str] = &[
    "constant",
    "variable",
    "element",
    "field",
    "element of field",
    "_pid",
    "_last",
    "_nr_pr",
    "_priority",
    "!",
    "-",
    "~",
    "*",
    "/",
    "%",
    "+",
    "- (infix)",
    "<<",
    ">>",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "&",
    "^",
    "|",
    "&&",
    "||",
    "conditional",
    "run",
    "len",
    "empty",
    "nempty",
    "full",
    "nfull",
    "poll",
    "random poll",
    "enabled",
    "pc_value",
    "get_priority",
    "set_priority",
    "timeout",
    "np_",
    "remote label",
    "remote label without pid",
    "remote variable",
    "remote variable without pid",
];

/// Columns of the table of expressions.
pub const USES: &[&str] = &[
    "condition",
    "guard of option",
    "assigned value",
    "assert",
    "sent value",
    "eval",
    "index",
    "printed value",
    "run argument",
    "provided",
    "claim",
    "formula",
    "initialiser",
    "for bound",
    "select bound",
];

/// Other constructs: items, types, prefixes, heads of processes, kinds of labels, arguments of receives, operators of LTL.
pub const FEATURES: &[&str] = &[
    "mtype",
    "mtype set",
    "typedef",
    "structure in structure",
    "array in structure",
    "channel in structure",
    "never",
    "ltl",
    "trace",
    "notrace",
    "inline",
    "bit",
    "bool",
    "byte",
    "pid",
    "short",
    "int",
    "unsigned",
    "mtype variable",
    "mtype set variable",
    "chan",
    "structure variable",
    "array",
    "array of structures",
    "array of channels",
    "hidden",
    "show",
    "local",
    "initial value",
    "initial list",
    "initial channel",
    "several fields",
    "structure in message",
    "channel in message",
    "init",
    "active",
    "active [n]",
    "D_proctype",
    "priority",
    "provided",
    "parameter",
    "channel parameter",
    "structure parameter",
    "run with priority",
    "local channel",
    "hiding declaration",
    "end label",
    "accept label",
    "progress label",
    "other label",
    "two labels",
    "receive into variable",
    "receive any",
    "receive match",
    "receive eval",
    "poll match",
    "poll any",
    "ltl atom",
    "ltl !",
    "ltl X",
    "ltl []",
    "ltl <>",
    "ltl &&",
    "ltl ||",
    "ltl ->",
    "ltl <->",
    "ltl U",
    "ltl W",
    "ltl V",
    "else in atomic",
    "else in d_step",
];

/// A cell: row and column.
pub type Cell = (&'static str, &'static str);

/// How often each cell was hit.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Statements in positions.
    pub statements: BTreeMap<Cell, u64>,
    /// Expressions in uses.
    pub expressions: BTreeMap<Cell, u64>,
    /// Other constructs.
    pub features: BTreeMap<&'static str, u64>,
}

impl Coverage {
    /// Counts what a model contains.
    pub fn count(&mut self, model: &Model) {
        let mut walk = Walk { coverage: self, capacities: BTreeMap::new(), context: Context::default() };
        walk.model(model);
    }

    /// Adds the figures of other models.
    pub fn add(&mut self, other: &Coverage) {
        other.statements.iter().for_each(|(cell, count)| *self.statements.entry(*cell).or_default() += count);
        other.expressions.iter().for_each(|(cell, count)| *self.expressions.entry(*cell).or_default() += count);
        other.features.iter().for_each(|(name, count)| *self.features.entry(name).or_default() += count);
    }
}

/// Where the walk is inside a body.
#[derive(Clone, Default)]
struct Context {
    within: Vec<Around>,
    /// Labels that a `goto` of the body names: from outside of atomic sequences, from inside.
    jumps: [BTreeSet<String>; 2],
    names: Vec<String>,
}

struct Walk<'c> {
    coverage: &'c mut Coverage,
    /// Capacities of channels by name.
    capacities: BTreeMap<String, i32>,
    context: Context,
}

impl Walk<'_> {
    fn feature(&mut self, name: &'static str) {
        debug_assert!(FEATURES.contains(&name), "{name}");
        *self.coverage.features.entry(name).or_default() += 1;
    }

    fn model(&mut self, model: &Model) {
        for item in &model.items {
            match item {
                Item::Mtype(decl) => self.feature(if decl.set.is_some() { "mtype set" } else { "mtype" }),
                Item::Typedef(typedef) => {
                    self.feature("typedef");
                    for field in &typedef.fields {
                        match (&field.ty, &field.array) {
                            (TypeName::Named(_), _) => self.feature("structure in structure"),
                            (TypeName::Chan, _) => self.feature("channel in structure"),
                            (_, Some(_)) => self.feature("array in structure"),
                            _ => {}
                        }
                        self.declaration(field);
                    }
                }
                Item::Vars(vars) => vars.iter().for_each(|var| self.declaration(var)),
                Item::Process(process) => self.process(process),
                Item::Never(claim) => {
                    self.feature("never");
                    self.body(&claim.body, Around::Claim);
                }
                Item::Ltl(claim) => {
                    self.feature("ltl");
                    self.formula(&claim.formula);
                }
                Item::Trace(trace) => {
                    self.feature(if trace.negated { "notrace" } else { "trace" });
                    self.body(&trace.body, Around::Trace);
                }
            }
        }
    }

    fn process(&mut self, process: &Process) {
        match (&process.active, process.is_init) {
            (_, true) => self.feature("init"),
            (Some(None), _) => self.feature("active"),
            (Some(Some(_)), _) => self.feature("active [n]"),
            (None, _) => {}
        }
        if process.deterministic {
            self.feature("D_proctype");
        }
        if process.priority.is_some() {
            self.feature("priority");
        }
        if let Some(condition) = &process.provided {
            self.feature("provided");
            self.expr(condition, "provided");
        }
        for param in &process.params {
            self.feature(match param.ty {
                TypeName::Chan => "channel parameter",
                TypeName::Named(_) => "structure parameter",
                _ => "parameter",
            });
            self.declaration(param);
        }
        self.body(&process.body, Around::Process);
    }

    fn declaration(&mut self, var: &VarDecl) {
        self.feature(match &var.ty {
            TypeName::Bit => "bit",
            TypeName::Bool => "bool",
            TypeName::Byte => "byte",
            TypeName::Pid => "pid",
            TypeName::Short => "short",
            TypeName::Int => "int",
            TypeName::Unsigned(_) => "unsigned",
            TypeName::Mtype(None) => "mtype variable",
            TypeName::Mtype(Some(_)) => "mtype set variable",
            TypeName::Chan => "chan",
            TypeName::Named(_) => "structure variable",
        });
        for (written, name) in [(var.hidden, "hidden"), (var.show, "show"), (var.local, "local")] {
            if written {
                self.feature(name);
            }
        }
        if var.array.is_some() {
            self.feature(match var.ty {
                TypeName::Named(_) => "array of structures",
                TypeName::Chan => "array of channels",
                _ => "array",
            });
        }
        match &var.init {
            None => {}
            Some(Init::Expr(value)) => {
                self.feature("initial value");
                self.expr(value, "initialiser");
            }
            Some(Init::List(values)) => {
                self.feature("initial list");
                values.iter().for_each(|value| self.expr(value, "initialiser"));
            }
            Some(Init::Chan(init)) => self.channel(&var.name.name, init),
        }
    }

    fn channel(&mut self, name: &str, init: &ChanInit) {
        self.feature("initial channel");
        if let ExprKind::Const(capacity) = init.capacity.kind {
            self.capacities.insert(name.to_owned(), capacity);
        }
        if init.fields.len() > 1 {
            self.feature("several fields");
        }
        for (ty, _) in &init.fields {
            match ty {
                TypeName::Named(_) => self.feature("structure in message"),
                TypeName::Chan => self.feature("channel in message"),
                _ => {}
            }
        }
        if !self.context.within.is_empty() {
            self.feature("local channel");
        }
    }

    fn formula(&mut self, formula: &Ltl) {
        let (name, parts): (_, Vec<&Ltl>) = match formula {
            Ltl::Atom(atom) => {
                self.expr(atom, "formula");
                ("ltl atom", vec![])
            }
            Ltl::Not(a) => ("ltl !", vec![a]),
            Ltl::Next(a) => ("ltl X", vec![a]),
            Ltl::Always(a) => ("ltl []", vec![a]),
            Ltl::Eventually(a) => ("ltl <>", vec![a]),
            Ltl::And(a, b) => ("ltl &&", vec![a, b]),
            Ltl::Or(a, b) => ("ltl ||", vec![a, b]),
            Ltl::Implies(a, b) => ("ltl ->", vec![a, b]),
            Ltl::Iff(a, b) => ("ltl <->", vec![a, b]),
            Ltl::Until(a, b) => ("ltl U", vec![a, b]),
            Ltl::WeakUntil(a, b) => ("ltl W", vec![a, b]),
            Ltl::Release(a, b) => ("ltl V", vec![a, b]),
        };
        self.feature(name);
        parts.into_iter().for_each(|part| self.formula(part));
    }

    fn body(&mut self, body: &Sequence, around: Around) {
        let mut jumps = [BTreeSet::new(), BTreeSet::new()];
        jumps_of(body, false, &mut jumps);
        self.context = Context { within: Vec::new(), jumps, names: Vec::new() };
        self.sequence(body, around);
        self.context = Context::default();
    }

    fn sequence(&mut self, body: &Sequence, around: Around) {
        self.context.within.push(around);
        // A declaration in front is not the first statement unless nothing else is asked of it.
        let count = body.stmts.len();
        for (at, stmt) in body.stmts.iter().enumerate() {
            let mut places: Vec<String> = Vec::new();
            let mut place = |which: &str| places.push(format!("{} {which}", around.name()));
            let led = body.stmts[..at].iter().all(|before| matches!(before.kind, StmtKind::Decl(_)));
            if at == 0 || led {
                place("first");
            }
            if at + 1 == count {
                place("last");
            }
            if at > 0 && at + 1 < count {
                place("middle");
            }
            let before = at.checked_sub(1).map(|before| &body.stmts[before].kind);
            if matches!(before, Some(StmtKind::Assign(..) | StmtKind::Increment(_) | StmtKind::Decrement(_))) {
                places.push("after assignment".to_owned());
            }
            if body.stmts.get(at + 1).is_some_and(|next| !next.labels.is_empty()) {
                places.push("before label".to_owned());
            }
            let guard = at == 0 && matches!(around, Around::If | Around::Do);
            self.stmt(stmt, places, guard);
        }
        self.context.within.pop();
    }

    fn stmt(&mut self, stmt: &Stmt, mut places: Vec<String>, guard: bool) {
        let within = self.context.within.clone();
        let inside = |around| within.contains(&around);
        for (around, name) in [
            (Around::Atomic, "within atomic"),
            (Around::DStep, "within d_step"),
            (Around::Main, "within unless main"),
            (Around::Escape, "within unless escape"),
        ] {
            if inside(around) && within.last() != Some(&around) {
                places.push(name.to_owned());
            }
        }
        if !stmt.labels.is_empty() {
            places.push("after label".to_owned());
        }
        if stmt.labels.len() > 1 {
            self.feature("two labels");
        }
        for label in &stmt.labels {
            let name = &label.name;
            let prefixed = |prefix: &str| name.starts_with(prefix);
            self.feature(match () {
                () if prefixed("end") => "end label",
                () if prefixed("accept") => "accept label",
                () if prefixed("progress") => "progress label",
                () => "other label",
            });
            let [plain, atomic] = &self.context.jumps;
            let (plain, atomic) = (plain.contains(name), atomic.contains(name));
            match (plain, atomic, inside(Around::Atomic)) {
                (true, _, true) => places.push("target of goto into atomic".to_owned()),
                (true, _, false) => places.push("target of goto".to_owned()),
                _ => {}
            }
            if atomic && !inside(Around::Atomic) {
                places.push("target of goto from atomic".to_owned());
            }
        }
        let row = self.kind(stmt, guard);
        for place in places {
            // Traces are counted as a feature: their statements are events, not steps.
            if let Some(column) = POSITIONS.iter().find(|column| **column == place) {
                *self.coverage.statements.entry((row, column)).or_default() += 1;
            }
        }
    }

    /// The row of a statement; counts what is in it.
    fn kind(&mut self, stmt: &Stmt, guard: bool) -> &'static str {
        let in_claim = self.context.within.first() == Some(&Around::Claim);
        let condition = match (in_claim, guard) {
            (true, _) => "claim",
            (_, true) => "guard of option",
            _ => "condition",
        };
        match &stmt.kind {
            StmtKind::Decl(vars) => {
                for var in vars {
                    if self.context.names.contains(&var.name.name) {
                        self.feature("hiding declaration");
                    }
                    self.context.names.push(var.name.name.clone());
                    self.declaration(var);
                }
                "declaration"
            }
            StmtKind::Expr(expr) => {
                self.expr(expr, condition);
                match &expr.kind {
                    ExprKind::Const(1) => "skip",
                    ExprKind::Run { .. } => "run",
                    ExprKind::Timeout => "timeout",
                    _ => "condition",
                }
            }
            StmtKind::Assign(var, value) => {
                self.var(var);
                self.expr(value, "assigned value");
                if matches!(value.kind, ExprKind::Run { .. }) { "assignment of run" } else { "assignment" }
            }
            StmtKind::Increment(var) => {
                self.var(var);
                "increment"
            }
            StmtKind::Decrement(var) => {
                self.var(var);
                "decrement"
            }
            StmtKind::Send { chan, sorted, args } => {
                self.var(chan);
                args.iter().for_each(|arg| self.expr(arg, "sent value"));
                match (sorted, self.is_rendezvous(chan)) {
                    (true, _) => "sorted send",
                    (_, true) => "rendezvous send",
                    _ => "send",
                }
            }
            StmtKind::Receive { chan, random, copy, args } => {
                self.var(chan);
                args.iter().for_each(|arg| self.argument(arg, false));
                match (random, copy, self.is_rendezvous(chan)) {
                    (true, true, _) => "random copy receive",
                    (true, _, _) => "random receive",
                    (_, true, _) => "copy receive",
                    (_, _, true) => "rendezvous receive",
                    _ => "receive",
                }
            }
            StmtKind::Assert(expr) => {
                self.expr(expr, if in_claim { "claim" } else { "assert" });
                "assert"
            }
            StmtKind::Printf { args, .. } => {
                args.iter().for_each(|arg| self.expr(arg, "printed value"));
                "printf"
            }
            StmtKind::Printm(expr) => {
                self.expr(expr, "printed value");
                "printm"
            }
            StmtKind::If(options) => {
                options.iter().for_each(|option| self.sequence(option, Around::If));
                "if"
            }
            StmtKind::Do(options) => {
                options.iter().for_each(|option| self.sequence(option, Around::Do));
                "do"
            }
            StmtKind::Else => {
                for (around, name) in [(Around::Atomic, "else in atomic"), (Around::DStep, "else in d_step")] {
                    if self.context.within.contains(&around) {
                        self.feature(name);
                    }
                }
                "else"
            }
            StmtKind::Break => "break",
            StmtKind::Goto(_) => "goto",
            StmtKind::Atomic(body) => {
                self.sequence(body, Around::Atomic);
                "atomic"
            }
            StmtKind::DStep(body) => {
                self.sequence(body, Around::DStep);
                "d_step"
            }
            StmtKind::Block(body) => {
                self.sequence(body, Around::Block);
                "block"
            }
            StmtKind::Unless(main, escape) => {
                self.part(main, Around::Main);
                self.part(escape, Around::Escape);
                "unless"
            }
            StmtKind::ForRange { var, from, to, body } => {
                self.var(var);
                self.expr(from, "for bound");
                self.expr(to, "for bound");
                self.sequence(body, Around::For);
                "for range"
            }
            StmtKind::ForIn { var, over, body } => {
                self.var(var);
                self.sequence(body, Around::For);
                if self.capacities.contains_key(&over.name.name) { "for channel" } else { "for array" }
            }
            StmtKind::Select { var, from, to } => {
                self.var(var);
                self.expr(from, "select bound");
                self.expr(to, "select bound");
                "select"
            }
            StmtKind::Exclusive { read, .. } => {
                if *read {
                    "xr"
                } else {
                    "xs"
                }
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|value| self.expr(value, "assigned value"));
                "return"
            }
            StmtKind::InlineCall { result, body, .. } => {
                self.feature("inline");
                self.sequence(body, Around::Inline);
                if result.is_some() { "inline with result" } else { "inline" }
            }
        }
    }

    /// One side of `unless`: what is in its braces, or the statement itself.
    fn part(&mut self, part: &Stmt, around: Around) {
        match &part.kind {
            StmtKind::Block(body) => self.sequence(body, around),
            _ => self.sequence(&Sequence { stmts: vec![part.clone()] }, around),
        }
    }

    fn is_rendezvous(&self, chan: &VarRef) -> bool {
        self.capacities.get(&chan.name.name) == Some(&0)
    }

    fn argument(&mut self, arg: &ReceiveArg, poll: bool) {
        match arg {
            ReceiveArg::Var(var) => {
                self.feature("receive into variable");
                self.var(var);
            }
            ReceiveArg::Any(_) => self.feature(if poll { "poll any" } else { "receive any" }),
            ReceiveArg::Match(expr) => {
                let constant = matches!(expr.kind, ExprKind::Const(_));
                self.feature(match (poll, constant) {
                    (true, _) => "poll match",
                    (_, true) => "receive match",
                    _ => "receive eval",
                });
                self.expr(expr, "eval");
            }
        }
    }

    fn var(&mut self, var: &VarRef) {
        if let Some(index) = &var.index {
            self.expr(index, "index");
        }
        if let Some(field) = &var.field {
            self.var(field);
        }
    }

    fn expr(&mut self, expr: &Expr, column: &'static str) {
        let (row, parts): (&'static str, Vec<&Expr>) = match &expr.kind {
            ExprKind::Const(_) => ("constant", vec![]),
            ExprKind::Var(var) => {
                self.var(var);
                (variable(var), vec![])
            }
            ExprKind::Unary(op, a) => (unary(*op), vec![a]),
            ExprKind::Binary(op, a, b) => (binary(*op), vec![a, b]),
            ExprKind::Conditional(a, b, c) => ("conditional", vec![a, b, c]),
            ExprKind::Run { args, priority, .. } => {
                if priority.is_some() {
                    self.feature("run with priority");
                }
                args.iter().for_each(|arg| self.expr(arg, "run argument"));
                ("run", vec![])
            }
            ExprKind::ChanQuery(query, _) => (
                match query {
                    ChanQuery::Len => "len",
                    ChanQuery::Empty => "empty",
                    ChanQuery::NonEmpty => "nempty",
                    ChanQuery::Full => "full",
                    ChanQuery::NonFull => "nfull",
                },
                vec![],
            ),
            ExprKind::Poll { random, args, .. } => {
                args.iter().for_each(|arg| self.argument(arg, true));
                (if *random { "random poll" } else { "poll" }, vec![])
            }
            ExprKind::Enabled(a) => ("enabled", vec![a]),
            ExprKind::PcValue(a) => ("pc_value", vec![a]),
            ExprKind::GetPriority(a) => ("get_priority", vec![a]),
            ExprKind::SetPriority(a, b) => ("set_priority", vec![a, b]),
            ExprKind::Timeout => ("timeout", vec![]),
            ExprKind::NonProgress => ("np_", vec![]),
            ExprKind::RemoteLabel { pid, .. } => (
                if pid.is_some() { "remote label" } else { "remote label without pid" },
                pid.as_deref().into_iter().collect(),
            ),
            ExprKind::RemoteVar { pid, .. } => (
                if pid.is_some() { "remote variable" } else { "remote variable without pid" },
                pid.as_deref().into_iter().collect(),
            ),
        };
        debug_assert!(EXPRESSIONS.contains(&row) && USES.contains(&column), "{row}, {column}");
        *self.coverage.expressions.entry((row, column)).or_default() += 1;
        parts.into_iter().for_each(|part| self.expr(part, column));
    }
}

fn variable(var: &VarRef) -> &'static str {
    match (var.name.name.as_str(), &var.index, &var.field) {
        ("_pid", ..) => "_pid",
        ("_last", ..) => "_last",
        ("_nr_pr", ..) => "_nr_pr",
        ("_priority", ..) => "_priority",
        (_, _, Some(field)) if field.index.is_some() => "element of field",
        (_, _, Some(_)) => "field",
        (_, Some(_), None) => "element",
        (_, None, None) => "variable",
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "!",
        UnaryOp::Negate => "-",
        UnaryOp::Complement => "~",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "- (infix)",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}

/// The labels that gotos name: outside of atomic sequences, and inside.
fn jumps_of(body: &Sequence, atomic: bool, jumps: &mut [BTreeSet<String>; 2]) {
    body.stmts.iter().for_each(|stmt| jumps_of_stmt(stmt, atomic, jumps));
}

fn jumps_of_stmt(stmt: &Stmt, atomic: bool, jumps: &mut [BTreeSet<String>; 2]) {
    match &stmt.kind {
        StmtKind::Goto(label) => {
            jumps[usize::from(atomic)].insert(label.name.clone());
        }
        StmtKind::If(options) | StmtKind::Do(options) => {
            options.iter().for_each(|option| jumps_of(option, atomic, jumps));
        }
        StmtKind::Atomic(body) | StmtKind::DStep(body) => jumps_of(body, true, jumps),
        StmtKind::Block(body)
        | StmtKind::ForRange { body, .. }
        | StmtKind::ForIn { body, .. }
        | StmtKind::InlineCall { body, .. } => jumps_of(body, atomic, jumps),
        StmtKind::Unless(main, escape) => [main, escape].into_iter().for_each(|s| jumps_of_stmt(s, atomic, jumps)),
        _ => {}
    }
}
