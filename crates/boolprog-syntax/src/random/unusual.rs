//! Statements and expressions that programs rarely have where they stand: every construct is as likely as any other, in every
//! block, and so is every expression wherever a value is read.

use super::{Generator, Spot};
use crate::ast::{BinOp, Branch, Expr, ExprKind, NOWHERE, Name, Stmt, StmtKind};

/// Labels of the places where unusual jumps land.
const LANDINGS: [&str; 2] = ["LAND1", "LAND2"];

impl Generator {
    /// Adds a statement of any kind.
    pub(super) fn unusual(&mut self, spot: Spot, list: &mut Vec<Stmt>) {
        let deeper = Spot { nesting: spot.nesting + 1, ..spot };
        let may_nest = spot.nesting < self.shape.nesting + 1;
        let kind = match self.chance.below(18) {
            0 => StmtKind::Skip,
            1 => StmtKind::Print(vec![self.any(2)]),
            2 | 3 => self.any_assignment(),
            4 if self.can_call(spot) => self.any_call(spot),
            5 if !spot.atomic => StmtKind::Return((0..spot.results).map(|_| self.any(2)).collect()),
            6 if !spot.atomic => {
                self.jumps = true;
                let count = 1 + self.chance.below(2) as usize;
                StmtKind::Goto(LANDINGS[..count].iter().map(|label| Name::made(*label)).collect())
            }
            7 | 8 if may_nest => {
                let count = 1 + self.chance.below(2);
                let branches = (0..count).map(|_| self.any_branch(deeper)).collect();
                let otherwise = self.chance.percent(60).then(|| self.block(deeper));
                StmtKind::If { branches, otherwise }
            }
            9 if may_nest => StmtKind::While { condition: self.any(2), body: self.block(deeper) },
            10 if self.shape.errors => StmtKind::Assert(self.any(2)),
            11 => StmtKind::Assume(self.any(2)),
            12 => StmtKind::Constrain(self.any_relation(2)),
            13 => StmtKind::AbortIf(self.any(2)),
            14 => StmtKind::Dead(vec![Name::made(self.name())]),
            15 if !spot.atomic => StmtKind::EndThread,
            16 | 17 if may_nest && self.shape.atomic => {
                list.push(self.labelled(StmtKind::AtomicBegin));
                list.extend(self.block(Spot { atomic: true, ..deeper }));
                StmtKind::AtomicEnd
            }
            _ => self.any_assignment(),
        };
        let statement = self.labelled(kind);
        list.push(statement);
    }

    /// Where the jumps of a function lead.
    pub(super) fn landing(&mut self) -> Vec<Stmt> {
        let land = |label: &str| Stmt { labels: vec![Name::made(label)], ..Stmt::made(StmtKind::Skip) };
        LANDINGS.into_iter().map(land).collect()
    }

    /// The statement, sometimes with a label.
    fn labelled(&mut self, kind: StmtKind) -> Stmt {
        let mut statement = Stmt::made(kind);
        if self.chance.percent(25) {
            self.labels += 1;
            statement.labels.push(Name::made(format!("M{}", self.labels)));
        }
        statement
    }

    fn any_branch(&mut self, spot: Spot) -> Branch {
        Branch { condition: self.any(2), span: NOWHERE, body: self.block(spot) }
    }

    fn any_assignment(&mut self) -> StmtKind {
        let count = 1 + self.chance.below(2);
        let targets = self.targets(count);
        let values = targets.iter().map(|_| self.any(2)).collect();
        let constrain = self.chance.percent(30).then(|| self.any_relation(2));
        StmtKind::Assign { targets, values, constrain }
    }

    fn any_call(&mut self, spot: Spot) -> StmtKind {
        let StmtKind::Call { targets, callee, args } = self.call(spot) else { return StmtKind::Skip };
        let args = args.iter().map(|_| self.any(2)).collect();
        // A call may drop all its results.
        let targets = if self.chance.percent(20) { Vec::new() } else { targets };
        StmtKind::Call { targets, callee, args }
    }

    /// An expression of any kind.
    pub(super) fn any(&mut self, depth: u32) -> Expr {
        self.any_tree(depth, false)
    }

    /// An expression of any kind that may speak of values after the step.
    fn any_relation(&mut self, depth: u32) -> Expr {
        self.any_tree(depth, true)
    }

    fn any_tree(&mut self, depth: u32, primed: bool) -> Expr {
        let leaf = depth == 0 || self.chance.percent(25);
        let inner = |generator: &mut Self| Box::new(generator.any_tree(depth - 1, primed));
        let kind = match (leaf, self.chance.below(12)) {
            (true, 6..=8) if primed => ExprKind::Next(self.name()),
            (true, 0 | 1) => ExprKind::Const(false),
            (true, 2 | 3) => ExprKind::Const(true),
            (true, 4 | 5) => ExprKind::Star,
            (true, _) => ExprKind::Var(self.name()),
            (false, 0 | 1) => ExprKind::Not(inner(self)),
            (false, 2 | 3) => ExprKind::If(inner(self), inner(self), inner(self)),
            (false, 4 | 5) => ExprKind::Schoose(inner(self), inner(self)),
            (false, op) => {
                let ops = [BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Eq, BinOp::Ne, BinOp::Implies];
                ExprKind::Binary(ops[op as usize - 6], inner(self), inner(self))
            }
        };
        Expr::made(kind)
    }
}
