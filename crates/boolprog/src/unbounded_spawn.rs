//! Whether a program may create threads without limit: a place that creates one can be passed again and again. A search
//! state by state of such a program need not end, so another engine is the better one to start with. Loops are
//! looked at, not values: a loop that runs twice counts as one without end.

use std::collections::BTreeSet;

use crate::program::{Edge, NodeId, Op, ProcId, Program};

/// A place that calls a procedure, or lets a new thread run it.
struct Use {
    by: ProcId,
    of: ProcId,
    creates: bool,
    /// It lies on a loop of its procedure.
    repeats: bool,
}

/// Whether the program may create threads without limit.
pub fn creates_without_limit(program: &Program) -> bool {
    let creates = |edge: &Edge| matches!(edge.op, Op::Start { .. } | Op::StartAt(_));
    if !program.edges.iter().any(creates) {
        return false;
    }
    let uses: Vec<Use> = program.edges.iter().filter_map(|edge| use_of(program, edge)).collect();
    let used = closure(&uses, program.threads.iter().map(|thread| thread.procedure));
    let recursive = |procedure: ProcId| {
        let directly = uses.iter().filter(|u| u.by == procedure).map(|u| u.of);
        closure(&uses, directly).contains(&procedure)
    };
    let repeating = uses.iter().filter(|u| used.contains(&u.by) && u.repeats).map(|u| u.of);
    let recursive = used.iter().copied().filter(|procedure| recursive(*procedure));
    let again = closure(&uses, repeating.chain(recursive));
    uses.iter().any(|u| u.creates && used.contains(&u.by) && (u.repeats || again.contains(&u.by)))
}

fn use_of(program: &Program, edge: &Edge) -> Option<Use> {
    let by = program.node(edge.from).procedure;
    let (of, creates) = match &edge.op {
        Op::Call { procedure, .. } => (*procedure, false),
        Op::Start { procedure, .. } => (*procedure, true),
        Op::StartAt(_) => (by, true),
        _ => return None,
    };
    let repeats = comes_back(program, edge.from);
    // A thread that starts inside of its creator's procedure is no recursion; what it can reach is seen by `comes_back`.
    (of != by || !matches!(edge.op, Op::StartAt(_)) || repeats).then_some(Use { by, of, creates, repeats })
}

/// Whether a place of a procedure can be reached again from itself.
fn comes_back(program: &Program, place: NodeId) -> bool {
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![place]);
    while let Some(node) = waiting.pop() {
        for edge in program.node(node).edges.iter().map(|edge| program.edge(*edge)) {
            let started = if let Op::StartAt(node) = edge.op { Some(node) } else { None };
            for next in started.into_iter().chain([edge.to]) {
                if next == place {
                    return true;
                }
                if seen.insert(next) {
                    waiting.push(next);
                }
            }
        }
    }
    false
}

/// The procedures that are used from these on, with themselves.
fn closure(uses: &[Use], from: impl Iterator<Item = ProcId>) -> BTreeSet<ProcId> {
    let mut waiting: Vec<ProcId> = from.collect();
    let mut found = BTreeSet::new();
    while let Some(procedure) = waiting.pop() {
        if found.insert(procedure) {
            waiting.extend(uses.iter().filter(|u| u.by == procedure).map(|u| u.of));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use selvedge_source::{Diagnostics, SourceMap};

    use super::creates_without_limit;
    use crate::{BuildOptions, build};

    fn spawns_without_bound(body: &str) -> bool {
        let text = format!("decl x;\n{body}");
        let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
        let built = build("a.bp", &text, &BuildOptions::default(), &mut sources, &mut found).expect(body);
        creates_without_limit(&built.program)
    }

    const WORKER: &str = "void worker() begin assert(x); end\n";

    #[test]
    fn loops_and_recursion_create_without_limit() {
        let main = |body: &str| spawns_without_bound(&format!("{WORKER}void main() begin {body} end"));
        assert!(!main("skip;"));
        assert!(!main("start_thread worker(); start_thread worker();"), "twice is not for ever");
        assert!(main("while (*) do start_thread worker(); od;"));
        let helper = "void helper() begin start_thread worker(); end\n";
        let main = |body: &str| spawns_without_bound(&format!("{WORKER}{helper}void main() begin {body} end"));
        assert!(!main("helper(); helper();"), "called twice");
        assert!(main("while (*) do helper(); od;"), "called in a loop");
        let again = "void worker() begin if (*) then start_thread worker(); fi; end\n";
        assert!(
            spawns_without_bound(&format!("{again}void main() begin start_thread worker(); end")),
            "each creates the next"
        );
        let unused = "void unused() begin while (*) do start_thread worker(); od; end\n";
        assert!(!spawns_without_bound(&format!("{WORKER}{unused}void main() begin start_thread worker(); end")));
    }
}
