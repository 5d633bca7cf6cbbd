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
use selvedge_source::Cancel;
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

/// Whether somebody reads the answers for other programs.
pub fn is_wanted(args: &ReportArgs) -> bool {
    args.sarif.is_some() || args.junit.is_some() || on_a_runner() || summary_file().is_some()
}

fn on_a_runner() -> bool {
    std::env::var_os(ACTIONS).is_some_and(|value| value == "true")
}

fn summary_file() -> Option<OsString> {
    std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty())
}

/// Writes everything that was asked for. Where that is cancelled, it is written without the runs.
pub fn publish(args: &ReportArgs, mut records: Vec<Record>, cancel: &Cancel, console: &mut Console) {
    let texts = Texts::of(args, &records, cancel).or_else(|| {
        if records.iter().any(Record::has_runs) {
            console.warn("a limit was met: the files for other programs have the answer without its run");
        }
        records.iter_mut().for_each(Record::forget_runs);
        Texts::of(args, &records, &Cancel::never())
    });
    let Some(Texts { sarif, junit, annotations, summary }) = texts else { return };
    for (path, text) in [(&args.sarif, sarif), (&args.junit, junit)] {
        if let (Some(path), Some(text)) = (path, text) {
            write(path, &text, console);
        }
    }
    if let Some(annotations) = annotations {
        // On stderr, which runners read, too: stdout may be JSON. These are the only commands to a runner.
        to_stderr(&annotations);
    }
    if let (Some(path), Some(text)) = (summary_file(), summary) {
        append(&path, &text, console);
    }
}

/// The answers for other programs, those that were asked for.
struct Texts {
    sarif: Option<String>,
    junit: Option<String>,
    annotations: Option<String>,
    summary: Option<String>,
}

impl Texts {
    /// `None` if it was cancelled.
    fn of(args: &ReportArgs, records: &[Record], cancel: &Cancel) -> Option<Texts> {
        let root = Root::of_this_run();
        let relative = |path: &str| root.relative(path);
        let setting = Setting { version: env!("CARGO_PKG_VERSION"), relative: &relative, explain: &explain::in_short };
        let if_wanted = |wanted: bool, render: &dyn Fn() -> Option<String>| match wanted {
            true => render().map(Some),
            false => Some(None),
        };
        Some(Texts {
            sarif: if_wanted(args.sarif.is_some(), &|| sarif(records, &setting, cancel))?,
            junit: if_wanted(args.junit.is_some(), &|| junit(records, cancel))?,
            annotations: if_wanted(on_a_runner(), &|| github::annotations(records, &relative, cancel))?,
            summary: if_wanted(summary_file().is_some(), &|| github::summary(records, cancel))?,
        })
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
    use selvedge_report::answer::{Answer, Violation};
    use selvedge_report::json::Scope;
    use selvedge_verify::{Verdict, ViolationKind};

    use super::*;

    /// What cannot be written in time is written without the run, and that is said.
    #[test]
    fn a_file_that_is_cancelled_is_complete_without_the_run() {
        let place = tempfile::tempdir().expect("a directory");
        let args = ReportArgs { sarif: Some(place.path().join("r.sarif")), ..ReportArgs::default() };
        let text = include_str!("../../report/tests/lanes/lost-update.json");
        let trace = selvedge_report::trace_from_json(text).expect("a run");
        let violation = Violation {
            kind: ViolationKind::Assertion,
            message: "an assertion failed".to_owned(),
            location: None,
            line: String::new(),
            property: None,
            trace: Some(trace),
        };
        let answer = Answer {
            engine: "explicit".to_owned(),
            verdict: Verdict::Violated,
            words: vec!["violated".to_owned()],
            scope: Scope::default(),
            properties: Vec::new(),
            rest_decided: true,
            violations: vec![violation],
        };
        let record = Record { path: "m.pml".to_owned(), answer: Some(answer), ..Record::default() };
        let published = |cancel: &Cancel| {
            publish(&args, vec![record.clone()], cancel, &mut Console::plain().buffered());
            let text = std::fs::read_to_string(place.path().join("r.sarif")).expect("written");
            let document: serde_json::Value = serde_json::from_str(&text).expect("complete");
            let result = &document["runs"][0]["results"][0];
            (result["message"]["text"] != serde_json::Value::Null, result.get("codeFlows").is_some())
        };
        assert_eq!(published(&Cancel::never()), (true, true));
        assert_eq!(published(&Cancel::when(|| true)), (true, false));
    }

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
