//! A thread of a model that needs more stack than it has: the process ends as it would anyway, but says why. The tests run
//! themselves again as processes of their own, which do not come back.
#![cfg(unix)]

use std::hint::black_box;
use std::process::{Command, Output};

use selvedge::{Builder, thread};

/// Set in the process that overflows.
const CHILD: &str = "SELVEDGE_TEST_OVERFLOWS";

/// Needs about a KiB for each level.
fn recurse(levels: usize) -> u8 {
    let frame = black_box([levels as u8; 1024]);
    if levels == 0 { frame[0] } else { recurse(levels - 1).wrapping_add(frame[7]) }
}

/// Whether this is the process that overflows.
fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs a test of this file again.
fn again(test: &str) -> Output {
    let program = std::env::current_exe().expect("this program");
    Command::new(program).args([test, "--exact"]).env(CHILD, "1").output().expect("it runs")
}

fn printed(output: &Output) -> String {
    assert!(!output.status.success(), "the process ends with the thread");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_thread_without_stack_is_named_with_what_to_do() {
    if is_child() {
        let deep = || _ = thread::spawn(|| recurse(1 << 14)).join();
        Builder::new().stack_size(256 * 1024).keep_failures(false).check(deep);
    }
    let text = printed(&again("a_thread_without_stack_is_named_with_what_to_do"));
    assert!(text.contains("a_thread_without_stack_is_named_with_what_to_do: thread 1 of the model"), "{text}");
    assert!(text.contains("has used up its stack of 256 KiB") && text.contains("Builder::stack_size"), "{text}");
}

#[test]
fn the_main_thread_of_a_model_is_named_too() {
    if is_child() {
        Builder::new().keep_failures(false).check(|| _ = recurse(1 << 14));
    }
    let text = printed(&again("the_main_thread_of_a_model_is_named_too"));
    assert!(text.contains("the main thread of the model has used up its stack of 1024 KiB"), "{text}");
}

#[test]
fn a_larger_stack_is_enough() {
    let deep = || _ = thread::spawn(|| recurse(1 << 11)).join();
    Builder::new().stack_size(16 << 20).keep_failures(false).check(deep);
    let deep = || _ = thread::Builder::new().stack_size(16 << 20).spawn(|| recurse(1 << 11)).expect("a thread").join();
    Builder::new().stack_size(64 << 10).keep_failures(false).check(deep);
}

#[test]
fn an_overflow_outside_of_models_is_still_reported_by_std() {
    if is_child() {
        Builder::new().keep_failures(false).check(|| ());
        black_box(recurse(1 << 20));
    }
    let text = printed(&again("an_overflow_outside_of_models_is_still_reported_by_std"));
    assert!(text.contains("has overflowed its stack") && !text.contains("of the model"), "{text}");
}
