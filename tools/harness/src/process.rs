//! Running other programs under a time limit, which counts processor time where `/proc` says it: on a busy machine the
//! same programs end in time.
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
        let waited = wait(&mut child, &both, limit);
        (stdout.join().expect("reader"), stderr.join().expect("reader"), waited)
    });
    let ending = match waited? {
        None => Ending::TimeLimit,
        Some(status) => status.code().map_or(Ending::Signal, Ending::Exit),
    };
    Ok(Finished { ending, stdout, stderr, seconds: start.elapsed().as_secs_f64() })
}

/// So many times its limit a program may take on the clock.
const PATIENCE: u32 = 20;

/// Waits for both pipes to close and the program to exit; ends it when its time is over (then `None`).
fn wait(child: &mut Child, both: &mpsc::Receiver<()>, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let last = start + limit * PATIENCE;
    let (mut deadline, mut open) = (start + limit, 2);
    while open > 0 {
        let left = deadline.saturating_duration_since(Instant::now());
        if both.recv_timeout(left).is_ok() {
            open -= 1;
            continue;
        }
        // Pipes that stay open after the program has ended belong to its children, which the clock limits.
        let used = processor_time(child.id()).filter(|used| *used < limit).unwrap_or(limit);
        let now = Instant::now();
        if used == limit || now >= last {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        deadline = last.min(now + (limit - used).max(TICK));
    }
    child.wait().map(Some)
}

/// How often the processor time of a program is read near the limit.
const TICK: Duration = Duration::from_millis(10);

/// The processor time of a process so far, without that of its children.
fn processor_time(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    // Linux reports user and system time in hundredths of a second.
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
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

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(200);

    fn shell(script: &str) -> Ending {
        run(Command::new("sh").args(["-c", script]), LIMIT).expect("there is a shell").ending
    }

    #[test]
    fn a_program_that_computes_for_ever_is_ended() {
        assert_eq!(shell("while :; do :; done"), Ending::TimeLimit);
    }

    #[test]
    fn waiting_takes_no_processor_time() {
        assert_eq!(shell("sleep 1; exit 3"), Ending::Exit(3));
        assert_eq!(shell("exec sleep 60"), Ending::TimeLimit);
    }
}
