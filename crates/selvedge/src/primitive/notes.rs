//! What a step did, for the report of a failing run: arguments, result and the new value of the object, packed into
//! the one text that the runtime keeps for a step. Only formatted while a run is recorded.

use std::fmt::Debug;

const SEPARATOR: char = '\u{1f}';

/// Tells the arguments, the result and the new value of the step just made; each may be empty.
#[inline]
pub(crate) fn note(text: impl FnOnce() -> [String; 3]) {
    selvedge_stateless::rt::note(|| text().join("\u{1f}"));
}

/// A value in a note.
pub(crate) fn show(value: &impl Debug) -> String {
    format!("{value:?}")
}

/// What a note says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Note<'a> {
    pub(crate) arguments: &'a str,
    pub(crate) result: &'a str,
    pub(crate) value: &'a str,
}

/// Takes a note apart; the runtime's own notes are results.
pub(crate) fn read(note: &str) -> Note<'_> {
    let mut parts = note.split(SEPARATOR);
    let first = parts.next().unwrap_or("");
    match (parts.next(), parts.next()) {
        (Some(result), value) => Note { arguments: first, result, value: value.unwrap_or("") },
        _ => Note { arguments: "", result: first, value: "" },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_taken_apart() {
        let packed = ["1", "0", "2"].join("\u{1f}");
        assert_eq!(read(&packed), Note { arguments: "1", result: "0", value: "2" });
        assert_eq!(read("would block"), Note { arguments: "", result: "would block", value: "" });
        assert_eq!(read(""), Note::default());
    }
}
