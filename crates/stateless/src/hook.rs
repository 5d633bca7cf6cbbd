//! Panics of the program under test: the hook keeps them silent, and remembers message and place for the report.
//! Panics outside of models go to the hook that was there before.

use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use crate::execution::{self, Execution};

static INSTALL: Once = Once::new();

/// Installs the hook once for the process.
pub(crate) fn install() {
    INSTALL.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if execution::inside() {
                remember(info);
            } else {
                before(info);
            }
        }));
    });
}

/// The OS thread is unwinding, on whatever fiber.
pub(crate) fn panicking() -> bool {
    std::thread::panicking()
}

fn remember(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    // What std says when a panic cannot unwind; it aborts the process after the hook has returned.
    if matches!(text, Some("panic in a destructor during cleanup" | "panic in a function that cannot unwind")) {
        return execution::try_with(Execution::aborting);
    }
    let message = text.unwrap_or("a panic whose payload is not text").to_owned();
    let location = info.location().map(|l| (l.file().to_owned(), l.line(), l.column()));
    execution::try_with(|run| {
        let me = run.current;
        run.state.thread(me).panic = Some((message, location));
    });
}
