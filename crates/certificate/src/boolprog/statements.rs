//! The statements of a function, numbered in the order of the text, and which one follows which.

use std::collections::BTreeMap;

use selvedge_boolprog_syntax::ast::{Stmt, StmtKind};

/// What is executed next in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Place {
    /// A statement, by its number; of an `if`, one of its conditions.
    Statement { number: usize, branch: usize },
    /// The end of the function.
    End,
}

struct Entry<'a> {
    statement: &'a Stmt,
    parent: Option<usize>,
    next: Option<usize>,
    /// The first statement of each block inside.
    blocks: Vec<Option<usize>>,
}

/// The statements of a function.
pub(super) struct Statements<'a> {
    entries: Vec<Entry<'a>>,
    labels: BTreeMap<&'a str, usize>,
}

impl<'a> Statements<'a> {
    pub(super) fn new(body: &'a [Stmt]) -> Self {
        let mut statements = Statements { entries: Vec::new(), labels: BTreeMap::new() };
        statements.add_block(body, None);
        statements
    }

    /// Returns the number of the first statement.
    fn add_block(&mut self, block: &'a [Stmt], parent: Option<usize>) -> Option<usize> {
        let mut first = None;
        let mut previous: Option<usize> = None;
        for statement in block {
            let number = self.entries.len();
            first = first.or(Some(number));
            if let Some(previous) = previous {
                self.entries[previous].next = Some(number);
            }
            previous = Some(number);
            for label in &statement.labels {
                self.labels.entry(&label.text).or_insert(number);
            }
            self.entries.push(Entry { statement, parent, next: None, blocks: Vec::new() });
            for inner in statement.blocks() {
                let start = self.add_block(inner, Some(number));
                self.entries[number].blocks.push(start);
            }
        }
        first
    }

    pub(super) fn statement(&self, number: usize) -> &'a Stmt {
        self.entries[number].statement
    }

    /// Where the function begins.
    pub(super) fn start(&self) -> Place {
        self.entries.first().map_or(Place::End, |_| self.resolved(0))
    }

    /// Behind a statement.
    pub(super) fn after(&self, number: usize) -> Place {
        let entry = &self.entries[number];
        match (entry.next, entry.parent) {
            (Some(next), _) => self.resolved(next),
            (None, None) => Place::End,
            (None, Some(parent)) => match self.entries[parent].statement.kind {
                StmtKind::While { .. } => Place::Statement { number: parent, branch: 0 },
                _ => self.after(parent),
            },
        }
    }

    /// At the start of a block inside a statement; an empty block is left at once.
    pub(super) fn inside(&self, number: usize, block: usize) -> Place {
        match self.entries[number].blocks.get(block).copied().flatten() {
            Some(first) => self.resolved(first),
            None if matches!(self.entries[number].statement.kind, StmtKind::While { .. }) => {
                Place::Statement { number, branch: 0 }
            }
            None => self.after(number),
        }
    }

    /// At a label.
    pub(super) fn label(&self, label: &str) -> Place {
        self.labels.get(label).map_or(Place::End, |number| self.resolved(*number))
    }

    /// A jump to one place that carries no label is no step of its own.
    fn resolved(&self, number: usize) -> Place {
        let statement = self.entries[number].statement;
        match &statement.kind {
            StmtKind::Goto(targets) if statement.labels.is_empty() && targets.len() == 1 => {
                self.label(&targets[0].text)
            }
            _ => Place::Statement { number, branch: 0 },
        }
    }
}
