//! What a machine knows about a step besides its effect: the active calls and the condition it depends on. For
//! stacks in traces and for explanations; no search uses it.

use selvedge_source::Span;

/// A call on a thread's stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The procedure.
    pub procedure: String,
    /// Where it is: at its call of the next one, or at its next statement.
    pub span: Option<Span>,
}

/// What the statement of a step depends on, looked at in some state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Whether its condition holds there; `None` where it has none, or where that depends on a choice.
    pub holds: Option<bool>,
    /// The variables that it reads there, by their full names.
    pub reads: Vec<String>,
    /// Those that it assigns to, whatever the value.
    pub writes: Vec<String>,
}
