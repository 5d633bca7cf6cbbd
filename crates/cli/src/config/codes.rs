//! The codes of diagnostics about values from elsewhere. A code never changes its meaning and is never reused.

macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*
    };
}

codes! {
    UNREADABLE = "C0001", "a `selvedge.toml` that cannot be read";
    NOT_TOML = "C0002", "a `selvedge.toml` that is not TOML";
    UNKNOWN_COMMAND = "C0003", "a table that is named after no command";
    UNKNOWN_OPTION = "C0004", "a key that is no option of its command";
    BAD_VALUE = "C0005", "a value that the option does not take";
    UNKNOWN_VARIABLE = "C0006", "a variable of the environment that is no option of its command";
    BAD_VARIABLE = "C0007", "a variable of the environment with a value that the option does not take";
    CONTRADICTION = "C0008", "two options that cannot be used together";
}
