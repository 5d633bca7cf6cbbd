//! Loads the model that a command line names: a file, or `-` for standard input. What is read there is called
//! [`STDIN`] in messages and traces.

use std::path::Path;

use selvedge_source::read_text_from;
use selvedge_verify::{LoadOptions, LoadedModel, Refusal, load_file, load_input};

use crate::output_file;

/// How a model from standard input is called.
pub const STDIN: &str = "<stdin>";

/// Whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of a model in messages.
pub fn shown(path: &Path) -> String {
    if is_stdin(path) { STDIN.to_owned() } else { path.display().to_string() }
}

/// Loads the model at a path.
pub fn load(path: &Path, options: &LoadOptions) -> Result<LoadedModel, Refusal> {
    if !is_stdin(path) {
        output_file::protect(path);
        return protected(load_file(path, options)?);
    }
    let text = read_text_from(std::io::stdin().lock())
        .map_err(|error| Refusal::request(format!("cannot read the model from stdin: {error}")))?;
    protected(load_input(options.name.as_deref().unwrap_or(STDIN), &text, options)?)
}

/// The model, none of whose files is written over.
fn protected(model: LoadedModel) -> Result<LoadedModel, Refusal> {
    model.sources.files().for_each(|(_, source)| output_file::protect(Path::new(&source.path)));
    Ok(model)
}

/// Refuses a command line that reads standard input more than once.
pub fn refuse_twice<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<(), Refusal> {
    match paths.filter(|path| is_stdin(path)).count() {
        0 | 1 => Ok(()),
        _ => Err(Refusal::request("`-` is named more than once, but standard input can be read only once")),
    }
}
