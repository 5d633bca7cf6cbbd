//! Atomics, as [`std::sync::atomic`] and loom have them.
//!
//! Inside a model every access is a step of the schedule. Stale values, which orderings weaker than `SeqCst` allow, are explored
//! with the default [`Memory::Rc11`](crate::Memory::Rc11): the runtime then keeps the stores of each atomic and says which
//! of them an access is made on. What happens before what is decided by the orderings, and so data races are found. This
//! module is the only place that knows how an atomic's value is kept; std's atomic always holds the newest one.

mod bool;
mod int;
mod ptr;

pub use self::bool::AtomicBool;
pub use self::int::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize,
};
pub use self::ptr::AtomicPtr;
#[doc(no_inline)]
pub use std::sync::atomic::Ordering;

use crate::primitive::freed::{self, Freed};
use crate::primitive::{self, Held};
use selvedge_stateless::rt::{self, Access, ObjectKind, Operation};
use selvedge_stateless::{At, ObjectId};

/// A value that threads read and write in one step each. `S` is std's atomic of the same type: it holds the value,
/// inside a model and outside.
struct Atomic<S> {
    held: Held<S>,
}

impl<S> Atomic<S> {
    #[track_caller]
    const fn new(value: S) -> Self {
        Atomic { held: Held::new(value) }
    }

    /// The value without a step.
    fn raw(&self, type_name: &'static str) -> &S
    where
        S: Sync,
    {
        self.held.peek_shared(ObjectKind::Atomic, type_name)
    }

    /// A step: `f` makes the access with std's own operation.
    #[inline]
    fn step<R>(&self, step: Step, f: impl FnOnce(&S) -> R) -> R
    where
        S: Sync + Bits,
    {
        if !rt::inside() {
            return f(self.raw(step.type_name));
        }
        if !step.operation.is_sequential() {
            primitive::weaker_ordering();
        }
        let (object, value) = self.inside(step.type_name, step.at);
        if rt::explores_stale() {
            return stale_step(object, value, step, f);
        }
        rt::access(object, step.access(), step.verb, step.at);
        f(value)
    }

    /// The object and the value inside a model. One that was freed is found again, to be told.
    #[inline]
    fn inside(&self, type_name: &'static str, at: At) -> (ObjectId, &S)
    where
        S: Sync,
    {
        if let Some(object) = self.held.object_of(rt::stamp()) {
            return (object, self.held.known_shared());
        }
        if self.held.is_strange()
            && let Some(Freed::Atomic(object)) = freed::at(rt::stamp(), self.held.address())
        {
            // The header is somebody else's by now.
            rt::plain_access(object, false, at);
        }
        self.held.shared(ObjectKind::Atomic, type_name)
    }

    /// A non-atomic access: `&mut` or the caller of an unsafe function promises that nobody else accesses it meanwhile.
    fn plain(&self, type_name: &'static str, write: bool, at: At) {
        if rt::inside() && !rt::panicking() {
            let (object, _) = self.held.inside(ObjectKind::Atomic, type_name);
            rt::plain_access(object, write, at);
        }
    }

    fn freed(&self) {
        if rt::inside() && !rt::panicking() {
            let object = match self.held.object_of(rt::stamp()) {
                Some(object) => object,
                // Others may use it yet.
                None if self.held.is_fresh() && !rt::is_alone() => self.held.inside(ObjectKind::Atomic, "atomic").0,
                None => return,
            };
            freed::add(rt::stamp(), self.held.address(), Freed::Atomic(object));
            rt::free_atomic(object);
        }
    }
}

impl<S> Drop for Atomic<S> {
    fn drop(&mut self) {
        self.freed();
    }
}

/// A step where stale values are explored: std's operation is made on the value that was chosen, and the atomic takes what
/// is the newest value then.
fn stale_step<S: Bits, R>(object: ObjectId, value: &S, step: Step, f: impl FnOnce(&S) -> R) -> R {
    let Some(bits) = rt::operate(object, step.operation, value.bits(), step.verb, step.at) else {
        return f(value);
    };
    let chosen = S::from_bits(bits);
    let result = f(&chosen);
    if rt::wrote_value(object, chosen.bits()) {
        value.set_bits(chosen.bits());
    }
    result
}

/// An atomic of std whose values are kept as bits.
trait Bits: Sized {
    fn from_bits(bits: u64) -> Self;
    fn bits(&self) -> u64;
    fn set_bits(&self, bits: u64);
}

/// What an operation is, before it is made.
struct Step {
    type_name: &'static str,
    verb: &'static str,
    operation: Operation,
    at: At,
}

impl Step {
    fn access(&self) -> Access {
        match self.operation {
            Operation::Load(order) => Access::Load(order),
            Operation::Store(order) => Access::Store(order),
            Operation::Modify(order) => Access::Rmw(order),
            Operation::Exchange { .. } => Access::CompareExchange,
        }
    }
}

/// Orders the accesses of its thread, as [`std::sync::atomic::fence`]. No step: what it orders is what other steps do.
#[track_caller]
pub fn fence(order: Ordering) {
    if !rt::inside() {
        return std::sync::atomic::fence(order);
    }
    assert!(order != Ordering::Relaxed, "there is no such thing as a relaxed fence");
    rt::fence(order, std::panic::Location::caller());
}

/// Restrains the compiler only: no step.
#[inline]
pub fn compiler_fence(order: Ordering) {
    std::sync::atomic::compiler_fence(order);
}

/// As [`crate::hint::spin_loop`], under its old name.
#[track_caller]
pub fn spin_loop_hint() {
    crate::hint::spin_loop();
}

/// The operations that every atomic has, for one type. `$std` is std's atomic, `$value` what it holds.
macro_rules! common_operations {
    ($name:literal, $std:ty, $value:ty) => {
        /// A new one.
        #[track_caller]
        pub const fn new(value: $value) -> Self {
            Self(Atomic::new(<$std>::new(value)))
        }

        /// The value, read without a step.
        ///
        /// # Safety
        /// No other thread may write it meanwhile.
        #[allow(unsafe_code)]
        #[track_caller]
        pub unsafe fn unsync_load(&self) -> $value {
            self.0.plain($name, false, std::panic::Location::caller());
            self.0.raw($name).load(Ordering::Relaxed)
        }

        /// The value, exclusively. Inside a model this is a non-atomic write, which must not race with other accesses.
        #[track_caller]
        pub fn get_mut(&mut self) -> &mut $value {
            self.0.plain($name, true, std::panic::Location::caller());
            self.0.held.get_mut().get_mut()
        }

        /// The value, exclusively, in a closure.
        #[track_caller]
        pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut $value) -> R) -> R {
            f(self.get_mut())
        }

        /// The value itself.
        #[track_caller]
        pub fn into_inner(mut self) -> $value {
            *self.get_mut()
        }

        /// Reads.
        #[track_caller]
        pub fn load(&self, order: Ordering) -> $value {
            let at = std::panic::Location::caller();
            let step = Step { type_name: $name, verb: "load", operation: Operation::Load(order), at };
            self.0.step(step, |a| {
                let value = a.load(order);
                if rt::inside() {
                    crate::primitive::note(|| [String::new(), show(&value), String::new()]);
                }
                value
            })
        }

        /// Writes.
        #[track_caller]
        pub fn store(&self, value: $value, order: Ordering) {
            let at = std::panic::Location::caller();
            let step = Step { type_name: $name, verb: "store", operation: Operation::Store(order), at };
            self.0.step(step, |a| {
                a.store(value, order);
                if rt::inside() {
                    crate::primitive::note(|| [show(&value), String::new(), show(&value)]);
                }
            })
        }

        /// Reads and writes in one step; `f` is std's operation, `arguments` what the report shows of it.
        fn modify(
            &self,
            verb: &'static str,
            order: Ordering,
            at: At,
            arguments: impl FnOnce() -> String,
            f: impl FnOnce(&$std) -> $value,
        ) -> $value {
            let step = Step { type_name: $name, verb, operation: Operation::Modify(order), at };
            self.0.step(step, |a| {
                let old = f(a);
                if rt::inside() {
                    let new = a.load(Ordering::Relaxed);
                    if new == old {
                        rt::left_unchanged(at);
                    }
                    crate::primitive::note(|| [arguments(), show(&old), show(&a.load(Ordering::Relaxed))]);
                }
                old
            })
        }

        /// Writes and returns what was there.
        #[track_caller]
        pub fn swap(&self, value: $value, order: Ordering) -> $value {
            self.modify("swap", order, std::panic::Location::caller(), || show(&value), |a| a.swap(value, order))
        }

        /// Writes `new` if `current` is there; what was there. std has deprecated it; loom's tests use it.
        #[track_caller]
        pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
            let failure = match order {
                Ordering::AcqRel => Ordering::Acquire,
                Ordering::Release => Ordering::Relaxed,
                other => other,
            };
            match self.compare_exchange(current, new, order, failure) {
                Ok(value) | Err(value) => value,
            }
        }

        /// Writes `new` if `current` is there; else it is a read.
        #[track_caller]
        pub fn compare_exchange(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            self.exchange("compare_exchange", (current, new), (success, failure), std::panic::Location::caller())
        }

        /// As [`compare_exchange`](Self::compare_exchange). It fails for no reason only in models that ask for it
        /// ([`Builder::spurious_failures`](crate::Builder::spurious_failures)).
        #[track_caller]
        pub fn compare_exchange_weak(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            let at = std::panic::Location::caller();
            if rt::inside()
                && crate::model::options().spurious_failures
                && rt::choose(2, "weak exchange fails", at) == 1
            {
                return Err(self.load(failure));
            }
            self.exchange("compare_exchange_weak", (current, new), (success, failure), at)
        }

        fn exchange(
            &self,
            verb: &'static str,
            (current, new): ($value, $value),
            (success, failure): (Ordering, Ordering),
            at: At,
        ) -> Result<$value, $value> {
            let expected = <$std>::new(current).bits();
            let operation = Operation::Exchange { success, failure, expected };
            let step = Step { type_name: $name, verb, operation, at };
            self.0.step(step, |a| {
                let result = a.compare_exchange(current, new, success, failure);
                if rt::inside() {
                    rt::wrote(result.is_ok(), if result.is_ok() { success } else { failure }, at);
                    crate::primitive::note(|| {
                        let now = if result.is_ok() { show(&new) } else { String::new() };
                        [format!("{}, {}", show(&current), show(&new)), show(&result), now]
                    });
                }
                result
            })
        }

        /// Exchanges until it succeeds or `f` gives nothing.
        #[track_caller]
        pub fn fetch_update<F>(&self, set: Ordering, fetch: Ordering, mut f: F) -> Result<$value, $value>
        where
            F: FnMut($value) -> Option<$value>,
        {
            let mut old = self.load(fetch);
            while let Some(new) = f(old) {
                match self.compare_exchange_weak(old, new, set, fetch) {
                    Ok(value) => return Ok(value),
                    Err(now) => old = now,
                }
            }
            Err(old)
        }
    };
}

/// The traits that every atomic has.
macro_rules! common_traits {
    ($atomic:ident, $name:literal, $value:ty $(, $parameter:ident)?) => {
        impl $(<$parameter>)? std::fmt::Debug for $atomic $(<$parameter>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.raw($name).fmt(f)
            }
        }

        // As std's: a panic between two operations leaves one of the values that were written.
        impl $(<$parameter>)? std::panic::RefUnwindSafe for $atomic $(<$parameter>)? {}
        impl $(<$parameter>)? std::panic::UnwindSafe for $atomic $(<$parameter>)? {}

        impl $(<$parameter>)? From<$value> for $atomic $(<$parameter>)? {
            #[track_caller]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }
    };
}

/// Operations of std that take a value and give the old one, each one step.
macro_rules! fetch_operations {
    ($value:ty; $($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self, value: $value, order: Ordering) -> $value {
                let at = std::panic::Location::caller();
                self.modify(stringify!($name), order, at, || show(&value), |a| a.$name(value, order))
            }
        )*
    };
}

use {common_operations, common_traits, fetch_operations};
