//! Panics of the program under test: the hook keeps them silent, and remembers message and place for the report.
//! Panics outside of models go to the hook that was there before. A panic of the engine itself, on whatever fiber, is kept
//! apart: it is no answer about the program.

use std::cell::RefCell;
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use crate::Place;
use crate::execution::{self, Execution};

static INSTALL: Once = Once::new();

thread_local! {
    /// The first panic of the engine in the execution on this OS thread: its message and place.
    static DEFECT: RefCell<Option<(String, Option<Place>)>> = const { RefCell::new(None) };
}

/// Whether the engine has panicked in this execution, so that its state may be damaged.
pub(crate) fn is_defective() -> bool {
    DEFECT.with_borrow(Option::is_some)
}

/// The panic of the engine in the execution that ended, as a sentence.
pub(crate) fn take_defect() -> Option<String> {
    let (message, place) = DEFECT.take()?;
    let message = message.strip_prefix("internal error: ").unwrap_or(&message);
    let place = place.map_or_else(String::new, |(file, line, column)| format!(" at {file}:{line}:{column}"));
    Some(format!(
        "selvedge: internal error: {message}{place}\nThis is a defect of Selvedge, not of the test. Please report it with the \
         test that shows it."
    ))
}

fn is_ours(file: &str) -> bool {
    let file = file.replace('\\', "/");
    ["stateless/src/", "selvedge/src/", "/selvedge-"].iter().any(|ours| file.contains(ours))
}

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
    let ours = message.starts_with("internal error") && location.as_ref().is_some_and(|(file, ..)| is_ours(file));
    // The program never runs while the run is in use: who panics then is the engine.
    if ours || !execution::is_free() {
        DEFECT.with_borrow_mut(|defect| {
            let _first = defect.get_or_insert((message, location));
        });
    } else {
        execution::try_with(|run| {
            let me = run.current;
            run.state.thread(me).panic = Some((message, location));
        });
    }
}
