//! Pushdown systems (\[LR\] Sections 4 and 5).

pub mod automaton;
pub mod frames;
pub mod net;
pub mod reduce;
pub mod spds;
pub mod system;
