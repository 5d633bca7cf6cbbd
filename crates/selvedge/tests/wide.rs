//! Many threads that have nothing to do with each other.

use std::time::Duration;

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Builder, thread};

fn strangers(threads: usize, steps: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                thread::spawn(move || {
                    let own = AtomicUsize::new(0);
                    (0..steps).for_each(|n| own.store(n, SeqCst));
                })
            })
            .collect();
        handles.into_iter().for_each(|handle| handle.join().unwrap());
    }
}

#[test]
fn threads_that_share_nothing_are_explored() {
    for threads in [8, 16, 32] {
        let report = Builder::new().time_limit(Duration::from_secs(60)).explore(strangers(threads, 3));
        println!("{threads}: {report}");
        assert!(report.complete && report.violation.is_none(), "{threads} threads: {report}");
    }
}
