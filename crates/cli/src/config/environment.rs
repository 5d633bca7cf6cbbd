//! Options from the environment: `SELVEDGE_COMMAND_OPTION`, in capitals, with `_` for `-`.

use selvedge_source::{Diagnostic, Diagnostics};

use super::codes;
use super::table::{Setting, Table, Value};

/// The variable of an option.
pub fn variable(command: &str, option: &str) -> String {
    format!("SELVEDGE_{}_{}", capitals(command), capitals(option))
}

fn capitals(name: &str) -> String {
    name.to_ascii_uppercase().replace('-', "_")
}

/// The values of this environment. A variable that looks like an option but is not one is an error: it would have no effect.
pub fn settings(tables: &[Table], found: &mut Diagnostics) -> Vec<Setting> {
    let mut variables: Vec<(String, String)> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, _)| name.starts_with("SELVEDGE_"))
        .collect();
    variables.sort();
    let mut settings = Vec::new();
    for (name, value) in variables {
        let table = tables.iter().find(|table| name.starts_with(&variable(table.name(), "")));
        if let Some(table) = table {
            settings.extend(setting(table, &name, &value, found));
        }
    }
    settings
}

fn setting(table: &Table, name: &str, text: &str, found: &mut Diagnostics) -> Option<Setting> {
    let Some(option) = table.options().find(|option| variable(table.name(), option) == name) else {
        let message = format!("`{name}` is set, and `selvedge {}` has no such option", table.name());
        found.push(
            Diagnostic::error_without_place(codes::UNKNOWN_VARIABLE, message)
                .help(format!("`selvedge config {}` lists the options that can be set", table.name())),
        );
        return None;
    };
    let value = match table.takes_value(&option) {
        true => Some(Value::Text(text.to_owned())),
        false => truth(text).map(Value::Flag),
    };
    let refusal = match &value {
        Some(value) => table.refusal(&option, value),
        None => Some(format!("`--{option}` takes no value: write 1 or 0, not `{text}`")),
    };
    if let Some(refusal) = refusal {
        found.push(Diagnostic::error_without_place(codes::BAD_VARIABLE, format!("`{name}`: {refusal}")));
        return None;
    }
    Some(Setting { command: table.name().to_owned(), option, value: value?, origin: name.to_owned(), span: None })
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "" | "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}
