//! Files, spans and diagnostics as data. This crate knows nothing of models, engines or terminals:
//! languages fill in [`Diagnostic`]s, `report` renders them.
#![forbid(unsafe_code)]

mod cancel;
mod diagnostic;
mod file;
mod input;
mod map;
mod spelling;

pub use cancel::Cancel;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use file::{read_text, read_text_from, similar_file};
pub use input::{Size, read_utf8};
pub use map::{FileId, Location, SourceFile, SourceMap, Span};
pub use spelling::{distance, misspelt, nearest};
