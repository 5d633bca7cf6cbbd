//! The machine of the search and the judge side by side: along random runs of the machine, the enabled steps of each
//! stored state must be those that the judge has there, and each step must fail in the same way or not at all.
//!
//! A run is chosen on the machine that was searched, merged statements and all. States inside atomic sequences and
//! between merged statements are followed, not compared. Where the same statement leads to several states, the judge
//! follows all of them, and nothing is compared until one is left.

use std::collections::BTreeSet;

use selvedge_core::{Budget, ThreadId, ViolationKind};
use selvedge_machine::{Hints, Machine, Steps, Turn};
use selvedge_promela::machine::PromelaMachine;
use selvedge_promela_judge::{Interpreter, PlainStep, State};
use selvedge_source::SourceMap;

use super::key::Key;
use crate::simulate::{Chance, possible};

/// Steps of one run at most.
const LONGEST_RUN: usize = 100;

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Compared {
    /// States whose enabled steps were compared.
    pub states: u64,
    /// Steps that the judge executed.
    pub steps: u64,
}

/// How much is compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work<'a> {
    /// Decides all choices.
    pub seed: u64,
    /// Steps of the judge, about.
    pub steps: u64,
    /// Limits of the whole run.
    pub limits: &'a Budget,
    /// Whether a failed assertion is a violation for the search.
    pub assertions: bool,
}

impl Work<'_> {
    fn is_done(&self, compared: &Compared) -> bool {
        compared.steps >= self.steps || self.limits.spent(0).is_some()
    }
}

/// Compares along random runs until the work is done. The error shows both sides.
pub(super) fn compare(
    machine: &PromelaMachine,
    judge: &Interpreter,
    sources: &SourceMap,
    work: &Work<'_>,
) -> Result<Compared, String> {
    let mut lockstep = Lockstep { machine, judge, sources, compared: Compared::default(), run: Vec::new() };
    let mut chance = Chance::new(work.seed);
    while !work.is_done(&lockstep.compared) {
        let before = lockstep.compared.steps;
        lockstep.run(&mut chance, work)?;
        if lockstep.compared.steps == before {
            break;
        }
    }
    Ok(lockstep.compared)
}

struct Lockstep<'a> {
    machine: &'a PromelaMachine,
    judge: &'a Interpreter,
    sources: &'a SourceMap,
    compared: Compared,
    /// The run so far, for the report of a disagreement.
    run: Vec<Key>,
}

impl Lockstep<'_> {
    fn run(&mut self, chance: &mut Chance, work: &Work<'_>) -> Result<(), String> {
        self.run.clear();
        let (mut state, mut turn) = (Vec::new(), Turn::Any);
        self.machine.initial(&mut state);
        let mut candidates = vec![self.judge.initial()];
        while self.run.len() < LONGEST_RUN && !work.is_done(&self.compared) {
            let mut steps = Steps::new();
            possible(self.machine, &state, turn, &mut Default::default(), &mut steps);
            let plain: Vec<PlainStep> = candidates.iter().flat_map(|candidate| self.judge.steps(candidate)).collect();
            self.compared.steps += plain.len() as u64;
            let keys: Vec<Key> = steps.list.iter().map(|step| Key::of(self.machine, &state, step, &steps)).collect();
            if turn == Turn::Any && candidates.len() == 1 {
                self.same_steps(&keys, &plain)?;
                self.safe_steps_commute(&state, &plain)?;
                self.compared.states += 1;
            }
            if steps.list.is_empty() {
                return Ok(());
            }
            let index = chance.below(steps.list.len());
            let (step, key) = (&steps.list[index], &keys[index]);
            let fitting: Vec<&PlainStep> = plain.iter().filter(|plain| key.is(&Key::from(*plain))).collect();
            self.run.push(key.clone());
            if fitting.is_empty() {
                return Err(self.disagreement("the judge cannot take the last step of this run"));
            }
            let faults = kinds(steps.faults[step.faults.clone()].iter().map(|fault| fault.kind));
            self.same_faults(&faults, &fitting, candidates.len() == 1, work.assertions)?;
            let Some(next) = steps.state(step).filter(|_| faults.is_empty()) else { return Ok(()) };
            let next = next.to_vec();
            let followed: BTreeSet<State> = fitting.iter().filter_map(|plain| plain.next.clone()).collect();
            candidates = followed.into_iter().collect();
            (state, turn) = (next, step.turn);
        }
        Ok(())
    }

    /// The enabled steps of both sides are the same.
    fn same_steps(&self, machine: &[Key], judge: &[PlainStep]) -> Result<(), String> {
        let judge: Vec<Key> = judge.iter().map(Key::from).collect();
        if let Some(missing) = judge.iter().find(|judge| !machine.iter().any(|step| step.is(judge))) {
            let step = self.shown(missing);
            return Err(
                self.disagreement(&format!("after this run, the judge has a step that the search has not: {step}"))
            );
        }
        if let Some(extra) = machine.iter().find(|step| !judge.iter().any(|judge| step.is(judge))) {
            let step = self.shown(extra);
            return Err(
                self.disagreement(&format!("after this run, the search has a step that the judge has not: {step}"))
            );
        }
        Ok(())
    }

    /// Steps that the search may take alone commute with those of every other process.
    fn safe_steps_commute(&mut self, state: &[u8], plain: &[PlainStep]) -> Result<(), String> {
        let safe = |step: &&PlainStep| {
            step.thread.is_some_and(|thread| {
                let thread = ThreadId(thread);
                self.machine.is_safe(state, thread) || self.machine.is_local(state, thread)
            })
        };
        for step in plain.iter().filter(safe) {
            for other in plain.iter().filter(|other| other.thread != step.thread) {
                self.compared.steps += 4;
                if self.judge.commute(step, other) == Some(false) {
                    let (step, other) = (self.shown(&Key::from(step)), self.shown(&Key::from(other)));
                    return Err(self.disagreement(&format!(
                        "after this run, the search takes a step to be independent of all others, but it does not \
                         commute with one of them: {step}; {other}"
                    )));
                }
            }
        }
        Ok(())
    }

    /// A step fails on both sides, or on neither. Where the judge follows several states, it may fail in some of them.
    fn same_faults(
        &self,
        machine: &BTreeSet<ViolationKind>,
        judge: &[&PlainStep],
        exact: bool,
        assertions: bool,
    ) -> Result<(), String> {
        let faults = judge.iter().flat_map(|step| &step.faults).map(|(kind, _)| *kind);
        let of_judge = kinds(faults.filter(|kind| assertions || *kind != ViolationKind::Assertion));
        let same = if exact && judge.len() == 1 { *machine == of_judge } else { machine.is_subset(&of_judge) };
        match same {
            true => Ok(()),
            false => {
                let words = |kinds: &BTreeSet<ViolationKind>| match kinds.is_empty() {
                    true => "no violation".to_owned(),
                    false => kinds.iter().map(|kind| kind.words()).collect::<Vec<_>>().join(", "),
                };
                Err(self.disagreement(&format!(
                    "at the last step of this run the search has {}, the judge {}",
                    words(machine),
                    words(&of_judge)
                )))
            }
        }
    }

    fn shown(&self, key: &Key) -> String {
        key.shown(self.sources)
    }

    fn disagreement(&self, what: &str) -> String {
        format!("{what}{}", Key::shown_run(&self.run, self.sources))
    }
}

fn kinds(kinds: impl Iterator<Item = ViolationKind>) -> BTreeSet<ViolationKind> {
    kinds.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::load::load_text;
    use crate::model::{Executable, OpenOptions, Syntax, open};
    use crate::request::Request;
    use selvedge_core::{Interrupt, Limits};

    /// Compares the machine of one text with the judge of another, whose statements stand at the same places.
    fn compared(searched: &str, judged: &str) -> Result<Compared, String> {
        compared_for(&Request::default(), true, searched, judged)
    }

    fn compared_for(request: &Request, assertions: bool, searched: &str, judged: &str) -> Result<Compared, String> {
        let load = |text: &str| load_text("m.pml", Language::Promela, text).expect("it parses");
        let (searched, judged) = (load(searched), load(judged));
        let open_model = open(&searched, &OpenOptions::for_check(request)).expect("it builds");
        let Executable::Promela(promela) = &open_model.executable else { panic!("a Promela model") };
        let Syntax::Promela(syntax) = &judged.syntax else { panic!("a Promela model") };
        let judge = Interpreter::new(syntax, None).expect("it can be executed");
        let limits = Budget::start(Limits::default(), Interrupt::new());
        let work = Work { seed: 1, steps: 1_000, limits: &limits, assertions };
        compare(&promela.built.machine, &judge, &open_model.sources, &work)
    }

    const GUARDED: &str = "byte x; active [2] proctype P() { x == 0 -> x = 1; assert(x == 1); x = 0 }";

    #[test]
    fn the_same_model_agrees() {
        let compared = compared(GUARDED, GUARDED).expect("both sides agree");
        assert!(compared.states > 50 && compared.steps >= 1_000, "{compared:?}");
    }

    #[test]
    fn options_of_one_statement_commute_with_others() {
        let text = "byte g; active proctype P() { byte x; select (x : 0 .. 1); g = x } \
                    active proctype Q() { byte y; y = 1; y = 2; g++ }";
        assert!(compared(text, text).expect("both sides agree").states > 10);
    }

    #[test]
    fn another_guard_is_another_step() {
        let why = compared(GUARDED, &GUARDED.replace("x == 0", "x >= 0")).expect_err("the guards differ");
        assert!(why.contains("the judge has a step that the search has not: process"), "{why}");
        let why = compared(&GUARDED.replace("x == 0", "x >= 0"), GUARDED).expect_err("the guards differ");
        assert!(why.contains("the search has a step that the judge has not: process"), "{why}");
    }

    #[test]
    fn another_assertion_fails_elsewhere() {
        let why = compared(GUARDED, &GUARDED.replace("(x == 1)", "(x == 2)")).expect_err("the assertions differ");
        assert!(why.contains("the search has no violation, the judge assertion violated"), "{why}");
    }

    #[test]
    fn a_failed_assertion_that_is_no_violation_is_passed_over() {
        let failing = GUARDED.replace("(x == 1)", "(x == 2)");
        let mut request = Request::default();
        request.properties.no_assert = true;
        assert!(compared_for(&request, false, &failing, &failing).expect("both sides agree").states > 50);
        let why = compared_for(&request, true, &failing, &failing).expect_err("the search does not look at it");
        assert!(why.contains("the search has no violation, the judge assertion violated"), "{why}");
    }

    #[test]
    fn steps_that_are_taken_alone_must_commute() {
        let local = "byte c; active proctype P() { byte b; b = 1 } \
                     active proctype Q() { byte b; b = 3; b = b + 1; assert(b < 9) }";
        assert!(compared(local, local).is_ok());
        // For the judge the assignments are to the global variable.
        let global = local.replace("{ byte b;", "{ byte d;").replace("byte c;", "byte b;");
        let why = compared(local, &global).expect_err("they do not commute");
        assert!(why.contains("does not commute with one of them: process"), "{why}");
    }
}
