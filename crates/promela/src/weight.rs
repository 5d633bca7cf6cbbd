//! What it takes to look at a state of a program, estimated from its text: searches that have a simple and a thorough way
//! of doing things spend less on the latter where that is much.

use crate::program::{DNode, DStep, Op, Program, Proto, Transition};

/// Rounds that are assumed of a loop.
const ROUNDS: usize = 4;

/// The most steps among which a process chooses in one place, a loop in a deterministic sequence counted as its statements.
pub(crate) fn most_choices(program: &Program) -> usize {
    let of_proto = |proto: &Proto| {
        let controls = proto.controls.iter();
        controls.map(|control| control.transitions.iter().map(|transition| weight(proto, transition)).sum()).max()
    };
    program.protos.iter().filter_map(of_proto).max().unwrap_or(1)
}

fn weight(proto: &Proto, transition: &Transition) -> usize {
    let action = proto.actions.get((transition.action as usize).wrapping_sub(1));
    match action.map(|action| &action.op) {
        Some(Op::DStep(code)) if loops(code) => ROUNDS * code.nodes.len(),
        _ => 1,
    }
}

/// Whether a node leads back to itself.
fn loops(code: &DStep) -> bool {
    let mut before = vec![0; code.nodes.len()];
    code.nodes.iter().flat_map(successors).for_each(|next| before[*next] += 1);
    let mut ready: Vec<usize> = (0..before.len()).filter(|at| before[*at] == 0).collect();
    let mut ordered = 0;
    while let Some(at) = ready.pop() {
        ordered += 1;
        for next in successors(&code.nodes[at]) {
            before[*next] -= 1;
            if before[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    ordered < code.nodes.len()
}

fn successors(node: &DNode) -> &[usize] {
    match node {
        DNode::Basic { next, .. } | DNode::Jump(next) | DNode::Block(next) => std::slice::from_ref(next),
        DNode::Choice { options, .. } => options,
        DNode::Exit => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::loops;
    use crate::program::{DNode, DStep};

    #[test]
    fn a_sequence_loops_if_a_node_leads_back_to_itself() {
        let code = |nodes| DStep { nodes, entry: 0 };
        assert!(!loops(&code(vec![DNode::Jump(2), DNode::Exit, DNode::Jump(1)])));
        assert!(loops(&code(vec![DNode::Jump(1), DNode::Jump(0), DNode::Exit])));
    }
}
