//! The codes of diagnostics about values from elsewhere. A code never changes its meaning and is never reused.

selvedge_source::codes! {
    UNREADABLE = "C0001", "a `selvedge.toml` that cannot be read";
    NOT_TOML = "C0002", "a `selvedge.toml` that is not TOML";
    UNKNOWN_COMMAND = "C0003", "a table whose name is not a command";
    UNKNOWN_OPTION = "C0004", "a key that is not an option of its command";
    BAD_VALUE = "C0005", "an invalid value";
    UNKNOWN_VARIABLE = "C0006", "an environment variable that is not an option of its command";
    BAD_VARIABLE = "C0007", "an environment variable with an invalid value";
    CONTRADICTION = "C0008", "two options that cannot be used together";
}
