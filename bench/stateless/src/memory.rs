//! Memory of the happens-before search at a million classes: three threads with four increments each.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Bound, Builder, Recheck, thread};

const CLASSES: usize = 1_000_000;

fn body() {
    let x = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let x = x.clone();
            thread::spawn(move || {
                for _ in 0..4 {
                    let old = x.load(SeqCst);
                    x.store(old + 1, SeqCst);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
}

/// The most memory this process has had, in bytes (Linux).
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) * 1024
}

pub fn run() {
    let builder = Builder::new().bound(Bound::Preemptions(None)).max_executions(CLASSES).recheck(Recheck::None);
    let report = builder.explore(body);
    println!(
        "{} classes in {:.1} s, bounds complete: {:?}",
        report.executions,
        report.elapsed.as_secs_f64(),
        report.per_bound
    );
    println!("peak memory of the process: {} MB", peak() / 1_000_000);
}
