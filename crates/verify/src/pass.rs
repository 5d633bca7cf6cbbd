//! One search: choose the engine, search, shorten the run, replay or certify it, check the answer once more.

use selvedge_core::{Budget, Evidence, Observer, Verdict, ViolationKind};
use selvedge_promela_syntax::ast::Claim;
use selvedge_source::Span;

use crate::answer::Answer;
use crate::engine::{Engine, Job};
use crate::language::Language;
use crate::model::{Executable, LoadedModel, OpenModel, OpenOptions, open};
use crate::parts::{Part, Property, PropertyAnswer, PropertyKind};
use crate::properties::Checked;
use crate::recheck::{LeastCost, recheck};
use crate::refusal::Refusal;
use crate::request::{Bounds, Optimize, Recheck, Request, SearchKind, Store};
use crate::table;
use crate::wording::name_the_property;

/// A search that is ready to run: the model is built, the engine is chosen, nothing was explored.
pub(crate) struct Pass {
    /// What it decides.
    pub property: Property,
    request: Request,
    pub model: OpenModel,
    pub checked: Checked,
    engine: Engine,
    /// The number of searches of the check that this one is a part of.
    shares: u64,
    job: Box<dyn Job>,
}

/// What a search found out, before it is checked.
pub(crate) struct Searched {
    pub answer: Answer,
    /// Its states, where all of them were stored.
    pub stored: Option<LeastCost>,
}

impl From<Answer> for Searched {
    fn from(answer: Answer) -> Self {
        Searched { answer, stored: None }
    }
}

impl Pass {
    /// Builds the model for a part of a request and chooses the engine.
    pub(crate) fn new(model: &LoadedModel, part: Part, budget: &Budget) -> Result<Pass, Refusal> {
        let Part { property, request, scope } = part;
        let open_model = open(model, &OpenOptions::for_check(&request))?;
        let engine = choose(&request, &open_model, budget)?;
        let checked = Checked::of(&request, &open_model, scope);
        let job = (engine.built_in()?.job)(&request, &open_model)?;
        let model = job.adapted(open_model);
        Ok(Pass { property, request, model, checked, engine, shares: 1, job })
    }

    /// The same search as one of several of a check, which share the budget of the recheck.
    pub(crate) fn one_of(self, shares: usize) -> Pass {
        Pass { shares: shares.max(1) as u64, ..self }
    }

    /// The same search of a model in which nothing is ever at fault, as another search has shown: more schedules are left out.
    pub(crate) fn of_faultless(&self, model: &LoadedModel) -> Result<Pass, Refusal> {
        let options = OpenOptions { faultless: true, ..OpenOptions::for_check(&self.request) };
        let open_model = open(model, &options)?;
        let job = (self.engine.built_in()?.job)(&self.request, &open_model)?;
        let model = job.adapted(open_model);
        let (property, request, checked) = (self.property.clone(), self.request.clone(), self.checked.clone());
        Ok(Pass { property, request, model, checked, engine: self.engine, shares: self.shares, job })
    }

    /// Whether it knows that nothing in the model is ever at fault.
    pub(crate) fn is_of_faultless(&self) -> bool {
        matches!(&self.model.executable, Executable::Promela(model) if model.options.faultless)
    }

    /// Infinite runs are searched.
    pub(crate) fn searches_cycles(&self) -> bool {
        self.job.searches_cycles()
    }

    /// Whether a bound that the search completes has no violation for certain: nothing is missed, and a violation ends
    /// the search.
    pub(crate) fn completed_bounds_hold(&self) -> bool {
        let search = &self.request.search;
        let exact = search.store == Store::Exact && search.optimize == Optimize::Safe;
        let ends = !search.keep_going && !search.all_violations;
        let layered = self.engine == Engine::Explicit && search.kind == SearchKind::Layered;
        layered && exact && ends && !self.searches_cycles()
    }

    /// Runs the check, and checks the answer.
    pub(crate) fn run(&self, budget: &Budget, observer: &mut dyn Observer) -> Result<Answer, Refusal> {
        self.run_noting(budget, observer, &mut |_| {})
    }

    /// The same; `note` learns the answer before it is checked, for whoever ends the check in the meantime: a limit weakens
    /// the evidence, never the verdict.
    pub(crate) fn run_noting(
        &self,
        budget: &Budget,
        observer: &mut dyn Observer,
        note: &mut dyn FnMut(Answer),
    ) -> Result<Answer, Refusal> {
        let Searched { mut answer, stored } = self.search(budget, observer)?;
        let holds = matches!(answer.verdict, Verdict::Holds | Verdict::HoldsWithinBound);
        if holds && answer.evidence != Evidence::Certificate && self.request.recheck != Recheck::None {
            let mut unchecked = answer.clone();
            unchecked.evidence = Evidence::None { reason: "a limit was met before".to_owned() };
            note(self.finished(unchecked));
        }
        recheck(&self.request, &self.model, &mut answer, stored.as_ref(), self.shares, budget)?;
        Ok(self.finished(answer))
    }

    /// The answer with its properties and warnings.
    fn finished(&self, mut answer: Answer) -> Answer {
        name_the_property(&mut answer, &self.model, self.request.properties.acceptance);
        answer.properties = self.decided(&answer);
        if let [safety, claim] = &answer.properties[..] {
            for violation in &mut answer.violations {
                let property = if is_of_claim(violation.kind) { claim } else { safety };
                violation.property = Some(property.property.name.clone());
            }
        }
        if self.request.dynamic.certificate && !answer.details.has_certificate() {
            answer.warnings.push(format!("no certificate was written: {}", no_certificate(&answer)));
        }
        answer
    }

    /// Whether it may stay undecided where another search of the check finds a violation: neither a bound nor all violations
    /// are asked for.
    pub(crate) fn may_stay_open(&self) -> bool {
        let search = &self.request.search;
        self.request.bounds == Bounds::default() && !search.keep_going && !search.all_violations
    }

    /// Whether it decides a claim.
    pub(crate) fn is_of_claim(&self) -> bool {
        matches!(self.property.kind, PropertyKind::Ltl | PropertyKind::Never)
    }

    /// How many searches the check has.
    pub(crate) fn shares(&self) -> usize {
        self.shares as usize
    }

    /// What it asks.
    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    /// The conditions without which the formula in force says nothing.
    pub(crate) fn conditions(&self) -> &[String] {
        match &self.model.executable {
            Executable::Promela(model) => &model.built.conditions,
            _ => &[],
        }
    }

    /// Whether a place is in the claim in force.
    pub(crate) fn claim_contains(&self, span: Span) -> bool {
        let Executable::Promela(model) = &self.model.executable else { return false };
        let within = |claim: &Claim| {
            claim.span.file == span.file && claim.span.start <= span.start && span.end <= claim.span.end
        };
        model.built.claim.as_ref().is_some_and(within)
    }

    /// The properties that the answer decides. A claim that was chosen is searched together with everything else, so that
    /// there are two.
    fn decided(&self, answer: &Answer) -> Vec<PropertyAnswer> {
        let with_claim = matches!(&self.model.executable, Executable::Promela(model) if model.built.claim.is_some());
        let alone = !with_claim || self.checked.only_claims();
        if alone {
            return vec![PropertyAnswer::of_search(self.property.clone(), answer)];
        }
        vec![
            PropertyAnswer::among_others(Property::safety(), answer, |kind| !is_of_claim(kind)),
            PropertyAnswer::among_others(self.property.clone(), answer, is_of_claim),
        ]
    }

    fn search(&self, budget: &Budget, observer: &mut dyn Observer) -> Result<Searched, Refusal> {
        self.job.run(&self.request, &self.model, &self.checked, budget, observer)
    }
}

/// Whether a violation is one of the claim in force.
fn is_of_claim(kind: ViolationKind) -> bool {
    matches!(kind, ViolationKind::AcceptanceCycle | ViolationKind::ClaimCompleted)
}

/// Why an answer comes without a certificate.
fn no_certificate(answer: &Answer) -> String {
    match answer.verdict {
        Verdict::Violated => "the answer is a violation, and its run is the evidence".to_owned(),
        Verdict::HoldsWithinBound => {
            format!("the answer covers only runs with {}, but a certificate covers all runs", answer.bound)
        }
        Verdict::Inconclusive => "nothing was proved".to_owned(),
        Verdict::Holds => {
            "the proof of the answer cannot be written as a certificate, or a limit was reached".to_owned()
        }
    }
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
    let available = |engine: &Engine| engine.row().is_available();
    let mut order = model.language.row().engines.to_vec();
    if model.language == Language::Bp && prefers_dynamic(request, model, budget) {
        order.insert(0, Engine::Dynamic);
    }
    order.into_iter().filter(available).collect()
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
    let built_in = match engine.built_in() {
        Ok(built_in) => built_in,
        Err(missing) => return Some(missing),
    };
    let message = table::unfit_for_engine(request, engine, model.language);
    message.or_else(|| (built_in.objection)(request, model)).map(Refusal::request)
}

#[cfg(all(test, feature = "explicit"))]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use super::*;
    use crate::load::load_text;
    use crate::parts::parts;
    use crate::request::{Claims, Reduction};
    use selvedge_core::Silent;

    /// Three processes that take turns, so that states have costs from 0 on, and more of them than quick explores.
    const COUNTERS: &str = "\
byte a, b, c;
active proctype A() { do :: a < 30 -> a++ :: a == 30 -> a = 0 od }
active proctype B() { do :: b < 30 -> b++ :: b == 30 -> b = 0 od }
active proctype C() { do :: c < 30 -> c++ :: c == 30 -> c = 0; assert(a <= 30) od }
";
    const TURNS: &str = "\
byte turn;
active [3] proctype P() { byte n; do :: n < 3 -> turn = _pid; n++; turn = 9 :: else -> break od }
";

    /// The only search for a request.
    fn pass(model: &LoadedModel, request: &Request, budget: &Budget) -> Pass {
        let part = parts(model, request).remove(0);
        Pass::new(model, part, budget).expect("it can be checked")
    }

    /// What the recheck says of a search whose store answers through `doctor`.
    fn rechecked(
        text: &str,
        change: impl Fn(&mut Request),
        doctor: impl Fn(&[u8], Option<u32>) -> Option<u32> + 'static,
    ) -> Result<Evidence, Refusal> {
        let mut request = Request::default();
        request.search.optimize = Optimize::None;
        request.search.reduction = Some(Reduction::None);
        change(&mut request);
        let model = load_text("m.pml", Language::Promela, text).expect("it parses");
        let budget = Budget::unlimited();
        let pass = pass(&model, &request, &budget);
        let Searched { mut answer, stored } = pass.search(&budget, &mut Silent).expect("an answer");
        let stored = stored.expect("the store is kept");
        let doctored: LeastCost = Box::new(move |state| doctor(state, stored(state)));
        recheck(&request, &pass.model, &mut answer, Some(&doctored), 1, &budget)?;
        Ok(answer.evidence)
    }

    fn stored_states(evidence: &Evidence) -> u64 {
        match evidence {
            Evidence::ReExplored { stored_states, .. } | Evidence::Sampled { stored_states, .. } => *stored_states,
            _ => None,
        }
        .unwrap_or_default()
    }

    #[test]
    fn states_of_plain_runs_are_stored() {
        for text in [COUNTERS, TURNS] {
            for change in [
                |_: &mut Request| {},
                |request: &mut Request| request.bounds.preemptions = Some(2),
                |request: &mut Request| request.bounds.switches = Some(3),
                |request: &mut Request| request.bounds.unbounded = true,
                |request: &mut Request| request.search.kind = SearchKind::Dfs,
            ] {
                let evidence = rechecked(text, change, |_, cost| cost).expect("nothing is wrong");
                assert!(stored_states(&evidence) >= 30, "{evidence:?}");
            }
        }
    }

    /// All but the first few states are missing.
    #[test]
    fn a_state_that_is_not_stored_is_a_defect() {
        for text in [COUNTERS, TURNS] {
            let known = RefCell::new(BTreeSet::new());
            let drop = move |state: &[u8], cost: Option<u32>| {
                let mut known = known.borrow_mut();
                known.insert(state.to_vec());
                cost.filter(|_| known.len() < 20)
            };
            let refusal = rechecked(text, |_| {}, drop).expect_err("a state is missing");
            assert!(matches!(&refusal, Refusal::Defect(_)), "{refusal}");
            assert!(refusal.to_string().contains("not among those that were stored"), "{refusal}");
        }
    }

    #[test]
    fn a_claim_that_cannot_move_alone_ends_the_run() {
        let text = "chan c = [1] of { int }; active proctype P() { c?_ } never { if :: skip fi; 0 }";
        let change = |request: &mut Request| {
            request.properties.claims = Claims::First;
            request.properties.safety_only = true;
            request.bounds.unbounded = true;
        };
        let evidence = rechecked(text, change, |_, cost| cost).expect("nothing is wrong");
        assert!(stored_states(&evidence) > 0, "{evidence:?}");
    }

    #[test]
    fn a_state_that_is_stored_at_a_higher_cost_is_a_defect() {
        for bound in [None, Some(2)] {
            let change = |request: &mut Request| {
                request.bounds.preemptions = bound;
                // The layers answer, and they count.
                request.search.keep_going = true;
            };
            let refusal = rechecked(TURNS, change, |_, cost| Some(cost? + 1)).expect_err("costs are too high");
            assert!(matches!(&refusal, Refusal::Defect(_)), "{refusal}");
            assert!(refusal.to_string().contains("is stored with"), "{refusal}");
        }
    }

    /// A store that has been reduced, or a lossy one, need not have every state.
    #[test]
    fn only_a_whole_exact_store_is_kept() {
        let kept = |change: &dyn Fn(&mut Request)| {
            let mut request = Request::default();
            change(&mut request);
            let model = load_text("m.pml", Language::Promela, TURNS).expect("it parses");
            let budget = Budget::unlimited();
            pass(&model, &request, &budget).search(&budget, &mut Silent).expect("an answer").stored.is_some()
        };
        let plain = |request: &mut Request| request.search.optimize = Optimize::None;
        assert!(kept(&plain));
        assert!(!kept(&|_| {}));
        assert!(!kept(&|request| request.search.reduction = Some(Reduction::None)));
        assert!(!kept(&|request| {
            plain(request);
            request.search.reduction = Some(Reduction::Por);
        }));
        assert!(!kept(&|request| {
            plain(request);
            request.search.store = Store::Compact;
        }));
    }
}
