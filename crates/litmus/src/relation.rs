//! Relations between at most 128 events, as rows of bits.

/// A relation: row `a` has the events that `a` is related to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation(pub(crate) Vec<u128>);

impl Relation {
    pub(crate) fn empty(n: usize) -> Relation {
        assert!(n <= 128, "too many events");
        Relation(vec![0; n])
    }

    /// The identity on the events for which `is` holds.
    pub(crate) fn on(n: usize, is: impl Fn(usize) -> bool) -> Relation {
        Relation((0..n).map(|a| u128::from(is(a)) << a).collect())
    }

    /// The pairs for which `are` holds.
    pub(crate) fn of(n: usize, are: impl Fn(usize, usize) -> bool) -> Relation {
        Relation((0..n).map(|a| (0..n).fold(0, |row, b| row | u128::from(are(a, b)) << b)).collect())
    }

    pub(crate) fn add(&mut self, a: usize, b: usize) {
        self.0[a] |= 1 << b;
    }

    pub(crate) fn has(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 != 0
    }

    pub(crate) fn or(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    pub(crate) fn and(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub(crate) fn without(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    /// First this relation, then the other.
    pub(crate) fn then(&self, other: &Relation) -> Relation {
        let step = |row: u128| (0..other.0.len()).filter(|b| row >> b & 1 != 0).fold(0, |out, b| out | other.0[b]);
        Relation(self.0.iter().map(|&row| step(row)).collect())
    }

    /// With every event related to itself.
    pub(crate) fn reflexive(&self) -> Relation {
        Relation(self.0.iter().enumerate().map(|(a, row)| row | 1 << a).collect())
    }

    /// The transitive closure.
    pub(crate) fn plus(&self) -> Relation {
        let mut rows = self.0.clone();
        for k in 0..rows.len() {
            let through = rows[k];
            rows.iter_mut().filter(|row| **row >> k & 1 != 0).for_each(|row| *row |= through);
        }
        Relation(rows)
    }

    pub(crate) fn is_irreflexive(&self) -> bool {
        self.0.iter().enumerate().all(|(a, row)| row >> a & 1 == 0)
    }

    pub(crate) fn is_acyclic(&self) -> bool {
        self.plus().is_irreflexive()
    }
}
