//! Petri nets: the model behind `.spec` files (mist's format), with transfers of all tokens of a place.

mod expr;
mod machine;
mod model;
mod parse;
mod print;
mod replay;

pub(crate) use model::bag;

pub use machine::{NetMachine, NetOptions, TOKEN_LIMIT};
pub use model::{Bag, Net, PlaceId, Start, Target, Tokens, Transition, TransitionId};
pub use parse::parse;
pub use print::print;
pub use replay::replay;
