//! The calls a thread is inside of, and what its statements read: for stacks in traces and for explanations.

use selvedge_core::ThreadId;
use selvedge_machine::{Condition, Frame, Step};

use super::BoolMachine;
use super::layout::{ANY, Place, ThreadAt, place};
use crate::program::{BinOp, EdgeId, Expr, Op, VarId};

impl BoolMachine {
    /// Outermost first.
    pub(super) fn frames(&self, state: &[u8], thread: ThreadId) -> Vec<Frame> {
        let Some(at) = self.thread(state, thread.0 as usize).filter(|thread| !thread.ended()) else {
            return Vec::new();
        };
        let mut frames = Vec::new();
        let mut next = Some(self.top(state, &at));
        while let Some(frame) = next {
            let (node, span) = match place(state, frame.place) {
                Place::Node(node) => (node, self.program.node(node).span),
                Place::Call(edge) => (self.program.edge(edge).from, self.program.edge(edge).span),
            };
            let procedure = self.program.procedure(self.program.node(node).procedure).name.clone();
            frames.push(Frame { procedure, span: Some(span) });
            next = self.caller(state, &at, &frame);
        }
        frames.reverse();
        frames
    }

    /// See [`selvedge_machine::Describe::condition`]. Locals are looked at only where the thread is in the same call.
    pub(super) fn condition_of(&self, at: &[u8], step: &Step, state: &[u8]) -> Option<Condition> {
        let thread = step.thread?.0 as usize;
        let (here, there) = (self.thread(at, thread)?, self.thread(state, thread)?);
        let condition = match &self.program.edge(EdgeId(step.action[0])).op {
            Op::Assert(condition) | Op::Assume(condition) => condition,
            Op::Assign { targets, .. } => {
                let named = targets.iter().flat_map(|target| self.values(at, &here, &Expr::Var(*target)));
                let writes = named.filter_map(|variable| self.full_name(at, thread, &here, variable)).collect();
                return Some(Condition { writes, ..Condition::default() });
            }
            _ => return None,
        };
        let same_call = !there.ended() && self.innermost_call(at, &here) == self.innermost_call(state, &there);
        let locals = same_call.then(|| self.top(state, &there).locals);
        let value = |variable: VarId| match (variable, locals) {
            (VarId::Global(id), _) => Some(state[id.index()]),
            (VarId::Local(id), Some(locals)) => Some(state[locals + id.index()]),
            (VarId::Local(_), None) => None,
        };
        let read = self.values(at, &here, condition);
        if read.iter().any(|(.., variable)| value(*variable).is_none()) {
            return None;
        }
        let holds = truth(condition, &|variable| value(variable).filter(|value| *value != ANY).map(|value| value == 1));
        let reads = read.into_iter().filter_map(|variable| self.full_name(at, thread, &here, variable)).collect();
        Some(Condition { holds, reads, writes: Vec::new() })
    }

    /// The name of a variable among those of all threads.
    fn full_name(
        &self,
        state: &[u8],
        thread: usize,
        at: &ThreadAt,
        (name, _, variable): (String, String, VarId),
    ) -> Option<String> {
        if matches!(variable, VarId::Global(_)) {
            return Some(name);
        }
        let root = &self.program.procedure(at.root).name;
        let procedure = &self.procedure_of(at.node(state)?).name;
        let local = name.strip_prefix(&format!("{procedure}.")).unwrap_or(&name);
        Some(format!("{root}({thread}).{procedure}.{local}"))
    }

    /// What the innermost frame runs, and how deep it is.
    fn innermost_call(&self, state: &[u8], thread: &ThreadAt) -> Option<(u32, u32)> {
        let node = thread.node(state)?;
        Some((self.program.node(node).procedure.0, self.depth(state, thread)))
    }
}

/// The value of an expression, if it does not depend on what is open.
fn truth(expr: &Expr, value: &dyn Fn(VarId) -> Option<bool>) -> Option<bool> {
    let of = |expr: &Expr| truth(expr, value);
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Var(variable) => value(*variable),
        Expr::Next(_) | Expr::Nondet(_) => None,
        Expr::Not(inner) => of(inner).map(|value| !value),
        Expr::Binary(BinOp::And, left, right) => match (of(left), of(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (left, right) => Some(left? && right?),
        },
        Expr::Binary(BinOp::Or, left, right) => match (of(left), of(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (left, right) => Some(left? || right?),
        },
        Expr::Binary(BinOp::Implies, left, right) => match (of(left), of(right)) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (left, right) => Some(!left? || right?),
        },
        Expr::Binary(BinOp::Xor, left, right) => Some(of(left)? != of(right)?),
        Expr::Binary(BinOp::Eq, left, right) => Some(of(left)? == of(right)?),
        Expr::If(condition, then, otherwise) => {
            if of(condition)? {
                of(then)
            } else {
                of(otherwise)
            }
        }
    }
}
