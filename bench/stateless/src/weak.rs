//! Bodies with weak orderings, three threads each: loom's search at two preemptions beside ours at two preemptions with any
//! number of stale accesses, and at two deviations.

use std::time::{Duration, Instant};

use selvedge::{Builder, Recheck};

use crate::bounds::{Measure, best, loom, show};
use crate::clock::used;
use crate::weak_bodies::{BODIES, Body};

const LIMIT: Duration = Duration::from_secs(60);
const PREEMPTIONS: usize = 2;

fn selvedge(body: &Body, builder: Builder) -> Measure {
    let (start, wall) = (used(), Instant::now());
    let report = builder.time_limit(LIMIT).recheck(Recheck::None).explore(body.selvedge);
    assert!(report.violation.is_none(), "{}: {report}", body.name);
    (report.executions as u64, used() - start, wall.elapsed() < LIMIT)
}

pub fn run() {
    println!("Weak orderings, three threads: processor time in ms (executions)\n");
    println!("| body | loom, p ≤ 2 | ours, p ≤ 2, any stale | loom / ours | ours, p + s ≤ 2 |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let only = std::env::args().nth(2).unwrap_or_default();
    for body in BODIES.iter().filter(|body| body.name.contains(&only)) {
        let by_loom = || loom(body.loom, PREEMPTIONS, LIMIT);
        let any_stale = || selvedge(body, Builder::new().preemptions(PREEMPTIONS).stale(u32::MAX));
        let deviations = || selvedge(body, Builder::new().deviations(PREEMPTIONS as u32));
        let [loom, all, few] = best([&by_loom, &any_stale, &deviations]);
        let ratio = loom.1.as_secs_f64() / all.1.as_secs_f64();
        println!("| {} | {} | {} | {ratio:.1} | {} |", body.name, show(loom), show(all), show(few));
    }
    println!();
}

/// Our searches alone, each once or as often as the next argument says: for a counter of instructions.
pub fn ours() {
    println!("| body | p ≤ 2, any stale | p + s ≤ 2 |");
    println!("| --- | ---: | ---: |");
    let only = std::env::args().nth(2).unwrap_or_default();
    let times = std::env::args().nth(3).map_or(1, |times| times.parse().expect("a number of times"));
    for body in BODIES.iter().filter(|body| body.name.contains(&only)) {
        for _ in 1..times {
            selvedge(body, Builder::new().preemptions(PREEMPTIONS).stale(u32::MAX));
        }
        let any = selvedge(body, Builder::new().preemptions(PREEMPTIONS).stale(u32::MAX));
        let few = selvedge(body, Builder::new().deviations(PREEMPTIONS as u32));
        println!("| {} | {} | {} |", body.name, any.0, few.0);
    }
}
