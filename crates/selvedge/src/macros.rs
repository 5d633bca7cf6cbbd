//! `thread_local!` and `lazy_static!`, in the shapes of std and of the crate; and what types around a value share.

/// The traits of a type that is made of one value by `new`, which notes where it is called.
#[cfg(feature = "model")]
macro_rules! made_of_a_value {
    ($type:ident) => {
        impl<T: Default> Default for $type<T> {
            #[track_caller]
            fn default() -> Self {
                $type::new(T::default())
            }
        }

        impl<T> From<T> for $type<T> {
            #[track_caller]
            fn from(value: T) -> Self {
                $type::new(value)
            }
        }
    };
}
#[cfg(feature = "model")]
pub(crate) use made_of_a_value;

/// The traits of a type that, as std's, may be used after a panic has passed it: it is poisoned, or holds what was there
/// before or after an operation.
#[cfg(feature = "model")]
macro_rules! is_unwind_safe {
    ($type:ident $(<$parameter:ident $(: ?$sized:ident)?>)?) => {
        impl $(<$parameter $(: ?$sized)?>)? std::panic::UnwindSafe for $type $(<$parameter>)? {}
        impl $(<$parameter $(: ?$sized)?>)? std::panic::RefUnwindSafe for $type $(<$parameter>)? {}
    };
}
#[cfg(feature = "model")]
pub(crate) use is_unwind_safe;

/// Thread-locals, as [`std::thread_local!`], in both forms: `static A: T = expr` and `static A: T = const { expr }`.
#[cfg(feature = "model")]
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const $init:block $(; $($rest:tt)*)?) => {
        $crate::__thread_local!($(#[$attr])* $vis $name, $t, $init);
        $($crate::thread_local!($($rest)*);)?
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = $init:expr $(; $($rest:tt)*)?) => {
        $crate::__thread_local!($(#[$attr])* $vis $name, $t, $init);
        $($crate::thread_local!($($rest)*);)?
    };
}

#[cfg(feature = "model")]
#[doc(hidden)]
#[macro_export]
macro_rules! __thread_local {
    ($(#[$attr:meta])* $vis:vis $name:ident, $t:ty, $init:expr) => {
        $(#[$attr])*
        $vis static $name: $crate::thread::LocalKey<$t> = {
            fn __init() -> $t {
                $init
            }
            fn __outside() -> &'static ::std::thread::LocalKey<$t> {
                ::std::thread_local!(static OUTSIDE: $t = __init());
                &OUTSIDE
            }
            $crate::thread::LocalKey::new(__init, __outside)
        };
    };
}

/// Statics made at their first use, as the `lazy_static` crate has them. Inside a model they are made anew in every
/// execution.
#[macro_export]
macro_rules! lazy_static {
    () => {};
    ($(#[$attr:meta])* $vis:vis static ref $name:ident: $t:ty = $init:expr; $($rest:tt)*) => {
        #[allow(missing_copy_implementations, non_camel_case_types, dead_code, missing_docs)]
        $(#[$attr])*
        $vis struct $name {
            __private: (),
        }
        #[doc(hidden)]
        $vis static $name: $name = $name { __private: () };
        impl ::core::ops::Deref for $name {
            type Target = $t;
            #[track_caller]
            fn deref(&self) -> &$t {
                static LAZY: $crate::lazy_static::Lazy<$t> = $crate::lazy_static::Lazy::new(|| $init);
                LAZY.get()
            }
        }
        $crate::lazy_static!($($rest)*);
    };
}
