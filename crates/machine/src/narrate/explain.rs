//! Why a run is a violation, in one sentence. Each kind has its own question: which step made the asserted condition
//! false, who waits for whom, whose change let a thread reach what it must not reach, who runs in a cycle and who does
//! not. Everything said is looked up in the run; where the question has no answer, the last change before the violation is
//! named.

use std::collections::BTreeSet;

use selvedge_core::trace::{TraceSince, TraceWaiting};
use selvedge_core::{ThreadId, Trace, ViolationKind};

use super::{last_change, last_state};
use crate::{Describe, Fault, Hints, Path, Steps};

/// Variables that are named at most.
const VARIABLES: usize = 6;
/// Longest cycle whose idle threads are asked whether they could run.
const CYCLE: usize = 2_000;
/// Steps among which a write that changed nothing is looked for.
const LOOKED_BACK: usize = 10_000;
/// Characters of a statement that are shown.
const STATEMENT: usize = 40;

/// The sentence about the run `path`, shown as `trace`.
pub(super) fn explain<M: Describe + Hints>(machine: &M, path: &Path, fault: &Fault, trace: &Trace) -> String {
    use ViolationKind::{
        AcceptanceCycle, Assertion, ClaimCompleted, InvalidEndState, LabelReached, NonProgressCycle, RuntimeError,
        TargetCovered,
    };
    let asked = Asked { machine, path, trace };
    let answer = match fault.kind {
        Assertion | RuntimeError => asked.failed_statement().or_else(|| asked.reached(fault)),
        InvalidEndState => asked.deadlock(),
        LabelReached | TargetCovered => asked.reached(fault),
        ClaimCompleted => asked.claim_completed(),
        AcceptanceCycle | NonProgressCycle => asked.cycle(),
        _ => None,
    };
    answer.or_else(|| asked.last_change()).unwrap_or_else(|| asked.nothing_changes())
}

struct Asked<'a, M: Describe + Hints> {
    machine: &'a M,
    path: &'a Path,
    trace: &'a Trace,
}

impl<M: Describe + Hints> Asked<'_, M> {
    /// The last step: since when its condition is false, and who last changed each variable that it reads.
    fn failed_statement(&self) -> Option<String> {
        let index = self.path.steps.len().checked_sub(1)?;
        let step = &self.path.steps[index].step;
        let at = self.path.before(index);
        let condition = self.machine.condition(at, step, at)?;
        let mut parts: Vec<String> = Vec::new();
        if condition.holds == Some(false) {
            let holds = |state: usize| self.machine.condition(at, step, self.state(state)).and_then(|c| c.holds);
            let last_known =
                (0..index).rev().map(|state| (state, holds(state))).find(|(_, holds)| *holds != Some(false));
            // Nothing is known before the thread exists; that it never held says nothing of who broke it.
            if let Some((state, Some(_))) = last_known {
                parts.push(format!("the condition was true until {}", self.step(state)));
            }
        }
        parts.extend(self.changes(&condition.reads, at, index));
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// `x = 2 since step 5 (B)`, for each variable, in the state `at` before step `index`.
    fn changes(&self, reads: &[String], at: &[u8], index: usize) -> Vec<String> {
        let values = self.machine.variables(at);
        let shown = reads.iter().take(VARIABLES).filter_map(|name| {
            let (_, value) = values.iter().find(|(known, _)| known == name)?;
            let changed = last_change(&self.trace.steps[..index], name).map(|since| since.step as usize);
            let since = changed.map(|step| format!("since step {step}{}", self.of(step - 1)));
            let again = self.last_write(name, index).filter(|step| changed.is_none_or(|changed| changed < *step));
            let again = again.map(|step| format!(", written again in step {step}{}", self.of(step - 1)));
            let since = since.unwrap_or_else(|| "from the start".to_owned());
            Some(format!("{name} = {value} {since}{}", again.unwrap_or_default()))
        });
        shown.collect()
    }

    /// The last step before `index`, from 1, that assigns to a variable, whether or not its value changes.
    fn last_write(&self, name: &str, index: usize) -> Option<usize> {
        let writes = |step: &usize| {
            let before = self.path.before(*step);
            let condition = self.machine.condition(before, &self.path.steps[*step].step, before);
            condition.is_some_and(|condition| condition.writes.iter().any(|written| written == name))
        };
        (index.saturating_sub(LOOKED_BACK)..index).rev().find(writes).map(|step| step + 1)
    }

    /// ` (B)`, the thread of a step, from 0; nothing where there is only one thread.
    fn of(&self, index: usize) -> String {
        let several = self.trace.threads.len() > 1;
        let thread = self.trace.steps[index].thread.filter(|_| several);
        thread.map(|thread| format!(" ({})", self.trace.thread_name(thread))).unwrap_or_default()
    }

    fn deadlock(&self) -> Option<String> {
        let waits = |thread: u32| self.trace.waiting.iter().find(|waiting| waiting.thread == thread);
        if let Some(round) = self.trace.circular_wait() {
            let links = round.windows(2).filter_map(|pair| self.link(waits(pair[0])?, pair[1]));
            return Some(format!("a circular wait: {}", links.collect::<Vec<_>>().join("; ")));
        }
        let TraceWaiting { thread, reason, since, .. } = self.trace.waiting.first()?;
        let since = since
            .first()
            .map(|since| format!(" ({} set it in step {})", self.trace.thread_name(since.thread), since.step));
        let (name, since) = (self.trace.thread_name(*thread), since.unwrap_or_default());
        Some(format!("{name} {reason}{since}, and no thread that is still alive can change this"))
    }

    /// `left waits for knife, which right set in step 4`.
    fn link(&self, waiting: &TraceWaiting, other: u32) -> Option<String> {
        let since = waiting.since.iter().find(|since| since.thread == other)?;
        let (name, other) = (self.trace.thread_name(waiting.thread), self.trace.thread_name(other));
        Some(format!("{name} waits for {}, which {other} set in step {}", since.variable, since.step))
    }

    /// The last step of the thread that depended on another thread's change.
    fn reached(&self, fault: &Fault) -> Option<String> {
        let thread = fault.thread.or_else(|| self.path.steps.last()?.step.thread);
        let own = |index: &usize| self.path.steps[*index].step.thread == thread;
        let decisive = (0..self.path.steps.len()).rev().filter(own).find_map(|index| {
            let before = self.path.before(index);
            let condition = self.machine.condition(before, &self.path.steps[index].step, before)?;
            condition.holds?;
            let actor = self.trace.steps[index].thread;
            let foreign = |name: &String| {
                last_change(&self.trace.steps[..index], name).filter(|since| Some(since.thread) != actor)
            };
            let since = condition.reads.iter().find_map(foreign)?;
            Some((index, since, before))
        });
        let Some((index, since, before)) = decisive else {
            return self.named(&fault.message).or_else(|| self.last_condition(own));
        };
        let value = self.machine.variables(before).into_iter().find(|(name, _)| *name == since.variable)?.1;
        let TraceSince { variable, step, thread } = since;
        let who = self.trace.thread_name(thread);
        Some(format!("{} is possible because {who} set {variable} = {value} in step {step}", self.step(index)))
    }

    /// The last of some steps with a condition that depends on what the run changed.
    fn last_condition(&self, among: impl Fn(&usize) -> bool) -> Option<String> {
        (0..self.path.steps.len()).rev().filter(among).find_map(|index| {
            let before = self.path.before(index);
            let condition = self.machine.condition(before, &self.path.steps[index].step, before)?;
            condition.holds?;
            let changed = |name: &String| last_change(&self.trace.steps[..index], name).is_some();
            let reads: Vec<String> = condition.reads.into_iter().filter(changed).collect();
            let changes = self.changes(&reads, before, index);
            (!changes.is_empty()).then(|| format!("{} is possible because {}", self.step(index), changes.join("; ")))
        })
    }

    /// The last changes of the variables that a message names.
    fn named(&self, message: &str) -> Option<String> {
        let words: BTreeSet<&str> = message.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').collect();
        let last = last_state(self.path)?;
        let values = self.machine.variables(last);
        let names: Vec<String> =
            values.into_iter().map(|(name, _)| name).filter(|n| words.contains(n.as_str())).collect();
        let changed = |name: &String| last_change(&self.trace.steps, name).is_some();
        let names: Vec<String> = names.into_iter().filter(changed).collect();
        let shown = self.changes(&names, last, self.path.steps.len());
        (!shown.is_empty()).then(|| shown.join("; "))
    }

    /// Since when the variables have the values that complete the claim.
    fn claim_completed(&self) -> Option<String> {
        let condition = self.trace.steps.last().filter(|step| step.thread.is_none());
        condition.and_then(|step| self.named(&step.text))
    }

    fn last_change(&self) -> Option<String> {
        let changes = |index: &usize| !self.trace.steps[*index].changes.0.is_empty();
        let index = (0..self.trace.steps.len()).rev().find(changes)?;
        let shown: Vec<String> = self.trace.steps[index]
            .changes
            .0
            .iter()
            .take(VARIABLES)
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        Some(format!("the last change before it is {}: {}", self.step(index), shown.join(", ")))
    }

    /// The run changes no variable.
    fn nothing_changes(&self) -> String {
        match self.trace.steps.len() {
            0 => "this is already so in the initial state".to_owned(),
            1 => "it happens in the first step, before any variable has changed".to_owned(),
            steps => format!("it happens in step {steps}, and no variable has changed before"),
        }
    }

    /// Who runs in the cycle, and who could but does not.
    fn cycle(&self) -> Option<String> {
        let (first, last) = (self.path.cycle?, self.path.steps.len());
        let acting: BTreeSet<ThreadId> = self.path.steps[first..].iter().filter_map(|step| step.step.thread).collect();
        let names = |threads: &[ThreadId]| {
            let state = self.state(first);
            let names: Vec<String> = threads.iter().map(|thread| self.machine.thread_name(state, *thread)).collect();
            names.join(", ")
        };
        let all = acting.len() as u32 == self.machine.thread_count(self.state(first));
        let (only, s) = (if all { "" } else { "only " }, if acting.len() == 1 { "s" } else { "" });
        let (cycle, them) = match last - first {
            1 => (format!("step {last}"), "it"),
            _ => (format!("steps {} to {last}", first + 1), "them"),
        };
        let running = match acting.is_empty() {
            true => format!("no thread runs in {them}"),
            false => format!("{only}{} run{s} in {them}", names(&Vec::from_iter(acting.clone()))),
        };
        let mut text = format!("{cycle} can repeat forever; {running}");
        let neglected = self.neglected(first, &acting);
        if !neglected.is_empty() && !self.trace.options.fair {
            let names = names(&neglected);
            text.push_str(&format!(", although {names} could always run (--fair excludes such runs)"));
        }
        let propositions = self.propositions(first);
        if !propositions.is_empty() {
            text.push_str(&format!("; in {them} {}", propositions.join(", ")));
        }
        Some(text)
    }

    /// What becomes of each proposition in the cycle.
    fn propositions(&self, first: usize) -> Vec<String> {
        let states = (first..self.path.steps.len()).map(|step| self.machine.propositions(self.state(step)));
        let mut seen: Vec<(String, bool, bool)> = Vec::new();
        for (text, holds) in states.flatten() {
            match seen.iter_mut().find(|(known, ..)| *known == text) {
                Some((_, ever, always)) => (*ever, *always) = (*ever || holds, *always && holds),
                None => seen.push((text, holds, holds)),
            }
        }
        let shown = seen.into_iter().map(|(text, ever, always)| match (ever, always) {
            (true, true) => format!("`{text}` is always true"),
            (false, _) => format!("`{text}` is always false"),
            _ => format!("`{text}` is sometimes true"),
        });
        shown.collect()
    }

    /// Threads that have a step in every state of the cycle and take none.
    fn neglected(&self, first: usize, acting: &BTreeSet<ThreadId>) -> Vec<ThreadId> {
        let states = first..self.path.steps.len();
        if states.len() > CYCLE {
            return Vec::new();
        }
        let idle = (0..self.machine.thread_count(self.state(first))).map(ThreadId).filter(|t| !acting.contains(t));
        let (mut scratch, mut steps) = (M::Scratch::default(), Steps::new());
        let mut always = |thread: &ThreadId| {
            states.clone().all(|state| {
                steps.clear();
                self.machine.unclaimed_steps(self.state(state), *thread, &mut scratch, &mut steps);
                steps.list.iter().any(|step| step.thread == Some(*thread))
            })
        };
        idle.filter(|thread| always(thread)).collect()
    }

    /// The state after this many steps.
    fn state(&self, steps: usize) -> &[u8] {
        self.path.before(steps)
    }

    /// A step, from 0, in words: ``step 5 (`n = 2` of B)``.
    fn step(&self, index: usize) -> String {
        let step = &self.trace.steps[index];
        let several = self.trace.threads.len() > 1;
        let thread = step.thread.filter(|_| several);
        let who = thread.map(|thread| format!(" of {}", self.trace.thread_name(thread))).unwrap_or_default();
        let mut text: String = step.text.chars().take(STATEMENT).collect();
        if text.len() < step.text.len() {
            text.push('…');
        }
        format!("step {} (`{text}`{who})", index + 1)
    }
}
