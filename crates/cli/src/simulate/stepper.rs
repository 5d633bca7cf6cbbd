//! The full-screen stepper of `simulate --interactive`: one run, back and forth, with what each possible step would cost.
//!
//! `model` knows the run and what a key does to it, `screen` draws a snapshot of it as lines of text; neither knows a
//! terminal, so that tests drive both. This file alone reads keys and writes escape sequences.

mod model;
mod screen;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use crossterm::style::{Attribute, Color, Print, ResetColor, SetAttribute, SetForegroundColor};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};
use selvedge_report::clean;
use selvedge_verify::simulate::{End, Simulation};

use model::{Effect, Key, Stepper};
use screen::{Ink, Line};

/// The smallest screen that shows anything.
const SMALLEST: (u16, u16) = (40, 10);

/// Whether the terminal is in the stepper's hands.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// Whether the user sits at a terminal that is large enough.
pub fn fits() -> bool {
    let large = terminal::size().is_ok_and(|(columns, rows)| columns >= SMALLEST.0 && rows >= SMALLEST.1);
    io::stdin().is_terminal() && io::stdout().is_terminal() && large
}

/// Lets the user choose until the end.
pub fn choose_steps(run: &mut Simulation, color: bool) -> io::Result<End> {
    let mut stepper = Stepper::new(run);
    let _screen = FullScreen::enter()?;
    loop {
        draw(&stepper.snapshot(), color)?;
        let Some(key) = next_key()? else { continue };
        match stepper.press(key) {
            Effect::None => {}
            Effect::Save(path) => {
                let saved = super::save_run(stepper.run(), Path::new(&path));
                stepper.report(match saved {
                    Ok(()) => format!("saved: {path}"),
                    Err(refusal) => refusal.to_string(),
                });
            }
            Effect::Quit => return Ok(stepper.end()),
        }
    }
}

/// The next key that means something; `None` where only the screen has changed.
fn next_key() -> io::Result<Option<Key>> {
    let Event::Key(KeyEvent { code, modifiers, kind, .. }) = read()? else { return Ok(None) };
    if kind == KeyEventKind::Release {
        return Ok(None);
    }
    let control = modifiers.contains(KeyModifiers::CONTROL);
    Ok(match code {
        KeyCode::Char('c' | 'd') if control => Some(Key::Interrupt),
        KeyCode::Char(c) => Some(Key::Char(c)),
        KeyCode::Enter => Some(Key::Enter),
        KeyCode::Esc => Some(Key::Escape),
        KeyCode::Backspace => Some(Key::Backspace),
        KeyCode::Up => Some(Key::Up),
        KeyCode::Down => Some(Key::Down),
        KeyCode::Left => Some(Key::Left),
        KeyCode::Right => Some(Key::Right),
        KeyCode::Home => Some(Key::Home),
        KeyCode::End => Some(Key::End),
        KeyCode::PageUp => Some(Key::PageUp),
        KeyCode::PageDown => Some(Key::PageDown),
        _ => None,
    })
}

fn draw(snapshot: &model::Snapshot, color: bool) -> io::Result<()> {
    let (columns, rows) = terminal::size()?;
    let lines = screen::draw(snapshot, usize::from(columns), usize::from(rows));
    let mut out = io::stdout().lock();
    for (row, line) in lines.iter().enumerate() {
        queue!(out, MoveTo(0, u16::try_from(row).unwrap_or(u16::MAX)), Clear(ClearType::CurrentLine))?;
        write_line(&mut out, line, color)?;
    }
    queue!(out, Clear(ClearType::FromCursorDown))?;
    out.flush()
}

fn write_line(out: &mut impl Write, line: &Line, color: bool) -> io::Result<()> {
    for (ink, text) in &line.0 {
        match ink {
            Ink::Plain => {}
            Ink::Bold => queue!(out, SetAttribute(Attribute::Bold))?,
            Ink::Dim => queue!(out, SetAttribute(Attribute::Dim))?,
            Ink::Chosen => queue!(out, SetAttribute(Attribute::Reverse))?,
            Ink::Cost if color => queue!(out, SetForegroundColor(Color::Yellow))?,
            Ink::Fault if color => queue!(out, SetForegroundColor(Color::Red))?,
            Ink::Changed if color => queue!(out, SetForegroundColor(Color::Green))?,
            Ink::Cost | Ink::Fault | Ink::Changed => queue!(out, SetAttribute(Attribute::Bold))?,
        }
        queue!(out, Print(clean(text, false)), ResetColor, SetAttribute(Attribute::Reset))?;
    }
    Ok(())
}

/// The terminal in the stepper's hands, given back when this is dropped.
struct FullScreen;

impl FullScreen {
    fn enter() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        ACTIVE.store(true, Ordering::SeqCst);
        let screen = FullScreen;
        execute!(io::stdout(), EnterAlternateScreen, Hide)?;
        Ok(screen)
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        give_back_terminal();
    }
}

/// Gives the terminal back, if the stepper has it. A panic says so before it speaks.
pub fn give_back_terminal() {
    if ACTIVE.swap(false, Ordering::SeqCst) {
        // A failure cannot be reported anywhere.
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
        let _ = terminal::disable_raw_mode();
    }
}
