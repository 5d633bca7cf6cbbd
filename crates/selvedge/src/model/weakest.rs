//! Which orderings a passing test needs.

use std::fmt;
use std::sync::atomic::Ordering;

use selvedge_stateless::{Change, Changed, Site, SiteKind};

use super::report::{Report, Violation};

/// An ordering of a test, and how weak it could be while all others stay as they are.
#[derive(Clone, Debug)]
pub struct OrderingUse {
    /// Where, as `file:line:column`.
    pub location: String,
    /// What stands there: `load`, `store`, `read-modify-write`, `compare-exchange` or `fence`.
    pub operation: &'static str,
    /// Its ordering; of a compare-exchange that of success.
    pub order: Ordering,
    /// The weakest ordering with which the test passes; a fence that may be `Relaxed` is not needed.
    pub weakest: Ordering,
    /// A run that fails with a weaker ordering, if there is one.
    pub needed: Option<Violation>,
}

impl OrderingUse {
    /// Tries the weaker orderings of a place, weakest first, until the test passes.
    pub(super) fn find(site: &Site, explore: &dyn Fn(Vec<Change>) -> Report) -> OrderingUse {
        let operation = match site.kind {
            SiteKind::Load(_) => "load",
            SiteKind::Store(_) => "store",
            SiteKind::Modify(_) => "read-modify-write",
            SiteKind::Exchange(..) => "compare-exchange",
            SiteKind::Fence(_) => "fence",
        };
        let mut needed = None;
        let passes = |order: &Ordering| {
            let report = explore(vec![Change { at: site.at, what: Changed::Order(*order) }]);
            let passes = report.violation.is_none() && report.complete;
            needed = report.violation.or(needed.take());
            passes
        };
        let weakest = site.weaker().find(passes).unwrap_or(site.order());
        let location = format!("{}:{}:{}", site.at.file(), site.at.line(), site.at.column());
        OrderingUse { location, operation, order: site.order(), weakest, needed }
    }
}

impl fmt::Display for OrderingUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OrderingUse { location, operation, order, weakest, needed } = self;
        write!(f, "{location}: the {operation} is `{order:?}`")?;
        match (operation, weakest) {
            _ if weakest == order => write!(f, ", and needs to be")?,
            (&"fence", Ordering::Relaxed) => write!(f, ", and is not needed")?,
            _ => write!(f, "; `{weakest:?}` is enough")?,
        }
        match needed {
            Some(violation) => write!(f, " (weaker: {})", violation.message),
            None => Ok(()),
        }
    }
}
