//! `selvedge view` and `check --html`: the view of a trace as one HTML file. `check` has the texts of the model at hand;
//! `view` finds them again, reports when they are no longer those of the trace, and shows the run without them where
//! they are gone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use selvedge_report::{ViewFile, html};
use selvedge_source::read_text;
use selvedge_verify::{Refusal, Trace, hash_of_file, relocated};

use crate::args::ViewArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::trace_file;

/// What places in a formula of the command line are said to be in.
const FORMULA: &str = "<formula>";

/// Runs the command.
pub fn run(args: &ViewArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let trace = trace_file::read(&args.trace)?;
    let (files, notes) = sources(&trace, args)?;
    notes.iter().for_each(|note| console.warn(note));
    let page = html(&trace, &files, &notes);
    let out = args.out.clone().unwrap_or_else(|| args.trace.with_extension("html"));
    if out.as_os_str() == "-" {
        console.answer(&page);
        return Ok(Exit::NoViolation);
    }
    write(&out, &page)?;
    console.inform(&format!("{}: open it in a browser ({} KB)\n", out.display(), page.len().div_ceil(1000)));
    Ok(Exit::NoViolation)
}

/// Writes a page.
pub fn write(path: &Path, page: &str) -> Result<(), Refusal> {
    fs::write(path, page)
        .map_err(|error| Refusal::request(format!("cannot write the view to `{}`: {error}", path.display())))
}

/// The texts that the places of a trace speak of, and notes about them. Refused if a model was named that cannot be
/// read.
fn sources(trace: &Trace, args: &ViewArgs) -> Result<(Vec<ViewFile>, Vec<String>), Refusal> {
    let mut notes = Vec::new();
    let main = match &args.model {
        Some(model) => match fs::metadata(model) {
            Ok(found) if found.is_file() => Some(model.clone()),
            Ok(_) => return Err(Refusal::request(format!("`{}` is not a file", model.display()))),
            Err(error) => return Err(Refusal::request(format!("cannot read `{}`: {error}", model.display()))),
        },
        None => near(trace, &args.trace, &trace.input.path),
    };
    let find = |name: &str| match &main {
        Some(main) if name == trace.input.path => Some(main.clone()),
        Some(main) => existing(relocated(Path::new(name), Path::new(&trace.input.path), main))
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
            "the trace's model `{}` is neither here nor next to the trace: the view has no source (use --model FILE)",
            trace.input.path
        )),
    }
    let lost = files.iter().filter(|file| file.text.is_none() && file.name != trace.input.path);
    notes.extend(lost.map(|file| format!("`{}` was not found: the view does not show it", file.name)));
    Ok((files, notes))
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
    hash_of_file(main, &trace.input.language) != trace.input.sha256
}
