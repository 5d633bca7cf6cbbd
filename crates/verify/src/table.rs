//! The one table of which engine reads which language and accepts which option. Refusals, the choice of an engine, the
//! help text and the book's table are made from it: an engine is one row of [`ENGINES`] and one module, an option
//! one row of [`OPTIONS`].

use crate::choice::Choice;
use crate::language::Language;
use crate::load::LoadOptions;
use crate::request::{Claims, Engine, MachineLimits, Minimize, Optimize, Request, SearchKind, Store};

use selvedge_promela_syntax::Definition;

use Engine::{Dynamic, Explicit, Symbolic};
use Language::{Bp, Dcps, Pds, Promela, Spec, Tts};

/// An engine.
pub struct EngineRow {
    /// Which.
    pub engine: Engine,
    /// The languages it reads.
    pub languages: &'static [Language],
    /// Whether this build has it.
    pub available: bool,
    /// What it does, in one sentence.
    pub about: &'static str,
}

/// The engines, in the order in which they are tried where the model does not decide.
pub const ENGINES: &[EngineRow] = &[
    EngineRow {
        engine: Dynamic,
        languages: &[Bp, Dcps, Spec, Tts],
        available: cfg!(feature = "dynamic"),
        about: "unlimited threads: coverability, downward closures, Presburger formulas",
    },
    EngineRow {
        engine: Symbolic,
        languages: &[Bp, Pds],
        available: cfg!(feature = "symbolic"),
        about: "recursive threads, round by round, with decision diagrams",
    },
    EngineRow {
        engine: Explicit,
        languages: &[Promela, Bp, Pds, Dcps, Spec, Tts],
        available: cfg!(feature = "explicit"),
        about: "explicit-state search, few context switches first",
    },
];

/// An option of a check.
pub struct OptionRow {
    /// As the command line spells it, without the dashes.
    pub name: &'static str,
    /// The engines that accept it, each with the languages for which it does.
    pub accepted: &'static [(Engine, &'static [Language])],
    /// Whether a request has it.
    given: fn(&Request) -> bool,
}

const ALL: &[Language] = &[Promela, Bp, Pds, Dcps, Spec, Tts];
const EXPLICIT: &[(Engine, &[Language])] = &[(Explicit, ALL)];
const PROMELA: &[(Engine, &[Language])] = &[(Explicit, &[Promela])];
const SYMBOLIC: &[(Engine, &[Language])] = &[(Symbolic, &[Bp, Pds])];
const SWITCH_NUMBERS: &[(Engine, &[Language])] = &[(Dynamic, &[Bp, Dcps])];

/// The options that not every engine accepts.
pub const OPTIONS: &[OptionRow] = &[
    OptionRow { name: "ltl", accepted: PROMELA, given: |r| matches!(r.properties.claims, Claims::Chosen(_)) },
    OptionRow { name: "no-claim", accepted: PROMELA, given: |r| r.properties.claims == Claims::None },
    OptionRow { name: "safety-only", accepted: PROMELA, given: |r| r.properties.safety_only },
    OptionRow { name: "optimize none", accepted: PROMELA, given: |r| r.search.optimize == Optimize::None },
    OptionRow { name: "preemptions", accepted: EXPLICIT, given: |r| r.bounds.preemptions.is_some() },
    OptionRow { name: "switches", accepted: EXPLICIT, given: |r| r.bounds.switches.is_some() },
    OptionRow {
        name: "rounds",
        accepted: &[(Explicit, ALL), (Symbolic, &[Bp, Pds])],
        given: |r| r.bounds.rounds.is_some(),
    },
    OptionRow { name: "depth", accepted: EXPLICIT, given: |r| r.bounds.depth.is_some() },
    OptionRow {
        name: "unbounded",
        accepted: &[(Explicit, ALL), (Dynamic, &[Bp, Dcps, Spec, Tts])],
        given: |r| r.bounds.unbounded,
    },
    OptionRow { name: "search", accepted: EXPLICIT, given: |r| r.search.kind != SearchKind::Layered },
    OptionRow { name: "store", accepted: EXPLICIT, given: |r| r.search.store != Store::Exact },
    OptionRow { name: "reduction", accepted: EXPLICIT, given: |r| r.search.reduction.is_some() },
    OptionRow { name: "bitstate-bytes", accepted: EXPLICIT, given: |r| r.search.bitstate_bytes.is_some() },
    OptionRow { name: "hashes", accepted: EXPLICIT, given: |r| r.search.hashes.is_some() },
    OptionRow { name: "seed", accepted: EXPLICIT, given: |r| r.search.seed.is_some() },
    OptionRow { name: "count-busy-wait", accepted: EXPLICIT, given: |r| r.search.count_busy_wait },
    OptionRow { name: "minimize", accepted: EXPLICIT, given: |r| r.search.minimize != Minimize::Preemptions },
    OptionRow { name: "acceptance", accepted: EXPLICIT, given: |r| r.properties.acceptance },
    OptionRow { name: "non-progress", accepted: EXPLICIT, given: |r| r.properties.non_progress },
    OptionRow { name: "fair", accepted: EXPLICIT, given: |r| r.properties.fair },
    OptionRow { name: "all-violations", accepted: EXPLICIT, given: |r| r.search.all_violations },
    OptionRow {
        name: "max-states",
        accepted: &[(Explicit, ALL), (Dynamic, &[Bp, Dcps, Spec, Tts])],
        given: |r| r.limits.states.is_some(),
    },
    OptionRow { name: "max-depth", accepted: EXPLICIT, given: |r| r.limits.depth.is_some() },
    OptionRow {
        name: "continue",
        accepted: &[(Explicit, ALL), (Symbolic, &[Bp, Pds])],
        given: |r| r.search.keep_going,
    },
    OptionRow {
        name: "deadlock",
        accepted: &[(Explicit, &[Bp, Pds, Dcps, Spec, Tts])],
        given: |r| r.properties.deadlock,
    },
    OptionRow { name: "analysis", accepted: SYMBOLIC, given: |r| r.symbolic.analysis.is_some() },
    OptionRow { name: "print-reachable", accepted: SYMBOLIC, given: |r| r.symbolic.print_reachable },
    OptionRow { name: "error-projection", accepted: SYMBOLIC, given: |r| r.symbolic.error_projection },
    OptionRow { name: "stack-limit", accepted: &[(Explicit, &[Bp, Pds, Dcps])], given: |r| r.machine.stack.is_some() },
    OptionRow { name: "thread-switches", accepted: SWITCH_NUMBERS, given: |r| r.bounds.thread_switches.is_some() },
    OptionRow { name: "strata", accepted: SWITCH_NUMBERS, given: |r| r.bounds.strata.is_some() },
    OptionRow { name: "fresh-switches", accepted: SWITCH_NUMBERS, given: |r| r.dynamic.fresh_switches },
    OptionRow {
        name: "certificate",
        accepted: &[(Symbolic, &[Bp, Pds]), (Dynamic, &[Dcps, Spec, Tts])],
        given: |r| r.dynamic.certificate,
    },
    OptionRow { name: "solver", accepted: SWITCH_NUMBERS, given: |r| r.dynamic.solver.is_some() },
    OptionRow { name: "thread-limit", accepted: &[(Explicit, &[Dcps])], given: |r| r.machine.threads.is_some() },
    OptionRow { name: "token-limit", accepted: &[(Explicit, &[Spec, Tts])], given: |r| r.machine.tokens.is_some() },
    OptionRow {
        name: "max-bound",
        accepted: &[(Explicit, ALL), (Symbolic, &[Bp, Pds]), (Dynamic, &[Bp, Dcps])],
        given: |r| r.bounds.max_bound.is_some(),
    },
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

/// The row of an engine.
pub fn row(engine: Engine) -> &'static EngineRow {
    ENGINES.iter().find(|row| row.engine == engine).unwrap_or(&ENGINES[0])
}

/// Whether an engine reads a language.
pub fn reads(engine: Engine, language: Language) -> bool {
    row(engine).languages.contains(&language)
}

/// The first option of a request that no engine accepts for this language, in the words of the refusal.
pub fn unfit_for_language(request: &Request, language: Language) -> Option<String> {
    if let Some(engine) = request.engine.filter(|engine| !reads(*engine, language)) {
        let names: Vec<&str> = row(engine).languages.iter().map(|language| language.models()).collect();
        let name = engine.name();
        return Some(format!("the {name} engine (--engine {name}) is only for {}", listed(&names)));
    }
    let row = OPTIONS.iter().find(|row| (row.given)(request) && !row.languages().contains(&language))?;
    let names: Vec<&str> = row.languages().into_iter().map(Language::models).collect();
    Some(format!("--{} is only for {}", row.name, listed(&names)))
}

/// The first limit of machines that says nothing about models in a language, in the words of the refusal.
pub fn unfit_limits(limits: &MachineLimits, language: Language) -> Option<String> {
    unfit_for_language(&Request { machine: *limits, ..Request::default() }, language)
}

/// The first option of a request that an engine does not accept, in the words of the refusal.
pub fn unfit_for_engine(request: &Request, engine: Engine, language: Language) -> Option<String> {
    let row = OPTIONS.iter().find(|row| (row.given)(request) && !row.accepts(engine, language))?;
    let others: Vec<&str> =
        ENGINES.iter().filter(|other| row.accepts(other.engine, language)).map(|other| other.engine.name()).collect();
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
        for option in OPTIONS {
            assert!(!option.accepted.is_empty(), "{}", option.name);
            for (engine, languages) in option.accepted {
                for language in *languages {
                    assert!(reads(*engine, *language), "--{}: {engine:?} does not read {language:?}", option.name);
                }
            }
        }
    }

    #[test]
    fn the_default_request_has_no_option() {
        let given: Vec<&str> =
            OPTIONS.iter().filter(|row| (row.given)(&Request::default())).map(|row| row.name).collect();
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
        let search = request(|r| r.search.kind = SearchKind::Dfs);
        assert_eq!(
            unfit_for_engine(&search, Symbolic, Bp).as_deref(),
            Some("--search is only for the explicit engine (--engine explicit)")
        );
    }
}
