//! Runs that are saved without being asked for: a counterexample that took hours to find must not be lost because nobody
//! thought of `--trace-out`. They are called `NAME-HASH.trace.json`, by the model's name and a hash of its path, so that
//! the next run of the same model replaces them and that of another one does not.
//!
//! The directory may be part of a project that somebody else wrote: no link in it is followed.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use selvedge_report::trace_to_json_until;
use selvedge_source::Cancel;
use selvedge_verify::Trace;
use sha2::{Digest, Sha256};

use crate::args::SaveArgs;
use crate::console::Console;
use crate::{output_file, trace_file};

/// Keeps what is saved out of version control.
const IGNORE: (&str, &str) = (".gitignore", "# made by selvedge\n*\n");
/// Digits of the hash.
const DIGITS: usize = 8;

/// Saves the runs of a model, unless that is cancelled, and returns their names. A warning says where it cannot be done.
pub fn save(args: &SaveArgs, model: &str, traces: &[Trace], cancel: &Cancel, console: &mut Console) -> Vec<String> {
    if args.no_save || traces.is_empty() {
        return Vec::new();
    }
    let path = args.save_dir.join(name(model));
    match save_all(&args.save_dir, &path, traces, cancel) {
        Ok(names) => names,
        Err(_) if cancel.was_cancelled() => Vec::new(),
        Err(error) => {
            let what = if traces.len() == 1 { "the run was" } else { "the runs were" };
            console.warn(&format!(
                "{what} not saved: cannot write `{}`: {error} (--trace-out names another file, --save-dir another \
                 directory)",
                path.display()
            ));
            Vec::new()
        }
    }
}

fn save_all(directory: &Path, path: &Path, traces: &[Trace], cancel: &Cancel) -> io::Result<Vec<String>> {
    prepare(directory)?;
    let save = |(index, trace)| {
        let path = trace_file::numbered(path, index);
        let text = trace_to_json_until(trace, cancel).ok_or(ErrorKind::Interrupted)?;
        output_file::replace(&path, text.as_bytes())?;
        Ok(path.display().to_string())
    };
    traces.iter().enumerate().map(save).collect()
}

/// Makes the directory, if it is not there.
fn prepare(directory: &Path) -> io::Result<()> {
    match fs::symlink_metadata(directory) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(found) if found.file_type().is_symlink() => {
            Err(io::Error::new(ErrorKind::NotADirectory, "the directory is a link, which is not followed"))
        }
        Ok(_) => Err(ErrorKind::NotADirectory.into()),
        Err(_) => {
            fs::create_dir_all(directory)?;
            output_file::replace(&directory.join(IGNORE.0), IGNORE.1.as_bytes())
        }
    }
}

/// `peterson-1c9ab02e.trace.json`, for the model at a path.
fn name(model: &str) -> String {
    let clean: PathBuf = Path::new(model).components().filter(|part| *part != Component::CurDir).collect();
    let stem = clean.file_stem().map_or_else(|| "model".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let stem = stem.trim_matches(['<', '>']);
    let hash = Sha256::digest(clean.to_string_lossy().as_bytes());
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{stem}-{}.trace.json", &hash[..DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_distinguish_paths() {
        assert_eq!(name("counter.pml"), name("./counter.pml"));
        assert_ne!(name("a/counter.pml"), name("b/counter.pml"));
        let name = name("a/counter.pml");
        assert!(name.starts_with("counter-") && name.len() == "counter-12345678.trace.json".len(), "{name}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let top = tempfile::tempdir().expect("a directory");
        let at = |name: &str| top.path().join(name);
        fs::create_dir(at("elsewhere")).expect("a directory");
        std::os::unix::fs::symlink("elsewhere", at(".selvedge")).expect("a link");
        assert!(prepare(&at(".selvedge")).is_err());
        fs::write(at("precious"), "mine").expect("written");
        std::os::unix::fs::symlink("precious", at("x.trace.json")).expect("a link");
        output_file::replace(&at("x.trace.json"), b"{}").expect("written");
        assert_eq!(fs::read_to_string(at("precious")).expect("there"), "mine");
    }
}
