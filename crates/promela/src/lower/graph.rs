//! Statements as a graph of elements, built and numbered as Spin builds and numbers it, because the
//! number of control states, what is a step of its own and what is not, and the values of
//! `pc_value` all follow from it. `table` turns the graph into transitions.
//!
//! What must hold: elements are created in the order in which Spin's parser would create them
//! (inner statements before the statement around them; in `a unless b` the parts of `a`, the parts
//! of `b`, `b` itself, `a` itself); an `if` or `do` brings a target element (`Node::Dot`), a `do`
//! also a break target (`Node::BreakTarget`).

use selvedge_source::Span;

use crate::program::{Action, Op};
use selvedge_promela_syntax::ast;

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
    pub kind: PendingKind,
    pub labels: Vec<ast::Ident>,
    pub span: Span,
}

pub(crate) enum PendingKind {
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
    pub open: Vec<Sq>,
    pub breaks: Vec<u32>,
    pub next_break: u32,
    pub next_inline: u32,
    pub inlines: Vec<(u32, Option<ast::VarRef>)>,
    pub next_d_step: u32,
    pub d_step: u32,
    pub next_scope: u32,
    pub scope: Vec<u32>,
    /// Declarations still take effect when the process is created.
    pub at_start: bool,
    /// Whether this is a claim (Spin does not prune its skips).
    pub claim: bool,
}

impl Builder {
    pub(super) fn current(&self) -> Sq {
        *self.open.last().expect("a sequence is open")
    }

    pub(super) fn open(&mut self) {
        self.at_start = false;
        self.graph.seqs.push(Seq::default());
        self.open.push(self.graph.seqs.len() - 1);
    }

    pub(super) fn close(&mut self) -> Sq {
        let seq = self.open.pop().expect("a sequence is open");
        self.graph.seqs[seq].extent = self.graph.seqs[seq].last;
        seq
    }

    pub(super) fn element(&mut self, node: Node, span: Span) -> El {
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

    pub(super) fn append(&mut self, element: El, seq: Sq) {
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

    pub(super) fn add(&mut self, pending: Pending) {
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
    pub(super) fn make_atomic(&mut self, seq: Sq, d_step: bool) {
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
    pub(super) fn prune_skips(&mut self, options: &[Sq]) {
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
