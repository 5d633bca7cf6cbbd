//! Where a call is in its function: for each block it is inside, outermost first, the statement that
//! is next there. A `while` stays next while its body is executed; an `if` is left behind when one of
//! its blocks is entered.

use selvedge_boolprog_syntax::ast::{Stmt, StmtKind};

/// A place in a function.
pub(crate) type Control = Vec<Position>;

/// A place in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Position {
    block: usize,
    index: usize,
    /// The branch of an `if` whose condition is next.
    branch: usize,
}

struct Block<'a> {
    statements: &'a [Stmt],
    /// The block and statement it is inside of.
    parent: Option<(usize, usize)>,
    /// The blocks inside each statement.
    children: Vec<Vec<usize>>,
}

/// The blocks of a function.
pub(crate) struct Blocks<'a> {
    blocks: Vec<Block<'a>>,
}

impl<'a> Blocks<'a> {
    /// The blocks of a function with this body, which is the first.
    pub(crate) fn of(body: &'a [Stmt]) -> Self {
        let mut blocks = Blocks { blocks: Vec::new() };
        blocks.add(body, None);
        blocks
    }

    fn add(&mut self, statements: &'a [Stmt], parent: Option<(usize, usize)>) -> usize {
        let id = self.blocks.len();
        self.blocks.push(Block { statements, parent, children: Vec::new() });
        for (index, statement) in statements.iter().enumerate() {
            let inner: Vec<&'a Vec<Stmt>> = inner_blocks(statement);
            let children = inner.into_iter().map(|block| self.add(block, Some((id, index)))).collect();
            self.blocks[id].children.push(children);
        }
        id
    }

    /// At the start of the function.
    pub(crate) fn start(&self) -> Control {
        self.settled(vec![Position { block: 0, index: 0, branch: 0 }])
    }

    /// The statement that is next, and the branch of an `if`; `None` at the end of the function.
    pub(crate) fn current(&self, control: &Control) -> Option<(&'a Stmt, usize)> {
        let position = control.last()?;
        Some((&self.blocks[position.block].statements[position.index], position.branch))
    }

    /// After the statement that is next.
    pub(crate) fn after(&self, control: &Control) -> Control {
        let mut control = control.clone();
        if let Some(last) = control.last_mut() {
            (last.index, last.branch) = (last.index + 1, 0);
        }
        self.settled(control)
    }

    /// At the start of a block of the statement that is next.
    pub(crate) fn inside(&self, control: &Control, which: usize) -> Control {
        let mut control = control.clone();
        let Some(last) = control.last_mut() else { return control };
        let block = self.blocks[last.block].children[last.index][which];
        if matches!(self.blocks[last.block].statements[last.index].kind, StmtKind::If { .. }) {
            (last.index, last.branch) = (last.index + 1, 0);
        }
        control.push(Position { block, index: 0, branch: 0 });
        self.settled(control)
    }

    /// At the next branch of the `if` that is next.
    pub(crate) fn next_branch(&self, control: &Control) -> Control {
        let mut control = control.clone();
        if let Some(last) = control.last_mut() {
            last.branch += 1;
        }
        control
    }

    /// At a label.
    pub(crate) fn at_label(&self, label: &str) -> Option<Control> {
        let has = |statement: &Stmt| statement.labels.iter().any(|name| name.text == label);
        let (block, index) = self
            .blocks
            .iter()
            .enumerate()
            .find_map(|(id, block)| Some((id, block.statements.iter().position(has)?)))?;
        let mut control = vec![Position { block, index, branch: 0 }];
        let mut parent = self.blocks[block].parent;
        while let Some((block, index)) = parent {
            let is_loop = matches!(self.blocks[block].statements[index].kind, StmtKind::While { .. });
            control.push(Position { block, index: if is_loop { index } else { index + 1 }, branch: 0 });
            parent = self.blocks[block].parent;
        }
        control.reverse();
        Some(self.settled(control))
    }

    /// Leaves blocks that are done and follows jumps that are no statement of their own: those
    /// without a label and with one target.
    fn settled(&self, mut control: Control) -> Control {
        while let Some(last) = control.last() {
            let Some(statement) = self.blocks[last.block].statements.get(last.index) else {
                control.pop();
                continue;
            };
            match &statement.kind {
                StmtKind::Goto(targets) if statement.labels.is_empty() && targets.len() == 1 => {
                    // A label stands on a statement that is settled, so this ends.
                    return self.at_label(&targets[0].text).unwrap_or_default();
                }
                _ => break,
            }
        }
        control
    }
}

fn inner_blocks(statement: &Stmt) -> Vec<&Vec<Stmt>> {
    match &statement.kind {
        StmtKind::If { branches, otherwise } => {
            branches.iter().map(|branch| &branch.body).chain(otherwise.as_ref()).collect()
        }
        StmtKind::While { body, .. } => vec![body],
        _ => Vec::new(),
    }
}
