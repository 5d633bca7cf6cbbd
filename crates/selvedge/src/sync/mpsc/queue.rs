//! The messages of a channel of an execution. The runtime knows how many there are and who waits; the messages
//! themselves are here.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use crate::primitive;
use selvedge_stateless::rt::{self, Access, ObjectKind, Transfer};
use selvedge_stateless::{At, ObjectId};

/// A handle to the queue.
pub(super) struct Queue<T> {
    channel: ObjectId,
    /// Of a channel without room: where the receiver says that it waits. Sender and receiver meet in two
    /// steps each: the sender's message lies ready, then the sender waits until it is taken.
    meeting: Option<ObjectId>,
    stamp: u64,
    created: At,
    state: Arc<Mutex<State<T>>>,
}

struct State<T> {
    messages: VecDeque<Parcel<T>>,
    receiver_waits: bool,
    gone: bool,
}

/// A message, and the sender that waits until it is taken.
struct Parcel<T> {
    message: T,
    sender: Option<Arc<Waiting<T>>>,
}

struct Waiting<T> {
    /// Opened when the message was taken, or will never be.
    gate: ObjectId,
    /// The message, if the receiver went away.
    refused: Mutex<Option<T>>,
}

/// What became of a message.
pub(super) enum Sent<T> {
    Done,
    Full(T),
    Disconnected(T),
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Queue { state: self.state.clone(), ..*self }
    }
}

impl<T> Queue<T> {
    pub(super) fn new(capacity: Option<usize>, created: At) -> Self {
        primitive::used();
        let meets = capacity == Some(0);
        let room = capacity.filter(|_| !meets).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let state = State { messages: VecDeque::new(), receiver_waits: false, gone: false };
        let state = Arc::new(Mutex::new(state));
        let address = Arc::as_ptr(&state).addr();
        let channel = rt::object_at(ObjectKind::Channel { capacity: room }, created, address);
        if rt::recording() {
            rt::name_object(channel, &primitive::names::name(rt::stamp(), "channel", created));
        }
        let meeting = meets.then(|| rt::object_at(ObjectKind::Atomic, created, address));
        Queue { channel, meeting, stamp: rt::stamp(), created, state }
    }

    /// Whether we are in the execution that made the channel; elsewhere nothing can be done with it.
    fn at_home(&self, at: At) -> bool {
        let home = rt::inside() && rt::stamp() == self.stamp;
        if !home && rt::inside() {
            let place = self.created;
            primitive::misuse(format!("the channel made at {place} is of an earlier execution"), at);
        }
        home
    }

    fn with<R>(&self, f: impl FnOnce(&mut State<T>) -> R) -> R {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, message: T, sender: Option<Arc<Waiting<T>>>) {
        self.with(|state| {
            state.messages.push_back(Parcel { message, sender });
            // Whoever sends may allocate for the others.
            rt::disown(state.messages.as_slices().0.as_ptr().addr());
        });
    }

    pub(super) fn send(&self, message: T, at: At) -> Result<(), T> {
        if !self.at_home(at) || rt::send(self.channel, at) != Transfer::Done {
            return Err(message);
        }
        if self.meeting.is_none() {
            self.push(message, None);
            return Ok(());
        }
        let gate = rt::object(ObjectKind::Gate, self.created);
        let waiting = Arc::new(Waiting { gate, refused: Mutex::new(None) });
        self.push(message, Some(waiting.clone()));
        rt::pass(gate, "wait for the receiver", at);
        let refused = waiting.refused.lock().unwrap_or_else(PoisonError::into_inner).take();
        refused.map_or(Ok(()), Err)
    }

    pub(super) fn try_send(&self, message: T, at: At) -> Sent<T> {
        if !self.at_home(at) {
            return Sent::Disconnected(message);
        }
        if let Some(meeting) = self.meeting {
            rt::access(meeting, Access::Load(Relaxed), "try_send", at);
            let (waits, gone) = self.with(|state| (state.receiver_waits && state.messages.is_empty(), state.gone));
            let result = if waits { "the receiver waits" } else { "nobody waits" };
            primitive::note(|| [String::new(), result.to_owned(), String::new()]);
            match (waits, gone) {
                (_, true) => return Sent::Disconnected(message),
                (false, _) => return Sent::Full(message),
                (true, _) => {}
            }
        }
        match rt::try_send(self.channel, at) {
            Transfer::Done => {
                self.push(message, None);
                Sent::Done
            }
            Transfer::WouldBlock => Sent::Full(message),
            Transfer::Disconnected => Sent::Disconnected(message),
        }
    }

    /// The receiver of a channel without room says whether it waits.
    fn announce(&self, verb: &'static str, at: At, change: impl FnOnce(&mut State<T>)) {
        if let Some(meeting) = self.meeting {
            rt::access(meeting, Access::Store(Relaxed), verb, at);
            self.with(change);
        }
    }

    pub(super) fn recv(&self, at: At) -> Result<T, Transfer> {
        self.waiting(rt::recv, at)
    }

    pub(super) fn recv_timeout(&self, at: At) -> Result<T, Transfer> {
        match self.waiting(rt::recv_timeout, at) {
            // A message may have been left while we gave up: a sender who saw us wait relies on it.
            Err(Transfer::WouldBlock) if self.meeting.is_some() => self.try_recv(at),
            other => other,
        }
    }

    fn waiting(&self, receive: fn(ObjectId, At) -> Transfer, at: At) -> Result<T, Transfer> {
        if !self.at_home(at) {
            return Err(Transfer::Disconnected);
        }
        self.announce("recv", at, |state| state.receiver_waits = true);
        let transfer = receive(self.channel, at);
        if transfer == Transfer::WouldBlock {
            self.announce("give up", at, |state| state.receiver_waits = false);
        }
        self.with(|state| state.receiver_waits = false);
        self.take(transfer, at)
    }

    pub(super) fn try_recv(&self, at: At) -> Result<T, Transfer> {
        if !self.at_home(at) {
            return Err(Transfer::Disconnected);
        }
        let transfer = rt::try_recv(self.channel, at);
        self.take(transfer, at)
    }

    fn take(&self, transfer: Transfer, at: At) -> Result<T, Transfer> {
        if transfer != Transfer::Done {
            return Err(transfer);
        }
        // In a run that is being given up there may be no message: the channel then counts as closed.
        let parcel = self.with(|state| state.messages.pop_front()).ok_or(Transfer::Disconnected)?;
        if let Some(waiting) = parcel.sender {
            rt::open(waiting.gate, "take the message", at);
        }
        Ok(parcel.message)
    }

    pub(super) fn another_sender(&self) -> Self {
        if self.at_home(self.created) {
            rt::sender_cloned(self.channel);
        }
        self.clone()
    }

    pub(super) fn sender_dropped(&self) {
        if rt::inside() && rt::stamp() == self.stamp {
            rt::sender_dropped(self.channel, self.created);
        }
    }

    /// Gives waiting senders their messages back and drops the others, outside of the lock: a message may hold an
    /// end of this channel.
    pub(super) fn receiver_dropped(&self) {
        let home = rt::inside() && rt::stamp() == self.stamp;
        if home {
            rt::receiver_dropped(self.channel, self.created);
            self.announce("close", self.created, |state| state.gone = true);
        }
        for parcel in self.with(|state| std::mem::take(&mut state.messages)) {
            if let Some(waiting) = parcel.sender {
                *waiting.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(parcel.message);
                if home {
                    rt::open(waiting.gate, "refuse the message", self.created);
                }
            }
        }
    }
}
