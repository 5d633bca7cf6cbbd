//! Executes a trace of a dynamic network on the names in it, without the machine: every counterexample
//! is replayed here before it is shown. Threads are what the trace calls them: `main` creates `main.1`,
//! then `main.2`, and so on.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use selvedge_core::trace::{TraceLocation, TraceStep};
use selvedge_core::{BoundKind, ReplayError, Trace, ViolationKind};
use selvedge_source::{Cancel, SourceMap};

use selvedge_nets_syntax::dcps::{Dcps, Kind, Resume, Rule};
use selvedge_nets_syntax::dcps::{print_resume, print_rule};
use selvedge_nets_syntax::pds::{StateId, SymbolId};

mod sample;

use crate::lasso::Lasso;

pub use sample::sample;

/// What is known of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    let counted = matches!(trace.bound.kind, BoundKind::ThreadSwitches | BoundKind::Strata);
    let most = trace.bound.value.filter(|_| counted);
    let mut replay = Replay { dcps, trace, counted, most, stratum: 0 };
    let first = Thread { stack: vec![dcps.initial_symbol], switches: 0, children: 0 };
    let threads = BTreeMap::from([("main".to_owned(), first)]);
    let mut config = Config { state: dcps.initial, active: Some("main".to_owned()), threads };
    let mut cycle: Option<Lasso<Config, String>> = None;
    let lines = Lines::new(dcps, sources);
    let names: HashMap<u32, &String> = trace.threads.iter().map(|thread| (thread.id, &thread.name)).collect();
    for (index, step) in trace.steps.iter().enumerate() {
        if cancel.asks() {
            return Err(ReplayError::Cancelled);
        }
        if step.cycle_start {
            cycle = Some(Lasso::begin(config.clone(), replay.enabled(&config)));
        }
        let error = |reason: String| ReplayError::at(index + 1, reason);
        let name = step.thread.and_then(|id| names.get(&id));
        let name = name.ok_or_else(|| error("the trace does not name the thread".to_owned()))?;
        let line = lines.find(step).ok_or_else(|| error("the network has no such rule".to_owned()))?;
        replay.follow(&mut config, name, line, &step.text).map_err(error)?;
        if let Some(cycle) = &mut cycle {
            cycle.step(name, &replay.enabled(&config));
        }
    }
    if replay.ends_as_stated(&config, cycle.as_ref()) {
        return Ok(());
    }
    Err(ReplayError::at(trace.steps.len() + 1, "the run does not end in the violation"))
}

/// Where a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Config {
    state: StateId,
    active: Option<String>,
    threads: BTreeMap<String, Thread>,
}

impl Config {
    fn top(&self, thread: &str) -> Option<&SymbolId> {
        self.threads.get(thread)?.stack.last()
    }
}

/// What a trace says of its run.
struct Replay<'a> {
    dcps: &'a Dcps,
    trace: &'a Trace,
    /// The bound is about switch numbers; otherwise they are not counted.
    counted: bool,
    most: Option<u32>,
    stratum: u32,
}

impl Replay<'_> {
    /// A thread follows a line.
    fn follow(&mut self, config: &mut Config, name: &str, line: Line<'_>, text: &str) -> Result<(), String> {
        // A new thread has the switch number 0.
        let fresh_switches = self.trace.options.fresh_switches;
        let refused = || Err(format!("`{text}` cannot be followed here"));
        let Some(thread) = config.threads.get_mut(name) else { return Err("there is no such thread".to_owned()) };
        match line {
            Line::Resume(resume) => {
                if config.active.is_some() || resume.from != config.state || thread.stack.last() != Some(&resume.top) {
                    return refused();
                }
                if self.most.is_some_and(|most| thread.switches > most) {
                    return Err("the thread has no switch left within the bound".to_owned());
                }
                if self.trace.bound.kind == BoundKind::Strata && thread.switches < self.stratum {
                    return Err("the thread belongs to a stratum that is over".to_owned());
                }
                self.stratum = self.stratum.max(thread.switches);
                (config.state, config.active) = (resume.to, Some(name.to_owned()));
            }
            Line::Rule(rule) => {
                let fits = rule.from == config.state && thread.stack.last() == Some(&rule.top);
                if config.active.as_deref() != Some(name) || !fits {
                    return refused();
                }
                thread.stack.pop();
                thread.stack.extend(rule.push.iter().rev());
                let one = u32::from(self.counted);
                let switches = if fresh_switches { 0 } else { thread.switches + one };
                if rule.kind == Kind::Yield {
                    thread.switches += one;
                    config.active = None;
                }
                config.state = rule.to;
                if let Some(symbol) = rule.spawn {
                    thread.children += 1;
                    let child = format!("{name}.{}", thread.children);
                    config.threads.insert(child, Thread { stack: vec![symbol], switches, children: 0 });
                }
            }
        }
        Ok(())
    }

    /// The threads that can continue: the active one, or those that can be activated.
    fn enabled(&self, config: &Config) -> BTreeSet<String> {
        let continues = |name: &&String| {
            let top = config.top(name);
            let rules = || self.dcps.rules.iter().any(|rule| rule.from == config.state && Some(&rule.top) == top);
            let resumes =
                || self.dcps.resumes.iter().any(|resume| resume.from == config.state && Some(&resume.top) == top);
            match &config.active {
                Some(active) => active == *name && rules(),
                None => resumes() && self.most.is_none_or(|most| config.threads[*name].switches <= most),
            }
        };
        config.threads.keys().filter(continues).cloned().collect()
    }

    /// Whether a run that ends in this configuration ends in the violation of its trace.
    fn ends_as_stated(&self, config: &Config, cycle: Option<&Lasso<Config, String>>) -> bool {
        match self.trace.violation.as_ref().map(|violation| violation.kind) {
            None => true,
            Some(ViolationKind::TargetCovered) => self.dcps.is_target(config.state),
            Some(ViolationKind::InvalidEndState) => match &config.active {
                Some(name) => {
                    let top = config.top(name);
                    !self.dcps.rules.iter().any(|rule| rule.from == config.state && top == Some(&rule.top))
                }
                None => {
                    let has = |top| config.threads.values().any(|thread| thread.stack.last() == Some(top));
                    !self.dcps.resumes.iter().any(|resume| resume.from == config.state && has(&resume.top))
                }
            },
            Some(ViolationKind::NonProgressCycle) => {
                cycle.is_some_and(|cycle| cycle.is_closed(config) && (!self.trace.options.fair || cycle.is_fair()))
            }
            Some(_) => false,
        }
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
