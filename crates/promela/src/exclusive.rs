//! `xr` and `xs`: a process claims that no other process receives from a channel, or sends to it. Reduction does not rely on
//! these claims, but a claim that is violated is reported (`machine::exclusive`), and so reduction must not hide
//! that (`lower::independence`).
//!
//! A process that is alive claims the channel that the variable it named holds now. Another process that executes a statement that
//! uses this end of the channel violates the claim. As in Spin, sends use the end where messages are added, receives the
//! one where they are taken, `nfull` and `nempty` ask about one of them, and all other questions about both.
//!
//! DIVERGENCE Spin: pan remembers the first process that ever used a claimed channel, in whatever run, so its answer depends
//! on the order of its search; and it looks at statements that are tried, not only at those that are executed. With
//! `-DNOREDUCE` it checks nothing.
//!
//! A search beside a claim (`ltl`, `never`) does not look for such violations, since a claim leaves out runs that it cannot
//! follow. The search for everything else does.

use selvedge_promela_syntax::ast::ChanQuery;

use crate::independence::End;
use crate::program::Ex;

/// `xr` or `xs` for one channel.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// The end that no other process may use: `xr` claims the head, `xs` the tail.
    pub end: End,
    /// The variable that names the channel.
    pub chan: Ex,
    /// As it is written: `xr q`.
    pub text: String,
}

/// How a statement uses a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It sends.
    Send,
    /// It receives, or copies a message.
    Receive,
    /// It asks something in an expression; `None` is a poll.
    Ask(Option<ChanQuery>),
}

impl Access {
    /// Whether it is a use of this end.
    pub fn uses(self, end: End) -> bool {
        match self {
            Access::Send | Access::Ask(Some(ChanQuery::NonFull)) => end == End::Tail,
            Access::Receive | Access::Ask(Some(ChanQuery::NonEmpty)) => end == End::Head,
            Access::Ask(_) => true,
        }
    }

    /// What the process does with the channel.
    pub fn verb(self) -> &'static str {
        match self {
            Access::Send => "sends to",
            Access::Receive => "receives from",
            Access::Ask(_) => "asks about",
        }
    }
}
