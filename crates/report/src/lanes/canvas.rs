//! The lanes' part of one row. Only one or two threads act in a row, so a long statement may run on
//! over the empty lanes to its right (their bars give way), and an arrow crosses the lanes between
//! sender and receiver.

use crate::style::{Line, Style};
use crate::text::{cut, width};

/// Columns of a row from the bar before the first lane on.
pub(super) struct Canvas {
    cells: Vec<(Style, char)>,
    /// The columns of the bars; a lane's text starts two columns after its bar.
    bars: Vec<usize>,
}

impl Canvas {
    /// Empty lanes. `starts` are the columns where they start (each with ` │ `) and where the last
    /// one ends.
    pub(super) fn new(starts: Vec<usize>) -> Canvas {
        let (end, lanes) = starts.split_last().map_or((0, &[][..]), |(end, lanes)| (*end, lanes));
        let bars: Vec<usize> = lanes.iter().map(|start| start + 1).collect();
        let mut cells = vec![(Style::Plain, ' '); end];
        for bar in &bars {
            cells[*bar] = (Style::Dim, '│');
        }
        Canvas { cells, bars }
    }

    pub(super) fn width(&self) -> usize {
        self.cells.len()
    }

    /// Writes `text` into a lane and, if need be, on over the lanes to its right, at most up to
    /// column `end`.
    pub(super) fn put(&mut self, lane: usize, style: Style, text: &str, end: usize) {
        let Some(start) = self.bars.get(lane).map(|bar| bar + 2) else { return };
        let end = end.max(self.width());
        let text = cut(text, end.saturating_sub(start));
        let stop = start + width(&text);
        if self.width() < stop {
            self.cells.resize(stop, (Style::Plain, ' '));
        }
        for (cell, symbol) in self.cells[start..].iter_mut().zip(text.chars()) {
            *cell = (style, symbol);
        }
        // A bar that the text touches would look like a part of it.
        if let Some(cell) = self.bars.contains(&stop).then(|| self.cells.get_mut(stop)).flatten() {
            *cell = (Style::Plain, ' ');
        }
    }

    /// Sender and receiver (lane and statement) with an arrow between them.
    pub(super) fn arrow(&mut self, sender: (usize, &str), receiver: (usize, &str), end: usize) {
        let rightwards = sender.0 < receiver.0;
        let (left, right) = if rightwards { (sender, receiver) } else { (receiver, sender) };
        let (from, to) = (self.bars[left.0] + 2, self.bars[right.0] + 2);
        let text = cut(left.1, to.saturating_sub(from + 3));
        self.put(left.0, Style::Lane(left.0), &text, 0);
        let shaft = from + width(&text) + 1..to;
        for column in shaft.clone() {
            let crossing = self.bars.contains(&column);
            self.cells[column] = (Style::Plain, if crossing { '┼' } else { '─' });
        }
        let tip = if rightwards { shaft.end } else { shaft.start };
        self.put(right.0, Style::Lane(right.0), &format!("─ {}", right.1), end);
        self.cells[to] = (Style::Plain, '─');
        self.cells[tip] = (Style::Plain, if rightwards { '▶' } else { '◀' });
    }

    /// A dashed line from the lane of a step that is not seen to the lane of the one that does not see it, which has a cross.
    pub(super) fn missing(&mut self, (from, step): (usize, &str), (to, text): (usize, &str), end: usize) {
        let rightwards = from < to;
        let (left, right) = if rightwards { ((from, step), (to, text)) } else { ((to, text), (from, step)) };
        let (start, stop) = (self.bars[left.0] + 2, self.bars[right.0] + 2);
        let text = cut(left.1, stop.saturating_sub(start + 3));
        self.put(left.0, Style::Dim, &text, 0);
        let shaft = start + width(&text) + 1..stop - 1;
        for column in shaft.clone() {
            self.cells[column] = (Style::Fault, if self.bars.contains(&column) { '┆' } else { '┄' });
        }
        let tip = if rightwards { shaft.end.saturating_sub(1) } else { shaft.start };
        self.cells[tip] = (Style::Fault, '✗');
        self.put(right.0, Style::Dim, right.1, end);
    }

    /// Appends the row to a line.
    pub(super) fn write(self, line: &mut Line) {
        for group in self.cells.chunk_by(|a, b| a.0 == b.0) {
            line.push(group[0].0, group.iter().map(|(_, symbol)| *symbol).collect::<String>());
        }
    }
}
