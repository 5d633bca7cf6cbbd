//! Hints to the processor and the compiler, as [`std::hint`].

#[doc(no_inline)]
pub use std::hint::{assert_unchecked, black_box};

use std::panic::Location;

use selvedge_stateless::rt;

/// Inside a model: lets other threads run, as [`crate::thread::yield_now`].
#[track_caller]
pub fn spin_loop() {
    if rt::inside() {
        rt::yield_now("spin_loop", Location::caller());
    } else {
        std::hint::spin_loop();
    }
}

/// Inside a model: a panic, because it was reached.
///
/// # Safety
/// Outside of models, reaching this call is undefined behaviour.
#[track_caller]
#[allow(unsafe_code)]
pub unsafe fn unreachable_unchecked() -> ! {
    if rt::inside() {
        unreachable!("unreachable_unchecked was reached");
    }
    // SAFETY: as the caller promises.
    unsafe { std::hint::unreachable_unchecked() }
}
