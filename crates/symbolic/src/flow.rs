//! What can be read off the control-flow graphs once, before any analysis: where switches matter,
//! which locals are still needed, and in which order nodes are best visited.
//!
//! **Switch points.** Steps that touch no global commute with everything other threads do, so a
//! context may as well end right behind the last step that touched one. Switches are considered only
//! there (and where a thread starts): the shared states that can be reached are the same, with the same
//! number of contexts, and far fewer relations carry the history of the globals.

use std::collections::BTreeSet;

use selvedge_boolprog::program::{EdgeId, Expr, NodeId, Op, ProcId, Program, VarId};

/// Facts about the graphs of a program.
pub struct Flow {
    /// By node: a context may end here.
    pub switch: Vec<bool>,
    /// By node: the locals whose values may still be read.
    pub live: Vec<Vec<bool>>,
    /// By node: its place in an order in which most edges lead forward.
    pub rank: Vec<u32>,
    /// By node: no run may come here.
    pub target: Vec<bool>,
    /// By procedure: the edges that call it.
    pub callers: Vec<Vec<EdgeId>>,
}

/// Whether an expression satisfies `is` for one of the variables it reads, before or after the step.
pub fn reads(expr: &Expr, is: &mut dyn FnMut(VarId) -> bool) -> bool {
    match expr {
        Expr::Const(_) | Expr::Nondet(_) => false,
        Expr::Var(var) | Expr::Next(var) => is(*var),
        Expr::Not(inner) => reads(inner, is),
        Expr::Binary(_, left, right) => reads(left, is) || reads(right, is),
        Expr::If(condition, then, other) => reads(condition, is) || reads(then, is) || reads(other, is),
    }
}

/// The occurrences of `*` in an expression.
pub fn choices(expr: &Expr) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut work = vec![expr];
    while let Some(expr) = work.pop() {
        match expr {
            Expr::Nondet(index) => _ = found.insert(*index),
            Expr::Const(_) | Expr::Var(_) | Expr::Next(_) => {}
            Expr::Not(inner) => work.push(inner),
            Expr::Binary(_, left, right) => work.extend([&**left, &**right]),
            Expr::If(condition, then, other) => work.extend([&**condition, &**then, &**other]),
        }
    }
    found
}

/// The expressions of a step.
pub fn expressions(op: &Op) -> Vec<&Expr> {
    match op {
        Op::Assign { values, constrain, .. } => values.iter().chain(constrain).collect(),
        Op::Assume(e) | Op::Assert(e) => vec![e],
        Op::Call { args, .. } | Op::Start { args, .. } => args.iter().collect(),
        Op::Return { values } => values.iter().collect(),
        Op::Skip | Op::StartAt(_) | Op::EndThread | Op::Wait | Op::Broadcast => Vec::new(),
    }
}

/// The variables a step writes (of a call: when it returns).
pub fn written(op: &Op) -> Vec<VarId> {
    match op {
        Op::Assign { targets, .. } => targets.clone(),
        Op::Call { targets, .. } => targets.iter().flatten().copied().collect(),
        _ => Vec::new(),
    }
}

fn is_global(var: VarId) -> bool {
    matches!(var, VarId::Global(_))
}

/// Whether a step reads or writes a global (of a call: before it returns).
pub fn touches(op: &Op) -> bool {
    expressions(op).into_iter().any(|e| reads(e, &mut is_global))
        || (!matches!(op, Op::Call { .. }) && written(op).into_iter().any(is_global))
}

impl Flow {
    /// Reads a program.
    pub fn new(program: &Program) -> Flow {
        let mut callers = vec![Vec::new(); program.procedures.len()];
        for (index, edge) in program.edges.iter().enumerate() {
            if let Op::Call { procedure, .. } = &edge.op {
                callers[procedure.index()].push(EdgeId::new(index));
            }
        }
        let mut target = vec![false; program.nodes.len()];
        program.targets.iter().for_each(|t| target[t.node.index()] = true);
        Flow { switch: switches(program), live: live(program), rank: rank(program), target, callers }
    }
}

fn switches(program: &Program) -> Vec<bool> {
    let mut switch = vec![false; program.nodes.len()];
    for thread in &program.threads {
        switch[program.procedure(thread.procedure).entry.index()] = true;
    }
    let touching_return: Vec<bool> = (0..program.procedures.len())
        .map(|p| program.edges_of(ProcId::new(p)).any(|e| matches!(e.op, Op::Return { .. }) && touches(&e.op)))
        .collect();
    for edge in &program.edges {
        let inside = program.node(edge.from).atomic;
        match &edge.op {
            Op::Call { procedure, targets, .. } => {
                let callee = program.procedure(*procedure);
                switch[callee.entry.index()] |= inside || touches(&edge.op);
                let writes = targets.iter().flatten().any(|v| is_global(*v));
                switch[edge.to.index()] |= inside || writes || touching_return[procedure.index()] || callee.atomic;
            }
            op => switch[edge.to.index()] |= inside || touches(op),
        }
    }
    for (index, node) in program.nodes.iter().enumerate() {
        switch[index] &= !node.atomic;
    }
    switch
}

fn live(program: &Program) -> Vec<Vec<bool>> {
    let size = |node: NodeId| program.procedure(program.node(node).procedure).locals.len();
    let mut live: Vec<Vec<bool>> = (0..program.nodes.len()).map(|n| vec![false; size(NodeId::new(n))]).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in program.edges.iter().rev() {
            let mut before = live[edge.to.index()].clone();
            for var in written(&edge.op) {
                if let VarId::Local(local) = var {
                    before[local.index()] = false;
                }
            }
            for expr in expressions(&edge.op) {
                reads(expr, &mut |var| {
                    if let VarId::Local(local) = var {
                        before[local.index()] = true;
                    }
                    false
                });
            }
            let here = &mut live[edge.from.index()];
            for (old, new) in here.iter_mut().zip(before) {
                changed |= new && !*old;
                *old |= new;
            }
        }
    }
    live
}

/// Reverse postorder within each procedure.
fn rank(program: &Program) -> Vec<u32> {
    let mut rank = vec![0; program.nodes.len()];
    for procedure in &program.procedures {
        let mut order = Vec::new();
        let mut seen = vec![false; program.nodes.len()];
        let mut stack = vec![(procedure.entry, 0)];
        seen[procedure.entry.index()] = true;
        while let Some((node, next)) = stack.last_mut() {
            let edges = &program.node(*node).edges;
            match edges.get(*next) {
                Some(edge) => {
                    *next += 1;
                    let to = program.edge(*edge).to;
                    if !seen[to.index()] {
                        seen[to.index()] = true;
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        for (place, node) in order.iter().rev().enumerate() {
            rank[node.index()] = place as u32;
        }
    }
    rank
}
