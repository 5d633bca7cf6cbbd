//! Infinite runs and blocked threads of pushdown systems, networks and nets: what is found is replayed, and their absence is
//! checked by the judge, too.

use selvedge_core::{Bound, Explored, Runs, ViolationKind};
use selvedge_nets_judge::{Goals, dcps, net, pds};
use selvedge_nets_syntax as syntax;
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_verify::request::{Engine, Recheck};
use selvedge_verify::{Answer, Budget, Evidence, Language, Request, Silent, Verdict, load_text, verify};

/// One thread goes round for ever and lets the other continue only now and then.
const TURNS: &str =
    "pds\ninit p\nthread A entry a\n  (p, a) -> (q, a)\n  (q, a) -> (p, a)\nthread B entry b\n  (p, b) -> (r, b)\n";
/// One thread goes round for ever, and the other can end that all the time.
const IGNORED: &str = "pds\ninit p\nthread A entry a\n  (p, a) -> (p, a)\nthread B entry b\n  (p, b) -> (r, b)\n";
/// Every thread ends.
const ENDS: &str =
    "pds\ninit p\nthread A entry a\n  (p, a) -> (q)\nthread B entry b\n  (p, b) -> (p)\n  (q, b) -> (q)\n";
/// The first thread is activated for ever.
const ACTIVATED: &str = "dcps\ninit p g\nrule (p, g) -> (p, f) spawn h\nyield (p, f) -> (q, f)\nresume q -> r on f\nyield (r, f) -> (q, f)\nresume q -> s on h\nyield (s, h) -> (t, h)\n";
/// Both threads end.
const RETURNS: &str =
    "dcps\ninit p g\nrule (p, g) -> (p, f) spawn h\nyield (p, f) -> (q)\nresume q -> s on h\nyield (s, h) -> (t)\n";
/// A token goes to and fro.
const TO_AND_FRO: &str = "vars a b\nrules\na >= 1 -> a' = a - 1, b' = b + 1;\nb >= 1 -> b' = b - 1, a' = a + 1;\ninit\na = 1, b = 0\ntarget\nb >= 2\n";
/// A token goes one way.
const ONE_WAY: &str = "vars a b\nrules\na >= 1 -> a' = a - 1, b' = b + 1;\ninit\na = 1, b = 0\ntarget\nb >= 2\n";

fn answer(language: Language, text: &str, change: impl FnOnce(&mut Request)) -> Answer {
    let model = load_text("m", language, text).expect("it parses");
    let mut request = Request { engine: Some(Engine::Explicit), ..Request::default() };
    change(&mut request);
    verify(&model, &request, &Budget::unlimited(), &mut Silent).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
}

#[test]
fn cycles_are_replayed() {
    let (pds, dcps, spec) = (Language::Pds, Language::Dcps, Language::Spec);
    let cases = [(pds, TURNS, true), (pds, IGNORED, false), (dcps, ACTIVATED, true), (spec, TO_AND_FRO, true)];
    for (language, text, also_fair) in cases {
        for fair in [false, true] {
            let answer = answer(language, text, |request| {
                (request.properties.non_progress, request.properties.fair) = (true, fair);
            });
            if !fair || also_fair {
                assert_eq!(answer.verdict, Verdict::Violated, "{text}");
                assert_eq!(answer.evidence, Evidence::Replayed { runs: 1 }, "{text}");
            } else {
                assert_eq!(answer.verdict, Verdict::Holds, "{text}");
                assert!(matches!(answer.evidence, Evidence::Sampled { .. }), "{text}: {:?}", answer.evidence);
            }
        }
    }
}

#[test]
fn a_run_that_does_not_return_is_refused() {
    let found = answer(Language::Spec, TO_AND_FRO, |request| request.properties.non_progress = true);
    let mut sources = SourceMap::new();
    let file = sources.add("m", TO_AND_FRO);
    let parsed = syntax::net::parse(file, TO_AND_FRO, &mut Diagnostics::new()).expect("it is read");
    let mut trace = found.traces[0].clone();
    assert_eq!(net::replay(&parsed, &sources, &trace), Ok(()));
    trace.steps.pop();
    assert!(net::replay(&parsed, &sources, &trace).is_err());
    // Without a mark where the cycle begins, there is none.
    let mut trace = found.traces[0].clone();
    trace.steps.iter_mut().for_each(|step| step.cycle_start = false);
    assert!(net::replay(&parsed, &sources, &trace).is_err());
}

#[test]
fn unfair_cycles_are_refused() {
    let found = answer(Language::Pds, IGNORED, |request| request.properties.non_progress = true);
    let mut sources = SourceMap::new();
    let file = sources.add("m", IGNORED);
    let parsed = syntax::pds::parse(file, IGNORED, &mut Diagnostics::new()).expect("it is read");
    let mut trace = found.traces[0].clone();
    assert_eq!(pds::replay(&parsed, &sources, &trace), Ok(()));
    trace.options.fair = true;
    assert!(pds::replay(&parsed, &sources, &trace).is_err());
}

#[test]
fn their_absence_is_checked() {
    let changes: [fn(&mut Request); 2] =
        [|request| request.properties.non_progress = true, |request| request.properties.deadlock = true];
    for (language, text) in [(Language::Pds, ENDS), (Language::Dcps, RETURNS), (Language::Spec, ONE_WAY)] {
        for (index, change) in changes.into_iter().enumerate() {
            for recheck in [Recheck::None, Recheck::Quick, Recheck::Full] {
                let answer = answer(language, text, |request| {
                    request.recheck = recheck;
                    change(request);
                });
                // A net in which nothing can be taken is stuck.
                if (language, index) == (Language::Spec, 1) {
                    assert_eq!(answer.verdict, Verdict::Violated, "{text}");
                    continue;
                }
                assert_eq!(answer.verdict, Verdict::Holds, "{text}");
                let none = matches!(answer.evidence, Evidence::None { .. });
                assert_eq!(none, recheck == Recheck::None, "{text}: {:?}", answer.evidence);
            }
        }
    }
}

/// What the random runs of the judge find, whatever an engine says.
fn sampled(language: Language, text: &str, goals: Goals) -> Explored {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = sources.add("m", text);
    let (budget, runs, bound) = (Budget::unlimited(), Runs { seed: 1, count: 20, steps: 20 }, Bound::UNBOUNDED);
    match language {
        Language::Pds => {
            let system = syntax::pds::parse(file, text, &mut found).expect("it is read");
            pds::sample(&system, goals, bound, runs, &budget)
        }
        Language::Dcps => {
            let network = syntax::dcps::parse(file, text, &mut found).expect("it is read");
            dcps::sample(&network, goals, bound, false, runs, &budget)
        }
        _ => {
            let net = syntax::net::parse(file, text, &mut found).expect("it is read");
            net::sample(&net, &sources, goals, bound, runs, &budget)
        }
    }
}

#[test]
fn random_runs_show_cycles_and_blocked_threads() {
    let cases = [
        (Language::Pds, TURNS, true, true),
        (Language::Pds, IGNORED, false, true),
        (Language::Pds, ENDS, false, false),
        (Language::Dcps, ACTIVATED, true, true),
        (Language::Dcps, RETURNS, false, false),
        (Language::Spec, TO_AND_FRO, true, false),
        (Language::Spec, ONE_WAY, false, true),
    ];
    for (language, text, fair_cycle, stuck) in cases {
        let kinds = |goals| sampled(language, text, goals).violations.iter().map(|v| v.kind).collect::<Vec<_>>();
        let cycles = |fair| kinds(Goals { infinite_runs: true, fair, ..Goals::default() });
        let expected = |found: bool, kind| if found { vec![kind] } else { Vec::new() };
        assert_eq!(cycles(true), expected(fair_cycle, ViolationKind::NonProgressCycle), "{text}");
        let any = fair_cycle || text == IGNORED;
        assert_eq!(cycles(false), expected(any, ViolationKind::NonProgressCycle), "{text}");
        let deadlocks = kinds(Goals { deadlock: true, ..Goals::default() });
        assert_eq!(deadlocks, expected(stuck, ViolationKind::InvalidEndState), "{text}");
        assert_eq!(kinds(Goals::default()), [], "{text}");
    }
}
