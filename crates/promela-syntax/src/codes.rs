//! The codes of the front end's diagnostics. A code never changes its meaning and is never reused:
//! people search for it, and tests name it.

selvedge_source::codes! {
    UNREADABLE_FILE = "P0001", "the model's file cannot be read";
    UNTERMINATED_COMMENT = "P0002", "a `/*` without its `*/`";
    UNTERMINATED_STRING = "P0003", "a string without its closing quote";
    BAD_CHARACTER_CONSTANT = "P0004", "a character constant that is not one character in single quotes";
    STRAY_CHARACTER = "P0005", "a character that is not part of Promela";
    BAD_NUMBER = "P0006", "a number that Promela cannot read";
    NUMBER_WRAPS = "P0007", "a number beyond 31 bits, which becomes negative";

    BAD_DIRECTIVE = "P0010", "a preprocessor directive that is incomplete or malformed";
    UNKNOWN_DIRECTIVE = "P0011", "a preprocessor directive that does not exist";
    BAD_INCLUDE = "P0012", "an included file that cannot be read";
    INCLUDE_DEPTH = "P0013", "includes nested too deeply or too many";
    UNBALANCED_CONDITIONAL = "P0014", "`#if`, `#else` and `#endif` do not match";
    ERROR_DIRECTIVE = "P0015", "an `#error` in the model";
    WARNING_DIRECTIVE = "P0016", "a `#warning` in the model";
    BAD_MACRO_CALL = "P0017", "a macro used with the wrong arguments";
    MACRO_REDEFINED = "P0018", "a macro defined twice with different texts";
    MACRO_EXPLOSION = "P0019", "macros that expand to too much text";
    BAD_CONDITION = "P0020", "an `#if` condition that is not a constant expression";
    BAD_PASTE = "P0021", "a `##` or `#` that does not form a token";

    UNEXPECTED = "P0030", "an unexpected token";
    MISSING_SEPARATOR = "P0031", "two statements without a separator";
    UNCLOSED = "P0032", "a brace, `if` or `do` that is not closed";
    RESERVED_WORD = "P0033", "a reserved word used as a name";
    ASSIGNMENT_IN_EXPRESSION = "P0034", "an assignment where a value is expected";
    EMBEDDED_C = "P0035", "embedded C code, which Selvedge does not read";
    TOO_DEEP = "P0036", "statements or expressions nested too deeply";
    TOO_MANY_ERRORS = "P0037", "the parser gave up after many errors";
    LABELLED_DECLARATION = "P0038", "a label in front of a declaration";
    MUST_BE_GLOBAL = "P0039", "a declaration that is only allowed at the top level";
    INLINE_ARGUMENTS = "P0040", "an inline used with the wrong number of arguments";
    INLINE_RECURSION = "P0041", "an inline that uses itself";
    INLINE_REDEFINED = "P0042", "an inline defined twice";
    MISPLACED_RETURN = "P0043", "a `return` with no variable to receive its value";
    BAD_WIDTH = "P0044", "a bit width that is missing, out of range or not allowed";
    INITIALISED_PARAMETER = "P0045", "an initialiser in a parameter list";
    PARAMETER_SEPARATOR = "P0046", "parameters of different types separated by a comma";
    TEMPORAL_OPERAND = "P0047", "a temporal formula where a state expression is expected";
    NEGATED_PROBE = "P0048", "a negated channel query, which Spin does not accept";
    TEMPORAL_PRECEDENCE = "P0049", "a comparison after a temporal operator without parentheses";
    INLINE_EXPLOSION = "P0050", "inlines that expand to too much text";
    UNKNOWN_CALL = "P0051", "a call of something that is not an inline";
    EMPTY_SEQUENCE = "P0052", "a body, block or option without a statement";
    CLAUSE_ORDER = "P0053", "`provided` and `priority` in the wrong order";
    UNKNOWN_TYPE = "P0054", "a declaration whose type is not declared above";
    ASSIGNED_CONSTANT = "P0055", "an assignment to something that is not a variable";
    STRAY_COMMENT_END = "P0056", "a `*/` outside of a comment";
    EXTRA_CLOSER = "P0057", "a closing bracket without an opening one";
}
