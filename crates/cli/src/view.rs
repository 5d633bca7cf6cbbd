//! `selvedge view` and `check --html`: the view of a trace as one HTML file. `check` has the texts of the model at hand;
//! `view` finds them again, reports when they are no longer those of the trace, and shows the run without them where
//! they are gone. A trace may come from somebody else: it must not bring other files of this machine into the page.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use selvedge_report::{ViewFile, html};
use selvedge_source::{SourceFile, read_text};
use selvedge_verify::{Refusal, Trace, model_text};

use crate::args::ViewArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::{output_file, trace_file};

/// What places in a formula of the command line are said to be in.
const FORMULA: &str = "<formula>";
/// What the directory of a package of Rust has.
const MANIFEST: &str = "Cargo.toml";

/// Runs the command.
pub fn run(args: &ViewArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let trace = trace_file::read(&args.trace)?;
    let (files, notes) = sources(&trace, args)?;
    notes.iter().for_each(|note| console.warn(note));
    let page = html(&trace, &files, &notes);
    let out = args.out.clone().unwrap_or_else(|| args.trace.with_extension("html"));
    if out.as_os_str() == "-" {
        console.document(&page);
        return Ok(Exit::NoViolation);
    }
    let inputs: Vec<&Path> = std::iter::once(&args.trace).chain(&args.model).map(PathBuf::as_path).collect();
    output_file::refuse_overlaps(&[("--out", &out)], &inputs)?;
    write(&out, &page)?;
    console.inform(&format!("{}: open it in a browser ({} KB)\n", out.display(), page.len().div_ceil(1000)));
    Ok(Exit::NoViolation)
}

/// Writes a page.
pub fn write(path: &Path, page: &str) -> Result<(), Refusal> {
    output_file::write(path, page)
        .map_err(|error| Refusal::request(format!("cannot write the view to `{}`: {error}", path.display())))
}

/// The texts that the view shows: those of the model that the trace names, if it is still the same, or of the one that
/// the user names. No other file is shown, whatever places the steps of a trace name. Refused if a model was named that
/// cannot be read.
fn sources(trace: &Trace, args: &ViewArgs) -> Result<(Vec<ViewFile>, Vec<String>), Refusal> {
    let mut notes = Vec::new();
    let mut files = match trace.input.language.as_str() {
        trace_file::RUST => rust_files(trace, &args.trace),
        _ => model_files(trace, args, &mut notes)?,
    };
    if let Some(formula) = &trace.options.claim {
        files.push(ViewFile { name: FORMULA.to_owned(), text: Some(formula.clone()) });
    }
    let named = names(trace);
    files.retain(|file| named.contains(&file.name));
    let missing = |name: &&String| !files.iter().any(|file| file.name == **name);
    let lost: Vec<ViewFile> =
        named.iter().filter(missing).map(|name| ViewFile { name: name.clone(), text: None }).collect();
    let besides = lost.iter().filter(|file| file.name != trace.input.path && file.name != FORMULA);
    notes.extend(
        besides.map(|file| format!("`{}` is not among the model's files: the view does not show it", file.name)),
    );
    files.extend(lost);
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((files, notes))
}

/// The files of the trace's model.
fn model_files(trace: &Trace, args: &ViewArgs, notes: &mut Vec<String>) -> Result<Vec<ViewFile>, Refusal> {
    let place = match &args.model {
        Some(model) => {
            read_text(model)
                .map_err(|error| Refusal::request(format!("cannot read `{}`: {error}", model.display())))?;
            Some(model.clone())
        }
        None => trace_file::nearby(&args.trace, &trace.input.path),
    };
    let Some(place) = place else {
        notes.push(format!(
            "the trace's model `{}` is neither here nor next to the trace: the view has no source (use --model FILE)",
            trace.input.path
        ));
        return Ok(Vec::new());
    };
    output_file::protect(&place);
    let (sources, sha256) = model_text(&place, &trace_file::load_options(trace, &args.include));
    if sha256 != trace.input.sha256 {
        let shown =
            if args.model.is_some() { "" } else { ": the view has no source (--model FILE shows it as it is now)" };
        notes.push(format!("`{}` has changed since the trace was saved{shown}", place.display()));
        if args.model.is_none() {
            return Ok(Vec::new());
        }
    }
    sources.files().for_each(|(_, source)| output_file::protect(Path::new(&source.path)));
    let file = |file: &SourceFile| ViewFile { name: file.path.clone(), text: Some(file.text.clone()) };
    Ok(sources.files().map(|(_, source)| file(source)).collect())
}

/// The source files of a trace of Rust code, which has no hash of them: those that end in `.rs` and lie, once links are
/// followed, inside of the directories that the trace may speak of.
fn rust_files(trace: &Trace, file: &Path) -> Vec<ViewFile> {
    // Rust names files from the root of the workspace, and tests run in that of the package.
    let here = std::env::current_dir().ok();
    let above = std::path::absolute(file).ok();
    let above = above.iter().flat_map(|file| file.ancestors().skip(1).enumerate());
    let above = above.filter(|(level, root)| *level == 0 || root.join(MANIFEST).is_file());
    let roots: Vec<PathBuf> = here.into_iter().chain(above.map(|(_, root)| root.to_path_buf())).collect();
    let text = |name: &str| {
        let inside = |root: &PathBuf| {
            let (root, real) = (root.canonicalize().ok()?, root.join(name).canonicalize().ok()?);
            let is_source = real.starts_with(root) && real.extension().is_some_and(|ending| ending == "rs");
            output_file::protect(&real);
            is_source.then(|| read_text(&real).ok()).flatten()
        };
        roots.iter().find_map(inside)
    };
    let found = names(trace).into_iter().map(|name| ViewFile { text: text(&name), name });
    found.filter(|file| file.text.is_some()).collect()
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
