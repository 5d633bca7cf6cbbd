//! The answers for other programs: SARIF, JUnit, and what GitHub's runners read. Written at the end of `check`, from what
//! the engines kept on the console; what people read on the terminal is not changed by it.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use selvedge_core::Verdict;
use selvedge_report::github;
use selvedge_report::junit::junit;
use selvedge_report::sarif::{Setting, sarif};

use crate::args::MachineArgs;
use crate::console::{Console, complain, to_stderr};
use crate::exit::Exit;
use crate::explain;

const ACTIONS: &str = "GITHUB_ACTIONS";
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";
const WORKSPACE: &str = "GITHUB_WORKSPACE";

/// How the check of one model counts: with `--require-complete` an answer for a bound is none.
pub fn judge(args: &MachineArgs, ended: Exit, console: &Console) -> Exit {
    let mut records = console.records();
    let Some(record) = records.last_mut() else { return ended };
    if record.answer.is_none() && record.failure.is_none() && ended == Exit::Defect {
        record.failure = Some("internal error: a defect of selvedge, not of the model".to_owned());
    }
    let bounded = record.answer.as_ref().is_some_and(|answer| answer.verdict == Verdict::HoldsWithinBound);
    if !(args.require_complete && bounded && ended == Exit::NoViolation) {
        return ended;
    }
    console.warn("the answer is for the bound only, and --require-complete asks for more");
    Exit::Inconclusive
}

/// Whether the files that were asked for can be written: better known before a long search than after it.
pub fn can_write(args: &MachineArgs) -> bool {
    let open = |path: &Path| match path.as_os_str() == "-" {
        true => Err(std::io::Error::other("it must be a file, because stdout has the answer for people")),
        false => std::fs::OpenOptions::new().append(true).create(true).open(path).map(drop),
    };
    let refused = [&args.sarif, &args.junit].into_iter().flatten().find_map(|path| Some((path, open(path).err()?)));
    if let Some((path, error)) = &refused {
        complain(&format!("cannot write `{}`: {error}", path.display()));
    }
    refused.is_none()
}

/// Writes everything that was asked for.
pub fn publish(args: &MachineArgs, console: &Console) -> Exit {
    let records = console.records();
    let root = Root::of_this_run();
    let relative = |path: &str| root.relative(path);
    let mut written = true;
    if let Some(path) = &args.sarif {
        let setting = Setting { version: env!("CARGO_PKG_VERSION"), relative: &relative, explain: &explain::in_short };
        written &= write(path, &sarif(&records, &setting));
    }
    if let Some(path) = &args.junit {
        written &= write(path, &junit(&records));
    }
    if std::env::var_os(ACTIONS).is_some_and(|value| value == "true") {
        // On stderr, where runners look for it as well: stdout may be JSON.
        to_stderr(&github::annotations(&records, &relative));
    }
    if let Some(path) = std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty()) {
        append(&path, &github::summary(&records), console);
    }
    if written { Exit::NoViolation } else { Exit::Input }
}

/// A search of a swarm speaks to the swarm only.
pub fn keep_from_github(command: &mut Command) {
    command.env_remove(ACTIONS).env_remove(STEP_SUMMARY);
}

fn write(path: &Path, text: &str) -> bool {
    match std::fs::write(path, text) {
        Ok(()) => true,
        Err(error) => {
            complain(&format!("cannot write `{}`: {error}", path.display()));
            false
        }
    }
}

/// The summary is an extra: that it cannot be written changes no answer.
fn append(path: &OsString, text: &str, console: &Console) {
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

    /// The path from the root on, with `/`; an absolute path where it lies outside.
    fn relative(&self, path: &str) -> String {
        let whole = without_dots(&self.here.join(path));
        let path = whole.strip_prefix(&self.root).unwrap_or(&whole);
        path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
    }
}

/// The path without `.` and, where that can be told from the path alone, without `..`.
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
