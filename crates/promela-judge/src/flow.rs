//! Control flow as a graph of elements, one for each place where a process can be. The graph has
//! the elements that Spin makes (so that states can be counted as Spin counts them): basic
//! statements, the choice of an `if` or `do`, blocks, and the join behind a choice. `build` makes
//! the elements of a body, `moves` finds out which statements can be taken at each of them.

use std::collections::BTreeMap;
use std::rc::Rc;

use selvedge_source::Span;

use super::exclusive::Claimed;
use super::value::Shape;
use selvedge_promela_syntax::ast::{Expr, ReceiveArg, VarRef};

/// Index of an element in its [`Flow`].
pub(crate) type El = usize;

/// Names of local variables that are visible at a place, with their slots.
pub(crate) type Scope = BTreeMap<String, usize>;

/// What an element does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Waits until it is not 0.
    Cond(Expr),
    /// An assignment.
    Assign(VarRef, Expr),
    /// A declaration that is reached: an assignment, except that structures keep their value.
    Declare(VarRef, Expr),
    Send {
        chan: VarRef,
        sorted: bool,
        args: Vec<Expr>,
    },
    Receive {
        chan: VarRef,
        random: bool,
        copy: bool,
        args: Vec<ReceiveArg>,
    },
    Assert(Expr),
    /// Prints; the arguments are evaluated, for they may be out of range.
    Print(Vec<Expr>),
    Else,
    Goto(El),
    /// Joins the options of a choice.
    Join,
    /// The place behind a `do`.
    BreakTarget,
    If,
    Do,
    Unless,
    Block,
    Atomic,
    DStep,
    /// `-end-`.
    End,
}

impl Action {
    /// Whether it is a block, whose only part it enters.
    pub(crate) fn is_block(&self) -> bool {
        matches!(self, Action::Block | Action::Atomic | Action::DStep)
    }

    /// Whether `skip` or a `printf` may stand for it when redundant ones are dropped.
    pub(crate) fn is_skip(&self) -> bool {
        self.is_print()
            || matches!(self, Action::Cond(Expr { kind: selvedge_promela_syntax::ast::ExprKind::Const(1), .. }))
    }

    /// Whether it prints.
    pub(crate) fn is_print(&self) -> bool {
        matches!(self, Action::Print(_))
    }
}

/// Elements in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seq {
    pub(crate) first: El,
    /// The last one, with the join that was put behind it.
    pub(crate) last: El,
    /// The last one as written.
    pub(crate) extent: El,
}

/// One element.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) action: Action,
    /// The statement's place; joins have none.
    pub(crate) span: Option<Span>,
    /// The element behind it in its sequence.
    pub(crate) next: Option<El>,
    /// Options of a choice, the body of a block, main part and escape of an `unless`.
    pub(crate) parts: Vec<Seq>,
    /// Escapes that may interrupt here, outermost first.
    pub(crate) escapes: Vec<Seq>,
    /// After it the process continues alone: inside an atomic sequence and not its last element.
    pub(crate) atomic: bool,
    /// The last element of an atomic sequence.
    pub(crate) last_of_atomic: bool,
    /// Inside a `d_step`.
    pub(crate) in_d_step: bool,
    pub(crate) labels: Vec<String>,
    pub(crate) scope: Rc<Scope>,
}

impl Element {
    /// Whether it has a label that begins so.
    pub(crate) fn has_label(&self, prefix: &str) -> bool {
        self.labels.iter().any(|label| label.starts_with(prefix))
    }
}

/// A statement that can be taken at an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    /// The basic element executed.
    pub(crate) element: El,
    /// Where the escape begins that it belongs to, if it interrupts.
    pub(crate) escape: Option<El>,
}

/// A local variable.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    /// Its initial value, if it is declared before the first statement.
    pub(crate) init: Option<selvedge_promela_syntax::ast::Init>,
}

/// The control flow of one body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) elements: Vec<Element>,
    /// Where it starts.
    pub(crate) start: El,
    /// What can be taken at each element, in the order in which it is tried.
    pub(crate) moves: Vec<Vec<Move>>,
    /// Where control goes after each element (none after `-end-`).
    pub(crate) targets: Vec<Option<El>>,
    /// Elements at which a process may rest forever.
    pub(crate) valid_ends: Vec<bool>,
    /// Elements that mark acceptance.
    pub(crate) accepting: Vec<bool>,
    /// Elements that mark progress.
    pub(crate) progress: Vec<bool>,
    /// Labels in the order written, with their scopes and elements.
    pub(crate) labels: Vec<(String, Vec<u32>, El)>,
    /// Local variables, parameters first.
    pub(crate) slots: Vec<Slot>,
    /// `xr` and `xs`.
    pub(crate) claimed: Vec<Claimed>,
}

/// A label that marks states of infinite runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkLabel {
    Accept,
    Progress,
}

impl Flow {
    /// Where a label marks.
    pub(crate) fn marks(&self, label: MarkLabel) -> &[bool] {
        match label {
            MarkLabel::Accept => &self.accepting,
            MarkLabel::Progress => &self.progress,
        }
    }

    /// The element that a label seen from another process stands for.
    pub(crate) fn label(&self, name: &str) -> Option<El> {
        self.labels.iter().rev().find(|(label, _, _)| label == name).map(|(_, _, element)| *element)
    }
}
