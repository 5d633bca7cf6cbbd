//! The atomic pointer.

use super::{Atomic, Bits, Ordering, Step, common_operations, common_traits};
use crate::primitive::notes::show;
use selvedge_stateless::At;
use selvedge_stateless::rt::{self, Operation};
use std::panic::Location;

/// Operations that change the pointer by a number, each one step.
macro_rules! pointer_operations {
    ($($(#[$doc:meta])* $name:ident($pointer:ident, $number:ident) => $change:expr)*) => {
        $(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self, $number: usize, order: Ordering) -> *mut T {
                self.change(stringify!($name), $number, order, Location::caller(), |$pointer| $change)
            }
        )*
    };
}

/// An atomic pointer, as [`std::sync::atomic::AtomicPtr`]. The arithmetic that std has not stabilised yet is made of
/// one swap each, which is one step all the same.
pub struct AtomicPtr<T>(Atomic<std::sync::atomic::AtomicPtr<T>>);

impl<T> AtomicPtr<T> {
    common_operations!("AtomicPtr", std::sync::atomic::AtomicPtr<T>, *mut T);

    /// Changes the pointer in one step.
    fn change(
        &self,
        verb: &'static str,
        argument: usize,
        order: Ordering,
        at: At,
        change: impl Fn(*mut T) -> *mut T,
    ) -> *mut T {
        self.modify(
            verb,
            order,
            at,
            || argument.to_string(),
            |a| {
                // Outside a model other threads may come between: try again. Inside, the first try succeeds.
                let load = match order {
                    Ordering::AcqRel => Ordering::Acquire,
                    Ordering::Release => Ordering::Relaxed,
                    other => other,
                };
                a.fetch_update(order, load, |p| Some(change(p))).unwrap_or_else(|p| p)
            },
        )
    }

    pointer_operations! {
        /// Moves on by so many values.
        fetch_ptr_add(p, count) => p.wrapping_add(count)
        /// Moves back by so many values.
        fetch_ptr_sub(p, count) => p.wrapping_sub(count)
        /// Moves on by so many bytes.
        fetch_byte_add(p, count) => p.wrapping_byte_add(count)
        /// Moves back by so many bytes.
        fetch_byte_sub(p, count) => p.wrapping_byte_sub(count)
        /// Bitwise or of the address.
        fetch_or(p, bits) => p.map_addr(|a| a | bits)
        /// Bitwise and of the address.
        fetch_and(p, bits) => p.map_addr(|a| a & bits)
        /// Bitwise exclusive or of the address.
        fetch_xor(p, bits) => p.map_addr(|a| a ^ bits)
    }
}

impl<T> Bits for std::sync::atomic::AtomicPtr<T> {
    fn from_bits(bits: u64) -> Self {
        Self::new(std::ptr::with_exposed_provenance_mut(bits as usize))
    }
    fn bits(&self) -> u64 {
        self.load(Ordering::Relaxed).expose_provenance() as u64
    }
    fn set_bits(&self, bits: u64) {
        self.store(std::ptr::with_exposed_provenance_mut(bits as usize), Ordering::Relaxed);
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

common_traits!(AtomicPtr, "AtomicPtr", *mut T, T);
