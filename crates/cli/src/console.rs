//! Output of the command: answers to stdout, everything else to stderr, with colours only where they are wanted. A closed
//! pipe (`selvedge … | head -1`) is no error. Nothing else in this crate
//! prints, apart from the stepper, which draws on the whole screen.
//!
//! Names of files, source lines and what a model prints were written by others, so everything passes `clean` here, apart
//! from documents that must not lose a byte.

use std::io::{self, ErrorKind, IsTerminal, Write};

use selvedge_report::diagnostics::Style;
use selvedge_report::{LaneOptions, clean};

use crate::args::{Color, Format, OutputArgs};

/// Colours of verdicts, as terminals number them.
const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;

/// Columns of what is not a terminal.
const PLAIN_WIDTH: usize = 80;

/// The output settings of this run.
pub struct Console {
    /// Only the verdict, no warnings, no progress.
    pub quiet: bool,
    /// stdout is for JSON documents alone.
    pub json: bool,
    /// There are several documents, each on one line (JSON Lines).
    pub one_line_json: bool,
    full: bool,
    color_out: bool,
    color_err: bool,
    width: usize,
    /// How diagnostics are drawn.
    pub format: Format,
    /// Something could not be written.
    lost: bool,
    /// An answer is on stdout, which is no document.
    answered: bool,
    sections: u32,
    /// Messages to be emitted later, if they are not emitted at once.
    buffer: Option<Vec<Message>>,
}

/// Something to be printed.
pub enum Message {
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
            one_line_json: false,
            full: args.full,
            color_out: wants_color(args.color, out),
            color_err: wants_color(args.color, io::stderr().is_terminal()),
            width: width(out),
            format: Format::Full,
            lost: false,
            answered: false,
            sections: 0,
            buffer: None,
        }
    }

    /// For commands without output options.
    pub fn plain() -> Self {
        Console::new(&OutputArgs { quiet: false, full: false, color: Color::Auto }, false)
    }

    /// The same console with diagnostics in this format.
    pub fn with_format(self, format: Format) -> Self {
        Console { format, ..self }
    }

    /// A console with the same choices that keeps its messages: for one of several models that are checked in parallel.
    pub fn buffered(&self) -> Self {
        Console { lost: false, answered: false, sections: 0, buffer: Some(Vec::new()), ..*self }
    }

    /// A console with the same choices that prints at once.
    pub fn again(&self) -> Self {
        Console { lost: false, answered: false, sections: 0, buffer: None, ..*self }
    }

    /// Whether messages are kept, so that nothing may move on the terminal.
    pub fn is_buffered(&self) -> bool {
        self.buffer.is_some()
    }

    /// Emits the messages that another console has kept.
    pub fn emit_all_of(&mut self, other: Console) {
        for message in other.buffer.into_iter().flatten() {
            match message {
                Message::Out(text) => self.answer(&text),
                Message::Section(title) => self.section(&title),
                Message::Err(text) => self.stderr(&text),
            }
        }
        self.lost |= other.lost;
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

    /// Commands to continue with, in lines that fit and can be copied.
    pub fn commands(&self, text: &str) -> String {
        selvedge_report::wrap_commands(text, self.width)
    }

    /// An answer with its verdict in colour, where colours are wanted: the text before the first colon.
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
    pub fn style(&self) -> Style {
        Style { width: self.width, color: self.color_err }
    }

    /// How to draw lanes on stderr.
    pub fn lanes_on_stderr(&self) -> LaneOptions {
        LaneOptions { color: self.color_err, ..self.lanes() }
    }

    /// Text for people, on stdout; not with `--json`, not with `--quiet`.
    pub fn inform(&mut self, text: &str) {
        if !self.json && !self.quiet {
            self.answer(text);
        }
    }

    /// The head of a section, where a run gives several answers.
    pub fn section(&mut self, title: &str) {
        if let Some(buffer) = &mut self.buffer {
            buffer.push(Message::Section(title.to_owned()));
            return;
        }
        let gap = if self.sections > 0 { "\n" } else { "" };
        self.sections += 1;
        self.inform(&format!("{gap}{title}:\n"));
    }

    /// The answer itself, on stdout.
    pub fn answer(&mut self, text: &str) {
        if let Some(buffer) = &mut self.buffer {
            buffer.push(Message::Out(text.to_owned()));
            return;
        }
        let text = clean(text, self.color_out);
        self.answered = true;
        self.print(&text);
    }

    /// A file on stdout instead of on disk, byte for byte.
    pub fn document(&mut self, text: &str) {
        self.print(text);
    }

    fn print(&mut self, text: &str) {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        drop(out);
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
            && !std::mem::replace(&mut self.lost, true)
        {
            self.error(&format!("cannot write to stdout: {error}"));
        }
    }

    /// Remembers that something could not be written.
    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// Whether stdout has an answer for people, not a document.
    pub fn printed_answer(&self) -> bool {
        self.answered
    }

    /// Whether something could not be written.
    pub fn lost_output(&self) -> bool {
        self.lost
    }

    /// A warning; not with `--quiet`.
    pub fn warn(&mut self, message: &str) {
        if !self.quiet {
            self.sentence(&format!("warning: {message}"));
        }
    }

    /// An error of the user's: one sentence.
    pub fn error(&mut self, message: &str) {
        self.sentence(&format!("error: {message}"));
    }

    /// What to do about it.
    pub fn help(&mut self, message: &str) {
        self.sentence(&format!("help: {message}"));
    }

    /// A defect of Selvedge itself.
    pub fn defect(&mut self, message: &str) {
        self.stderr(&defect(message));
    }

    /// Text on stderr.
    pub fn stderr(&mut self, text: &str) {
        match &mut self.buffer {
            Some(buffer) => buffer.push(Message::Err(text.to_owned())),
            None => to_stderr(&clean(text, self.color_err)),
        }
    }

    /// A sentence on stderr, in lines that fit; all but the first are indented.
    fn sentence(&mut self, text: &str) {
        let columns = width(io::stderr().is_terminal()) - 2;
        let lines: Vec<String> = text.lines().map(|line| selvedge_report::fill(line, columns)).collect();
        self.stderr(&format!("{}\n", lines.join("\n").replace('\n', "\n  ")));
    }
}

/// Prints clap's error about a command line, in lines that fit.
pub fn refuse(error: &clap::Error) {
    if io::stderr().is_terminal() {
        let colored = wants_color(Color::Auto, true);
        let text = error.render();
        to_stderr(&clean(&if colored { text.ansi().to_string() } else { text.to_string() }, colored));
    } else {
        to_stderr(&clean(&selvedge_report::wrap(&error.to_string(), width(false)), false));
    }
}

/// Text on stderr, at once and as it is; nothing is left to do if that fails.
pub fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// The words for a defect of Selvedge itself.
pub fn defect(message: &str) -> String {
    format!(
        "internal error: {message}\n\
         This is a bug in selvedge {}, not in your model: please report it with the model and the command line.\n",
        env!("CARGO_PKG_VERSION")
    )
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
