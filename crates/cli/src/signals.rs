//! Ctrl-C: the first one stops the search, which reports what it covered, a later one ends the command at once.

use std::io;
use std::time::{Duration, Instant};

use selvedge_verify::Interrupt;

use crate::exit::Exit;

/// Signals that come so soon after the first are the same one: `timeout` sends its signal to the command and again to
/// the group of processes.
const ONE: Duration = Duration::from_millis(200);

/// Catches Ctrl-C and termination from now on.
pub fn catch() -> Interrupt {
    let interrupt = Interrupt::new();
    let seen = interrupt.clone();
    let mut first = None;
    let caught = ctrlc::set_handler(move || {
        if first.get_or_insert_with(Instant::now).elapsed() >= ONE {
            std::process::exit(Exit::Inconclusive.code().into());
        }
        seen.set();
    });
    // Without a handler Ctrl-C ends the command as it ends any other.
    drop(caught);
    interrupt
}

/// Asks the search to stop when stdin ends, which it also does when the process at its other end is gone.
pub fn set_when_stdin_ends(interrupt: Interrupt) {
    std::thread::spawn(move || {
        // An error ends it as well.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        interrupt.set();
    });
}
