//! Colours of a terminal. A [`Line`] is built of styled pieces; it becomes bytes at
//! the very end, with escape sequences or without any.

use crate::text::width;

/// How a piece looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    /// What went wrong.
    Fault,
    /// A preemption.
    Preemption,
    /// The colour of a lane.
    Lane(usize),
}

impl Style {
    fn codes(self) -> &'static str {
        const LANES: [&str; 5] = ["36", "32", "35", "34", "33"];
        match self {
            Style::Plain => "",
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Fault => "1;31",
            Style::Preemption => "1;33",
            Style::Lane(lane) => LANES[lane % LANES.len()],
        }
    }
}

/// One line of output.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pieces: Vec<(Style, String)>,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with(style: Style, text: impl Into<String>) -> Self {
        let mut line = Line::new();
        line.push(style, text);
        line
    }

    pub(crate) fn push(&mut self, style: Style, text: impl Into<String>) {
        self.pieces.push((style, text.into()));
    }

    /// Adds `text` and blanks up to `columns`.
    pub(crate) fn pad(&mut self, style: Style, text: &str, columns: usize) {
        self.push(style, text);
        self.push(Style::Plain, " ".repeat(columns.saturating_sub(width(text))));
    }

    /// Appends the line and its end to `out`, without blanks at the end.
    pub(crate) fn write(mut self, color: bool, out: &mut String) {
        while let Some((_, text)) = self.pieces.last_mut() {
            text.truncate(text.trim_end().len());
            if !text.is_empty() {
                break;
            }
            self.pieces.pop();
        }
        for (style, text) in self.pieces.iter().filter(|(_, text)| !text.is_empty()) {
            match style.codes() {
                codes if color && !codes.is_empty() => out.push_str(&format!("\x1b[{codes}m{text}\x1b[0m")),
                _ => out.push_str(text),
            }
        }
        out.push('\n');
    }
}
