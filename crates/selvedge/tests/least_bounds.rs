//! Bugs with the fewest preemptions that show them: found at that bound and not below it. The patterns are those
//! of the SCTBench collection and of the papers; the numbers were established by exhaustive enumeration.

mod bugs;

use selvedge::{Builder, Reduction};

/// A pattern and its least bound.
const LEAST: &[(&str, fn(), usize)] = &[
    ("account", bugs::account, 0),
    ("token ring", bugs::token_ring, 0),
    ("AB/BA deadlock", bugs::lock_order, 1),
    ("bluetooth", bugs::bluetooth, 1),
    ("lost wake-up", bugs::lost_wakeup, 1),
    ("two stages, one writer", || bugs::two_stage(1), 1),
    ("two stages, two writers", || bugs::two_stage(2), 1),
    ("circular buffer", bugs::circular_buffer, 1),
    ("two philosophers", || bugs::philosophers(2), 1),
    ("three philosophers", || bugs::philosophers(3), 1),
    ("string buffer", bugs::string_buffer, 2),
    ("work-stealing queue", bugs::work_stealing_queue, 2),
];

fn check(reduction: Reduction) {
    for (name, body, least) in LEAST {
        let builder = |bound| Builder::new().preemptions(bound).reduction(reduction);
        if *least > 0 {
            let below = builder(least - 1).explore(*body);
            assert!(below.violation.is_none(), "{name} below its bound: {below}");
            assert!(below.complete, "{name}: {below}");
        }
        let found = builder(*least).explore(*body);
        let violation = found.violation.unwrap_or_else(|| panic!("{name} is missed at bound {least}"));
        assert_eq!(violation.preemptions as usize, *least, "{name}: {}", violation.message);
    }
}

#[test]
fn the_default_reduction_finds_each_bug_at_its_bound() {
    check(Reduction::HappensBefore);
}

#[test]
fn bounded_partial_order_reduction_finds_each_bug_at_its_bound() {
    check(Reduction::Bpor);
}

#[test]
fn plain_search_finds_each_bug_at_its_bound() {
    check(Reduction::None);
}
