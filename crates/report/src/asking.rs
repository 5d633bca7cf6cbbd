//! Text that is written until it is cancelled: for JSON, whose writer does not ask by itself.

use std::io;

use selvedge_source::Cancel;

/// Pieces of text between two questions whether to go on.
const ASK_EVERY: usize = 4096;

/// Keeps what is written, and fails when it is cancelled.
pub(crate) struct Asking<'c> {
    text: Vec<u8>,
    cancel: &'c Cancel,
    pieces: usize,
}

impl<'c> Asking<'c> {
    pub(crate) fn until(cancel: &'c Cancel) -> Self {
        Asking { text: Vec::new(), cancel, pieces: 0 }
    }

    /// What was written.
    pub(crate) fn text(self) -> Option<String> {
        String::from_utf8(self.text).ok()
    }
}

impl io::Write for Asking<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.cancel.asks_at(self.pieces, ASK_EVERY) {
            return Err(io::Error::other("cancelled"));
        }
        self.pieces += 1;
        self.text.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
