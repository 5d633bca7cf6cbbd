//! The one table of which engine reads which language and accepts which option. Refusals, the choice of an engine, the
//! help text and the book's table are made from it. The rows of options come from where the options are declared.

use crate::choice::Choice;
pub use crate::engine::{ENGINES, EngineRow};
use crate::language::{ALL, Language};
use crate::load::LoadOptions;
pub use crate::options::OptionRow;
use crate::options::{CERTIFICATE, DEADLOCK, EXPLICIT, PROMELA, UNBOUNDED};
use crate::request::{
    Bounds, Claims, Dynamic as DynamicOptions, Engine, MachineLimits, Properties, Request, Search,
    Symbolic as SymbolicOptions,
};

use selvedge_promela_syntax::Definition;

use Engine::Explicit;
use Language::{Bp, Dcps, Promela, Spec, Tts};

/// The options of a check.
pub fn options() -> impl Iterator<Item = &'static OptionRow> {
    let parts = [
        BESIDES,
        Properties::OPTIONS,
        Bounds::OPTIONS,
        Search::OPTIONS,
        SymbolicOptions::OPTIONS,
        DynamicOptions::OPTIONS,
        MachineLimits::OPTIONS,
    ];
    parts.into_iter().flatten()
}

/// Options that the command line has in another form than the request.
const BESIDES: &[OptionRow] = &[
    OptionRow { name: "ltl", accepted: PROMELA, given: |r| matches!(r.properties.claims, Claims::Chosen(_)) },
    OptionRow { name: "no-claim", accepted: PROMELA, given: |r| r.properties.claims == Claims::None },
    OptionRow { name: "deadlock", accepted: DEADLOCK, given: |r| r.properties.deadlock },
    OptionRow { name: "certificate", accepted: CERTIFICATE, given: |r| r.dynamic.certificate },
    OptionRow { name: "max-states", accepted: UNBOUNDED, given: |r| r.limits.states.is_some() },
    OptionRow { name: "max-depth", accepted: EXPLICIT, given: |r| r.limits.depth.is_some() },
];

/// An option of every command that loads a model.
pub struct LoadRow {
    /// As the command line spells it, without the dashes.
    pub name: &'static str,
    /// The languages for which it means something.
    pub languages: &'static [Language],
    /// Whether it is given.
    given: fn(&LoadOptions) -> bool,
}

/// The options for loading that not every language has.
pub const LOADING: &[LoadRow] = &[
    LoadRow { name: "dialect", languages: &[Bp], given: |options| options.dialect.is_some() },
    LoadRow {
        name: "define",
        languages: &[Promela],
        given: |options| options.preprocessor.definitions.iter().any(|one| matches!(one, Definition::Define(_))),
    },
    LoadRow {
        name: "undefine",
        languages: &[Promela],
        given: |options| options.preprocessor.definitions.iter().any(|one| matches!(one, Definition::Undefine(_))),
    },
    LoadRow {
        name: "include-dir",
        languages: &[Promela],
        given: |options| !options.preprocessor.directories.is_empty(),
    },
];

/// The first option for loading that says nothing about models in a language, in the words of the refusal.
pub(crate) fn unfit_for_loading(options: &LoadOptions, language: Language) -> Option<String> {
    let row = LOADING.iter().find(|row| (row.given)(options) && !row.languages.contains(&language))?;
    let names: Vec<&str> = row.languages.iter().map(|language| language.models()).collect();
    Some(format!("--{} is only for {}", row.name, listed(&names)))
}

impl OptionRow {
    /// Whether every engine accepts it for every language that it reads.
    pub fn is_for_everybody(&self) -> bool {
        let everywhere = |row: &EngineRow| row.languages.iter().all(|language| self.accepts(row.engine, *language));
        ENGINES.iter().all(everywhere)
    }

    /// Whether an engine accepts it for models in a language.
    pub fn accepts(&self, engine: Engine, language: Language) -> bool {
        self.accepted.iter().any(|(known, languages)| *known == engine && languages.contains(&language))
    }

    /// The languages for which some engine accepts it.
    pub fn languages(&self) -> Vec<Language> {
        let of = |language: &Language| self.accepted.iter().any(|(_, languages)| languages.contains(language));
        ALL.iter().copied().filter(of).collect()
    }
}

/// The first option of a request that no engine accepts for this language, in the words of the refusal.
pub(crate) fn unfit_for_language(request: &Request, language: Language) -> Option<String> {
    if let Some(engine) = request.engine.filter(|engine| !engine.reads(language)) {
        let names: Vec<&str> = engine.row().languages.iter().map(|language| language.models()).collect();
        let name = engine.name();
        return Some(format!("the {name} engine (--engine {name}) is only for {}", listed(&names)));
    }
    let row = options().find(|row| (row.given)(request) && !row.languages().contains(&language))?;
    let names: Vec<&str> = row.languages().into_iter().map(Language::models).collect();
    Some(format!("--{} is only for {}", row.name, listed(&names)))
}

/// The first limit of machines that says nothing about models in a language, in the words of the refusal.
pub fn unfit_limits(limits: &MachineLimits, language: Language) -> Option<String> {
    unfit_for_language(&Request { machine: *limits, ..Request::default() }, language)
}

/// The first option of a request that an engine does not accept, in the words of the refusal.
pub(crate) fn unfit_for_engine(request: &Request, engine: Engine, language: Language) -> Option<String> {
    let row = options().find(|row| (row.given)(request) && !row.accepts(engine, language))?;
    let others: Vec<&str> = ENGINES
        .iter()
        .rev()
        .filter(|other| row.accepts(other.engine, language))
        .map(|other| other.engine.name())
        .collect();
    let others: Vec<String> = others.iter().map(|name| format!("the {name} engine (--engine {name})")).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let limited = matches!(language, Dcps | Spec | Tts) && row.accepts(Explicit, language);
    let note = if limited { ", which limits threads and tokens" } else { "" };
    Some(format!("--{} is only for {}{note}", row.name, listed(&others)))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => "no engine of this build".to_owned(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_language_that_its_engine_reads() {
        for option in options() {
            assert!(!option.accepted.is_empty(), "{}", option.name);
            for (engine, languages) in option.accepted {
                for language in *languages {
                    assert!(engine.reads(*language), "--{}: {engine:?} does not read {language:?}", option.name);
                }
            }
        }
    }

    #[test]
    fn the_default_request_has_no_option() {
        let given: Vec<&str> = options().filter(|row| (row.given)(&Request::default())).map(|row| row.name).collect();
        assert_eq!(given, Vec::<&str>::new());
    }

    #[test]
    fn refusals_name_what_accepts_the_option() {
        let request = |change: fn(&mut Request)| {
            let mut request = Request::default();
            change(&mut request);
            request
        };
        let rounds = request(|r| r.bounds.thread_switches = Some(1));
        assert_eq!(
            unfit_for_language(&rounds, Promela).as_deref(),
            Some("--thread-switches is only for Boolean programs (.bp) and dynamic networks (.dcps)")
        );
        let search = request(|r| r.search.kind = crate::request::SearchKind::Dfs);
        assert_eq!(
            unfit_for_engine(&search, Engine::Symbolic, Bp).as_deref(),
            Some("--search is only for the explicit engine (--engine explicit)")
        );
    }
}
