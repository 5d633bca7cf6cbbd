//! Failures are kept and run first: what a check does the second time.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize as Plain, Ordering::Relaxed};

use selvedge::Builder;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::thread;

static FIXED: AtomicBool = AtomicBool::new(false);
static RUNS: Plain = Plain::new(0);

fn body() {
    RUNS.fetch_add(1, Relaxed);
    let x = Arc::new(AtomicUsize::new(0));
    let add = |x: &AtomicUsize| {
        if FIXED.load(Relaxed) {
            x.fetch_add(1, SeqCst);
        } else {
            x.store(x.load(SeqCst) + 1, SeqCst);
        }
    };
    let t = thread::spawn({
        let x = x.clone();
        move || add(&x)
    });
    add(&x);
    t.join().unwrap();
    assert_eq!(x.load(SeqCst), 2);
}

/// One check; the message if it failed, and how many runs it took.
fn check(file: &Path) -> (Option<String>, usize) {
    let before = RUNS.load(Relaxed);
    let mut builder = Builder::new();
    builder.checkpoint_file = Some(file.to_owned());
    let failed = catch_unwind(move || builder.check(body)).err();
    let message = failed.map(|payload| *payload.downcast::<String>().expect("a text"));
    (message, RUNS.load(Relaxed) - before)
}

#[test]
fn a_failure_is_run_first_until_it_is_fixed() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("regressions/kept.txt");
    let _ = std::fs::remove_file(&file);

    let (first, runs) = check(&file);
    let first = first.expect("it loses an update");
    assert!(first.contains("kept in ") && runs > 1, "{first}");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(kept.lines().filter(|line| !line.starts_with('#')).count(), 1, "{kept}");

    let (second, runs) = check(&file);
    let second = second.expect("it still does");
    assert!(second.contains("this schedule failed before"), "{second}");
    // Once to fail, once more to be recorded for the report at most.
    assert!(runs <= 2, "{runs} runs");

    FIXED.store(true, Relaxed);
    let (third, runs) = check(&file);
    assert!(third.is_none() && runs > 1, "{third:?}");

    std::fs::write(&file, kept + "s1:damaged\n").unwrap();
    let (fourth, _) = check(&file);
    assert!(fourth.is_none(), "a schedule that no longer fits is reported, and is no failure: {fourth:?}");
}

#[test]
fn a_long_report_fits_a_test_log_and_the_rest_is_in_a_file() {
    let failed = catch_unwind(|| {
        Builder::new().keep_failures(false).check(|| {
            let x = AtomicUsize::new(0);
            (0..300).for_each(|n| x.store(n, SeqCst));
            assert_eq!(x.load(SeqCst), 300);
        });
    });
    let text = *failed.expect_err("it fails").downcast::<String>().expect("a text");
    assert!(text.lines().count() <= 60, "{text}");
    assert!(text.contains("lines hidden") && text.contains("replay: SELVEDGE_REPLAY="), "{text}");
    let file = text.lines().find_map(|line| line.strip_prefix("the whole report: ")).expect("a file");
    let whole = std::fs::read_to_string(file).expect("the file is there");
    assert!(whole.contains("x.store(299)") && whole.contains("x.store(150)") && whole.lines().count() > 300);
}
