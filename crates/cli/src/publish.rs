//! The answers for other programs: SARIF, JUnit, and what GitHub's runners read. Written at the end of `check`, from what
//! the engines kept on the console; what people read on the terminal is not changed by it.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use selvedge_report::answer::Record;
use selvedge_report::github;
use selvedge_report::junit::junit;
use selvedge_report::sarif::{Setting, sarif};
use selvedge_verify::Refusal;

use crate::args::ReportArgs;
use crate::console::{Console, to_stderr};
use crate::{explain, output_file};

const ACTIONS: &str = "GITHUB_ACTIONS";
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";
const WORKSPACE: &str = "GITHUB_WORKSPACE";

/// Whether the files that were asked for can be written: better known before a long search than after it.
pub fn prepare(args: &ReportArgs) -> Result<(), Refusal> {
    let open = |path: &Path| match path.as_os_str() == "-" {
        true => Err(std::io::Error::other("it must be a file, because the answer is printed on stdout")),
        false => output_file::probe(path),
    };
    for path in [&args.sarif, &args.junit].into_iter().flatten() {
        open(path).map_err(|error| Refusal::request(format!("cannot write `{}`: {error}", path.display())))?;
    }
    Ok(())
}

/// Writes everything that was asked for.
pub fn publish(args: &ReportArgs, records: &[Record], console: &mut Console) {
    let root = Root::of_this_run();
    let relative = |path: &str| root.relative(path);
    if let Some(path) = &args.sarif {
        let setting = Setting { version: env!("CARGO_PKG_VERSION"), relative: &relative, explain: &explain::in_short };
        write(path, &sarif(records, &setting), console);
    }
    if let Some(path) = &args.junit {
        write(path, &junit(records), console);
    }
    if std::env::var_os(ACTIONS).is_some_and(|value| value == "true") {
        // On stderr, which runners read, too: stdout may be JSON. These are the only commands to a runner.
        to_stderr(&github::annotations(records, &relative));
    }
    if let Some(path) = std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty()) {
        append(&path, &github::summary(records), console);
    }
}

/// A search of a swarm speaks to the swarm only.
pub fn keep_from_github(command: &mut Command) {
    command.env_remove(ACTIONS).env_remove(STEP_SUMMARY);
}

fn write(path: &Path, text: &str, console: &mut Console) {
    if let Err(error) = output_file::write(path, text) {
        console.error(&format!("cannot write `{}`: {error}", path.display()));
        console.lose();
    }
}

/// The summary is an extra: that it cannot be written changes no answer.
fn append(path: &OsString, text: &str, console: &mut Console) {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        console.warn(&format!("cannot write the summary to `{}`: {error}", Path::new(path).display()));
    }
}

/// The directory that paths in written files start from: the repository on a runner, else the current directory.
struct Root {
    here: PathBuf,
    root: PathBuf,
}

impl Root {
    fn of_this_run() -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        let workspace = std::env::var_os(WORKSPACE).map(PathBuf::from).filter(|root| here.starts_with(root));
        Root { root: workspace.unwrap_or_else(|| here.clone()), here }
    }

    /// The path from the root on, with `/`; an absolute path outside of it.
    fn relative(&self, path: &str) -> String {
        let whole = without_dots(&self.here.join(path));
        let path = whole.strip_prefix(&self.root).unwrap_or(&whole);
        path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
    }
}

/// The path without `.` and, where the path alone decides it, without `..`.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if clean.file_name().is_some() => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_from_the_root() {
        let root = Root { here: "/repo/models".into(), root: "/repo".into() };
        assert_eq!(root.relative("a.pml"), "models/a.pml");
        assert_eq!(root.relative("./x/../a.pml"), "models/a.pml");
        assert_eq!(root.relative("../b.pml"), "b.pml");
        assert_eq!(root.relative("/repo/c.pml"), "c.pml");
        assert_eq!(root.relative("/elsewhere/d.pml"), "/elsewhere/d.pml");
    }
}
