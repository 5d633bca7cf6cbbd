//! The atomic truth value.

use super::{Atomic, Bits, Ordering, Step, common_operations, common_traits, fetch_operations};
use crate::primitive::notes::show;
use selvedge_stateless::At;
use selvedge_stateless::rt::{self, Operation};
use std::panic::Location;

/// An atomic truth value, as [`std::sync::atomic::AtomicBool`].
pub struct AtomicBool(Atomic<std::sync::atomic::AtomicBool>);

impl AtomicBool {
    common_operations!("AtomicBool", std::sync::atomic::AtomicBool, bool);

    fetch_operations! {
        bool;
        /// And.
        fetch_and
        /// Not and.
        fetch_nand
        /// Or.
        fetch_or
        /// Exclusive or.
        fetch_xor
    }

    /// Not.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.modify("fetch_not", order, Location::caller(), String::new, |a| a.fetch_xor(true, order))
    }
}

impl Bits for std::sync::atomic::AtomicBool {
    fn from_bits(bits: u64) -> Self {
        Self::new(bits != 0)
    }
    fn bits(&self) -> u64 {
        self.load(Ordering::Relaxed).into()
    }
    fn set_bits(&self, bits: u64) {
        self.store(bits != 0, Ordering::Relaxed);
    }
}

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> Self {
        Self::new(false)
    }
}

common_traits!(AtomicBool, "AtomicBool", bool);
