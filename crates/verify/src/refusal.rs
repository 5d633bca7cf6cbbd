//! Why there is no answer.

use std::fmt;

use selvedge_core::Trace;
use selvedge_source::{Diagnostics, SourceMap};

/// Why there is no answer.
#[derive(Debug)]
pub enum Refusal {
    /// Something is wrong with the text of the model.
    Model {
        /// The model's path.
        path: String,
        /// What.
        diagnostics: Diagnostics,
        /// Every file read.
        sources: SourceMap,
    },
    /// The request cannot be met, or a file cannot be read.
    Request {
        /// One sentence.
        message: String,
        /// What to do instead.
        help: Option<String>,
    },
    /// A limit was met, or the run was interrupted, while the model was read or prepared, or while the run that was found
    /// was made.
    Cancelled,
    /// Two parts of Selvedge disagree: a defect, never an answer.
    Defect(Defect),
}

/// A disagreement between what found an answer and what judges it.
#[derive(Debug)]
pub struct Defect {
    /// Both sides, in one sentence.
    pub message: String,
    /// The run they disagree about.
    pub run: Option<Box<Trace>>,
}

impl Refusal {
    /// The request cannot be met.
    pub fn request(message: impl Into<String>) -> Self {
        Refusal::Request { message: message.into(), help: None }
    }

    /// The same, with what to do instead.
    pub fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Refusal::Request { message: message.into(), help: Some(help.into()) }
    }

    /// A defect without a run.
    pub fn defect(message: impl Into<String>) -> Self {
        Refusal::Defect(Defect { message: message.into(), run: None })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Model { diagnostics, .. } => {
                let first = diagnostics.iter().next().map(|diagnostic| diagnostic.message.as_str());
                f.write_str(first.unwrap_or("the model has errors"))
            }
            Refusal::Request { message, .. } => f.write_str(message),
            Refusal::Cancelled => f.write_str("a limit was reached before there was an answer"),
            Refusal::Defect(defect) => write!(f, "internal error: {}", defect.message),
        }
    }
}

impl std::error::Error for Refusal {}
