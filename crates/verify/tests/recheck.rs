//! How `holds` is checked: what was wrong once, and what the evidence says.

mod within;

use selvedge_boolprog_syntax::print;
use selvedge_boolprog_syntax::random::{Shape, generate};
use selvedge_verify::request::{Claims, Minimize, Recheck};
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
    // A run of merged statements, for which the claim moves once, is shown as the independent interpreter takes it.
    let first_found = with(|request| {
        request.search.minimize = Minimize::None;
        request.properties.claims = Claims::Chosen("[] !(a == 1)".to_owned());
    });
    assert_eq!(answer(text, &first_found).verdict, Verdict::Violated);
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
    let small = answer(&text(2), &Request::default());
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

fn program(text: &str, request: &Request) -> Answer {
    let model = load_text("m.bp", Language::Bp, text).expect("it parses");
    verify(&model, request, &Budget::unlimited(), &mut Silent).expect("an answer")
}

/// The engine leaves out what is never read, so that a round of its cycle may take several of the plain interpreter.
#[test]
fn infinite_runs_of_programs_are_replayed_and_their_absence_is_explored_again() {
    let non_progress = with(|request| request.properties.non_progress = true);
    let fair = with(|request| (request.properties.non_progress, request.properties.fair) = (true, true));
    let toggles = "decl x, y; void main() begin x := 0; while (*) do x := !x; y := x; od; end";
    let found = program(toggles, &non_progress);
    assert_eq!(found.verdict, Verdict::Violated);
    assert_eq!(found.evidence, Evidence::Replayed { runs: 1 });
    let ends = "decl x; void thread1() begin x := !x; end void thread2() begin x := F; end";
    let none = program(ends, &non_progress);
    assert_eq!(none.verdict, Verdict::Holds);
    assert!(matches!(none.evidence, Evidence::ReExplored { states: 4.., .. }), "{:?}", none.evidence);
    // Only an unfair run is infinite: the other thread always has a step that ends the loop.
    let waits = "decl go := F; void thread1() begin while (!go) do skip; od; end void thread2() begin go := T; end";
    assert_eq!(program(waits, &non_progress).verdict, Verdict::Violated);
    let none = program(waits, &fair);
    assert_eq!(none.verdict, Verdict::Holds);
    assert!(matches!(none.evidence, Evidence::ReExplored { .. }), "{:?}", none.evidence);
}

/// Switches of each thread are counted by the judge, too; threads without end are sampled.
#[test]
fn programs_that_create_threads_are_judged() {
    let one = "
        decl taken := F, inside := F;
        void worker() begin
            atomic_begin; assume(!taken); taken := T; atomic_end;
            assert(!inside); inside := T; inside := F; taken := F;
        end
        void main() begin start_thread worker(); start_thread worker(); end";
    let many = one.replace("start_thread worker(); start_thread worker();", "while (*) do start_thread worker(); od;");
    let switches = with(|request| request.bounds.thread_switches = Some(2));
    let strata = with(|request| request.bounds.strata = Some(1));
    for request in [&switches, &strata] {
        let answer = program(one, request);
        assert_ne!(answer.verdict, Verdict::Violated);
        assert!(!matches!(answer.evidence, Evidence::None { .. }), "{:?}", answer.evidence);
        let answer = program(&many, request);
        assert_ne!(answer.verdict, Verdict::Violated);
        assert!(!matches!(answer.evidence, Evidence::None { .. }), "{:?}", answer.evidence);
    }
}

#[test]
fn bounds_of_every_kind_agree_with_the_plain_interpreter() {
    let plain = Shape { errors: true, globals: 2, statements: 2, most_threads: 2, ..Shape::default() };
    let mut compared = 0;
    for seed in 0..80 {
        let creates = Shape { creates: true, least_threads: 1, most_threads: 1, nesting: 1, locals: 0, ..plain };
        let shape = match seed % 4 {
            0 => creates,
            1 => Shape { everything: true, ..plain },
            2 => Shape { atomic_variable: true, ..plain },
            _ if seed % 8 == 3 => Shape { waits: true, ..plain },
            _ => plain,
        };
        let generated = generate(seed, &shape);
        let model = within::load(&generated).expect("it parses");
        let compare = within::compare(&generated, &model);
        compared += compare.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", print::program(&generated)));
    }
    assert!(compared > 500, "only {compared} bounds were compared");
}
