//! Which tests reach which mutants: every test of a suite is run once by itself, without a mutant, and the build writes down
//! the mutants whose branches are asked for. A mutant then meets only the tests that reach it, first those that catch most
//! mutants in a second.
//!
//! What is found is kept beside the build until one of the test binaries changes.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread::ScopedJoinHandle;
use std::time::UNIX_EPOCH;
use std::{fs, io};

use serde::{Deserialize, Serialize};

use super::run::{Active, Binary, Case, Outcome, Record, test};

/// The tests of a suite.
#[derive(Serialize, Deserialize)]
pub struct Reach {
    /// Which files were run.
    binaries: Vec<(String, u128)>,
    /// The fastest first.
    tests: Vec<Test>,
}

#[derive(Serialize, Deserialize)]
struct Test {
    binary: usize,
    name: String,
    seconds: f64,
    reached: BTreeSet<usize>,
    /// Of the mutants that it met in this run.
    #[serde(skip)]
    record: Record,
}

/// What starting a process costs.
const START: f64 = 0.02;

impl Test {
    /// Mutants that it is expected to catch in a second.
    fn worth(&self) -> f64 {
        self.record.share_caught() / (self.seconds + START)
    }
}

impl Reach {
    /// Runs each test of the binaries, several at a time, unless that was done before.
    pub fn of(binaries: &[Binary], place: &Path, jobs: usize) -> io::Result<Reach> {
        let now = binaries.iter().map(fingerprint).collect::<io::Result<Vec<_>>>()?;
        let kept = fs::read(place).ok().and_then(|text| serde_json::from_slice::<Reach>(&text).ok());
        if let Some(kept) = kept.filter(|kept| kept.binaries == now) {
            return Ok(kept);
        }
        let mut names = Vec::new();
        for (number, binary) in binaries.iter().enumerate() {
            names.extend(tests_of(binary)?.into_iter().map(|name| (number, name)));
        }
        let queue = Mutex::new(names.into_iter());
        let next = || queue.lock().ok().and_then(|mut queue| queue.next());
        let work = &|job: usize| {
            let place = place.with_extension(format!("{job}.json"));
            let tests =
                std::iter::from_fn(next).map(|(number, name)| measured(&binaries[number], number, name, &place));
            tests.collect::<io::Result<Vec<Test>>>()
        };
        let tests = std::thread::scope(|threads| {
            let jobs: Vec<_> = (0..jobs.max(1)).map(|job| threads.spawn(move || work(job))).collect();
            let ended = |job: ScopedJoinHandle<'_, io::Result<Vec<Test>>>| match job.join() {
                Ok(tests) => tests,
                Err(_) => Err(io::Error::other("a job panicked")),
            };
            jobs.into_iter().map(ended).collect::<io::Result<Vec<_>>>()
        })?;
        let mut reach = Reach { binaries: now, tests: tests.into_iter().flatten().collect() };
        reach.tests.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        fs::write(place, serde_json::to_vec(&reach)?)?;
        Ok(reach)
    }

    /// The tests of at most this many seconds that reach a mutant, the most promising first.
    pub fn cases<'a>(&'a self, binaries: &'a [Binary], mutant: usize, seconds: f64) -> Vec<Case<'a>> {
        let wanted = |test: &&Test| test.reached.contains(&mutant) && test.seconds <= seconds;
        let reaching = self.tests.iter().filter(wanted);
        let mut reaching: Vec<(f64, &Test)> = reaching.map(|test| (test.worth(), test)).collect();
        reaching.sort_by(|a, b| b.0.total_cmp(&a.0));
        let case = |(_, test): (f64, &'a Test)| Case {
            binary: &binaries[test.binary],
            test: Some(&test.name),
            seconds: Some(test.seconds),
            record: Some(&test.record),
        };
        reaching.into_iter().map(case).collect()
    }

    /// Prints every test with its time, the slowest last.
    pub fn print(&self, package: &str, binaries: &[Binary]) {
        for test in &self.tests {
            let (binary, mutants) = (&binaries[test.binary].name, test.reached.len());
            println!("{:>8.2} s  {mutants:>4} mutants  {binary} {}", test.seconds, test.name);
        }
        println!("{:>8.2} s  {package}", self.tests.iter().map(|test| test.seconds).sum::<f64>());
    }
}

/// A file with the time of its last change.
fn fingerprint(binary: &Binary) -> io::Result<(String, u128)> {
    let changed = fs::metadata(&binary.executable)?.modified()?;
    let since = changed.duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
    Ok((binary.executable.display().to_string(), since.as_nanos()))
}

/// The tests of a binary.
fn tests_of(binary: &Binary) -> io::Result<Vec<String>> {
    let output = Command::new(&binary.executable)
        .args(["--list", "--format", "terse"])
        .current_dir(&binary.directory)
        .output()?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(lines.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// Runs a test by itself. One that fails without a mutant would call every mutant caught.
fn measured(binary: &Binary, number: usize, name: String, place: &Path) -> io::Result<Test> {
    let (record, log) = (place.with_extension("reached"), place.with_extension("log"));
    fs::write(&record, "")?;
    let case = Case { binary, test: Some(&name), seconds: None, record: None };
    let tested = test(&[case], Active::Record(&record), &log)?;
    if tested.outcome != Outcome::Missed {
        let message = format!("{} {name} fails without a mutant, see {}", binary.name, log.display());
        return Err(io::Error::other(message));
    }
    let reached = fs::read_to_string(&record)?.lines().filter_map(|line| line.parse().ok()).collect();
    Ok(Test { binary: number, name, seconds: tested.seconds, reached, record: Record::default() })
}
