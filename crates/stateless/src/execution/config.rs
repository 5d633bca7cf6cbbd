//! What is the same in all executions of an exploration.

use std::time::Instant;

use crate::config::{Aborting, Config, Memory};
use crate::orderings::Changes;

/// What the program under test can do, and what is looked for.
#[derive(Clone, Debug)]
pub(crate) struct ExecutionConfig {
    pub(crate) fair: Option<u32>,
    pub(crate) max_steps: u32,
    pub(crate) stack_size: usize,
    pub(crate) panics_join: bool,
    pub(crate) spurious: bool,
    pub(crate) counts: bool,
    /// Stale values are to be explored, and are: from the first ordering on that allows them.
    pub(crate) rc11: bool,
    pub(crate) weak: bool,
    pub(crate) changes: Changes,
    pub(crate) collect_sites: bool,
    pub(crate) deadline: Option<Instant>,
    pub(crate) last_words: Option<fn(&Aborting)>,
}

/// Whether stale values are explored from the beginning: where the orderings of the program are not those that count.
pub(crate) fn starts_weak(config: &Config) -> bool {
    config.memory == Memory::Rc11 && (config.collect_sites || !config.changes.is_empty())
}

impl ExecutionConfig {
    pub(crate) fn new(config: &Config, fair: Option<u32>, deadline: Option<Instant>) -> ExecutionConfig {
        ExecutionConfig {
            fair,
            max_steps: config.max_steps,
            stack_size: config.stack_size.max(16 * 1024),
            panics_join: config.panics_join,
            spurious: config.spurious_wakeups,
            counts: false,
            rc11: config.memory == Memory::Rc11,
            weak: starts_weak(config),
            changes: Changes(config.changes.clone()),
            collect_sites: config.collect_sites,
            deadline,
            last_words: config.last_words,
        }
    }
}
