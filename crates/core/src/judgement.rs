//! Why a judge did not confirm a run. Typed, so that no code parses messages, which may contain text of the model.

use std::fmt;

/// Why a judge did not confirm a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The run does not fit the model.
    Mismatch {
        /// The step that cannot be taken, from 1; one more than there are if the end does not fit.
        step: usize,
        /// Why, in one sentence.
        reason: String,
    },
    /// The judge cannot execute this model at all.
    Unsupported {
        /// Why, in one sentence.
        reason: String,
    },
    /// The replay was cancelled.
    Cancelled,
}

impl ReplayError {
    /// The run does not fit the model at this step.
    pub fn at(step: usize, reason: impl Into<String>) -> Self {
        ReplayError::Mismatch { step, reason: reason.into() }
    }

    /// The step at which the run does not fit, if that is what is wrong.
    pub fn step(&self) -> Option<usize> {
        match self {
            ReplayError::Mismatch { step, .. } => Some(*step),
            ReplayError::Unsupported { .. } | ReplayError::Cancelled => None,
        }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Mismatch { step, reason } => write!(f, "step {step}: {reason}"),
            ReplayError::Unsupported { reason } => f.write_str(reason),
            ReplayError::Cancelled => f.write_str("the replay was cancelled"),
        }
    }
}

impl std::error::Error for ReplayError {}
