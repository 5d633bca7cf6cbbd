//! Thread transition systems: `.tts` files (bfc's format), with the property in a `.prop` file beside.

mod model;
mod parse;
mod print;

pub use model::{Kind, Rule, Tts};
pub use parse::{parse, parse_property};
pub use print::{print, print_property};
