//! One tool on one benchmark, under a limit of CPU time: the user and system time of the process and its children, so
//! that other work on the machine changes little. A shell sets the limits and prints the times (bash, which
//! has milliseconds).

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::instance::Instance;
use harness::process::{self, Ending};

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `selvedge check --unbounded`.
    Selvedge,
    /// mist with one of its algorithms, on nets.
    Mist(&'static str),
    /// bfc, on thread transition systems.
    Bfc,
}

/// A tool and where it is.
#[derive(Clone, Debug)]
pub struct Tool {
    pub kind: Kind,
    pub binary: PathBuf,
}

/// The answer of one tool to one benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Safe,
    Unsafe,
    /// The limit came first.
    Limit,
    /// The tool refused or failed.
    Failed,
}

impl Answer {
    /// As records have it.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Safe => "safe",
            Answer::Unsafe => "unsafe",
            Answer::Limit => "limit",
            Answer::Failed => "failed",
        }
    }

    /// From a record.
    pub fn of_word(word: &str) -> Option<Answer> {
        [Answer::Safe, Answer::Unsafe, Answer::Limit, Answer::Failed].into_iter().find(|a| a.word() == word)
    }

    /// Whether the question was answered.
    pub fn is_answer(self) -> bool {
        matches!(self, Answer::Safe | Answer::Unsafe)
    }
}

/// An answer and what it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub answer: Answer,
    /// User and system time, of all threads.
    pub cpu: f64,
    pub wall: f64,
    /// The CPU seconds that it might have taken.
    pub limit: u64,
}

/// `$1` CPU seconds, `$2` seconds on the clock, `$3` kilobytes, then the command.
const LIMITED: &str = "ulimit -c 0; ulimit -t \"$1\"; ulimit -v \"$3\"; wall=$2; shift 3; \
                       timeout -s KILL \"$wall\" \"$@\" 2>&1; code=$?; echo; times; exit $code";

/// Memory of a run.
const KILOBYTES: u64 = 6 << 20;

/// On a busy machine a process may take this many times its CPU time.
const PATIENCE: u64 = 40;

/// Some tools print many lines without information.
const FIRST_LINES: usize = 4_000;

impl Tool {
    /// As tables have it.
    pub fn name(&self) -> String {
        match self.kind {
            Kind::Selvedge => "selvedge".to_owned(),
            Kind::Mist(algorithm) => format!("mist {algorithm}"),
            Kind::Bfc => "bfc".to_owned(),
        }
    }

    /// Runs the tool on a benchmark; `None` if there is nothing that it reads, or if the machine was too busy.
    pub fn run(&self, instance: &Instance, seconds: u64) -> io::Result<Option<Measured>> {
        let Some(arguments) = self.arguments(instance, seconds) else { return Ok(None) };
        let wall = PATIENCE * seconds;
        let mut command = Command::new("bash");
        command.args(["-c", LIMITED, "bash", &seconds.to_string(), &wall.to_string(), &KILOBYTES.to_string()]);
        command.arg(&self.binary).args(arguments);
        let mut lines = 0;
        let telling = |line: &str| {
            lines += 1;
            lines < FIRST_LINES || stated_answer(line).is_some() || line.contains('m') && line.ends_with("s\n")
        };
        let finished = process::run_filtered(&mut command, Duration::from_secs(wall + 10), telling)?;
        if finished.seconds >= wall as f64 {
            eprintln!("{}: {} did not get its CPU time within {wall} s: no measurement", instance.name, self.name());
            return Ok(None);
        }
        let cpu = finished.stdout.lines().last().map_or(0.0, cpu_seconds);
        let answer = self.answer(finished.ending, &finished.stdout);
        if answer == Answer::Failed {
            let last = finished.stdout.lines().rev().filter(|line| !line.trim().is_empty()).nth(2).unwrap_or_default();
            eprintln!("{}: {} ended with {:?}: {last}", instance.name, self.name(), finished.ending);
        }
        Ok(Some(Measured { answer, cpu, wall: finished.seconds, limit: seconds }))
    }

    fn arguments(&self, instance: &Instance, seconds: u64) -> Option<Vec<OsString>> {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        match self.kind {
            Kind::Selvedge => {
                let time = format!("{}s", PATIENCE * seconds);
                let mut list = words(&["check", "--quiet", "--no-save", "--unbounded", "--time-limit", &time]);
                list.push(instance.file.clone().into());
                Some(list)
            }
            Kind::Mist(algorithm) => {
                let option = OsString::from(format!("--{algorithm}"));
                instance.is_spec().then(|| vec![option, instance.file.clone().into()])
            }
            Kind::Bfc => {
                let (system, property) = instance.system()?;
                Some(vec!["--target".into(), property.into(), system.into()])
            }
        }
    }

    fn answer(&self, ending: Ending, output: &str) -> Answer {
        let by_words = output.lines().rev().find_map(stated_answer);
        match (self.kind, ending) {
            (_, Ending::TimeLimit | Ending::Exit(137 | 152)) => Answer::Limit,
            (Kind::Selvedge, Ending::Exit(0)) => Answer::Safe,
            (Kind::Selvedge, Ending::Exit(1)) => Answer::Unsafe,
            (Kind::Selvedge, Ending::Exit(3)) => Answer::Limit,
            (Kind::Selvedge, _) | (_, Ending::Signal) => Answer::Failed,
            _ => by_words.unwrap_or(Answer::Failed),
        }
    }
}

/// What a line of mist's or bfc's output concludes.
fn stated_answer(line: &str) -> Option<Answer> {
    let line = line.to_ascii_lowercase();
    let prints = |words: &str| line.contains(words);
    // ic4pn's word for unsafe is "Reachable", with the part of it that found out.
    if prints("concludes unsafe") || prints("verification failed") || line.starts_with("reachable (") {
        return Some(Answer::Unsafe);
    }
    (prints("concludes safe") || prints("verification successful")).then_some(Answer::Safe)
}

/// `0m1.250s 0m0.030s` in seconds.
pub fn cpu_seconds(line: &str) -> f64 {
    let seconds = |word: &str| {
        let (minutes, rest) = word.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + rest.trim_end_matches('s').parse::<f64>().ok()?)
    };
    line.split_whitespace().filter_map(seconds).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_from_the_tools_own_words() {
        let mist = Tool { kind: Kind::Mist("eec"), binary: PathBuf::from("mist") };
        assert_eq!(mist.answer(Ending::Exit(0), "EEC concludes safe with the enlargement\n"), Answer::Safe);
        assert_eq!(mist.answer(Ending::Exit(0), "backward algorithm concludes unsafe\n\n"), Answer::Unsafe);
        assert_eq!(mist.answer(Ending::Exit(0), "Reachable (neg_Z concludes)\nThanks\n"), Answer::Unsafe);
        assert_eq!(mist.answer(Ending::Exit(0), "memory exhausted : line 9985\n"), Answer::Failed);
        assert_eq!(mist.answer(Ending::Exit(137), "concludes nothing yet\n"), Answer::Limit);
    }

    #[test]
    fn times_are_added() {
        assert!((cpu_seconds("1m1.250000s 0m0.750000s") - 62.0).abs() < 1e-9);
    }
}
