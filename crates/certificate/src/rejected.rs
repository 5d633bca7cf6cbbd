//! Why a proof is not accepted.

use selvedge_source::Diagnostic;

use crate::diagram::Stopped;

/// Why a proof is not accepted.
#[derive(Debug)]
pub enum Rejected {
    /// Something is wrong with it.
    Flaw(Box<Diagnostic>),
    /// A limit ended the check.
    Stopped(Stopped),
}

impl From<Stopped> for Rejected {
    fn from(stopped: Stopped) -> Self {
        Rejected::Stopped(stopped)
    }
}

impl From<Diagnostic> for Rejected {
    fn from(flaw: Diagnostic) -> Self {
        Rejected::Flaw(Box::new(flaw))
    }
}
