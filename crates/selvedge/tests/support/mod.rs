//! What the tests of the primitives share.
#![allow(dead_code, reason = "every test file uses some of it")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use selvedge::{Builder, Report, Violation};

/// Everything the body can return, over all runs; the search must be complete and without a violation.
pub fn outcomes<T: Ord + Send + 'static>(body: impl Fn() -> T + Send + Sync + 'static) -> BTreeSet<T> {
    outcomes_of(Builder::new(), body)
}

/// The same with options.
pub fn outcomes_of<T: Ord + Send + 'static>(
    builder: Builder,
    body: impl Fn() -> T + Send + Sync + 'static,
) -> BTreeSet<T> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let report = builder.explore({
        let seen = seen.clone();
        move || {
            let outcome = body();
            seen.lock().unwrap().insert(outcome);
        }
    });
    assert!(report.violation.is_none(), "{report}");
    assert!(report.complete, "{report}");
    std::mem::take(&mut *seen.lock().unwrap())
}

/// The violation that the body must have.
pub fn violation(body: impl Fn() + Send + Sync + 'static) -> Violation {
    found(Builder::new().explore(body))
}

/// The violation that a report must hold.
pub fn found(report: Report) -> Violation {
    let text = report.to_string();
    report.violation.unwrap_or_else(|| panic!("no violation: {text}"))
}

/// The body must have none, in every run.
pub fn holds(body: impl Fn() + Send + Sync + 'static) -> Report {
    let report = Builder::new().explore(body);
    assert!(report.violation.is_none() && report.complete, "{report}");
    report
}
