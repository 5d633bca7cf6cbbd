//! Traces on disk: saving them, reading them, and finding the model that a trace belongs to.

use std::path::{Path, PathBuf};

use selvedge_core::trace::{TraceInput, TraceOptions};
use selvedge_core::{Trace, ViolationKind};
use selvedge_promela::build::{BuildOptions, ClaimSelection};
use selvedge_promela::machine::Properties;
use selvedge_report::{trace_from_json, trace_to_json};

use crate::args::{CheckArgs, Format};
use crate::console::{Console, advise, complain};
use crate::load::{self, Opened, Request};

/// The `input` of a trace.
pub fn input_of(opened: &Opened) -> TraceInput {
    TraceInput { path: opened.path.clone(), language: "promela".to_owned(), sha256: opened.sha256.clone() }
}

/// The options that a trace has to remember.
pub fn options_of(args: &CheckArgs, claim: &ClaimSelection) -> TraceOptions {
    let chosen = match claim {
        ClaimSelection::Chosen(text) => Some(text.clone()),
        ClaimSelection::None | ClaimSelection::FromFile => None,
    };
    TraceOptions {
        claim: chosen,
        no_claim: *claim == ClaimSelection::None,
        reach: args.reach.clone(),
        ..TraceOptions::default()
    }
}

/// Saves a trace. On failure says why, and the answer is `false`.
pub fn save(trace: &Trace, path: &Path) -> bool {
    match std::fs::write(path, trace_to_json(trace)) {
        Ok(()) => true,
        Err(error) => {
            complain(&format!("cannot write the trace to `{}`: {error}", path.display()));
            false
        }
    }
}

/// The name of the trace of the violation with this index, where several are saved: `bug.json`,
/// `bug.2.json`, …
pub fn numbered(path: &Path, index: usize) -> PathBuf {
    if index == 0 {
        return path.to_path_buf();
    }
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}.{}{ending}", index + 1))
}

/// A trace and the model it belongs to.
pub struct Found {
    /// The trace.
    pub trace: Trace,
    /// Its model, built as it was when the trace was saved.
    pub opened: Opened,
}

/// Reads a trace. `None` if that fails: then everything was said.
pub fn read(path: &Path) -> Option<Trace> {
    match std::fs::read_to_string(path).map_err(|error| error.to_string()).and_then(|text| trace_from_json(&text)) {
        Ok(trace) => Some(trace),
        Err(error) => {
            complain(&format!("cannot use the trace `{}`: {error}", path.display()));
            advise("a trace is what `selvedge check FILE --trace-out TRACE.json` writes");
            None
        }
    }
}

/// Where the model of a trace is: `model` if given, else where the trace says, relative to the
/// current directory or to the trace's own.
pub fn place(path: &Path, model: Option<&Path>, trace: &Trace) -> Option<PathBuf> {
    match model {
        Some(model) => Some(model.to_path_buf()),
        None => find_model(path, &trace.input.path),
    }
}

/// Opens the Promela model of a trace. `None` if that fails: then everything was said.
pub fn open(trace: Trace, path: &Path, model: Option<&Path>, format: Format, console: &Console) -> Option<Found> {
    let place = place(path, model, &trace)?;
    let language =
        if model.is_some() || trace.input.language == "promela" { Some(crate::args::Language::Promela) } else { None };
    let request = Request { path: &place, shown: trace.input.path.clone(), language, format };
    let opened = load::open(&request, &build_options(&trace), console)?;
    if opened.sha256 != trace.input.sha256 {
        console.warn(&format!("`{}` has changed since the trace was saved", place.display()));
    }
    Some(Found { trace, opened })
}

/// Where a file is that a trace names: where it says, relative to the current directory or to the trace's own, or beside
/// the trace.
pub fn nearby(trace: &Path, name: &str) -> Option<PathBuf> {
    let beside = trace.parent().map(|directory| directory.join(name));
    let named = PathBuf::from(name);
    let beside_by_name = named.file_name().map(|name| trace.with_file_name(name));
    let places = [Some(named), beside, beside_by_name];
    places.into_iter().flatten().find(|place| place.is_file())
}

fn find_model(trace: &Path, model: &str) -> Option<PathBuf> {
    let found = nearby(trace, model);
    if found.is_none() {
        complain(&format!("the trace's model `{model}` is neither here nor beside the trace"));
        advise("say where it is: --model FILE");
    }
    found
}

/// What to build to execute a trace again: every check is on that its violation needs.
fn build_options(trace: &Trace) -> BuildOptions {
    let claim = match &trace.options {
        TraceOptions { no_claim: true, .. } => ClaimSelection::None,
        TraceOptions { claim: Some(text), .. } => ClaimSelection::Chosen(text.clone()),
        _ => ClaimSelection::FromFile,
    };
    let kind = trace.violation.as_ref().map(|violation| violation.kind);
    let properties = Properties {
        assertions: kind.is_none_or(|kind| kind == ViolationKind::Assertion),
        end_states: true,
        reach: trace.options.reach.clone(),
        acceptance: kind == Some(ViolationKind::AcceptanceCycle),
    };
    BuildOptions { claim, properties, ..BuildOptions::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_traces_are_numbered() {
        let names = [0, 1, 2].map(|index| numbered(Path::new("out/bug.json"), index).display().to_string());
        assert_eq!(names, ["out/bug.json", "out/bug.2.json", "out/bug.3.json"]);
    }
}
