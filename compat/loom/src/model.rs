//! loom's builder: Selvedge's, for tests that were written for loom.

use std::ops::{Deref, DerefMut};

#[doc(no_inline)]
pub use selvedge::model::*;

/// The options of a check. The fields are those of [`selvedge::Builder`], which has loom's.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing before `check`"]
pub struct Builder(selvedge::Builder);

impl Builder {
    /// The defaults, and what the environment says.
    pub fn new() -> Self {
        Builder(selvedge::Builder::new().like_loom(true))
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
        &self.0
    }
}

impl DerefMut for Builder {
    fn deref_mut(&mut self) -> &mut selvedge::Builder {
        &mut self.0
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
