//! Tables in Markdown, aligned so that they read well on a terminal too.

use std::fmt;

/// A table with a head.
pub struct Table {
    rows: Vec<Vec<String>>,
    /// Columns whose cells are numbers stand to the right.
    numeric: Vec<bool>,
}

impl Table {
    /// A table with these columns; those whose name begins with `#` hold numbers.
    pub fn new(columns: &[&str]) -> Table {
        let numeric = columns.iter().map(|c| c.starts_with('#')).collect();
        let head = columns.iter().map(|c| c.trim_start_matches('#').to_owned()).collect();
        Table { rows: vec![head], numeric }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.numeric.len(), "a cell for each column");
        self.rows.push(cells.into_iter().map(|c| c.replace('|', "\\|")).collect());
    }

    /// Whether it has no rows but the head.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |text: &String| text.chars().count();
        let width = |column: usize| self.rows.iter().map(|r| length(&r[column])).max().unwrap_or(0).max(3);
        let widths: Vec<usize> = (0..self.numeric.len()).map(width).collect();
        for (number, row) in self.rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let width = widths[column];
                if self.numeric[column] {
                    write!(f, "| {cell:>width$} ")?;
                } else {
                    write!(f, "| {cell:width$} ")?;
                }
            }
            writeln!(f, "|")?;
            if number == 0 {
                for (column, width) in widths.iter().enumerate() {
                    let dashes = "-".repeat(width - 1);
                    if self.numeric[column] { write!(f, "| {dashes}: ")? } else { write!(f, "| -{dashes} ")? }
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// A number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligns() {
        let mut table = Table::new(&["model", "#states"]);
        table.row(vec!["a".to_owned(), grouped(1_234_567)]);
        assert_eq!(table.to_string(), "| model |    states |\n| ----- | --------: |\n| a     | 1,234,567 |\n");
    }
}
