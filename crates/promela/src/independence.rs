//! Partial-order reduction without a bound: in which states the steps of one process may stand for those of all. Found by
//! `lower::independence`, asked by `machine::independence`.
//!
//! The steps of a process are a persistent set if nothing that the others do from now on, before one of these steps is
//! taken, can enable, disable or change them. What a process does *here* is compared with what every other process may
//! still do *ahead*: from its control state on, and in the processes that it may start. So a variable that is shared only
//! at the beginning of a run does not prevent reduction later. Channels are looked up in the state itself: the only
//! process that receives from a channel cannot be disturbed while the channel holds a message, and the only one that
//! sends cannot be disturbed while it has room.

use crate::program::Ex;

/// One end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where messages are added: sends, `full`, `nfull`. Undisturbed while there is room.
    Tail,
    /// Where messages are taken: receives, polls, `empty`, `nempty`. Undisturbed while there is a message.
    Head,
}

/// A use of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelUse {
    /// Uses one end only.
    One(End),
    /// Depends on more than that: polling, counting, sorting, `else` beside it.
    Both,
}

/// A use of a channel by a process or the claim.
#[derive(Clone, Debug)]
pub struct ChannelUser {
    /// What.
    pub what: ChannelUse,
    /// Which channel.
    pub chan: Ex,
    /// The variable keeps its value for life, so that its value now says which channel it is.
    pub fixed: bool,
    /// It asks about the channel in an expression, which may violate claims (`xr`, `xs`) to either end.
    pub asks: bool,
}

/// The steps from a control state that can be undisturbed.
#[derive(Clone, Debug, Default)]
pub struct Here {
    /// What variables they use: a row of [`Independence::conflicts`].
    pub access: usize,
    /// The ends of channels that they use.
    pub ends: Vec<(End, Ex)>,
    /// The channels must be different ones: a sequence uses them one after the other.
    pub apart: bool,
    /// The process ends, which it can only if it is the youngest.
    pub ends_process: bool,
    /// Claims (`xr`, `xs`) that end with it: until then, others may violate them.
    pub claims: Vec<(End, Ex)>,
}

/// What a process may still do.
#[derive(Clone, Debug, Default)]
pub struct FutureUse {
    /// Its channels, and those of the processes that it may start.
    pub channels: Vec<ChannelUser>,
    /// It may start a process.
    pub may_run: bool,
    /// It may start a process that claims a channel (`xr`, `xs`).
    pub may_claim: bool,
}

/// What is known about a program.
#[derive(Clone, Debug, Default)]
pub struct Independence {
    /// For each process type and control state; `None` where the steps cannot stand for those of all.
    pub here: Vec<Vec<Option<Here>>>,
    /// For each process type and control state: index into `futures`.
    pub future_of: Vec<Vec<usize>>,
    /// What processes may still do, each once.
    pub futures: Vec<FutureUse>,
    /// Which [`Here::access`] is disturbed by which future, row by row.
    pub conflicts: Vec<bool>,
    /// The claim's channels.
    pub watchers: Vec<ChannelUser>,
}

impl Independence {
    /// The steps from a control state, if they can be undisturbed.
    pub fn here(&self, proto: u16, control: u16) -> Option<&Here> {
        self.here.get(usize::from(proto))?.get(usize::from(control))?.as_ref()
    }

    /// Which future a process at a control state has.
    pub fn future(&self, proto: u16, control: u16) -> usize {
        self.future_of[usize::from(proto)][usize::from(control)]
    }

    /// Whether a future disturbs an access by reading or writing variables.
    pub fn disturbs(&self, future: usize, access: usize) -> bool {
        self.conflicts[access * self.futures.len() + future]
    }

    /// Whether a future leaves the steps from a control state undisturbed; `None` where more of the state decides: channels, and
    /// which process is the youngest.
    pub fn is_undisturbed(&self, here: &Here, future: usize) -> Option<bool> {
        let later = &self.futures[future];
        let disturbs = self.disturbs(future, here.access)
            || (here.ends_process && later.may_run)
            || (!here.ends.is_empty() && later.may_claim);
        let by_positions = !here.ends_process && here.ends.is_empty() && here.claims.is_empty();
        if disturbs { Some(false) } else { by_positions.then_some(true) }
    }
}
