//! The codes of the diagnostics of nets. A code never changes its meaning and is never reused: people
//! search for it, and tests name it.

macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*
        /// Every code with its meaning.
        pub const ALL: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

codes! {
    STRAY_CHARACTER = "N0001", "a character that no token has";
    WRONG_KIND = "N0002", "a file that does not start with the word of its language";
    UNEXPECTED = "N0003", "an unexpected token";
    GIVEN_TWICE = "N0004", "something that can be given once only is given twice";
    MISSING = "N0005", "something that a file must have is missing";
    TOO_MANY_SYMBOLS = "N0006", "a rule with more than two symbols on the right";
    RULE_WITHOUT_THREAD = "N0007", "a rule before the first thread";
    UNUSED_STATE = "N0008", "a state that no rule leads to";
    YIELD_SPAWNS = "N0009", "a thread created by a step that yields";
    UNKNOWN_PLACE = "N0010", "a place that is not declared";
    NOT_MONOTONE = "N0011", "a condition that more tokens can make false";
    NOT_A_NET = "N0012", "a rule that is no step of a net";
    OUT_OF_RANGE = "N0013", "a number that is too large, or a state that does not exist";
}
