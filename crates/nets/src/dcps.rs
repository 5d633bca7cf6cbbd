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

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use selvedge_core::{Budget, StopReason, ThreadId, ViolationKind};
use selvedge_machine::{Describe, Fault, Hints, Machine, Path, PathStep, Recorded, Step, StepView, Steps, Turn};
use selvedge_source::{SourceMap, Span};

use crate::pds::STACK_LIMIT;
use selvedge_nets_syntax::dcps::{Action, Dcps, Kind, Move, Rule};
use selvedge_nets_syntax::dcps::{print_resume, print_rule};
use selvedge_nets_syntax::pds::{StateId, SymbolId};

/// How to execute.
#[derive(Clone, Copy, Debug)]
pub struct DcpsOptions {
    /// Symbols on a stack. A rule that pushes beyond is not followed, and [`DcpsMachine::was_cut`] tells.
    pub stack_limit: u32,
    /// Threads that are ever created. A rule that creates more is not followed, and [`DcpsMachine::reached_thread_limit`] tells.
    pub thread_limit: u32,
    /// Threads are activated only up to this switch number (\[DYN\] Definition 2.8).
    pub thread_switches: Option<u32>,
    /// A new thread has the switch number 0, not its creator's plus one.
    pub fresh_switches: bool,
    /// A state in which nothing can continue is a violation.
    pub deadlock: bool,
}

/// Threads if nothing is said.
pub(crate) const THREAD_LIMIT: u32 = 4;

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
    /// Positions of rules and activations, by the state and the symbol that they are for.
    rules: HashMap<(u32, u32), Vec<usize>>,
    resumes: HashMap<(u32, u32), Vec<usize>>,
    targets: HashMap<u32, Span>,
    cut: AtomicBool,
    too_many_threads: AtomicBool,
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
        let mut at = thread;
        let mut parts = Vec::new();
        // A creator is older than what it creates.
        while let Some(creator) = self.threads.get(at).and_then(|t| t.creator.checked_sub(1)) {
            parts.push(self.threads[..=at].iter().filter(|t| t.creator == creator + 1).count());
            at = creator as usize;
        }
        parts.iter().rev().fold("main".to_owned(), |name, part| format!("{name}.{part}"))
    }

    /// The names of all threads.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(self.threads.len());
        let mut children = vec![0u32; self.threads.len()];
        for thread in &self.threads {
            let name = match thread.creator.checked_sub(1) {
                None => "main".to_owned(),
                Some(creator) => {
                    children[creator as usize] += 1;
                    format!("{}.{}", names[creator as usize], children[creator as usize])
                }
            };
            names.push(name);
        }
        names
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
        let rules = by_head(dcps.rules.iter().map(|rule| (rule.from.0, rule.top.0)));
        let resumes = by_head(dcps.resumes.iter().map(|resume| (resume.from.0, resume.top.0)));
        let targets = dcps.targets.iter().rev().map(|(state, span)| (state.0, *span)).collect();
        let (cut, too_many_threads) = (AtomicBool::new(false), AtomicBool::new(false));
        DcpsMachine { dcps, options, rule_texts, resume_texts, rules, resumes, targets, cut, too_many_threads }
    }

    /// The network.
    pub fn dcps(&self) -> &Dcps {
        &self.dcps
    }

    /// Whether a step was not followed because of the limit of stacks, in any state so far.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// The same for the limit of threads.
    pub fn reached_thread_limit(&self) -> bool {
        self.too_many_threads.load(Ordering::Relaxed)
    }

    /// The global state of a state vector.
    pub fn global(&self, state: &[u8]) -> StateId {
        StateId(Config::read(state).state)
    }

    /// The run of these moves. `None` if one cannot be made.
    pub fn run(&self, moves: &[Move]) -> Option<Path> {
        self.run_within(moves, &Budget::unlimited()).ok().flatten()
    }

    /// As [`DcpsMachine::run`], as long as a budget allows.
    pub fn run_within(&self, moves: &[Move], budget: &Budget) -> Result<Option<Path>, StopReason> {
        let mut recorded = Recorded::new(budget);
        self.initial(&mut recorded.path.initial);
        let mut config = Config::read(&recorded.path.initial);
        for next in moves {
            if self.targets.contains_key(&config.state) {
                return Ok(None);
            }
            let made = self.make(&config, *next).filter(|after| self.within_limits(after));
            let Some(after) = made else { return Ok(None) };
            config = after;
            let mut state = Vec::new();
            config.write(&mut state);
            let step = step_of(*next, 0..state.len(), 0..0);
            recorded.push(PathStep { step, state, faults: Vec::new() })?;
        }
        Ok(Some(recorded.path))
    }

    /// What a step of a path does.
    pub(crate) fn move_of(&self, step: &Step) -> Move {
        let [thread, kind, index] = step.action.map(|number| number as usize);
        Move { thread, action: if kind == 0 { Action::Rule(index) } else { Action::Resume(index) } }
    }

    fn target(&self, state: &Config) -> Option<Span> {
        self.targets.get(&state.state).copied()
    }

    /// What can be done in a state, each with the state after it; the limits are not looked at.
    fn successors(&self, config: &Config) -> Vec<(Move, Config)> {
        let threads = config.active.map_or(0..config.threads.len(), |active| active..active + 1);
        let index = if config.active.is_some() { &self.rules } else { &self.resumes };
        let mut found = Vec::new();
        for thread in threads {
            let Some(top) = config.threads.get(thread).and_then(|local| local.stack.last()) else { continue };
            for position in index.get(&(config.state, *top)).into_iter().flatten() {
                let rule = config.active.is_some();
                let action = if rule { Action::Rule(*position) } else { Action::Resume(*position) };
                let next = Move { thread, action };
                found.extend(self.make(config, next).map(|after| (next, after)));
            }
        }
        found
    }

    /// The state after a move; `None` if it cannot be made.
    fn make(&self, config: &Config, Move { thread, action }: Move) -> Option<Config> {
        let local = config.threads.get(thread)?;
        let top = *local.stack.last()?;
        match action {
            Action::Rule(position) => {
                let rule = self.dcps.rules.get(position)?;
                let fits = (rule.from.0, rule.top.0) == (config.state, top) && config.active == Some(thread);
                fits.then(|| self.follow(config, thread, rule))
            }
            Action::Resume(position) => {
                let resume = self.dcps.resumes.get(position)?;
                let fits = (resume.from.0, resume.top.0) == (config.state, top) && config.active.is_none();
                let may = self.options.thread_switches.is_none_or(|most| local.switches <= most);
                let after = || Config { state: resume.to.0, active: Some(thread), threads: config.threads.clone() };
                (fits && may).then(after)
            }
        }
    }

    fn follow(&self, config: &Config, thread: usize, rule: &Rule) -> Config {
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
        next
    }

    /// Switch numbers are remembered only where they matter, and only as far as they do.
    fn count(&self, switches: u32) -> u32 {
        self.options.thread_switches.map_or(0, |most| switches.min(most.saturating_add(1)))
    }

    /// Whether a configuration is followed; remembers what was in the way.
    fn within_limits(&self, config: &Config) -> bool {
        let high = |thread: &Thread| thread.stack.len() > self.options.stack_limit as usize;
        let too_many_threads = config.threads.len() > self.options.thread_limit as usize;
        let cut = config.threads.iter().any(high);
        if too_many_threads {
            self.too_many_threads.store(true, Ordering::Relaxed);
        }
        if cut {
            self.cut.store(true, Ordering::Relaxed);
        }
        !too_many_threads && !cut
    }

    /// A stack as people read it, the top first.
    fn shown(&self, thread: &Thread) -> String {
        let names: Vec<&str> =
            thread.stack.iter().rev().map(|symbol| self.dcps.symbol_name(SymbolId(*symbol))).collect();
        if names.is_empty() { "empty".to_owned() } else { names.join(" ") }
    }
}

/// Positions in a list, by the state and the symbol that each element is for.
fn by_head(heads: impl Iterator<Item = (u32, u32)>) -> HashMap<(u32, u32), Vec<usize>> {
    let mut index: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
    heads.enumerate().for_each(|(at, head)| index.entry(head).or_default().push(at));
    index
}

/// The step of a move.
fn step_of(next: Move, state: Range<usize>, faults: Range<usize>) -> Step {
    let thread = Some(ThreadId(next.thread as u32));
    Step { thread, ran_last: thread, action: action_words(next), claim_move: 0, state, turn: Turn::Any, faults }
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
                continue;
            }
            let thread = ThreadId(next.thread as u32);
            if matches!(turn, Turn::Only(only) if only != thread) {
                continue;
            }
            let start = out.bytes.len();
            after.write(&mut out.bytes);
            let faults = out.faults.len()..out.faults.len();
            out.list.push(step_of(next, start..out.bytes.len(), faults));
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
        let message = "deadlock: every thread is blocked".to_owned();
        Some(Fault { kind: ViolationKind::InvalidEndState, message, span: None, thread: None })
    }

    fn state_fault(&self, state: &[u8]) -> Option<Fault> {
        let config = Config::read(state);
        let span = self.target(&config)?;
        let message = format!("the state `{}` is reached", self.dcps.state_name(StateId(config.state)));
        Some(Fault { kind: ViolationKind::TargetCovered, message, span: Some(span), thread: None })
    }

    fn has_finished(&self, state: &[u8], thread: ThreadId) -> bool {
        Config::read(state).threads.get(thread.0 as usize).is_none_or(|thread| thread.stack.is_empty())
    }

    fn thread_count(&self, state: &[u8]) -> u32 {
        state.get(8..12).map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    }
}

impl Hints for DcpsMachine {}

impl Describe for DcpsMachine {
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
        let names = config.names();
        let active = config.active.map_or_else(|| "none".to_owned(), |active| names[active].clone());
        let global = self.dcps.state_name(StateId(config.state)).to_owned();
        let mut list = vec![("state".to_owned(), global), ("active".to_owned(), active)];
        list.extend(names.into_iter().zip(config.threads.iter().map(|thread| self.shown(thread))));
        list
    }
}
