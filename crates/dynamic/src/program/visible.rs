//! Which edges other threads can notice: those that read or write globals, and those that create threads (whose
//! switch number depends on when). Before any other step a thread need not be suspended: it can
//! take the step first, and the next thread sees no difference.

use selvedge_boolprog::program::{Op, ProcId, Program, VarId};

use super::values::Reads;

/// For each edge, whether it can be noticed.
pub(super) fn visible(program: &Program) -> Vec<bool> {
    let gives_globals: Vec<bool> = (0..program.procedures.len())
        .map(|position| {
            let callee = ProcId::new(position);
            program.edges.iter().any(|edge| match &edge.op {
                Op::Call { procedure, targets, .. } if *procedure == callee => {
                    targets.iter().any(|target| matches!(target, Some(VarId::Global(_))))
                }
                _ => false,
            })
        })
        .collect();
    program
        .edges
        .iter()
        .map(|edge| notices(&edge.op, gives_globals[program.node(edge.from).procedure.index()]))
        .collect()
}

fn notices(op: &Op, gives_globals: bool) -> bool {
    let mut reads = Reads::default();
    match op {
        Op::Skip | Op::EndThread => return false,
        Op::Start { .. } | Op::StartAt(_) | Op::Wait | Op::Broadcast => return true,
        Op::Assume(condition) | Op::Assert(condition) => reads.expr(condition),
        Op::Assign { targets, values, constrain } => {
            if targets.iter().any(|target| matches!(target, VarId::Global(_))) {
                return true;
            }
            values.iter().chain(constrain).for_each(|expr| reads.expr(expr));
        }
        Op::Call { args, .. } => args.iter().for_each(|arg| reads.expr(arg)),
        Op::Return { values } => {
            if gives_globals {
                return true;
            }
            values.iter().for_each(|value| reads.expr(value));
        }
    }
    reads.globals()
}
