//! Mistakes of newcomers are told.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use selvedge::{Builder, thread};

#[test]
fn threads_that_use_only_std_are_told() {
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
fn a_real_thread_inside_a_model_is_told() {
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

/// Runs only in a process of its own, which is ended: the model hangs.
#[test]
fn a_lock_of_std_that_is_held_across_a_switch_is_told() {
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
    let test = "a_lock_of_std_that_is_held_across_a_switch_is_told";
    let log = std::env::temp_dir().join(format!("selvedge-hang-{}", std::process::id()));
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(HANG, "1")
        .stdout(std::process::Stdio::null())
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let told = || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("waits for a lock of std"));
    let start = std::time::Instant::now();
    while !told() && child.try_wait().unwrap().is_none() && start.elapsed().as_secs() < 120 {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let said = told();
    let _ = child.kill();
    let _ = child.wait();
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(log).unwrap();
    assert!(said, "{text}");
}
