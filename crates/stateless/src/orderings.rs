//! Orderings as they stand in the program, and changes to them: a run can be made as if the source were another one. Used to
//! find out which ordering would have forbidden a failing run (`repair`), and which orderings a test does not need.

use std::sync::atomic::Ordering;

use crate::At;
use crate::clocks::{acquires, releases};
use crate::rt::Operation;

/// A place in the program with an ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where.
    pub at: At,
    /// What stands there.
    pub kind: SiteKind,
}

/// What stands at a place with an ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// A load.
    Load(Ordering),
    /// A store.
    Store(Ordering),
    /// A read-modify-write.
    Modify(Ordering),
    /// A compare-exchange: orderings of success and failure.
    Exchange(Ordering, Ordering),
    /// A fence.
    Fence(Ordering),
}

/// A change to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub at: At,
    /// What is changed there.
    pub what: Changed,
}

/// What a change changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The ordering is this one; of a compare-exchange that of success. A fence that is `Relaxed` is none.
    Order(Ordering),
    /// The ordering of a compare-exchange that fails is this one.
    Failure(Ordering),
    /// There is a fence before the access.
    FenceBefore(Ordering),
    /// There is a fence after the access.
    FenceAfter(Ordering),
}

/// The orderings of a place from weak to strong.
const LOADS: [Ordering; 3] = [Ordering::Relaxed, Ordering::Acquire, Ordering::SeqCst];
const STORES: [Ordering; 3] = [Ordering::Relaxed, Ordering::Release, Ordering::SeqCst];
const BOTH: [Ordering; 5] =
    [Ordering::Relaxed, Ordering::Acquire, Ordering::Release, Ordering::AcqRel, Ordering::SeqCst];

/// Whether an ordering gives all that another one does, and more.
fn is_stronger(order: Ordering, than: Ordering) -> bool {
    let strength = |order| (acquires(order), releases(order), order == Ordering::SeqCst);
    let (a, b) = (strength(order), strength(than));
    a != b && a.0 >= b.0 && a.1 >= b.1 && a.2 >= b.2
}

impl Site {
    /// The ordering that stands there; of a compare-exchange that of success.
    pub fn order(&self) -> Ordering {
        match self.kind {
            SiteKind::Load(order)
            | SiteKind::Store(order)
            | SiteKind::Modify(order)
            | SiteKind::Exchange(order, _)
            | SiteKind::Fence(order) => order,
        }
    }

    fn orders(&self) -> &'static [Ordering] {
        match self.kind {
            SiteKind::Load(_) => &LOADS,
            SiteKind::Store(_) => &STORES,
            SiteKind::Modify(_) | SiteKind::Exchange(..) | SiteKind::Fence(_) => &BOTH,
        }
    }

    /// The weaker orderings that could stand there, weakest first; a fence that is `Relaxed` is none.
    pub fn weaker(&self) -> impl Iterator<Item = Ordering> + '_ {
        self.orders().iter().copied().filter(|&order| is_stronger(self.order(), order))
    }

    /// The stronger orderings of a compare-exchange that fails, weakest first; none of others.
    pub fn stronger_failures(&self) -> impl Iterator<Item = Ordering> + '_ {
        let failure = match self.kind {
            SiteKind::Exchange(_, failure) => Some(failure),
            _ => None,
        };
        failure.into_iter().flat_map(|failure| LOADS.into_iter().filter(move |&order| is_stronger(order, failure)))
    }

    /// The stronger ones, weakest first.
    pub fn stronger(&self) -> impl Iterator<Item = Ordering> + '_ {
        self.orders().iter().copied().filter(|&order| is_stronger(order, self.order()))
    }
}

impl Operation {
    /// What stands in the program.
    pub(crate) fn site(self) -> SiteKind {
        match self {
            Operation::Load(order) => SiteKind::Load(order),
            Operation::Store(order) => SiteKind::Store(order),
            Operation::Modify(order) => SiteKind::Modify(order),
            Operation::Exchange { success, failure, .. } => SiteKind::Exchange(success, failure),
        }
    }

    /// The operation with another ordering. If a compare-exchange gets stronger, its failure acquires as much.
    fn with(self, order: Ordering) -> Operation {
        match self {
            Operation::Load(_) => Operation::Load(order),
            Operation::Store(_) => Operation::Store(order),
            Operation::Modify(_) => Operation::Modify(order),
            Operation::Exchange { success, failure, expected } => {
                let half = match order {
                    Ordering::SeqCst => Ordering::SeqCst,
                    order if acquires(order) => Ordering::Acquire,
                    _ => Ordering::Relaxed,
                };
                let rises = is_stronger(order, success) && is_stronger(half, failure);
                Operation::Exchange { success: order, failure: if rises { half } else { failure }, expected }
            }
        }
    }

    /// A compare-exchange with another ordering where it fails.
    fn with_failure(self, order: Ordering) -> Operation {
        match self {
            Operation::Exchange { success, expected, .. } => Operation::Exchange { success, failure: order, expected },
            other => other,
        }
    }
}

/// The changes to a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(pub(crate) Vec<Change>);

impl Changes {
    fn at(&self, at: At) -> impl Iterator<Item = Changed> + '_ {
        self.0.iter().filter(move |change| change.at == at).map(|change| change.what)
    }

    /// An operation as it is with the changes.
    pub(crate) fn operation(&self, operation: Operation, at: At) -> Operation {
        self.at(at).fold(operation, |operation, change| match change {
            Changed::Order(order) => operation.with(order),
            Changed::Failure(order) => operation.with_failure(order),
            Changed::FenceBefore(_) | Changed::FenceAfter(_) => operation,
        })
    }

    /// The fence before or after an access.
    pub(crate) fn fence_beside(&self, at: At, after: bool) -> Option<Ordering> {
        self.at(at).find_map(|change| match change {
            Changed::FenceBefore(order) if !after => Some(order),
            Changed::FenceAfter(order) if after => Some(order),
            _ => None,
        })
    }

    /// A fence as it is with the changes, if it is one.
    pub(crate) fn fence(&self, order: Ordering, at: At) -> Option<Ordering> {
        let changed = self.at(at).find_map(|change| match change {
            Changed::Order(order) => Some(order),
            _ => None,
        });
        Some(changed.unwrap_or(order)).filter(|&order| order != Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::*;

    #[test]
    fn orderings_are_tried_from_the_weakest_on() {
        let at = std::panic::Location::caller();
        let weaker = |kind| Site { at, kind }.weaker().collect::<Vec<_>>();
        let stronger = |kind| Site { at, kind }.stronger().collect::<Vec<_>>();
        assert_eq!(weaker(SiteKind::Load(SeqCst)), [Relaxed, Acquire]);
        assert_eq!(stronger(SiteKind::Store(Relaxed)), [Release, SeqCst]);
        assert_eq!(weaker(SiteKind::Modify(AcqRel)), [Relaxed, Acquire, Release]);
        assert_eq!(stronger(SiteKind::Exchange(Acquire, Relaxed)), [AcqRel, SeqCst]);
        assert_eq!(weaker(SiteKind::Fence(Acquire)), [Relaxed]);
    }

    #[test]
    fn a_stronger_exchange_acquires_when_it_fails() {
        let exchange = Operation::Exchange { success: Relaxed, failure: Relaxed, expected: 0 };
        let expected = Operation::Exchange { success: AcqRel, failure: Acquire, expected: 0 };
        assert_eq!(exchange.with(AcqRel), expected);
        assert_eq!(expected.with(Relaxed), Operation::Exchange { success: Relaxed, failure: Acquire, expected: 0 });
    }
}
