//! Infinite runs of an explored graph, as a greatest fixpoint (Emerson and Lei, 1986): the nodes from which a run continues for
//! ever, passes places where threads may switch again and again (a section that never ends counts as blocked), and, if it must
//! be fair, passes for each thread a node in which that thread has no step or an edge of that thread.

use selvedge_source::Span;

/// What was explored.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// A node of the graph.
pub(crate) struct Node {
    /// A statement that is next there.
    pub(crate) span: Option<Span>,
    /// Threads may switch here.
    pub(crate) free: bool,
    /// Threads without a step.
    pub(crate) waiting: Vec<usize>,
    /// How many threads there are.
    pub(crate) threads: usize,
    /// Nodes after one step, with the thread of the step.
    pub(crate) successors: Vec<(u32, usize)>,
}

impl Graph {
    /// A statement of an infinite run, if there is such a run.
    pub(crate) fn infinite_run(&self, fair: bool) -> Option<Span> {
        let before = self.predecessors();
        let threads = if fair { self.nodes.iter().map(|node| node.threads).max().unwrap_or(0) } else { 0 };
        let mut inside = vec![true; self.nodes.len()];
        loop {
            let mut changed = self.without_ends(&mut inside, &before);
            changed |= keep_reaching(&mut inside, &before, |node, _| self.nodes[node].free);
            for thread in 0..threads {
                changed |= keep_reaching(&mut inside, &before, |node, inside| self.serves(thread, node, inside));
            }
            if !changed {
                let mut places = (0..self.nodes.len()).filter(|node| inside[*node]);
                return places.find_map(|node| self.nodes[node].span);
            }
        }
    }

    fn predecessors(&self) -> Vec<Vec<u32>> {
        let mut before = vec![Vec::new(); self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            for (target, _) in &node.successors {
                before[*target as usize].push(number as u32);
            }
        }
        before
    }

    /// Takes out nodes without a successor inside, until none is left; whether there was one.
    fn without_ends(&self, inside: &mut [bool], before: &[Vec<u32>]) -> bool {
        let alive = |node: usize, inside: &[bool]| {
            inside[node] && self.nodes[node].successors.iter().any(|(target, _)| inside[*target as usize])
        };
        let mut work: Vec<usize> =
            (0..self.nodes.len()).filter(|node| inside[*node] && !alive(*node, inside)).collect();
        let changed = !work.is_empty();
        while let Some(node) = work.pop() {
            if std::mem::replace(&mut inside[node], false) {
                work.extend(
                    before[node].iter().map(|one| *one as usize).filter(|one| inside[*one] && !alive(*one, inside)),
                );
            }
        }
        changed
    }

    /// Whether a thread takes a step from a node, or has none there.
    fn serves(&self, thread: usize, node: usize, inside: &[bool]) -> bool {
        let one = &self.nodes[node];
        let moves = one.successors.iter().any(|(target, by)| *by == thread && inside[*target as usize]);
        moves || thread >= one.threads || one.waiting.contains(&thread)
    }
}

/// Keeps the nodes from which a good one can be reached inside; whether others were taken out.
fn keep_reaching(inside: &mut [bool], before: &[Vec<u32>], good: impl Fn(usize, &[bool]) -> bool) -> bool {
    let mut work: Vec<usize> = (0..inside.len()).filter(|node| inside[*node] && good(*node, inside)).collect();
    let mut kept = vec![false; inside.len()];
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut kept[node], true) {
            work.extend(before[node].iter().map(|one| *one as usize).filter(|one| inside[*one]));
        }
    }
    let changed = (0..inside.len()).any(|node| inside[node] && !kept[node]);
    inside.iter_mut().zip(&kept).for_each(|(inside, kept)| *inside &= kept);
    changed
}
