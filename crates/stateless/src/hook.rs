//! Panics of the program under test: the hook keeps them silent, and remembers message and place for the report.
//! Panics outside of models go to the hook that was there before. A panic of the engine itself, on whatever fiber, is kept
//! apart: it is no answer about the program.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use crate::Place;
use crate::execution::{self, Execution};

static INSTALL: Once = Once::new();

thread_local! {
    /// The first panic of the engine in the execution on this OS thread: its message and place.
    static DEFECT: RefCell<Option<(String, Option<Place>)>> = const { RefCell::new(None) };
    /// The engine runs on this OS thread, between two executions.
    static BETWEEN: Cell<bool> = const { Cell::new(false) };
}

/// Runs a part of the engine between two executions.
///
/// # Panics
/// With an internal error if `f` panics.
pub(crate) fn between_executions<R>(f: impl FnOnce() -> R) -> R {
    BETWEEN.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(f));
    BETWEEN.set(false);
    result.unwrap_or_else(|_| panic!("{}", take_defect().unwrap_or_default()))
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
            if execution::inside() || BETWEEN.get() {
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
    if ours || BETWEEN.get() || !execution::is_free() {
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::config::Config;
    use crate::explore::{Explorer, explore};
    use crate::state::State;
    use crate::strategy::{Decision, Ended, Next, Strategy, View};

    /// Panics between two executions.
    struct Broken {
        executions: usize,
    }

    impl Strategy for Broken {
        fn next(&mut self) -> Next {
            assert!(self.executions == 0, "the strategy is broken");
            Next::Run
        }

        fn decide(&mut self, view: &View<'_>) -> Decision {
            Decision::Go(view.default_thread(), 0)
        }

        fn end(&mut self, _: &State, _: Ended) {
            self.executions += 1;
        }
    }

    #[test]
    fn a_panic_of_a_strategy_between_executions_is_an_internal_error() {
        install();
        let (config, deadline) = (Config::default(), None::<Instant>);
        let observer = &mut |_: &_| {};
        let mut explorer = Explorer::new(&config, &|| {}, deadline, observer);
        let result = panic::catch_unwind(AssertUnwindSafe(|| explorer.explore(Box::new(Broken { executions: 0 }))));
        let panic = result.expect_err("the strategy is broken");
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(text.starts_with("selvedge: internal error: the strategy is broken at "), "{text}");
        assert!(!is_defective());
        assert!(explore(&config, &mut |_| {}, &|| {}).complete, "the next exploration is sound again");
    }
}
