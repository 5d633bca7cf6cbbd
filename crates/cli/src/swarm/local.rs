//! Runs the searches of a swarm on this machine: each is a process of its own, a limited number at a time, until one of
//! them decides the question, time is up or the user interrupts.
//!
//! A search holds on to its stdin: when that ends, because we want so or because we are gone, it stops and prints what
//! it covered. Its answer goes to a file, so that no search waits for a reader.

use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use selvedge_verify::{BoundKind, Interrupt, Verdict};

use super::plan::Swarm;
use super::render::{self, Member};
use super::result::Found;
use crate::console::Console;
use crate::exit::Exit;
use crate::shell;

const POLL: Duration = Duration::from_millis(10);
/// A search that does not end this long after it was asked to is ended.
const PATIENCE: Duration = Duration::from_secs(10);
/// With less time than this no search is started.
const SHORTEST: Duration = Duration::from_millis(20);

/// What became of the searches.
pub struct Ran {
    /// One for each.
    pub members: Vec<Member>,
    /// A search found a defect or something wrong with the input: its words are out.
    pub broken: Option<Exit>,
    /// Holds their traces; removed in the end.
    _directory: Directory,
}

/// Runs the searches. An error is one sentence: nothing could be started.
pub fn run(swarm: &Swarm, asked: Option<u32>, interrupt: &Interrupt, console: &mut Console) -> Result<Ran, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find the program itself: {error}"))?;
    let directory = Directory::new().map_err(|error| format!("cannot create a directory for results: {error}"))?;
    let label = |index: usize| match swarm.searches[index].0.as_slice() {
        [] => "exact, bound by bound".to_owned(),
        options => shell::joined(options),
    };
    let members = (0..swarm.searches.len()).map(|index| Member::not_run(label(index))).collect();
    let mut local = Local {
        swarm,
        asked,
        program,
        directory,
        deadline: swarm.time.and_then(|time| Instant::now().checked_add(time)),
        members,
        running: Vec::new(),
        next: 0,
        decided: false,
        broken: None,
        announce: !console.quiet && io::stderr().is_terminal(),
    };
    loop {
        local.collect(console);
        if local.decided || interrupt.is_set() || local.late() {
            local.next = swarm.searches.len();
            local.ask_to_stop();
        } else {
            local.start_some()?;
        }
        if local.running.is_empty() && local.next == swarm.searches.len() {
            return Ok(Ran { members: local.members, broken: local.broken, _directory: local.directory });
        }
        std::thread::sleep(POLL);
    }
}

struct Running {
    index: usize,
    child: Child,
    asked_to_stop: Option<Instant>,
}

struct Local<'a> {
    swarm: &'a Swarm,
    asked: Option<u32>,
    program: PathBuf,
    directory: Directory,
    deadline: Option<Instant>,
    members: Vec<Member>,
    running: Vec<Running>,
    /// The first search that was not started.
    next: usize,
    decided: bool,
    broken: Option<Exit>,
    announce: bool,
}

impl Local<'_> {
    /// Whether time is up, and the searches did not notice themselves.
    fn late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline + Duration::from_secs(1))
    }

    fn start_some(&mut self) -> Result<(), String> {
        while self.running.len() < self.swarm.workers && self.next < self.swarm.searches.len() {
            let slice = self.slice();
            if slice.is_some_and(|slice| slice < SHORTEST) {
                self.next = self.swarm.searches.len();
                return Ok(());
            }
            let index = self.next;
            self.next += 1;
            match self.start(index, slice) {
                Ok(child) => self.running.push(Running { index, child, asked_to_stop: None }),
                Err(error) if index == 0 => return Err(format!("cannot start a search: {error}")),
                Err(error) => self.members[index].note = format!("could not be started: {error}"),
            }
        }
        Ok(())
    }

    /// The time of the next search: the first one has all there is, the others share it evenly.
    fn slice(&self) -> Option<Duration> {
        let left = self.deadline?.saturating_duration_since(Instant::now());
        let alone = self.swarm.workers == 1;
        if self.next == 0 && !alone {
            return Some(left);
        }
        let first_runs = !alone && self.running.iter().any(|running| running.index == 0);
        let places = self.swarm.workers - usize::from(first_runs);
        let waves = (self.swarm.searches.len() - self.next).div_ceil(places.max(1));
        Some(left / u32::try_from(waves.max(1)).unwrap_or(u32::MAX))
    }

    fn start(&self, index: usize, time: Option<Duration>) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.arg("check").args(self.swarm.arguments(&self.swarm.searches[index]));
        if let Some(time) = time {
            command.args(["--time-limit".to_owned(), format!("{}ms", time.as_millis().max(1))]);
        }
        command.args(["--no-config", "--json", "--quiet", "--color", "never", "--until-stdin-ends", "--trace-out"]);
        command.arg(self.directory.file("trace", index));
        crate::publish::keep_from_github(&mut command);
        command.stdin(Stdio::piped()).stdout(File::create(self.directory.file("search", index))?);
        command.stderr(File::create(self.directory.file("errors", index))?).spawn()
    }

    /// Takes the results of the searches that have ended.
    fn collect(&mut self, console: &mut Console) {
        let mut position = 0;
        while position < self.running.len() {
            let index = self.running[position].index;
            match self.running[position].child.try_wait() {
                Ok(None) => {
                    position += 1;
                    continue;
                }
                Ok(Some(status)) => self.ended(index, status, console),
                Err(error) => self.members[index].note = format!("was lost: {error}"),
            }
            self.running.swap_remove(position);
            if self.announce {
                let (number, member) = (index + 1, &self.members[index]);
                console.stderr(&format!("search {number} [{}]: {}\n", member.label, render::ending(member)));
            }
        }
    }

    fn ended(&mut self, index: usize, status: ExitStatus, console: &mut Console) {
        let read = |kind| fs::read_to_string(self.directory.file(kind, index)).unwrap_or_default();
        let exit = match status.code() {
            Some(0 | 1 | 3 | 4) => match Found::read(&read("search")) {
                Ok(found) => {
                    self.decided |= decides(&found, self.asked);
                    self.members[index].found = Some(found);
                    return;
                }
                Err(error) => {
                    self.members[index].note = error;
                    return;
                }
            },
            Some(2) => Exit::Input,
            Some(_) => Exit::Defect,
            None => {
                self.members[index].note = format!("was terminated without an answer ({status})");
                return;
            }
        };
        console.stderr(&read("errors"));
        self.members[index].note = "failed".to_owned();
        self.broken = Some(self.broken.map_or(exit, |broken| broken.worst(exit)));
        self.decided = true;
    }

    fn ask_to_stop(&mut self) {
        for running in &mut self.running {
            match running.asked_to_stop {
                None => {
                    drop(running.child.stdin.take());
                    running.asked_to_stop = Some(Instant::now());
                }
                Some(since) if since.elapsed() > PATIENCE => {
                    // It may have ended by itself just now.
                    let _ = running.child.kill();
                }
                Some(_) => {}
            }
        }
    }
}

/// Whether no other search can change the answer.
fn decides(found: &Found, asked: Option<u32>) -> bool {
    let exact = found.missed().is_none();
    let within = |asked: u32| {
        found.search.covered.is_some_and(|bound| bound.kind == BoundKind::Preemptions && bound.value >= Some(asked))
    };
    match found.verdict {
        Verdict::Violated => true,
        Verdict::Holds => exact,
        _ => exact && asked.is_some_and(within),
    }
}

/// A directory of our own.
struct Directory(PathBuf);

impl Directory {
    fn new() -> io::Result<Self> {
        let base = std::env::temp_dir();
        for number in 0u32.. {
            let path = base.join(format!("selvedge-swarm-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Directory(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn file(&self, kind: &str, index: usize) -> PathBuf {
        Path::new(&self.0).join(format!("{kind}-{}.json", index + 1))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What cannot be removed is in the directory for what may be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}
