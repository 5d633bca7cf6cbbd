//! Time to complete a preemption bound: loom's bounded search and ours.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use selvedge::Builder;

use crate::bodies::{BODIES, Body};
use crate::clock::used;

const LIMIT: Duration = Duration::from_secs(20);

/// Executions, time, and whether the bound is complete.
fn loom(body: &Body, bound: usize) -> (u64, Duration, bool) {
    let count = Arc::new(AtomicU64::new(0));
    let (counted, f) = (count.clone(), body.loom);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(bound);
    builder.max_duration = Some(LIMIT);
    builder.checkpoint_interval = 100;
    let (start, wall) = (used(), Instant::now());
    builder.check(move || {
        counted.fetch_add(1, Relaxed);
        f();
    });
    let time = used() - start;
    (count.load(Relaxed), time, wall.elapsed() < LIMIT)
}

pub fn run() {
    println!("Processor time to complete a bound of preemptions, in ms (executions); ours: all bounds up to it\n");
    println!("| body | bound | loom | ours | loom / ours |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for body in &BODIES {
        for bound in 0..=3 {
            let (executions, time, complete) = loom(body, bound);
            let start = used();
            let report = Builder::new().preemptions(bound).time_limit(LIMIT).explore(body.selvedge);
            let ours = (used() - start).as_secs_f64();
            println!(
                "| {} | {bound} | {}{:.2} ({executions}) | {:.2} ({}) | {:.1} |",
                body.name,
                if complete { "" } else { "> " },
                time.as_secs_f64() * 1e3,
                ours * 1e3,
                report.executions,
                time.as_secs_f64() / ours
            );
        }
    }
    println!();
}
