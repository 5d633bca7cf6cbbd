//! The interpreter of dynamic networks: a [`Machine`]. Threads have an identity here, and there is a
//! limit to how many there are, so that the explicit engine and simulations can execute a network.
//!
//! A state vector is, in words of four bytes: the global state, one more than the number of the active
//! thread (0 if none is active), how many threads there are, and for each, oldest first: its creator, its
//! switch number, the height of its stack and its symbols, the top last. A thread stays in the list after
//! its stack is empty, so that numbers and names never change.
//!
//! DIVERGENCE \[DYN\] Definition 2.4: the first thread is active at the start instead of pending, as the
//! construction of Section 3.4 and the format of the files have it.

use std::sync::atomic::{AtomicBool, Ordering};

use selvedge_core::{Fault, Machine, Path, PathStep, Step, StepView, Steps, ThreadId, Turn, ViolationKind};
use selvedge_source::{SourceMap, Span};

use super::model::{Action, Dcps, Kind, Move};
use super::print::{print_resume, print_rule};
use crate::pds::{STACK_LIMIT, StateId, SymbolId};

/// How to execute.
#[derive(Clone, Copy, Debug)]
pub struct DcpsOptions {
    /// Symbols on a stack. A rule that pushes beyond is not followed, and [`DcpsMachine::was_cut`] tells.
    pub stack_limit: u32,
    /// Threads that are ever created. A rule that creates more is not followed, which is told too.
    pub thread_limit: u32,
    /// Threads are activated only up to this switch number (\[DYN\] Definition 2.8).
    pub thread_switches: Option<u32>,
    /// A new thread has the switch number 0, not its creator's plus one.
    pub fresh_switches: bool,
    /// A state in which nothing can go on is a violation.
    pub deadlock: bool,
}

/// Threads if nothing is said.
pub const THREAD_LIMIT: u32 = 4;

impl Default for DcpsOptions {
    fn default() -> Self {
        DcpsOptions {
            stack_limit: STACK_LIMIT,
            thread_limit: THREAD_LIMIT,
            thread_switches: None,
            fresh_switches: false,
            deadlock: false,
        }
    }
}

/// The interpreter.
pub struct DcpsMachine {
    dcps: Dcps,
    options: DcpsOptions,
    rule_texts: Vec<String>,
    resume_texts: Vec<String>,
    cut: AtomicBool,
}

/// A state vector in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Config {
    state: u32,
    active: Option<usize>,
    threads: Vec<Thread>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Thread {
    /// One more than the number of the thread that created it; 0 for the first.
    creator: u32,
    switches: u32,
    /// The top last.
    stack: Vec<u32>,
}

impl Config {
    fn read(state: &[u8]) -> Config {
        let mut words = state.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let mut next = || words.next().unwrap_or(0);
        let (state, active, count) = (next(), next() as usize, next());
        let mut thread = |_| {
            let (creator, switches, height) = (next(), next(), next());
            Thread { creator, switches, stack: (0..height).map(|_| next()).collect() }
        };
        Config { state, active: active.checked_sub(1), threads: (0..count).map(&mut thread).collect() }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut word = |number: u32| out.extend(number.to_le_bytes());
        word(self.state);
        word(self.active.map_or(0, |active| active as u32 + 1));
        word(self.threads.len() as u32);
        for thread in &self.threads {
            word(thread.creator);
            word(thread.switches);
            word(thread.stack.len() as u32);
            thread.stack.iter().for_each(|symbol| word(*symbol));
        }
    }

    /// `main`, `main.1`, `main.1.2`: the creator, and which child of it.
    fn name(&self, thread: usize) -> String {
        let Some(creator) = self.threads.get(thread).and_then(|t| t.creator.checked_sub(1)) else {
            return "main".to_owned();
        };
        let siblings = self.threads[..=thread].iter().filter(|t| t.creator == creator + 1).count();
        format!("{}.{siblings}", self.name(creator as usize))
    }
}

impl DcpsMachine {
    /// An interpreter for a network whose spans speak of `sources`. A network that was not read from a
    /// file has spans without text; its rules are then shown as they would be printed.
    pub fn new(dcps: Dcps, sources: &SourceMap, options: DcpsOptions) -> Self {
        let text = |span: Span, printed: String| {
            if sources.files().next().is_none() {
                return printed;
            }
            let words: Vec<&str> = sources.text(span).split_whitespace().collect();
            if words.is_empty() { printed } else { words.join(" ") }
        };
        let rule_texts = dcps.rules.iter().map(|rule| text(rule.span, print_rule(&dcps, rule))).collect();
        let resume_texts = dcps.resumes.iter().map(|resume| text(resume.span, print_resume(&dcps, resume))).collect();
        DcpsMachine { dcps, options, rule_texts, resume_texts, cut: AtomicBool::new(false) }
    }

    /// The network.
    pub fn dcps(&self) -> &Dcps {
        &self.dcps
    }

    /// Whether a step was not followed because of the limit of stacks or threads, in any state so far.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// The global state of a state vector.
    pub fn global(&self, state: &[u8]) -> StateId {
        StateId(Config::read(state).state)
    }

    /// The run of these moves. `None` if one cannot be made.
    pub fn run(&self, moves: &[Move]) -> Option<Path> {
        let mut path = Path::default();
        self.initial(&mut path.initial);
        let mut state = path.initial.clone();
        for next in moves {
            let mut steps = Steps::new();
            self.steps(&state, Turn::Any, &mut (), &mut steps);
            let wanted = action_words(*next);
            let step = steps.list.iter().find(|step| step.action == wanted)?.clone();
            state = steps.state(&step)?.to_vec();
            path.steps.push(PathStep { step, state: state.clone(), faults: Vec::new() });
        }
        Some(path)
    }

    /// What a step of a path does.
    pub fn move_of(&self, step: &Step) -> Move {
        let [thread, kind, index] = step.action.map(|number| number as usize);
        Move { thread, action: if kind == 0 { Action::Rule(index) } else { Action::Resume(index) } }
    }

    fn target(&self, state: &Config) -> Option<Span> {
        self.dcps.targets.iter().find(|(target, _)| target.0 == state.state).map(|(_, span)| *span)
    }

    /// What can be done in a state, each with the state after it; the limits are not looked at.
    fn successors(&self, config: &Config) -> Vec<(Move, Config)> {
        match config.active {
            Some(thread) => self.rule_steps(config, thread),
            None => self.resume_steps(config),
        }
    }

    fn rule_steps(&self, config: &Config, thread: usize) -> Vec<(Move, Config)> {
        let Some(top) = config.threads[thread].stack.last() else { return Vec::new() };
        let mut found = Vec::new();
        for (index, rule) in self.dcps.rules.iter().enumerate() {
            if rule.from.0 != config.state || rule.top.0 != *top {
                continue;
            }
            let mut next = config.clone();
            next.state = rule.to.0;
            let stack = &mut next.threads[thread].stack;
            stack.pop();
            stack.extend(rule.push.iter().rev().map(|symbol| symbol.0));
            if let Some(symbol) = rule.spawn {
                let switches =
                    self.count(if self.options.fresh_switches { 0 } else { config.threads[thread].switches + 1 });
                next.threads.push(Thread { creator: thread as u32 + 1, switches, stack: vec![symbol.0] });
            }
            if rule.kind == Kind::Yield {
                next.active = None;
                next.threads[thread].switches = self.count(config.threads[thread].switches + 1);
            }
            found.push((Move { thread, action: Action::Rule(index) }, next));
        }
        found
    }

    /// Switch numbers are remembered only where they matter, and only as far as they do.
    fn count(&self, switches: u32) -> u32 {
        self.options.thread_switches.map_or(0, |most| switches.min(most.saturating_add(1)))
    }

    fn resume_steps(&self, config: &Config) -> Vec<(Move, Config)> {
        let mut found = Vec::new();
        for (thread, local) in config.threads.iter().enumerate() {
            let Some(top) = local.stack.last() else { continue };
            if self.options.thread_switches.is_some_and(|most| local.switches > most) {
                continue;
            }
            for (index, resume) in self.dcps.resumes.iter().enumerate() {
                if resume.from.0 == config.state && resume.top.0 == *top {
                    let next = Config { state: resume.to.0, active: Some(thread), threads: config.threads.clone() };
                    found.push((Move { thread, action: Action::Resume(index) }, next));
                }
            }
        }
        found
    }

    fn within_limits(&self, config: &Config) -> bool {
        let high = |thread: &Thread| thread.stack.len() > self.options.stack_limit as usize;
        config.threads.len() <= self.options.thread_limit as usize && !config.threads.iter().any(high)
    }

    /// A stack as people read it, the top first.
    fn shown(&self, thread: &Thread) -> String {
        let names: Vec<&str> =
            thread.stack.iter().rev().map(|symbol| self.dcps.symbol_name(SymbolId(*symbol))).collect();
        if names.is_empty() { "empty".to_owned() } else { names.join(" ") }
    }
}

/// A move as [`Step::action`] has it.
fn action_words(next: Move) -> [u32; 3] {
    match next.action {
        Action::Rule(index) => [next.thread as u32, 0, index as u32],
        Action::Resume(index) => [next.thread as u32, 1, index as u32],
    }
}

impl Machine for DcpsMachine {
    type Scratch = ();

    fn initial(&self, out: &mut Vec<u8>) {
        let first = Thread { creator: 0, switches: 0, stack: vec![self.dcps.initial_symbol.0] };
        Config { state: self.dcps.initial.0, active: Some(0), threads: vec![first] }.write(out);
    }

    fn steps(&self, state: &[u8], turn: Turn, (): &mut (), out: &mut Steps) {
        let config = Config::read(state);
        if turn == Turn::Stutter || self.target(&config).is_some() {
            return;
        }
        for (next, after) in self.successors(&config) {
            if !self.within_limits(&after) {
                self.cut.store(true, Ordering::Relaxed);
                continue;
            }
            let thread = ThreadId(next.thread as u32);
            if matches!(turn, Turn::Only(only) if only != thread) {
                continue;
            }
            let start = out.bytes.len();
            after.write(&mut out.bytes);
            out.list.push(Step {
                thread: Some(thread),
                ran_last: Some(thread),
                action: action_words(next),
                state: start..out.bytes.len(),
                turn: Turn::Any,
                faults: out.faults.len()..out.faults.len(),
            });
        }
    }

    fn end_fault(&self, state: &[u8]) -> Option<Fault> {
        let config = Config::read(state);
        // Where only a limit is in the way, the network is not stuck.
        if !self.options.deadlock || self.target(&config).is_some() || !self.successors(&config).is_empty() {
            return None;
        }
        if config.threads.iter().all(|thread| thread.stack.is_empty()) {
            return None;
        }
        let message = "no thread can go on".to_owned();
        Some(Fault { kind: ViolationKind::InvalidEndState, message, span: None, thread: None })
    }

    fn state_fault(&self, state: &[u8]) -> Option<Fault> {
        let config = Config::read(state);
        let span = self.target(&config)?;
        let message = format!("the state `{}` is reached", self.dcps.state_name(StateId(config.state)));
        Some(Fault { kind: ViolationKind::TargetCovered, message, span: Some(span), thread: None })
    }

    fn thread_count(&self, state: &[u8]) -> u32 {
        Config::read(state).threads.len() as u32
    }

    fn thread_name(&self, state: &[u8], thread: ThreadId) -> String {
        Config::read(state).name(thread.0 as usize)
    }

    fn view(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView {
        let next = self.move_of(step);
        let (span, text) = match next.action {
            Action::Rule(index) => (self.dcps.rules[index].span, self.rule_texts[index].clone()),
            Action::Resume(index) => (self.dcps.resumes[index].span, self.resume_texts[index].clone()),
        };
        let mut view = StepView { span: Some(span), text, ..StepView::default() };
        let Some(after) = after else { return view };
        let (before, after) = (Config::read(before), Config::read(after));
        if before.state != after.state {
            view.changes.push(("state".to_owned(), self.dcps.state_name(StateId(after.state)).to_owned()));
        }
        let (old, new) = (self.shown(&before.threads[next.thread]), self.shown(&after.threads[next.thread]));
        if old != new {
            view.changes.push(("stack".to_owned(), new));
        }
        if after.threads.len() > before.threads.len() {
            let child = after.threads.len() - 1;
            view.changes.push((after.name(child), self.shown(&after.threads[child])));
        }
        view
    }

    fn waiting(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)> {
        let config = Config::read(state);
        let local = config.threads.get(thread.0 as usize)?;
        let top = self.dcps.symbol_name(SymbolId(*local.stack.last()?));
        let global = self.dcps.state_name(StateId(config.state));
        let span = self.dcps.rules.first().map(|rule| rule.span)?;
        Some((
            span,
            match config.active {
                Some(active) if active == thread.0 as usize => format!("has no rule for ({global}, {top})"),
                Some(_) => "is suspended while another thread is active".to_owned(),
                None => format!("cannot be activated in {global} with {top} on its stack"),
            },
        ))
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        let config = Config::read(state);
        let active = config.active.map_or_else(|| "none".to_owned(), |active| config.name(active));
        let global = self.dcps.state_name(StateId(config.state)).to_owned();
        let mut list = vec![("state".to_owned(), global), ("active".to_owned(), active)];
        list.extend(config.threads.iter().enumerate().map(|(index, thread)| (config.name(index), self.shown(thread))));
        list
    }
}
