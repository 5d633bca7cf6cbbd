//! The pipeline: one search for each property, and one answer from all of them. The guarantee of Selvedge is the contract
//! of [`verify`]: no `violated` leaves it whose run the judge of the language has not replayed, and no certificate that
//! the independent checker has not accepted.

use std::collections::BTreeMap;

use selvedge_core::{Budget, Observer, StopReason, Verdict};
use selvedge_source::{Diagnostics, SourceMap};

use crate::answer::Answer;
use crate::combine::combined;
use crate::model::LoadedModel;
use crate::parts::{is_never_true, parts};
use crate::pass::Pass;
use crate::properties::Checked;
use crate::refusal::Refusal;
use crate::request::Request;
use crate::table;

/// Checks a model: from a loaded model and a request to an answer, within a budget.
pub fn verify(
    model: &LoadedModel,
    request: &Request,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Answer, Refusal> {
    prepare(model, request, budget)?.run(budget, observer)
}

/// A check that is ready to run: the model is built, the engines are chosen, nothing was explored.
pub struct Prepared {
    model: LoadedModel,
    /// There is at least one.
    passes: Vec<Pass>,
    diagnostics: Diagnostics,
    warnings: Vec<String>,
}

/// Builds the model for each property of a request and chooses the engines.
pub fn prepare(model: &LoadedModel, request: &Request, budget: &Budget) -> Result<Prepared, Refusal> {
    if let Some(message) = table::unfit_for_language(request, model.language) {
        return Err(Refusal::request(message));
    }
    if request.properties.safety_only && (request.properties.acceptance || request.properties.non_progress) {
        return Err(Refusal::request(
            "--safety-only excludes infinite runs, which --acceptance and --non-progress check",
        ));
    }
    let mut passes = Vec::new();
    for part in parts(model, request) {
        passes.push(Pass::new(model, part, budget)?);
    }
    // A search for runtime errors alone adds nothing to the others.
    if passes.len() > 1 && passes[0].checked.nothing() {
        passes.remove(0);
    }
    let searches = passes.iter().map(|pass| 1 + pass.conditions().len()).sum();
    let passes: Vec<Pass> = passes.into_iter().map(|pass| pass.one_of(searches)).collect();
    let diagnostics = common_diagnostics(&passes);
    let mut warnings = Vec::new();
    if request.properties.fair && !passes.iter().any(Pass::searches_cycles) {
        warnings.push(
            "--fair has no effect: no property is about infinite runs (an `ltl` formula, --acceptance and \
             --non-progress can be)"
                .to_owned(),
        );
    }
    Ok(Prepared { model: model.clone(), passes, diagnostics, warnings })
}

/// What is suspicious about the model. Without a claim, what only the claim reads seems unused: what is about the model
/// is what every pass reports, and what is about a claim only the pass of this claim can.
fn common_diagnostics(passes: &[Pass]) -> Diagnostics {
    let mut common = Diagnostics::new();
    for (index, pass) in passes.iter().enumerate() {
        for diagnostic in pass.model.diagnostics.iter() {
            let known = common.iter().any(|other| other == diagnostic);
            let everywhere = || passes.iter().all(|pass| pass.model.diagnostics.iter().any(|d| d == diagnostic));
            let about_the_claim = || diagnostic.primary.as_ref().is_some_and(|label| pass.claim_contains(label.span));
            if !known && (about_the_claim() || index == 0 && everywhere()) {
                common.push(diagnostic.clone());
            }
        }
    }
    common
}

fn holds(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Holds | Verdict::HoldsWithinBound)
}

impl Prepared {
    /// What is suspicious about the model.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Every file read, and the text of a formula that was chosen.
    pub fn sources(&self) -> &SourceMap {
        &self.passes[0].model.sources
    }

    /// What the user should know about the request, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// There is no property of any kind.
    pub fn checks_nothing(&self) -> bool {
        self.passes.iter().all(|pass| pass.checked.nothing())
    }

    /// What all searches check together.
    pub fn checked(&self) -> Checked {
        self.passes.iter().fold(Checked::default(), |all, pass| all.and(&pass.checked))
    }

    /// Infinite runs are searched.
    pub fn searches_cycles(&self) -> bool {
        self.passes.iter().any(Pass::searches_cycles)
    }

    /// Whether a bound that the search completes has no violation for certain: it is the only search, nothing is missed,
    /// and a violation ends it.
    pub fn completed_bounds_hold(&self) -> bool {
        self.passes.len() == 1 && self.passes[0].completed_bounds_hold()
    }

    /// Runs the check, and checks the answer.
    pub fn run(&self, budget: &Budget, observer: &mut dyn Observer) -> Result<Answer, Refusal> {
        self.run_noting(budget, observer, &mut |_| {})
    }

    /// Adds the conditions of a formula that are never true, where the formula holds. A search that does not decide that
    /// adds nothing.
    fn note_vacuous(
        &self,
        pass: &Pass,
        answer: &mut Answer,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<(), Refusal> {
        let Some(property) = answer.properties.last_mut() else { return Ok(()) };
        for condition in pass.conditions() {
            if !holds(property.verdict) || budget.spent(0).is_some() {
                break;
            }
            let asked = Pass::new(&self.model, is_never_true(condition, pass.request()), budget);
            let asked = match asked {
                Ok(asked) if pass.is_of_faultless() => asked.of_faultless(&self.model),
                asked => asked,
            };
            match asked.and_then(|asked| asked.one_of(pass.shares()).run(&budget.share(1, 2).apart(), observer)) {
                Ok(never) if holds(never.verdict) => property.vacuous.push(condition.clone()),
                Err(defect @ Refusal::Defect(_)) => return Err(defect),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// The same; `note` learns the answer to what is decided so far, for whoever ends the check before it is complete.
    /// Each search has the same share of the time that is left.
    ///
    /// Several searches take turns, so that a property which is decided soon is not kept waiting by one that takes long: each
    /// has a limit of states, and starts again with a higher one if it needs more. When a property is found to be violated, the
    /// others are decided if that takes no more states than the limit of the turn. In the last turn, which has no limit, the claims
    /// come first: whoever states a claim asks for it. Claims that are still open when the search without them has shown that
    /// nothing is ever at fault are searched with more reduction.
    pub fn run_noting(
        &self,
        budget: &Budget,
        observer: &mut dyn Observer,
        note: &mut dyn FnMut(Answer),
    ) -> Result<Answer, Refusal> {
        let mut answers: Vec<Option<Answer>> = vec![None; self.passes.len()];
        let mut open: Vec<usize> = (0..self.passes.len()).collect();
        let mut faultless: BTreeMap<usize, Pass> = BTreeMap::new();
        let limited = TURNS.into_iter().map(Some).filter(|_| self.passes.len() > 1);
        for turn in limited.chain([None]) {
            let mut undecided = Vec::new();
            if faultless.is_empty() && self.nothing_is_at_fault(&answers) {
                for index in &open {
                    faultless.insert(*index, self.passes[*index].of_faultless(&self.model)?);
                }
            }
            if turn.is_none() {
                open.sort_by_key(|index| (!self.passes[*index].is_of_claim(), *index));
            }
            for (place, index) in open.iter().enumerate() {
                if turn.is_none() && self.may_stay_open(&answers) {
                    undecided.push(*index);
                    continue;
                }
                let left = (open.len() - place) as u32;
                let mut unchecked = |answer| {
                    let mut answers = answers.clone();
                    answers[*index] = Some(answer);
                    note(self.so_far(&answers));
                };
                let pass = faultless.get(index).unwrap_or(&self.passes[*index]);
                let mut answer = self.run_pass(pass, &budget.share(1, left), turn, observer, &mut unchecked)?;
                if is_cut(&answer, turn, budget) {
                    answer.ended_by(StopReason::Interrupted);
                    undecided.push(*index);
                }
                answers[*index] = Some(answer);
                if self.passes.len() > 1 {
                    note(self.so_far(&answers));
                }
            }
            open = undecided;
            if self.may_stay_open(&answers) {
                break;
            }
        }
        for index in open {
            answers[index].iter_mut().for_each(|answer| answer.ended_by(StopReason::Violation));
        }
        Ok(self.so_far(&answers))
    }

    /// Whether what is undecided may stay so, since a violation was found.
    fn may_stay_open(&self, answers: &[Option<Answer>]) -> bool {
        let violated = answers.iter().flatten().any(|answer| answer.verdict == Verdict::Violated);
        violated && self.passes.iter().all(Pass::may_stay_open)
    }

    /// Whether the search without the claims has shown that nothing in the model is ever at fault.
    fn nothing_is_at_fault(&self, answers: &[Option<Answer>]) -> bool {
        let shows = |(pass, answer): (&Pass, &Option<Answer>)| {
            !pass.is_of_claim() && answer.as_ref().is_some_and(|answer| answer.verdict == Verdict::Holds)
        };
        self.passes.iter().zip(answers).any(shows)
    }

    /// Runs one search, with at most this many states.
    fn run_pass(
        &self,
        pass: &Pass,
        budget: &Budget,
        turn: Option<u64>,
        observer: &mut dyn Observer,
        note: &mut dyn FnMut(Answer),
    ) -> Result<Answer, Refusal> {
        let budget = turn.map_or_else(|| budget.clone(), |states| budget.with_most_states(states));
        let before = budget.elapsed().as_secs_f64();
        let mut answer = pass.run_noting(&budget, observer, note)?;
        self.note_vacuous(pass, &mut answer, &budget, observer)?;
        answer.begins_at(before);
        Ok(answer)
    }

    /// The answer to what is decided so far. Nothing is known about searches that were not begun; they are the last ones.
    fn so_far(&self, answers: &[Option<Answer>]) -> Answer {
        let begun: Vec<Answer> = answers.iter().flatten().cloned().collect();
        let open = self.passes[begun.len()..].iter().map(|pass| &pass.property);
        combined(begun, open)
    }
}

/// States that each of several searches may store in its turns. The last turn has no limit: what is explored again is little
/// in a large model.
const TURNS: [u64; 2] = [20_000, 100_000];

/// Whether a search was ended by the limit of its turn, and not by one of the user's.
fn is_cut(answer: &Answer, turn: Option<u64>, budget: &Budget) -> bool {
    let users = budget.limits().states.unwrap_or(u64::MAX);
    answer.stop == StopReason::States && turn.is_some_and(|states| states < users)
}
