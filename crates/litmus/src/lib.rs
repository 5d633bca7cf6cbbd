//! Litmus tests for the memory model of Rust tests: small programs of atomic accesses with what must come out
//! (`corpus/litmus`), all their executions by brute force over the axioms of RC11 (docs/bibliography.md), and random
//! programs. For tests only, and built from nothing that it is compared with.

#![forbid(unsafe_code)]
#![allow(missing_docs)]

pub mod axioms;
mod enumerate;
mod parse;
pub mod random;
mod relation;
mod run;

pub use enumerate::{Execution, Key, Model, Status, Write, executions, outcomes};
pub use parse::{Error, parse};
pub use run::{Label, LabelKind, Stop, Trace, halves, trace};

/// How strong an access or a fence is. `NotAtomic` accesses synchronise with nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    NotAtomic,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Mode {
    /// Whether a read or fence of this strength acquires.
    pub fn acquires(self) -> bool {
        matches!(self, Mode::Acquire | Mode::AcqRel | Mode::SeqCst)
    }

    /// Whether a write or fence of this strength releases.
    pub fn releases(self) -> bool {
        matches!(self, Mode::Release | Mode::AcqRel | Mode::SeqCst)
    }
}

/// Arithmetic over integers and registers; truth is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    Number(i64),
    Register(String),
    Binary(Box<Expression>, Operator, Box<Expression>),
}

/// Operators of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A statement of a thread. Locations are numbers, in the order of [`Test::locations`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Load {
        register: String,
        location: usize,
        mode: Mode,
    },
    Store {
        location: usize,
        value: Expression,
        mode: Mode,
    },
    /// Reads the old value and writes the sum or the operand itself.
    Modify {
        register: Option<String>,
        location: usize,
        adds: bool,
        operand: Expression,
        mode: Mode,
    },
    CompareExchange {
        register: Option<String>,
        location: usize,
        expected: Expression,
        new: Expression,
        success: Mode,
        failure: Mode,
    },
    Fence(Mode),
    Let {
        register: String,
        value: Expression,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// The thread goes no further unless this holds.
    Assume(Expression),
    Assert(Expression),
}

/// A litmus test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    pub name: String,
    /// Names of locations, in order.
    pub locations: Vec<String>,
    /// Initial values, by location.
    pub initial: Vec<i64>,
    pub threads: Vec<Vec<Statement>>,
    /// The outcome that is asked about: registers, and final values of locations as `[x]`.
    pub weak: Vec<(String, i64)>,
    /// What must come out: keys and values as they stand in the file.
    pub expect: Vec<(String, String)>,
}

impl Test {
    /// An expected value.
    pub fn expected(&self, key: &str) -> Option<&str> {
        self.expect.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// An expected number; 0 where nothing is said.
    pub fn expected_number(&self, key: &str) -> usize {
        self.expected(key).map_or(0, |value| value.parse().expect("a number"))
    }

    /// Expected numbers, one for each bound.
    pub fn expected_series(&self, key: &str) -> Vec<usize> {
        self.expected(key).map_or_else(Vec::new, |v| v.split(',').map(|n| n.parse().expect("a number")).collect())
    }
}

/// The tests of a file of `corpus/litmus`.
pub fn corpus(file: &str) -> Vec<Test> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    parse(&text).unwrap_or_else(|e| panic!("{}:{}: {}", path.display(), e.line, e.message))
}
