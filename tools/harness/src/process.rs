//! Running other programs under a time limit.
//!
//! Everything in this crate is a conversation with Spin, a C compiler, the verifiers Spin generates, and Selvedge
//! itself; all of them go through [`run`]. Output is handed over line by line, because a verifier that continues past
//! errors can print gigabytes of which only a few distinct lines matter.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It exited by itself with this code.
    Exit(i32),
    /// A signal ended it (a division by zero in generated C, for example).
    Signal,
    /// We ended it at the time limit.
    TimeLimit,
}

/// What is known after a program has run.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output, as far as the line filter kept it.
    pub stdout: String,
    /// Its standard error, cut at [`STDERR_LIMIT`].
    pub stderr: String,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// At most this many bytes of standard error are kept.
const STDERR_LIMIT: u64 = 1 << 20;

impl Finished {
    /// Whether the program exited with code 0.
    pub fn success(&self) -> bool {
        self.ending == Ending::Exit(0)
    }

    /// The output most likely to say why something failed: errors first.
    pub fn complaint(&self) -> String {
        let lines = self.stderr.lines().chain(self.stdout.lines());
        let lines: Vec<&str> = lines.map(str::trim).filter(|l| !l.is_empty()).collect();
        let telling = lines.iter().find(|l| {
            let l = l.to_ascii_lowercase();
            (l.contains("error") || l.contains("fatal")) && !l.contains("dubious use of 'else'")
        });
        telling.or(lines.first()).map_or_else(|| "no message".to_owned(), |l| (*l).to_owned())
    }
}

/// Runs a program and keeps all of its output.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Finished> {
    run_filtered(command, limit, |_| true)
}

/// Runs a program and keeps the lines of standard output for which `keep` answers true.
///
/// Two threads drain the two pipes and report when they close, so that waiting needs no polling.
pub fn run_filtered(
    command: &mut Command,
    limit: Duration,
    mut keep: impl FnMut(&str) -> bool + Send,
) -> io::Result<Finished> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let out = child.stdout.take().expect("stdout is piped");
    let err = child.stderr.take().expect("stderr is piped");
    let (closed, both) = mpsc::channel();
    let closed_too = closed.clone();
    let (stdout, stderr, waited) = std::thread::scope(|threads| {
        let stdout = threads.spawn(move || {
            let text = drain_lines(out, &mut keep);
            let _ = closed.send(());
            text
        });
        let stderr = threads.spawn(move || {
            let mut text = Vec::new();
            let _ = err.take(STDERR_LIMIT).read_to_end(&mut text);
            let _ = closed_too.send(());
            String::from_utf8_lossy(&text).into_owned()
        });
        let waited = wait(&mut child, &both, start + limit);
        (stdout.join().expect("reader"), stderr.join().expect("reader"), waited)
    });
    let ending = match waited? {
        None => Ending::TimeLimit,
        Some(status) => status.code().map_or(Ending::Signal, Ending::Exit),
    };
    Ok(Finished { ending, stdout, stderr, seconds: start.elapsed().as_secs_f64() })
}

/// Waits for both pipes to close and the program to exit; ends it at the deadline (then `None`).
fn wait(child: &mut Child, both: &mpsc::Receiver<()>, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    for _ in 0..2 {
        let left = deadline.saturating_duration_since(Instant::now());
        if both.recv_timeout(left).is_err() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
    }
    child.wait().map(Some)
}

/// Reads lines to the end, keeping the chosen ones.
fn drain_lines(pipe: impl Read, keep: &mut impl FnMut(&str) -> bool) -> String {
    let mut reader = BufReader::new(pipe);
    let mut kept = String::new();
    let mut line = Vec::new();
    while matches!(reader.read_until(b'\n', &mut line), Ok(n) if n > 0) {
        let text = String::from_utf8_lossy(&line);
        if keep(&text) {
            kept.push_str(&text);
        }
        line.clear();
    }
    kept
}
