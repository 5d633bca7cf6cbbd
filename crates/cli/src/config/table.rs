//! clap's command as a table of options: which there are, what they take, which exclude each other.

use std::ffi::OsString;

use clap::builder::Command;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches};
use selvedge_source::{Span, distance};

/// Commands that are about selvedge itself have no options from elsewhere: they must work when a file is broken.
const ABOUT: &[&str] = &["explain", "config", "completions", "man", "reference", "help"];

/// Options that make sense on a command line only.
const TYPED_ONLY: &[&str] = &["help", "version", "no-config"];

/// A value from elsewhere.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The command.
    pub command: String,
    /// The option's long name.
    pub option: String,
    /// Its value; of a flag, whether it is set.
    pub value: Value,
    /// Where it comes from, as people read it.
    pub origin: String,
    /// Its place in the project's file, if it is there.
    pub span: Option<Span>,
}

/// What an option is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of an option that takes a value.
    Text(String),
    /// Of an option that may be repeated.
    List(Vec<String>),
    /// Of a flag.
    Flag(bool),
}

impl Setting {
    /// As it would be typed; nothing for a flag that is not set.
    pub fn words(&self) -> Vec<String> {
        words(&self.option, &self.value)
    }

    /// Whether anything would be typed.
    pub fn is_set(&self) -> bool {
        !self.words().is_empty()
    }
}

fn words(option: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Text(text) => vec![format!("--{option}={text}")],
        Value::List(texts) => texts.iter().map(|text| format!("--{option}={text}")).collect(),
        Value::Flag(true) => vec![format!("--{option}")],
        Value::Flag(false) => Vec::new(),
    }
}

/// The options of one command.
pub struct Table {
    command: Command,
}

impl Table {
    /// Of every command that takes options from elsewhere.
    pub fn all() -> Vec<Table> {
        // Building the whole command costs more than checking a small model: it is done once.
        super::command().get_subcommands().filter_map(Table::made_of).collect()
    }

    fn made_of(sub: &Command) -> Option<Table> {
        if ABOUT.contains(&sub.get_name()) || sub.is_hide_set() {
            return None;
        }
        let mut command = sub.clone().no_binary_name(true);
        command.build();
        Some(Table { command })
    }

    /// The command's name.
    pub fn name(&self) -> &str {
        self.command.get_name()
    }

    /// The options in the order of the help.
    pub fn args(&self) -> impl Iterator<Item = &Arg> {
        let wanted = |arg: &&Arg| arg.get_long().is_some_and(|long| !arg.is_hide_set() && !TYPED_ONLY.contains(&long));
        self.command.get_arguments().filter(wanted)
    }

    /// The long names of the options.
    pub fn options(&self) -> impl Iterator<Item = String> {
        self.args().filter_map(|arg| arg.get_long().map(str::to_owned))
    }

    /// The option with this long name.
    pub fn arg(&self, option: &str) -> Option<&Arg> {
        self.args().find(|arg| arg.get_long() == Some(option))
    }

    /// Whether the option takes a value.
    pub fn takes_value(&self, option: &str) -> bool {
        self.arg(option).is_some_and(|arg| arg.get_action().takes_values())
    }

    /// Whether the option may be repeated.
    pub fn may_be_repeated(&self, option: &str) -> bool {
        self.arg(option).is_some_and(|arg| matches!(arg.get_action(), ArgAction::Append))
    }

    /// What was typed, as far as it can be understood.
    pub fn lenient_matches(&self, words: &[OsString]) -> Option<ArgMatches> {
        self.command.clone().ignore_errors(true).try_get_matches_from(words).ok()
    }

    /// Whether two options cannot be given together.
    pub fn exclude(&self, one: &str, other: &str) -> bool {
        let (Some(one), Some(other)) = (self.arg(one), self.arg(other)) else { return false };
        let conflicts =
            |a: &Arg, b: &Arg| self.command.get_arg_conflicts_with(a).iter().any(|c| c.get_id() == b.get_id());
        let in_one_group = self.command.get_groups().any(|group| {
            let members: Vec<&clap::Id> = group.get_args().collect();
            !group.clone().is_multiple() && members.contains(&one.get_id()) && members.contains(&other.get_id())
        });
        in_one_group || conflicts(one, other) || conflicts(other, one)
    }

    /// Why the option does not take this value, in clap's words.
    pub fn refusal(&self, option: &str, value: &Value) -> Option<String> {
        let words = words(option, value);
        let error = self.command.clone().try_get_matches_from(words).err()?;
        let about_value = matches!(
            error.kind(),
            ErrorKind::InvalidValue
                | ErrorKind::ValueValidation
                | ErrorKind::TooManyValues
                | ErrorKind::TooFewValues
                | ErrorKind::WrongNumberOfValues
                | ErrorKind::NoEquals
                | ErrorKind::InvalidUtf8
        );
        // Anything else is about options that are missing.
        about_value.then(|| {
            let text = error.to_string();
            let text = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        })
    }

    /// The option whose name is nearest, for a help line.
    pub fn nearest(&self, option: &str) -> Option<String> {
        nearest(option, self.options())
    }
}

/// The name that differs least from what was written, if any is near.
pub fn nearest(written: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let most = (written.chars().count() / 3).max(2);
    let near = names.map(|name| (distance(written, &name), name)).filter(|(distance, _)| *distance <= most);
    near.min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_have_a_proposal() {
        let names = || ["time-limit", "trace-out", "fair"].map(str::to_owned).into_iter();
        assert_eq!(nearest("time_limit", names()), Some("time-limit".to_owned()));
        assert_eq!(nearest("trace-otu", names()), Some("trace-out".to_owned()));
        assert_eq!(nearest("preemptions", names()), None);
    }

    #[test]
    fn bounds_exclude_each_other() {
        let table = Table::all().into_iter().find(|table| table.name() == "check").expect("there is one");
        assert!(table.exclude("preemptions", "unbounded"));
        assert!(table.exclude("no-claim", "ltl"));
        assert!(!table.exclude("preemptions", "fair"));
        assert!(table.takes_value("time-limit") && !table.takes_value("fair"));
    }
}
