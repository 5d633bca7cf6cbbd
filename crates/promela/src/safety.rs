//! Partial-order reduction as Spin does it: in which control states the steps of a process may stand for those of all
//! processes by the rules of Spin's own tables, which trust `xr` and `xs`. Found by `lower::safe`, asked by
//! `machine::safe`. All other searches reduce by [`crate::independence`].

use crate::program::Ex;

/// A condition on the state in which the steps are taken.
#[derive(Clone, Debug)]
pub enum SafeWhen {
    /// The channel takes a message.
    NotFull(Ex),
    /// The channel holds a message.
    NotEmpty(Ex),
    /// The channel takes and holds a message.
    InBetween(Ex),
    /// The channel takes no message.
    Full(Ex),
    /// The channel holds no message.
    Empty(Ex),
    /// The process is the youngest: it can leave.
    Youngest,
}

/// A control state without a global statement.
#[derive(Clone, Debug, Default)]
pub struct Safe {
    /// Safe only if all of this is so.
    pub when: Vec<SafeWhen>,
    /// Spin calls it safe.
    pub as_spin: bool,
}

/// What is known about a program.
#[derive(Clone, Debug, Default)]
pub struct Safety {
    /// For each process type and control state.
    pub controls: Vec<Vec<Option<Safe>>>,
}

impl Safety {
    /// A control state, if it has no global statement.
    pub fn control(&self, proto: u16, control: u16) -> Option<&Safe> {
        self.controls.get(usize::from(proto))?.get(usize::from(control))?.as_ref()
    }
}
