//! Several properties of one model take turns: one that is violated soon does not wait for one that takes long.

use selvedge_verify::request::Reduction;
use selvedge_verify::{
    Answer, Budget, Interrupt, Language, Limits, Request, Silent, StopReason, Verdict, load_text, verify,
};

/// Some 500,000 states. The first formula is violated after a few steps, the second holds.
const MODEL: &str = "
    byte x; bool p
    active [4] proctype P() { byte i; do :: i < 25 -> i++; x = (x + i) % 7 :: else -> break od; p = true }
    ltl never_p { [] !p }
    ltl small { [] (x < 7) }
";

fn answer(request: &Request) -> Answer {
    answer_for(MODEL, request)
}

fn answer_for(text: &str, request: &Request) -> Answer {
    let model = load_text("model.pml", Language::Promela, text).expect("a model");
    let limits = Limits { states: request.limits.states, ..Limits::default() };
    verify(&model, request, &Budget::start(limits, Interrupt::new()), &mut Silent).expect("an answer")
}

fn verdicts(answer: &Answer) -> Vec<(&str, Verdict, StopReason)> {
    let decided = answer.properties.iter();
    decided.map(|found| (found.property.name.as_str(), found.verdict, found.stop)).collect()
}

#[test]
fn a_violated_property_leaves_the_others_undecided_after_their_turn() {
    let answer = answer(&Request::default());
    assert_eq!(answer.verdict, Verdict::Violated);
    let expected = [
        ("safety", Verdict::Inconclusive, StopReason::Violation),
        ("never_p", Verdict::Violated, StopReason::Violation),
        ("small", Verdict::Inconclusive, StopReason::Violation),
    ];
    assert_eq!(verdicts(&answer), expected);
    let most = answer.properties.iter().map(|found| found.stats.states).max();
    assert!(most <= Some(20_001), "{most:?} states");
}

/// Both searches need more than the turns with a limit.
#[test]
fn claims_come_first_in_the_last_turn() {
    const FAR: &str = "
        int x; bit y
        active proctype P() { do :: x < 120000 -> x++ :: else -> break od }
        active proctype Q() { do :: y = 1 - y od }
        ltl far { [] (x < 120000) }
    ";
    let answer = answer_for(FAR, &Request::default());
    let expected =
        [("safety", Verdict::Inconclusive, StopReason::Violation), ("far", Verdict::Violated, StopReason::Violation)];
    assert_eq!(verdicts(&answer), expected);
    assert!(answer.properties[0].stats.states <= 100_001, "{} states", answer.properties[0].stats.states);
}

#[test]
fn within_a_bound_every_property_is_decided() {
    let mut request = Request::default();
    request.bounds.preemptions = Some(1);
    let answer = answer(&request);
    assert!(answer.properties.iter().all(|found| found.verdict != Verdict::Inconclusive), "{:?}", verdicts(&answer));
}

#[test]
fn a_limit_of_the_user_is_reported_as_such() {
    let mut request = Request::default();
    (request.limits.states, request.bounds.preemptions) = (Some(5_000), Some(5));
    let answer = answer(&request);
    let safety = answer.properties.iter().find(|found| found.property.name == "safety").expect("a property");
    assert_eq!((safety.verdict, safety.stop), (Verdict::Inconclusive, StopReason::States));
}

/// A process may be at fault, as far as anybody can tell who only reads it. The search without the claim shows that it never is, and
/// then the claim's search is reduced.
#[test]
fn a_claim_is_reduced_once_nothing_is_known_to_be_at_fault() {
    const TABLES: &str = "
        byte done
        active [4] proctype P() { byte i; byte a[8]; do :: i < 4 -> a[i] = i; i = i + a[i] + 1 - i :: else -> break od; done++ }
        ltl all_end { <> (done == 4) }
    ";
    let mut request = Request::default();
    let states = |request: &Request| {
        let answer = answer_for(TABLES, request);
        let found = answer.properties.iter().map(|found| (found.verdict, found.stats.states)).collect::<Vec<_>>();
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(verdict, _)| *verdict == Verdict::Holds), "{:?}", verdicts(&answer));
        found[1].1
    };
    let reduced = states(&request);
    request.search.reduction = Some(Reduction::None);
    let all = states(&request);
    assert!(all > 20_000 && reduced < all / 10, "{reduced} of {all} states");
}
