//! How much is done for a simpler run than the one that a depth-first search found: statements inside atomic sequences count, too.

use selvedge_verify::request::{Minimize, SearchKind};
use selvedge_verify::{Answer, Budget, Interrupt, Language, Limits, Request, Silent, Verdict, load_text, verify};

/// Two counters, each step an atomic sequence of so many rounds; the shortest violation is behind most of the 10,000 states.
fn model(rounds: u32) -> String {
    format!(
        "byte a, b;
        proctype P() {{ byte i; do :: atomic {{ a < 100 -> a++; do :: i < {rounds} -> i++ :: else -> break od; i = 0 }} od }}
        proctype Q() {{ byte i; do :: atomic {{ b < 100 -> b++; do :: i < {rounds} -> i++ :: else -> break od; i = 0 }} od }}
        init {{ atomic {{ run P(); run Q() }}; assert(a + b < 150) }}"
    )
}

fn answer(rounds: u32) -> Answer {
    let model = load_text("model.pml", Language::Promela, &model(rounds)).expect("a model");
    let mut request = Request::default();
    request.search.kind = SearchKind::Dfs;
    request.search.minimize = Minimize::Length;
    let budget = Budget::start(Limits::default(), Interrupt::new());
    let answer = verify(&model, &request, &budget, &mut Silent).expect("an answer");
    assert_eq!(answer.verdict, Verdict::Violated);
    answer
}

#[test]
fn long_atomic_sequences_use_up_the_work_for_a_simpler_run() {
    assert_eq!(answer(1).minimal, Some(true));
    assert_eq!(answer(200).minimal, Some(false));
}
