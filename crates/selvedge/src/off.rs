//! The faces with the feature `model` off: std's own types, re-exported. What std does not have (the
//! closures of loom's `UnsafeCell`, `Notify`, `Track`, `AtomicWaker`) is a thin layer that the compiler removes
//! or, where it must block, a few lines on std's own locks. There is no `model` here, so that a test which
//! forgot to switch the feature on does not compile instead of passing without having checked anything.

pub mod alloc;
pub mod cell;
pub mod lazy_static;

/// As [`std::hint`].
pub mod hint {
    #[doc(no_inline)]
    pub use std::hint::*;
}

/// As [`std::thread`].
pub mod thread {
    #[doc(no_inline)]
    pub use std::thread::*;
}

/// As [`std::sync`], and loom's `Notify`.
pub mod sync {
    pub use crate::notify::Notify;
    #[doc(no_inline)]
    pub use std::sync::*;

    /// As [`std::sync::mpsc`].
    pub mod mpsc {
        #[doc(no_inline)]
        pub use std::sync::mpsc::*;
    }

    /// As [`std::sync::atomic`].
    pub mod atomic {
        #[doc(no_inline)]
        pub use std::sync::atomic::*;

        /// As [`std::hint::spin_loop`], under its old name.
        #[inline]
        pub fn spin_loop_hint() {
            std::hint::spin_loop();
        }
    }
}

/// What stands for std's types *is* std's types.
#[allow(dead_code, reason = "the compiler's answer is all that is wanted")]
fn nothing_is_wrapped(
    a: std::sync::Arc<std::sync::Mutex<u8>>,
    b: std::sync::atomic::AtomicUsize,
    c: std::thread::JoinHandle<()>,
) -> (sync::Arc<sync::Mutex<u8>>, sync::atomic::AtomicUsize, thread::JoinHandle<()>) {
    (a, b, c)
}
