//! A panic of the engine is no answer about the program: it reaches the caller as an internal error that names it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use selvedge_stateless::rt::{self, TrackId};
use selvedge_stateless::{Config, explore};

/// The message with which an exploration panics.
fn panic_of(config: &Config, body: &dyn Fn()) -> String {
    let panic =
        catch_unwind(AssertUnwindSafe(|| explore(config, &mut |_| {}, body))).expect_err("the engine is broken");
    panic.downcast_ref::<String>().expect("a text").clone()
}

/// Makes the engine panic: nothing was tracked.
fn break_the_engine() {
    rt::untrack(TrackId(7));
}

#[test]
fn a_panic_of_the_engine_is_an_internal_error() {
    let text = panic_of(&Config::default(), &break_the_engine);
    assert!(text.starts_with("selvedge: internal error: index out of bounds"), "{text}");
    assert!(text.contains("stateless/src/rt/memory.rs:"), "it names the place: {text}");
}

#[test]
fn so_it_is_in_another_thread_that_unwinds_through_operations() {
    struct Yields;
    impl Drop for Yields {
        fn drop(&mut self) {
            rt::yield_now("yield", std::panic::Location::caller());
        }
    }
    let body = || {
        let child = rt::spawn(
            None,
            None,
            std::panic::Location::caller(),
            Box::new(|| {
                let _yields = Yields;
                break_the_engine();
            }),
        );
        rt::join(child, std::panic::Location::caller());
    };
    let text = panic_of(&Config::default(), &body);
    assert!(text.starts_with("selvedge: internal error: index out of bounds"), "{text}");
    assert!(!std::thread::panicking());
}

#[test]
fn the_next_exploration_is_sound_again() {
    panic_of(&Config::default(), &break_the_engine);
    assert!(explore(&Config::default(), &mut |_| {}, &|| {}).complete);
    let found = explore(&Config::default(), &mut |_| {}, &|| panic!("internal error: of the program")).violation;
    assert_eq!(found.expect("the program panics").message, "internal error: of the program");
}
