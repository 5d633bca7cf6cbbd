//! Makes a program smaller as long as something stays true of it, for the failures that random
//! programs find.

use crate::ast::{Expr, ExprKind, Program, Stmt, StmtKind};

/// The smallest program found for which `fails` is still true. `fails` must be false for programs
/// that do not build.
pub fn shrink(program: &Program, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let mut edit = 0;
        let mut improved = false;
        // Edits are numbered; after a success the same number is the next edit of the smaller program.
        while let Some(candidate) = edited(&best, edit) {
            if candidate != best && fails(&candidate) {
                best = candidate;
                improved = true;
            } else {
                edit += 1;
            }
        }
        if !improved {
            return best;
        }
    }
}

/// Counts down to the edit that is wanted.
struct Edit(usize);

impl Edit {
    /// Whether this one is it.
    fn here(&mut self) -> bool {
        let here = self.0 == 0;
        self.0 = self.0.wrapping_sub(1);
        here
    }
}

fn edited(program: &Program, number: usize) -> Option<Program> {
    let mut program = program.clone();
    let mut edit = Edit(number);
    change(&mut program, &mut edit).then_some(program)
}

fn change(program: &mut Program, edit: &mut Edit) -> bool {
    for index in 0..program.functions.len() {
        if edit.here() {
            program.functions.remove(index);
            return true;
        }
    }
    for function in &mut program.functions {
        if function.enforce.is_some() && edit.here() {
            function.enforce = None;
            return true;
        }
        for index in 0..function.locals.len() {
            if edit.here() {
                function.locals.remove(index);
                return true;
            }
            if function.locals[index].initial.is_some() && edit.here() {
                function.locals[index].initial = None;
                return true;
            }
        }
        if change_block(&mut function.body, edit) {
            return true;
        }
    }
    for index in 0..program.globals.len() {
        if edit.here() {
            program.globals.remove(index);
            return true;
        }
    }
    false
}

fn change_block(block: &mut Vec<Stmt>, edit: &mut Edit) -> bool {
    for index in 0..block.len() {
        if edit.here() {
            block.remove(index);
            return true;
        }
        // An atomic section as a whole.
        let is_section = |a: &Stmt, b: &Stmt| a.kind == StmtKind::AtomicBegin && b.kind == StmtKind::AtomicEnd;
        let closing = (index + 1..block.len()).find(|other| is_section(&block[index], &block[*other]));
        if let Some(closing) = closing
            && edit.here()
        {
            block.remove(closing);
            block.remove(index);
            return true;
        }
        if !block[index].labels.is_empty() && edit.here() {
            block[index].labels.clear();
            return true;
        }
        let inner: Vec<Vec<Stmt>> = block[index].blocks().cloned().collect();
        for statements in inner {
            if edit.here() {
                block.splice(index..=index, statements);
                return true;
            }
        }
        if change_statement(&mut block[index], edit) {
            return true;
        }
    }
    false
}

fn change_statement(statement: &mut Stmt, edit: &mut Edit) -> bool {
    match &mut statement.kind {
        StmtKind::If { branches, otherwise } => {
            if branches.len() > 1 && edit.here() {
                branches.pop();
                return true;
            }
            if otherwise.is_some() && edit.here() {
                *otherwise = None;
                return true;
            }
            for branch in branches.iter_mut() {
                if change_expr(&mut branch.condition, edit) || change_block(&mut branch.body, edit) {
                    return true;
                }
            }
            otherwise.as_mut().is_some_and(|block| change_block(block, edit))
        }
        StmtKind::While { condition, body } => change_expr(condition, edit) || change_block(body, edit),
        StmtKind::Assign { targets, values, constrain } => {
            if targets.len() > 1 && edit.here() {
                targets.pop();
                values.pop();
                return true;
            }
            if constrain.is_some() && edit.here() {
                *constrain = None;
                return true;
            }
            values.iter_mut().chain(constrain).any(|value| change_expr(value, edit))
        }
        StmtKind::Call { args, .. } => args.iter_mut().any(|value| change_expr(value, edit)),
        StmtKind::Return(values) | StmtKind::Print(values) => values.iter_mut().any(|value| change_expr(value, edit)),
        StmtKind::Goto(labels) if labels.len() > 1 && edit.here() => {
            labels.pop();
            true
        }
        StmtKind::Assert(e) | StmtKind::Assume(e) | StmtKind::Constrain(e) | StmtKind::AbortIf(e) => {
            change_expr(e, edit)
        }
        _ => false,
    }
}

fn change_expr(expr: &mut Expr, edit: &mut Edit) -> bool {
    let leaf = matches!(expr.kind, ExprKind::Const(_));
    if !leaf {
        for value in [false, true] {
            if edit.here() {
                expr.kind = ExprKind::Const(value);
                return true;
            }
        }
    }
    let children: Vec<Expr> = expr.children().cloned().collect();
    for child in children {
        if edit.here() {
            *expr = child;
            return true;
        }
    }
    match &mut expr.kind {
        ExprKind::Not(inner) => change_expr(inner, edit),
        ExprKind::Binary(_, left, right) | ExprKind::Schoose(left, right) => {
            change_expr(left, edit) || change_expr(right, edit)
        }
        ExprKind::If(condition, then, otherwise) => {
            change_expr(condition, edit) || change_expr(then, edit) || change_expr(otherwise, edit)
        }
        _ => false,
    }
}
