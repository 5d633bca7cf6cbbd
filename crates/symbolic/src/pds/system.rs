//! Concurrent pushdown systems, state by state (\[LR\] Section 4, Definition 1): shared states, a stack of
//! symbols for each thread, and rules that replace the top of one stack. Boolean programs become one in
//! [`super::frames`], `.pds` files in [`super::net`].
//!
//! Threads never empty their stacks: the symbol at the bottom is one on which no rule fires (e'' of
//! \[LR\] Section 4), and a context may end on it.

/// A shared state; what it means is the system's own.
pub type State = u64;

/// A stack symbol of some thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// What a rule does: the next shared state and what replaces the top, the new top first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action {
    /// The shared state after it.
    pub state: State,
    /// No, one or two symbols.
    pub push: Vec<Symbol>,
    /// It is a violation; then `push` is one symbol on which no rule fires.
    pub error: bool,
}

/// A concurrent pushdown system.
pub trait System {
    /// How many threads there are, in the order of the schedule.
    fn threads(&self) -> usize;

    /// Shared states in which runs start.
    fn initial(&self) -> Vec<State>;

    /// The stack of a thread at the start is this one symbol.
    fn entry(&mut self, thread: usize) -> Symbol;

    /// What can be done in a shared state with a symbol on top.
    fn actions(&mut self, state: State, top: Symbol) -> Vec<Action>;

    /// Whether a context may end in this shared state with this symbol on top.
    fn may_switch(&self, state: State, top: Symbol) -> bool;

    /// The thread that a symbol belongs to.
    fn thread_of(&self, symbol: Symbol) -> usize;
}
