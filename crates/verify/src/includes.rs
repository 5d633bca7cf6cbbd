//! Which files a model may include, and which of the files that were read may be shown.
//!
//! A model may come from another author. It includes files of its own directory, and of directories that the user
//! names; what lies elsewhere on the machine is not its business. Links are followed before that is decided, so that a
//! link cannot lead out of a directory. Where a file turns out to be no model and is not called like one, a diagnostic
//! says so without a word of what is in it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use selvedge_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, read_text};

use crate::language::Language;
use crate::load::LoadOptions;

/// Endings of files that models include, besides those of models.
const HEADERS: &[&str] = &["h", "inc", "pr", "prop", "ltl", "never"];

/// The directories that a model may include files from.
#[derive(Clone, Debug)]
pub(crate) struct Includes {
    /// Without links. Nothing stands for every directory.
    directories: Option<Vec<PathBuf>>,
}

impl Includes {
    /// For a model at `path`: its own directory and those that the user names; all of them if the user says so.
    pub(crate) fn of(path: &Path, options: &LoadOptions) -> Includes {
        let permitted = || {
            let own = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let named = options.preprocessor.directories.iter().map(PathBuf::as_path);
            std::iter::once(own).chain(named).filter_map(|directory| directory.canonicalize().ok()).collect()
        };
        Includes { directories: (!options.include_anywhere).then(permitted) }
    }

    /// Reads an included file.
    pub(crate) fn read(&self, path: &Path) -> io::Result<String> {
        let real = path.canonicalize()?;
        let inside = |directories: &Vec<PathBuf>| directories.iter().any(|directory| real.starts_with(directory));
        if self.directories.as_ref().is_none_or(inside) {
            return read_text(&real);
        }
        Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "it is outside of the model's directory; -I DIR or --allow-include-anywhere permits that",
        ))
    }
}

/// What is wrong with a model, for people who may not read every file of it: an error in a file that is not called like a
/// model, once links are followed, is reported without its text.
pub(crate) fn without_foreign_text(found: Diagnostics, sources: &SourceMap, named: Option<&Path>) -> Diagnostics {
    let mut shown = found.new_with_same_cancel();
    let mut hidden: Vec<&str> = Vec::new();
    let foreign: Vec<FileId> = sources
        .files()
        .filter(|(id, file)| is_foreign(Path::new(&file.path), named, is_at_the_start(&found, *id, sources)))
        .map(|(id, _)| id)
        .collect();
    for diagnostic in found.iter() {
        let file = diagnostic.primary.as_ref().map(|label| label.span.file);
        match file.filter(|file| foreign.contains(file)).map(|file| sources.file(file)) {
            None => {
                let mut diagnostic = diagnostic.clone();
                diagnostic.secondary.retain(|label| !foreign.contains(&label.span.file));
                shown.push(diagnostic);
            }
            Some(file) if hidden.contains(&file.path.as_str()) => {}
            Some(file) => {
                hidden.push(&file.path);
                shown.push(unshown(diagnostic, sources, &file.path));
            }
        }
    }
    shown
}

fn unshown(diagnostic: &Diagnostic, sources: &SourceMap, path: &str) -> Diagnostic {
    let line = diagnostic.primary.as_ref().map_or(1, |label| sources.location(label.span).line);
    let message = format!("`{path}` is not a model: line {line} cannot be read as one");
    Diagnostic::error_without_place(diagnostic.code, message)
        .note("its text is not shown, because its name is not that of a model or it is a link to such a file")
        .help("check the name; a model ends in .pml, .bp, .pds, .dcps, .spec or .tts")
}

/// Whether a file's text is not to be shown: once links are followed it is not called like a model. A file that is no
/// link and that the user names together with its language may be called anything, but must begin like a model.
fn is_foreign(path: &Path, named: Option<&Path>, begins_badly: bool) -> bool {
    // A name that leads nowhere is that of a text in memory: a formula, standard input, a model that has moved.
    let Ok(real) = path.canonicalize() else { return false };
    let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.file_type().is_symlink());
    !is_called_a_model(&real) && (begins_badly || is_link || named != Some(path))
}

/// Whether an error is at the first word of a file.
fn is_at_the_start(found: &Diagnostics, file: FileId, sources: &SourceMap) -> bool {
    let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let mut places = errors.filter_map(|diagnostic| Some(diagnostic.primary.as_ref()?.span));
    let text = &sources.file(file).text;
    places.any(|span| span.file == file && text.get(..span.start as usize).is_some_and(|text| text.trim().is_empty()))
}

fn is_called_a_model(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    Language::of_ending(path).is_some() || HEADERS.contains(&&*ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out_of_the_models_directory() {
        let top = std::env::temp_dir().join(format!("selvedge-includes-{}", std::process::id()));
        let (own, other) = (top.join("own/sub"), top.join("other"));
        [&own, &other].iter().for_each(|directory| std::fs::create_dir_all(directory).expect("a directory"));
        std::fs::write(own.join("in.h"), "byte x;").expect("written");
        std::fs::write(other.join("out.h"), "secret").expect("written");
        std::os::unix::fs::symlink(other.join("out.h"), top.join("own/link.h")).expect("a link");
        std::os::unix::fs::symlink(&other, top.join("own/directory")).expect("a link");
        let model = top.join("own/m.pml");
        let includes = Includes::of(&model, &LoadOptions::default());
        assert_eq!(includes.read(&top.join("own/sub/../sub/in.h")).expect("inside"), "byte x;");
        for outside in ["own/link.h", "own/directory/out.h", "own/../other/out.h", "other/out.h"] {
            let error = includes.read(&top.join(outside)).expect_err(outside);
            assert!(error.to_string().contains("outside of the model's directory"), "{error}");
        }
        let mut options = LoadOptions::default();
        options.foreign_directories.push(other.clone());
        assert!(Includes::of(&model, &options).read(&other.join("out.h")).is_err());
        options.preprocessor.directories.push(other.clone());
        assert_eq!(Includes::of(&model, &options).read(&other.join("out.h")).expect("named"), "secret");
        let options = LoadOptions { include_anywhere: true, ..LoadOptions::default() };
        assert_eq!(Includes::of(&model, &options).read(&top.join("own/link.h")).expect("permitted"), "secret");
        std::fs::remove_dir_all(&top).expect("removed");
    }
}
