//! Spin as the reference: generate a verifier, compile it, run it.
//!
//! Always in the *plain semantics*, which is the one two tools can agree on state for state: `spin -o1 -o2 -o3 -a` (no
//! resetting of dead variables, no removal of write-only ones, no merging of statements), compiled with `-DNOREDUCE
//! -DSAFETY` and run with `-c0` (go on past errors).

pub mod claims;
pub mod install;
pub mod output;
pub mod references;

use crate::process::{self, Ending, Finished};
use output::{LineFilter, PanReport};
use std::fmt;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The C compiler for generated verifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// `gcc -O2`: what users do, and what speed is measured with; about 1.6 s a model.
    GccOptimized,
    /// `gcc -O0`: about 0.5 s a model.
    GccPlain,
    /// `tcc`: about 0.02 s a model, and a verifier three times slower than gcc's.
    Tcc,
}

impl Compiler {
    /// The quickest compiler there is on this machine.
    pub fn quickest() -> Compiler {
        let tcc = process::run(Command::new("tcc").arg("-v"), Duration::from_secs(10));
        if tcc.is_ok_and(|f| f.success()) { Compiler::Tcc } else { Compiler::GccPlain }
    }

    /// The compiler with its level of optimization, without warnings.
    pub fn command(self) -> Command {
        let (program, level) = match self {
            Compiler::GccOptimized => ("gcc", "-O2"),
            Compiler::GccPlain => ("gcc", "-O0"),
            Compiler::Tcc => ("tcc", "-w"),
        };
        let mut command = Command::new(program);
        command.args([level, "-w"]);
        command
    }
}

/// How the verifier is built and run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Who compiles it.
    pub compiler: Compiler,
    /// Leave never claims and ltl properties out (`-DNOCLAIM`; pan has no such option at run time).
    pub no_claim: bool,
    /// Let processes take their turns in the opposite order (`-DREVERSE`): a full search must find the same.
    pub reverse: bool,
    /// No stuttering of claims at the end of runs (`-DNOSTUTTER`).
    pub no_stutter: bool,
    /// Which of several claims to use (`pan -N name`); the first one when absent.
    pub claim: Option<String>,
    /// Greatest depth of the search (`-m`).
    pub depth: u64,
    /// How often a run that needs more depth is repeated with ten times as much.
    pub deeper: u32,
    /// Log of the number of hash table slots (`-w`).
    pub hash_bits: u32,
    /// Memory limit in megabytes (`-DMEMLIM`).
    pub megabytes: u32,
    /// Greatest size of a state in bytes (`-DVECTORSZ`).
    pub state_bytes: u32,
    /// Time for each of the three stages.
    pub limit: Duration,
}

impl Setup {
    /// The setup for figures that are published: gcc -O2, room for large models.
    pub fn thorough(limit: Duration) -> Setup {
        Setup {
            compiler: Compiler::GccOptimized,
            no_claim: false,
            reverse: false,
            no_stutter: false,
            claim: None,
            depth: 2_000_000,
            deeper: 2,
            hash_bits: 22,
            megabytes: 8000,
            state_bytes: 16384,
            limit,
        }
    }
}

/// Why there is no report to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// `spin -a` refused the model.
    Refused(String),
    /// The generated C did not compile.
    BadC(String),
    /// Nothing to say within the limits (time, memory, depth).
    Limit(String),
    /// The verifier crashed or stopped half-way (division by zero, a block in `d_step`, …).
    Crash(String),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Refused(why) => write!(f, "spin refuses: {why}"),
            Obstacle::BadC(why) => write!(f, "generated C does not compile: {why}"),
            Obstacle::Limit(why) => write!(f, "limit: {why}"),
            Obstacle::Crash(why) => write!(f, "verifier stopped: {why}"),
        }
    }
}

/// Seconds of each stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stages {
    /// `spin -a`.
    pub generate: f64,
    /// The C compiler.
    pub compile: f64,
    /// The verifier.
    pub verify: f64,
}

impl Stages {
    /// What the user waits for.
    pub fn total(&self) -> f64 {
        self.generate + self.compile + self.verify
    }
}

/// A completed verification.
#[derive(Clone, Debug)]
pub struct Verified {
    /// What the verifier printed.
    pub report: PanReport,
    /// How long it took.
    pub stages: Stages,
}

/// All three stages for `model` in the directory `dir`.
pub fn verify(model: &Path, dir: &Path, setup: &Setup) -> io::Result<Result<Verified, Obstacle>> {
    let generated = match generate(model, dir, setup.limit)? {
        Ok(finished) => finished,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    verify_generated(dir, setup, generated.seconds)
}

/// The second and third stage, where `pan.c` is already in `dir`.
pub fn verify_generated(dir: &Path, setup: &Setup, generate: f64) -> io::Result<Result<Verified, Obstacle>> {
    let compile = match compile(dir, setup)? {
        Ok(seconds) => seconds,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    Ok(search(dir, setup)?.map(|(report, verify)| Verified { report, stages: Stages { generate, compile, verify } }))
}

/// Whether the claim stutters: whether it moves where the program cannot. `pan.c` must be in `dir`.
///
/// Then the numbers of states and transitions depend on the order of pan's search: it stores the states between two
/// moves of a stuttering claim, but not the one between the claim's last ordinary move and its first stuttering one, and
/// takes them for equal; which of the two it meets first decides how it goes on. Where the claim stutters in an `atomic`,
/// nothing is stored at all and the search goes round until its stack is full.
pub fn stutters(dir: &Path, setup: &Setup, report: &PanReport) -> io::Result<bool> {
    if !report.claim {
        return Ok(false);
    }
    let without = verify_generated(dir, &Setup { no_stutter: true, ..setup.clone() }, 0.0)?;
    let same = |other: &PanReport| other.figures() == report.figures() && other.depth == report.depth;
    Ok(without.is_ok_and(|without| !same(&without.report)))
}

/// `spin -a`: writes `pan.c` and its parts into `dir`.
pub fn generate(model: &Path, dir: &Path, limit: Duration) -> io::Result<Result<Finished, Obstacle>> {
    let mut spin = Command::new("spin");
    spin.args(["-o1", "-o2", "-o3", "-a"]).arg(model).current_dir(dir);
    let finished = process::run(&mut spin, limit)?;
    Ok(match finished.ending {
        Ending::TimeLimit => Err(Obstacle::Limit("spin -a: time".to_owned())),
        Ending::Exit(0) if dir.join("pan.c").exists() => Ok(finished),
        _ => Err(Obstacle::Refused(finished.complaint())),
    })
}

/// Compiles `dir/pan.c` to `dir/pan`; the seconds it took.
fn compile(dir: &Path, setup: &Setup) -> io::Result<Result<f64, Obstacle>> {
    let mut cc = setup.compiler.command();
    cc.args(["-DNOREDUCE", "-DSAFETY"]).arg(format!("-DMEMLIM={}", setup.megabytes));
    cc.arg(format!("-DVECTORSZ={}", setup.state_bytes));
    if setup.no_claim {
        cc.arg("-DNOCLAIM");
    }
    if setup.reverse {
        cc.arg("-DREVERSE");
    }
    if setup.no_stutter {
        cc.arg("-DNOSTUTTER");
    }
    let finished = process::run(cc.args(["-o", "pan", "pan.c"]).current_dir(dir), setup.limit)?;
    Ok(match finished.ending {
        Ending::TimeLimit => Err(Obstacle::Limit("C compiler: time".to_owned())),
        Ending::Exit(0) => Ok(finished.seconds),
        _ => Err(Obstacle::BadC(finished.complaint())),
    })
}

/// Runs the verifier, again with more depth where it asks for that; its report and the seconds of the last run.
fn search(dir: &Path, setup: &Setup) -> io::Result<Result<(PanReport, f64), Obstacle>> {
    let mut depth = setup.depth;
    for retry in 0.. {
        let mut pan = Command::new(dir.join("pan"));
        pan.arg("-c0").arg(format!("-m{depth}")).arg(format!("-w{}", setup.hash_bits));
        if let Some(name) = &setup.claim {
            pan.args(["-N", name]);
        }
        let mut filter = LineFilter::default();
        let finished = process::run_filtered(pan.current_dir(dir), setup.limit, |line| filter.keep(line))?;
        let report = match judge(&finished) {
            Ok(report) => report,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        if !report.depth_exceeded {
            return Ok(Ok((report, finished.seconds)));
        }
        if retry == setup.deeper {
            break;
        }
        depth *= 10;
    }
    Ok(Err(Obstacle::Limit(format!("depth {depth}"))))
}

/// Faults of a model that only the verifier finds, before it begins.
const PAN_REFUSALS: [&str; 2] = ["has unconditional self-loop", "'else' stmnts"];

/// A report, if the verifier ran to its end and printed one.
pub fn judge(finished: &Finished) -> Result<PanReport, Obstacle> {
    let report = judge_stopped(finished)?;
    if report.completed { Ok(report) } else { Err(Obstacle::Crash(report.last_message())) }
}

/// The same for a verifier that may stop at an error.
pub fn judge_stopped(finished: &Finished) -> Result<PanReport, Obstacle> {
    match finished.ending {
        Ending::TimeLimit => return Err(Obstacle::Limit("verifier: time".to_owned())),
        Ending::Signal => return Err(Obstacle::Crash("ended by a signal".to_owned())),
        Ending::Exit(code) if code >= 128 => {
            return Err(Obstacle::Crash(format!("exit code {code}")));
        }
        Ending::Exit(_) => {}
    }
    if finished.stdout.contains("reached -DMEMLIM") || finished.stdout.contains("out of memory") {
        return Err(Obstacle::Limit("verifier: memory".to_owned()));
    }
    if PAN_REFUSALS.iter().any(|text| finished.stdout.contains(text)) {
        return Err(Obstacle::Refused(finished.complaint()));
    }
    PanReport::parse(&finished.stdout).ok_or_else(|| Obstacle::Crash(format!("no report: {}", finished.complaint())))
}
