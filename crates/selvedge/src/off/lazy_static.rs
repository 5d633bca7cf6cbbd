//! `lazy_static!` with the feature `model` off: std's own `LazyLock` behind the macro's shape.

/// What the macro makes of a `static ref`.
#[derive(Debug)]
pub struct Lazy<T>(std::sync::LazyLock<T>);

impl<T> Lazy<T> {
    /// Made at the first use.
    pub const fn new(init: fn() -> T) -> Self {
        Lazy(std::sync::LazyLock::new(init))
    }

    /// The value.
    pub fn get(&'static self) -> &'static T {
        &self.0
    }
}
