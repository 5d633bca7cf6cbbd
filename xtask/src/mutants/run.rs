//! Runs tests with one mutant active, until the first failure, and keeps the results.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A test binary.
pub struct Binary {
    /// Package and test.
    pub name: String,
    /// The file.
    pub executable: PathBuf,
    /// Where cargo would run it.
    pub directory: PathBuf,
}

/// One test of a binary, or all of them.
pub struct Case<'a> {
    /// Where it is.
    pub binary: &'a Binary,
    /// Its name; `None` for all tests of the binary.
    pub test: Option<&'a str>,
    /// Seconds that it takes without a mutant, where known.
    pub seconds: Option<f64>,
    /// Where it is counted.
    pub record: Option<&'a Record>,
}

/// How many mutants a test met, and how many of them it caught.
#[derive(Default)]
pub struct Record {
    met: AtomicU32,
    caught: AtomicU32,
}

impl Record {
    fn add(&self, caught: bool) {
        self.met.fetch_add(1, Ordering::Relaxed);
        self.caught.fetch_add(u32::from(caught), Ordering::Relaxed);
    }

    /// The share of mutants that it catches, as far as one knows (Laplace's rule).
    pub fn share_caught(&self) -> f64 {
        let count = |number: &AtomicU32| f64::from(number.load(Ordering::Relaxed));
        (count(&self.caught) + 1.0) / (count(&self.met) + 2.0)
    }
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// A test failed.
    Caught,
    /// A test did not end.
    Timeout,
    /// Every test passed.
    Missed,
    /// It does not compile.
    Unviable,
}

impl Outcome {
    const ALL: [Outcome; 4] = [Outcome::Caught, Outcome::Timeout, Outcome::Missed, Outcome::Unviable];

    /// As results have it.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Caught => "caught",
            Outcome::Timeout => "timeout",
            Outcome::Missed => "missed",
            Outcome::Unviable => "unviable",
        }
    }
}

/// The result of a suite.
pub struct Tested {
    /// What became of the mutant.
    pub outcome: Outcome,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// The part and the test that failed.
    pub by: String,
}

/// Processor seconds after which a test is taken for one that does not end: these, and five times what it takes otherwise.
const PROCESSOR_SECONDS: f64 = 5.0;
/// The same for tests whose time is not known.
const PROCESSOR_SECONDS_OF_ALL: f64 = 300.0;
/// Seconds after which a test is taken for one that waits for ever; far more than it takes on a busy machine.
const SECONDS: u32 = 1_800;
/// Kilobytes of memory that a test may use.
const KILOBYTES: u64 = 6 << 20;
/// How often memory is looked at.
const PULSE: Duration = Duration::from_millis(500);

/// What is in the environment of a test.
#[derive(Clone, Copy)]
pub enum Active<'a> {
    /// This mutant.
    Mutant(usize),
    /// No mutant.
    Nothing,
    /// No mutant; the numbers of those that are reached go into this file.
    Record(&'a Path),
}

/// Runs tests until one fails.
pub fn test(cases: &[Case], active: Active, log: &Path) -> io::Result<Tested> {
    let start = Instant::now();
    let mut output = File::create(log)?;
    for case in cases {
        let mut child = start_case(case, active, &output)?;
        let (group, over) = (child.id(), AtomicBool::new(false));
        let (failed, status) = std::thread::scope(|threads| {
            let watcher = threads.spawn(|| limit_memory(group, &over));
            let ended = first_failure(&mut child, &mut output).and_then(|failed| Ok((failed, child.wait()?)));
            over.store(true, Ordering::Release);
            watcher.thread().unpark();
            ended
        })?;
        let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
        if let Some(record) = case.record {
            record.add(failed.is_some() || code != 0);
        }
        // 137: killed by `timeout`; 152: SIGXCPU.
        let outcome = match (&failed, code) {
            (None, 0) => continue,
            (None, 137 | 152) => Outcome::Timeout,
            _ => Outcome::Caught,
        };
        let failed = failed.or(case.test.map(str::to_owned)).unwrap_or_else(|| format!("exit code {code}"));
        let by = format!("{}: {failed}", case.binary.name);
        return Ok(Tested { outcome, seconds: start.elapsed().as_secs_f64(), by });
    }
    Ok(Tested { outcome: Outcome::Missed, seconds: start.elapsed().as_secs_f64(), by: String::new() })
}

/// `timeout` makes a process group, and so nothing is left when the group is killed.
fn start_case(case: &Case, active: Active, log: &File) -> io::Result<Child> {
    let seconds = case.seconds.map_or(PROCESSOR_SECONDS_OF_ALL, |seconds| PROCESSOR_SECONDS + 5.0 * seconds);
    let limits = format!("ulimit -t {}; ulimit -c 0; exec \"$0\" \"$@\"", seconds.ceil());
    let mut command = Command::new("timeout");
    command.args(["--signal=KILL", &SECONDS.to_string(), "sh", "-c", &limits]).arg(&case.binary.executable);
    if let Some(name) = case.test {
        command.args([name, "--exact"]);
    }
    command.current_dir(&case.binary.directory).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log.try_clone()?);
    command.env_remove("SELVEDGE_MUTANT").env_remove("SELVEDGE_REACHED");
    match active {
        Active::Mutant(number) => command.env("SELVEDGE_MUTANT", number.to_string()),
        Active::Record(file) => command.env("SELVEDGE_REACHED", file),
        Active::Nothing => &mut command,
    };
    command.spawn()
}

/// Copies the output to the log; at the first failed test it ends the process and returns the name of the test.
fn first_failure(child: &mut Child, log: &mut File) -> io::Result<Option<String>> {
    let Some(output) = child.stdout.take() else { return Ok(None) };
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        writeln!(log, "{line}")?;
        if let Some(name) = line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED")) {
            kill(child.id())?;
            return Ok(Some(name.to_owned()));
        }
    }
    Ok(None)
}

fn kill(group: u32) -> io::Result<()> {
    Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).status().map(|_| ())
}

/// Kills a process group that uses too much memory. Address space is no measure: decision diagrams reserve a lot of it.
fn limit_memory(group: u32, over: &AtomicBool) {
    loop {
        std::thread::park_timeout(PULSE);
        if over.load(Ordering::Acquire) {
            return;
        }
        let Ok(output) = Command::new("ps").args(["-eo", "pgid=,rss="]).output() else { return };
        let numbers = |line: &str| -> Option<(u32, u64)> {
            let (group, size) = line.trim().split_once(' ')?;
            Some((group.parse().ok()?, size.trim().parse().ok()?))
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let used = text.lines().filter_map(numbers).filter(|(of, _)| *of == group).map(|(_, size)| size);
        if used.sum::<u64>() > KILOBYTES {
            let _ = kill(group);
        }
    }
}

/// Adds a result to those that are kept.
pub fn append_result(file: &Path, name: &str, tested: &Tested) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(file)?;
    let seconds = (tested.seconds * 10.0).round() / 10.0;
    writeln!(file, "{}", json!({ "name": name, "outcome": tested.outcome.name(), "seconds": seconds, "by": tested.by }))
}

/// The results so far; of several results for one mutant the last.
pub fn read_results(file: &Path) -> io::Result<BTreeMap<String, Tested>> {
    let mut known = BTreeMap::new();
    let lines = match std::fs::read_to_string(file) {
        Ok(lines) => lines,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(known),
        Err(error) => return Err(error),
    };
    for line in lines.lines() {
        let entry: Value = serde_json::from_str(line)?;
        let word = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.name() == word("outcome"));
        let outcome = outcome.ok_or_else(|| io::Error::other(format!("unknown result: {line}")))?;
        let seconds = entry["seconds"].as_f64().unwrap_or(0.0);
        known.insert(word("name"), Tested { outcome, seconds, by: word("by") });
    }
    Ok(known)
}
