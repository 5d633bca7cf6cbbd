//! Commands and options of the contract that this version does not have yet. They are recognised and
//! refused in one sentence: never ignored, never mistaken for a typing error.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::console::complain;
use crate::exit::Exit;

/// An option to come.
struct Later {
    name: &'static str,
    takes_value: bool,
}

const fn value(name: &'static str) -> Later {
    Later { name, takes_value: true }
}

const LATER: &[Later] = &[value("html"), value("sarif")];

/// The options to come that were given.
#[derive(Clone, Debug, Default)]
pub struct LaterOptions {
    given: Vec<&'static str>,
}

impl LaterOptions {
    /// The sentence of refusal, if one is due.
    pub fn refusal(&self) -> Option<String> {
        self.given.first().map(|name| not_available(&format!("--{name}")))
    }
}

/// One sentence for all of them.
pub fn not_available(what: &str) -> String {
    format!("{what} is not available in this version (selvedge {})", env!("CARGO_PKG_VERSION"))
}

/// Refuses a command to come.
pub fn refuse_command(name: &str) -> Exit {
    complain(&not_available(&format!("the command `{name}`")));
    Exit::Input
}

impl Args for LaterOptions {
    fn augment_args(command: Command) -> Command {
        command.args(LATER.iter().map(|later| {
            let action = if later.takes_value { ArgAction::Append } else { ArgAction::Count };
            Arg::new(later.name).long(later.name).hide(true).action(action)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LaterOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = |later: &&Later| match later.takes_value {
            true => matches.contains_id(later.name),
            false => matches.get_count(later.name) > 0,
        };
        Ok(LaterOptions { given: LATER.iter().filter(given).map(|later| later.name).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
