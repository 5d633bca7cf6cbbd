//! Nothing leaves unjudged: every run that is shown was replayed by the judge of its language, which shares nothing
//! with the engine that found it.

use selvedge_core::{Budget, ReplayError, Trace};
use selvedge_source::Cancel;

use crate::model::OpenModel;
use crate::nearby;
use crate::refusal::{Defect, Refusal};
use selvedge_core::Evidence;

/// When making and replaying a run that was found is given up.
pub(crate) fn cancel(budget: &Budget) -> Cancel {
    let budget = budget.clone();
    Cancel::when(move || budget.is_overdue())
}

/// Lets the judge replay every run, and look for a nearby run that passes. A run that does not fit the model is a defect.
pub(crate) fn replayed(
    model: &OpenModel,
    traces: &mut [Trace],
    warnings: &mut Vec<String>,
    budget: &Budget,
) -> Result<Evidence, Refusal> {
    let (mut runs, cancel) = (0, cancel(budget));
    // A nearby run is an extra: it is given up at the limit itself.
    let whole = budget.clone();
    let spent = Cancel::when(move || whole.spent(0).is_some());
    for trace in traces {
        match model.replay(trace, &cancel) {
            Ok(()) => {
                runs += 1;
                let swapped = nearby::passing_swap(model, trace, &spent);
                if let Some(violation) = &mut trace.violation {
                    violation.avoided_by_swapping = swapped;
                }
            }
            Err(ReplayError::Cancelled) => return Err(Refusal::Cancelled),
            Err(ReplayError::Unsupported { reason }) => {
                warnings.push(format!("the run was not replayed independently: {reason}"));
            }
            Err(ReplayError::Mismatch { step, reason }) => {
                let message = format!(
                    "the independent interpreter does not agree with this run of {}, at step {step}: {reason}",
                    model.path
                );
                return Err(Refusal::Defect(Defect { message, run: Some(Box::new(trace.clone())) }));
            }
        }
    }
    Ok(match runs {
        0 => Evidence::None { reason: "there is no run to replay".to_owned() },
        runs => Evidence::Replayed { runs },
    })
}

#[cfg(all(test, feature = "explicit", feature = "symbolic", feature = "dynamic"))]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use selvedge_core::{Silent, Verdict};

    use super::*;
    use crate::language::Language;
    use crate::load::load_text;
    use crate::model::{OpenOptions, open};
    use crate::request::Request;

    const MODELS: &[(Language, &str)] = &[
        (Language::Promela, "byte x; active [2] proctype P() { byte t; t = x; x = t + 1; assert(x == _pid + 1) }"),
        (Language::Promela, "byte x; active proctype P() { do :: x = 1 - x od } ltl f { <> (x == 2) }"),
        (Language::Bp, "decl g;\nvoid main() begin g := T; if (g) then ERROR: skip; fi end\n"),
        (Language::Pds, "pds\ninit p\ntarget r\nthread T entry a\n  (p, a) -> (q, a b)\n  (q, a) -> (r, b)\n"),
        (Language::Dcps, "dcps\ninit a g\ntarget c\nrule (a, g) -> (b, h)\nrule (b, h) -> (c, h)\n"),
        (Language::Spec, "vars a b\nrules\na >= 1 -> a' = a - 1, b' = b + 1;\ninit\na = 2, b = 0\ntarget\nb >= 2\n"),
    ];

    /// Cancelled at any question, the judge confirms nothing, and asks no more.
    #[test]
    fn whoever_is_cancelled_confirms_nothing() {
        for (language, text) in MODELS {
            let model = load_text("m", *language, text).unwrap_or_else(|refusal| panic!("{language:?}: {refusal}"));
            let answer = crate::verify(&model, &Request::default(), &Budget::unlimited(), &mut Silent);
            let answer = answer.unwrap_or_else(|refusal| panic!("{language:?}: {refusal}"));
            assert_eq!(answer.verdict, Verdict::Violated, "{language:?}");
            let trace = &answer.traces[0];
            let open_model = open(&model, &OpenOptions::for_trace(trace)).expect("it was opened before");
            let cancelled_at = |at: u64| {
                let asked = Arc::new(AtomicU64::new(0));
                let counter = Arc::clone(&asked);
                let cancel = Cancel::when(move || counter.fetch_add(1, Ordering::Relaxed) == at);
                (open_model.replay(trace, &cancel), asked.load(Ordering::Relaxed))
            };
            let (whole, questions) = cancelled_at(u64::MAX);
            assert_eq!(whole, Ok(()), "{language:?}");
            assert!(questions >= trace.steps.len() as u64, "{language:?}: {questions} questions");
            for at in 0..questions {
                assert_eq!(cancelled_at(at), (Err(ReplayError::Cancelled), at + 1), "{language:?}: question {at}");
            }
        }
    }
}
