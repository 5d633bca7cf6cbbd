//! `xr` and `xs`: a process that is alive claims that no other process receives from a channel, or sends to it. A statement of
//! another process that does so is a runtime error, and continues. A poll, `len`, `empty` and `full` ask both for what a
//! receiver and for what a sender may rely on; `nempty` concerns receivers only, `nfull` senders only. Beside a never claim
//! nothing of this is checked.

use std::cell::RefCell;
use std::rc::Rc;

use super::eval::{Here, error};
use super::flow::Scope;
use super::state::State;
use super::{Interpreter, PlainFault};
use selvedge_promela_syntax::ast::{ChanQuery, VarRef};

/// A channel that a process claims.
#[derive(Clone, Debug)]
pub(crate) struct Claimed {
    /// `xr`; else `xs`.
    pub(crate) receiving: bool,
    pub(crate) chan: VarRef,
    pub(crate) scope: Rc<Scope>,
}

/// What a statement does with a channel.
#[derive(Clone, Copy)]
pub(crate) enum ChannelUse {
    Send,
    Receive,
    Poll,
    Query(ChanQuery),
}

/// Violated claims, noted while a statement is executed.
pub(crate) type Violated = RefCell<Vec<PlainFault>>;

impl Interpreter {
    /// Notes that a process uses a channel which another one claims.
    pub(crate) fn note_use(&self, s: &State, here: Here<'_>, chan: usize, what: ChannelUse) {
        let (Some(noted), Some(user)) = (here.violated, here.process) else { return };
        let (as_receiver, as_sender) = match what {
            ChannelUse::Send | ChannelUse::Query(ChanQuery::NonFull) => (false, true),
            ChannelUse::Receive | ChannelUse::Query(ChanQuery::NonEmpty) => (true, false),
            ChannelUse::Poll | ChannelUse::Query(_) => (true, true),
        };
        for owner in (0..s.processes.len()).filter(|owner| *owner != user) {
            for claimed in &self.protos[s.processes[owner].proto].flow.claimed {
                let concerned = if claimed.receiving { as_receiver } else { as_sender };
                if concerned && self.names(s, owner, claimed) == Some(chan) {
                    noted.borrow_mut().push(error("a channel is used that another process claims"));
                    return;
                }
            }
        }
    }

    /// The channel that a process claims, if there is one.
    fn names(&self, s: &State, owner: usize, claimed: &Claimed) -> Option<usize> {
        let here = Here { process: Some(owner), scope: &claimed.scope, timeout: false, stutter: false, violated: None };
        self.channel(&mut s.clone(), here, &claimed.chan).ok()
    }
}
