//! `selvedge view` and `check --html`: the view of a trace as one HTML file. `check` has the texts of the model at hand;
//! `view` looks for them again, says when they are no longer those of the trace, and shows the run without them where
//! they are gone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use selvedge_core::Trace;
use selvedge_promela_syntax::parse::parse_file;
use selvedge_report::{ViewFile, html};
use selvedge_source::{Diagnostics, SourceMap, read_text};

use crate::args::{CheckArgs, ViewArgs};
use crate::check::outputs;
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::{load, trace_file};

/// What places in a formula of the command line are said to be in.
const FORMULA: &str = "<formula>";

/// The name of thread transition systems in traces.
const TTS: &str = "tts";

/// Runs the command.
pub fn run(args: &ViewArgs, console: &Console) -> Exit {
    let Some(trace) = trace_file::read(&args.trace) else { return Exit::Input };
    let Some((files, notes)) = sources(&trace, args) else { return Exit::Input };
    notes.iter().for_each(|note| console.warn(note));
    let page = html(&trace, &files, &notes);
    let out = args.out.clone().unwrap_or_else(|| args.trace.with_extension("html"));
    if out.as_os_str() == "-" {
        console.answer(&page);
        return Exit::NoViolation;
    }
    if !write(&out, &page) {
        return Exit::Input;
    }
    console.tell(&format!("{}: open it in a browser ({} KB)\n", out.display(), page.len().div_ceil(1000)));
    Exit::NoViolation
}

/// Writes the views of the traces that `check` found in a model, where that was asked for; the names of the files.
pub fn save(args: &CheckArgs, model: &str, traces: &[Trace], sources: &SourceMap, console: &Console) -> Vec<String> {
    let Some(out) = &args.html else { return Vec::new() };
    let out = outputs::file_for(out, outputs::VIEW, model, args);
    if traces.is_empty() {
        if args.files.len() == 1 {
            console.warn(&format!("there is no run to show: `{}` was not written", out.display()));
        }
        return Vec::new();
    }
    let file = |file: &selvedge_source::SourceFile| ViewFile { name: file.path.clone(), text: Some(file.text.clone()) };
    let files: Vec<ViewFile> = sources.files().map(|(_, source)| file(source)).collect();
    let save = |(index, trace)| {
        let path = trace_file::numbered(&out, index);
        console.kept(write(&path, &html(trace, &files, &[]))).then(|| path.display().to_string())
    };
    traces.iter().enumerate().filter_map(save).collect()
}

/// Writes a page. On failure says why, and the answer is `false`.
fn write(path: &Path, page: &str) -> bool {
    match fs::write(path, page) {
        Ok(()) => true,
        Err(error) => {
            complain(&format!("cannot write the view to `{}`: {error}", path.display()));
            false
        }
    }
}

/// The texts that the places of a trace speak of, and what is to be said about them. `None` if a model was named that
/// cannot be read: then everything was said.
fn sources(trace: &Trace, args: &ViewArgs) -> Option<(Vec<ViewFile>, Vec<String>)> {
    let mut notes = Vec::new();
    let main = match &args.model {
        Some(model) => match fs::metadata(model) {
            Ok(found) if found.is_file() => Some(model.clone()),
            Ok(_) => {
                complain(&format!("`{}` is not a file", model.display()));
                return None;
            }
            Err(error) => {
                complain(&format!("cannot read `{}`: {error}", model.display()));
                return None;
            }
        },
        None => near(trace, &args.trace, &trace.input.path),
    };
    let find = |name: &str| match &main {
        Some(main) if name == trace.input.path => Some(main.clone()),
        Some(main) => existing(load::moved(Path::new(name), Path::new(&trace.input.path), main))
            .or_else(|| near(trace, &args.trace, name)),
        None => near(trace, &args.trace, name),
    };
    let text = |name: &str| match name {
        FORMULA => trace.options.claim.clone(),
        name => find(name).and_then(|path| read_text(&path).ok()),
    };
    let files: Vec<ViewFile> = names(trace).into_iter().map(|name| ViewFile { text: text(&name), name }).collect();
    match &main {
        Some(main) if has_changed(trace, main) => {
            notes.push(format!("`{}` has changed since the trace was saved", main.display()));
        }
        Some(_) => {}
        None => notes.push(format!(
            "the trace's model `{}` is neither here nor beside the trace: the view has no source (--model FILE names it)",
            trace.input.path
        )),
    }
    let lost = files.iter().filter(|file| file.text.is_none() && file.name != trace.input.path);
    notes.extend(lost.map(|file| format!("`{}` was not found: the view lacks its text", file.name)));
    Some((files, notes))
}

/// Where a file of a trace is. Rust names files from the root of the workspace, and tests run in that of the package.
fn near(trace: &Trace, file: &Path, name: &str) -> Option<PathBuf> {
    let above = || {
        let here = std::path::absolute(file).ok()?;
        let roots = here.ancestors().skip(1).filter(|_| trace.input.language == "rust");
        roots.map(|root| root.join(name)).find(|path| path.is_file())
    };
    trace_file::nearby(file, name).or_else(above)
}

fn existing(path: PathBuf) -> Option<PathBuf> {
    path.is_file().then_some(path)
}

/// Every file that the trace names.
fn names(trace: &Trace) -> BTreeSet<String> {
    let steps = trace.steps.iter().flat_map(|step| {
        step.location.iter().chain(step.partner.iter().map(|partner| &partner.location)).map(|place| &place.file)
    });
    let waiting = trace.waiting.iter().map(|waiting| &waiting.location.file);
    let fault = trace.violation.iter().filter_map(|violation| violation.location.as_ref()).map(|place| &place.file);
    steps.chain(waiting).chain(fault).chain([&trace.input.path]).cloned().collect()
}

/// Whether a model is another one than the trace's. A model's hash is that of every file it is read from.
fn has_changed(trace: &Trace, main: &Path) -> bool {
    if trace.input.sha256.is_empty() {
        return false;
    }
    let (mut files, mut ignored) = (SourceMap::new(), Diagnostics::new());
    if trace.input.language == load::PROMELA {
        let _ = parse_file(main, &mut files, &mut ignored);
    } else {
        // The property of a thread transition system is part of it.
        let beside = load::beside(main).filter(|_| trace.input.language == TTS);
        for path in std::iter::once(main.to_path_buf()).chain(beside) {
            if let Ok(text) = read_text(&path) {
                files.add(path.display().to_string(), text);
            }
        }
    }
    load::hash(&files) != trace.input.sha256
}
