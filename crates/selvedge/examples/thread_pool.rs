//! A thread pool: jobs in a queue behind a mutex, workers asleep on a condition variable. To shut down, the owner
//! sets a flag and wakes everyone. The wrong pool sets the flag without holding the lock: a worker who has just
//! looked at it and is about to sleep misses the call and sleeps for ever.

use std::collections::VecDeque;

use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::thread::JoinHandle;
use selvedge::{Builder, Report, thread};

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Shared {
    jobs: Mutex<VecDeque<Job>>,
    work: Condvar,
    closing: AtomicBool,
}

struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    locks: bool,
}

impl Pool {
    fn new(workers: usize, locks: bool) -> Self {
        let shared = Arc::new(Shared::default());
        let start = |_| {
            let shared = shared.clone();
            thread::spawn(move || {
                while let Some(job) = next(&shared) {
                    job();
                }
            })
        };
        let workers = (0..workers).map(start).collect();
        Pool { shared, workers, locks }
    }

    fn run(&self, job: impl FnOnce() + Send + 'static) {
        self.shared.jobs.lock().unwrap().push_back(Box::new(job));
        self.shared.work.notify_one();
    }

    /// Lets the workers finish what is queued and waits for them.
    fn close(self) {
        if self.locks {
            let _jobs = self.shared.jobs.lock().unwrap();
            self.shared.closing.store(true, SeqCst);
        } else {
            self.shared.closing.store(true, SeqCst);
        }
        self.shared.work.notify_all();
        for worker in self.workers {
            worker.join().unwrap();
        }
    }
}

/// The next job, or nothing when the pool closes and all jobs are done.
fn next(shared: &Shared) -> Option<Job> {
    let mut jobs = shared.jobs.lock().unwrap();
    loop {
        if let Some(job) = jobs.pop_front() {
            return Some(job);
        }
        if shared.closing.load(SeqCst) {
            return None;
        }
        jobs = shared.work.wait(jobs).unwrap();
    }
}

/// Two workers, one job: it runs once and the pool closes.
fn scenario(locks: bool) {
    let done = Arc::new(AtomicUsize::new(0));
    let pool = Pool::new(2, locks);
    pool.run({
        let done = done.clone();
        move || {
            done.fetch_add(1, SeqCst);
        }
    });
    pool.close();
    assert_eq!(done.load(SeqCst), 1);
}

/// Explores the right version.
pub fn right() -> Report {
    Builder::new().preemptions(2).explore(|| scenario(true))
}

/// Explores the wrong version, which has a violation.
pub fn wrong() -> Report {
    Builder::new().preemptions(2).explore(|| scenario(false))
}

#[allow(dead_code, reason = "the tests call the two versions themselves")]
fn main() {
    println!("closing under the lock: {}\nwithout it: {}", right(), wrong());
}
