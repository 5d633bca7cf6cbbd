//! Sparse markings: the places with tokens, sorted by place.

use super::reduced_net::Place;

/// Any number of tokens.
pub(super) const OMEGA: u32 = u32::MAX;

/// Places with their tokens; sorted by place, no place without tokens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Marking(pub Box<[(Place, u32)]>);

impl Marking {
    /// From a list that is sorted and has no zeroes.
    pub(crate) fn from_sorted(list: Vec<(Place, u32)>) -> Self {
        debug_assert!(list.windows(2).all(|pair| pair[0].0 < pair[1].0) && list.iter().all(|(_, count)| *count > 0));
        Marking(list.into_boxed_slice())
    }

    /// From tokens by place.
    pub(crate) fn from_dense(tokens: &[u32]) -> Self {
        let marked = tokens.iter().enumerate().filter(|(_, count)| **count > 0);
        Marking(marked.map(|(place, count)| (Place(place as u32), *count)).collect())
    }

    /// The tokens of a place.
    pub(super) fn get(&self, place: Place) -> u32 {
        self.0.binary_search_by_key(&place, |(place, _)| *place).map_or(0, |at| self.0[at].1)
    }

    /// Whether it is below a marking given by place.
    pub(super) fn is_covered_by(&self, tokens: &[u32]) -> bool {
        self.0.iter().all(|(place, count)| tokens[place.index()] >= *count)
    }

    /// All tokens.
    pub(super) fn sum(&self) -> u64 {
        self.0.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    /// Bytes it takes, about.
    pub(super) fn bytes(&self) -> u64 {
        16 + 8 * self.0.len() as u64
    }
}

/// Tokens added, where any number stays any number.
pub(super) fn plus(tokens: u32, more: u32) -> Option<u32> {
    match (tokens, more) {
        (OMEGA, _) | (_, OMEGA) => Some(OMEGA),
        _ => tokens.checked_add(more).filter(|sum| *sum != OMEGA),
    }
}

/// Tokens taken away, where any number stays any number.
pub(super) fn minus(tokens: u32, less: u32) -> Option<u32> {
    if tokens == OMEGA { Some(OMEGA) } else { tokens.checked_sub(less) }
}
