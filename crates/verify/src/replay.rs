//! Executes a saved trace again: by the judge of its language or, where that cannot execute the model, by the machine.

use selvedge_core::{ReplayError, Trace};
use selvedge_source::Cancel;

use crate::model::{LoadedModel, OpenOptions, open};
use crate::refusal::Refusal;
use crate::simulate;

/// How a trace was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// By the judge: every step can be taken, and the run ends as the trace says.
    Independently,
    /// By the machine of the search, because the judge cannot execute the model.
    ByTheMachine {
        /// Why.
        reason: String,
    },
    /// The trace does not fit the model.
    Mismatch {
        /// The step that cannot be taken, from 1.
        step: usize,
        /// Why.
        reason: String,
    },
}

/// Executes a trace of a model.
pub fn replay(model: &LoadedModel, trace: &Trace) -> Result<Replayed, Refusal> {
    let open_model = open(model, &OpenOptions::for_trace(trace))?;
    Ok(match open_model.replay(trace, &Cancel::never()) {
        Ok(()) => Replayed::Independently,
        Err(ReplayError::Mismatch { step, reason }) => Replayed::Mismatch { step, reason },
        Err(ReplayError::Cancelled) => return Err(Refusal::Cancelled),
        Err(ReplayError::Unsupported { reason }) => match simulate::fits(&open_model, trace) {
            Ok(()) => Replayed::ByTheMachine { reason },
            Err((step, reason)) => Replayed::Mismatch { step, reason },
        },
    })
}
