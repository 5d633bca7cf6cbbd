//! Traces on disk: saving them, reading them, and finding the model that a trace belongs to.

use std::path::{Path, PathBuf};

use selvedge_report::{trace_from_json, trace_to_json_until};
use selvedge_source::{Cancel, Size, read_utf8};
use selvedge_verify::request::Dialect;
use selvedge_verify::{Choice, Definition, Language, LoadOptions, LoadedModel, Refusal, Trace};

use crate::args::{DefinitionArgs, IncludeArgs};
use crate::console::Console;
use crate::{model_input, output_file, shell};

/// The language of a trace of Rust code.
pub const RUST: &str = "rust";

/// Saves a trace.
pub fn save(trace: &Trace, path: &Path) -> Result<(), Refusal> {
    save_until(trace, path, &Cancel::never())
}

/// As [`save`], unless it is cancelled.
pub fn save_until(trace: &Trace, path: &Path, cancel: &Cancel) -> Result<(), Refusal> {
    let text = trace_to_json_until(trace, cancel).ok_or(Refusal::Cancelled)?;
    output_file::write(path, text)
        .map_err(|error| Refusal::request(format!("cannot write the trace to `{}`: {error}", path.display())))
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

/// Reads a trace.
pub fn read(path: &Path) -> Result<Trace, Refusal> {
    output_file::protect(path);
    let trace = read_utf8(path, Size::Document).map_err(|error| error.to_string());
    trace.and_then(|text| trace_from_json(&text)).map_err(|error| {
        Refusal::with_help(
            format!("cannot read the trace `{}`: {error}", path.display()),
            "`selvedge check FILE --trace-out TRACE.json` writes traces",
        )
    })
}

/// Whether this is the trace of a test of Rust code, and how the test is run again with the schedule of the trace.
pub fn rust_test(trace: &Trace) -> Option<String> {
    (trace.input.language == RUST).then(|| match &trace.options.test {
        Some(test) => {
            let (name, schedule) = (shell::quote(&test.name), shell::quote(&test.schedule));
            format!("SELVEDGE_REPLAY={schedule} cargo test {name}")
        }
        None => "SELVEDGE_TRACE_OUT=TRACE.json cargo test, which writes a trace that names its test".to_owned(),
    })
}

/// Loads the model of a trace: `model` if given, else where the trace says, relative to the current directory or to
/// the trace's own.
pub fn load_model(
    trace: &Trace,
    path: &Path,
    model: Option<&Path>,
    include: &IncludeArgs,
    console: &mut Console,
) -> Result<LoadedModel, Refusal> {
    if let Some(command) = rust_test(trace) {
        return Err(Refusal::with_help(
            "this is the trace of a test of Rust code, which only the test itself can run",
            format!("run {command}"),
        ));
    }
    let place = match model {
        Some(model) => model.to_path_buf(),
        None => find_model(path, &trace.input.path)?,
    };
    let loaded = model_input::load(&place, &load_options(trace, include))?;
    if loaded.sha256 != trace.input.sha256 {
        console.warn(&format!("`{}` has changed since the trace was saved", model_input::shown(&place)));
    }
    Ok(loaded)
}

/// How the model of a trace is loaded: with the macros of the trace. Directories for included files that it names are
/// searched, but it takes the user to permit files from outside of the model's directory.
pub fn load_options(trace: &Trace, include: &IncludeArgs) -> LoadOptions {
    let definitions = trace.options.definitions.iter().filter_map(|word| Definition::parse(word)).collect();
    LoadOptions {
        language: Language::named(&trace.input.language),
        dialect: trace.options.dialect.as_deref().and_then(Dialect::named),
        name: Some(trace.input.path.clone()),
        foreign_directories: trace.options.include_directories.iter().map(PathBuf::from).collect(),
        ..include.load_options(&DefinitionArgs(definitions))
    }
}

/// Where a file is that a trace names: where it says, relative to the current directory or to the trace's own, or beside
/// the trace.
pub fn nearby(trace: &Path, name: &str) -> Option<PathBuf> {
    let in_its_directory = trace.parent().map(|directory| directory.join(name));
    let named = PathBuf::from(name);
    let by_name_only = named.file_name().map(|name| trace.with_file_name(name));
    let places = [Some(named), in_its_directory, by_name_only];
    places.into_iter().flatten().find(|place| place.is_file())
}

fn find_model(trace: &Path, model: &str) -> Result<PathBuf, Refusal> {
    if model == model_input::STDIN {
        return Err(Refusal::with_help(
            "the trace's model was read from standard input",
            "name it with --model FILE, or pipe it in with --model -",
        ));
    }
    nearby(trace, model).ok_or_else(|| {
        Refusal::with_help(
            format!("the trace's model `{model}` is neither here nor next to the trace"),
            "use --model FILE",
        )
    })
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
