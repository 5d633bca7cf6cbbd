//! The atomic truth value.

use super::{Atomic, Ordering, Step, common_operations, common_traits};
use crate::rt::notes::show;
use crate::rt::{self, Access, At};
use std::panic::Location;

/// An atomic truth value, as [`std::sync::atomic::AtomicBool`].
pub struct AtomicBool(Atomic<std::sync::atomic::AtomicBool>);

impl AtomicBool {
    common_operations!("AtomicBool", std::sync::atomic::AtomicBool, bool);

    /// And.
    #[track_caller]
    pub fn fetch_and(&self, value: bool, order: Ordering) -> bool {
        self.modify("fetch_and", order, Location::caller(), || show(&value), |a| a.fetch_and(value, order))
    }

    /// Not and.
    #[track_caller]
    pub fn fetch_nand(&self, value: bool, order: Ordering) -> bool {
        self.modify("fetch_nand", order, Location::caller(), || show(&value), |a| a.fetch_nand(value, order))
    }

    /// Or.
    #[track_caller]
    pub fn fetch_or(&self, value: bool, order: Ordering) -> bool {
        self.modify("fetch_or", order, Location::caller(), || show(&value), |a| a.fetch_or(value, order))
    }

    /// Exclusive or.
    #[track_caller]
    pub fn fetch_xor(&self, value: bool, order: Ordering) -> bool {
        self.modify("fetch_xor", order, Location::caller(), || show(&value), |a| a.fetch_xor(value, order))
    }

    /// Not.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.modify("fetch_not", order, Location::caller(), String::new, |a| a.fetch_xor(true, order))
    }
}

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> Self {
        Self::new(false)
    }
}

common_traits!(AtomicBool, "AtomicBool", bool);
