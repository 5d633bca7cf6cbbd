//! Visible operations: what a thread is about to do, known before it does it, and which of two operations
//! on the same object can be told apart by their order.
//!
//! Each access that was made has a [`Class`]; two accesses of one object *conflict* if their classes do.
//! A pending operation may turn out to be of several classes (a compare-exchange reads or writes). Besides,
//! some operations *enable* others without conflicting with them: the order is then forced (a message is
//! sent before it is received), but under a bound it matters when the other thread becomes enabled.

use crate::graph;
use crate::{At, ObjectId, ThreadId};

/// A second object, a thread or a number: which of them, [`Kind`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Other(u32);

impl Other {
    /// Nothing more.
    pub(crate) const NONE: Other = Other(u32::MAX);

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn thread(self) -> ThreadId {
        ThreadId(self.0)
    }

    pub(crate) fn object(self) -> ObjectId {
        ObjectId(self.0)
    }
}

impl From<u32> for Other {
    fn from(number: u32) -> Other {
        Other(number)
    }
}

impl From<ThreadId> for Other {
    fn from(thread: ThreadId) -> Other {
        Other(thread.0)
    }
}

impl From<ObjectId> for Other {
    fn from(object: ObjectId) -> Other {
        Other(object.0)
    }
}

/// What an operation does. The object is in [`Op::object`]; [`Op::other`] is named in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Load,
    Store,
    Rmw,
    CompareExchange,
    Lock,
    TryLock,
    Unlock,
    Read,
    Write,
    TryRead,
    TryWrite,
    UnlockRead,
    UnlockWrite,
    /// Joins the waiting threads of a condvar and unlocks a mutex \[the mutex\].
    Wait,
    /// The same, but will give up at some time \[the mutex\].
    WaitTimed,
    /// Locks a mutex once notified \[the condvar\].
    Relock,
    /// Stops waiting on a condvar, notified or not.
    WakeTimed,
    NotifyOne,
    NotifyAll,
    Send,
    /// The second half of a send without buffer: waits until the message was taken \[which message\].
    Taken,
    TrySend,
    /// The first half of a receive without buffer: somebody waits for a message from now on.
    Offer,
    Recv,
    TryRecv,
    RecvTimed,
    DropSender,
    DropReceiver,
    Take,
    TakeTimed,
    Put,
    Pass,
    Open,
    /// \[the thread\]
    Join,
    /// \[the thread\]
    IsFinished,
    /// The main thread has returned and waits for the end of all others.
    Drain,
    Yield,
    /// \[among how many\]
    Choose,
}

impl Kind {
    /// The access ends a wait by giving up if there is nothing to get; never blocks.
    pub(crate) fn is_timed(self) -> bool {
        matches!(self, Kind::WakeTimed | Kind::RecvTimed | Kind::TakeTimed)
    }

    /// Never waits for anything.
    pub(crate) fn never_waits(self) -> bool {
        use Kind::*;
        !matches!(self, Lock | Relock | Read | Write | Send | Taken | Recv | Take | Pass | Join | Drain)
    }

    /// Accesses an atomic, which has no state besides its value.
    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Kind::Load | Kind::Store | Kind::Rmw | Kind::CompareExchange)
    }

    /// Makes another thread able to go on ("release operation" of \[BPOR\] Algorithm 3).
    pub(crate) fn is_release(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Unlock
                | UnlockRead
                | UnlockWrite
                | Wait
                | WaitTimed
                | NotifyOne
                | NotifyAll
                | Send
                | TrySend
                | Recv
                | TryRecv
                | RecvTimed
                | Offer
                | DropSender
                | DropReceiver
                | Put
                | Open
        )
    }

    /// The classes the access can turn out to have, as a set of bits.
    pub(crate) fn classes(self) -> u16 {
        use Kind::*;
        let bits = |list: &[Class]| list.iter().fold(0, |set, c| set | c.bit());
        match self {
            Load | Read | UnlockRead | TryRead | Pass | IsFinished | Wait | WaitTimed | WakeTimed | Put => {
                Class::Read.bit()
            }
            Store | Rmw | Lock | Unlock | Write | TryWrite | UnlockWrite | Relock | NotifyOne | NotifyAll | Take
            | TakeTimed | Open => Class::Write.bit(),
            CompareExchange | TryLock => bits(&[Class::Read, Class::Write]),
            Send => bits(&[Class::Send, Class::Write]),
            TrySend => bits(&[Class::Send, Class::Full, Class::Write]),
            Recv => bits(&[Class::Receive, Class::Write]),
            TryRecv | RecvTimed => bits(&[Class::Receive, Class::Empty, Class::Write]),
            DropSender => bits(&[Class::CloseSend, Class::Write]),
            DropReceiver => bits(&[Class::CloseReceive, Class::Write]),
            Offer => Class::Write.bit(),
            Taken | Join | Drain | Yield | Choose => 0,
        }
    }
}

/// What an access did, as far as the order of accesses goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Class {
    /// Reads, and other things that commute with each other but not with a write.
    Read,
    /// Conflicts with reads and writes.
    Write,
    /// Appends a message, or finds the receiver gone.
    Send,
    /// Takes a message, or finds that there will be none.
    Receive,
    /// Finds no message.
    Empty,
    /// Finds no room.
    Full,
    /// The receiver goes.
    CloseReceive,
    /// A sender goes.
    CloseSend,
    /// No access.
    Nothing,
}

/// For each class the set of classes it conflicts with.
const CONFLICTS: [u16; 9] = {
    use Class::*;
    let mut table = [0; 9];
    let pairs = [
        (Read, Write),
        (Write, Write),
        (Send, Send),
        (Send, Empty),
        (Send, Full),
        (Send, CloseReceive),
        (Receive, Receive),
        (Receive, Empty),
        (Receive, Full),
        (Empty, CloseSend),
        (Full, CloseReceive),
    ];
    let mut i = 0;
    while i < pairs.len() {
        let (a, b) = (pairs[i].0 as usize, pairs[i].1 as usize);
        table[a] |= 1 << b;
        table[b] |= 1 << a;
        i += 1;
    }
    table
};

impl Class {
    /// As a set of one.
    pub(crate) const fn bit(self) -> u16 {
        1 << self as u16
    }

    /// The classes this one conflicts with.
    pub(crate) fn conflicts(self) -> u16 {
        CONFLICTS[self as usize]
    }
}

/// A pending operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) kind: Kind,
    /// The object, or [`ObjectId::NONE`].
    pub(crate) object: ObjectId,
    /// A second object, thread or number, as [`Kind`] says.
    pub(crate) other: Other,
    /// An access of an atomic whose stores are kept.
    pub(crate) access: Option<graph::Access>,
    /// In words.
    pub(crate) verb: &'static str,
    pub(crate) at: At,
}

impl Op {
    /// The same operation at the same place? Tells whether a program does the same under the same schedule.
    pub(crate) fn same(&self, other: &Op) -> bool {
        self.kind == other.kind
            && self.object == other.object
            && self.other == other.other
            && self.access == other.access
            && std::ptr::eq(self.at, other.at)
    }
}

/// A step that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) thread: ThreadId,
    /// Which of several outcomes (a choice, whom to notify).
    pub(crate) choice: u32,
    pub(crate) kind: Kind,
    pub(crate) class: Class,
    pub(crate) object: ObjectId,
    pub(crate) other: Other,
    /// An access of an atomic whose stores are kept: it is in the graph.
    pub(crate) in_graph: bool,
    /// The thread let others run, or reads again and again what nobody changes.
    pub(crate) yielded: bool,
    /// The thread ended in this step.
    pub(crate) finished: bool,
}

impl Step {
    /// A second object written by the step: the mutex that a wait unlocks.
    pub(crate) fn second(&self) -> Option<ObjectId> {
        matches!(self.kind, Kind::Wait | Kind::WaitTimed).then_some(self.other.object())
    }

    /// Whether the order of this step and the pending operation `op` of thread `u` can matter: they conflict, or
    /// this step can enable or disable it ("dependent", \[BPOR\]).
    pub(crate) fn dependent(&self, op: &Op) -> bool {
        if op.object != ObjectId::NONE && op.object == self.object && self.class.conflicts() & op.kind.classes() != 0 {
            return true;
        }
        if self.second().is_some_and(|mutex| op.object == mutex) {
            return true;
        }
        if matches!(op.kind, Kind::Wait | Kind::WaitTimed) && op.other.object() == self.object {
            return true;
        }
        self.enables(op)
    }

    /// Whether this step may make `op` able to go on without conflicting with it.
    fn enables(&self, op: &Op) -> bool {
        let same = op.object == self.object;
        match op.kind {
            Kind::Join | Kind::IsFinished => self.finished && op.other.thread() == self.thread,
            Kind::Drain => self.finished,
            Kind::Relock => self.object == op.other.object() && matches!(self.kind, Kind::NotifyOne | Kind::NotifyAll),
            Kind::Recv | Kind::TryRecv | Kind::RecvTimed => {
                same && matches!(self.class, Class::Send | Class::CloseSend)
            }
            Kind::Send | Kind::TrySend | Kind::Taken => {
                same && matches!(self.class, Class::Receive | Class::CloseReceive | Class::Write)
            }
            _ => false,
        }
    }
}
