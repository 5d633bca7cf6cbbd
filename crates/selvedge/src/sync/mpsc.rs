//! Channels, as [`std::sync::mpsc`]. A channel made inside a model belongs to that execution; one made outside is std's.

mod iter;
mod queue;

pub use self::iter::{IntoIter, Iter, TryIter};
#[doc(no_inline)]
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use std::fmt;
use std::panic::Location;
use std::sync::mpsc as outside;
use std::time::Duration;

use self::queue::{Queue, Sent};
use crate::macros::is_unwind_safe;
use crate::primitive;
use selvedge_stateless::rt::{self, Transfer};

/// A channel that holds any number of messages.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if !rt::inside() {
        let (sender, receiver) = outside::channel();
        return (Sender(End::Outside(sender)), Receiver(End::Outside(receiver)));
    }
    let queue = Queue::new(None, Location::caller());
    (Sender(End::Inside(queue.clone())), Receiver(End::Inside(queue)))
}

/// A channel that holds `bound` messages and then lets its senders wait; with 0 each message is handed over.
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if !rt::inside() {
        let (sender, receiver) = outside::sync_channel(bound);
        return (SyncSender(End::Outside(sender)), Receiver(End::Outside(receiver)));
    }
    let queue = Queue::new(Some(bound), Location::caller());
    (SyncSender(End::Inside(queue.clone())), Receiver(End::Inside(queue)))
}

/// One end of a channel: of this execution, or of std.
enum End<T, S> {
    Inside(Queue<T>),
    Outside(S),
}

impl<T, S> End<T, S> {
    /// std's end, which would block the whole model if it were used inside one.
    #[track_caller]
    fn std(end: &S) -> &S {
        if rt::inside() {
            let message = "a channel made outside of the model is used inside it: make it in the model's closure";
            primitive::misuse(message.to_owned(), Location::caller());
        }
        end
    }
}

is_unwind_safe!(Sender<T>);
is_unwind_safe!(SyncSender<T>);
is_unwind_safe!(Receiver<T>);

/// The sending end.
pub struct Sender<T>(End<T, outside::Sender<T>>);

/// The sending end of a channel with room for so many messages.
pub struct SyncSender<T>(End<T, outside::SyncSender<T>>);

/// The receiving end.
pub struct Receiver<T>(End<T, outside::Receiver<T>>);

impl<T> Sender<T> {
    /// Sends; never waits.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match &self.0 {
            End::Inside(queue) => queue.send(message, Location::caller()).map_err(SendError),
            End::Outside(sender) => End::<T, _>::std(sender).send(message),
        }
    }
}

impl<T> SyncSender<T> {
    /// Waits for room (or, with none at all, for the receiver) and sends.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match &self.0 {
            End::Inside(queue) => queue.send(message, Location::caller()).map_err(SendError),
            End::Outside(sender) => End::<T, _>::std(sender).send(message),
        }
    }

    /// Sends if there is room.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        match &self.0 {
            End::Inside(queue) => match queue.try_send(message, Location::caller()) {
                Sent::Done => Ok(()),
                Sent::Full(message) => Err(TrySendError::Full(message)),
                Sent::Disconnected(message) => Err(TrySendError::Disconnected(message)),
            },
            End::Outside(sender) => End::<T, _>::std(sender).try_send(message),
        }
    }
}

impl<T> Receiver<T> {
    /// Waits for a message.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.0 {
            End::Inside(queue) => queue.recv(Location::caller()).map_err(|_| RecvError),
            End::Outside(receiver) => End::<T, _>::std(receiver).recv(),
        }
    }

    /// Receives if there is a message.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.0 {
            End::Inside(queue) => queue.try_recv(Location::caller()).map_err(|transfer| match transfer {
                Transfer::WouldBlock => TryRecvError::Empty,
                Transfer::Done | Transfer::Disconnected => TryRecvError::Disconnected,
            }),
            End::Outside(receiver) => End::<T, _>::std(receiver).try_recv(),
        }
    }

    /// Waits for a message or until the time is up; inside a model both happen.
    #[track_caller]
    pub fn recv_timeout(&self, time: Duration) -> Result<T, RecvTimeoutError> {
        match &self.0 {
            End::Inside(queue) => queue.recv_timeout(Location::caller()).map_err(|transfer| match transfer {
                Transfer::WouldBlock => RecvTimeoutError::Timeout,
                Transfer::Done | Transfer::Disconnected => RecvTimeoutError::Disconnected,
            }),
            End::Outside(receiver) => End::<T, _>::std(receiver).recv_timeout(time),
        }
    }

    /// Messages until the channel is closed.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self)
    }

    /// Messages that are there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter::new(self)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        match &self.0 {
            End::Inside(queue) => Sender(End::Inside(queue.another_sender())),
            End::Outside(sender) => Sender(End::Outside(sender.clone())),
        }
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        match &self.0 {
            End::Inside(queue) => SyncSender(End::Inside(queue.another_sender())),
            End::Outside(sender) => SyncSender(End::Outside(sender.clone())),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let End::Inside(queue) = &self.0 {
            queue.sender_dropped();
        }
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        if let End::Inside(queue) = &self.0 {
            queue.sender_dropped();
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        if let End::Inside(queue) = &self.0 {
            queue.receiver_dropped();
        }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
