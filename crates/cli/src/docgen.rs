//! Documents generated from the table of options: shell completions, manual pages, the reference of the book. The table is
//! clap's command; nothing here names an option.

use std::path::Path;

use clap::{Arg, ArgAction, Command, CommandFactory};
use selvedge_verify::engine::ENGINES;
use selvedge_verify::{Choice, Language, Refusal, table};

use crate::args::{Cli, ManArgs, Shell};
use crate::console::Console;
use crate::exit::Exit;
use crate::output_file;

/// `selvedge completions`
pub fn completions(shell: Shell, console: &mut Console) -> Result<Exit, Refusal> {
    let shell = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
        Shell::PowerShell => clap_complete::Shell::PowerShell,
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "selvedge", &mut text);
    console.document(&String::from_utf8_lossy(&text));
    Ok(Exit::NoViolation)
}

/// `selvedge man`
pub fn man(args: &ManArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let mut whole = Cli::command();
    whole.build();
    if let Some(directory) = &args.out {
        write_pages(&whole, directory)?;
        return Ok(Exit::NoViolation);
    }
    let page = match args.command.as_deref() {
        None => Some(&whole),
        Some(name) => whole.find_subcommand(name).filter(|sub| is_shown(sub)),
    };
    let Some(page) = page else {
        return Err(Refusal::with_help(
            format!("there is no command `{}`", args.command.as_deref().unwrap_or_default()),
            "`selvedge --help` lists the commands",
        ));
    };
    console.document(&String::from_utf8_lossy(&rendered(page)));
    Ok(Exit::NoViolation)
}

/// A page for each command.
fn write_pages(command: &Command, directory: &Path) -> Result<(), Refusal> {
    let path = directory.join(format!("{}.1", page_name(command)));
    output_file::write(&path, rendered(command))
        .map_err(|error| Refusal::request(format!("cannot write `{}`: {error}", path.display())))?;
    command.get_subcommands().filter(|sub| is_shown(sub)).try_for_each(|sub| write_pages(sub, directory))
}

fn rendered(command: &Command) -> Vec<u8> {
    let page = clap_mangen::Man::new(command.clone())
        .title(page_name(command).to_uppercase())
        .source(format!("selvedge {}", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    // A vector takes everything.
    let _ = page.render(&mut text);
    text
}

/// `selvedge-check`
fn page_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn is_shown(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

/// `selvedge reference`: the page of the book. `cargo xtask reference` writes it; a test compares.
pub fn reference(console: &mut Console) -> Result<Exit, Refusal> {
    let mut whole = Cli::command();
    whole.build();
    let mut text = String::from(REFERENCE_HEAD);
    let subs = whole.get_subcommands().filter(|sub| is_shown(sub));
    subs.for_each(|sub| section(sub, &mut text));
    text.push_str(&engines());
    console.document(&text);
    Ok(Exit::NoViolation)
}

/// Which engine reads which language, and which accepts which option of `check`.
fn engines() -> String {
    let mut text = String::from(
        "\n## Engines\n\nOptions that an engine does not accept are refused.\n\n| engine | languages | |\n| --- | --- | --- |\n",
    );
    let names = |languages: &[Language]| {
        languages.iter().map(|language| format!("`{}`", language.name())).collect::<Vec<_>>().join(", ")
    };
    for row in ENGINES {
        text.push_str(&format!("| `{}` | {} | {} |\n", row.engine.name(), names(row.languages), row.about));
    }
    text.push_str("\nThe options of `check` that not every engine accepts for each of its languages:\n\n");
    text.push_str("| option | accepted by |\n| --- | --- |\n");
    for row in table::options().filter(|row| !row.is_for_everybody()) {
        let accepted = row.accepted.iter().map(|(engine, languages)| {
            let all = engine.row().languages == *languages;
            let which = if all { String::new() } else { format!(" ({})", names(languages)) };
            format!("`{}`{which}", engine.name())
        });
        text.push_str(&format!("| `--{}` | {} |\n", row.name, accepted.collect::<Vec<_>>().join(", ")));
    }
    text.push_str("\nThe options of commands that load a model which not every language has:\n\n");
    text.push_str("| option | languages |\n| --- | --- |\n");
    for row in table::LOADING {
        text.push_str(&format!("| `--{}` | {} |\n", row.name, names(row.languages)));
    }
    text
}

const REFERENCE_HEAD: &str = "\
# Reference

<!-- Generated from the command's table of options by `cargo xtask reference`. -->

Every command and every option. `--help`, the manual pages (`selvedge man`) and the shell completions (`selvedge
completions`) are made from the same table. Each option of a command can also be set by an environment variable or in
`selvedge.toml`: [Configuration](configuration.md).
";

fn section(command: &Command, text: &mut String) {
    let name = command.get_display_name().unwrap_or_default().replace('-', " ");
    text.push_str(&format!("\n## `{name}`\n\n"));
    if let Some(about) = command.get_about() {
        text.push_str(&format!("{about}.\n\n"));
    }
    let usage = command.clone().render_usage().to_string();
    text.push_str(&format!("```text\n{}\n```\n", usage.trim_start_matches("Usage: ")));
    let mut headings: Vec<String> = Vec::new();
    let args = || command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "help");
    for heading in args().map(heading) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for wanted in headings {
        text.push_str(&format!("\n| {wanted} | |\n| --- | --- |\n"));
        args().filter(|arg| heading(arg) == wanted).for_each(|arg| text.push_str(&row(arg)));
    }
    command.get_subcommands().filter(|sub| is_shown(sub)).for_each(|sub| section(sub, text));
}

fn heading(arg: &Arg) -> String {
    match arg.get_help_heading() {
        Some(heading) => heading.to_owned(),
        None if arg.is_positional() => "Arguments".to_owned(),
        None => "Options".to_owned(),
    }
}

fn row(arg: &Arg) -> String {
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let values: Vec<&str> = arg.get_value_names().unwrap_or_default().iter().map(|name| name.as_str()).collect();
    let value = if arg.get_action().takes_values() { values.join(" ") } else { String::new() };
    let many = if matches!(arg.get_action(), ArgAction::Append) && arg.is_positional() { "…" } else { "" };
    let left = format!("{} {value}{many}", names.join(", "));
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    format!("| `{}` | {}{} |\n", cell(left.trim()), cell(&help), cell(&details(arg)))
}

fn details(arg: &Arg) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| match value.get_help() {
            Some(help) => format!("`{}` ({help})", value.get_name()),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    let mut text = String::new();
    if !values.is_empty() {
        text.push_str(&format!(". One of {}", values.join(", ")));
    }
    if let Some(default) = arg.get_default_values().first() {
        text.push_str(&format!(". Default: `{}`", default.to_string_lossy()));
    }
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").split_whitespace().collect::<Vec<_>>().join(" ")
}
