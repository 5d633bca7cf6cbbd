//! Petri nets: the model behind `.spec` files (mist's format), with transfers of all tokens of a place.

mod expr;
mod model;
mod parse;
mod print;

pub use model::{Bag, Net, PlaceId, Start, Target, Tokens, Transition, TransitionId, bag, held, tokens_of};
pub use parse::parse;
pub use print::{print, print_transition};
