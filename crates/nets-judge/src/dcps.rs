//! Executes a trace of a dynamic network on the names in it, without the machine: every counterexample
//! is replayed here before it is shown. Threads are what the trace calls them: `main` creates `main.1`,
//! then `main.2`, and so on.

use std::collections::HashMap;

use selvedge_core::trace::{TraceLocation, TraceStep};
use selvedge_core::{BoundKind, ReplayError, Trace, ViolationKind};
use selvedge_source::{Cancel, SourceMap};

use selvedge_nets_syntax::dcps::{Dcps, Kind, Resume, Rule};
use selvedge_nets_syntax::dcps::{print_resume, print_rule};
use selvedge_nets_syntax::pds::{StateId, SymbolId};

mod sample;

pub use sample::sample;

/// What is known of a thread.
struct Thread {
    /// The top last.
    stack: Vec<SymbolId>,
    switches: u32,
    children: u32,
}

#[derive(Clone, Copy)]
enum Line<'a> {
    Rule(&'a Rule),
    Resume(&'a Resume),
}

/// Whether the trace can be executed and ends as it says, within the bound it says.
pub fn replay(dcps: &Dcps, sources: &SourceMap, trace: &Trace) -> Result<(), ReplayError> {
    replay_until(dcps, sources, trace, &Cancel::never())
}

/// As [`replay`], unless it is cancelled.
pub fn replay_until(dcps: &Dcps, sources: &SourceMap, trace: &Trace, cancel: &Cancel) -> Result<(), ReplayError> {
    // A new thread has the switch number 0.
    let fresh_switches = trace.options.fresh_switches;
    let counted = matches!(trace.bound.kind, BoundKind::ThreadSwitches | BoundKind::Strata);
    let most = trace.bound.value.filter(|_| counted);
    let mut stratum = 0;
    let mut state = dcps.initial;
    let mut active = Some("main".to_owned());
    let first = Thread { stack: vec![dcps.initial_symbol], switches: 0, children: 0 };
    let mut threads = HashMap::from([("main".to_owned(), first)]);
    let lines = Lines::new(dcps, sources);
    let names: HashMap<u32, &String> = trace.threads.iter().map(|thread| (thread.id, &thread.name)).collect();
    for (index, step) in trace.steps.iter().enumerate() {
        if cancel.asks() {
            return Err(ReplayError::Cancelled);
        }
        let error = |reason: &str| ReplayError::at(index + 1, reason);
        let name = step.thread.and_then(|id| names.get(&id));
        let name = name.map(|name| (*name).clone()).ok_or_else(|| error("the trace does not name the thread"))?;
        let thread = threads.get_mut(&name).ok_or_else(|| error("there is no such thread"))?;
        let refused = || error(&format!("`{}` cannot be followed here", step.text));
        match lines.find(step).ok_or_else(|| error("the network has no such rule"))? {
            Line::Resume(resume) => {
                if active.is_some() || resume.from != state || thread.stack.last() != Some(&resume.top) {
                    return Err(refused());
                }
                if most.is_some_and(|most| thread.switches > most) {
                    return Err(error("the thread has no switch left within the bound"));
                }
                if trace.bound.kind == BoundKind::Strata && thread.switches < stratum {
                    return Err(error("the thread belongs to a stratum that is over"));
                }
                stratum = stratum.max(thread.switches);
                (state, active) = (resume.to, Some(name));
            }
            Line::Rule(rule) => {
                let fits = rule.from == state && thread.stack.last() == Some(&rule.top);
                if active.as_ref() != Some(&name) || !fits {
                    return Err(refused());
                }
                thread.stack.pop();
                thread.stack.extend(rule.push.iter().rev());
                let switches = if fresh_switches { 0 } else { thread.switches + 1 };
                if rule.kind == Kind::Yield {
                    thread.switches += 1;
                    active = None;
                }
                state = rule.to;
                if let Some(symbol) = rule.spawn {
                    thread.children += 1;
                    let child = format!("{name}.{}", thread.children);
                    threads.insert(child, Thread { stack: vec![symbol], switches, children: 0 });
                }
            }
        }
    }
    if ends_as_stated(dcps, trace, state, active.as_ref(), &threads) {
        return Ok(());
    }
    Err(ReplayError::at(trace.steps.len() + 1, "the run does not end in the violation"))
}

/// Whether a run that ends in this configuration ends in the violation of its trace.
fn ends_as_stated(
    dcps: &Dcps,
    trace: &Trace,
    state: StateId,
    active: Option<&String>,
    threads: &HashMap<String, Thread>,
) -> bool {
    match trace.violation.as_ref().map(|violation| violation.kind) {
        None => true,
        Some(ViolationKind::TargetCovered) => dcps.is_target(state),
        Some(ViolationKind::InvalidEndState) => match active {
            Some(name) => {
                let top = threads.get(name).and_then(|thread| thread.stack.last());
                !dcps.rules.iter().any(|rule| rule.from == state && top == Some(&rule.top))
            }
            None => {
                let has = |top| threads.values().any(|thread| thread.stack.last() == Some(top));
                !dcps.resumes.iter().any(|resume| resume.from == state && has(&resume.top))
            }
        },
        Some(_) => false,
    }
}

/// The lines of a network, by the line and column where they stand.
struct Lines<'a> {
    dcps: &'a Dcps,
    sources: &'a SourceMap,
    standing: HashMap<(u32, u32), Vec<(TraceLocation, Line<'a>)>>,
}

impl<'a> Lines<'a> {
    fn new(dcps: &'a Dcps, sources: &'a SourceMap) -> Self {
        let mut standing: HashMap<(u32, u32), Vec<(TraceLocation, Line<'a>)>> = HashMap::new();
        let rules = dcps.rules.iter().map(|rule| (rule.span, Line::Rule(rule)));
        for (span, line) in rules.chain(dcps.resumes.iter().map(|resume| (resume.span, Line::Resume(resume)))) {
            let here: TraceLocation = sources.location(span).into();
            standing.entry((here.line, here.column)).or_default().push((here, line));
        }
        Lines { dcps, sources, standing }
    }

    /// The line of a step: the one that stands where the trace says and reads as it says.
    fn find(&self, step: &TraceStep) -> Option<Line<'a>> {
        let here = step.location.as_ref()?;
        let standing = self.standing.get(&(here.line, here.column)).into_iter().flatten();
        standing.filter(|(place, line)| place == here && self.reads(*line, &step.text)).map(|(_, line)| *line).next()
    }

    fn reads(&self, line: Line<'a>, text: &str) -> bool {
        let (span, printed) = match line {
            Line::Rule(rule) => (rule.span, print_rule(self.dcps, rule)),
            Line::Resume(resume) => (resume.span, print_resume(self.dcps, resume)),
        };
        let words: Vec<&str> = self.sources.text(span).split_whitespace().collect();
        text == words.join(" ") || text == printed
    }
}
