//! The codes of the diagnostics of nets. A code never changes its meaning and is never reused: people
//! search for it, and tests name it.

selvedge_source::codes! {
    STRAY_CHARACTER = "N0001", "a character that is not part of the language";
    WRONG_KIND = "N0002", "a file that does not start with the keyword of its language";
    UNEXPECTED = "N0003", "an unexpected token";
    GIVEN_TWICE = "N0004", "something that may be given only once is given twice";
    MISSING = "N0005", "a required part of the file is missing";
    TOO_MANY_SYMBOLS = "N0006", "a rule with more than two symbols on the right";
    RULE_WITHOUT_THREAD = "N0007", "a rule before the first thread";
    UNUSED_STATE = "N0008", "a state that no rule leads to";
    YIELD_SPAWNS = "N0009", "a thread created by a step that yields";
    UNKNOWN_PLACE = "N0010", "a place that is not declared";
    NOT_MONOTONE = "N0011", "a condition that more tokens can make false";
    NOT_A_NET = "N0012", "a rule that is not a step of a net";
    OUT_OF_RANGE = "N0013", "a number that is too large, or a state that does not exist";
}
