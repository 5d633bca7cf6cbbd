//! Table 1 of [CBPOR]: a work-stealing queue (the THE protocol of Cilk) of several sizes; executions at preemption bounds
//! 0 to 4 with every schedule (cb-dfs), with backtrack points (BPOR), and once for each class (cb-por).

use std::time::Duration;

use selvedge::sync::atomic::{AtomicIsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Builder, Recheck, Reduction, thread};

const LIMIT: Duration = Duration::from_secs(120);

/// A bounded circular buffer: the owner works at the tail, thieves lock and work at the head.
struct Queue {
    lock: Mutex<()>,
    head: AtomicIsize,
    tail: AtomicIsize,
    items: Vec<AtomicIsize>,
}

impl Queue {
    fn new(size: usize) -> Queue {
        let zero = || AtomicIsize::new(0);
        // One slot more than items: a thief at work keeps its slot.
        Queue { lock: Mutex::new(()), head: zero(), tail: zero(), items: (0..=size).map(|_| zero()).collect() }
    }

    fn slot(&self, index: isize) -> &AtomicIsize {
        &self.items[index as usize % self.items.len()]
    }

    fn push(&self, item: isize) {
        let tail = self.tail.load(SeqCst);
        self.slot(tail).store(item, SeqCst);
        self.tail.store(tail + 1, SeqCst);
    }

    fn pop(&self) -> Option<isize> {
        let tail = self.tail.load(SeqCst) - 1;
        self.tail.store(tail, SeqCst);
        if self.head.load(SeqCst) <= tail {
            return Some(self.slot(tail).load(SeqCst));
        }
        self.tail.store(tail + 1, SeqCst);
        let _lock = self.lock.lock().unwrap();
        self.tail.store(tail, SeqCst);
        if self.head.load(SeqCst) <= tail {
            return Some(self.slot(tail).load(SeqCst));
        }
        self.tail.store(tail + 1, SeqCst);
        None
    }

    fn steal(&self) -> Option<isize> {
        let _lock = self.lock.lock().unwrap();
        let head = self.head.load(SeqCst);
        self.head.store(head + 1, SeqCst);
        if head < self.tail.load(SeqCst) {
            return Some(self.slot(head).load(SeqCst));
        }
        self.head.store(head, SeqCst);
        None
    }
}

/// The main thread enqueues and later dequeues, a thief steals.
fn scenario(size: usize) {
    let queue = Arc::new(Queue::new(size));
    let thief = thread::spawn({
        let queue = queue.clone();
        move || (0..2).filter_map(|_| queue.steal()).collect::<Vec<_>>()
    });
    (0..size as isize).for_each(|i| queue.push(i));
    let mut done: Vec<isize> = (0..size).filter_map(|_| queue.pop()).collect();
    done.extend(thief.join().unwrap());
    done.sort_unstable();
    assert_eq!(done, (0..size as isize).collect::<Vec<_>>());
}

pub fn run() {
    println!("Table 1 of [CBPOR]: executions for a work-stealing queue (`-`: not complete in {} s)\n", LIMIT.as_secs());
    println!("| bound | 3: cb-dfs | BPOR | cb-por | 4: cb-dfs | BPOR | cb-por | 5: cb-dfs | BPOR | cb-por |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let columns: Vec<Vec<Option<u64>>> = [3, 4, 5]
        .iter()
        .flat_map(|&size| [(size, Reduction::None), (size, Reduction::Bpor), (size, Reduction::HappensBefore)])
        .map(|(size, reduction)| {
            let builder = Builder::new().preemptions(4).reduction(reduction).time_limit(LIMIT).recheck(Recheck::None);
            let report = builder.explore(move || scenario(size));
            assert!(report.violation.is_none(), "{:?}", report.violation.map(|v| v.message));
            (0..=4).map(|bound| report.per_bound.get(bound).map(|b| b.executions as u64)).collect()
        })
        .collect();
    for bound in 0..=4 {
        let cells = columns.iter().map(|c| c[bound].map_or("-".to_owned(), |n| n.to_string()));
        println!("| {bound} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    println!();
}
