//! `replay` for Boolean programs and pushdown systems.

use std::path::Path;

use selvedge_core::{ReplayError, Trace};

use super::{Opened, language_of, open, options_of};
use crate::args::Format;
use crate::console::Console;
use crate::load::Request;
use crate::trace_file;

/// Opens the model of a trace. `None` if that fails: then everything was said.
pub fn open_model(
    trace: &Trace,
    path: &Path,
    model: Option<&Path>,
    format: Format,
    console: &Console,
) -> Option<Opened> {
    let place = trace_file::place(path, model, trace)?;
    let request = Request { path: &place, shown: trace.input.path.clone(), language: language_of(trace), format };
    let opened = open(&request, &options_of(trace), console)?;
    if opened.sha256 != trace.input.sha256 {
        console.warn(&format!("`{}` has changed since the trace was saved", place.display()));
    }
    Some(opened)
}

/// Whether a trace can be executed; else the step that cannot, and why.
pub fn outcome(opened: &Opened, trace: &Trace) -> Result<(), (usize, String)> {
    opened.replay(trace).map_err(|error| match error {
        ReplayError::Mismatch { step, reason } => (step, reason),
        ReplayError::Unsupported { reason } => (1, reason),
    })
}
