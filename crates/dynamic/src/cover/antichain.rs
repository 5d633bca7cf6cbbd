//! A set of markings that answers "is one of you below this marking?" fast: a tree whose paths are the markings,
//! place by place. A marking below another one has tokens only where the other has some, so that only few
//! branches are looked at. Markings that a smaller one makes superfluous stay; whoever walks the set asks again.

use super::marking::Marking;

/// The number of a marking in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(pub u32);

#[derive(Debug, Default)]
struct Node {
    /// Place, tokens and the tree below, sorted.
    children: Vec<(u32, u32, u32)>,
    /// The marking that ends here.
    element: Option<ElementId>,
}

/// What is left to look at below a node.
struct Branch<'a> {
    children: &'a [(u32, u32, u32)],
    /// The marking from the place on at which the children are compared.
    rest: &'a [(u32, u32)],
}

impl Branch<'_> {
    /// The next child that is below the marking as far as it goes; the rest begins with its place then.
    fn next(&mut self, looked: &mut u64) -> Option<usize> {
        loop {
            let ((place, count), (at, tokens, child)) = (self.rest.first()?, self.children.first()?);
            if at == place && tokens <= count {
                self.children = &self.children[1..];
                return Some(*child as usize);
            }
            *looked += 1;
            if at > place {
                self.rest = &self.rest[self.rest.partition_point(|(other, _)| other < at)..];
            } else {
                // Children are sorted by tokens too: after one that has too many, no other of its place is below.
                let skipped = |child: &(u32, u32, u32)| child.0 < *place || at == place && child.0 == *place;
                self.children = &self.children[self.children.partition_point(skipped)..];
            }
        }
    }
}

/// The set.
#[derive(Debug)]
pub struct Antichain {
    nodes: Vec<Node>,
}

impl Default for Antichain {
    fn default() -> Self {
        Antichain { nodes: vec![Node::default()] }
    }
}

impl Antichain {
    /// Adds a marking.
    pub fn insert(&mut self, marking: &Marking, element: ElementId) {
        let mut at = 0;
        for (place, count) in &marking.0 {
            let found = self.nodes[at].children.binary_search_by_key(&(*place, *count), |child| (child.0, child.1));
            at = match found {
                Ok(index) => self.nodes[at].children[index].2 as usize,
                Err(index) => {
                    let new = self.nodes.len();
                    self.nodes.push(Node::default());
                    self.nodes[at].children.insert(index, (*place, *count, new as u32));
                    new
                }
            };
        }
        self.nodes[at].element.get_or_insert(element);
    }

    /// A marking of the set that is below this one, other than `except`; and how many branches were looked at. The
    /// tree is as deep as a marking has places, so the way through it is kept in a list.
    pub fn below(&self, marking: &[(u32, u32)], except: Option<ElementId>) -> (Option<ElementId>, u64) {
        let mut looked = 0;
        let mut way = Vec::new();
        let mut here = Branch { children: &self.nodes[0].children, rest: marking };
        if let Some(found) = self.ends(0, except) {
            return (Some(found), looked);
        }
        loop {
            let Some(child) = here.next(&mut looked) else {
                match way.pop() {
                    Some(above) => here = above,
                    None => return (None, looked),
                }
                continue;
            };
            if let Some(found) = self.ends(child, except) {
                return (Some(found), looked);
            }
            let deeper = Branch { children: &self.nodes[child].children, rest: here.rest.get(1..).unwrap_or(&[]) };
            if !deeper.children.is_empty() && !deeper.rest.is_empty() {
                way.push(std::mem::replace(&mut here, deeper));
            }
        }
    }

    /// The marking that ends at a node.
    fn ends(&self, node: usize, except: Option<ElementId>) -> Option<ElementId> {
        self.nodes[node].element.filter(|element| Some(*element) != except)
    }

    /// Bytes it takes, about.
    pub fn bytes(&self) -> u64 {
        self.nodes.len() as u64 * 48
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_what_is_below_and_only_that() {
        let mut state = 7u64;
        let mut next = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for _ in 0..200 {
            let mut random =
                || Marking::from_dense(&(0..6).map(|_| (next(6) as u32).saturating_sub(2)).collect::<Vec<_>>());
            let elements: Vec<Marking> = (0..12).map(|_| random()).collect();
            let mut set = Antichain::default();
            for (index, element) in elements.iter().enumerate() {
                set.insert(element, ElementId(index as u32));
            }
            for _ in 0..20 {
                let marking = random();
                let below = |element: &Marking| element.0.iter().all(|(place, count)| marking.get(*place) >= *count);
                let found = set.below(&marking.0, None).0;
                assert_eq!(found.is_some(), elements.iter().any(below));
                assert!(found.is_none_or(|id| below(&elements[id.0 as usize])));
            }
        }
    }

    #[test]
    fn a_marking_may_have_any_number_of_places() {
        let wide = Marking::from_sorted((0..300_000).map(|place| (2 * place, 2)).collect());
        let mut set = Antichain::default();
        set.insert(&wide, ElementId(0));
        assert_eq!(set.below(&wide.0, None).0, Some(ElementId(0)));
        assert_eq!(set.below(&wide.0, Some(ElementId(0))).0, None);
        assert_eq!(set.below(&wide.0[..299_999], None).0, None);
    }
}
