//! Follows a trace with the machine of the search. A trace names threads, places and values, not
//! steps of a machine; where several steps look the same, the next steps of the trace decide
//! (backtracking, each state tried once for each step of the trace).

use std::collections::HashSet;

use selvedge_core::Trace;
use selvedge_core::trace::{Changes, TraceLocation, TraceStep};
use selvedge_machine::{Describe, Path, PathStep, Step, Steps, Turn};
use selvedge_source::{SourceMap, Span};

use super::possible;

/// Where a trace does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stuck {
    /// The step that cannot be taken, from 1.
    pub step: usize,
    /// Why.
    pub reason: String,
}

/// The run of the machine that a trace describes.
pub(super) fn follow<M: Describe>(machine: &M, sources: &SourceMap, trace: &Trace) -> Result<Path, Stuck> {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let matcher = Matcher { machine, sources, trace };
    let mut tried: HashSet<(usize, Vec<u8>)> = HashSet::new();
    // levels[i] holds the ways to take step i that were not tried yet; path[i] the one being tried.
    let mut path: Vec<PathStep> = Vec::new();
    let mut levels: Vec<Vec<PathStep>> = Vec::new();
    let mut furthest = 0;
    while path.len() < trace.steps.len() {
        if levels.len() == path.len() {
            let mut ways = matcher.ways(&initial, &path);
            ways.retain(|way| way.state.is_empty() || tried.insert((path.len(), way.state.clone())));
            ways.reverse();
            levels.push(ways);
        }
        match levels.last_mut().and_then(Vec::pop) {
            Some(way) => {
                path.push(way);
                furthest = furthest.max(path.len());
            }
            None => {
                levels.pop();
                if path.pop().is_none() {
                    let reason = format!("`{}` cannot be executed here", trace.steps[furthest].text);
                    return Err(Stuck { step: furthest + 1, reason });
                }
            }
        }
    }
    let path = Path { initial, steps: path, cycle: None };
    matcher.check_end(&path)?;
    Ok(path)
}

struct Matcher<'a, M: Describe> {
    machine: &'a M,
    sources: &'a SourceMap,
    trace: &'a Trace,
}

impl<M: Describe> Matcher<'_, M> {
    /// The steps after `path` that look like the trace's next one.
    fn ways(&self, initial: &[u8], path: &[PathStep]) -> Vec<PathStep> {
        let wanted = &self.trace.steps[path.len()];
        let (state, turn) = path.last().map_or((initial, Turn::Any), |last| (last.state.as_slice(), last.step.turn));
        if state.is_empty() {
            return Vec::new();
        }
        let (mut scratch, mut steps) = (M::Scratch::default(), Steps::new());
        possible(self.machine, state, turn, &mut scratch, &mut steps);
        let fitting = steps.list.iter().filter(|step| self.fits(wanted, state, step, steps.state(step)));
        let kept = fitting.map(|step| PathStep {
            step: step.clone(),
            state: steps.state(step).map_or_else(Vec::new, <[u8]>::to_vec),
            faults: steps.faults[step.faults.clone()].to_vec(),
        });
        kept.collect()
    }

    fn fits(&self, wanted: &TraceStep, before: &[u8], step: &Step, after: Option<&[u8]>) -> bool {
        let same_thread = match (wanted.thread, step.thread) {
            (None, None) => true,
            (Some(id), Some(thread)) => self.names(id, &self.machine.thread_name(before, thread), thread.0),
            _ => false,
        };
        if !same_thread {
            return false;
        }
        let view = self.machine.view(before, step, after);
        let partner = view.partner.as_ref().map(|(_, span, _)| self.location(*span));
        view.span.map(|span| self.location(span)) == wanted.location
            && wanted.partner.as_ref().map(|partner| partner.location.clone()) == partner
            && Changes(view.changes) == wanted.changes
    }

    /// Whether the trace's thread `id` is the one of this name and number. Names that several
    /// threads have carry the number in the trace.
    fn names(&self, id: u32, name: &str, number: u32) -> bool {
        let known = self.trace.threads.iter().find(|thread| thread.id == id);
        known.is_some_and(|thread| thread.name == name || thread.name == format!("{name}({number})"))
    }

    fn location(&self, span: Span) -> TraceLocation {
        self.sources.location(span).into()
    }

    /// Whether the violation of the trace is at the end of the run.
    fn check_end(&self, path: &Path) -> Result<(), Stuck> {
        let Some(violation) = &self.trace.violation else { return Ok(()) };
        let last = path.steps.last().map_or(&path.initial, |last| &last.state);
        let by_step = path.steps.last().into_iter().flat_map(|last| &last.faults).any(|f| f.kind == violation.kind);
        let by_state = || {
            let faults = [self.machine.state_fault(last), self.machine.end_fault(last)];
            faults.into_iter().flatten().any(|fault| fault.kind == violation.kind)
        };
        if by_step || (!last.is_empty() && by_state()) {
            return Ok(());
        }
        let reason = format!("the run does not end as the trace says: {}", violation.kind.words());
        Err(Stuck { step: path.steps.len(), reason })
    }
}
