//! The state of objects, as far as it decides which threads are enabled and what an access returns. Pure: the running
//! program and the walk over prefixes of a run (`prefix.rs`) both use it.

use crate::ThreadId;
use crate::op::{Class, Kind, Other};
use crate::rt::{ObjectKind, Transfer};

/// The state of one object.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) kind: ObjectKind,
    /// Mutex: owner + 1. RwLock: writer + 1. Channel: messages sent. Token, gate: set. Finish of a thread: set.
    pub(crate) a: u32,
    /// RwLock: readers. Channel: messages received.
    pub(crate) b: u32,
    /// Channel: senders.
    pub(crate) senders: u32,
    /// Channel: threads that offered to receive and have not yet (only without buffer).
    pub(crate) offers: u32,
    /// Channel: the receiver is gone.
    pub(crate) closed: bool,
    /// Condvar: who waits, in order of thread numbers.
    pub(crate) waiting: Vec<ThreadId>,
}

/// All of a state but who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    a: u32,
    b: u32,
    senders: u32,
    offers: u32,
    closed: bool,
}

impl State {
    /// A new object.
    pub(crate) fn new(kind: ObjectKind) -> State {
        State { kind, a: 0, b: 0, senders: 1, offers: 0, closed: false, waiting: Vec::new() }
    }

    /// As new, keeping memory.
    pub(crate) fn reset(&mut self, kind: ObjectKind) {
        self.restore(kind, Numbers { a: 0, b: 0, senders: 1, offers: 0, closed: false });
    }

    /// All but who waits.
    pub(crate) fn numbers(&self) -> Numbers {
        let State { a, b, senders, offers, closed, .. } = *self;
        Numbers { a, b, senders, offers, closed }
    }

    /// As it was when nobody waited, keeping memory.
    pub(crate) fn restore(&mut self, kind: ObjectKind, Numbers { a, b, senders, offers, closed }: Numbers) {
        self.kind = kind;
        (self.a, self.b, self.senders, self.offers, self.closed) = (a, b, senders, offers, closed);
        self.waiting.clear();
    }

    fn rendezvous(&self) -> bool {
        self.kind == ObjectKind::Channel { capacity: Some(0) }
    }

    fn queued(&self) -> u32 {
        self.a - self.b
    }

    fn has_room(&self) -> bool {
        match self.kind {
            ObjectKind::Channel { capacity: Some(n) } => self.queued() < n.max(1),
            _ => true,
        }
    }

    /// Whether this object lets the operation go on. (What else an operation may wait for is not the object's.)
    pub(crate) fn ready(&self, kind: Kind, other: Other) -> bool {
        match kind {
            Kind::Lock | Kind::Relock => self.a == 0,
            Kind::Read => self.a == 0,
            Kind::Write => self.a == 0 && self.b == 0,
            Kind::Send => self.closed || self.has_room(),
            Kind::Taken => self.closed || self.b > other.number(),
            Kind::Recv => self.queued() > 0 || self.senders == 0,
            Kind::Take | Kind::Pass => self.a != 0,
            _ => true,
        }
    }

    /// How an attempt on this object turns out.
    pub(crate) fn outcome(&self, kind: Kind, thread: ThreadId, other: Other) -> Transfer {
        let unless = |stop: bool| if stop { Transfer::WouldBlock } else { Transfer::Done };
        match kind {
            Kind::TryLock => unless(self.a != 0),
            Kind::TryRead => unless(self.a != 0),
            Kind::TryWrite => unless(self.a != 0 || self.b != 0),
            Kind::WakeTimed => unless(self.waiting.contains(&thread)),
            Kind::TakeTimed => unless(self.a == 0),
            Kind::Send | Kind::TrySend if self.closed => Transfer::Disconnected,
            Kind::TrySend if self.rendezvous() => unless(self.offers <= self.queued()),
            Kind::TrySend => unless(!self.has_room()),
            Kind::Taken if self.b <= other.number() => Transfer::Disconnected,
            Kind::Recv | Kind::TryRecv | Kind::RecvTimed if self.queued() == 0 => {
                if self.senders == 0 {
                    Transfer::Disconnected
                } else {
                    Transfer::WouldBlock
                }
            }
            _ => Transfer::Done,
        }
    }

    /// The class of the access, made now. A compare-exchange counts as a read here: what it does is known later.
    pub(crate) fn class(&self, kind: Kind, thread: ThreadId) -> Class {
        use Kind::*;
        match kind {
            Load | CompareExchange | Read | UnlockRead | TryRead | Pass | IsFinished | Wait | WaitTimed | WakeTimed
            | Put => Class::Read,
            Store | Rmw | Lock | Unlock | Write | UnlockWrite | Relock | NotifyOne | NotifyAll | Take | TakeTimed
            | Open | Offer => Class::Write,
            TryLock => match self.outcome(kind, thread, Other::NONE) {
                Transfer::Done => Class::Write,
                _ => Class::Read,
            },
            // A failed attempt to write saw readers or a writer: ordered with both.
            TryWrite => Class::Write,
            Taken | Join | Drain | Yield | Choose => Class::Nothing,
            Send | TrySend | Recv | TryRecv | RecvTimed | DropSender | DropReceiver if self.rendezvous() => {
                Class::Write
            }
            Send => Class::Send,
            TrySend => match self.outcome(kind, thread, Other::NONE) {
                Transfer::WouldBlock => Class::Full,
                _ => Class::Send,
            },
            Recv => Class::Receive,
            TryRecv | RecvTimed => match self.outcome(kind, thread, Other::NONE) {
                Transfer::WouldBlock => Class::Empty,
                _ => Class::Receive,
            },
            DropSender => Class::CloseSend,
            DropReceiver => Class::CloseReceive,
        }
    }

    /// Among how many outcomes the environment chooses.
    pub(crate) fn arity(&self, kind: Kind) -> u32 {
        match kind {
            Kind::NotifyOne => (self.waiting.len() as u32).max(1),
            _ => 1,
        }
    }

    /// Makes the access. The state must be as [`Self::ready`] wants it.
    pub(crate) fn apply(&mut self, kind: Kind, thread: ThreadId, choice: u32) {
        let done = |state: &State| state.outcome(kind, thread, Other::NONE) == Transfer::Done;
        match kind {
            Kind::Lock | Kind::Relock | Kind::Write => self.a = thread.0 + 1,
            Kind::TryLock | Kind::TryWrite if done(self) => self.a = thread.0 + 1,
            Kind::Unlock | Kind::UnlockWrite => self.a = 0,
            Kind::Read => self.b += 1,
            Kind::TryRead if done(self) => self.b += 1,
            Kind::UnlockRead => self.b = self.b.saturating_sub(1),
            Kind::Wait | Kind::WaitTimed => {
                let at = self.waiting.partition_point(|&t| t < thread);
                self.waiting.insert(at, thread);
            }
            Kind::WakeTimed => self.waiting.retain(|&t| t != thread),
            Kind::NotifyOne if !self.waiting.is_empty() => {
                self.waiting.remove(choice as usize);
            }
            Kind::NotifyAll => self.waiting.clear(),
            Kind::Send | Kind::TrySend if done(self) => self.a += 1,
            Kind::Offer => self.offers += 1,
            Kind::Recv | Kind::RecvTimed | Kind::TryRecv => {
                if done(self) {
                    self.b += 1;
                }
                if self.rendezvous() && kind != Kind::TryRecv {
                    self.offers -= 1;
                }
            }
            Kind::DropSender => self.senders = self.senders.saturating_sub(1),
            Kind::DropReceiver => self.closed = true,
            Kind::Take | Kind::TakeTimed => self.a = 0,
            Kind::Put | Kind::Open => self.a = 1,
            _ => {}
        }
    }
}
