//! Newcomers' mistakes are reported.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use selvedge::{Builder, thread};

#[path = "support/helper.rs"]
mod helper;

#[test]
fn threads_that_use_only_std_are_reported() {
    let report = Builder::new().explore(|| {
        let n = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let n = n.clone();
            move || n.fetch_add(1, SeqCst)
        });
        n.fetch_add(1, SeqCst);
        other.join().unwrap();
    });
    let line = report.to_string();
    assert!(report.complete && line.contains("does the code under test use those of std?"), "{line}");
}

#[test]
fn threads_that_use_a_channel_are_not() {
    let report = Builder::new().explore(|| {
        let (sender, receiver) = selvedge::sync::mpsc::channel();
        let other = thread::spawn(move || sender.send(1));
        receiver.recv().unwrap();
        other.join().unwrap().unwrap();
    });
    assert!(!report.to_string().contains("those of std"), "{report}");
}

#[test]
fn a_real_thread_inside_a_model_is_reported() {
    let report = Builder::new().explore(|| {
        let n = Arc::new(selvedge::sync::atomic::AtomicUsize::new(0));
        n.store(1, SeqCst);
        let other = std::thread::spawn({
            let n = n.clone();
            move || n.load(SeqCst)
        });
        if let Err(panic) = other.join() {
            std::panic::resume_unwind(panic);
        }
    });
    let found = report.violation.expect("the thread is not the model's");
    assert_eq!(found.kind, selvedge::ViolationKind::Panic);
}

/// Set in a process of its own, as `cargo test` would start it for one test.
const CHILD: &str = "SELVEDGE_TEST_MISTAKE";

fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// What `cargo test` shows of a test and whether it passes; output of passing tests is captured. Failing schedules go to a
/// directory of the test's own.
fn shown(test: &str, variables: &[(&str, &str)]) -> (String, bool, Vec<String>) {
    let kept = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistakes").join(test);
    let _ = std::fs::remove_dir_all(&kept);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact"]).env(CHILD, "1").env("SELVEDGE_REGRESSIONS", &kept);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let files = std::fs::read_dir(&kept).map_or_else(
        |_| Vec::new(),
        |files| files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect(),
    );
    (text, output.status.success(), files)
}

#[test]
fn a_passing_test_that_checks_nothing_warns_in_the_log() {
    if is_child() {
        let work = || {
            let n = Arc::new(AtomicUsize::new(0));
            thread::spawn({
                let n = n.clone();
                move || n.fetch_add(1, SeqCst)
            });
        };
        return selvedge::model(work);
    }
    let (text, passes, _) = shown("a_passing_test_that_checks_nothing_warns_in_the_log", &[]);
    assert!(passes && text.contains("does the code under test use those of std?"), "{text}");
}

/// Nothing was changed but the call of `model`: std's threads run, and no schedule is explored.
#[test]
fn a_passing_test_that_uses_only_std_warns_in_the_log() {
    if is_child() {
        return selvedge::model(|| {
            let n = Arc::new(AtomicUsize::new(0));
            let other = std::thread::spawn({
                let n = n.clone();
                move || n.fetch_add(1, SeqCst)
            });
            n.fetch_add(1, SeqCst);
            other.join().unwrap();
        });
    }
    let (text, passes, _) = shown("a_passing_test_that_uses_only_std_warns_in_the_log", &[]);
    assert!(passes && text.contains("used no thread, atomic, lock, channel or cell of selvedge"), "{text}");
}

#[test]
fn choices_counts_and_parked_threads_are_something() {
    if is_child() {
        selvedge::model(|| {
            let shared = selvedge::sync::Arc::new(0);
            let other = thread::spawn({
                let shared = shared.clone();
                move || drop(shared)
            });
            while selvedge::sync::Arc::strong_count(&shared) > 1 {}
            other.join().unwrap();
        });
        selvedge::model(|| assert!(selvedge::choose(0..3) < 3));
        return selvedge::model(|| {
            let main = thread::current();
            let other = thread::spawn(move || main.unpark());
            thread::park();
            other.join().unwrap();
        });
    }
    let (text, passes, _) = shown("choices_counts_and_parked_threads_are_something", &[]);
    assert!(passes && !text.contains("those of std"), "{text}");
}

/// Two threads that add to a number in two steps each; one may lose the other's.
fn lost_update() {
    let n = selvedge::sync::Arc::new(selvedge::sync::atomic::AtomicUsize::new(0));
    let add = |n: &selvedge::sync::atomic::AtomicUsize| n.store(n.load(SeqCst) + 1, SeqCst);
    let other = thread::spawn({
        let n = n.clone();
        move || add(&n)
    });
    add(&n);
    other.join().unwrap();
    assert_eq!(n.load(SeqCst), 2);
}

#[test]
fn an_incomplete_check_that_passes_warns_in_the_log() {
    if is_child() {
        return selvedge::model(lost_update);
    }
    let test = "an_incomplete_check_that_passes_warns_in_the_log";
    let (text, passes, _) = shown(test, &[("SELVEDGE_MAX_EXECUTIONS", "1")]);
    assert!(passes && text.contains("incomplete, the limit of executions was reached"), "{text}");
    let (text, passes, _) = shown(test, &[("SELVEDGE_TIME_LIMIT", "0s")]);
    assert!(!passes && text.contains("nothing was checked"), "{text}");
}

#[test]
fn what_differs_without_another_schedule_is_reported_by_a_check() {
    if is_child() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        // Only the last of its few runs is another one.
        return selvedge::model(|| {
            let n = selvedge::sync::Arc::new(selvedge::sync::atomic::AtomicUsize::new(0));
            if RUNS.fetch_add(1, SeqCst) % 2 == 1 {
                n.swap(1, SeqCst);
            } else {
                n.store(1, SeqCst);
            }
        });
    }
    let (text, passes, _) = shown("what_differs_without_another_schedule_is_reported_by_a_check", &[]);
    assert!(!passes && text.contains("does not do the same under the same schedule"), "{text}");
}

/// The first runs are all alike: only those after the search are others.
#[test]
fn what_differs_after_the_search_is_reported_as_such() {
    if is_child() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        return selvedge::model(|| {
            let n = selvedge::sync::Arc::new(selvedge::sync::atomic::AtomicUsize::new(0));
            let other = thread::spawn({
                let n = n.clone();
                move || n.fetch_add(1, SeqCst)
            });
            if RUNS.fetch_add(1, SeqCst) > 3 {
                n.load(SeqCst);
            }
            n.fetch_add(1, SeqCst);
            other.join().unwrap();
        });
    }
    let (text, passes, _) = shown("what_differs_after_the_search_is_reported_as_such", &[]);
    assert!(!passes && text.contains("does not do the same under the same schedule"), "{text}");
    assert!(text.contains("It did `a run of"), "{text}");
}

/// Nothing writes it, so that the search is over after one run: only a run after it meets what that one left.
#[test]
fn a_captured_object_that_is_only_read_is_named() {
    if is_child() {
        let n = selvedge::sync::Arc::new(selvedge::sync::atomic::AtomicUsize::new(0));
        return selvedge::model(move || {
            let other = thread::spawn({
                let n = n.clone();
                move || n.load(SeqCst)
            });
            n.load(SeqCst);
            other.join().unwrap();
        });
    }
    for recheck in ["quick", "none"] {
        let (text, passes, _) = shown("a_captured_object_that_is_only_read_is_named", &[("SELVEDGE_RECHECK", recheck)]);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            !passes && text.contains("misuse: the AtomicUsize made at crates/selvedge/tests/mistakes.rs"),
            "{text}"
        );
        assert!(text.contains("in an earlier execution") && text.contains("inside the model's closure"), "{text}");
    }
}

/// A model in a helper.
fn check_in_a_helper(body: fn()) {
    selvedge::model(body);
}

#[test]
fn failures_are_kept_by_the_name_of_the_test() {
    if is_child() {
        return check_in_a_helper(lost_update);
    }
    let (text, passes, kept) = shown("failures_are_kept_by_the_name_of_the_test", &[]);
    assert!(!passes && text.contains("kept in "), "{text}");
    assert_eq!(kept, ["failures_are_kept_by_the_name_of_the_test.txt"]);
}

#[test]
#[should_panic(expected = "selvedge: panic")]
fn is_expected_to_fail() {
    check_in_a_helper(lost_update);
}

#[test]
#[should_panic(
    expected = "selvedge: panic" // in several lines
)]
fn is_expected_to_fail_in_another_file() {
    helper::check(lost_update);
}

#[test]
fn failures_that_are_expected_are_not_kept() {
    for test in ["is_expected_to_fail", "is_expected_to_fail_in_another_file"] {
        let (text, passes, kept) = shown(test, &[]);
        assert!(passes && kept.is_empty(), "{kept:?} {text}");
    }
}

#[test]
fn failures_in_a_helper_of_another_file_are_kept() {
    if is_child() {
        return helper::check(lost_update);
    }
    let (_, passes, kept) = shown("failures_in_a_helper_of_another_file_are_kept", &[]);
    assert!(!passes);
    assert_eq!(kept, ["failures_in_a_helper_of_another_file_are_kept.txt"]);
}

#[test]
fn an_object_from_outside_the_closure_is_reported() {
    let n = Arc::new(selvedge::sync::atomic::AtomicUsize::new(0));
    let report = Builder::new().explore(move || {
        let other = thread::spawn({
            let n = n.clone();
            move || n.fetch_add(1, SeqCst)
        });
        n.fetch_add(1, SeqCst);
        other.join().unwrap();
    });
    let found = report.violation.expect("its value goes from run to run");
    assert!(found.message.contains("Make it inside the model's closure"), "{}", found.message);
}

/// The search is one execution: only the runs after it meet the object again.
#[test]
fn an_object_from_outside_is_reported_without_threads_too() {
    if is_child() {
        let n = Arc::new(selvedge::sync::atomic::AtomicUsize::new(0));
        return selvedge::model(move || _ = n.fetch_add(1, SeqCst));
    }
    let (text, passes, _) = shown("an_object_from_outside_is_reported_without_threads_too", &[]);
    assert!(!passes && text.contains("Make it inside the model's closure"), "{text}");
}

/// Runs only in a process of its own, which is ended: the model hangs.
/// The real thread comes first and has ended when the model uses the object: nothing runs beside anything, but nothing is explored
/// either.
#[test]
fn an_object_that_a_real_thread_used_first_is_reported() {
    let report = Builder::new().explore(|| {
        let n = Arc::new(selvedge::sync::atomic::AtomicUsize::new(0));
        let other = std::thread::spawn({
            let n = n.clone();
            move || n.fetch_add(1, SeqCst)
        });
        other.join().unwrap();
        assert_eq!(n.load(SeqCst), 1);
    });
    let found = report.violation.expect("the thread is not the model's");
    assert!(found.message.contains("by a thread that is not the model's"), "{}", found.message);
}

/// A number that nothing depends on is another one in each run.
#[test]
fn values_that_differ_under_the_same_schedule_warn_in_the_log() {
    let test = "values_that_differ_under_the_same_schedule_warn_in_the_log";
    if is_child() {
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let same = std::env::var_os("SELVEDGE_TEST_SAME").is_some();
        return selvedge::model(move || {
            let run = RUNS.fetch_add(1, SeqCst);
            let n = Arc::new(selvedge::sync::atomic::AtomicUsize::new(0));
            let address = Arc::new(selvedge::sync::atomic::AtomicUsize::new(Arc::as_ptr(&n) as usize));
            let other = thread::spawn({
                let n = n.clone();
                move || n.store(if same { 0 } else { run }, SeqCst)
            });
            n.load(SeqCst);
            address.load(SeqCst);
            other.join().unwrap();
        });
    }
    let (text, passes, _) = shown(test, &[]);
    assert!(passes && text.contains("the test uses other values under the same schedule: step "), "{text}");
    assert!(text.contains("was `store (") && text.contains("the clock, random numbers"), "{text}");
    let (text, passes, _) = shown(test, &[("SELVEDGE_TEST_SAME", "1")]);
    assert!(passes && !text.contains("other values"), "{text}");
}

#[test]
fn a_lock_of_std_that_is_held_across_a_switch_is_reported() {
    const HANG: &str = "SELVEDGE_TEST_HANG";
    if std::env::var_os(HANG).is_some() {
        selvedge::model(|| {
            let lock = Arc::new(std::sync::Mutex::new(0));
            let other = thread::spawn({
                let lock = lock.clone();
                move || {
                    let _guard = lock.lock().unwrap();
                    thread::yield_now();
                }
            });
            drop(lock.lock().unwrap());
            other.join().unwrap();
        });
        return;
    }
    let test = "a_lock_of_std_that_is_held_across_a_switch_is_reported";
    let log = std::env::temp_dir().join(format!("selvedge-hang-{}", std::process::id()));
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(HANG, "1")
        .stdout(std::process::Stdio::null())
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let is_reported = || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("waits for a lock of std"));
    let start = std::time::Instant::now();
    while !is_reported() && child.try_wait().unwrap().is_none() && start.elapsed().as_secs() < 120 {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let reported = is_reported();
    let _ = child.kill();
    let _ = child.wait();
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(log).unwrap();
    assert!(reported, "{text}");
}
