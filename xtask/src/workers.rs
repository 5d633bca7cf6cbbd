//! Numbered pieces of work, several at a time, with a line of progress every ten seconds.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often progress is reported.
const REPORT_EVERY: Duration = Duration::from_secs(10);

/// Calls `work` for every number of the range, in order, in `jobs` threads, until it answers `false`. What `progress` says goes
/// to stderr.
pub fn in_parallel(
    numbers: Range<u64>,
    jobs: usize,
    work: impl Fn(u64) -> io::Result<bool> + Sync,
    progress: impl Fn() -> String,
) -> io::Result<()> {
    let (next, start) = (AtomicU64::new(numbers.start), Instant::now());
    let worker = || {
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && number < numbers.end
            && work(number)?
        {}
        Ok::<(), io::Error>(())
    };
    std::thread::scope(|threads| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| threads.spawn(worker)).collect();
        let mut reported = Instant::now();
        while !workers.iter().all(|worker| worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(50));
            if reported.elapsed() > REPORT_EVERY {
                reported = Instant::now();
                eprintln!("{:5.0} s  {}", start.elapsed().as_secs_f64(), progress());
            }
        }
        workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panicked"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    fn numbers(range: Range<u64>, jobs: usize, last: u64) -> BTreeSet<u64> {
        let seen = Mutex::new(BTreeSet::new());
        let work = |number| {
            assert!(seen.lock().expect("no worker panicked").insert(number), "{number} comes twice");
            Ok(number < last)
        };
        in_parallel(range, jobs, work, String::new).expect("nothing fails");
        seen.into_inner().expect("no worker panicked")
    }

    #[test]
    fn every_number_comes_once() {
        for jobs in 0..4 {
            assert_eq!(numbers(7..40, jobs, 100), (7..40).collect());
        }
        assert_eq!(numbers(7..7, 2, 100), BTreeSet::new());
    }

    #[test]
    fn a_worker_stops_after_the_answer_false() {
        assert_eq!(numbers(0..40, 1, 3), (0..4).collect());
    }

    #[test]
    fn an_error_is_passed_on() {
        let failed = in_parallel(0..3, 2, |_| Err(io::Error::other("no room")), String::new);
        assert_eq!(failed.map_err(|error| error.to_string()), Err("no room".to_owned()));
    }
}
