//! The atomic integers.

use super::{Atomic, Ordering, Step, common_operations, common_traits};
use crate::rt::notes::show;
use crate::rt::{self, Access, At};
use std::panic::Location;

macro_rules! atomic_integer {
    ($atomic:ident, $name:literal, $int:ty) => {
        #[doc = concat!("An atomic integer, as [`std::sync::atomic::", $name, "`].")]
        pub struct $atomic(Atomic<std::sync::atomic::$atomic>);

        impl $atomic {
            common_operations!($name, std::sync::atomic::$atomic, $int);

            /// Adds, wrapping around.
            #[track_caller]
            pub fn fetch_add(&self, value: $int, order: Ordering) -> $int {
                self.modify("fetch_add", order, Location::caller(), || show(&value), |a| a.fetch_add(value, order))
            }

            /// Subtracts, wrapping around.
            #[track_caller]
            pub fn fetch_sub(&self, value: $int, order: Ordering) -> $int {
                self.modify("fetch_sub", order, Location::caller(), || show(&value), |a| a.fetch_sub(value, order))
            }

            /// Bitwise and.
            #[track_caller]
            pub fn fetch_and(&self, value: $int, order: Ordering) -> $int {
                self.modify("fetch_and", order, Location::caller(), || show(&value), |a| a.fetch_and(value, order))
            }

            /// Bitwise nand.
            #[track_caller]
            pub fn fetch_nand(&self, value: $int, order: Ordering) -> $int {
                self.modify("fetch_nand", order, Location::caller(), || show(&value), |a| a.fetch_nand(value, order))
            }

            /// Bitwise or.
            #[track_caller]
            pub fn fetch_or(&self, value: $int, order: Ordering) -> $int {
                self.modify("fetch_or", order, Location::caller(), || show(&value), |a| a.fetch_or(value, order))
            }

            /// Bitwise xor.
            #[track_caller]
            pub fn fetch_xor(&self, value: $int, order: Ordering) -> $int {
                self.modify("fetch_xor", order, Location::caller(), || show(&value), |a| a.fetch_xor(value, order))
            }

            /// The larger one.
            #[track_caller]
            pub fn fetch_max(&self, value: $int, order: Ordering) -> $int {
                self.modify("fetch_max", order, Location::caller(), || show(&value), |a| a.fetch_max(value, order))
            }

            /// The smaller one.
            #[track_caller]
            pub fn fetch_min(&self, value: $int, order: Ordering) -> $int {
                self.modify("fetch_min", order, Location::caller(), || show(&value), |a| a.fetch_min(value, order))
            }
        }

        impl Default for $atomic {
            #[track_caller]
            fn default() -> Self {
                Self::new(0)
            }
        }

        common_traits!($atomic, $name, $int);
    };
}

atomic_integer!(AtomicU8, "AtomicU8", u8);
atomic_integer!(AtomicU16, "AtomicU16", u16);
atomic_integer!(AtomicU32, "AtomicU32", u32);
atomic_integer!(AtomicU64, "AtomicU64", u64);
atomic_integer!(AtomicUsize, "AtomicUsize", usize);
atomic_integer!(AtomicI8, "AtomicI8", i8);
atomic_integer!(AtomicI16, "AtomicI16", i16);
atomic_integer!(AtomicI32, "AtomicI32", i32);
atomic_integer!(AtomicI64, "AtomicI64", i64);
atomic_integer!(AtomicIsize, "AtomicIsize", isize);
