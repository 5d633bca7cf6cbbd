//! The end of a check: what is printed, what is kept, and the panic that fails the test. This is the library's only
//! place that prints.

use std::cell::RefCell;
use std::io::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use selvedge_stateless::{Aborting, Nondeterminism, Overflow, Progress, Stalled, Stop, ThreadId};

use super::report::{Report, Violation};
use super::{environment, regressions, render, summary};

/// How to see the run in a browser, where no trace was asked for.
const SAVE_IT: &str = "view: run it with SELVEDGE_TRACE_OUT=bug.json, then `selvedge view bug.json`";

/// A check under way.
pub(super) struct Check<'a> {
    /// The test.
    pub(super) name: &'a str,
    /// Who asked for it.
    pub(super) called_at: &'static Location<'static>,
    /// Where failing schedules are kept.
    pub(super) file: Option<PathBuf>,
}

/// What became of the schedules that failed before.
#[derive(Default)]
pub(super) struct Again {
    pub(super) passed: usize,
    stale: Vec<String>,
}

impl Again {
    /// A schedule that cannot be followed any more is no success: say so.
    pub(super) fn stale(&mut self, schedule: &str, why: &str) {
        self.stale.push(format!("{schedule}: {why}"));
    }
}

/// Tells of a bound that is complete, if the test wants to hear it, and in any case what may take for ever: around the
/// capture, because the end of the test may not come.
pub(super) fn log_progress(log: bool, name: &str, event: &Progress) {
    match event {
        Progress::BoundComplete(stats) if log => {
            println!("selvedge: {name}: bound {} complete: {} executions", stats.bound, stats.executions);
        }
        Progress::BoundComplete(_) => {}
        Progress::GivenUp { steps, thread, at } => {
            let _ = writeln!(
                std::io::stderr(),
                "selvedge: {name}: a run was given up after {steps} steps: {thread} keeps running at {at} while other enabled \
                 threads never run. A loop that waits for another thread needs `thread::yield_now` or `hint::spin_loop`; a run that \
                 is only long needs a larger `max_branches`"
            );
        }
    }
}

thread_local! {
    /// The check under way on this OS thread, for its last words: the test, and where failing schedules are kept.
    static CHECKING: RefCell<(String, Option<PathBuf>)> = const { RefCell::new((String::new(), None)) };
}

/// A check begins.
pub(super) fn checking(name: &str, file: Option<&Path>) {
    CHECKING.with_borrow_mut(|(test, kept)| {
        name.clone_into(test);
        *kept = file.map(Path::to_owned);
    });
}

/// Where failing schedules of the check under way are kept.
pub(super) fn kept_in() -> Option<PathBuf> {
    CHECKING.with_borrow(|(_, kept)| kept.clone())
}

/// A thread has used up its stack, and the process will end. Says so without allocating: this is a signal handler.
pub(super) fn overflow_words(overflow: &Overflow, out: &mut dyn fmt::Write) {
    let Overflow { thread, bytes } = *overflow;
    let mut print = |name: &str| {
        let _ = write!(out, "\nselvedge: {name}: ");
        let _ = match thread {
            Some(ThreadId(0)) => out.write_str("the main thread of the model"),
            Some(ThreadId(n)) => write!(out, "thread {n} of the model"),
            None => out.write_str("a thread of the model"),
        };
        let _ = write!(
            out,
            " has used up its stack of {} KiB.\nIf it does not recurse forever, enlarge it: Builder::stack_size (bytes) \
             for all threads of a check, thread::Builder::stack_size for one.\n",
            bytes / 1024
        );
    };
    let printed = CHECKING.try_with(|checking| checking.try_borrow().map(|checking| print(&checking.0)).is_ok());
    if !matches!(printed, Ok(true)) {
        print("a test");
    }
}

/// The program does not come back. Around the capture: the end of the test may not come.
pub(super) fn stalled(name: &str, stalled: &Stalled) {
    let Stalled { thread: ThreadId(thread), since, time } = stalled;
    let thread = if *thread == 0 { "the main thread".to_owned() } else { format!("thread {thread}") };
    let since = since.map_or("its start".to_owned(), |at| format!("the operation at {at}"));
    let _ = writeln!(
        std::io::stderr(),
        "selvedge: {name}: {thread} has run for {:.0} s without an operation of selvedge, since {since}. Usual causes: it \
         waits for a lock of std (or of another crate) that a thread of the model holds, which is a deadlock here: use \
         selvedge::sync; it waits for something outside of the model; it loops",
        time.as_secs_f64()
    );
}

/// The process will be aborted, and whatever was captured is lost: says why around the capture, and keeps the schedule.
pub(super) fn last_words(aborting: &Aborting) {
    let Aborting { message, location, schedule } = aborting;
    let place = location.as_ref().map_or(String::new(), |(file, line, column)| format!(" at {file}:{line}:{column}"));
    CHECKING.with_borrow(|(name, file)| {
        let kept = match file.as_deref().map(|f| (f, regressions::keep(f, name, schedule, message))) {
            Some((file, Ok(()))) => format!("kept in {}; the next run starts with it\n", shown(file)),
            Some((_, Err(error))) => format!("not kept: {error}\n"),
            None => String::new(),
        };
        let _ = write!(
            std::io::stderr(),
            "\nselvedge: {name}: a destructor panicked{place} while an earlier panic unwound its thread, for which Rust \
             aborts the process: {message}\n{}\n{kept}",
            render::replay_line(name, schedule),
        );
    });
}

impl Check<'_> {
    /// The schedules kept for this test.
    #[track_caller]
    pub(super) fn kept(&self) -> Vec<String> {
        let Some(file) = &self.file else { return Vec::new() };
        regressions::load(file).unwrap_or_else(|error| panic!("selvedge: {error}"))
    }

    /// `SELVEDGE_REPLAY` asked for one schedule.
    #[track_caller]
    pub(super) fn replayed(&self, report: Report) {
        match (&report.stop, &report.violation) {
            (Stop::BadSchedule(why), _) => panic!("selvedge: SELVEDGE_REPLAY does not fit {}: {why}", self.name),
            (Stop::Nondeterminism(difference), _) => panic!("{}", nondeterministic(difference)),
            (_, Some(violation)) => self.fail(violation, &[]),
            _ => println!("selvedge: {}: {report}", self.name),
        }
    }

    /// A schedule kept from an earlier failure fails still.
    #[track_caller]
    pub(super) fn failed_again(&self, report: Report) -> ! {
        let violation = report.violation.as_ref().expect("asked before");
        let file = self.file.as_deref().map_or(String::new(), shown);
        self.fail(violation, &[format!("this schedule failed before: {file}")]);
    }

    /// The whole search is over.
    #[track_caller]
    pub(super) fn finish(&self, report: Report, again: &Again, require_complete: bool) {
        for stale in &again.stale {
            // Around the capture of passing tests: a stale schedule would otherwise never be noticed.
            let _ = writeln!(std::io::stderr(), "selvedge: {}: a kept schedule no longer fits: {stale}", self.name);
        }
        if let Stop::Nondeterminism(difference) = &report.stop {
            panic!("{}", nondeterministic(difference));
        }
        if let Stop::Disagreement(disagreement) = &report.stop {
            let replay = disagreement.schedule.as_ref().map(|schedule| render::replay_line(self.name, schedule));
            panic!("{}\n{}", summary::internal_error(disagreement), replay.unwrap_or_default());
        }
        if let Stop::Unsupported(why) = &report.stop {
            panic!("selvedge: {}: {why}", self.name);
        }
        if let Some(violation) = &report.violation {
            let notes = self.keep(violation);
            self.fail(violation, &notes);
        }
        if let Some(why) = summary::nothing_checked(&report) {
            panic!("selvedge: {}: {why}", self.name);
        }
        let passed = match again.passed {
            0 => String::new(),
            1 => "; 1 earlier failure passes now".to_owned(),
            n => format!("; {n} earlier failures pass now"),
        };
        let line = format!("selvedge: {}: {report}{passed}", self.name);
        if report.complete && !summary::is_doubtful(&report) {
            println!("{line}");
        } else if require_complete && !report.complete {
            panic!("{line}");
        } else {
            // Around the capture of passing tests: a green test that is incomplete, or checks nothing, must not look complete.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    /// Keeps the schedule for the next time, unless the test is expected to fail; what to say about it.
    fn keep(&self, violation: &Violation) -> Vec<String> {
        let Some(file) = &self.file else { return Vec::new() };
        if regressions::is_expected_to_fail(self.name, self.called_at) {
            return Vec::new();
        }
        let place = violation.location.as_deref().unwrap_or("no place");
        let comment = format!("{} ({place})", violation.message);
        match regressions::keep(file, self.name, &violation.schedule, &comment) {
            Ok(()) => vec![format!("kept in {}; the next run starts with it", shown(file))],
            Err(error) => vec![format!("not kept: {error}")],
        }
    }

    /// Writes the files that the environment asks for; what to say about them.
    fn files(&self, violation: &Violation) -> Vec<String> {
        let trace = environment::trace_out(self.name).map(|file| match write(&file, &violation.trace_json()) {
            Ok(()) => format!("trace: {0}\nview: selvedge view {0}", shown(&file)),
            Err(error) => format!("the trace was not written: {}: {error}", shown(&file)),
        });
        let page = environment::html_out(self.name).map(|file| match write(&file, &violation.html()) {
            Ok(()) => format!("view: open {} in a browser", shown(&file)),
            Err(error) => format!("the view was not written: {}: {error}", shown(&file)),
        });
        if trace.is_none() && page.is_none() {
            return vec![SAVE_IT.to_owned()];
        }
        trace.into_iter().chain(page).collect()
    }

    /// Fails the test.
    #[track_caller]
    fn fail(&self, violation: &Violation, notes: &[String]) -> ! {
        let mut text = violation.text.clone();
        let whole = if violation.text == violation.full_text { None } else { whole_report(self.name, violation) };
        for line in notes.iter().cloned().chain(whole).chain(self.files(violation)) {
            text.push('\n');
            text.push_str(&line);
        }
        panic!("{text}\n");
    }
}

/// Writes the whole report beside the test binary; what to say about it.
fn whole_report(name: &str, violation: &Violation) -> Option<String> {
    let binary = std::env::current_exe().ok()?;
    let directory = binary.parent()?.join("selvedge-reports");
    let file = regressions::file(&directory, name);
    fs::create_dir_all(&directory).ok()?;
    fs::write(&file, &violation.full_text).ok()?;
    Some(format!("the whole report: {}", shown(&file)))
}

/// Writes a file and the directory for it.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(directory) = file.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        fs::create_dir_all(directory)?;
    }
    fs::write(file, text)
}

/// A path as short as it can be shown.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    file.strip_prefix(here).unwrap_or(file).display().to_string()
}

fn nondeterministic(difference: &Nondeterminism) -> String {
    let Nondeterminism { step, expected, found } = difference;
    let when = if *step > 0 { format!("After {step} steps it") } else { "It".to_owned() };
    format!(
        "selvedge: the test does not do the same under the same schedule.\n\
         {when} did `{expected}` once, and now `{found}`.\n\
         Usual causes: the order of a HashMap, the clock, addresses used as values, random numbers, state kept in \
         statics that selvedge does not know, real threads or files."
    )
}
