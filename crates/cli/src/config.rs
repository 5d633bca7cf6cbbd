//! Options that are not on the command line: from the environment (`SELVEDGE_CHECK_TIME_LIMIT=5m`), then from the project's
//! `selvedge.toml`, then clap's defaults. clap's command is the one table of options; a value from elsewhere is checked by
//! it and put into the command line as if it had been typed, unless what was typed decides otherwise.

mod codes;
mod environment;
mod file;
pub mod in_force;
mod owner;
pub mod show;
mod table;

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, CommandFactory, Parser};
use selvedge_report::diagnostics;
use selvedge_source::{Diagnostic, Diagnostics, SourceMap};

use crate::advice;
use crate::args::Cli;
use crate::console::{self, Console};
use crate::exit::Exit;

use in_force::ProjectFile;
use table::{Setting, Table};

/// The command line, completed. If it cannot be used, that was printed.
pub fn parse() -> Result<Cli, Exit> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let typed = match Cli::try_parse_from(&words) {
        Ok(cli) if cli.no_config => return Ok(cli),
        // Help and version are "errors" of clap's that go to stdout.
        Err(error) if !error.use_stderr() => return Err(refused(&error, &words)),
        typed => typed,
    };
    let completed = completed(&words)?;
    if let Ok(cli) = typed
        && completed == words
    {
        return Ok(cli);
    }
    Cli::try_parse_from(&completed).map_err(|error| {
        let exit = refused(&error, &words);
        if completed.len() > words.len() {
            Console::plain().help(
                "some options come from the configuration: `selvedge config` shows them, --no-config ignores them",
            );
        }
        exit
    })
}

fn refused(error: &clap::Error, words: &[OsString]) -> Exit {
    if !error.use_stderr() {
        // A closed pipe is no matter.
        let _ = error.print();
        return Exit::NoViolation;
    }
    console::refuse(error);
    if words.iter().take_while(|word| *word != "--").any(|word| word == "--json") {
        Console::plain().answer(&crate::diagnostics::usage_error(&error.to_string()));
    }
    Exit::Input
}

/// The words with those added that come from elsewhere, right behind the name of the command.
fn completed(words: &[OsString]) -> Result<Vec<OsString>, Exit> {
    let is_option = |word: &OsString| word.to_string_lossy().starts_with('-');
    let position = words.iter().enumerate().skip(1).find(|(_, word)| !is_option(word)).map(|(position, _)| position);
    let Some(position) = position.filter(|_| !words.iter().any(|word| word == "--no-config")) else {
        return Ok(words.to_vec());
    };
    let tables = Table::all();
    let name = words[position].to_string_lossy();
    let Some(table) = tables.iter().find(|table| table.name() == name) else { return Ok(words.to_vec()) };
    let settings = settings(&tables)?;
    warn_of_foreign_file();
    let typed = table.lenient_matches(&words[position + 1..]);
    if typed.as_ref().is_some_and(|matches| matches.subcommand().is_some()) {
        return Ok(words.to_vec());
    }
    let was_typed = |arg: &&Arg| {
        let source = typed.as_ref().and_then(|matches| matches.value_source(arg.get_id().as_str()));
        source == Some(ValueSource::CommandLine)
    };
    let typed = table.args().filter(was_typed).filter_map(|arg| arg.get_long());
    // An option, and whether it is in force: a flag that is not set excludes nothing.
    let mut known: Vec<(String, bool)> = typed.map(|option| (option.to_owned(), true)).collect();
    let (mut added, mut of_file) = (Vec::new(), Vec::new());
    // From the environment first: what comes later gives way to it.
    for setting in settings.iter().filter(|setting| setting.command == table.name()) {
        let words = setting.words();
        let excludes = |other: &str| !words.is_empty() && table.exclude(other, &setting.option);
        if known.iter().any(|(other, set)| *other == setting.option || (*set && excludes(other))) {
            continue;
        }
        known.push((setting.option.clone(), !words.is_empty()));
        if setting.span.is_some() {
            of_file.extend(words.clone());
        }
        added.extend(words.into_iter().map(OsString::from));
    }
    if let Some(path) = file::find().filter(|_| !of_file.is_empty()) {
        in_force::set(ProjectFile { path: path.display().to_string(), options: of_file });
    }
    let (before, after) = words.split_at(position + 1);
    Ok(before.iter().cloned().chain(added).chain(after.iter().cloned()).collect())
}

/// Says that a project file was found and not read.
fn warn_of_foreign_file() {
    if let Some(path) = file::find().filter(|path| !file::may_be_read(path)) {
        let path = path.display();
        Console::plain().warn(&format!(
            "`{path}` was not read: it belongs to another user, or is a link to a file that is not a project file"
        ));
    }
}

/// Every value from elsewhere, those of the environment first; each option of a command at most once from each place. If
/// one of them cannot be used, that was printed.
fn settings(tables: &[Table]) -> Result<Vec<Setting>, Exit> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut settings = environment::settings(tables, &mut found);
    contradictions(&settings, tables, &mut found);
    let of_file = file::settings(tables, &mut sources, &mut found);
    contradictions(&of_file, tables, &mut found);
    settings.extend(of_file);
    if found.is_empty() {
        return Ok(settings);
    }
    let mut console = Console::plain();
    let found = advice::added(found.iter());
    console.stderr(&diagnostics::render(&found, &sources, console.style()));
    if let Some(first) = found.iter().next() {
        console.stderr(&format!("for more: selvedge explain {}\n", first.code));
    }
    Err(Exit::Input)
}

/// Values from one place that exclude each other: none of them could win.
fn contradictions(settings: &[Setting], tables: &[Table], found: &mut Diagnostics) {
    for (index, second) in settings.iter().enumerate().filter(|(_, setting)| setting.is_set()) {
        let Some(table) = tables.iter().find(|table| table.name() == second.command) else { continue };
        let before = settings[..index].iter().filter(|first| first.command == second.command && first.is_set());
        for first in before.filter(|first| table.exclude(&first.option, &second.option)) {
            let message = format!("`{}` cannot be used with `{}` ({})", second.option, first.option, first.origin);
            found.push(match second.span {
                Some(span) => Diagnostic::error(codes::CONTRADICTION, span, message),
                None => Diagnostic::error_without_place(codes::CONTRADICTION, format!("{}: {message}", second.origin)),
            });
        }
    }
}

/// The whole table.
fn command() -> clap::Command {
    Cli::command()
}
