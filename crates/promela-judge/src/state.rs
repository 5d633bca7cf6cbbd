//! A state of a model: variables, processes, channels, the claim, and whose turn it is. Everything
//! is compared by value; nothing is packed. Parts that a step does not change are shared with the
//! state before it.

use std::rc::Rc;

use super::flow::El;
use super::value::{Kind, Value};

/// A state. Two states with equal [`State::key`] are one state for the purpose of counting.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Global variables, except hidden ones, in the order declared.
    pub(crate) globals: Rc<Vec<Value>>,
    /// Global variables declared `hidden`, in the order declared.
    pub(crate) hidden: Rc<Vec<Value>>,
    /// Live processes; a process's number is its position.
    pub(crate) processes: Vec<Rc<Process>>,
    /// Channels; a channel's number is its position plus one.
    pub(crate) channels: Vec<Rc<Channel>>,
    /// `_last`, where the model uses it (otherwise 0).
    pub(crate) last: usize,
    /// Where the `trace` or `notrace` is.
    pub(crate) event: Option<El>,
    /// Where the never claim is.
    pub(crate) claim: Option<El>,
    /// The rendezvous channel that holds a message whose sender waits for a receiver. Never set
    /// in a state that `Interpreter::steps` gives to its caller.
    pub(crate) handshake: Option<usize>,
    /// Who continues.
    pub(crate) turn: Turn,
}

/// Who continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Turn {
    /// Everyone: the claim first, then some process.
    Free,
    /// This process, which is inside an atomic sequence; everyone if it is blocked.
    Only {
        /// The process.
        pid: usize,
        /// `timeout` is still true for it: so Spin has it under a claim.
        timeout: bool,
    },
    /// No process can continue, the claim moves alone. `stored` is false for the first such state,
    /// which Spin passes through.
    Stutter {
        /// Not the first one.
        stored: bool,
    },
}

/// A live process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Process {
    /// Index of its type.
    pub(crate) proto: usize,
    /// Where it is.
    pub(crate) at: El,
    /// Its variables, by slot.
    pub(crate) locals: Vec<Value>,
    /// Its priority.
    pub(crate) priority: i32,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Channel {
    /// 0 for rendezvous.
    pub(crate) capacity: usize,
    /// Types of a message's fields, structures taken apart.
    pub(crate) fields: Vec<Kind>,
    /// The process it goes away with.
    pub(crate) owner: Option<usize>,
    /// The messages, oldest first.
    pub(crate) messages: Vec<Vec<i32>>,
}

impl Channel {
    /// Whether there is no room: a rendezvous channel holds one message during the handshake.
    pub(crate) fn full(&self) -> bool {
        self.messages.len() >= self.capacity.max(1)
    }
}

impl State {
    /// A state with nothing in it.
    pub(crate) fn empty() -> State {
        State {
            globals: Rc::default(),
            hidden: Rc::default(),
            processes: Vec::new(),
            channels: Vec::new(),
            last: 0,
            event: None,
            claim: None,
            handshake: None,
            turn: Turn::Free,
        }
    }

    /// What tells stored states apart: without hidden variables, and whose turn it is only in the
    /// middle of an atomic sequence.
    pub fn key(&self) -> State {
        let mut key = self.clone();
        key.hidden = Rc::default();
        if !matches!(key.turn, Turn::Only { .. }) {
            key.turn = Turn::Free;
        }
        key
    }

    /// Whether Spin would store this state: not those inside an atomic sequence, nor the first
    /// one of a stuttering claim.
    pub(crate) fn is_stored(&self) -> bool {
        matches!(self.turn, Turn::Free | Turn::Stutter { stored: true })
    }

    /// A process, to change it.
    pub(crate) fn process_mut(&mut self, pid: usize) -> &mut Process {
        Rc::make_mut(&mut self.processes[pid])
    }

    /// A channel, to change it.
    pub(crate) fn channel_mut(&mut self, chan: usize) -> &mut Channel {
        Rc::make_mut(&mut self.channels[chan])
    }

    /// Removes the youngest process and its channels.
    pub(crate) fn remove_youngest(&mut self) {
        self.processes.pop();
        let alive = self.processes.len();
        while self.channels.last().is_some_and(|channel| channel.owner.is_some_and(|owner| owner >= alive)) {
            self.channels.pop();
        }
    }
}
