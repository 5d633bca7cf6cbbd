//! The engines, a row each: what it reads, what it has against a model, and how a search is prepared. The rest of this crate
//! asks an engine only through its row.

use selvedge_core::{Budget, Observer};

use crate::answer::Answer;
use crate::choice::Choice;
use crate::language::{ALL, Language};
use crate::model::OpenModel;
use crate::pass::Searched;
use crate::properties::Checked;
use crate::refusal::Refusal;
use crate::request::Request;

use Language::{Bp, Dcps, Pds, Spec, Tts};

/// An engine.
pub struct EngineRow {
    /// Which.
    pub engine: Engine,
    /// The languages it reads.
    pub languages: &'static [Language],
    /// What it does, in one sentence.
    pub about: &'static str,
    /// How it is asked, if this build has it.
    pub(crate) built_in: Option<BuiltIn>,
}

/// Prepares a search of a model.
type Prepare = fn(&Request, &OpenModel) -> Result<Box<dyn Job>, Refusal>;

/// How an engine is asked.
pub(crate) struct BuiltIn {
    /// What it has against a model or a request in a language that it reads.
    pub objection: fn(&Request, &OpenModel) -> Option<String>,
    /// Prepares a search of a model that it has nothing against.
    pub job: Prepare,
}

/// A search that is ready to run.
pub(crate) trait Job: Send + Sync {
    /// The model with the machine that the search wants.
    fn adapted(&self, model: OpenModel) -> OpenModel {
        model
    }

    /// Whether infinite runs are searched.
    fn searches_cycles(&self) -> bool {
        false
    }

    /// Searches.
    fn run(
        &self,
        request: &Request,
        model: &OpenModel,
        checked: &Checked,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<Searched, Refusal>;
}

/// An engine that prepares nothing is a function.
impl<F> Job for F
where
    F: Fn(&Request, &OpenModel, &Checked, &Budget, &mut dyn Observer) -> Result<Answer, Refusal> + Send + Sync,
{
    fn run(
        &self,
        request: &Request,
        model: &OpenModel,
        checked: &Checked,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<Searched, Refusal> {
        self(request, model, checked, budget, observer).map(Searched::from)
    }
}

/// Declares the engines.
macro_rules! engines {
    ($(
        $(#[doc = $doc:literal])*
        $engine:ident = $name:literal, with the feature $feature:tt, {
            languages: $languages:expr,
            about: $about:literal,
            help: $help:literal,
            objection: $objection:expr,
            job: $job:expr,
        }
    )*) => {
        /// The engines.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Engine {
            $($(#[doc = $doc])* $engine,)*
        }

        impl Choice for Engine {
            const ALL: &'static [(Self, &'static str, &'static str)] = &[$((Engine::$engine, $name, $help)),*];
        }

        /// Their rows.
        pub const ENGINES: &[EngineRow] = &[$(EngineRow {
            engine: Engine::$engine,
            languages: $languages,
            about: $about,
            #[cfg(feature = $feature)]
            built_in: Some(BuiltIn { objection: $objection, job: $job }),
            #[cfg(not(feature = $feature))]
            built_in: None,
        }),*];
    };
}

engines! {
    /// State by state.
    Explicit = "explicit", with the feature "explicit", {
        languages: ALL,
        about: "explicit-state search, few context switches first",
        help: "Explicit-state search, with calls up to --stack-limit",
        objection: |_, _| None,
        job: crate::explicit::job,
    }
    /// Decision diagrams.
    Symbolic = "symbolic", with the feature "symbolic", {
        languages: &[Bp, Pds],
        about: "recursive threads, round by round, with decision diagrams",
        help: "Decision diagrams, unlimited calls, round by round: the default",
        objection: |_, model| crate::symbolic::unsuited(model),
        job: |_, _| Ok(Box::new(crate::symbolic::run)),
    }
    /// Threads without limit.
    Dynamic = "dynamic", with the feature "dynamic", {
        languages: &[Bp, Dcps, Spec, Tts],
        about: "unlimited threads: coverability, downward closures, Presburger formulas",
        help: "Unlimited threads: the default for dynamic networks, nets, and programs that create threads without limit",
        objection: crate::dynamic::conflict,
        job: |_, _| Ok(Box::new(crate::dynamic::run)),
    }
}

impl EngineRow {
    /// Whether this build has it.
    pub fn is_available(&self) -> bool {
        self.built_in.is_some()
    }
}

impl Engine {
    /// Its row of [`ENGINES`].
    pub fn row(self) -> &'static EngineRow {
        ENGINES.iter().find(|row| row.engine == self).expect("internal error: every engine has a row")
    }

    /// Whether it reads a language.
    pub fn reads(self, language: Language) -> bool {
        self.row().languages.contains(&language)
    }

    /// How it is asked; an objection if this build has not got it.
    pub(crate) fn built_in(self) -> Result<&'static BuiltIn, Refusal> {
        let missing = || Refusal::request(format!("this build of Selvedge has no {} engine", self.name()));
        self.row().built_in.as_ref().ok_or_else(missing)
    }
}
