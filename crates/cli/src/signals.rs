//! Ctrl-C: the first one asks the search to stop and tell what it covered, the second one ends the
//! command at once.

use selvedge_core::Interrupt;

use crate::exit::Exit;

/// Catches Ctrl-C and termination from now on.
pub fn catch() -> Interrupt {
    let interrupt = Interrupt::new();
    let seen = interrupt.clone();
    let caught = ctrlc::set_handler(move || {
        if seen.is_set() {
            std::process::exit(Exit::Inconclusive.code().into());
        }
        seen.set();
    });
    // Without a handler Ctrl-C ends the command as it ends any other.
    drop(caught);
    interrupt
}
