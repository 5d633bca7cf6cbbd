//! The interpreter of pushdown systems: a [`Machine`]. A state vector is the shared state, then for
//! each thread the height of its stack and its symbols, the top last; four bytes each.

use std::sync::atomic::{AtomicBool, Ordering};

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_machine::{
    Condition, Describe, Fault, Frame, Hints, Machine, Path, PathStep, Step, StepView, Steps, Turn,
};
use selvedge_source::{Cancel, SourceMap, Span};

use selvedge_nets_syntax::pds::{Pds, Rule, StateId};

/// How to execute.
#[derive(Clone, Copy, Debug)]
pub struct PdsOptions {
    /// Symbols on a stack. A rule that pushes beyond is not followed, and [`PdsMachine::was_cut`] tells.
    pub stack_limit: u32,
    /// A state in which no thread is enabled, although some stack is not empty, is a violation.
    pub deadlock: bool,
}

/// Symbols on a stack if nothing is said.
pub const STACK_LIMIT: u32 = 32;

impl Default for PdsOptions {
    fn default() -> Self {
        PdsOptions { stack_limit: STACK_LIMIT, deadlock: false }
    }
}

/// Nothing is needed.
pub type Scratch = ();

/// The interpreter.
pub struct PdsMachine {
    pds: Pds,
    options: PdsOptions,
    /// The text of each rule, by thread.
    texts: Vec<Vec<String>>,
    cut: AtomicBool,
}

fn number(state: &[u8], index: usize) -> u32 {
    let at = index * 4;
    u32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]])
}

/// A thread's stack in a state vector: positions of four bytes, the top last.
struct StackAt {
    height: usize,
    start: usize,
    end: usize,
}

impl PdsMachine {
    /// An interpreter for a system whose spans speak of `sources`.
    pub fn new(pds: Pds, sources: &SourceMap, options: PdsOptions) -> Self {
        let text = |rule: &Rule| sources.text(rule.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let texts = pds.threads.iter().map(|thread| thread.rules.iter().map(text).collect()).collect();
        PdsMachine { pds, options, texts, cut: AtomicBool::new(false) }
    }

    /// The system.
    pub fn pds(&self) -> &Pds {
        &self.pds
    }

    /// Whether a rule was not followed because of the stack limit, in any state so far.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// The shared state of a state vector.
    pub fn shared(&self, state: &[u8]) -> StateId {
        StateId(number(state, 0))
    }

    /// The run in which threads follow these rules: each a thread and a rule, by position. `None` if
    /// one cannot be followed.
    pub fn run(&self, rules: &[(usize, usize)]) -> Option<Path> {
        self.run_until(rules, &Cancel::never())
    }

    /// As [`PdsMachine::run`]; `None` if it was cancelled, too.
    pub fn run_until(&self, rules: &[(usize, usize)], cancel: &Cancel) -> Option<Path> {
        let mut path = Path::default();
        self.initial(&mut path.initial);
        let mut state = path.initial.clone();
        for (thread, rule) in rules {
            if cancel.asks() {
                return None;
            }
            let mut steps = Steps::new();
            self.steps(&state, Turn::Any, &mut (), &mut steps);
            let wanted = |step: &&Step| step.action[..2] == [*thread as u32, *rule as u32];
            let step = steps.list.iter().find(wanted)?.clone();
            state = steps.state(&step)?.to_vec();
            path.steps.push(PathStep { step, state: state.clone(), faults: Vec::new() });
        }
        Some(path)
    }

    fn stack(&self, state: &[u8], thread: usize) -> StackAt {
        let mut at = 1;
        for _ in 0..thread {
            at += 1 + number(state, at) as usize;
        }
        let height = number(state, at) as usize;
        StackAt { height: at, start: at + 1, end: at + 1 + height }
    }

    fn target(&self, state: &[u8]) -> Option<Span> {
        let shared = self.shared(state);
        self.pds.targets.iter().find(|(target, _)| *target == shared).map(|(_, span)| *span)
    }

    /// The rules that fit a thread's top symbol, with their positions.
    fn rules_here(&self, state: &[u8], thread: usize) -> impl Iterator<Item = (usize, &Rule)> {
        let stack = self.stack(state, thread);
        let shared = number(state, 0);
        let top = (stack.end > stack.start).then(|| number(state, stack.end - 1));
        let fits = move |rule: &Rule| rule.from.0 == shared && Some(rule.top.0) == top;
        self.pds.threads[thread].rules.iter().enumerate().filter(move |(_, rule)| fits(rule))
    }

    fn steps_of(&self, state: &[u8], thread: usize, out: &mut Steps) {
        let stack = self.stack(state, thread);
        for (index, rule) in self.rules_here(state, thread) {
            let height = stack.end - stack.start - 1 + rule.push.len();
            if height > self.options.stack_limit as usize {
                self.cut.store(true, Ordering::Relaxed);
                continue;
            }
            let start = out.bytes.len();
            out.bytes.extend(rule.to.0.to_le_bytes());
            out.bytes.extend_from_slice(&state[4..stack.height * 4]);
            out.bytes.extend((height as u32).to_le_bytes());
            out.bytes.extend_from_slice(&state[stack.start * 4..(stack.end - 1) * 4]);
            rule.push.iter().rev().for_each(|symbol| out.bytes.extend(symbol.0.to_le_bytes()));
            out.bytes.extend_from_slice(&state[stack.end * 4..]);
            out.list.push(Step {
                thread: Some(ThreadId(thread as u32)),
                ran_last: Some(ThreadId(thread as u32)),
                action: [thread as u32, index as u32, 0],
                claim_move: 0,
                state: start..out.bytes.len(),
                turn: Turn::Any,
                faults: out.faults.len()..out.faults.len(),
            });
        }
    }

    /// A stack as people read it, the top first.
    fn shown(&self, state: &[u8], thread: usize) -> String {
        let stack = self.stack(state, thread);
        let symbols = (stack.start..stack.end).rev().map(|at| number(state, at) as usize);
        let names: Vec<&str> = symbols.map(|symbol| self.pds.threads[thread].symbols[symbol].as_str()).collect();
        if names.is_empty() { "empty".to_owned() } else { names.join(" ") }
    }
}

impl Machine for PdsMachine {
    type Scratch = Scratch;

    fn initial(&self, out: &mut Vec<u8>) {
        out.extend(self.pds.initial.0.to_le_bytes());
        for thread in &self.pds.threads {
            out.extend(1u32.to_le_bytes());
            out.extend(thread.entry.0.to_le_bytes());
        }
    }

    fn steps(&self, state: &[u8], turn: Turn, _: &mut Scratch, out: &mut Steps) {
        if turn == Turn::Stutter || self.target(state).is_some() {
            return;
        }
        for thread in 0..self.pds.threads.len() {
            if turn == Turn::Any || turn == Turn::Only(ThreadId(thread as u32)) {
                self.steps_of(state, thread, out);
            }
        }
    }

    fn end_fault(&self, state: &[u8]) -> Option<Fault> {
        if !self.options.deadlock || self.target(state).is_some() {
            return None;
        }
        if (0..self.pds.threads.len()).any(|thread| self.rules_here(state, thread).next().is_some()) {
            // Only the stack limit is in the way.
            return None;
        }
        let stacks = (0..self.pds.threads.len()).map(|thread| self.stack(state, thread));
        let stuck = stacks.filter(|stack| stack.end > stack.start).count();
        let message = match stuck {
            0 => return None,
            1 => "a thread is blocked".to_owned(),
            n => format!("{n} threads are blocked"),
        };
        Some(Fault { kind: ViolationKind::InvalidEndState, message, span: None, thread: None })
    }

    fn state_fault(&self, state: &[u8]) -> Option<Fault> {
        let span = self.target(state)?;
        let name = &self.pds.states[self.shared(state).0 as usize];
        let message = format!("the state `{name}` is reached");
        Some(Fault { kind: ViolationKind::TargetCovered, message, span: Some(span), thread: None })
    }

    fn has_finished(&self, state: &[u8], thread: ThreadId) -> bool {
        let stack = self.stack(state, thread.0 as usize);
        stack.start == stack.end
    }

    fn thread_count(&self, _: &[u8]) -> u32 {
        self.pds.threads.len() as u32
    }
}

impl Hints for PdsMachine {}

impl Describe for PdsMachine {
    fn thread_name(&self, _: &[u8], thread: ThreadId) -> String {
        self.pds.threads.get(thread.0 as usize).map_or_else(String::new, |thread| thread.name.clone())
    }

    fn view(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView {
        let [thread, rule, _] = step.action.map(|number| number as usize);
        let mut view = StepView {
            span: Some(self.pds.threads[thread].rules[rule].span),
            text: self.texts[thread][rule].clone(),
            ..StepView::default()
        };
        if let Some(after) = after {
            if self.shared(before) != self.shared(after) {
                let name = self.pds.states[self.shared(after).0 as usize].clone();
                view.changes.push(("state".to_owned(), name));
            }
            if self.shown(before, thread) != self.shown(after, thread) {
                view.changes.push(("stack".to_owned(), self.shown(after, thread)));
            }
        }
        view
    }

    fn waiting(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)> {
        let model = self.pds.threads.get(thread.0 as usize)?;
        let stack = self.stack(state, thread.0 as usize);
        if stack.start == stack.end {
            return None;
        }
        let top = &model.symbols[number(state, stack.end - 1) as usize];
        let shared = &self.pds.states[self.shared(state).0 as usize];
        Some((model.span, format!("has no rule for ({shared}, {top})")))
    }

    fn stack(&self, state: &[u8], thread: ThreadId) -> Vec<Frame> {
        let Some(model) = self.pds.threads.get(thread.0 as usize) else { return Vec::new() };
        let stack = self.stack(state, thread.0 as usize);
        let symbols = (stack.start..stack.end).map(|at| model.symbols[number(state, at) as usize].clone());
        symbols.map(|procedure| Frame { procedure, span: None }).collect()
    }

    /// A rule reads the shared state.
    fn condition(&self, _: &[u8], step: &Step, state: &[u8]) -> Option<Condition> {
        let [thread, rule, _] = step.action.map(|number| number as usize);
        let holds = self.pds.threads[thread].rules[rule].from == self.shared(state);
        Some(Condition { holds: Some(holds), reads: vec!["state".to_owned()], writes: Vec::new() })
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        let mut list = vec![("state".to_owned(), self.pds.states[self.shared(state).0 as usize].clone())];
        for (index, thread) in self.pds.threads.iter().enumerate() {
            list.push((thread.name.clone(), self.shown(state, index)));
        }
        list
    }
}
