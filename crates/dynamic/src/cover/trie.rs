//! A set of markings that answers "is one of them below this marking?" fast: a trie whose paths are the markings, place by
//! place. A marking below another has tokens only where the other has some, and no more tokens in total, so that few
//! branches are visited. Markings that a smaller one makes redundant stay in the set; an element is checked when it is expanded
//! again.

use super::marking::Marking;
use super::reduced_net::Place;

/// The number of a marking in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ElementId(pub u32);

impl ElementId {
    /// Its position in lists by element.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node of the trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NodeId(u32);

impl NodeId {
    const ROOT: NodeId = NodeId(0);
}

/// An edge to a child node.
#[derive(Clone, Copy, Debug)]
struct Child {
    place: Place,
    tokens: u32,
    node: NodeId,
    /// The fewest tokens that a marking through this child still has in later places.
    least: u32,
}

/// Children that share one entry of `blocks`.
const BLOCK: usize = 64;

#[derive(Debug, Default)]
struct Node {
    /// Sorted by place, then tokens.
    children: Vec<Child>,
    /// The least `least` of each block of children; empty where one block is all there is.
    blocks: Vec<u32>,
    /// The marking that ends here.
    element: Option<ElementId>,
}

impl Node {
    /// The child for a number of tokens of a place, created as `new` if it does not exist.
    fn child(&mut self, (place, tokens): (Place, u32), least: u32, new: NodeId) -> NodeId {
        match self.children.binary_search_by_key(&(place, tokens), |child| (child.place, child.tokens)) {
            Ok(at) => {
                let child = &mut self.children[at];
                child.least = child.least.min(least);
                if let Some(block) = self.blocks.get_mut(at / BLOCK) {
                    *block = (*block).min(least);
                }
                child.node
            }
            Err(at) => {
                self.children.insert(at, Child { place, tokens, node: new, least });
                self.renew_blocks(at / BLOCK);
                new
            }
        }
    }

    /// Recomputes the blocks from one on.
    fn renew_blocks(&mut self, from: usize) {
        if self.children.len() <= BLOCK {
            return;
        }
        let from = from.min(self.blocks.len());
        self.blocks.truncate(from);
        let least = |block: &[Child]| block.iter().map(|child| child.least).min().unwrap_or(0);
        self.blocks.extend(self.children[from * BLOCK..].chunks(BLOCK).map(least));
    }
}

/// The marking of a query.
struct Query<'a> {
    marking: &'a [(Place, u32)],
    /// The tokens from each position on.
    sums: Vec<u64>,
}

/// The children of a node that are still to be visited.
struct Branch<'a> {
    node: &'a Node,
    child: usize,
    /// The position in the marking at which the child is compared.
    at: usize,
}

impl Branch<'_> {
    /// The next child that is below the marking as far as it goes; it is compared at `self.at`.
    fn next(&mut self, query: &Query<'_>, visited: &mut u64) -> Option<NodeId> {
        loop {
            let (place, tokens) = query.marking.get(self.at)?;
            let child = self.node.children.get(self.child)?;
            if child.place == *place && child.tokens <= *tokens {
                let left = query.sums[self.at + 1];
                if self.child.is_multiple_of(BLOCK) && self.skip_blocks(left, visited) {
                    continue;
                }
                self.child += 1;
                if u64::from(child.least) <= left {
                    return Some(child.node);
                }
                continue;
            }
            *visited += 1;
            if child.place > *place {
                self.at += query.marking[self.at..].partition_point(|(other, _)| *other < child.place);
            } else {
                // Children are sorted by tokens too: after one that has too many, no other of its place is below.
                let too_many = child.place == *place;
                let skipped = |child: &Child| child.place < *place || too_many && child.place == *place;
                self.child += self.node.children[self.child..].partition_point(skipped);
            }
        }
    }

    /// Skips blocks in which every child needs more tokens than are left; whether there was one. Children of later
    /// places need as many from fewer.
    fn skip_blocks(&mut self, left: u64, visited: &mut u64) -> bool {
        let before = self.child;
        while self.node.blocks.get(self.child / BLOCK).is_some_and(|least| u64::from(*least) > left) {
            self.child += BLOCK;
            *visited += 1;
        }
        self.child > before
    }
}

/// The set.
#[derive(Debug)]
pub(super) struct MarkingTrie {
    nodes: Vec<Node>,
}

impl Default for MarkingTrie {
    fn default() -> Self {
        MarkingTrie { nodes: vec![Node::default()] }
    }
}

impl MarkingTrie {
    /// Adds a marking.
    pub(super) fn insert(&mut self, marking: &Marking, element: ElementId) {
        let mut at = NodeId::ROOT;
        let mut left = marking.sum();
        for (place, tokens) in &marking.0 {
            left -= u64::from(*tokens);
            let new = NodeId(self.nodes.len() as u32);
            let least = u32::try_from(left).unwrap_or(u32::MAX);
            let child = self.nodes[at.0 as usize].child((*place, *tokens), least, new);
            if child == new {
                self.nodes.push(Node::default());
            }
            at = child;
        }
        self.nodes[at.0 as usize].element.get_or_insert(element);
    }

    /// A marking of the set that is below this one, other than `except`; and how many branches were visited at. The
    /// tree is as deep as a marking has places, so the way through it is kept in a list.
    pub(super) fn below(&self, marking: &[(Place, u32)], except: Option<ElementId>) -> (Option<ElementId>, u64) {
        let mut visited = 0;
        if let Some(found) = self.element_at(NodeId::ROOT, except) {
            return (Some(found), visited);
        }
        let query = Query::new(marking);
        let mut stack = Vec::new();
        let mut here = Branch { node: &self.nodes[0], child: 0, at: 0 };
        loop {
            let Some(child) = here.next(&query, &mut visited) else {
                match stack.pop() {
                    Some(above) => here = above,
                    None => return (None, visited),
                }
                continue;
            };
            if let Some(found) = self.element_at(child, except) {
                return (Some(found), visited);
            }
            let deeper = Branch { node: &self.nodes[child.0 as usize], child: 0, at: here.at + 1 };
            if !deeper.node.children.is_empty() && deeper.at < marking.len() {
                stack.push(std::mem::replace(&mut here, deeper));
            }
        }
    }

    /// The marking that ends at a node.
    fn element_at(&self, node: NodeId, except: Option<ElementId>) -> Option<ElementId> {
        self.nodes[node.0 as usize].element.filter(|element| Some(*element) != except)
    }

    /// Bytes it takes, about.
    pub(super) fn bytes(&self) -> u64 {
        (self.nodes.len() * (size_of::<Node>() + size_of::<Child>())) as u64
    }
}

impl<'a> Query<'a> {
    fn new(marking: &'a [(Place, u32)]) -> Self {
        let mut sums = vec![0; marking.len() + 1];
        for (at, (_, tokens)) in marking.iter().enumerate().rev() {
            sums[at] = sums[at + 1] + u64::from(*tokens);
        }
        Query { marking, sums }
    }
}

#[cfg(test)]
mod tests {
    use selvedge_core::Chance;

    use super::*;

    #[test]
    fn it_finds_what_is_below_and_only_that() {
        let mut chance = Chance::new(7);
        let mut next = |limit: usize| chance.below(limit);
        for _ in 0..200 {
            let mut random =
                || Marking::from_dense(&(0..6).map(|_| (next(6) as u32).saturating_sub(2)).collect::<Vec<_>>());
            let elements: Vec<Marking> = (0..12).map(|_| random()).collect();
            let mut set = MarkingTrie::default();
            for (index, element) in elements.iter().enumerate() {
                set.insert(element, ElementId(index as u32));
            }
            for _ in 0..20 {
                let marking = random();
                let below = |element: &Marking| element.0.iter().all(|(place, count)| marking.get(*place) >= *count);
                let found = set.below(&marking.0, None).0;
                assert_eq!(found.is_some(), elements.iter().any(below));
                assert!(found.is_none_or(|id| below(&elements[id.index()])));
            }
        }
    }

    #[test]
    fn long_rows_of_branches_are_skipped_and_nothing_is_missed() {
        let mut chance = Chance::new(3);
        let mut next = |limit: usize| chance.below(limit);
        for _ in 0..20 {
            let mut random = |most: usize| Marking::from_dense(&(0..3).map(|_| next(most) as u32).collect::<Vec<_>>());
            let elements: Vec<Marking> = (0..400).map(|_| random(500)).collect();
            let mut set = MarkingTrie::default();
            for (index, element) in elements.iter().enumerate() {
                set.insert(element, ElementId(index as u32));
            }
            for _ in 0..60 {
                let marking = random(120);
                let below = |element: &Marking| element.0.iter().all(|(place, count)| marking.get(*place) >= *count);
                let found = set.below(&marking.0, None).0;
                assert_eq!(found.is_some(), elements.iter().any(below));
                assert!(found.is_none_or(|id| below(&elements[id.index()])));
            }
        }
        let mut line = MarkingTrie::default();
        let on_line = |at: u32| Marking::from_sorted(vec![(Place(0), at), (Place(1), 20_000 - at)]);
        (1..10_000).for_each(|at| line.insert(&on_line(at), ElementId(at)));
        let (found, visited) = line.below(&on_line(10_000).0, None);
        assert!(found.is_none() && visited < 400, "most of the line is not visited at: {visited}");
    }

    #[test]
    fn a_marking_may_have_any_number_of_places() {
        let wide = Marking::from_sorted((0..300_000).map(|place| (Place(2 * place), 2)).collect());
        let mut set = MarkingTrie::default();
        set.insert(&wide, ElementId(0));
        assert_eq!(set.below(&wide.0, None).0, Some(ElementId(0)));
        assert_eq!(set.below(&wide.0, Some(ElementId(0))).0, None);
        assert_eq!(set.below(&wide.0[..299_999], None).0, None);
        assert!(set.bytes() >= 300_000 * size_of::<Node>() as u64);
    }
}
