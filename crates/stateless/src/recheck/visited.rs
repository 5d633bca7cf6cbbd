//! The classes that a search has visited, by digest. Beyond a number of classes only a share of them is kept, chosen by
//! the digest itself, so that it is known of any class whether it would be there.

use rustc_hash::FxHashSet;

/// Classes that are kept at the most: 64 MiB of digests.
const MOST: usize = 1 << 22;

/// A set of digests.
#[derive(Default)]
pub(crate) struct Visited {
    digests: FxHashSet<u128>,
    /// Digests with one of these bits are not kept.
    left_out: u128,
}

impl Visited {
    /// Adds a class.
    pub(crate) fn insert(&mut self, digest: u128) {
        if self.keeps(digest) {
            self.digests.insert(digest);
            if self.digests.len() > MOST {
                self.thin_out();
            }
        }
    }

    fn thin_out(&mut self) {
        self.left_out = self.left_out << 1 | 1;
        let left_out = self.left_out;
        self.digests.retain(|digest| digest & left_out == 0);
    }

    /// Whether a class like this would be kept if it was visited.
    pub(crate) fn keeps(&self, digest: u128) -> bool {
        digest & self.left_out == 0
    }

    /// Whether a class that would be kept was not visited.
    pub(crate) fn lacks(&self, digest: u128) -> bool {
        self.keeps(digest) && !self.digests.contains(&digest)
    }

    /// The number of classes that are kept.
    pub(crate) fn len(&self) -> usize {
        self.digests.len()
    }

    /// Bytes in use, about.
    pub(crate) fn memory(&self) -> usize {
        self.digests.capacity() * size_of::<u128>()
    }

    /// A class that was visited and is not one of `others`; always the same one.
    pub(crate) fn beyond(&self, others: impl Fn(u128) -> bool) -> Option<u128> {
        self.digests.iter().copied().filter(|&digest| !others(digest)).min()
    }

    /// Forgets one class: a search that has a defect.
    #[cfg(test)]
    pub(crate) fn forget_one(&mut self) -> Option<u128> {
        let digest = self.digests.iter().copied().min()?;
        self.digests.remove(&digest);
        Some(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_classes_remains_when_there_are_too_many() {
        let mut visited = Visited::default();
        (0..100).for_each(|digest| visited.insert(digest));
        visited.thin_out();
        assert_eq!(visited.len(), 50);
        assert!(visited.lacks(100) && !visited.lacks(98));
        assert!(!visited.lacks(101), "it cannot be known");
    }
}
