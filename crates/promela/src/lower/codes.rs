//! Codes of what the static checks report.
#![allow(missing_docs)]

pub const UNDECLARED: &str = "P1001";
pub const UNKNOWN_PROCESS: &str = "P1002";
pub const REDECLARED: &str = "P1003";
pub const INDEX_OF_SCALAR: &str = "P1004";
pub const STRUCT_AS_SCALAR: &str = "P1005";
pub const UNKNOWN_FIELD: &str = "P1006";
pub const RUN_ARITY: &str = "P1007";
pub const CHANNEL_ARITY: &str = "P1008";
pub const UNKNOWN_LABEL: &str = "P1009";
pub const DUPLICATE_ELSE: &str = "P1011";
pub const MISPLACED_ELSE: &str = "P1012";
pub const MISPLACED_BREAK: &str = "P1013";
pub const ASSIGN_TO_CONSTANT: &str = "P1014";
pub const ARRAY_LENGTH: &str = "P1015";
pub const NOT_CONSTANT: &str = "P1016";
pub const NOT_A_CHANNEL: &str = "P1017";
pub const RUN_OUTSIDE_PROCESS: &str = "P1018";
pub const UNKNOWN_TYPE: &str = "P1019";
pub const TOO_LARGE: &str = "P1020";
pub const IN_D_STEP: &str = "P1021";
pub const TWO_INITS: &str = "P1022";
pub const SEVERAL_CLAIMS: &str = "P1023";
pub const NO_PROCESS: &str = "P1024";
pub const FIELD_OF_SCALAR: &str = "P1025";
pub const READ_OF_SCRATCH: &str = "P1026";
pub const BAD_INITIALISER: &str = "P1027";
pub const EMPTY_SEQUENCE: &str = "P1028";
pub const ENDLESS_GOTO: &str = "P1029";
pub const NOT_AN_EVENT: &str = "P1030";
pub const MTYPE_REDECLARED: &str = "P1031";
pub const BAD_FOR: &str = "P1032";
pub const MISPLACED_RETURN: &str = "P1033";
pub const JUMP_INTO_D_STEP: &str = "P1034";
pub const NO_SUCH_CLAIM: &str = "P1035";
pub const NO_SUCH_LABEL: &str = "P1036";
pub const ENABLED_WITH_RENDEZVOUS: &str = "P1037";
pub const FORMULA_TOO_LARGE: &str = "P1038";

pub const MISSING_INDEX: &str = "P1101";
pub const NEVER_READ: &str = "P1102";
pub const UNREACHABLE: &str = "P1103";
pub const ASSIGNMENT_AS_GUARD: &str = "P1104";
pub const ELSE_WITH_IO: &str = "P1105";
pub const UNLESS_IN_D_STEP: &str = "P1106";
pub const TOO_FEW_FIELDS: &str = "P1107";
