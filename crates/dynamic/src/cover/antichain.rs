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

    /// A marking of the set that is below this one, other than `except`; and how many branches were looked at.
    pub fn below(&self, marking: &[(u32, u32)], except: Option<ElementId>) -> (Option<ElementId>, u64) {
        let mut looked = 0;
        let found = self.search(0, marking, except, &mut looked);
        (found, looked)
    }

    fn search(&self, at: usize, rest: &[(u32, u32)], except: Option<ElementId>, looked: &mut u64) -> Option<ElementId> {
        let node = &self.nodes[at];
        if node.element.is_some() && node.element != except {
            return node.element;
        }
        let mut children = node.children.as_slice();
        for (index, (place, count)) in rest.iter().enumerate() {
            if children.is_empty() {
                return None;
            }
            *looked += 1;
            let start = children.partition_point(|child| child.0 < *place);
            children = &children[start..];
            while let Some(((child_place, child_count, child), others)) = children.split_first() {
                if child_place != place {
                    break;
                }
                if child_count > count {
                    let skip = others.partition_point(|child| child.0 == *place);
                    children = &others[skip..];
                    break;
                }
                children = others;
                if let Some(found) = self.search(*child as usize, &rest[index + 1..], except, looked) {
                    return Some(found);
                }
            }
        }
        None
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
}
