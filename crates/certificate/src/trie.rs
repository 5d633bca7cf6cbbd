//! The markings of a certificate, arranged so that one below a given marking is found without looking at most of them: a tree
//! in which a marking is a path, its rarest place first. A marking that lacks the rare place is never on the way.

use std::collections::{BTreeMap, HashMap};

use selvedge_nets_syntax::net::PlaceId;

#[derive(Debug, Default)]
struct Node {
    /// A marking ends here.
    ends: bool,
    /// Place, tokens and the node below.
    below: HashMap<PlaceId, Vec<(u32, usize)>>,
}

/// The markings.
#[derive(Debug)]
pub(crate) struct Trie {
    nodes: Vec<Node>,
}

impl Trie {
    /// Of a list of markings.
    pub(crate) fn of(markings: &[BTreeMap<PlaceId, u32>]) -> Trie {
        let mut common: HashMap<PlaceId, usize> = HashMap::new();
        for place in markings.iter().flat_map(BTreeMap::keys) {
            *common.entry(*place).or_default() += 1;
        }
        let mut trie = Trie { nodes: vec![Node::default()] };
        for marking in markings {
            let mut path: Vec<(PlaceId, u32)> = marking.iter().map(|(place, count)| (*place, *count)).collect();
            path.sort_unstable_by_key(|(place, _)| (common[place], *place));
            trie.put(&path);
        }
        trie
    }

    fn put(&mut self, path: &[(PlaceId, u32)]) {
        let mut at = 0;
        for (place, count) in path {
            let new = self.nodes.len();
            let children = self.nodes[at].below.entry(*place).or_default();
            at = match children.iter().find(|(tokens, _)| tokens == count) {
                Some((_, child)) => *child,
                None => {
                    children.push((*count, new));
                    self.nodes.push(Node::default());
                    new
                }
            };
        }
        self.nodes[at].ends = true;
    }

    /// Whether one of the markings is below a marking, given as a list and by place.
    pub(crate) fn has_below(&self, marking: &[(PlaceId, u32)], tokens: &[u32]) -> bool {
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let node = &self.nodes[at];
            if node.ends {
                return true;
            }
            let mut look = |place: &PlaceId, children: &[(u32, usize)]| {
                let fits = children.iter().filter(|(count, _)| *count <= tokens[place.0 as usize]);
                open.extend(fits.map(|(_, child)| *child));
            };
            // Whichever is shorter: the places below the node, or those of the marking.
            if node.below.len() <= marking.len() {
                node.below.iter().for_each(|(place, children)| look(place, children));
            } else {
                let found = marking.iter().filter_map(|(place, _)| Some((place, node.below.get(place)?)));
                found.for_each(|(place, children)| look(place, children));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_what_is_below_and_only_that() {
        let mut chance = selvedge_core::Chance::new(11);
        let mut some = 0;
        for _ in 0..200 {
            let mut random = || -> BTreeMap<PlaceId, u32> {
                let tokens = (0..6).map(|place| (PlaceId(place), (chance.below(6) as u32).saturating_sub(3)));
                tokens.filter(|(_, count)| *count > 0).collect()
            };
            let markings: Vec<_> = (0..10).map(|_| random()).filter(|marking| !marking.is_empty()).collect();
            let trie = Trie::of(&markings);
            for _ in 0..20 {
                let marking = random();
                let of = |place: u32| marking.get(&PlaceId(place)).copied().unwrap_or(0);
                let tokens: Vec<u32> = (0..6).map(of).collect();
                let list: Vec<(PlaceId, u32)> = marking.iter().map(|(place, count)| (*place, *count)).collect();
                let below = |other: &BTreeMap<PlaceId, u32>| other.iter().all(|(place, count)| of(place.0) >= *count);
                assert_eq!(trie.has_below(&list, &tokens), markings.iter().any(below));
                some += u32::from(markings.iter().any(below));
            }
        }
        assert!(some > 100, "both answers occur");
    }
}
