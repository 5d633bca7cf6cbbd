//! The languages of models, a row each. What cannot be said in a row is a `match` beside the code that asks it
//! (`load`, `model`, `recheck`).

use std::path::Path;

use crate::choice::Choice;
use crate::request::Engine;

/// What the rest of the program asks of a language.
pub struct LanguageRow {
    /// Which.
    pub language: Language,
    /// Extensions of its files.
    pub extensions: &'static [&'static str],
    /// What models in it are called.
    pub models: &'static str,
    /// The engines to try, the best first.
    pub engines: &'static [Engine],
    /// How to name what is to be reached, in files that have no labels.
    pub targets: Option<&'static str>,
}

/// Declares the languages.
macro_rules! languages {
    ($(
        $(#[doc = $doc:literal])*
        $language:ident = $name:literal, $help:literal, {
            extensions: $extensions:expr,
            models: $models:literal,
            engines: $engines:expr,
            targets: $targets:expr,
        }
    )*) => {
        /// A language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Language {
            $($(#[doc = $doc])* $language,)*
        }

        /// All of them.
        pub(crate) const ALL: &[Language] = &[$(Language::$language),*];

        impl Choice for Language {
            const ALL: &'static [(Self, &'static str, &'static str)] = &[$((Language::$language, $name, $help)),*];
        }

        /// Their rows.
        pub(crate) const LANGUAGES: &[LanguageRow] = &[$(LanguageRow {
            language: Language::$language,
            extensions: $extensions,
            models: $models,
            engines: $engines,
            targets: $targets,
        }),*];
    };
}

languages! {
    /// Promela, the language of Spin.
    Promela = "promela", "", {
        extensions: &["pml", "prom", "promela"],
        models: "Promela models",
        engines: &[Engine::Explicit],
        targets: None,
    }
    /// Concurrent Boolean programs.
    Bp = "bp", "Boolean programs", {
        extensions: &["bp"],
        models: "Boolean programs (.bp)",
        engines: &[Engine::Symbolic, Engine::Explicit],
        targets: None,
    }
    /// Concurrent pushdown systems.
    Pds = "pds", "Pushdown systems", {
        extensions: &["pds"],
        models: "pushdown systems (.pds)",
        engines: &[Engine::Symbolic, Engine::Explicit],
        targets: Some("write `target STATE` in the file"),
    }
    /// Dynamic networks.
    Dcps = "dcps", "Dynamic networks", {
        extensions: &["dcps"],
        models: "dynamic networks (.dcps)",
        engines: &[Engine::Dynamic],
        targets: Some("write `target STATE` in the file"),
    }
    /// Petri nets.
    Spec = "spec", "Petri nets", {
        extensions: &["spec"],
        models: "Petri nets (.spec)",
        engines: &[Engine::Dynamic],
        targets: Some("write `target` and a marking in the file"),
    }
    /// Thread transition systems.
    Tts = "tts", "Thread transition systems", {
        extensions: &["tts"],
        models: "thread transition systems (.tts)",
        engines: &[Engine::Dynamic],
        targets: Some("write the states to reach into a `.prop` file next to the `.tts` file"),
    }
}

impl Language {
    /// The language of a file extension.
    pub fn of_ending(path: &Path) -> Option<Language> {
        let ending = path.extension()?.to_str()?;
        LANGUAGES.iter().find(|row| row.extensions.contains(&ending)).map(|row| row.language)
    }

    /// Its row of [`LANGUAGES`].
    pub fn row(self) -> &'static LanguageRow {
        LANGUAGES.iter().find(|row| row.language == self).expect("internal error: every language has a row")
    }

    /// What models in it are called.
    pub fn models(self) -> &'static str {
        self.row().models
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_row_and_extensions_of_its_own() {
        let mut extensions: Vec<&str> = Vec::new();
        for (language, name, _) in Language::ALL {
            assert_eq!(language.row().language, *language);
            assert!(language.row().extensions.contains(name), "{name}");
            extensions.extend(language.row().extensions.iter());
        }
        let all = extensions.len();
        extensions.sort_unstable();
        extensions.dedup();
        assert_eq!(extensions.len(), all);
    }
}
