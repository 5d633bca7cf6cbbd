//! Reading and preparing a model may be cancelled at any question: then there is no model and no diagnostic, and whatever was
//! made so far is thrown away. Where nothing is cancelled, the questions change nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use selvedge_source::Cancel;
use selvedge_verify::request::{Claims, Minimize, SearchKind};
use selvedge_verify::{
    Budget, Interrupt, Language, Limits, LoadOptions, Refusal, Request, Silent, StopReason, Verdict, load_input,
    load_text, prepare, verify,
};

const PROMELA: &str = "\
#define TWICE(x) x; x
mtype = { red, green };
typedef Pair { byte a[3]; int b };
Pair pair[2]; chan c = [2] of { mtype, byte }; hidden byte unseen;
inline step(v) { v++; if :: v > 3 -> v = 0 :: else fi }
active [2] proctype P() { byte n; do :: n < 3 -> TWICE(step(n)) :: atomic { c?red,n; pair[0].a[1] = n } :: break od }
active proctype Q() { c!red,1; unseen = 1; (unseen == 1); assert(pair[1].b == 0) }
ltl f { [] (pair[0].a[1] < 4) }
";
const MODELS: &[(Language, &str)] = &[
    (Language::Promela, PROMELA),
    (Language::Bp, "decl g;\nvoid f(a) begin g := a; end\nvoid main() begin f(*); if (g) then ERROR: skip; fi end\n"),
    (Language::Pds, "pds\ninit p\ntarget q\nthread T entry a\n  (p, a) -> (q, a b)\n"),
    (Language::Dcps, "dcps\ninit a g\ntarget c\nrule (a, g) -> (b, h)\nrule (b, h) -> (c, h)\n"),
    (Language::Spec, "vars a b\nrules\na >= 1 -> a' = a - 1, b' = b + 1;\ninit\na = 1, b = 0\ntarget\nb >= 1\n"),
    (Language::Tts, "3 3\n0 0 -> 0 1\n0 1 ~> 1 2\n"),
];

/// Loads and prepares, cancelled at the question with this number; and how many questions were asked.
fn prepared(language: Language, text: &str, cancelled_at: u64) -> (Result<usize, Refusal>, u64) {
    let asked = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&asked);
    let cancel = Cancel::when(move || counter.fetch_add(1, Ordering::Relaxed) == cancelled_at);
    let options = LoadOptions { language: Some(language), cancel, ..LoadOptions::default() };
    let result = load_input("m", text, &options).and_then(|model| {
        let ready = prepare(&model, &Request::default(), &Budget::unlimited())?;
        Ok(ready.diagnostics().len())
    });
    (result, asked.load(Ordering::Relaxed))
}

#[test]
fn whoever_is_cancelled_has_no_result() {
    for (language, text) in MODELS {
        let (whole, questions) = prepared(*language, text, u64::MAX);
        let whole = whole.unwrap_or_else(|refusal| panic!("{language:?}: {refusal}"));
        assert!(questions > 0, "{language:?}");
        for at in 0..questions {
            let (result, asked) = prepared(*language, text, at);
            assert!(matches!(result, Err(Refusal::Cancelled)), "{language:?}: question {at} of {questions}");
            assert_eq!(asked, at + 1, "{language:?}: nobody asks again");
        }
        let (again, _) = prepared(*language, text, questions);
        assert_eq!(again.ok(), Some(whole), "{language:?}");
    }
}

/// A long text is given up soon, whatever it consists of.
#[test]
fn questions_are_asked_all_along() {
    let repeated = |line: &str| line.repeat(20_000);
    let process = |body: &str| format!("active proctype p() {{\n{}assert(true) }}\n", repeated(body));
    for (language, text) in [
        (Language::Promela, process("skip;\n")),
        (
            Language::Promela,
            format!("#define M(x) x x x x x x x x\nactive proctype p() {{ {} }}", repeated("M(M(skip;))\n")),
        ),
        (Language::Promela, (0..20_000).map(|i| format!("byte a{i};\n")).collect()),
        (Language::Bp, format!("void main() begin\n{}end\n", repeated("skip;\n"))),
        (Language::Spec, format!("vars a\nrules\n{}", repeated("a >= 1 -> a' = a - 1;\n"))),
    ] {
        let (_, questions) = prepared(language, &text, u64::MAX);
        assert!(questions > 100, "{language:?}: {questions} questions for {} bytes", text.len());
    }
}

/// What is asked beside the default.
type Change<'a> = &'a dyn Fn(&mut Request);

/// A search of a model that takes for ever, ended by its budget: nobody ends it from outside here.
fn ends_with_the_budget(text: &str, name: &str, change: impl Fn(&mut Request)) {
    let model = load_text("m.pml", Language::Promela, text).expect("it parses");
    let mut request = Request::default();
    change(&mut request);
    let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
    let budget = Budget::start(limits, Interrupt::new());
    let answer = verify(&model, &request, &budget, &mut Silent).expect("an answer");
    assert_eq!((answer.verdict, answer.stop), (Verdict::Inconclusive, StopReason::Time), "{name}");
}

/// One atomic sequence with four billion states.
#[test]
fn an_atomic_sequence_ends_with_the_budget() {
    let text = "int i;\nactive proctype P() { atomic { do :: i++ od }; assert(i == 0) }\n";
    for kind in [SearchKind::Layered, SearchKind::Dfs, SearchKind::Bfs] {
        ends_with_the_budget(text, &format!("{kind:?}"), |request| request.search.kind = kind);
    }
    ends_with_the_budget(text, "rounds", |request| request.bounds.rounds = Some(2));
    ends_with_the_budget(text, "spin", |request| {
        request.search.kind = SearchKind::Spin;
        request.bounds.preemptions = Some(1);
    });
}

/// The same where infinite runs are searched: without a bound and within one, with and without fairness. With fairness,
/// a thread whose steps are not known must not count as blocked.
#[test]
fn an_atomic_sequence_in_a_search_for_cycles_ends_with_the_budget() {
    let text = "int i; byte x;\nactive proctype P() { do :: x = 1 - x; progress: skip od }\n\
                active proctype Q() { atomic { (x == 1); do :: i++ od } }\nltl f { [] <> (x == 2) || [] (x < 2) }\n";
    let searches: [(&str, Change<'_>); 6] = [
        ("claim", &|_| {}),
        ("non-progress", &|request| {
            request.properties.claims = Claims::None;
            request.properties.non_progress = true;
        }),
        ("preemptions", &|request| request.bounds.preemptions = Some(2)),
        ("switches", &|request| request.bounds.switches = Some(2)),
        ("unbounded", &|request| request.bounds.unbounded = true),
        ("fair", &|request| request.properties.fair = true),
    ];
    for (name, change) in searches {
        ends_with_the_budget(text, name, |request| {
            // One search for everything: it has the whole budget.
            request.properties.claims = Claims::First;
            request.properties.no_deadlock = true;
            change(request);
        });
    }
}

/// A run of many steps is given up while it is made, soon after an interrupt.
#[test]
fn a_run_that_was_found_is_given_up() {
    let text = "int i;\nactive proctype P() { do :: i < 400000 -> i++ :: else -> break od; assert(false) }\n";
    let model = load_text("m.pml", Language::Promela, text).expect("it parses");
    let mut request = Request::default();
    request.search.minimize = Minimize::None;
    request.bounds.unbounded = true;
    let interrupt = Interrupt::new();
    let budget = Budget::start(Limits::default(), interrupt.clone());
    let found = budget.clone();
    let waiting = std::thread::spawn(move || {
        while found.found().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        interrupt.set();
    });
    let result = verify(&model, &request, &budget, &mut Silent);
    assert!(matches!(result, Err(Refusal::Cancelled)), "{:?}", result.map(|answer| answer.verdict));
    waiting.join().expect("the violation was found");
}
