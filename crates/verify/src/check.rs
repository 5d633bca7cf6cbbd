//! The pipeline: choose the engine, search, shorten the run, replay or certify it. The guarantee of Selvedge is the
//! contract of [`verify`]: no `violated` leaves it whose run the judge of the language has not replayed, and no
//! certificate that the independent checker has not accepted.

use selvedge_core::{Budget, Observer, Verdict};
use selvedge_source::{Diagnostics, SourceMap};

use crate::answer::Answer;
use crate::choice::Choice;
use crate::language::Language;
use crate::model::{Executable, LoadedModel, OpenModel, OpenOptions, open};
use crate::properties::Checked;
use crate::recheck::recheck;
use crate::refusal::Refusal;
use crate::request::{Engine, Optimize, Request, SearchKind, Store};
use crate::table;
use crate::wording::name_the_property;

/// Checks a model: from a loaded model and a request to an answer, within a budget.
pub fn verify(
    model: &LoadedModel,
    request: &Request,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Answer, Refusal> {
    prepare(model, request, budget)?.run(budget, observer)
}

/// A check that is ready to run: the model is built, the engine is chosen, nothing was explored.
pub struct Prepared {
    request: Request,
    model: OpenModel,
    checked: Checked,
    engine: Engine,
    warnings: Vec<String>,
    #[cfg(feature = "explicit")]
    search: Option<crate::explicit::Job>,
}

/// Builds the model for a request and chooses the engine.
pub fn prepare(model: &LoadedModel, request: &Request, budget: &Budget) -> Result<Prepared, Refusal> {
    if let Some(message) = table::unfit_for_language(request, model.language) {
        return Err(Refusal::request(message));
    }
    if request.properties.safety_only && (request.properties.acceptance || request.properties.non_progress) {
        return Err(Refusal::request(
            "--safety-only excludes infinite runs, which --acceptance and --non-progress check",
        ));
    }
    #[cfg_attr(not(feature = "explicit"), allow(unused_mut))]
    let mut open_model = open(model, &OpenOptions::for_check(request))?;
    let engine = choose(request, &open_model, budget)?;
    let checked = Checked::of(request, &open_model);
    #[cfg(feature = "explicit")]
    let mut warnings = Vec::new();
    #[cfg(not(feature = "explicit"))]
    let warnings = Vec::new();
    #[cfg(feature = "explicit")]
    let search = match engine {
        Engine::Explicit => {
            let job = crate::explicit::Job::new(request, &open_model)?;
            open_model = job.adapted(open_model);
            if request.properties.fair && !job.searches_cycles() {
                warnings.push(
                    "--fair has no effect: no property is about infinite runs (an `ltl` formula, --acceptance \
                     and --non-progress can be)"
                        .to_owned(),
                );
            }
            Some(job)
        }
        Engine::Symbolic | Engine::Dynamic => None,
    };
    Ok(Prepared {
        request: request.clone(),
        model: open_model,
        checked,
        engine,
        warnings,
        #[cfg(feature = "explicit")]
        search,
    })
}

impl Prepared {
    /// What is suspicious about the model.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.model.diagnostics
    }

    /// Every file read, and the text of a formula that was chosen.
    pub fn sources(&self) -> &SourceMap {
        &self.model.sources
    }

    /// What the user should know about the request, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// There is no property of any kind.
    pub fn checks_nothing(&self) -> bool {
        self.checked.nothing()
    }

    /// Infinite runs are searched.
    pub fn searches_cycles(&self) -> bool {
        #[cfg(feature = "explicit")]
        return self.search.as_ref().is_some_and(crate::explicit::Job::searches_cycles);
        #[cfg(not(feature = "explicit"))]
        false
    }

    /// Whether a bound that the search completes has no violation for certain: nothing is missed, and a violation ends
    /// the search.
    pub fn completed_bounds_hold(&self) -> bool {
        let search = &self.request.search;
        let exact = search.store == Store::Exact && search.optimize == Optimize::Safe;
        let ends = !search.keep_going && !search.all_violations;
        let layered = self.engine == Engine::Explicit && search.kind == SearchKind::Layered;
        layered && exact && ends && !self.searches_cycles()
    }

    /// Runs the check, and checks the answer.
    pub fn run(&self, budget: &Budget, observer: &mut dyn Observer) -> Result<Answer, Refusal> {
        let mut answer = self.search(budget, observer)?;
        recheck(&self.request, &self.model, &mut answer, budget)?;
        name_the_property(&mut answer, &self.model, self.request.properties.acceptance);
        if self.request.dynamic.certificate && !answer.details.has_certificate() {
            answer.warnings.push(format!("no certificate was written: {}", no_certificate(&answer)));
        }
        Ok(answer)
    }

    fn search(&self, budget: &Budget, observer: &mut dyn Observer) -> Result<Answer, Refusal> {
        match self.engine {
            #[cfg(feature = "explicit")]
            Engine::Explicit => match &self.search {
                Some(job) => job.run(&self.request, &self.model, &self.checked, budget, observer),
                None => Err(missing(Engine::Explicit)),
            },
            #[cfg(feature = "symbolic")]
            Engine::Symbolic => crate::symbolic::run(&self.request, &self.model, &self.checked, budget, observer),
            #[cfg(feature = "dynamic")]
            Engine::Dynamic => crate::dynamic::run(&self.request, &self.model, &self.checked, budget, observer),
            #[allow(unreachable_patterns)]
            engine => {
                let _ = (budget, observer);
                Err(missing(engine))
            }
        }
    }
}

/// Why an answer comes without a certificate.
fn no_certificate(answer: &Answer) -> String {
    match answer.verdict {
        Verdict::Violated => "the answer is a violation, and its run is the evidence".to_owned(),
        Verdict::HoldsWithinBound => {
            format!("the answer is about runs with {} only, a certificate would be about all runs", answer.bound)
        }
        Verdict::Inconclusive => "nothing was proved".to_owned(),
        Verdict::Holds => "what proves the answer cannot be written as one, or a limit was met".to_owned(),
    }
}

fn missing(engine: Engine) -> Refusal {
    Refusal::request(format!("this build of Selvedge has no {} engine", engine.name()))
}

/// The engine for a request: the one that was asked for, or the first that suits the model and accepts every option.
fn choose(request: &Request, model: &OpenModel, budget: &Budget) -> Result<Engine, Refusal> {
    let candidates = match request.engine {
        Some(engine) => vec![engine],
        None => candidates(request, model, budget),
    };
    let mut first_refusal = None;
    for engine in candidates {
        match objection(request, model, engine) {
            None => return Ok(engine),
            Some(refusal) => first_refusal = first_refusal.or(Some(refusal)),
        }
    }
    Err(first_refusal.unwrap_or_else(|| Refusal::request("this build of Selvedge has no engine for this language")))
}

/// The engines to try, the best first.
fn candidates(request: &Request, model: &OpenModel, budget: &Budget) -> Vec<Engine> {
    let available = |engine: &Engine| table::row(*engine).available;
    let order: &[Engine] = match model.language {
        Language::Promela => &[Engine::Explicit],
        Language::Dcps | Language::Spec | Language::Tts => &[Engine::Dynamic],
        Language::Pds => &[Engine::Symbolic, Engine::Explicit],
        Language::Bp if prefers_dynamic(request, model, budget) => {
            &[Engine::Dynamic, Engine::Symbolic, Engine::Explicit]
        }
        Language::Bp => &[Engine::Symbolic, Engine::Explicit],
    };
    order.iter().copied().filter(available).collect()
}

/// Whether the dynamic engine comes first for a Boolean program.
fn prefers_dynamic(request: &Request, model: &OpenModel, budget: &Budget) -> bool {
    #[cfg(feature = "dynamic")]
    {
        let bounds = &request.bounds;
        bounds.thread_switches.is_some()
            || bounds.strata.is_some()
            || (!bounds.unbounded
                && table::unfit_for_engine(request, Engine::Dynamic, model.language).is_none()
                && crate::dynamic::suits_better(model, budget))
    }
    #[cfg(not(feature = "dynamic"))]
    {
        let _ = (request, model, budget);
        false
    }
}

/// Why an engine is not the one, if it is not.
fn objection(request: &Request, model: &OpenModel, engine: Engine) -> Option<Refusal> {
    if !table::row(engine).available {
        return Some(missing(engine));
    }
    if let Some(message) = table::unfit_for_engine(request, engine, model.language) {
        return Some(Refusal::request(message));
    }
    let message: Option<String> = match (engine, &model.executable) {
        #[cfg(feature = "symbolic")]
        (Engine::Symbolic, _) => crate::symbolic::unsuited(model),
        #[cfg(feature = "dynamic")]
        (Engine::Dynamic, _) => crate::dynamic::conflict(request, model),
        (_, Executable::Promela(_)) => None,
        _ => None,
    };
    message.map(Refusal::request)
}
