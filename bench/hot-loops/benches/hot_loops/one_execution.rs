//! The stateless engine: one execution of a test on fibers, as the mean over all executions of an exploration.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::{Builder, Recheck, Reduction};

const THREADS: usize = 3;

fn lost_update() {
    let counter = Arc::new(AtomicUsize::new(0));
    let increment = |_| {
        let counter = counter.clone();
        selvedge::thread::spawn(move || counter.store(counter.load(SeqCst) + 1, SeqCst))
    };
    let threads: Vec<_> = (0..THREADS).map(increment).collect();
    threads.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
}

/// Explores; how many executions there were.
fn executions(reduction: Reduction) -> u64 {
    let builder = Builder::new().preemptions(2).reduction(reduction).recheck(Recheck::None);
    builder.explore(lost_update).executions
}

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one_execution");
    for (name, reduction) in
        [("depth_first", Reduction::None), ("bpor", Reduction::Bpor), ("happens_before", Reduction::HappensBefore)]
    {
        group.throughput(Throughput::Elements(executions(reduction)));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(executions(reduction))));
    }
    group.finish();
}
