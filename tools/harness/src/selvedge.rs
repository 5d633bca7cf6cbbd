//! Running Selvedge and reading its answer.
//!
//! Only through its command line and the JSON of `docs/interface.md`: this crate knows nothing of the others.

use crate::figures::{Difference, ErrorKind, Figures};
use crate::process::{self, Ending, Finished};
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The `selvedge` binary.
#[derive(Clone, Debug)]
pub struct Selvedge {
    binary: PathBuf,
    limit: Duration,
}

/// A complete search.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What Spin must agree on.
    pub figures: Figures,
    /// A channel was used after the process that declared it had ended.
    pub uses_dead_channel: bool,
    /// A `D_proctype` has a choice.
    pub chooses_in_d_proctype: bool,
    /// Wall-clock seconds of the whole run.
    pub seconds: f64,
    /// Seconds of the search alone, as Selvedge says.
    pub search_seconds: f64,
    /// As Selvedge says; 0 where it does not.
    pub bytes_per_state: f64,
}

/// No figures, and why.
#[derive(Clone, Debug)]
pub struct Failure {
    /// `Refused`, `Limit` or `Crash`.
    pub sort: Difference,
    /// In Selvedge's words.
    pub reason: String,
}

impl Selvedge {
    /// The binary at `path`, or, without one, a fresh release build of this workspace.
    pub fn locate(path: Option<&Path>, limit: Duration) -> io::Result<Selvedge> {
        let binary = match path {
            Some(path) => std::path::absolute(path)?,
            None => build()?,
        };
        if binary.is_file() {
            Ok(Selvedge { binary, limit })
        } else {
            Err(io::Error::other(format!("no binary at {}", binary.display())))
        }
    }

    /// The command itself.
    pub fn command(&self) -> Command {
        Command::new(&self.binary)
    }

    /// Where it is.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// The plain, unbounded, unreduced safety search that is comparable with Spin's.
    pub fn check(&self, model: &Path, no_claim: bool) -> io::Result<Result<Checked, Failure>> {
        let plain = ["--unbounded", "--search", "dfs", "--optimize", "none", "--continue", "--reduction", "none"];
        Ok(judge(&self.run(model, no_claim, &plain)?))
    }

    /// `check --safety-only --json` with these options besides. The first claim is in force beside the assertions, as in
    /// Spin.
    pub fn run(&self, model: &Path, no_claim: bool, options: &[&str]) -> io::Result<Finished> {
        let claim = if no_claim { None } else { self.first_claim(model)? };
        let claim = claim.map_or_else(Vec::new, |name| vec!["--ltl".to_owned(), name]);
        let no_claim = no_claim.then_some("--no-claim");
        let claim = claim.iter().map(String::as_str).chain(no_claim);
        self.ask(model, &options.iter().copied().chain(claim).collect::<Vec<_>>())
    }

    /// The name of the model's first claim.
    fn first_claim(&self, model: &Path) -> io::Result<Option<String>> {
        let asked = self.ask(model, &["--max-states", "1", "--recheck", "none"])?;
        let json: Value = serde_json::from_str(&asked.stdout).unwrap_or_default();
        let properties = json["properties"].as_array().into_iter().flatten();
        let mut claims = properties.filter(|property| property["kind"] == "never" || property["kind"] == "ltl");
        Ok(claims.find_map(|claim| claim["name"].as_str().map(str::to_owned)))
    }

    fn ask(&self, model: &Path, options: &[&str]) -> io::Result<Finished> {
        let mut command = Command::new(&self.binary);
        command.args(["check", "--safety-only", "--json", "--no-save", "--memory-limit", "8G"]).args(options);
        command.args(["--time-limit", &format!("{}s", self.limit.as_secs().max(1))]);
        // Its own time limit should end it; ours is for the case that it does not.
        let patience = self.limit + Duration::from_secs(10);
        process::run(command.arg(model), patience)
    }
}

/// `cargo build --release` of the command line crate; where the binary is then.
fn build() -> io::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = workspace_root();
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--quiet", "-p", "selvedge-cli"]).current_dir(&root);
    let built = process::run(&mut command, Duration::from_secs(3600))?;
    if !built.success() {
        return Err(io::Error::other(format!("cargo build failed:\n{}", built.stderr)));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(root.join(target).join("release").join("selvedge"))
}

/// The root of the repository this crate lies in.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Figures, or the sort of failure, from exit code and JSON.
fn judge(done: &Finished) -> Result<Checked, Failure> {
    let failure = |sort, reason: String| Err(Failure { sort, reason });
    let json: Value = serde_json::from_str(&done.stdout).unwrap_or(Value::Null);
    match done.ending {
        Ending::TimeLimit => failure(Difference::Limit, "did not stop at its time limit".to_owned()),
        Ending::Signal => failure(Difference::Crash, format!("ended by a signal: {}", done.complaint())),
        Ending::Exit(2) => failure(Difference::Refused, done.complaint()),
        Ending::Exit(3) if !explored_all(&json) => failure(Difference::Limit, limit_reason(&json)),
        Ending::Exit(0 | 1 | 3 | 4) => match checked(&json, done.seconds) {
            Some(checked) => Ok(checked),
            None => failure(Difference::Crash, "its JSON lacks fields of docs/interface.md".to_owned()),
        },
        Ending::Exit(code) => failure(Difference::Crash, format!("exit code {code}: {}", done.complaint())),
    }
}

/// Whether nothing was left to explore. The answer may be inconclusive even so: hidden variables that are read are left
/// out of states as in Spin, and the figures are Spin's.
fn explored_all(json: &Value) -> bool {
    json["stop"] == "exhausted"
}

fn limit_reason(json: &Value) -> String {
    let states = json["stats"]["states"].as_u64().unwrap_or(0);
    format!("inconclusive after {states} states")
}

/// The figures of `check --json`.
fn checked(json: &Value, seconds: f64) -> Option<Checked> {
    let stats = &json["stats"];
    // Without reduction, pan does not check claims to channels (`xr`, `xs`).
    let is_claim = |v: &Value| v["message"].as_str().is_some_and(|text| text.contains("claims for itself"));
    let kind = |v: &Value| v["kind"].as_str().filter(|_| !is_claim(v)).map(ErrorKind::of_selvedge);
    let listed = json["violations"].as_array().into_iter().flatten().filter_map(kind);
    let figures = Figures {
        states: stats["states"].as_u64()?,
        transitions: stats["transitions"].as_u64()?,
        kinds: listed.chain(kind(&json["violation"])).collect(),
    };
    let prints = |words: &str| {
        let mut all = json["violations"].as_array().into_iter().flatten();
        all.any(|violation| violation["message"].as_str().is_some_and(|text| text.contains(words)))
    };
    Some(Checked {
        figures,
        uses_dead_channel: prints("no longer exists"),
        chooses_in_d_proctype: prints("D_proctype"),
        seconds,
        search_seconds: stats["seconds"].as_f64().unwrap_or(seconds),
        bytes_per_state: stats["bytes_per_state"].as_f64().unwrap_or(0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(code: i32, stdout: &str) -> Finished {
        let stdout = stdout.to_owned();
        Finished { ending: Ending::Exit(code), stdout, stderr: "error: no\n".to_owned(), seconds: 0.1 }
    }

    #[test]
    fn reads_figures_and_all_violations() {
        let json = r#"{"stats": {"states": 57, "transitions": 97, "seconds": 0.004, "bytes_per_state": 18.5},
            "violation": {"kind": "assertion"},
            "violations": [{"kind": "assertion"}, {"kind": "invalid-end-state"}]}"#;
        let checked = judge(&finished(1, json)).unwrap();
        assert_eq!((checked.figures.states, checked.figures.transitions), (57, 97));
        assert_eq!(checked.figures.kinds_text(), "assertion, invalid-end-state");
    }

    #[test]
    fn distinguishes_refusals_from_limits_and_crashes() {
        assert_eq!(judge(&finished(2, "")).unwrap_err().sort, Difference::Refused);
        assert_eq!(judge(&finished(3, "{}")).unwrap_err().sort, Difference::Limit);
        assert_eq!(judge(&finished(0, "{}")).unwrap_err().sort, Difference::Crash);
        let hidden = r#"{"stop": "exhausted", "stats": {"states": 3, "transitions": 2}, "violations": []}"#;
        assert_eq!(judge(&finished(3, hidden)).unwrap().figures.states, 3);
        assert_eq!(judge(&finished(101, "")).unwrap_err().sort, Difference::Crash);
    }
}
