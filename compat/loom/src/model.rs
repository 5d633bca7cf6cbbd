//! loom's builder: Selvedge's, for tests that were written for loom.

use std::ops::{Deref, DerefMut};

#[doc(no_inline)]
pub use selvedge::model::*;

/// The options of a check. The fields are loom's: those that have an effect are fields of [`selvedge::Builder`], the others
/// are only here.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing before `check`"]
pub struct Builder {
    /// Without effect: the number of threads is not limited.
    pub max_threads: usize,
    /// Without effect: a failure is kept when it is found, nothing has to be written in between.
    pub checkpoint_interval: usize,
    /// Without effect: everything is explored.
    pub expect_explicit_explore: bool,
    /// Without effect: places are always known.
    pub location: bool,
    options: selvedge::Builder,
}

impl Builder {
    /// The defaults, and what the environment says.
    pub fn new() -> Self {
        Builder {
            max_threads: selvedge::MAX_THREADS,
            checkpoint_interval: 20_000,
            expect_explicit_explore: false,
            location: true,
            options: selvedge::Builder::new().like_loom(true),
        }
    }
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Deref for Builder {
    type Target = selvedge::Builder;

    fn deref(&self) -> &selvedge::Builder {
        &self.options
    }
}

impl DerefMut for Builder {
    fn deref_mut(&mut self) -> &mut selvedge::Builder {
        &mut self.options
    }
}

/// Runs `f` under every schedule with few preemptions, and panics with a report of the first violation.
#[track_caller]
pub fn model<F>(f: F)
where
    F: Fn() + Send + Sync + 'static,
{
    Builder::new().check(f);
}
