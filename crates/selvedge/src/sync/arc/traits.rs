//! The traits of a shared pointer: those of its value.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::panic::Location;

use super::Arc;
use crate::macros::made_of_a_value;

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

made_of_a_value!(Arc);

impl<T> From<Vec<T>> for Arc<[T]> {
    #[track_caller]
    fn from(values: Vec<T>) -> Self {
        Arc::made(values.into(), Location::caller())
    }
}

impl From<&str> for Arc<str> {
    #[track_caller]
    fn from(text: &str) -> Self {
        Arc::made(text.into(), Location::caller())
    }
}

impl From<String> for Arc<str> {
    #[track_caller]
    fn from(text: String) -> Self {
        Arc::made(text.into(), Location::caller())
    }
}

impl<T: ?Sized> From<Box<T>> for Arc<T> {
    #[track_caller]
    fn from(value: Box<T>) -> Self {
        Arc::made(value.into(), Location::caller())
    }
}

impl<T> FromIterator<T> for Arc<[T]> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Arc::made(values.into_iter().collect(), Location::caller())
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Pointer for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address: *const T = &**self;
        address.fmt(f)
    }
}
