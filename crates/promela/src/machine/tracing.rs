//! Notes which bytes of the vector an execution reads and writes, so that its steps can be remembered
//! ([`selvedge_machine::Traced`]). Switched off, which is the usual case, a note is one comparison.

use std::cell::Cell;

use crate::program::Op;

/// What an execution has used.
#[derive(Default)]
pub(crate) struct Tracing {
    /// By byte of the vector that the steps start from; empty if nothing is traced.
    touched: Vec<Cell<bool>>,
    /// The number of processes or their types were asked for.
    shape: Cell<bool>,
    /// A process offers a message on a rendezvous channel.
    offered: Cell<bool>,
    partner: Partner,
    /// For each step the position of its transition.
    order: Vec<u16>,
}

/// Who may take a message offered on a rendezvous channel.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Partner {
    #[default]
    Anybody,
    Nobody,
    /// This one; only sends are executed.
    Only(usize),
}

impl Tracing {
    /// Starts to trace steps from a vector of this length.
    pub(crate) fn start(&mut self, length: usize, partner: Partner) {
        self.touched.clear();
        self.touched.resize(length, Cell::new(false));
        self.shape.set(false);
        self.offered.set(false);
        self.partner = partner;
        self.order.clear();
    }

    /// Bytes are read or written. Those of a process that is just being created have no owner yet.
    #[inline]
    pub(crate) fn bytes(&self, at: usize, length: usize) {
        if !self.touched.is_empty() {
            self.note(at, length);
        }
    }

    #[cold]
    fn note(&self, at: usize, length: usize) {
        self.touched.iter().skip(at).take(length).for_each(|byte| byte.set(true));
    }

    /// The number of processes or their types matter.
    #[inline]
    pub(crate) fn shape(&self) {
        self.shape.set(true);
    }

    /// A message is offered.
    #[inline]
    pub(crate) fn offer(&self) {
        self.offered.set(true);
    }

    /// Whether a process may take it.
    #[inline]
    pub(crate) fn meets(&self, process: usize) -> bool {
        match self.partner {
            Partner::Anybody => true,
            Partner::Nobody => false,
            Partner::Only(partner) => partner == process,
        }
    }

    /// Whether only steps in which two processes meet are wanted.
    #[inline]
    pub(crate) fn is_meeting(&self) -> bool {
        matches!(self.partner, Partner::Only(_))
    }

    /// Whether an operation is executed.
    #[inline]
    pub(crate) fn performs(&self, op: &Op) -> bool {
        !self.is_meeting() || matches!(op, Op::Send(_))
    }

    /// The steps of a transition are complete; there are `steps` in all.
    #[inline]
    pub(crate) fn end_of_transition(&mut self, place: usize, steps: usize) {
        if !self.touched.is_empty() {
            self.order.resize(steps, place as u16);
        }
    }

    /// What was used.
    pub(crate) fn used(&self) -> Used<'_> {
        Used { touched: &self.touched, shape: self.shape.get(), offered: self.offered.get(), order: &self.order }
    }
}

/// What an execution has used.
pub(crate) struct Used<'a> {
    touched: &'a [Cell<bool>],
    pub shape: bool,
    pub offered: bool,
    pub order: &'a [u16],
}

impl Used<'_> {
    /// Whether one of these bytes was used.
    pub(crate) fn any(&self, from: usize, to: usize) -> bool {
        self.touched[from..to].iter().any(Cell::get)
    }
}
