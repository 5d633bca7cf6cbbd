//! Proofs that no run of a pushdown system reaches a target, with any number of switches and stacks of any height.
//!
//! A proof has, for each thread, a finite automaton that reads stacks from the top: an edge from a shared state by the top symbol
//! to a node, and edges from node to node by the symbols below. It describes the shared states and stacks that the thread
//! can have. With it come the *changes* of the shared state that the thread makes. The checker accepts it if nothing leads out of it:
//!
//! 1. the shared state and the stack at the start are described;
//! 2. for each rule and each edge that it applies to, the stack after it is described, and its change is one of the thread's;
//! 3. each change of another thread leads to a shared state with the same stacks;
//! 4. no change leads to a target, and the start is none.
//!
//! Nothing is searched. [`prove()`] finds proofs, and nothing that it does is trusted: what it finds goes through the
//! file and the checker as any other file does.

mod check;
mod file;
mod prove;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_nets_syntax::pds::{StateId, SymbolId};

pub use check::check;
pub use prove::{Attempt, prove};

/// A node of an automaton that is no shared state.
type NodeId = u32;

/// What a proof says of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Automaton {
    /// By shared state and top symbol: what the rest of the stack is read from.
    tops: BTreeMap<(StateId, SymbolId), BTreeSet<NodeId>>,
    /// By node and symbol.
    below: BTreeMap<NodeId, BTreeSet<(SymbolId, NodeId)>>,
    /// Shared states before and after a step of the thread; steps that leave it as it is are not among them.
    changes: BTreeSet<(StateId, StateId)>,
}
