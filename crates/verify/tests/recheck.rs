//! How `holds` is checked: what was wrong once, and what the evidence says.

use selvedge_verify::request::{Claims, Recheck};
use selvedge_verify::{
    Answer, Budget, Evidence, Interrupt, Language, Limits, Request, Silent, Verdict, load_text, verify,
};

fn answer(text: &str, request: &Request) -> Answer {
    let model = load_text("m.pml", Language::Promela, text).expect("it parses");
    verify(&model, request, &Budget::unlimited(), &mut Silent).expect("an answer")
}

fn with(change: impl FnOnce(&mut Request)) -> Request {
    let mut request = Request::default();
    request.properties.claims = Claims::First;
    change(&mut request);
    request
}

/// The claim moves alone after both processes have ended: that is no switch.
#[test]
fn a_claim_that_stutters_switches_nothing() {
    let text = "\
byte a, b;
active proctype Q() { a = 1; atomic { skip; b = a } }
active proctype P() { a == 1; a = 2 }
ltl copied { [] (a == 1 -> <> (b == 1)) }
";
    let within = |switches| answer(text, &with(|request| request.bounds.switches = Some(switches)));
    let holds = within(1);
    assert_eq!(holds.verdict, Verdict::HoldsWithinBound);
    assert!(matches!(holds.evidence, Evidence::ReExplored { states: 5.., .. }), "{:?}", holds.evidence);
    assert_eq!(within(2).verdict, Verdict::Violated);
}

#[test]
fn small_models_are_explored_again_large_ones_sampled() {
    let text = |most: u32| {
        format!(
            "byte a, b, c;
             active proctype A() {{ do :: a < {most} -> a++ :: a == {most} -> a = 0 od }}
             active proctype B() {{ do :: b < {most} -> b++ :: b == {most} -> b = 0 od }}
             active proctype C() {{ do :: c < {most} -> c++ :: c == {most} -> c = 0 od; assert(false) }}"
        )
    };
    let small = answer(&text(3), &Request::default());
    assert_eq!(small.verdict, Verdict::Holds);
    assert!(matches!(small.evidence, Evidence::ReExplored { states, .. } if states > 50), "{:?}", small.evidence);
    let large = answer(&text(60), &Request::default());
    assert_eq!(large.verdict, Verdict::Holds);
    let Evidence::Sampled { runs, steps, compared_states, .. } = large.evidence else { panic!("{:?}", large.evidence) };
    assert!(runs > 0 && steps > 1_000 && compared_states > 10, "{runs} {steps} {compared_states}");
    let full = answer(&text(20), &with(|request| request.recheck = Recheck::Full));
    assert!(matches!(full.evidence, Evidence::ReExplored { states, .. } if states > 9_000), "{:?}", full.evidence);
    let none = answer(&text(3), &with(|request| request.recheck = Recheck::None));
    assert!(matches!(none.evidence, Evidence::None { .. }), "{:?}", none.evidence);
}

#[test]
fn the_same_request_has_the_same_evidence() {
    let text = "byte x; active [3] proctype P() { do :: x < 200 -> x++ :: x > 0 -> x-- od }";
    let request = with(|request| request.bounds.preemptions = Some(2));
    let (first, second) = (answer(text, &request), answer(text, &request));
    assert_eq!(first.evidence, second.evidence);
}

#[test]
fn a_variable_without_effect_is_no_part_of_the_state() {
    let text = "int n; active proctype P() { do :: n++ od }";
    let model = load_text("model.pml", Language::Promela, text).expect("it parses");
    let budget = Budget::start(Limits { states: Some(100), ..Limits::default() }, Interrupt::new());
    let answer = verify(&model, &Request::default(), &budget, &mut Silent).expect("an answer");
    assert_eq!((answer.verdict, answer.stats.states), (Verdict::Holds, 1));
}
