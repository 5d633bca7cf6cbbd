//! Where the command's words go: answers to stdout, everything else to stderr, with colours only
//! where they are wanted. A reader that went away (`selvedge … | head -1`) is no error.

use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::panic::PanicHookInfo;

use selvedge_report::LaneOptions;
use selvedge_report::answer::{Answer, Problem, Record};
use selvedge_report::diagnostics::Look;

use crate::args::{Color, OutputArgs};

/// Colours of verdicts, as terminals number them.
const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;

/// Columns of what is not a terminal.
const PLAIN_WIDTH: usize = 80;

/// How to talk to the user in this run.
pub struct Console {
    /// Only the verdict, no warnings, no progress.
    pub quiet: bool,
    /// stdout is for the JSON document alone.
    pub json: bool,
    full: bool,
    color_out: bool,
    color_err: bool,
    width: usize,
    /// Nothing moves on the terminal while a search goes on.
    pub still: bool,
    lost: Cell<bool>,
    sections: Cell<u32>,
    records: RefCell<Vec<Record>>,
}

/// Something said, kept to be said later.
pub enum Said {
    /// On stdout.
    Out(String),
    /// The head of a section, on stdout.
    Section(String),
    /// On stderr.
    Err(String),
}

impl Console {
    /// As the options and the terminal want it.
    pub fn new(args: &OutputArgs, json: bool) -> Self {
        let out = io::stdout().is_terminal();
        Console {
            quiet: args.quiet,
            json,
            full: args.full,
            color_out: wants_color(args.color, out),
            color_err: wants_color(args.color, io::stderr().is_terminal()),
            width: width(out),
            still: false,
            lost: Cell::new(false),
            sections: Cell::new(0),
            records: RefCell::default(),
        }
    }

    /// For commands that have nothing to choose.
    pub fn plain() -> Self {
        Console::new(&OutputArgs { quiet: false, full: false, color: Color::Auto }, false)
    }

    /// For one of several models that are looked at at once: the same choices, nothing said yet.
    pub fn for_one_of_several(&self) -> Self {
        Console { still: true, lost: Cell::new(false), sections: Cell::new(0), records: RefCell::default(), ..*self }
    }

    /// Says what was kept, and takes over what is known about the model.
    pub fn say_later(&self, said: Vec<Said>, known: Console) {
        for one in said {
            match one {
                Said::Out(text) => self.answer(&text),
                Said::Section(title) => self.section(&title),
                Said::Err(text) => to_stderr(&text),
            }
        }
        self.kept(!known.lost_output());
        self.records.borrow_mut().extend(known.records.into_inner());
    }

    /// From here on everything is about this model.
    pub fn begin(&self, model: &str) {
        let _ = take_complaint();
        self.records.borrow_mut().push(Record::new(model));
    }

    /// Keeps diagnostics about the model for other programs.
    pub fn keep_problems(&self, problems: impl Iterator<Item = Problem>) {
        if let Some(record) = self.records.borrow_mut().last_mut() {
            record.problems.extend(problems);
        }
    }

    /// Keeps the answer about the model for other programs. Every engine calls this where it tells its answer.
    pub fn keep_answer(&self, answer: impl FnOnce() -> Answer) {
        if let Some(record) = self.records.borrow_mut().last_mut() {
            record.answer = Some(answer());
        }
    }

    /// What is known about each model so far, and of the last one also why there is no answer.
    pub fn records(&self) -> std::cell::RefMut<'_, Vec<Record>> {
        let mut records = self.records.borrow_mut();
        if let Some(record) = records.last_mut()
            && record.answer.is_none()
            && record.failure.is_none()
        {
            record.failure = take_complaint();
        }
        records
    }

    /// How to draw lanes on stdout.
    pub fn lanes(&self) -> LaneOptions {
        LaneOptions { width: self.width, color: self.color_out, full: self.full }
    }

    /// Sentences in lines that fit.
    pub fn wrapped(&self, text: &str) -> String {
        selvedge_report::wrap(text, self.width)
    }

    /// Whether a line is not too wide.
    pub fn fits(&self, line: &str) -> bool {
        line.trim_end().chars().count() <= self.width
    }

    /// Prose as full lines behind `before` columns.
    pub fn filled(&self, text: &str, before: usize) -> String {
        let lines = selvedge_report::fill(text, self.width.saturating_sub(before));
        lines.replace('\n', &format!("\n{}", " ".repeat(before)))
    }

    /// Commands to go on with, in lines that fit and can be copied.
    pub fn commands(&self, text: &str) -> String {
        selvedge_report::wrap_commands(text, self.width)
    }

    /// An answer with its verdict in colour, where colours are wanted: what stands before the first colon.
    pub fn painted(&self, answer: &str) -> String {
        match answer.split_once(':') {
            Some((verdict, rest)) if self.color_out => {
                let color = match verdict {
                    "violated" => RED,
                    _ if verdict.starts_with("holds") => GREEN,
                    _ => YELLOW,
                };
                format!("\x1b[1;{color}m{verdict}\x1b[0m:{rest}")
            }
            _ => answer.to_owned(),
        }
    }

    /// How to draw diagnostics, which go to stderr.
    pub fn look(&self) -> Look {
        Look { width: self.width, color: self.color_err }
    }

    /// How to draw lanes on stderr.
    pub fn lanes_on_stderr(&self) -> LaneOptions {
        LaneOptions { color: self.color_err, ..self.lanes() }
    }

    /// Text for people, on stdout; not with `--json`, not with `--quiet`.
    pub fn tell(&self, text: &str) {
        if !self.json && !self.quiet {
            self.answer(text);
        }
    }

    /// The head of a section, where a run gives several answers.
    pub fn section(&self, title: &str) {
        let Some(title) = keep(title, |title| Said::Section(title.to_owned())) else { return };
        let before = self.sections.replace(self.sections.get() + 1);
        self.tell(&format!("{}{title}:\n", if before > 0 { "\n" } else { "" }));
    }

    /// The answer itself, on stdout.
    pub fn answer(&self, text: &str) {
        let Some(text) = keep(text, |text| Said::Out(text.to_owned())) else { return };
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
            && error.kind() != ErrorKind::BrokenPipe
            && !self.lost.replace(true)
        {
            complain(&format!("cannot write to stdout: {error}"));
        }
    }

    /// Remembers if something could not be written, and passes it on.
    pub fn kept(&self, written: bool) -> bool {
        self.lost.set(self.lost.get() || !written);
        written
    }

    /// Whether something could not be written.
    pub fn lost_output(&self) -> bool {
        self.lost.get()
    }

    /// A warning; not with `--quiet`.
    pub fn warn(&self, message: &str) {
        if !self.quiet {
            sentence(&format!("warning: {message}"));
        }
    }
}

/// An error of the user's: one sentence.
pub fn complain(message: &str) {
    COMPLAINT.set(Some(message.to_owned()));
    sentence(&format!("error: {message}"));
}

thread_local! {
    /// What was complained of last.
    static COMPLAINT: RefCell<Option<String>> = const { RefCell::new(None) };
    /// What this thread says, if it is to be said later.
    static KEPT: RefCell<Option<Vec<Said>>> = const { RefCell::new(None) };
}

/// Does something and keeps what is said meanwhile.
pub fn keeping<T>(work: impl FnOnce() -> T) -> (T, Vec<Said>) {
    KEPT.set(Some(Vec::new()));
    let done = work();
    (done, KEPT.take().unwrap_or_default())
}

/// Keeps a text, or gives it back to be said now.
fn keep(text: &str, said: impl FnOnce(&str) -> Said) -> Option<&str> {
    KEPT.with_borrow_mut(|kept| match kept {
        Some(kept) => {
            kept.push(said(text));
            None
        }
        None => Some(text),
    })
}

fn take_complaint() -> Option<String> {
    COMPLAINT.take()
}

/// What to do about it.
pub fn advise(message: &str) {
    sentence(&format!("help: {message}"));
}

/// What clap says about a command line that it cannot use, in lines that fit.
pub fn refuse(error: &clap::Error) {
    if io::stderr().is_terminal() {
        let _ = error.print();
    } else {
        to_stderr(&selvedge_report::wrap(&error.to_string(), width(false)));
    }
}

/// A sentence on stderr, in lines that fit; all but the first are indented.
fn sentence(text: &str) {
    let columns = width(io::stderr().is_terminal()) - 2;
    let lines: Vec<String> = text.lines().map(|line| selvedge_report::fill(line, columns)).collect();
    to_stderr(&format!("{}\n", lines.join("\n").replace('\n', "\n  ")));
}

/// Text on stderr; there is nobody to tell if that fails.
pub fn to_stderr(text: &str) {
    let Some(text) = keep(text, |text| Said::Err(text.to_owned())) else { return };
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A defect of Selvedge itself.
pub fn report_defect(message: &str) {
    to_stderr(&format!(
        "internal error: {message}\n\
         This is a defect of selvedge {}, not of your model: please report it with the model and the command line.\n",
        env!("CARGO_PKG_VERSION")
    ));
}

/// The panic hook.
pub fn report_panic(info: &PanicHookInfo<'_>) {
    crate::simulate::stepper::give_back_terminal();
    // What the thread said before is lost with it.
    KEPT.set(None);
    let payload = info.payload();
    let words = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let words = words.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned());
    let place = info.location().map(|place| format!(" (at {}:{})", place.file(), place.line())).unwrap_or_default();
    report_defect(&format!("{words}{place}"));
}

fn wants_color(choice: Color, terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

fn width(terminal: bool) -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = if terminal { seen().or(columns) } else { columns };
    width.unwrap_or(PLAIN_WIDTH).max(40)
}
