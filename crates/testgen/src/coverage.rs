//! Which construct occurs in which position of a parsed model. A test demands that every possible cell of this table
//! is hit by the models of a fixed number of seeds.
//!
//! The walk matches the parser's tree without wildcards, so a construct that is added to the language does not compile
//! here before it has a row.

mod expressions;
mod items;
mod statements;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use selvedge_promela_syntax::ast::Model;

pub use tables::{EXPRESSIONS, FEATURES, POSITIONS, STATEMENTS, USES};

/// What encloses a statement directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Process,
    If,
    Do,
    Atomic,
    DStep,
    Main,
    Escape,
    Block,
    For,
    Inline,
    Claim,
    Trace,
}

impl Around {
    fn name(self) -> &'static str {
        match self {
            Around::Process => "process",
            Around::If => "if",
            Around::Do => "do",
            Around::Atomic => "atomic",
            Around::DStep => "d_step",
            Around::Main => "unless main",
            Around::Escape => "unless escape",
            Around::Block => "block",
            Around::For => "for",
            Around::Inline => "inline",
            Around::Claim => "claim",
            Around::Trace => "trace",
        }
    }
}

/// A cell: row and column.
pub type Cell = (&'static str, &'static str);

/// How often each cell was hit.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Statements in positions.
    pub statements: BTreeMap<Cell, u64>,
    /// Expressions in uses.
    pub expressions: BTreeMap<Cell, u64>,
    /// Other constructs.
    pub features: BTreeMap<&'static str, u64>,
}

impl Coverage {
    /// Counts what a model contains.
    pub fn count(&mut self, model: &Model) {
        let mut walk = Walk { coverage: self, capacities: BTreeMap::new(), context: Context::default() };
        walk.model(model);
    }

    /// Adds the figures of other models.
    pub fn add(&mut self, other: &Coverage) {
        other.statements.iter().for_each(|(cell, count)| *self.statements.entry(*cell).or_default() += count);
        other.expressions.iter().for_each(|(cell, count)| *self.expressions.entry(*cell).or_default() += count);
        other.features.iter().for_each(|(name, count)| *self.features.entry(name).or_default() += count);
    }
}

/// Where the walk is inside a body.
#[derive(Clone, Default)]
struct Context {
    within: Vec<Around>,
    /// Labels that a `goto` of the body names: from outside of atomic sequences, from inside.
    jumps: [BTreeSet<String>; 2],
    names: Vec<String>,
}

struct Walk<'c> {
    coverage: &'c mut Coverage,
    /// Capacities of channels by name.
    capacities: BTreeMap<String, i32>,
    context: Context,
}

impl Walk<'_> {
    fn feature(&mut self, name: &'static str) {
        debug_assert!(FEATURES.contains(&name), "{name}");
        *self.coverage.features.entry(name).or_default() += 1;
    }
}
