//! Tokens to the syntax tree, by recursive descent; `cursor` has the machinery, the other files one
//! part of the grammar each. Accepts what Spin 6.5 accepts, embedded C aside.
//!
//! An error is reported where it is found and the parser continues at the next separator, closing
//! brace or top-level keyword, so one run shows several mistakes.

mod cursor;
mod decl;
mod expr;
mod foreign;
mod habits;
mod inline;
mod item;
mod ltl;
mod message;
mod recover;
mod stmt;
#[cfg(test)]
mod tests;
mod words;

use std::io;
use std::path::Path;

use selvedge_source::{Diagnostic, Diagnostics, SourceMap, read_text, similar_file};

use crate::ast::{Ltl, Model};
use crate::codes;
use crate::preprocess::{Setup, preprocess};
use cursor::Parser;

/// Reads, preprocesses and parses the model at `path`, whatever it includes. `None` when there were errors.
pub fn parse_file(path: &Path, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<Model> {
    parse_file_including(path, &Setup::default(), &mut |include: &Path| read_text(include), sources, diagnostics)
}

/// As [`parse_file`], with definitions and directories from `setup` and included files from `loader`.
pub fn parse_file_including(
    path: &Path,
    setup: &Setup,
    loader: &mut dyn FnMut(&Path) -> io::Result<String>,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let text = match read_text(path) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            diagnostics.push(Diagnostic::error_without_place(codes::UNREADABLE_FILE, message).help(
                similar_file(path).map_or_else(
                    || "check the path and its permissions".to_owned(),
                    |name| format!("did you mean `{name}`?"),
                ),
            ));
            return None;
        }
    };
    parse_text_with(&path.display().to_string(), &text, setup, loader, sources, diagnostics)
}

/// Parses text that is already in memory. Included files come from `loader`, which gets their path
/// relative to that of the including file. `None` when there were errors.
pub fn parse_text(
    name: &str,
    text: &str,
    loader: &mut dyn FnMut(&Path) -> io::Result<String>,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    parse_text_with(name, text, &Setup::default(), loader, sources, diagnostics)
}

/// As [`parse_text`], with definitions and directories from `setup`.
pub fn parse_text_with(
    name: &str,
    text: &str,
    setup: &Setup,
    loader: &mut dyn FnMut(&Path) -> io::Result<String>,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let mut found = diagnostics.new_with_same_cancel();
    let preprocessed = preprocess(name, text, setup, loader, sources, &mut found);
    let model =
        if preprocessed.complete { Parser::new(preprocessed.tokens, &mut found).model() } else { Model::default() };
    hand_over(found, diagnostics).then_some(model)
}

/// Parses an LTL formula given on the command line. Precedence is that of an `ltl` block.
pub fn parse_ltl(text: &str, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<Ltl> {
    let mut found = Diagnostics::new();
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let preprocessed = preprocess("<formula>", text, &Setup::default(), &mut no_files, sources, &mut found);
    let mut parser = Parser::new(preprocessed.tokens, &mut found);
    let formula = parser.whole_formula().ok();
    if hand_over(found, diagnostics) { formula } else { None }
}

/// Passes messages on; whether there was no error among them.
fn hand_over(found: Diagnostics, diagnostics: &mut Diagnostics) -> bool {
    found.iter().for_each(|d| diagnostics.push(d.clone()));
    found.allow_result()
}
