//! The atomic integers.

use super::{Atomic, Bits, Ordering, Step, common_operations, common_traits, fetch_operations};
use crate::primitive::notes::show;
use selvedge_stateless::At;
use selvedge_stateless::rt::{self, Operation};

macro_rules! atomic_integer {
    ($atomic:ident, $name:literal, $int:ty) => {
        #[doc = concat!("An atomic integer, as [`std::sync::atomic::", $name, "`].")]
        pub struct $atomic(Atomic<std::sync::atomic::$atomic>);

        impl $atomic {
            common_operations!($name, std::sync::atomic::$atomic, $int);

            fetch_operations! {
                $int;
                /// Adds, wrapping around.
                fetch_add
                /// Subtracts, wrapping around.
                fetch_sub
                /// Bitwise and.
                fetch_and
                /// Bitwise nand.
                fetch_nand
                /// Bitwise or.
                fetch_or
                /// Bitwise xor.
                fetch_xor
                /// The larger one.
                fetch_max
                /// The smaller one.
                fetch_min
            }
        }

        impl Bits for std::sync::atomic::$atomic {
            fn from_bits(bits: u64) -> Self {
                Self::new(bits as $int)
            }
            fn bits(&self) -> u64 {
                self.load(Ordering::Relaxed) as u64
            }
            fn set_bits(&self, bits: u64) {
                self.store(bits as $int, Ordering::Relaxed);
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
