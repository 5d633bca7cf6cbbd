//! Nothing leaves unjudged: every run that is shown was replayed by the judge of its language, which shares nothing
//! with the engine that found it.

use selvedge_core::{ReplayError, Trace};

use crate::model::OpenModel;
use crate::nearby;
use crate::refusal::{Defect, Refusal};
use selvedge_core::Evidence;

/// Lets the judge replay every run, and look for a nearby run that passes. A run that does not fit the model is a defect.
pub(crate) fn replayed(
    model: &OpenModel,
    traces: &mut [Trace],
    warnings: &mut Vec<String>,
) -> Result<Evidence, Refusal> {
    let mut runs = 0;
    for trace in traces {
        match model.replay(trace) {
            Ok(()) => {
                runs += 1;
                let swapped = nearby::passing_swap(model, trace);
                if let Some(violation) = &mut trace.violation {
                    violation.avoided_by_swapping = swapped;
                }
            }
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
