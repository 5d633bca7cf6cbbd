//! `#include`: where the file is, as `cpp` searches it. `"file"` is searched in the directory of the including file, then
//! in the directories of the setup; `<file>` in these directories only.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use selvedge_source::{Diagnostic, Span};

use super::{MAX_INCLUDE_DEPTH, MAX_INCLUDES, Preprocessor};
use crate::codes;
use crate::lex::{Kind, Token};

/// What a directive includes.
struct Included {
    name: String,
    place: Span,
    /// Written in double quotes.
    quoted: bool,
}

impl Preprocessor<'_> {
    pub(super) fn include(&mut self, span: Span, arguments: &[Token]) {
        let Some(included) = self.included(arguments) else {
            return self.report(
                Diagnostic::error(codes::BAD_INCLUDE, span, "`#include` needs a file name in double quotes")
                    .label("in this directive")
                    .help("write `#include \"file.h\"`; the name is relative to the including file"),
            );
        };
        self.includes += 1;
        if self.files.len() >= MAX_INCLUDE_DEPTH || self.includes > MAX_INCLUDES {
            self.report(
                Diagnostic::error(codes::INCLUDE_DEPTH, included.place, "too many files include each other")
                    .label("this include exceeds the limit")
                    .help("does a file include itself? guard it with `#ifndef NAME`, `#define NAME`, … `#endif`"),
            );
            return self.stop();
        }
        match self.search(&included) {
            Ok((path, text)) => drop(self.open(path, &text)),
            Err((path, error)) => {
                let help = match included.quoted {
                    true => "the name is relative to the directory of the including file; -I DIR names another one",
                    false => "files in angle brackets are searched in the directories that -I DIR names",
                };
                self.report(
                    Diagnostic::error(codes::BAD_INCLUDE, included.place, format!("cannot read `{}`", path.display()))
                        .label(error.to_string())
                        .help(help),
                );
            }
        }
    }

    /// The file that a directive names.
    fn included(&self, arguments: &[Token]) -> Option<Included> {
        let first = arguments.first()?;
        if let Kind::Str(name) = &first.kind {
            return Some(Included { name: name.to_string(), place: first.span, quoted: true });
        }
        let last = arguments.iter().skip(1).find(|token| token.is(">")).filter(|_| first.is("<"))?;
        let place = first.span.to(last.span);
        let name = self.sources.text(place).trim_matches(['<', '>']).trim().to_owned();
        (!name.is_empty()).then_some(Included { name, place, quoted: false })
    }

    /// The first file of that name. If there is none, the error is that of the first place, unless a later one has a
    /// file that must not be read.
    fn search(&mut self, included: &Included) -> Result<(PathBuf, String), (PathBuf, io::Error)> {
        let own = self.files.last().and_then(|file| file.path.parent()).map(Path::to_path_buf).unwrap_or_default();
        let directories = self.directories.iter().cloned();
        let places = std::iter::once(own).filter(|_| included.quoted).chain(directories);
        let mut first: Option<(PathBuf, io::Error)> = None;
        for path in places.map(|directory| directory.join(&included.name)) {
            match (self.loader)(&path) {
                Ok(text) => return Ok((path, text)),
                Err(error) if error.kind() != ErrorKind::NotFound => return Err((path, error)),
                Err(error) => first = first.or(Some((path, error))),
            }
        }
        Err(first.unwrap_or_else(|| (PathBuf::from(&included.name), ErrorKind::NotFound.into())))
    }
}
