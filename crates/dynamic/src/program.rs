//! Boolean programs that create threads, as networks (\[DYN\] Section 2: globals are the states, a frame of a
//! procedure is a stack symbol). [`compile`](compile::compile) makes only the rules that may be needed, from the start on;
//! a run of the network is mapped back to the edges that its threads follow ([`Compiled::moves`](compile::Compiled::moves)).
//!
//! Values are chosen late, as the machine of Boolean programs does: a variable that may have any value
//! holds "any" until it is read ([`values`]).

pub mod compile;
mod encode;
mod step;
mod values;
mod visible;

pub use compile::{Compiled, Refused, compile};
