//! Under `ulimit -v` every reservation counts, used or not, and the stacks of threads are the largest: the thread that does
//! the work has one, and the library of decision diagrams gives one of a gigabyte to a thread of every set of diagrams
//! unless an environment variable says otherwise. The allocator of glibc also reserves 64 MB for every thread. Both variables
//! must be set before the process has threads, so the command replaces itself by one with them.

use crate::memory;

/// Read by the library of decision diagrams, in bytes.
const VARIABLE: &str = "OXIDD_STACK_SIZE";
/// Read by glibc: how many regions it allocates from. Other systems ignore it.
const REGIONS: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

/// Stack of the thread that does the work, where nothing limits it.
const WORK: u64 = 256 << 20;
/// The same under a limit: the least, and the part of the limit.
const LEAST: (u64, u64) = (4 << 20, 16);

/// Bytes of the stack of the thread that does the work. Does not return where the command has to be replaced.
pub fn stack_bytes() -> usize {
    let Some(limit) = memory::address_space() else { return WORK as usize };
    let stack = (limit / LEAST.1).clamp(LEAST.0, WORK);
    if std::env::var_os(VARIABLE).is_none() {
        replace(stack);
    }
    stack as usize
}

/// Replaces the process; returns where that fails, and the command then runs with what it can get.
#[cfg(unix)]
fn replace(stack: u64) {
    use std::os::unix::process::CommandExt;

    let Ok(command) = std::env::current_exe() else { return };
    let mut arguments = std::env::args_os();
    let mut again = std::process::Command::new(command);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    let _ = again.args(arguments).env(VARIABLE, stack.to_string()).env(REGIONS.0, REGIONS.1).exec();
}

#[cfg(not(unix))]
fn replace(_stack: u64) {}
