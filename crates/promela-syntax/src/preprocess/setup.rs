//! What is given to the preprocessor besides the text, as to `cpp`: definitions that hold from the first line on, and
//! directories in which included files are searched.

use std::fmt;
use std::path::PathBuf;

/// How definitions from outside are called where a diagnostic has to name their place.
pub(super) const COMMAND_LINE: &str = "<command-line>";

/// What the preprocessor starts with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// In the order in which they take effect.
    pub definitions: Vec<Definition>,
    /// Searched for included files after the directory of the including file, the first one first.
    pub directories: Vec<PathBuf>,
}

/// A macro that is defined or undefined before the first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// `NAME`, which stands for 1, or `NAME=VALUE`.
    Define(String),
    /// `NAME`, which is no macro any more.
    Undefine(String),
}

impl Definition {
    /// Reads what [`Display`](fmt::Display) writes.
    pub fn parse(word: &str) -> Option<Definition> {
        let define = word.strip_prefix("-D").map(|text| Definition::Define(text.to_owned()));
        define.or_else(|| word.strip_prefix("-U").map(|name| Definition::Undefine(name.to_owned())))
    }

    /// The directive that does the same.
    fn directive(&self) -> String {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        match self {
            Definition::Undefine(name) => format!("#undef {}\n", one_line(name)),
            Definition::Define(text) => {
                let (name, value) = text.split_once('=').unwrap_or((text, "1"));
                format!("#define {} {}\n", one_line(name), one_line(value))
            }
        }
    }
}

/// As it is typed: `-DNAME=VALUE`, `-UNAME`.
impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Definition::Define(text) => write!(f, "-D{text}"),
            Definition::Undefine(name) => write!(f, "-U{name}"),
        }
    }
}

impl Setup {
    /// The definitions as directives, one on each line; nothing if there are none.
    pub(super) fn directives(&self) -> Option<String> {
        (!self.definitions.is_empty()).then(|| self.definitions.iter().map(Definition::directive).collect())
    }
}
