//! Merging statements and resetting dead variables leave out exactly the states that no property can observe: figures of small
//! models, each about one rule. That the verdict stays the same is the subject of `soundness.rs`.

use selvedge_verify::request::{Optimize, Reduction};
use selvedge_verify::{Budget, Language, Request, Silent, load_text, verify};

/// A model, with its states in the simplified and in the plain semantics.
struct Case {
    about: &'static str,
    simplified: u64,
    plain: u64,
    text: &'static str,
}

const CASES: &[Case] = &[
    Case {
        about: "a deterministic sequence that overwrites a variable ends its life",
        simplified: 64,
        plain: 109,
        text: "byte x; active [2] proctype P() { byte l; do :: d_step { x < 2; l = 0; x = x + 1 }; do :: d_step { l < 2; l = l + x } :: l >= 2 -> break od; x = 0 od }",
    },
    Case {
        about: "an array that nothing depends on is not part of the state",
        simplified: 73,
        plain: 354,
        text: "byte x; byte a[4]; active [2] proctype P() { byte l; do :: l < 2 -> a[_pid] = a[_pid] + x + 1; x = 1 - x; l++ :: else -> break od }",
    },
    Case {
        about: "what an index depends on is part of the state, even if the array is not",
        simplified: 73,
        plain: 366,
        text: "byte x; byte a[4]; active [2] proctype P() { byte l; do :: l < 2 -> a[x] = a[x] + 1; x = x + 1; l++ :: else -> break od }",
    },
    Case {
        about: "local assignments are merged",
        simplified: 21,
        plain: 43,
        text: "byte x; active [2] proctype P() { byte l; l = 1; l = l + 2; l = l * 2; x = l; assert(x == 6) }",
    },
    Case {
        about: "a variable that is not read again is reset",
        simplified: 126,
        plain: 178,
        text: "byte x; active [2] proctype P() { byte l; if :: l = 1 :: l = 2 fi; x = x + l; l = 0; x = x + l; x = x + 1; \
               assert(x < 9) }",
    },
    Case {
        about: "a loop of local steps is left as it is",
        simplified: 8,
        plain: 8,
        text: "byte x; active proctype P() { bit l; do :: l = 1 - l od } \
         active proctype Q() { x = 1; assert(x == 1) }",
    },
    Case {
        about: "a label that others name is a state",
        simplified: 10,
        plain: 17,
        text: "active proctype P() { byte l; l = 1; here: l = 2; l = 3 } \
         active proctype Q() { byte k; P@here; k = 1; assert(k == 1) }",
    },
    Case {
        about: "a variable that others read is seen step by step",
        simplified: 11,
        plain: 11,
        text: "active proctype P() { byte l; l = 1; l = 2; l = 3 } \
         active proctype Q() { P:l == 2; assert(P:l >= 2) }",
    },
    Case {
        about: "what enables a rendezvous is a step",
        simplified: 9,
        plain: 14,
        text: "chan c = [0] of { byte }; active proctype P() { byte l; l = 1; l = l + 1; c ? l; assert(l == 7) } \
         active proctype Q() { byte k; k = 3; k = k + 4; c ! k }",
    },
    Case {
        about: "an atomic sequence is one step already",
        simplified: 21,
        plain: 21,
        text: "byte x; active [2] proctype P() { byte l; atomic { l = 1; l = l + 1; x = x + l }; atomic { x = x + 1; l = 3; l = 4 }; x = x + l }",
    },
    Case {
        about: "a progress label is a state",
        simplified: 40,
        plain: 57,
        text: "byte x; active [2] proctype P() { byte l; l = 1; l = l + x; progress: l = l + 1; l = l + 1; x = l }",
    },
    Case {
        about: "an end label is a state",
        simplified: 40,
        plain: 71,
        text: "byte x; active [2] proctype P() { byte l; end: l = 1; l = l + 1; l = l + x; end1: l = l + 1; l = l + 1; x = l }",
    },
    Case {
        about: "elements of arrays are local variables as well",
        simplified: 21,
        plain: 57,
        text: "byte x; active [2] proctype P() { byte a[2]; byte i; a[0] = 1; a[1] = 2; i = a[0] + a[1]; x = x + i; a[0] = 0; x = x + a[1] }",
    },
    Case {
        about: "`provided` is looked at in every state",
        simplified: 29,
        plain: 29,
        text: "byte x; active proctype P() provided (x < 2) { byte l; l = 1; l = l + 1; l = l + 1; x = l } \
         active proctype Q() { x = 1; x = 2; x = 0 }",
    },
    Case {
        about: "so is `timeout`",
        simplified: 21,
        plain: 21,
        text: "byte x; active proctype P() { byte l; l = 1; l = l + 1; timeout -> x = l } \
         active proctype Q() { byte l; l = 1; l = l + 1; timeout -> x = 2 * l }",
    },
];

fn states(text: &str, change: impl FnOnce(&mut Request)) -> u64 {
    let mut request = Request::default();
    request.search.keep_going = true;
    change(&mut request);
    // A process type that is never started reads `x`, so that it is part of the state.
    let reader = if text.contains("byte x;") { " proctype Reader() { x == 255 }" } else { "" };
    let model = load_text("model.pml", Language::Promela, &format!("{text}{reader}")).expect("it parses");
    verify(&model, &request, &Budget::unlimited(), &mut Silent).expect("an answer").stats.states
}

fn everything(request: &mut Request) {
    request.bounds.unbounded = true;
    request.search.reduction = Some(Reduction::None);
}

#[test]
fn the_simplified_model_has_the_states_that_can_be_noticed() {
    for Case { about, simplified, plain, text } in CASES {
        assert_eq!(states(text, everything), *simplified, "{about}:\n{text}");
        let unchanged = |request: &mut Request| {
            everything(request);
            request.search.optimize = Optimize::None;
        };
        assert_eq!(states(text, unchanged), *plain, "{about}, unchanged:\n{text}");
    }
}

/// No process is preempted in front of a step that no property can observe, even where it cannot be merged.
#[test]
fn the_bounded_search_leaves_out_preemptions_in_front_of_local_steps() {
    let text = "byte x; active [2] proctype P() { byte l; do :: l < 3 -> l++ :: l >= 3 -> break od; x = l }";
    assert!(states(text, |request| request.search.keep_going = false) < states(text, everything));
}
