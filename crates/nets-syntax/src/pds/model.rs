//! Concurrent pushdown systems with shared states (\[LR\] Section 4): the model of `.pds` files.

use selvedge_source::Span;

/// A shared state: index into [`Pds::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// A stack symbol of one thread: index into [`Thread::symbols`]. Threads have disjoint alphabets,
/// also where two use the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// A rule `(from, top) -> (to, push)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// Shared state before.
    pub from: StateId,
    /// Top of the stack before; it is popped.
    pub top: SymbolId,
    /// Shared state after.
    pub to: StateId,
    /// What is pushed: no, one or two symbols, the new top first.
    pub push: Vec<SymbolId>,
    /// Where the rule stands.
    pub span: Span,
}

/// A thread: one pushdown system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Names of its stack symbols.
    pub symbols: Vec<String>,
    /// Its stack at the start is this one symbol.
    pub entry: SymbolId,
    /// Its rules, in the order of the file.
    pub rules: Vec<Rule>,
}

/// A concurrent pushdown system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pds {
    /// Names of the shared states.
    pub states: Vec<String>,
    /// The shared state at the start.
    pub initial: StateId,
    /// Shared states that no run may reach, each with its place in the file.
    pub targets: Vec<(StateId, Span)>,
    /// The threads, in the order of the round-robin schedule. One or more.
    pub threads: Vec<Thread>,
}
