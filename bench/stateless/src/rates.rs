//! Executions per second: the peers' exhaustive searches and ours, each for the same number of executions or until it
//! is complete, three times, the best counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use selvedge::{Bound, Builder, Recheck, Reduction};

use crate::bodies::{BODIES, Body};
use crate::clock::used;

const EXECUTIONS: usize = 20_000;
const ROUNDS: usize = 3;

/// Executions and the time they took.
type Measure = (u64, Duration);

fn rate((executions, time): Measure) -> f64 {
    executions as f64 / time.as_secs_f64()
}

fn best(measure: impl Fn() -> Measure) -> f64 {
    (0..ROUNDS).map(|_| rate(measure())).fold(0.0, f64::max)
}

fn loom(body: &Body) -> Measure {
    let count = Arc::new(AtomicU64::new(0));
    let (counted, f) = (count.clone(), body.loom);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_permutations = Some(EXECUTIONS / 4);
    builder.checkpoint_interval = 100;
    let start = used();
    builder.check(move || {
        counted.fetch_add(1, Relaxed);
        f();
    });
    (count.load(Relaxed), used() - start)
}

fn shuttle(body: &Body) -> Measure {
    let mut config = shuttle::Config::new();
    config.silence_warnings = true;
    config.max_steps = shuttle::MaxSteps::ContinueAfter(1000);
    let scheduler = shuttle::scheduler::DfsScheduler::new(Some(EXECUTIONS), false);
    let start = used();
    let executions = shuttle::Runner::new(scheduler, config).run(body.shuttle);
    (executions as u64, used() - start)
}

fn selvedge(body: &Body, reduction: Reduction) -> Measure {
    // Without reduction a plain depth-first search like shuttle's, else bounds 0, 1, 2, … as far as it gets.
    let bound = if reduction == Reduction::None { Bound::Depth(10_000) } else { Bound::Preemptions(None) };
    let builder = Builder::new().reduction(reduction).bound(bound).max_executions(EXECUTIONS).recheck(Recheck::None);
    let start = used();
    let report = builder.explore(body.selvedge);
    assert!(report.violation.is_none(), "{}", body.name);
    (report.executions as u64, used() - start)
}

pub fn run() {
    println!("Executions per second of processor time (best of {ROUNDS}, up to {EXECUTIONS} executions each)\n");
    println!("| body | loom | shuttle dfs | ours: dfs | BPOR | happens-before | dfs / shuttle | dfs / loom |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    // loom first: it ends its threads with panics, which the hook that shuttle installs would print.
    let only = std::env::args().nth(2).unwrap_or_default();
    let chosen: Vec<&Body> = BODIES.iter().filter(|body| body.name.contains(&only)).collect();
    let looms: Vec<f64> = chosen.iter().map(|body| best(|| loom(body))).collect();
    for (body, loom) in chosen.iter().zip(looms) {
        let shuttle = best(|| shuttle(body));
        let ours = |reduction| best(|| selvedge(body, reduction));
        let (dfs, bpor, classes) = (ours(Reduction::None), ours(Reduction::Bpor), ours(Reduction::HappensBefore));
        println!(
            "| {} | {loom:.0} | {shuttle:.0} | {dfs:.0} | {bpor:.0} | {classes:.0} | {:.1} | {:.0} |",
            body.name,
            dfs / shuttle,
            dfs / loom
        );
    }
    println!();
}
