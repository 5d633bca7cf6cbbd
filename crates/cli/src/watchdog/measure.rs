//! The memory of the process: what the operating system says is resident, beyond what the command takes before it does
//! anything. That is what a container or a machine runs out of.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use selvedge_verify::{Meter, Stats};

/// Below this, what a state takes is lost among pages that are resident anyway: the store's own count says more.
const MEASURABLE: u64 = 16 << 20;

static BASE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

/// A limit from which on the memory of the command itself is a part of what is limited.
const LARGE: u64 = 64 << 20;

/// Of a limit for the process, what is left for its work. Small limits are for the work alone.
pub fn for_work(limit: u64) -> u64 {
    if limit < LARGE { limit } else { limit - BASE.load(Ordering::Relaxed).min(limit / 4) }
}

/// The memory at which work is ended that does not end by itself: 3 % more than allowed. What is so little that the
/// command itself has about as much is left to those who count.
pub fn most(limit: u64) -> u64 {
    limit + if limit < LARGE / 2 { LARGE / 2 } else { limit / 32 }
}

/// What budgets look at.
pub fn meter() -> &'static Meter {
    static METER: OnceLock<Meter> = OnceLock::new();
    METER.get_or_init(Meter::new)
}

/// Measures memory. There is one, on the main thread.
pub struct Memory;

impl Memory {
    /// What is resident now belongs to nobody.
    pub fn new() -> Self {
        BASE.store(resident(), Ordering::Relaxed);
        Memory
    }

    /// Bytes in use now, which budgets learn as well.
    pub fn measure(&self) -> u64 {
        measure()
    }
}

fn measure() -> u64 {
    let bytes = resident().saturating_sub(BASE.load(Ordering::Relaxed));
    meter().set(bytes);
    PEAK.fetch_max(bytes, Ordering::Relaxed);
    bytes
}

/// Bytes that are resident; nothing where the system does not say.
fn resident() -> u64 {
    memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64)
}

/// Puts what was measured in the place of what the engine has counted, where it says more.
pub fn complete(stats: &mut Stats) {
    measure();
    let peak = PEAK.load(Ordering::Relaxed);
    stats.peak_memory_bytes = stats.peak_memory_bytes.max(peak);
    if peak >= MEASURABLE && stats.states > 0 {
        stats.bytes_per_state = peak as f64 / stats.states as f64;
    }
}
