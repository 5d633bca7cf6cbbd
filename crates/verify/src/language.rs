//! The languages of models.

use std::path::Path;

use crate::choice::Choice;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Promela, the language of Spin.
    Promela,
    /// Concurrent Boolean programs.
    Bp,
    /// Concurrent pushdown systems.
    Pds,
    /// Dynamic networks.
    Dcps,
    /// Petri nets.
    Spec,
    /// Thread transition systems.
    Tts,
}

impl Choice for Language {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Language::Promela, "promela", ""),
        (Language::Bp, "bp", "Boolean programs"),
        (Language::Pds, "pds", "Pushdown systems"),
        (Language::Dcps, "dcps", "Dynamic networks"),
        (Language::Spec, "spec", "Petri nets"),
        (Language::Tts, "tts", "Thread transition systems"),
    ];
}

impl Language {
    /// The language of a file extension.
    pub fn of_ending(path: &Path) -> Option<Language> {
        let ending = path.extension()?.to_str()?;
        match ending {
            "pml" | "prom" | "promela" => Some(Language::Promela),
            ending => Language::named(ending),
        }
    }

    /// What models in it are called.
    pub fn models(self) -> &'static str {
        match self {
            Language::Promela => "Promela models",
            Language::Bp => "Boolean programs (.bp)",
            Language::Pds => "pushdown systems (.pds)",
            Language::Dcps => "dynamic networks (.dcps)",
            Language::Spec => "Petri nets (.spec)",
            Language::Tts => "thread transition systems (.tts)",
        }
    }
}
