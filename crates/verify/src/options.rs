//! Options of a check, each declared in one place: a field of a part of the [`Request`](crate::Request). Its comment is the
//! help text, its attribute says what the value looks like on the command line, and behind the arrow are the option's name and
//! the engines that accept it, each with the languages for which it does. From this [`options!`] makes the field, clap's
//! argument (with the feature `command-line`) and the row of the table ([`table`](crate::table)) that refuses the option
//! elsewhere.

use crate::choice::Choice;
use crate::language::{ALL, Language};
use crate::request::{Engine, Request};

use Engine::{Dynamic, Explicit, Symbolic};
use Language::{Bp, Dcps, Pds, Promela, Spec, Tts};

/// The engines that accept an option, each with the languages for which it does.
pub(crate) type Accepted = &'static [(Engine, &'static [Language])];

/// An option of a check that not every engine accepts.
pub struct OptionRow {
    /// As the command line spells it, without the dashes.
    pub name: &'static str,
    /// Who accepts it.
    pub accepted: Accepted,
    /// Whether a request has it.
    pub(crate) given: fn(&Request) -> bool,
}

pub(crate) const EVERYBODY: Accepted = &[(Explicit, ALL), (Symbolic, &[Bp, Pds]), (Dynamic, &[Bp, Dcps, Spec, Tts])];
pub(crate) const EXPLICIT: Accepted = &[(Explicit, ALL)];
pub(crate) const PROMELA: Accepted = &[(Explicit, &[Promela])];
pub(crate) const SYMBOLIC: Accepted = &[(Symbolic, &[Bp, Pds])];
pub(crate) const SWITCH_NUMBERS: Accepted = &[(Dynamic, &[Bp, Dcps])];
pub(crate) const ROUND_BY_ROUND: Accepted = &[(Explicit, ALL), (Symbolic, &[Bp, Pds])];
pub(crate) const UNBOUNDED: Accepted = &[(Explicit, ALL), (Dynamic, &[Bp, Dcps, Spec, Tts])];
pub(crate) const STEP_BY_STEP: Accepted = &[(Explicit, ALL), (Symbolic, &[Bp, Pds]), (Dynamic, &[Bp, Dcps])];
pub(crate) const STACKS: Accepted = &[(Explicit, &[Bp, Pds, Dcps])];
pub(crate) const THREADS: Accepted = &[(Explicit, &[Dcps])];
pub(crate) const TOKENS: Accepted = &[(Explicit, &[Spec, Tts])];
pub(crate) const DEADLOCK: Accepted = &[(Explicit, &[Bp, Pds, Dcps, Spec, Tts])];
pub(crate) const CERTIFICATE: Accepted = &[(Symbolic, &[Bp, Pds]), (Dynamic, &[Dcps, Spec, Tts])];

/// Declares a part of the request. The fields behind `besides` are no options of their own.
macro_rules! options {
    (
        $(#[$attribute:meta])*
        pub struct $part:ident of $of_request:ident {
            $(
                $(#[doc = $help:literal])*
                #[arg($($arg:tt)*)]
                pub $field:ident: $type:ty => $option:tt, $accepted:expr;
            )*
        }
        $(besides {
            $($(#[doc = $about:literal])* pub $other:ident: $other_type:ty;)*
        })?
    ) => {
        #[cfg_attr(feature = "command-line", derive(clap::Args))]
        $(#[$attribute])*
        pub struct $part {
            $(
                $(#[doc = $help])*
                #[cfg_attr(feature = "command-line", arg(long = $option, $($arg)*))]
                pub $field: $type,
            )*
            $($(
                $(#[doc = $about])*
                #[cfg_attr(feature = "command-line", arg(skip))]
                pub $other: $other_type,
            )*)?
        }

        impl $part {
            pub(crate) const OPTIONS: &[crate::options::OptionRow] = &[
                $(crate::options::OptionRow {
                    name: $option,
                    accepted: $accepted,
                    given: |request| request.$of_request.$field != <$type>::default(),
                },)*
            ];

            /// The options that are given, as words of a command line.
            pub fn words(&self) -> Vec<String> {
                let words = [$(crate::options::Value::word(&self.$field, $option)),*];
                words.into_iter().flatten().collect()
            }
        }
    };
}
pub(crate) use options;

/// A value of an option.
pub(crate) trait Value {
    /// The word that gives the option this value; none if the option has it by default. It is one word, so that a value may
    /// begin with a dash.
    fn word(&self, option: &str) -> Option<String>;
}

impl Value for bool {
    fn word(&self, option: &str) -> Option<String> {
        self.then(|| format!("--{option}"))
    }
}

impl Value for Option<u32> {
    fn word(&self, option: &str) -> Option<String> {
        self.map(|value| format!("--{option}={value}"))
    }
}

impl Value for Option<u64> {
    fn word(&self, option: &str) -> Option<String> {
        self.map(|value| format!("--{option}={value}"))
    }
}

impl Value for Option<String> {
    fn word(&self, option: &str) -> Option<String> {
        self.as_ref().map(|value| format!("--{option}={value}"))
    }
}

impl<T: Choice> Value for Option<T> {
    fn word(&self, option: &str) -> Option<String> {
        self.map(|value| format!("--{option}={}", value.name()))
    }
}

impl<T: Choice + Default> Value for T {
    fn word(&self, option: &str) -> Option<String> {
        Some(*self).filter(|value| *value != T::default()).word(option)
    }
}

#[cfg(test)]
mod tests {
    use crate::request::{Bounds, Properties, Search, SearchKind, Store};

    #[test]
    fn options_that_are_given_become_words() {
        assert_eq!(Search::default().words(), Vec::<String>::new());
        let search = Search { kind: SearchKind::Dfs, store: Store::Exact, hashes: Some(4), ..Search::default() };
        assert_eq!(search.words(), ["--search=dfs", "--hashes=4"]);
        let properties = Properties { reach: Some("-x".into()), fair: true, deadlock: true, ..Properties::default() };
        assert_eq!(properties.words(), ["--fair", "--reach=-x"]);
        assert_eq!(Bounds { max_bound: Some(2), ..Bounds::default() }.words(), ["--max-bound=2"]);
    }
}
