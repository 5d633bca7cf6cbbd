//! Options from the project's file: the first `selvedge.toml` from the current directory upward. It has a table for each
//! command, and in it the long names of its options:
//!
//! ```toml
//! [check]
//! time-limit = "5m"
//! fair = true
//! ```

use std::ops::Range;
use std::path::{Path, PathBuf};

use selvedge_source::{Diagnostic, Diagnostics, FileId, Size, SourceMap, Span, read_utf8};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::codes;
use super::owner::is_trusted;
use super::table::{Setting, Table, Value, nearest};
use crate::output_file;

const NAME: &str = "selvedge.toml";

/// The project's file, if there is one, as a path from here.
pub fn find() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let levels = here.ancestors().enumerate();
    let found = levels.map(|(level, directory)| (level, directory.join(NAME))).find(|(_, path)| path.is_file());
    found.map(|(level, _)| std::iter::repeat_n("..", level).collect::<PathBuf>().join(NAME))
}

/// The values of the project's file. What is wrong with it is an error, whatever command runs.
pub fn settings(tables: &[Table], sources: &mut SourceMap, found: &mut Diagnostics) -> Vec<Setting> {
    let Some(path) = find() else { return Vec::new() };
    if !may_be_read(&path) {
        return Vec::new();
    }
    let Some(text) = read(&path, found) else { return Vec::new() };
    parse(tables, &path.display().to_string(), &text, sources, found)
}

/// The values in the text of a project's file.
pub fn parse(
    tables: &[Table],
    name: &str,
    text: &str,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Vec<Setting> {
    let file = sources.add(name, text);
    let mut reader = Reader { tables, sources, file, found, settings: Vec::new() };
    match DeTable::parse(text) {
        Ok(document) => reader.document(document.get_ref()),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            reader.complain(codes::NOT_TOML, span, format!("this is not TOML: {}", error.message().trim()));
        }
    }
    reader.settings
}

/// Whether a project file is ours: neither somebody else's nor a link to something that is no project file.
pub fn may_be_read(path: &Path) -> bool {
    let ours = std::fs::metadata(path).is_ok_and(|metadata| is_trusted(&metadata));
    let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.file_type().is_symlink());
    let named = path.canonicalize().is_ok_and(|real| real.extension().is_some_and(|ending| ending == "toml"));
    ours && (named || !is_link)
}

/// The values of an option that may be repeated.
fn strings(values: &DeArray<'_>) -> Result<Value, String> {
    let text = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        _ => Err("takes a list of strings".to_owned()),
    };
    values.iter().map(text).collect::<Result<Vec<_>, _>>().map(Value::List)
}

fn read(path: &Path, found: &mut Diagnostics) -> Option<String> {
    let complain = |error: std::io::Error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        found.push(Diagnostic::error_without_place(codes::UNREADABLE, message));
    };
    output_file::protect(path);
    read_utf8(path, Size::Settings).map_err(complain).ok()
}

struct Reader<'a> {
    tables: &'a [Table],
    sources: &'a SourceMap,
    file: FileId,
    found: &'a mut Diagnostics,
    settings: Vec<Setting>,
}

impl Reader<'_> {
    fn document(&mut self, document: &DeTable<'_>) {
        for (key, value) in document {
            let name = key.get_ref().as_ref();
            let table = self.tables.iter().find(|table| table.name() == name);
            match (table, value.get_ref()) {
                (Some(table), DeValue::Table(options)) => self.options(table, options),
                (Some(_), _) => {
                    let message = format!("`{name}` must be a table of options: [{name}]");
                    self.complain(codes::BAD_VALUE, value.span(), message);
                }
                (None, _) => self.unknown_command(name, key.span()),
            }
        }
    }

    fn unknown_command(&mut self, name: &str, span: Range<usize>) {
        let names = || self.tables.iter().map(|table| table.name().to_owned());
        let near = nearest(name, names()).map(|near| format!("did you mean [{near}]?"));
        let help = near.unwrap_or_else(|| {
            let tables: Vec<String> = names().map(|name| format!("[{name}]")).collect();
            format!("put options into the table of their command: {}", tables.join(", "))
        });
        let diagnostic = Diagnostic::error(
            codes::UNKNOWN_COMMAND,
            self.span(span),
            format!("`{name}` is not a command with options"),
        );
        self.found.push(diagnostic.help(help));
    }

    fn options(&mut self, table: &Table, options: &DeTable<'_>) {
        for (key, value) in options {
            let option = key.get_ref().as_ref();
            if table.arg(option).is_none() {
                let message = format!("`selvedge {}` has no option --{option}", table.name());
                let diagnostic = Diagnostic::error(codes::UNKNOWN_OPTION, self.span(key.span()), message);
                let help = match table.nearest(option) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("`selvedge config {}` lists the options that can be set", table.name()),
                };
                self.found.push(diagnostic.help(help));
                continue;
            }
            self.option(table, option, key.span(), value);
        }
    }

    fn option(&mut self, table: &Table, option: &str, key: Range<usize>, value: &Spanned<DeValue<'_>>) {
        let given = match (table.takes_value(option), value.get_ref()) {
            (false, DeValue::Boolean(set)) => Ok(Value::Flag(*set)),
            (true, DeValue::String(text)) => Ok(Value::Text(text.to_string())),
            (true, DeValue::Integer(number)) => Ok(Value::Text(number.to_string())),
            (true, DeValue::Array(values)) if table.may_be_repeated(option) => strings(values),
            (false, _) => Err("is a flag: write true or false".to_owned()),
            (true, _) => Err("takes a string or a whole number".to_owned()),
        };
        let checked = given
            .map_err(|why| format!("`{option}` {why}"))
            .and_then(|value| table.refusal(option, &value).map_or(Ok(value), Err));
        match checked {
            Ok(value) => {
                let span = self.span(key);
                let origin = self.sources.location(span).to_string();
                let (command, option) = (table.name().to_owned(), option.to_owned());
                self.settings.push(Setting { command, option, value, origin, span: Some(span) });
            }
            Err(message) => self.complain(codes::BAD_VALUE, value.span(), message),
        }
    }

    fn complain(&mut self, code: &'static str, span: Range<usize>, message: String) {
        self.found.push(Diagnostic::error(code, self.span(span), message));
    }

    fn span(&self, span: Range<usize>) -> Span {
        Span::new(self.file, span.start, span.end)
    }
}
