//! Processor time: the figures must not depend on what else the machine does.

use std::time::Duration;

/// The processor time this process has used.
pub fn used() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the answer.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "the clock can be read");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
