//! Receiving in a loop.

use super::Receiver;

/// Messages until the channel is closed.
#[derive(Debug)]
pub struct Iter<'a, T>(&'a Receiver<T>);

impl<'a, T> Iter<'a, T> {
    pub(super) fn new(receiver: &'a Receiver<T>) -> Self {
        Iter(receiver)
    }
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

/// Messages that are there.
#[derive(Debug)]
pub struct TryIter<'a, T>(&'a Receiver<T>);

impl<'a, T> TryIter<'a, T> {
    pub(super) fn new(receiver: &'a Receiver<T>) -> Self {
        TryIter(receiver)
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }
}

/// Messages until the channel is closed, from a receiver of its own.
#[derive(Debug)]
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}
