//! The explicit engine: plan the search, search, find the simplest run for what was found, make its trace, let the
//! judge replay it.

mod plan;
mod search;

use selvedge_core::trace::TraceLocation;
use selvedge_core::{
    Bound, BoundKind, Budget, Observer, Omission, StopReason, SwitchCost, Trace, Verdict, ViolationKind,
};
use selvedge_explicit::{Found, Outcome, Simplified, Stored, among_choices, interleaved, simplify};
use selvedge_machine::{Describe, Heading, Hints, Path, classify_until, narrate_until, preemptions_per_cycle, retrace};
use selvedge_promela::build::{plain_machine, stepping_machine};
use selvedge_promela::machine::PromelaMachine;
use selvedge_source::Cancel;

use crate::answer::{Answer, Details, ExplicitDetails, FoundViolation};
use crate::engine::{Engine, Job};
use crate::judge;
use crate::model::{Executable, OpenModel, PromelaModel};
use crate::pass::Searched;
use crate::properties::Checked;
use crate::recheck::LeastCost;
use crate::refusal::Refusal;
use crate::request::Request;

use plan::{Needs, Plan, Planned, plan};

/// A search that is ready to run.
struct Search {
    planned: Planned,
}

/// Plans the search.
pub(crate) fn job(request: &Request, model: &OpenModel) -> Result<Box<dyn Job>, Refusal> {
    let needs = match &model.executable {
        Executable::Promela(promela) => {
            let built = &promela.built;
            if let Some(name) = built.claim_name.as_ref().filter(|_| request.properties.non_progress) {
                return Err(Refusal::request(format!(
                    "--non-progress and the claim `{name}` cannot be checked together, because the claim excludes \
                     runs: --no-claim ignores the claim"
                )));
            }
            Needs { liveness: built.liveness, counts_steps: built.counts_steps }
        }
        _ => Needs::default(),
    };
    let planned = plan(request, needs).map_err(Refusal::request)?;
    Ok(Box::new(Search { planned }))
}

impl Job for Search {
    fn searches_cycles(&self) -> bool {
        matches!(self.planned.plan, Plan::Cycles(_))
    }

    fn adapted(&self, mut model: OpenModel) -> OpenModel {
        let reduced = matches!(&self.planned.plan, Plan::Spin(options) if options.reduction);
        model.executable = match model.executable {
            Executable::Promela(promela) if reduced => {
                let PromelaModel { syntax, mut built, options } = *promela;
                built.machine.system.reduce_as_spin();
                Executable::Promela(Box::new(PromelaModel { syntax, built, options }))
            }
            other => other,
        };
        model
    }

    fn run(
        &self,
        request: &Request,
        model: &OpenModel,
        checked: &Checked,
        budget: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<Searched, Refusal> {
        let check = Check { request, model, planned: &self.planned, budget };
        match &model.executable {
            Executable::Promela(promela) => check.promela(promela, checked, observer),
            Executable::Bool(bool) => check.machine(&bool.machine, checked, observer).map(Searched::from),
            Executable::Pds(machine) => check.machine(&**machine, checked, observer).map(Searched::from),
            Executable::Dcps(machine) => check.machine(&**machine, checked, observer).map(Searched::from),
            Executable::Net(net) => check.machine(&net.machine, checked, observer).map(Searched::from),
        }
    }
}

/// Steps that may be tried for a simpler order of a run: each keeps its state, so that memory is the limit.
const SIMPLIFICATION: u64 = 60_000;

/// A check in progress.
struct Check<'a> {
    request: &'a Request,
    model: &'a OpenModel,
    planned: &'a Planned,
    budget: &'a Budget,
}

/// The runs that are shown.
#[derive(Default)]
struct Shown {
    traces: Vec<Trace>,
    /// The first one is proven to be the simplest.
    minimal: bool,
    warnings: Vec<String>,
}

impl Check<'_> {
    fn promela(
        &self,
        promela: &PromelaModel,
        checked: &Checked,
        observer: &mut dyn Observer,
    ) -> Result<Searched, Refusal> {
        let PromelaModel { syntax, built, options } = promela;
        let stepping = || {
            let build = || stepping_machine(syntax, built, &options.properties, &self.model.sources, &self.cancel());
            options.optimize.then(build).flatten()
        };
        let known = self.budget.found().is_some();
        let (mut outcome, simpler) = self.search(&built.machine, &stepping, observer);
        if options.optimize && !options.keep_steps && !options.every_violation {
            drop_behind_the_claim(&mut outcome.violations);
        }
        self.note_found(&outcome);
        let mut shown = self.promela_runs(promela, &outcome, simpler, observer)?;
        shown.warnings.extend(self.unconfirmed(&outcome).filter(|_| !known));
        let mut checked = checked.clone();
        let hidden = &promela.built.read_hidden;
        if hidden.is_empty() {
            self.note_never_reached(promela, &outcome, &mut checked);
        }
        let stored = outcome.stored.take().filter(|stored| hidden.is_empty() && self.has_room_for(stored));
        let answer = self.conclude(outcome, shown, checked, hidden)?;
        let stored = stored.map(|stored| -> LeastCost { Box::new(move |state| stored.least_cost(state)) });
        Ok(Searched { answer, stored })
    }

    /// Whether the states of the search may be kept beside the judge, who needs memory of its own.
    fn has_room_for(&self, stored: &Stored) -> bool {
        self.budget.limits().memory.is_none_or(|most| stored.bytes() < most / 2)
    }

    fn machine<M: Describe + Hints>(
        &self,
        machine: &M,
        checked: &Checked,
        observer: &mut dyn Observer,
    ) -> Result<Answer, Refusal> {
        let (mut outcome, simpler) = self.search(machine, &|| None, observer);
        self.note_found(&outcome);
        // What was cut off may be within the bound too.
        if matches!(outcome.stop, StopReason::Exhausted | StopReason::Bound) {
            outcome.stop = self.model.cut_by().unwrap_or(outcome.stop);
        }
        let shown = match outcome.violations.is_empty() {
            true => Shown::default(),
            false => {
                let better = self.improve(&outcome, simpler, machine, observer);
                self.shown(&outcome, better, |found, _| self.counted_trace(machine, &found.path, found, &outcome))?
            }
        };
        self.conclude(outcome, shown, checked.clone(), &[])
    }

    /// Lets whoever ends the run know that there is a violation, before its run is made.
    fn note_found(&self, outcome: &Outcome) {
        if let Some(found) = outcome.violations.first() {
            self.budget.note_found(&found.fault.message);
        }
    }

    /// Notes the assertions and other statements that no run reached. Of a search that was cut short that says nothing, and
    /// a claim leaves out runs.
    fn note_never_reached(&self, promela: &PromelaModel, outcome: &Outcome, checked: &mut Checked) {
        let whole = matches!(outcome.stop, StopReason::Exhausted | StopReason::Bound) && outcome.omission.is_none();
        if !whole || !outcome.violations.is_empty() {
            return;
        }
        let program = promela.built.machine.system.program();
        let place = |span| TraceLocation::from(self.model.sources.location(span)).to_string();
        if !self.request.properties.no_assert {
            checked.never_reached = program.assertions.unreached().into_iter().map(place).collect();
        }
        if promela.built.claim.is_none() {
            checked.never_executed = program.never_executed().into_iter().map(place).collect();
        }
    }

    /// What to say of a violation whose run a limit kept from being made.
    fn unconfirmed(&self, outcome: &Outcome) -> Option<String> {
        let found = self.budget.found().filter(|_| outcome.violations.is_empty())?;
        Some(format!(
            "a violation was found, but a limit was met before its run was made, so it is not confirmed: {found}"
        ))
    }

    fn heading(&self, outcome: &Outcome) -> Heading {
        Heading {
            input: self.model.input(),
            options: self.model.trace_options.clone(),
            bound: match outcome.unbounded {
                true => self.bound(outcome, Verdict::Violated),
                false => self.planned.bound(outcome.bound),
            },
        }
    }

    /// The runs of a Promela model. The optimised machine merges steps and forgets values: one that does not merge them
    /// measures the runs, and the plain one has the values of the trace.
    ///
    /// A process may spin only with the values that it has after the first round of its loop. Where the machine that
    /// measures has forgotten these values, a run may cost more in the plain one: then the plain one measures.
    fn promela_runs(
        &self,
        promela: &PromelaModel,
        outcome: &Outcome,
        simpler: Option<Simplified>,
        observer: &mut dyn Observer,
    ) -> Result<Shown, Refusal> {
        if outcome.violations.is_empty() {
            return Ok(Shown::default());
        }
        let PromelaModel { syntax, built, options } = promela;
        let cancel = self.cancel();
        let again = |build: fn(_, _, _, _, _) -> _| {
            options.optimize.then(|| build(syntax, built, &options.properties, &self.model.sources, &cancel)).flatten()
        };
        let measured = self.planned.minimize.is_some();
        let stepping: Option<PromelaMachine> = if measured { again(stepping_machine) } else { None };
        let plain: Option<PromelaMachine> = again(plain_machine);
        if cancel.was_cancelled() {
            return Err(Refusal::Cancelled);
        }
        let searched = &built.machine;
        let mut measuring = stepping.as_ref().unwrap_or(searched);
        let mut better = self.improve(outcome, simpler, measuring, observer);
        if let Some(plain) = plain.as_ref().filter(|plain| !self.costs_the_same(&better, measuring, plain)) {
            measuring = plain;
            better = self.improve(outcome, None, measuring, observer);
        }
        self.shown(outcome, better, |found, improved| {
            let machine = if improved { measuring } else { searched };
            // Followed once more from the start: a stored state has the hidden variables of the run that reached it first.
            let with_values = plain.as_ref().unwrap_or(machine);
            match retrace(with_values, &found.path, &cancel) {
                Some(path) => self.counted_trace(with_values, &path, found, outcome),
                None => self.counted_trace(machine, &found.path, found, outcome),
            }
        })
    }

    /// Whether runs of one machine have as many preemptions in another one.
    fn costs_the_same<M: Describe + Hints>(&self, better: &search::Better, machine: &M, other: &M) -> bool {
        let (counting, cancel) = (self.planned.counting, self.cancel());
        let cost = |machine: &M, path: &Path| {
            let switches = classify_until(machine, path, counting, &cancel)?;
            let per_cycle = preemptions_per_cycle(machine, path, counting, &cancel)?;
            Some((SwitchCost::Preemptions.of_run(&switches), per_cycle))
        };
        better.found.iter().all(|found| {
            let again = retrace(other, &found.path, &cancel);
            again.is_none_or(|path| cost(other, &path) == cost(machine, &found.path))
        })
    }

    /// The trace of a run, its switches counted by the machine that made it.
    fn counted_trace<M: Describe + Hints>(
        &self,
        machine: &M,
        path: &Path,
        found: &Found,
        outcome: &Outcome,
    ) -> Option<Trace> {
        let (counting, cancel) = (self.planned.counting, self.cancel());
        let switches = classify_until(machine, path, counting, &cancel)?;
        let heading = self.heading(outcome);
        let fault = Some(&found.fault);
        let mut trace = narrate_until(machine, &self.model.sources, path, &switches, fault, heading, &cancel)?;
        let per_cycle = preemptions_per_cycle(machine, path, counting, &cancel)?;
        trace.violation.iter_mut().for_each(|violation| violation.set_preemptions_per_cycle(per_cycle));
        Some(trace)
    }

    /// When making a run that was found is given up.
    fn cancel(&self) -> Cancel {
        judge::cancel(self.budget)
    }

    /// Runs the search. What a search that does not look at costs finds is simplified on a machine that has every step
    /// of the model (`stepping`, or the machine itself), to know how far the layers have to look.
    fn search<M: Describe + Hints>(
        &self,
        machine: &M,
        stepping: &dyn Fn() -> Option<M>,
        observer: &mut dyn Observer,
    ) -> (Outcome, Option<Simplified>) {
        let Plan::Interleaved(options) = &self.planned.plan else {
            return (search::run(self.planned, machine, self.budget, observer), None);
        };
        let mut simpler = None;
        let mut simplify = |found: &Found, work: u64| {
            let stepping = stepping();
            let work = work.min(among_choices(machine, SIMPLIFICATION));
            simpler = self.simpler(found, stepping.as_ref().unwrap_or(machine), work);
            simpler.as_ref().map(|simpler| simpler.preemptions)
        };
        let outcome = interleaved(machine, options, self.budget, observer, &mut simplify);
        (outcome, simpler)
    }

    /// A simpler run for a violation, unless it is to be shown as it was found.
    fn simpler<M: Describe + Hints>(&self, found: &Found, measuring: &M, work: u64) -> Option<Simplified> {
        self.planned.minimize?;
        let path = retrace(measuring, &found.path, &self.cancel())?;
        simplify(measuring, &Found { path, ..found.clone() }, self.planned.counting, work, self.budget)
    }

    /// The best runs for what was found, on a machine that has every step of the model. Where they are not found with
    /// reasonable effort, `simpler` is shown.
    fn improve<M: Describe + Hints>(
        &self,
        outcome: &Outcome,
        simpler: Option<Simplified>,
        measuring: &M,
        observer: &mut dyn Observer,
    ) -> search::Better {
        let all = self.request.search.all_violations;
        // The other half of the time is for making the trace and replaying it.
        let budget = self.budget.share(1, 2);
        let mut better = search::improve(self.planned, outcome, all, measuring, &budget, observer);
        if search::is_quick(self.planned, outcome) && !all && better.gave_up.is_some() {
            let work = search::enough_work(outcome, measuring).min(SIMPLIFICATION);
            let again = || self.simpler(outcome.violations.first()?, measuring, work);
            better.found.extend(simpler.or_else(again).map(|simpler| simpler.found));
        }
        better
    }

    /// The traces of the best run of the first violation, or of every one that was asked for; `trace` learns whether a
    /// better run was found. Making them may be cancelled.
    fn shown(
        &self,
        outcome: &Outcome,
        better: search::Better,
        trace: impl Fn(&Found, bool) -> Option<Trace>,
    ) -> Result<Shown, Refusal> {
        let all = self.request.search.all_violations;
        let shown = if all { outcome.violations.as_slice() } else { &outcome.violations[..1] };
        let traces = shown.iter().map(|found| {
            let simplest = match all {
                true => better.found.iter().find(|better| better.fault == found.fault),
                false => better.found.first(),
            };
            trace(simplest.unwrap_or(found), simplest.is_some())
        });
        let traces = traces.collect::<Option<Vec<Trace>>>().ok_or(Refusal::Cancelled)?;
        // The search for a better lasso has limits of its own, so it proves nothing.
        let has_lasso = shown.iter().any(|found| found.path.cycle.is_some());
        // A simpler run may be among those that a limit of the machine cut off.
        let cut = self.model.cut_by().is_some();
        let minimal = self.planned.minimize.is_some() && better.gave_up.is_none() && !has_lasso && !cut;
        Ok(Shown { traces, minimal, warnings: better.gave_up.map(not_the_best).into_iter().collect() })
    }

    fn conclude(&self, outcome: Outcome, shown: Shown, checked: Checked, hidden: &[String]) -> Result<Answer, Refusal> {
        let Shown { mut traces, minimal, mut warnings } = shown;
        let evidence = judge::replayed(self.model, &mut traces, &mut warnings, self.budget)?;
        let verdict = self.verdict(&outcome, &checked, hidden);
        let omission = omission(&outcome, hidden);
        let found = |found: &Found| FoundViolation {
            kind: found.fault.kind,
            message: found.fault.message.clone(),
            location: found.fault.span.map(|span| self.model.sources.location(span).into()),
            property: None,
        };
        let complete = matches!(outcome.stop, StopReason::Exhausted | StopReason::Bound) && omission.is_none();
        Ok(Answer {
            path: self.model.path.clone(),
            language: self.model.language,
            sha256: self.model.sha256.clone(),
            sources: self.model.sources.clone(),
            engine: Engine::Explicit,
            verdict,
            bound: self.bound(&outcome, verdict),
            complete,
            covered: self.covered(&outcome, omission.is_some()),
            stop: outcome.stop,
            minimal: (verdict == Verdict::Violated).then_some(minimal),
            violations: outcome.violations.iter().map(found).collect(),
            layers: outcome.layers,
            stats: outcome.stats,
            traces,
            checked,
            properties: Vec::new(),
            parts: Vec::new(),
            evidence,
            warnings,
            advice: self.model.advice(),
            details: Details::Explicit(ExplicitDetails { omission }),
        })
    }

    fn verdict(&self, outcome: &Outcome, checked: &Checked, hidden: &[String]) -> Verdict {
        match (outcome.violations.is_empty(), outcome.stop) {
            (false, _) => Verdict::Violated,
            (true, _) if checked.nothing() => Verdict::Inconclusive,
            (true, _) if omission(outcome, hidden).is_some() => Verdict::Inconclusive,
            (true, StopReason::Exhausted) if self.beyond_every_bound() => Verdict::Holds,
            (true, StopReason::Exhausted | StopReason::Bound) => Verdict::HoldsWithinBound,
            (true, _) => Verdict::Inconclusive,
        }
    }

    /// Whether a search that has nothing left to explore speaks for runs beyond its bound too. A search for cycles
    /// within a bound does not: infinitely many switches are beyond every bound.
    fn beyond_every_bound(&self) -> bool {
        let cycles = matches!(self.planned.plan, Plan::Cycles(_));
        !cycles || self.planned.kind == BoundKind::Unbounded || self.planned.most.is_none()
    }

    /// The bound of the run: the one asked for, or the one it got to.
    fn bound(&self, outcome: &Outcome, verdict: Verdict) -> Bound {
        match (verdict, outcome.violated_at) {
            (Verdict::Violated, None) if self.planned.most.is_none() => Bound::UNBOUNDED,
            (Verdict::Holds | Verdict::Inconclusive, _) if outcome.unbounded => Bound::UNBOUNDED,
            (Verdict::Violated, Some(at)) if self.planned.most.is_none() => {
                Bound { value: Some(at), ..self.planned.bound(at) }
            }
            _ => self.planned.bound(outcome.bound),
        }
    }

    /// The largest bound within which there is no violation. Where a limit of depth, stacks, threads or tokens cut off
    /// runs, that is not known for any bound.
    fn covered(&self, outcome: &Outcome, may_miss: bool) -> Option<Bound> {
        let cut = outcome.stop == StopReason::Depth || self.model.cut_by().is_some();
        let everything = outcome.unbounded && outcome.violations.is_empty();
        if self.planned.kind == BoundKind::Unbounded || everything || may_miss || cut {
            return None;
        }
        let complete = outcome.layers.last().map(|layer| layer.bound);
        let covered = match outcome.violated_at {
            Some(at) => at.checked_sub(1),
            None => complete,
        };
        covered.map(|value| Bound { kind: self.planned.kind, value: Some(value) })
    }
}

/// Drops what was found beside the completion of a claim, apart from the run that is shown. A claim moves once for merged
/// statements, so in the model itself the claim may complete, which ends the run, before the other violation happens.
fn drop_behind_the_claim(violations: &mut Vec<Found>) {
    let completes = |found: &Found| found.fault.kind == ViolationKind::ClaimCompleted;
    if violations.iter().any(completes) {
        let mut shown = true;
        violations.retain(|found| std::mem::take(&mut shown) || completes(found));
    }
}

fn omission(outcome: &Outcome, hidden: &[String]) -> Option<Omission> {
    if !hidden.is_empty() {
        return Some(Omission::HiddenVariables(hidden.to_vec()));
    }
    outcome.omission.clone()
}

/// Why the run shown may not be the simplest there is.
fn not_the_best(stop: StopReason) -> String {
    let why = match stop {
        StopReason::Time => "--time-limit ended the search for a simpler one",
        StopReason::Memory => "--memory-limit ended the search for a simpler one",
        StopReason::Interrupted => "the search for a simpler one was interrupted",
        StopReason::GaveUp => "finding the simplest one would take much longer than finding this one did",
        _ => "the search for a simpler one did not find it again",
    };
    format!("the run shown may not be the simplest: {why}")
}
