//! Statements as a graph of elements, built and numbered as Spin builds and numbers it, because the
//! number of control states, what is a step of its own and what is not, and the values of
//! `pc_value` all follow from it. `table` turns the graph into transitions.
//!
//! What must hold: elements are created in the order in which Spin's parser would create them
//! (inner statements before the statement around them; in `a unless b` the parts of `a`, the parts
//! of `b`, `b` itself, `a` itself); an `if` or `do` brings a target element (`Node::Dot`), a `do`
//! also a break target (`Node::BreakTarget`).

use selvedge_source::{Diagnostic, Span};

use super::Lowerer;
use super::codes;
use crate::program::{Action, Op};
use selvedge_promela_syntax::ast::{self, Sequence, Stmt, StmtKind};

/// Index of an element in its [`Graph`]; its number in Spin is one more.
pub(crate) type El = usize;
/// Index of a sequence in its [`Graph`].
pub(crate) type Sq = usize;

/// What an element is.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Basic(Action),
    Goto(Jump, Action),
    Dot,
    BreakTarget,
    If,
    Do,
    Unless,
    Atomic(Sq),
    DStep(Sq),
    Block(Sq),
}

/// Where a goto leads.
#[derive(Clone, Debug)]
pub(crate) enum Jump {
    Label { name: ast::Ident, inline: u32, scope: Vec<u32> },
    Break(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub node: Node,
    pub span: Span,
    pub next: Option<El>,
    /// Options of `if`/`do`; main part and escape of `unless`.
    pub sub: Vec<Sq>,
    /// Escapes that apply here, the one attached last first.
    pub escapes: Vec<Sq>,
    pub atom: bool,
    pub last_of_atom: bool,
    pub d_step: bool,
    /// Which `d_step` it lies in; 0 is none.
    pub in_d_step: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Seq {
    pub first: Option<El>,
    pub last: Option<El>,
    /// The last element before a target was appended.
    pub extent: Option<El>,
}

#[derive(Clone, Debug)]
pub(crate) struct LabelDef {
    pub name: String,
    pub span: Span,
    pub inline: u32,
    pub scope: Vec<u32>,
    pub element: El,
}

/// The graph of one process type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub elements: Vec<Element>,
    pub seqs: Vec<Seq>,
    pub labels: Vec<LabelDef>,
    pub break_targets: Vec<(u32, El)>,
    pub body: Sq,
}

/// A statement whose parts are in the graph but which is not an element itself yet.
pub(crate) struct Pending {
    kind: PendingKind,
    labels: Vec<ast::Ident>,
    span: Span,
}

enum PendingKind {
    Basic(Action),
    Goto(Jump, Action),
    If(Vec<Sq>),
    Do(Vec<Sq>, u32),
    Unless(Sq, Sq),
    Atomic(Sq),
    DStep(Sq),
    Block(Sq),
}

/// State while one process type's graph is built.
#[derive(Default)]
pub(crate) struct Builder {
    pub graph: Graph,
    open: Vec<Sq>,
    breaks: Vec<u32>,
    next_break: u32,
    next_inline: u32,
    inlines: Vec<(u32, Option<ast::VarRef>)>,
    next_d_step: u32,
    d_step: u32,
    next_scope: u32,
    scope: Vec<u32>,
    /// Declarations still take effect when the process is created.
    pub at_start: bool,
    /// Whether this is a claim (Spin does not prune its skips).
    pub claim: bool,
}

impl Builder {
    fn current(&self) -> Sq {
        *self.open.last().expect("a sequence is open")
    }

    fn open(&mut self) {
        self.at_start = false;
        self.graph.seqs.push(Seq::default());
        self.open.push(self.graph.seqs.len() - 1);
    }

    fn close(&mut self) -> Sq {
        let seq = self.open.pop().expect("a sequence is open");
        self.graph.seqs[seq].extent = self.graph.seqs[seq].last;
        seq
    }

    fn element(&mut self, node: Node, span: Span) -> El {
        self.graph.elements.push(Element {
            node,
            span,
            next: None,
            sub: Vec::new(),
            escapes: Vec::new(),
            atom: false,
            last_of_atom: false,
            d_step: false,
            in_d_step: self.d_step,
        });
        self.graph.elements.len() - 1
    }

    fn append(&mut self, element: El, seq: Sq) {
        if matches!(self.graph.elements[element].node, Node::Goto(..)) {
            self.skip_for_special_label(element, seq);
        }
        let s = &mut self.graph.seqs[seq];
        match s.last {
            None => s.first = Some(element),
            Some(last) => self.graph.elements[last].next = Some(element),
        }
        self.graph.seqs[seq].last = Some(element);
    }

    /// An `end`, `accept` or `progress` label on a goto needs a state of its own.
    fn skip_for_special_label(&mut self, element: El, seq: Sq) {
        let special = |name: &str| ["accept", "end", "progress"].iter().any(|p| name.starts_with(p));
        if let Some(index) = self.graph.labels.iter().rposition(|l| l.element == element && special(&l.name)) {
            let span = self.graph.elements[element].span;
            let skip = self.element(Node::Basic(Action { op: Op::Skip, span, text: "skip".to_owned() }), span);
            self.graph.labels[index].element = skip;
            self.append(skip, seq);
        }
    }

    fn add(&mut self, pending: Pending) {
        let seq = self.current();
        let (element, appended) = match pending.kind {
            PendingKind::Basic(action) => (self.element(Node::Basic(action), pending.span), false),
            PendingKind::Goto(jump, action) => (self.element(Node::Goto(jump, action), pending.span), false),
            PendingKind::Atomic(inner) => (self.element(Node::Atomic(inner), pending.span), false),
            PendingKind::DStep(inner) => (self.element(Node::DStep(inner), pending.span), false),
            PendingKind::Block(inner) => (self.element(Node::Block(inner), pending.span), false),
            PendingKind::If(options) => (self.choice(Node::If, options, None, pending.span), true),
            PendingKind::Do(options, exit) => (self.choice(Node::Do, options, Some(exit), pending.span), true),
            PendingKind::Unless(main, escape) => (self.unless(main, escape, pending.span), true),
        };
        for label in pending.labels.iter().rev() {
            self.graph.labels.push(LabelDef {
                name: label.name.clone(),
                span: label.span,
                inline: self.inlines.last().map_or(0, |i| i.0),
                scope: self.scope.clone(),
                element,
            });
        }
        if !appended {
            self.append(element, seq);
        }
    }

    fn choice(&mut self, node: Node, mut options: Vec<Sq>, exit: Option<u32>, span: Span) -> El {
        let seq = self.current();
        let element = self.element(node, span);
        let target = self.element(Node::Dot, span);
        if let Some(at) = options.iter().position(|s| self.starts_with_else(*s)) {
            let otherwise = options.remove(at);
            options.push(otherwise);
        }
        for option in &options {
            self.append(target, *option);
        }
        self.graph.elements[element].sub = options;
        let mut after = target;
        if let Some(exit) = exit {
            self.append(target, seq);
            after = self.element(Node::BreakTarget, span);
            self.graph.break_targets.push((exit, after));
        }
        self.append(element, seq);
        self.append(after, seq);
        element
    }

    fn starts_with_else(&self, seq: Sq) -> bool {
        let first = self.graph.seqs[seq].first;
        first.is_some_and(|e| matches!(&self.graph.elements[e].node, Node::Basic(Action { op: Op::Else, .. })))
    }

    fn unless(&mut self, main: Sq, escape: Sq, span: Span) -> El {
        let seq = self.current();
        let element = self.element(Node::Unless, span);
        let target = self.element(Node::Dot, span);
        self.graph.elements[element].sub = vec![main, escape];
        self.append(target, main);
        self.append(target, escape);
        self.attach_escape(main, escape);
        self.append(element, seq);
        self.append(target, seq);
        element
    }

    fn attach_escape(&mut self, seq: Sq, escape: Sq) {
        let extent = self.graph.seqs[seq].extent;
        let mut at = self.graph.seqs[seq].first;
        while let Some(element) = at {
            self.escape_element(element, escape);
            if Some(element) == extent {
                break;
            }
            at = self.graph.elements[element].next;
        }
    }

    fn escape_element(&mut self, element: El, escape: Sq) {
        if self.graph.elements[element].escapes.contains(&escape) {
            return;
        }
        for lower in self.graph.elements[element].escapes.clone() {
            self.attach_escape(lower, escape);
        }
        self.graph.elements[element].escapes.insert(0, escape);
        match self.graph.elements[element].node {
            Node::Unless => self.attach_escape(self.graph.elements[element].sub[0], escape),
            Node::If | Node::Do => {
                for option in self.graph.elements[element].sub.clone() {
                    self.attach_escape(option, escape);
                }
            }
            Node::DStep(inner) => {
                if let Some(first) = self.graph.seqs[inner].first {
                    self.escape_element(first, escape);
                }
            }
            Node::Atomic(inner) | Node::Block(inner) => self.attach_escape(inner, escape),
            _ => {}
        }
    }

    /// Marks a sequence as atomic: all of it but its last basic step.
    fn make_atomic(&mut self, seq: Sq, d_step: bool) {
        self.walk_atomic(seq, d_step);
        let Some(last) = self.graph.seqs[seq].last else { return };
        match self.graph.elements[last].node {
            Node::Block(inner) | Node::Atomic(inner) => self.make_atomic(inner, d_step),
            Node::Unless => self.make_atomic(self.graph.elements[last].sub[0], d_step),
            _ => {
                self.graph.elements[last].atom = false;
                self.graph.elements[last].last_of_atom = true;
            }
        }
    }

    fn walk_atomic(&mut self, seq: Sq, d_step: bool) {
        let last = self.graph.seqs[seq].last;
        let mut at = self.graph.seqs[seq].first;
        while let Some(element) = at {
            self.graph.elements[element].atom = true;
            self.graph.elements[element].d_step |= d_step;
            let inner = match self.graph.elements[element].node {
                Node::Atomic(inner) | Node::Block(inner) => Some(inner),
                Node::DStep(inner) if d_step => Some(inner),
                _ => None,
            };
            if let Some(inner) = inner {
                self.graph.elements[element].node = Node::Block(inner);
                self.walk_atomic(inner, d_step);
            }
            for option in self.graph.elements[element].sub.clone() {
                self.walk_atomic(option, d_step);
            }
            if Some(element) == last {
                break;
            }
            at = self.graph.elements[element].next;
        }
    }

    /// Removes unlabelled skips that follow one another inside an option.
    fn prune_skips(&mut self, options: &[Sq]) {
        if self.claim {
            return;
        }
        for &seq in options {
            let (mut before, mut run): (Option<El>, u32) = (None, 0);
            let mut at = self.graph.seqs[seq].first;
            while let Some(element) = at {
                at = self.graph.elements[element].next;
                let (skip, print) = match &self.graph.elements[element].node {
                    Node::Basic(action) => match &action.op {
                        Op::Skip => (true, false),
                        Op::Condition(crate::program::Ex::Const(1)) => (true, false),
                        Op::Print(_) => (true, true),
                        _ => (false, false),
                    },
                    _ => (false, false),
                };
                let labelled = self.graph.labels.iter().any(|l| l.element == element);
                if !skip || labelled {
                    run = 0;
                } else {
                    run += 1;
                    let s = &self.graph.seqs[seq];
                    let end = Some(element) == s.first || Some(element) == s.last;
                    if run > 1 && !print && !end {
                        self.graph.elements[before.expect("not the first")].next = at;
                        continue;
                    }
                }
                before = Some(element);
            }
        }
    }
}

impl Lowerer<'_> {
    /// The graph of a body, with the process's end appended.
    pub(crate) fn body_graph(&mut self, body: &Sequence, end: Span, claim: bool) -> Graph {
        self.builder = Builder { claim, ..Builder::default() };
        self.builder.open();
        self.builder.at_start = true;
        self.statements(body);
        let action = Action { op: Op::End, span: end, text: "-end-".to_owned() };
        let element = self.builder.element(Node::Basic(action), end);
        let seq = self.builder.current();
        self.builder.append(element, seq);
        let body = self.builder.close();
        self.builder.graph.body = body;
        std::mem::take(&mut self.builder.graph)
    }

    fn statements(&mut self, sequence: &Sequence) {
        for (index, stmt) in sequence.stmts.iter().enumerate() {
            let in_place = index == 0 && std::mem::take(&mut self.else_allowed);
            if matches!(stmt.kind, StmtKind::Else) && !in_place {
                self.error(
                    Diagnostic::error(
                        codes::MISPLACED_ELSE,
                        stmt.span,
                        "`else` must be the first statement of an option",
                    )
                    .help("write `:: else -> …` as one option of an `if` or `do`"),
                );
                continue;
            }
            if let Some(pending) = self.statement(stmt) {
                self.builder.add(pending);
            }
        }
    }

    /// A sequence in a scope of its own.
    fn inner(&mut self, sequence: &Sequence) -> Sq {
        self.builder.open();
        self.push_scope();
        self.statements(sequence);
        self.pop_scope();
        self.builder.close()
    }

    fn push_scope(&mut self) {
        self.builder.next_scope += 1;
        let id = self.builder.next_scope;
        self.builder.scope.push(id);
        self.scopes.push(Default::default());
    }

    fn pop_scope(&mut self) {
        self.builder.scope.pop();
        self.scopes.pop();
    }

    fn nonempty(&mut self, seq: Sq, span: Span) -> Sq {
        if self.builder.graph.seqs[seq].first.is_none() {
            self.error(
                Diagnostic::error(codes::EMPTY_SEQUENCE, span, "a sequence needs at least one statement")
                    .help("write `skip` if nothing is to be done"),
            );
            self.builder.open.push(seq);
            self.builder.add(basic(Op::Skip, span, "skip".to_owned()));
            self.builder.close();
        }
        seq
    }

    fn statement(&mut self, stmt: &Stmt) -> Option<Pending> {
        let mut pending = self.unlabelled(stmt)?;
        pending.labels.splice(0..0, stmt.labels.iter().cloned());
        self.builder.at_start = false;
        Some(pending)
    }

    fn unlabelled(&mut self, stmt: &Stmt) -> Option<Pending> {
        let span = stmt.span;
        let kind = match &stmt.kind {
            StmtKind::Decl(decls) => {
                self.local_declarations(decls);
                return None;
            }
            StmtKind::Exclusive { read, chans } => {
                for chan in chans {
                    let (variable, _) = self.channel(chan);
                    self.frame.exclusive.push((*read, variable));
                }
                return None;
            }
            StmtKind::If(options) => {
                let options = self.options(options, span);
                PendingKind::If(options)
            }
            StmtKind::Do(options) => {
                let exit = self.push_break();
                let options = self.options(options, span);
                self.builder.breaks.pop();
                PendingKind::Do(options, exit)
            }
            StmtKind::Block(inner) => {
                let seq = self.inner(inner);
                PendingKind::Block(self.nonempty(seq, span))
            }
            StmtKind::InlineCall { name, result, body } => {
                self.builder.at_start = false;
                self.builder.next_inline += 1;
                let id = self.builder.next_inline;
                self.builder.inlines.push((id, result.clone()));
                let seq = self.inner(body);
                self.builder.inlines.pop();
                PendingKind::Block(self.nonempty(seq, name.span))
            }
            StmtKind::Atomic(inner) => {
                self.label_in_front(inner, "atomic");
                let seq = self.inner(inner);
                let seq = self.nonempty(seq, span);
                self.builder.make_atomic(seq, false);
                PendingKind::Atomic(seq)
            }
            StmtKind::DStep(inner) => return Some(self.d_step(inner, span)),
            StmtKind::Unless(main, escape) => return self.unless_statement(main, escape, span),
            StmtKind::Goto(label) => {
                let jump = Jump::Label {
                    name: label.clone(),
                    inline: self.builder.inlines.last().map_or(0, |i| i.0),
                    scope: self.builder.scope.clone(),
                };
                PendingKind::Goto(jump, Action { op: Op::Skip, span, text: self.text(span).to_owned() })
            }
            StmtKind::Break => {
                let Some(exit) = self.builder.breaks.last().copied() else {
                    self.error(
                        Diagnostic::error(codes::MISPLACED_BREAK, span, "`break` outside a loop")
                            .label("no `do` or `for` around it"),
                    );
                    return Some(basic(Op::Skip, span, "skip".to_owned()));
                };
                PendingKind::Goto(Jump::Break(exit), Action { op: Op::Skip, span, text: "break".to_owned() })
            }
            StmtKind::ForRange { var, from, to, body } => return self.for_range(var, from, to, body, span),
            StmtKind::ForIn { var, over, body } => return self.for_in(var, over, body, span),
            StmtKind::Select { var, from, to } => return self.select(var, from, to, span),
            StmtKind::Return(value) => {
                let result = self.builder.inlines.last().and_then(|i| i.1.clone());
                let op = match (result, value) {
                    (Some(var), Some(value)) => self.assignment(&var, value),
                    _ => {
                        self.error(
                            Diagnostic::error(codes::MISPLACED_RETURN, span, "`return` with nothing to return to")
                                .help("use it in an inline that is called as `v = name(…)`"),
                        );
                        Op::Skip
                    }
                };
                return Some(basic(op, span, self.text(span).to_owned()));
            }
            _ => {
                let op = self.basic_statement(stmt);
                PendingKind::Basic(Action { op, span, text: self.text(span).to_owned() })
            }
        };
        Some(Pending { kind, labels: Vec::new(), span })
    }

    /// Spin has no state for the first statement inside an atomic sequence.
    fn label_in_front(&mut self, inner: &Sequence, what: &str) {
        if let Some(label) = inner.stmts.first().and_then(|s| s.labels.first()) {
            self.error(
                Diagnostic::error(
                    codes::MISPLACED_LABEL,
                    label.span,
                    format!("label `{}` stands first inside `{what}`", label.name),
                )
                .help(format!("put it in front: `{}: {what} {{ … }}`", label.name)),
            );
        }
    }

    fn options(&mut self, options: &[Sequence], span: Span) -> Vec<Sq> {
        let mut otherwise: Option<Span> = None;
        let mut seqs = Vec::new();
        for option in options {
            if let Some(Stmt { kind: StmtKind::Else, span, .. }) = option.stmts.first() {
                if let Some(first) = otherwise {
                    self.error(
                        Diagnostic::error(codes::DUPLICATE_ELSE, *span, "a second `else` in one selection")
                            .also(first, "the first one is here"),
                    );
                }
                otherwise = Some(*span);
            }
            self.else_allowed = true;
            let seq = self.inner(option);
            self.else_allowed = false;
            seqs.push(self.nonempty(seq, span));
        }
        if let Some(otherwise) = otherwise {
            self.warn_else_with_io(options, otherwise);
        }
        super::lint::guards(self, options);
        self.builder.prune_skips(&seqs);
        seqs
    }

    fn warn_else_with_io(&mut self, options: &[Sequence], otherwise: Span) {
        let io = options.iter().find_map(|option| {
            option.stmts.first().filter(|s| matches!(s.kind, StmtKind::Send { .. } | StmtKind::Receive { .. }))
        });
        if let Some(io) = io {
            self.warn(
                Diagnostic::warning(codes::ELSE_WITH_IO, otherwise, "`else` beside a send or receive")
                    .label("taken when the channel operation cannot go on at this moment")
                    .also(io.span, "this operation may only be late")
                    .help("use `timeout`, or test the channel with `empty(…)`/`full(…)`"),
            );
        }
    }

    fn push_break(&mut self) -> u32 {
        self.builder.next_break += 1;
        self.builder.breaks.push(self.builder.next_break);
        self.builder.next_break
    }

    fn d_step(&mut self, inner: &Sequence, span: Span) -> Pending {
        if self.builder.d_step == 0 {
            self.builder.next_d_step += 1;
            self.builder.d_step = self.builder.next_d_step;
            self.in_d_step = true;
            self.label_in_front(inner, "d_step");
            let seq = self.inner(inner);
            let seq = self.nonempty(seq, span);
            self.builder.d_step = 0;
            self.in_d_step = false;
            self.builder.make_atomic(seq, true);
            return Pending { kind: PendingKind::DStep(seq), labels: Vec::new(), span };
        }
        let seq = self.inner(inner);
        Pending { kind: PendingKind::Block(self.nonempty(seq, span)), labels: Vec::new(), span }
    }

    fn unless_statement(&mut self, main: &Stmt, escape: &Stmt, span: Span) -> Option<Pending> {
        if self.builder.d_step != 0 {
            self.warn(
                Diagnostic::warning(codes::UNLESS_IN_D_STEP, span, "`unless` inside a `d_step` has no effect")
                    .label("the escape is ignored"),
            );
            return self.statement(main);
        }
        self.uses_unless = true;
        let main_pending = self.statement(main)?;
        let escape_pending = self.statement(escape)?;
        let escape_seq = self.part(escape_pending);
        let inner = match main_pending.kind {
            PendingKind::Block(seq) | PendingKind::Atomic(seq) | PendingKind::DStep(seq) => Some(seq),
            _ => None,
        };
        let (Some(main_seq), false) = (inner, main_pending.labels.is_empty()) else {
            let main_seq = self.part(main_pending);
            return Some(Pending { kind: PendingKind::Unless(main_seq, escape_seq), labels: Vec::new(), span });
        };
        // A label in front of a sequence is lifted to a sequence around the whole statement.
        self.builder.open();
        self.builder.add(Pending { kind: PendingKind::Unless(main_seq, escape_seq), labels: Vec::new(), span });
        let whole = self.builder.close();
        let kind = match main_pending.kind {
            PendingKind::Atomic(_) => PendingKind::Atomic(whole),
            PendingKind::DStep(_) => PendingKind::DStep(whole),
            _ => PendingKind::Block(whole),
        };
        Some(Pending { kind, labels: main_pending.labels, span })
    }

    /// A statement as a sequence of its own; a block is its own sequence already.
    fn part(&mut self, pending: Pending) -> Sq {
        if let Pending { kind: PendingKind::Block(seq), labels, .. } = &pending
            && labels.is_empty()
        {
            return *seq;
        }
        self.builder.open();
        self.builder.add(pending);
        self.builder.close()
    }

    fn loop_body(
        &mut self,
        condition: Op,
        body: &mut dyn FnMut(&mut Self),
        increment: Option<Op>,
        exit: u32,
        span: Span,
        otherwise: bool,
    ) -> Pending {
        let text = self.text(span).lines().next().unwrap_or("").trim_end_matches('{').trim().to_owned();
        self.builder.open();
        self.builder.add(basic(condition, span, text.clone()));
        body(self);
        if let Some(increment) = increment {
            self.builder.add(basic(increment, span, text.clone()));
        }
        let repeat = self.builder.close();
        self.builder.open();
        if otherwise {
            self.builder.add(basic(Op::Else, span, "else".to_owned()));
        }
        let leave = Action { op: Op::Skip, span, text: "break".to_owned() };
        self.builder.add(Pending { kind: PendingKind::Goto(Jump::Break(exit), leave), labels: Vec::new(), span });
        let leave = self.builder.close();
        self.builder.breaks.pop();
        Pending { kind: PendingKind::Do(vec![leave, repeat], exit), labels: Vec::new(), span }
    }

    fn for_range(
        &mut self,
        var: &ast::VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        body: &Sequence,
        span: Span,
    ) -> Option<Pending> {
        let exit = self.push_break();
        let (start, test, increment) = super::stmt::counting(self, var, from, to, ast::BinaryOp::Le)?;
        let text = format!("{} = {}", self.text(var.span), self.text(from.span));
        self.builder.add(basic(start, span, text));
        self.builder.at_start = false;
        let mut statements = |this: &mut Self| {
            this.push_scope();
            this.statements(body);
            this.pop_scope();
        };
        Some(self.loop_body(test, &mut statements, Some(increment), exit, span, true))
    }

    fn for_in(&mut self, var: &ast::VarRef, over: &ast::VarRef, body: &Sequence, span: Span) -> Option<Pending> {
        let exit = self.push_break();
        let Some(parts) = super::stmt::iteration(self, var, over) else {
            self.builder.breaks.pop();
            return None;
        };
        let text = format!("for ({} in {})", self.text(var.span), self.text(over.span));
        self.builder.add(basic(parts.start, span, text.clone()));
        self.builder.at_start = false;
        let mut statements = |this: &mut Self| {
            for op in &parts.fetch {
                this.builder.add(basic(op.clone(), span, text.clone()));
            }
            this.push_scope();
            this.statements(body);
            this.pop_scope();
        };
        Some(self.loop_body(parts.test, &mut statements, Some(parts.increment), exit, span, true))
    }

    fn check_range(&mut self, from: &ast::Expr, to: &ast::Expr) {
        if let (ast::ExprKind::Const(a), ast::ExprKind::Const(b)) = (&from.kind, &to.kind)
            && a > b
        {
            self.error(
                Diagnostic::error(codes::EMPTY_RANGE, from.span.to(to.span), format!("the range {a} .. {b} is empty"))
                    .help("the first value must not be greater than the last"),
            );
        }
    }

    fn select(&mut self, var: &ast::VarRef, from: &ast::Expr, to: &ast::Expr, span: Span) -> Option<Pending> {
        self.check_range(from, to);
        if let Some((first, last)) = self.literal_range(var, from, to) {
            let options: Vec<Sq> = (first..=last)
                .filter_map(|value| {
                    let (place, _) = self.assignable(var)?;
                    self.builder.open();
                    let op = Op::Assign(place, crate::program::Ex::Const(value));
                    self.builder.add(basic(op, span, format!("{} = {value}", self.text(var.span))));
                    Some(self.builder.close())
                })
                .collect();
            if options.is_empty() {
                return None;
            }
            return Some(Pending { kind: PendingKind::If(options), labels: Vec::new(), span });
        }
        let (start, test, increment) = super::stmt::counting(self, var, from, to, ast::BinaryOp::Lt)?;
        let exit = self.push_break();
        self.builder.add(basic(start, span, format!("{} = {}", self.text(var.span), self.text(from.span))));
        self.builder.at_start = false;
        Some(self.loop_body(test, &mut |_| {}, Some(increment), exit, span, false))
    }

    /// Spin takes `select` over short literal ranges apart into one choice, but only outside
    /// inlines and for a plain name of letters and digits.
    fn literal_range(&self, var: &ast::VarRef, from: &ast::Expr, to: &ast::Expr) -> Option<(i32, i32)> {
        let (ast::ExprKind::Const(a), ast::ExprKind::Const(b)) = (&from.kind, &to.kind) else { return None };
        let plain =
            var.index.is_none() && var.field.is_none() && var.name.name.chars().all(|c| c.is_ascii_alphanumeric());
        (plain && self.builder.inlines.is_empty() && *a >= 0 && *b >= *a && *b - *a <= 32).then_some((*a, *b))
    }
}

pub(crate) fn basic(op: Op, span: Span, text: String) -> Pending {
    Pending { kind: PendingKind::Basic(Action { op, span, text }), labels: Vec::new(), span }
}

impl Lowerer<'_> {
    pub(crate) fn builder_add(&mut self, pending: Pending) {
        self.builder.add(pending);
    }
}
