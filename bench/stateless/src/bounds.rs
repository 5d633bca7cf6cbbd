//! Time to complete a preemption bound: loom's bounded search and ours. Most take less than a millisecond, so each is
//! repeated in turns, and the best of each counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use selvedge::{Builder, Recheck};

use crate::bodies::{BODIES, Body};
use crate::clock::used;

const LIMIT: Duration = Duration::from_secs(20);

/// How often a search is repeated, and the processor time after which it is not any more.
const ROUNDS: usize = 200;
const ENOUGH: Duration = Duration::from_millis(500);

/// Executions, time, and whether the bound is complete.
pub type Measure = (u64, Duration, bool);

/// The quickest of several measurements of each of some searches, which take turns: what disturbs one disturbs the other.
pub fn best<const N: usize>(searches: [&dyn Fn() -> Measure; N]) -> [Measure; N] {
    let mut best = searches.map(|measure| measure());
    let mut spent = best.map(|measure| measure.1);
    for _ in 1..ROUNDS {
        for (i, measure) in searches.iter().enumerate() {
            if spent[i] < ENOUGH {
                let again = measure();
                spent[i] += again.1;
                best[i] = if again.1 < best[i].1 { again } else { best[i] };
            }
        }
    }
    best
}

/// loom's search of a body at a bound.
pub fn loom(f: fn(), bound: usize, limit: Duration) -> Measure {
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(bound);
    builder.max_duration = Some(limit);
    builder.checkpoint_interval = 100;
    let (start, wall) = (used(), Instant::now());
    builder.check(move || {
        counted.fetch_add(1, Relaxed);
        f();
    });
    let time = used() - start;
    (count.load(Relaxed), time, wall.elapsed() < limit)
}

fn selvedge(body: &Body, bound: usize) -> Measure {
    let (start, wall) = (used(), Instant::now());
    let report = Builder::new().preemptions(bound).time_limit(LIMIT).recheck(Recheck::None).explore(body.selvedge);
    (report.executions as u64, used() - start, wall.elapsed() < LIMIT)
}

pub fn show((executions, time, complete): Measure) -> String {
    format!("{}{:.2} ({executions})", if complete { "" } else { "> " }, time.as_secs_f64() * 1e3)
}

pub fn run() {
    println!("Processor time to complete a bound of preemptions, in ms (executions); ours: all bounds up to it\n");
    println!("| body | bound | loom | ours | loom / ours |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let only = std::env::args().nth(2).unwrap_or_default();
    for body in BODIES.iter().filter(|body| body.name.contains(&only)) {
        for bound in 0..=3 {
            let [loom, ours] = best([&|| loom(body.loom, bound, LIMIT), &|| selvedge(body, bound)]);
            let ratio = loom.1.as_secs_f64() / ours.1.as_secs_f64();
            println!("| {} | {bound} | {} | {} | {ratio:.1} |", body.name, show(loom), show(ours));
        }
    }
    println!();
}
