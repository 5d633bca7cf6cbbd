//! One step of one frame: every way to follow an edge from a node, given the globals and the frame's locals. What
//! lies below the frame on the stack is not needed, so this serves frames that are symbols of their own
//! and frames inside of a whole stack alike.

use selvedge_boolprog::program::{Edge, EdgeId, NodeId, Op, ProcId, Program};

use super::values::{ANY, Chosen, Reads, Scope, Value};

/// A frame at a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Frame {
    pub node: NodeId,
    pub locals: Vec<Value>,
}

impl Frame {
    /// A procedure at its entry, with these arguments.
    pub(super) fn entry(program: &Program, procedure: ProcId, args: &[Value]) -> Frame {
        let procedure = program.procedure(procedure);
        let locals = args.iter().copied().chain(std::iter::repeat(ANY)).take(procedure.locals.len()).collect();
        Frame { node: procedure.entry, locals }
    }
}

/// What becomes of the frame.
#[derive(Clone, Debug)]
pub(super) enum After {
    /// It continues.
    At(Frame),
    /// It calls: the callee's frame, and its own locals while it waits at the edge.
    Call(Frame, Vec<Value>),
    /// It returns these values.
    Return(Vec<Value>),
    /// The thread ends.
    End,
    /// The assertion fails.
    Fail,
}

/// A step.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub edge: EdgeId,
    pub globals: Vec<Value>,
    pub after: After,
    /// The thread that is created.
    pub spawn: Option<Frame>,
}

/// An edge has too many choices to be executed.
pub(super) struct TooManyChoices(pub EdgeId);

/// All steps of a frame.
pub(super) fn steps(program: &Program, globals: &[Value], frame: &Frame) -> Result<Vec<Step>, TooManyChoices> {
    let scope = Scope { globals: globals.to_vec(), locals: frame.locals.clone() };
    let mut list = Vec::new();
    for id in &program.node(frame.node).edges {
        let edge = program.edge(*id);
        let choices = reads(&edge.op).choices(&scope).ok_or(TooManyChoices(*id))?;
        list.extend(choices.into_iter().filter_map(|chosen| take(program, *id, edge, chosen)));
    }
    Ok(list)
}

/// What a callee gives back to the frame that waits at an edge.
pub(super) fn give_back(
    program: &Program,
    edge: EdgeId,
    globals: &[Value],
    locals: &[Value],
    values: &[Value],
) -> (Vec<Value>, Frame) {
    let mut scope = Scope { globals: globals.to_vec(), locals: locals.to_vec() };
    let edge = program.edge(edge);
    if let Op::Call { targets, .. } = &edge.op {
        for (target, value) in targets.iter().zip(values) {
            target.iter().for_each(|target| scope.set(*target, *value));
        }
    }
    (scope.globals, Frame { node: edge.to, locals: scope.locals })
}

fn reads(op: &Op) -> Reads {
    let mut reads = Reads::default();
    match op {
        Op::Assume(condition) | Op::Assert(condition) => reads.expr(condition),
        Op::Assign { values, constrain: None, .. } => values.iter().for_each(|value| reads.value(value)),
        Op::Assign { values, constrain: Some(condition), .. } => {
            values.iter().for_each(|value| reads.expr(value));
            reads.expr(condition);
        }
        Op::Call { args, .. } | Op::Start { args, .. } => args.iter().for_each(|arg| reads.value(arg)),
        Op::Return { values } => values.iter().for_each(|value| reads.value(value)),
        Op::Skip | Op::StartAt(_) | Op::EndThread | Op::Wait | Op::Broadcast => {}
    }
    reads
}

/// Follows an edge with one choice; `None` if it is blocked.
fn take(program: &Program, id: EdgeId, edge: &Edge, mut chosen: Chosen) -> Option<Step> {
    let mut spawn = None;
    let mut after = None;
    match &edge.op {
        Op::Skip => {}
        Op::Assume(condition) => chosen.holds(condition, &[]).then_some(())?,
        Op::Assert(condition) => {
            if !chosen.holds(condition, &[]) {
                after = Some(After::Fail);
            }
        }
        Op::Assign { targets, values, constrain } => {
            let next: Vec<_> =
                targets.iter().zip(values).map(|(target, value)| (*target, chosen.value(value))).collect();
            constrain.as_ref().is_none_or(|condition| chosen.holds(condition, &next)).then_some(())?;
            next.into_iter().for_each(|(target, value)| chosen.scope.set(target, value));
        }
        Op::Call { procedure, args, .. } => {
            let args: Vec<Value> = args.iter().map(|arg| chosen.value(arg)).collect();
            after = Some(After::Call(Frame::entry(program, *procedure, &args), chosen.scope.locals.clone()));
        }
        Op::Return { values } => after = Some(After::Return(values.iter().map(|value| chosen.value(value)).collect())),
        Op::Start { procedure, args } => {
            let args: Vec<Value> = args.iter().map(|arg| chosen.value(arg)).collect();
            spawn = Some(Frame::entry(program, *procedure, &args));
        }
        Op::StartAt(node) => {
            spawn = Some(Frame { node: *node, locals: chosen.scope.locals.clone() });
        }
        Op::EndThread => after = Some(After::End),
        // Programs with these are refused.
        Op::Wait | Op::Broadcast => return None,
    }
    let Scope { globals, locals } = chosen.scope;
    let after = after.unwrap_or(After::At(Frame { node: edge.to, locals }));
    Some(Step { edge: id, globals, after, spawn })
}
