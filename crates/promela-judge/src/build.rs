//! Makes the elements of a body, in the order in which Spin makes them. Reading a statement
//! ([`Builder::read`]) makes the elements inside it; putting it into its sequence
//! ([`Builder::place`]) makes its own. Loops and selections written with `for` and `select` live
//! in `sugar`, placing in `place`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use selvedge_source::Span;

use super::exclusive::Claimed;
use super::flow::{Action, El, Flow, Scope, Seq, Slot};
use super::value::{Globals, Kind, Shape};
use selvedge_promela_syntax::ast::{Expr, ExprKind, Ident, Init, Sequence, Stmt, StmtKind, VarDecl, VarRef};

/// A statement that was read and not yet placed.
pub(crate) struct Node {
    pub(crate) labels: Vec<String>,
    pub(crate) span: Span,
    pub(crate) form: Form,
}

/// Its form.
pub(crate) enum Form {
    Basic(Action),
    Goto(Jump),
    If(Vec<Seq>),
    /// Options and the number of the loop, for `break`.
    Do(Vec<Seq>, usize),
    Unless(Seq, Seq),
    /// `Block`, `Atomic` or `DStep` with its body.
    Block(Action, Seq),
}

/// Where a jump goes.
#[derive(Clone)]
pub(crate) enum Jump {
    /// To a label, seen from a scope.
    Label(String, Vec<u32>),
    /// Behind the loop of this number.
    Break(usize),
}

/// What kind of body is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    Process,
    Claim,
    Trace,
}

pub(crate) struct Builder<'a> {
    pub(crate) globals: &'a Globals,
    body: Body,
    /// Labels of this body that remote references name.
    pub(crate) remote: BTreeSet<String>,
    pub(crate) flow: Flow,
    pub(crate) open: Vec<Option<Seq>>,
    pub(crate) scope: Rc<Scope>,
    /// Numbers of the enclosing braces.
    pub(crate) path: Vec<u32>,
    braces: u32,
    pub(crate) jumps: Vec<(El, Jump)>,
    loops: Vec<usize>,
    loop_count: usize,
    pub(crate) break_targets: BTreeMap<usize, El>,
    /// No statement was read yet: declarations are initialised when the process is created.
    at_start: bool,
    /// Depth of inline calls, with the variable each of them returns to.
    pub(crate) inlines: Vec<Option<VarRef>>,
}

impl<'a> Builder<'a> {
    /// The flow of a body with these parameters. `remote` are labels of it that other bodies name.
    pub(crate) fn build(
        globals: &'a Globals,
        body: Body,
        params: &[VarDecl],
        sequence: &Sequence,
        end: Span,
        remote: BTreeSet<String>,
    ) -> Result<Flow, String> {
        let mut builder = Builder {
            globals,
            body,
            remote,
            flow: Flow::default(),
            open: Vec::new(),
            scope: Rc::default(),
            path: vec![0],
            braces: 0,
            jumps: Vec::new(),
            loops: Vec::new(),
            loop_count: 0,
            break_targets: BTreeMap::new(),
            at_start: true,
            inlines: Vec::new(),
        };
        for param in params {
            let shape = globals.shape(param)?;
            builder.declare(&param.name.name, shape, None);
        }
        builder.open.push(None);
        builder.statements(sequence)?;
        builder.place(Node { labels: Vec::new(), span: end, form: Form::Basic(Action::End) });
        let all = builder.close();
        builder.resolve_jumps()?;
        builder.flow.finish(all.first)?;
        Ok(builder.flow)
    }

    /// Opens a new sequence.
    pub(crate) fn open(&mut self) {
        self.open.push(None);
        self.at_start = false;
    }

    /// Closes the innermost sequence. An empty one (only declarations of structures that need no
    /// step) cannot occur: the parser refuses it.
    pub(crate) fn close(&mut self) -> Seq {
        if matches!(self.open.last(), Some(None)) {
            let span = Span::new(selvedge_source::FileId(0), 0, 0);
            self.place(Node { labels: Vec::new(), span, form: Form::Basic(skip(span)) });
        }
        let seq = self.open.pop().flatten().expect("a sequence is open and not empty");
        Seq { extent: seq.last, ..seq }
    }

    /// A sequence of its own; in its own scope if it stands in braces.
    pub(crate) fn sequence(&mut self, sequence: &Sequence, braces: bool) -> Result<Seq, String> {
        self.open();
        if braces {
            self.in_braces(|this| this.statements(sequence))?;
        } else {
            self.statements(sequence)?;
        }
        Ok(self.close())
    }

    /// Runs `inside` in a new scope.
    pub(crate) fn in_braces<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outside = Rc::clone(&self.scope);
        self.braces += 1;
        self.path.push(self.braces);
        let result = inside(self);
        self.path.pop();
        self.scope = outside;
        result
    }

    pub(crate) fn statements(&mut self, sequence: &Sequence) -> Result<(), String> {
        for stmt in &sequence.stmts {
            self.statement(stmt)?;
        }
        Ok(())
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), String> {
        match &stmt.kind {
            StmtKind::Decl(vars) => vars.iter().try_for_each(|var| self.declaration(var)),
            StmtKind::Exclusive { read, chans } => {
                let claims = chans.iter().map(|chan| {
                    let (chan, scope) = (chan.clone(), Rc::clone(&self.scope));
                    Claimed { receiving: *read, chan, scope }
                });
                self.flow.claimed.extend(claims);
                Ok(())
            }
            _ => {
                let node = self.read(stmt)?;
                self.place(node);
                self.at_start = false;
                Ok(())
            }
        }
    }

    /// A declaration: before the first statement part of the process's creation, later a step.
    fn declaration(&mut self, var: &VarDecl) -> Result<(), String> {
        let shape = self.globals.shape(var)?;
        let init = var.init.clone().filter(|init| self.at_start || !matches!(init, Init::Expr(_)));
        self.declare(&var.name.name, shape, init);
        if !self.at_start && !matches!(var.init, Some(Init::Chan(_))) {
            let value = match &var.init {
                Some(Init::Expr(value)) => value.clone(),
                Some(Init::List(values)) if !values.is_empty() => values[0].clone(),
                _ => number(0, var.name.span),
            };
            let action = Action::Declare(variable(&var.name), value);
            self.place(Node { labels: Vec::new(), span: var.name.span, form: Form::Basic(action) });
        }
        Ok(())
    }

    /// Makes a local variable visible from here on.
    pub(crate) fn declare(&mut self, name: &str, shape: Shape, init: Option<Init>) {
        let slot = self.flow.slots.len();
        self.flow.slots.push(Slot { name: name.to_string(), shape, init });
        Rc::make_mut(&mut self.scope).insert(name.to_string(), slot);
    }

    /// The type of the variable that a name means here.
    pub(crate) fn shape_of(&self, name: &str) -> Option<Shape> {
        match self.scope.get(name) {
            Some(slot) => Some(self.flow.slots[*slot].shape.clone()),
            None => self.globals.variable(name).map(|variable| variable.shape.clone()),
        }
    }

    /// Reads a statement: makes the elements inside it.
    pub(crate) fn read(&mut self, stmt: &Stmt) -> Result<Node, String> {
        let form = match &stmt.kind {
            StmtKind::Decl(_) | StmtKind::Exclusive { .. } => return Err("a declaration stands for a statement".into()),
            StmtKind::Expr(e) => Form::Basic(Action::Cond(e.clone())),
            StmtKind::Assign(var, e) => Form::Basic(Action::Assign(var.clone(), e.clone())),
            StmtKind::Increment(var) => Form::Basic(add_one(var, selvedge_promela_syntax::ast::BinaryOp::Add)),
            StmtKind::Decrement(var) => Form::Basic(add_one(var, selvedge_promela_syntax::ast::BinaryOp::Sub)),
            StmtKind::Send { chan, sorted, args } => {
                Form::Basic(Action::Send { chan: chan.clone(), sorted: *sorted, args: args.clone() })
            }
            StmtKind::Receive { chan, random, copy, args } => {
                let (chan, args) = (chan.clone(), args.clone());
                Form::Basic(Action::Receive { chan, random: *random, copy: *copy, args })
            }
            StmtKind::Assert(e) => Form::Basic(Action::Assert(e.clone())),
            StmtKind::Printf { args, .. } => Form::Basic(Action::Print(args.clone())),
            StmtKind::Printm(e) => Form::Basic(Action::Print(vec![e.clone()])),
            StmtKind::Else => Form::Basic(Action::Else),
            StmtKind::If(options) => Form::If(self.options(options)?),
            StmtKind::Do(options) => {
                let number = self.enter_loop();
                let options = self.options(options)?;
                self.loops.pop();
                Form::Do(options, number)
            }
            StmtKind::Break => Form::Goto(Jump::Break(*self.loops.last().ok_or("`break` outside a loop")?)),
            StmtKind::Goto(label) => Form::Goto(Jump::Label(label.name.clone(), self.path.clone())),
            StmtKind::Atomic(body) => {
                let seq = self.sequence(body, true)?;
                self.make_atomic(seq, false);
                Form::Block(Action::Atomic, seq)
            }
            StmtKind::DStep(body) => {
                let seq = self.sequence(body, true)?;
                self.make_atomic(seq, true);
                Form::Block(Action::DStep, seq)
            }
            StmtKind::Block(body) => Form::Block(Action::Block, self.sequence(body, true)?),
            StmtKind::InlineCall { result, body, .. } => {
                self.at_start = false;
                self.inlines.push(result.clone());
                let seq = self.sequence(body, true);
                self.inlines.pop();
                Form::Block(Action::Block, seq?)
            }
            StmtKind::Return(value) => match (self.inlines.last(), value) {
                (Some(Some(result)), Some(value)) => Form::Basic(Action::Assign(result.clone(), value.clone())),
                _ => return Err("`return` without a variable to return to".into()),
            },
            StmtKind::Unless(main, escape) => return self.read_unless(stmt, main, escape),
            StmtKind::ForRange { .. } | StmtKind::ForIn { .. } | StmtKind::Select { .. } => self.read_sugar(stmt)?,
        };
        Ok(Node { labels: stmt.labels.iter().map(|label| label.name.clone()).collect(), span: stmt.span, form })
    }

    /// Begins a loop: `break` now leaves it.
    pub(crate) fn enter_loop(&mut self) -> usize {
        self.loop_count += 1;
        self.loops.push(self.loop_count);
        self.loop_count
    }

    /// Ends the innermost loop.
    pub(crate) fn leave_loop(&mut self) {
        self.loops.pop();
    }

    fn options(&mut self, options: &[Sequence]) -> Result<Vec<Seq>, String> {
        let seqs: Result<Vec<Seq>, String> = options.iter().map(|option| self.sequence(option, false)).collect();
        let seqs = seqs?;
        if self.body != Body::Claim {
            seqs.iter().for_each(|seq| self.drop_skips(*seq));
        }
        Ok(seqs)
    }

    /// Drops redundant skips: of several in a row without labels all but the first, except at the
    /// ends of the option.
    fn drop_skips(&mut self, seq: Seq) {
        let (mut before, mut run) = (seq.first, 0);
        let mut current = Some(seq.first);
        while let Some(at) = current {
            let element = &self.flow.elements[at];
            current = element.next;
            if !element.action.is_skip() || !element.labels.is_empty() {
                run = 0;
            } else {
                run += 1;
                if run > 1 && !element.action.is_print() && at != seq.first && at != seq.last {
                    self.flow.elements[before].next = current;
                    continue;
                }
            }
            before = at;
        }
    }

    /// `main unless escape`: blocks lend their sequences; a label on a block stays in front of
    /// the whole.
    fn read_unless(&mut self, stmt: &Stmt, main: &Stmt, escape: &Stmt) -> Result<Node, String> {
        let main = self.read(main)?;
        let escape = self.read(escape)?;
        let escape = match escape.form {
            Form::Block(Action::Block, seq) => seq,
            _ => self.alone(escape),
        };
        let mut labels: Vec<String> = stmt.labels.iter().map(|label| label.name.clone()).collect();
        labels.extend(main.labels.iter().cloned());
        match main.form {
            Form::Block(Action::Block, seq) if labels.is_empty() => {
                Ok(Node { labels, span: stmt.span, form: Form::Unless(seq, escape) })
            }
            Form::Block(action, seq) if !labels.is_empty() => {
                let inner = Node { labels: Vec::new(), span: stmt.span, form: Form::Unless(seq, escape) };
                let whole = self.alone(inner);
                Ok(Node { labels, span: stmt.span, form: Form::Block(action, whole) })
            }
            _ => {
                let main = self.alone(main);
                Ok(Node { labels: Vec::new(), span: stmt.span, form: Form::Unless(main, escape) })
            }
        }
    }

    /// A sequence of one statement.
    fn alone(&mut self, node: Node) -> Seq {
        self.open();
        self.place(node);
        self.close()
    }

    /// Finds the element that each jump goes to: the label in the nearest enclosing scope.
    fn resolve_jumps(&mut self) -> Result<(), String> {
        for (at, jump) in &self.jumps {
            let target = match jump {
                Jump::Break(number) => self.break_targets[number],
                Jump::Label(name, from) => {
                    let named = self.flow.labels.iter().filter(|(label, _, _)| label == name);
                    let nearest = named.max_by_key(|(_, path, _)| if from.starts_with(path) { path.len() } else { 0 });
                    nearest.ok_or_else(|| format!("no label is called `{name}`"))?.2
                }
            };
            self.flow.elements[*at].action = Action::Goto(target);
        }
        Ok(())
    }
}

/// The type of a `for` counter over a channel of this capacity.
pub(crate) fn counter_shape(capacity: i32) -> Shape {
    Shape { kind: if capacity > 255 { Kind::Short } else { Kind::Byte }, length: None }
}

/// `skip`.
pub(crate) fn skip(span: Span) -> Action {
    Action::Cond(number(1, span))
}

/// A number as an expression.
pub(crate) fn number(value: i32, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(value), span }
}

/// A variable without index or field.
pub(crate) fn variable(name: &Ident) -> VarRef {
    VarRef { name: name.clone(), index: None, field: None, span: name.span }
}

/// `v = v + 1` or `v = v - 1`.
pub(crate) fn add_one(var: &VarRef, op: selvedge_promela_syntax::ast::BinaryOp) -> Action {
    let left = Expr { kind: ExprKind::Var(var.clone()), span: var.span };
    let sum = ExprKind::Binary(op, Box::new(left), Box::new(number(1, var.span)));
    Action::Assign(var.clone(), Expr { kind: sum, span: var.span })
}
