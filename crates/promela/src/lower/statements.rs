//! Statements into the graph of a body: sequences, choices, blocks, jumps.

use super::Lowerer;
use super::codes;
use super::graph::{Builder, Graph, Jump, Node, Pending, PendingKind, Sq};
use crate::exclusive::Exclusive;
use crate::independence::End;
use crate::program::{Action, Op};
use selvedge_promela_syntax::ast::{Expr, Ident, Sequence, Stmt, StmtKind, VarRef};
use selvedge_source::{Diagnostic, Span};

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

    pub(super) fn statements(&mut self, sequence: &Sequence) {
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
            self.else_allowed = in_place && matches!(stmt.kind, StmtKind::Atomic(_) | StmtKind::DStep(_));
            if let Some(pending) = self.statement(stmt) {
                self.builder.add(pending);
            }
            self.else_allowed = false;
            if self.is_cancelled() {
                break;
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

    pub(super) fn push_scope(&mut self) {
        self.builder.next_scope += 1;
        let id = self.builder.next_scope;
        self.builder.scope.push(id);
        self.scopes.push(Default::default());
    }

    pub(super) fn pop_scope(&mut self) {
        self.builder.scope.pop();
        self.scopes.pop();
    }

    fn nonempty(&mut self, seq: Sq, span: Span) -> Sq {
        if self.builder.graph.seqs[seq].first.is_none() {
            self.error(
                Diagnostic::error(codes::EMPTY_SEQUENCE, span, "a sequence needs at least one statement")
                    .help("write `skip` for a statement that does nothing"),
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
                    let (end, word) = if *read { (End::Head, "xr") } else { (End::Tail, "xs") };
                    let text = format!("{word} {}", self.text(chan.span));
                    self.frame.exclusive.push(Exclusive { end, chan: variable, text });
                }
                return None;
            }
            StmtKind::If(options) => PendingKind::If(self.options(options, span)),
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
                let seq = self.inline_call(result.as_ref(), body);
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
            StmtKind::Goto(label) => self.goto(label, span),
            StmtKind::Break => {
                let Some(exit) = self.builder.breaks.last().copied() else {
                    return Some(self.misplaced_break(span));
                };
                PendingKind::Goto(Jump::Break(exit), Action { op: Op::Skip, span, text: "break".to_owned() })
            }
            StmtKind::ForRange { var, from, to, body } => return self.for_range(var, from, to, body, span),
            StmtKind::ForIn { var, over, body } => return self.for_in(var, over, body, span),
            StmtKind::Select { var, from, to } => return self.select(var, from, to, span),
            StmtKind::Return(value) => return Some(self.return_statement(value.as_ref(), span)),
            _ => {
                let op = self.basic_statement(stmt);
                PendingKind::Basic(Action { op, span, text: self.text(span).to_owned() })
            }
        };
        Some(Pending { kind, labels: Vec::new(), span })
    }

    fn goto(&mut self, label: &Ident, span: Span) -> PendingKind {
        let jump = Jump::Label {
            name: label.clone(),
            inline: self.builder.inlines.last().map_or(0, |i| i.0),
            scope: self.builder.scope.clone(),
        };
        PendingKind::Goto(jump, Action { op: Op::Skip, span, text: self.text(span).to_owned() })
    }

    fn inline_call(&mut self, result: Option<&VarRef>, body: &Sequence) -> Sq {
        self.builder.at_start = false;
        self.builder.next_inline += 1;
        let id = self.builder.next_inline;
        self.builder.inlines.push((id, result.cloned()));
        let seq = self.inner(body);
        self.builder.inlines.pop();
        seq
    }

    fn misplaced_break(&mut self, span: Span) -> Pending {
        self.error(
            Diagnostic::error(codes::MISPLACED_BREAK, span, "`break` outside a loop")
                .label("no `do` or `for` around it"),
        );
        basic(Op::Skip, span, "skip".to_owned())
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: Span) -> Pending {
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
        basic(op, span, self.text(span).to_owned())
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

    /// Spin drops a label that stands first in an option, in front of `atomic` or `d_step`.
    fn label_before_atomic(&mut self, option: &Sequence) {
        let Some(first) = option.stmts.first() else { return };
        let what = match first.kind {
            StmtKind::Atomic(_) => "atomic",
            StmtKind::DStep(_) => "d_step",
            _ => return,
        };
        if let Some(label) = first.labels.first() {
            let text = format!("label `{}` stands first in an option, in front of `{what}`", label.name);
            self.error(
                Diagnostic::error(codes::MISPLACED_LABEL, label.span, text)
                    .label("it would mark no control state")
                    .help(format!("put it in front of the selection, or write `skip; {}: {what} {{ … }}`", label.name)),
            );
        }
    }

    fn options(&mut self, options: &[Sequence], span: Span) -> Vec<Sq> {
        let mut otherwise: Option<Span> = None;
        let mut seqs = Vec::new();
        for (index, option) in options.iter().enumerate() {
            self.label_before_atomic(option);
            if let Some((span, wrapped)) = else_of(option) {
                if let Some(what) = wrapped.filter(|_| index + 1 < options.len()) {
                    let message = format!("`{what} {{ else … }}` is not the last option");
                    self.error(
                        Diagnostic::error(codes::MISPLACED_ELSE, span, message)
                            .label("in Spin it would compete with the options that follow")
                            .help(format!("make it the last option, or write `:: else -> {what} {{ … }}`")),
                    );
                }
                if let Some(first) = otherwise {
                    self.error(
                        Diagnostic::error(codes::DUPLICATE_ELSE, span, "a second `else` in one selection")
                            .also(first, "the first one is here"),
                    );
                }
                otherwise = Some(span);
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
                    .label("taken when the channel operation is not executable at this moment")
                    .also(io.span, "this operation may become executable later")
                    .help("use `timeout`, or test the channel with `empty(…)`/`full(…)`"),
            );
        }
    }

    pub(super) fn push_break(&mut self) -> u32 {
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
            let main = self.statement(main)?;
            let PendingKind::Block(seq) = main.kind else { return Some(main) };
            // As in Spin, this is no block of its own: its first statement decides whether a `d_step` can start.
            return Some(Pending { kind: PendingKind::If(vec![seq]), ..main });
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

    pub(crate) fn builder_add(&mut self, pending: Pending) {
        self.builder.add(pending);
    }
}

/// The `else` with which an option begins, and whether it stands inside of `atomic` or `d_step`.
fn else_of(option: &Sequence) -> Option<(Span, Option<&'static str>)> {
    let first = option.stmts.first()?;
    match &first.kind {
        StmtKind::Else => Some((first.span, None)),
        StmtKind::Atomic(inner) => else_of(inner).map(|(span, _)| (span, Some("atomic"))),
        StmtKind::DStep(inner) => else_of(inner).map(|(span, _)| (span, Some("d_step"))),
        _ => None,
    }
}

pub(crate) fn basic(op: Op, span: Span, text: String) -> Pending {
    Pending { kind: PendingKind::Basic(Action { op, span, text }), labels: Vec::new(), span }
}
