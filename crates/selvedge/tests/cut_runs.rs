//! Runs that `max_branches` cuts off make a check incomplete, and a check in which no run came to its end fails.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use selvedge::{Builder, Reduction, Stop, thread};

const REDUCTIONS: [Reduction; 3] = [Reduction::None, Reduction::Bpor, Reduction::HappensBefore];

/// Two threads of `stores` stores each; the end of the test is never reached without a panic.
fn long(stores: usize) -> impl Fn() + Send + Sync + Copy + 'static {
    move || {
        let threads = [(); 2].map(|()| {
            let a = AtomicUsize::new(0);
            thread::spawn(move || (0..stores).for_each(|n| a.store(n, SeqCst)))
        });
        threads.into_iter().for_each(|t| t.join().unwrap());
        panic!("the end was reached");
    }
}

/// At most 50 operations in a run, and few enough runs to try them all.
fn short(reduction: Reduction) -> Builder {
    let mut builder = Builder::new().reduction(reduction).preemptions(1).keep_failures(false);
    builder.max_branches = 50;
    builder
}

#[test]
fn cut_runs_make_the_report_incomplete() {
    for reduction in REDUCTIONS {
        let report = short(reduction).explore(long(60));
        assert!(report.violation.is_none() && !report.complete, "{reduction:?}: {report}");
        assert!(
            report.executions == 0 && report.too_long > 0 && report.too_long == report.cut,
            "{reduction:?}: {report}"
        );
        assert!(matches!(report.stop, Stop::Finished { .. } | Stop::TooLong), "{reduction:?}: {:?}", report.stop);
        assert!(report.per_bound.is_empty(), "{reduction:?}: {report}");
        let line = report.to_string();
        assert!(line.starts_with("incomplete, runs were cut off: no violation seen, and no bound"), "{line}");
        let runs = if report.too_long == 1 { "1 run was".to_owned() } else { format!("{} runs were", report.too_long) };
        assert!(line.contains(&format!("{runs} cut after 50 operations each: raise `max_branches`")), "{line}");
    }
}

#[test]
fn the_same_with_room_finds_the_panic() {
    for reduction in REDUCTIONS {
        let mut builder = short(reduction);
        builder.max_branches = 200;
        let report = builder.explore(long(60));
        assert!(report.violation.is_some_and(|v| v.message == "the end was reached"), "{reduction:?}");
    }
}

fn message(builder: Builder, body: impl Fn() + Send + Sync + 'static) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| builder.check(body)));
    *panic.expect_err("the check fails").downcast::<String>().expect("a message")
}

#[test]
fn a_check_that_finished_no_run_fails() {
    for reduction in REDUCTIONS {
        let text = message(short(reduction), long(60));
        assert!(text.contains("nothing was checked: "), "{reduction:?}: {text}");
        assert!(text.contains("cut after 50 operations; raise `max_branches`"), "{reduction:?}: {text}");
    }
}

/// Neither loop ends, and neither waits: their interleavings are too many to be cut off one by one.
#[test]
fn loops_that_never_end_fail_soon() {
    for order in [SeqCst, Relaxed] {
        for reduction in REDUCTIONS {
            let body = move || {
                let a = Arc::new(AtomicUsize::new(0));
                let other = thread::spawn({
                    let a = a.clone();
                    move || (0..usize::MAX).for_each(|n| a.store(n, order))
                });
                (0..usize::MAX).for_each(|n| a.store(n, order));
                other.join().unwrap();
            };
            let builder = Builder::new().reduction(reduction).keep_failures(false).max_branches(500);
            let report = builder.explore(body);
            assert!(report.stop == Stop::TooLong && report.cut == 16, "{reduction:?}: {report}");
            let text = message(builder, body);
            assert!(text.contains("nothing was checked: all 16 runs were cut after 500 operations"), "{text}");
        }
    }
}

#[test]
fn random_schedules_that_are_cut_are_no_success() {
    let strategies: [fn(Builder) -> Builder; 2] = [|builder| builder.random(7, 20), |builder| builder.pct(7, 3, 20)];
    for strategy in strategies {
        let text = message(strategy(short(Reduction::None)), long(60));
        assert!(text.contains("nothing was checked: "), "{text}");
        let report = strategy(short(Reduction::None)).explore(long(60));
        assert!(!report.complete && report.executions == u64::from(report.violation.is_some()), "{report}");
    }
    let mut builder = Builder::new().keep_failures(false).pct(7, 1, 5);
    builder.max_branches = 50;
    let report = builder.explore(|| {
        let a = AtomicUsize::new(0);
        (0..60).for_each(|n| a.store(n, SeqCst));
    });
    assert!(!report.complete && report.violation.is_none(), "{report}");
}

#[test]
fn some_cut_runs_are_reported() {
    for reduction in REDUCTIONS {
        let report = short(reduction).explore(|| {
            let a = Arc::new(AtomicUsize::new(0));
            let t = thread::spawn({
                let a = a.clone();
                move || a.store(1, SeqCst)
            });
            // Long only where the other thread was first.
            if a.load(SeqCst) == 1 {
                (0..60).for_each(|n| a.store(n, SeqCst));
            }
            t.join().unwrap();
        });
        assert!(!report.complete, "{reduction:?}: {report}");
        assert!(report.violation.is_none() && report.executions > 0 && report.too_long > 0, "{reduction:?}: {report}");
    }
}

#[test]
fn a_check_that_a_limit_ended_before_a_run_finished_fails() {
    let builder = Builder::new().keep_failures(false).max_executions(0);
    let text = message(builder, || AtomicUsize::new(0).store(1, SeqCst));
    assert!(text.contains("nothing was checked: no run was made before a limit"), "{text}");
}
