//! What a dynamic network is: global states, one alphabet of stack symbols for all threads, rules that
//! the active thread takes, and rules that make a suspended thread the active one (\[DYN\] Definition
//! 2.1). At most one thread is active. A network is finite-state (DCFS) if no rule grows a stack.

use selvedge_source::Span;

use crate::pds::{StateId, SymbolId};

/// A network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dcps {
    /// Names of the global states.
    pub states: Vec<String>,
    /// Names of the stack symbols.
    pub symbols: Vec<String>,
    /// Where a run starts.
    pub initial: StateId,
    /// The stack of the first thread, which is active at the start.
    pub initial_symbol: SymbolId,
    /// The states to reach, each with its place.
    pub targets: Vec<(StateId, Span)>,
    /// Steps of the active thread.
    pub rules: Vec<Rule>,
    /// Activations of suspended threads.
    pub resumes: Vec<Resume>,
}

/// `(from, top) -> (to, push)`: the active thread replaces the top of its stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Global state before.
    pub from: StateId,
    /// Top of the stack before.
    pub top: SymbolId,
    /// Global state after.
    pub to: StateId,
    /// What replaces the top: at most two symbols, the new top first.
    pub push: Vec<SymbolId>,
    /// The stack of the thread that the step creates.
    pub spawn: Option<SymbolId>,
    /// Whether the thread continues.
    pub kind: Kind,
    /// Where the rule stands.
    pub span: Span,
}

/// What becomes of the active thread after a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It stays active.
    Step,
    /// It is suspended (`yield`).
    Yield,
}

/// `resume from -> to on top`: a suspended thread with this top becomes active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// Global state before.
    pub from: StateId,
    /// Global state after.
    pub to: StateId,
    /// Top of the stack of the thread.
    pub top: SymbolId,
    /// Where the rule stands.
    pub span: Span,
}

impl Dcps {
    /// Whether no stack grows: the network is a DCFS (\[DYN\] Definition 2.2).
    pub fn is_finite_state(&self) -> bool {
        self.rules.iter().all(|rule| rule.push.len() <= 1)
    }

    /// Whether a state is one to reach.
    pub fn is_target(&self, state: StateId) -> bool {
        self.targets.iter().any(|(target, _)| *target == state)
    }

    /// The name of a state.
    pub fn state_name(&self, state: StateId) -> &str {
        &self.states[state.0 as usize]
    }

    /// The name of a stack symbol.
    pub fn symbol_name(&self, symbol: SymbolId) -> &str {
        &self.symbols[symbol.0 as usize]
    }
}

/// What a thread does in one move of a run, by position in [`Dcps::rules`] or [`Dcps::resumes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The active thread follows a rule.
    Rule(usize),
    /// A suspended thread becomes the active one.
    Resume(usize),
}

/// One move of a run. Threads are numbered in the order of their creation, the first is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Whose move it is.
    pub thread: usize,
    /// What it does.
    pub action: Action,
}
