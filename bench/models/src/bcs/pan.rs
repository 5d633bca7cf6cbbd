//! Spin's verifier in the variants \[BCS\] compares: with and without a bound, reduction, breadth-first, iterated.

use super::measure::Cell;
use super::trail::{self, Counted};
use harness::models::Model;
use harness::process::{self, Ending};
use harness::scratch::Scratch;
use harness::spin::output::{LineFilter, PanReport};
use harness::spin::{self, Compiler, Obstacle};
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// A model for which `spin -a` has written a verifier.
pub struct Generated<'m> {
    model: &'m Model,
    no_claim: bool,
    scratch: Scratch,
    limit: Duration,
}

/// A finished run.
pub struct Ran {
    /// What it printed.
    pub report: PanReport,
    /// Its own measure of time.
    pub seconds: f64,
}

impl Ran {
    /// Its figures.
    pub fn cell(&self) -> Cell {
        Cell { states: self.report.states, transitions: self.report.transitions, seconds: self.seconds }
    }
}

impl<'m> Generated<'m> {
    /// `spin -o1 -o2 -o3 -a`.
    pub fn new(model: &'m Model, no_claim: bool, limit: Duration) -> io::Result<Result<Generated<'m>, Obstacle>> {
        let scratch = Scratch::new("bcs")?;
        let generated = spin::generate(&model.path, scratch.path(), limit)?;
        Ok(generated.map(|_| Generated { model, no_claim, scratch, limit }))
    }

    /// Compiles the verifier with these definitions and calls it `name`.
    pub fn compile(&self, name: &str, definitions: &[&str]) -> io::Result<Result<PathBuf, Obstacle>> {
        let mut cc = Compiler::GccOptimized.command();
        cc.args(["-DSAFETY", "-DMEMLIM=8000", "-DVECTORSZ=16384"]).args(definitions);
        if self.no_claim {
            cc.arg("-DNOCLAIM");
        }
        let finished = process::run(cc.args(["-o", name, "pan.c"]).current_dir(self.scratch.path()), self.limit)?;
        Ok(match finished.ending {
            Ending::Exit(0) => Ok(self.scratch.path().join(name)),
            Ending::TimeLimit => Err(Obstacle::Limit("C compiler: time".to_owned())),
            _ => Err(Obstacle::BadC(finished.complaint())),
        })
    }

    /// Runs a verifier past all errors.
    pub fn explore(&self, pan: &PathBuf, arguments: &[&str]) -> io::Result<Result<Ran, Obstacle>> {
        self.explore_up_to(0, pan, arguments)
    }

    /// Runs a verifier up to so many errors; 0 is past all of them.
    pub fn explore_up_to(&self, errors: u32, pan: &PathBuf, arguments: &[&str]) -> io::Result<Result<Ran, Obstacle>> {
        let mut command = Command::new(pan);
        command.arg(format!("-c{errors}")).args(["-m2000000", "-w24"]).args(arguments);
        command.current_dir(self.scratch.path());
        let mut filter = LineFilter::default();
        let finished = process::run_filtered(&mut command, self.limit, |line| filter.keep(line))?;
        let judge = if errors == 0 { spin::judge } else { spin::judge_stopped };
        Ok(judge(&finished).and_then(|report| match report.depth_exceeded {
            true => Err(Obstacle::Limit("depth".to_owned())),
            false => Ok(Ran { report, seconds: elapsed(&finished.stdout).unwrap_or(finished.seconds) }),
        }))
    }

    /// Runs a verifier to its first error (or, with `-i`, its best) and counts the run; `None` if there is no error.
    pub fn counterexample(&self, pan: &PathBuf, arguments: &[&str]) -> io::Result<Option<Counted>> {
        let file = self.model.path.file_name().unwrap_or_default().to_string_lossy().into_owned() + ".trail";
        let trail = self.scratch.path().join(file);
        if trail.exists() {
            std::fs::remove_file(&trail)?;
        }
        let mut command = Command::new(pan);
        command.args(["-m200000", "-w22"]).args(arguments).current_dir(self.scratch.path());
        process::run(&mut command, self.limit)?;
        if !trail.exists() {
            return Ok(None);
        }
        let mut replay = Command::new("spin");
        replay.args(["-t", "-p", "-k"]).arg(&trail).arg(&self.model.path).current_dir(self.scratch.path());
        let replayed = process::run(&mut replay, self.limit)?;
        let counted = trail::count(&replayed.stdout, &self.model.source);
        Ok((counted.length > 0).then_some(counted))
    }
}

/// The seconds in `pan: elapsed time 0.14 seconds`.
fn elapsed(text: &str) -> Option<f64> {
    let rest = text.lines().find_map(|l| l.strip_prefix("pan: elapsed time "))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn reads_the_elapsed_time() {
        assert_eq!(super::elapsed("x\npan: elapsed time 0.14 seconds\npan: rate 3 states/second\n"), Some(0.14));
        assert_eq!(super::elapsed("no time\n"), None);
    }
}
