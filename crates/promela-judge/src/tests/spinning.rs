//! What is busy waiting and what is work.

use super::{never, parse};
use crate::{Interpreter, State};

/// For the states along the run in which process 0 always takes its first step: whether it spins there.
fn spinning(text: &str, steps: usize) -> Vec<bool> {
    let model = parse(text);
    let interpreter = Interpreter::new(&model, never(&model)).expect("a proper model");
    let mut state: State = interpreter.initial();
    let mut answers = vec![interpreter.is_spinning(&state, 0)];
    for _ in 0..steps {
        let own = interpreter.steps(&state).into_iter().find(|step| step.thread == Some(0));
        state = own.and_then(|step| step.next).expect("a step of process 0");
        if state.is_stored() {
            answers.push(interpreter.is_spinning(&state, 0));
        }
    }
    answers
}

#[test]
fn waiting_for_a_lock_spins() {
    let text = "byte lock = 1; active proctype P() { do :: lock == 0 -> break :: else od } \
                active proctype Q() { lock = 0 }";
    assert_eq!(spinning(text, 1), [true, true]);
    let free = "byte lock; active proctype P() { do :: lock == 0 -> break :: else od }";
    assert_eq!(spinning(free, 0), [false], "the lock is free");
}

#[test]
fn test_and_set_that_writes_the_same_value_spins() {
    let text = "bit lock = 1; active proctype P() { bit t; do :: atomic { t = lock; lock = 1 }; if :: t == 0 -> break \
                :: else fi od } active proctype Q() { lock = 0 }";
    // The local copy is 0 before the first attempt and never again.
    assert_eq!(spinning(text, 5), [false, true, true, true]);
}

#[test]
fn changing_what_others_see_is_work() {
    let toggles = "bit x; active proctype P() { do :: x = 1; x = 0 od } active proctype Q() { x }";
    assert_eq!(spinning(toggles, 2), [false, false, false]);
    let unread = "bit x; active proctype P() { do :: x = 1; x = 0 od }";
    assert_eq!(spinning(unread, 2), [true, true, true], "nothing reads x");
    let inside_atomic = "bit x; active proctype P() { do :: atomic { x = 1; x = 0 } od } active proctype Q() { x }";
    assert_eq!(spinning(inside_atomic, 2), [true, true], "others see only 0");
}

#[test]
fn a_round_of_petersons_protocol_is_work() {
    let text = "bool want[2]; bit turn; active [2] proctype P() { do :: want[_pid] = 1; turn = _pid; \
                do :: want[1 - _pid] == 0 || turn != _pid -> break :: else od; want[_pid] = 0 od }";
    assert_eq!(spinning(text, 4), [false; 5]);
}

#[test]
fn locals_may_change_unless_others_refer_to_them() {
    let text = "bit go; active proctype P() { byte n; do :: !go -> n = (n + 1) % 4 od } active proctype Q() { go = 1 }";
    assert_eq!(spinning(text, 2), [true; 3]);
    let watched = "bit go; active proctype P() { byte n; do :: !go -> n = (n + 1) % 4 od } \
                   active proctype Q() { P[0]:n == 3 -> go = 1 }";
    assert_eq!(spinning(watched, 2), [false; 3]);
    let control =
        "bit go; active proctype P() { do :: !go -> here: skip od } active proctype Q() { P[0]@here; go = 1 }";
    assert_eq!(spinning(control, 2), [false; 3]);
}

#[test]
fn a_counter_that_never_returns_is_work() {
    let text = "bit go; active proctype P() { int n; do :: !go -> n++ od } active proctype Q() { go = 1 }";
    assert_eq!(spinning(text, 2), [false; 3]);
    // Two statements each time round.
    let long = |modulus| {
        format!("bit go; active proctype P() {{ int n; do :: !go -> n = (n + 1) % {modulus} od }} init {{ go = 1 }}")
    };
    assert_eq!((spinning(&long(500), 0), spinning(&long(501), 0)), (vec![true], vec![false]));
}

#[test]
fn a_rendezvous_is_no_own_step() {
    let text = "chan c = [0] of { bit }; active proctype P() { do :: c!1 od } active proctype Q() { do :: c?_ od }";
    assert_eq!(spinning(text, 0), [false]);
    let buffered = "chan c = [1] of { bit }; active proctype P() { do :: c!1; c?_ od } active proctype Q() { skip }";
    assert_eq!(spinning(buffered, 1), [false, false], "others see the message");
}

#[test]
fn the_claim_does_not_matter() {
    let text = "byte lock = 1; active proctype P() { do :: lock == 0 -> break :: else od } \
                active proctype Q() { lock = 0 } never { do :: true -> do :: true -> break od od }";
    assert_eq!(spinning(text, 2), [true; 3]);
}
