//! Partial-order reduction: in which control states the steps of a process may stand for those of
//! all processes, and under which conditions. Found by `lower::safe`, asked by `machine::safe`.
//!
//! Two answers are kept. *As Spin has it*: the control state touches nothing global by the rules of
//! Spin's own tables, which trust `xr` and `xs`. *Sound*: in addition nothing in the model or the
//! property can tell the difference, and channels are looked at in the state itself: nobody else
//! alive, now or later, receives from (or sends to) the channel in question.

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
    /// Nothing can tell, channels aside.
    pub sound: bool,
}

/// What is done with a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelUse {
    /// Takes the oldest message.
    Receive,
    /// Adds a message at the end.
    Send,
    /// Whatever depends on more than that: polling, counting, sorting, `else` beside it.
    Other,
}

/// A use of a channel by a process type or the claim.
#[derive(Clone, Debug)]
pub struct ChannelUser {
    /// What.
    pub what: ChannelUse,
    /// Which channel.
    pub chan: Ex,
    /// The variable keeps its value for life, so that its value now says which channel it is.
    pub fixed: bool,
}

/// What is known about a program.
#[derive(Clone, Debug, Default)]
pub struct Safety {
    /// For each process type and control state.
    pub controls: Vec<Vec<Option<Safe>>>,
    /// For each process type: its channels.
    pub users: Vec<Vec<ChannelUser>>,
    /// The claim's channels.
    pub watchers: Vec<ChannelUser>,
    /// For each process type and control state: it may start a process from here on.
    pub may_run: Vec<Vec<bool>>,
}

impl Safety {
    /// A control state, if it has no global statement.
    pub fn control(&self, proto: u16, control: u16) -> Option<&Safe> {
        self.controls.get(usize::from(proto))?.get(usize::from(control))?.as_ref()
    }
}
