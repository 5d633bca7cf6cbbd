//! `selvedge config`: the value of each option and where it comes from, as a file that could be used as `selvedge.toml`.

use clap::Arg;
use selvedge_verify::Refusal;

use super::environment::variable;
use super::table::{Setting, Table, Value};
use super::{file, settings};
use crate::args::ConfigArgs;
use crate::console::Console;
use crate::exit::Exit;

/// Columns of option and value.
const WIDTH: usize = 30;

/// Runs the command.
pub fn run(args: &ConfigArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let all = Table::all();
    if let Some(name) = &args.command
        && !all.iter().any(|table| table.name() == name)
    {
        let names: Vec<&str> = all.iter().map(Table::name).collect();
        return Err(Refusal::with_help(
            format!("there is no command `{name}` with options that can be set"),
            format!("it is one of {}", names.join(", ")),
        ));
    }
    let settings = match settings(&all) {
        Ok(settings) => settings,
        Err(exit) => return Ok(exit),
    };
    let wanted = |table: &&Table| args.command.as_deref().is_none_or(|name| table.name() == name);
    let mut text = match file::find() {
        Some(path) if file::may_be_read(&path) => format!("# project file: {}\n", path.display()),
        Some(path) => format!("# project file: {} (not read: not yours)\n", path.display()),
        None => "# project file: none (no selvedge.toml here or above)\n".to_owned(),
    };
    for table in all.iter().filter(wanted) {
        text.push_str(&format!("\n[{}]\n", table.name()));
        table.args().for_each(|arg| text.push_str(&line(table, arg, &settings, console)));
    }
    console.answer(&text);
    Ok(Exit::NoViolation)
}

fn line(table: &Table, arg: &Arg, settings: &[Setting], console: &Console) -> String {
    let option = arg.get_long().unwrap_or_default();
    let mine = |setting: &&Setting| setting.command == table.name() && setting.option == option;
    if let Some(setting) = settings.iter().find(mine) {
        return row(&format!("{option} = {}", shown(&setting.value)), &setting.origin.to_string(), console);
    }
    if !table.takes_value(option) {
        return row(&format!("{option} = false"), "default", console);
    }
    match arg.get_default_values().first() {
        Some(value) => {
            let value = Value::Text(value.to_string_lossy().into_owned());
            row(&format!("{option} = {}", shown(&value)), "default", console)
        }
        None => row(&format!("# {option}"), &format!("not set ({})", variable(table.name(), option)), console),
    }
}

/// An option with a comment behind it, or above where both do not fit.
fn row(option: &str, comment: &str, console: &Console) -> String {
    let line = format!("{option:<WIDTH$} # {comment}\n");
    if console.fits(&line) { line } else { format!("# {comment}:\n{option}\n") }
}

/// As TOML has it.
fn shown(value: &Value) -> String {
    match value {
        Value::Flag(set) => set.to_string(),
        Value::Text(text) if text.parse::<i64>().is_ok() => text.clone(),
        Value::Text(text) => serde_json::to_string(text).unwrap_or_default(),
        Value::List(texts) => serde_json::to_string(texts).unwrap_or_default(),
    }
}
