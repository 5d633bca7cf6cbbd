//! Reading and preparing a model may be cancelled at any question: then there is no model and no diagnostic, and whatever was
//! made so far is thrown away. Where nothing is cancelled, the questions change nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use selvedge_source::Cancel;
use selvedge_verify::request::SearchKind;
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

/// One atomic sequence with four billion states: nobody ends it from outside here.
#[test]
fn an_atomic_sequence_ends_with_the_budget() {
    let text = "int i;\nactive proctype P() { atomic { do :: i++ od }; assert(i == 0) }\n";
    let model = load_text("m.pml", Language::Promela, text).expect("it parses");
    let searches = [SearchKind::Layered, SearchKind::Dfs, SearchKind::Bfs];
    let rounds = |request: &mut Request| request.bounds.rounds = Some(2);
    let spin = |request: &mut Request| {
        request.search.kind = SearchKind::Spin;
        request.bounds.preemptions = Some(1);
    };
    let kinds = searches.map(|kind| move |request: &mut Request| request.search.kind = kind);
    let changes: [&dyn Fn(&mut Request); 2] = [&rounds, &spin];
    let changes = kinds.iter().map(|change| change as &dyn Fn(&mut Request)).chain(changes);
    for (number, change) in changes.enumerate() {
        let mut request = Request::default();
        change(&mut request);
        let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
        let budget = Budget::start(limits, Interrupt::new());
        let answer = verify(&model, &request, &budget, &mut Silent).expect("an answer");
        assert_eq!((answer.verdict, answer.stop), (Verdict::Inconclusive, StopReason::Time), "{number}");
    }
}
