//! The codes of the diagnostics of Boolean programs. A code never changes its meaning and is never
//! reused: people search for it, and tests name it. `B0…` comes from the parser, `B1…` from the checks.

selvedge_source::codes! {
    STRAY_CHARACTER = "B0001", "a character that is not part of the language";
    UNTERMINATED_COMMENT = "B0002", "a `/*` without its `*/`";
    BAD_NUMBER = "B0003", "a number that cannot be read";

    UNEXPECTED = "B0010", "an unexpected token";
    UNCLOSED = "B0011", "a `begin`, `if`, `while` or bracket that is not closed";
    TOO_DEEP = "B0012", "statements or expressions nested too deeply";
    RESERVED_WORD = "B0013", "a word of the language used as a name";
    NOT_A_BOOLEAN = "B0014", "a number other than 0 and 1 as a value";
    CALL_IN_EXPRESSION = "B0015", "a call inside an expression";
    NOT_SUPPORTED = "B0016", "a statement without a documented meaning";
    PRECEDENCE = "B0017", "an expression that the dialects read differently";

    UNKNOWN_VARIABLE = "B0101", "a variable that is not declared";
    UNKNOWN_FUNCTION = "B0102", "a function that is not declared";
    UNKNOWN_LABEL = "B0103", "a label that the function does not have";
    DECLARED_TWICE = "B0104", "a name declared twice";
    WRONG_COUNT = "B0105", "the number of values does not fit the number of targets, parameters or results";
    ASSIGNED_TWICE = "B0106", "a variable assigned twice in one step";
    PRIMED = "B0107", "a primed variable where there is no value after the step";
    NO_THREAD = "B0108", "no function to run";
    ATOMIC_UNBALANCED = "B0109", "an atomic section that does not end in the function in which it begins";
    NO_RETURN = "B0110", "a function that may end without returning its results";
    SHADOWED = "B0111", "a local with the name of a global";
    UNUSED_RESULT = "B0112", "a call that drops its results";
    BAD_INIT = "B0113", "an `init` function that cannot run before the threads";
    UNKNOWN_REACH = "B0114", "`--reach` names a label that the program does not have";
}
