//! Publication of fresh objects through an `AtomicPtr`. A `const fn new` cannot tell who made an object and when, so its
//! creation would count as known to everybody. But whoever stores a pointer to it has it complete by then: if nobody but the
//! publisher has used it yet, a use by a thread that found the address in the pointer must happen after that store, or
//! after another one of the same address: a list may have several pointers to it.
//!
//! DIVERGENCE from the language: a thread that knows such an object from elsewhere, and only by the way reads its address
//! from a pointer, is taken for one that knows it from the pointer.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use selvedge_stateless::rt::{self, Moment};
use selvedge_stateless::{At, ThreadId};

/// The first store of an address by a thread.
struct Store {
    by: ThreadId,
    /// Just before it.
    moment: Moment,
    at: At,
}

struct Publication {
    end: usize,
    /// One for each thread that has stored the address.
    stores: Vec<Store>,
    /// Who has read the address without knowing of any store.
    met: Vec<ThreadId>,
}

impl Publication {
    fn is_by(&self, thread: ThreadId) -> bool {
        self.stores.iter().any(|store| store.by == thread)
    }

    /// Whether the running thread knows that the object was made.
    fn is_known(&self) -> bool {
        self.stores.iter().any(|store| rt::is_known(store.moment))
    }
}

/// Publications by the first address, of the execution with this stamp.
#[derive(Default)]
struct Published {
    stamp: u64,
    by_address: BTreeMap<usize, Publication>,
}

thread_local! {
    static PUBLISHED: RefCell<Published> = RefCell::default();
    /// The execution in which a thread has met a publication that it does not know, or 0.
    static UNSYNCHRONISED: Cell<u64> = const { Cell::new(0) };
}

impl Published {
    /// The publication that covers an address.
    fn covering(&mut self, address: usize) -> Option<(usize, &mut Publication)> {
        let (&start, publication) = self.by_address.range_mut(..=address).next_back()?;
        (address < publication.end).then_some((start, publication))
    }
}

/// A pointer to so many bytes is stored in an `AtomicPtr`; `before` is the moment just before.
pub(crate) fn publish(address: usize, size: usize, before: Moment, at: At) {
    let (stamp, by) = (rt::stamp(), rt::current());
    PUBLISHED.with_borrow_mut(|published| {
        if published.stamp != stamp {
            *published = Published { stamp, ..Published::default() };
        }
        let new = Publication { end: address + size, stores: Vec::new(), met: Vec::new() };
        let publication = published.by_address.entry(address).or_insert(new);
        if !publication.is_by(by) {
            publication.stores.push(Store { by, moment: before, at });
        }
    });
}

/// The running thread has read a pointer from an `AtomicPtr`.
pub(crate) fn meet(address: usize) {
    PUBLISHED.with_borrow_mut(|published| {
        if !published.by_address.is_empty()
            && published.stamp == rt::stamp()
            && let Some(publication) = published.by_address.get_mut(&address)
        {
            let me = rt::current();
            if !publication.is_by(me) && !publication.met.contains(&me) && !publication.is_known() {
                publication.met.push(me);
                UNSYNCHRONISED.set(published.stamp);
            }
        }
    });
}

/// An object is used at this address, which `first` used first: if that was who published it or is the running thread, the
/// publication must be known.
#[inline]
pub(crate) fn used(address: usize, what: &'static str, created: At, first: impl FnOnce() -> ThreadId) {
    if UNSYNCHRONISED.get() != 0 && UNSYNCHRONISED.get() == rt::stamp() {
        check(address, what, created, first());
    }
}

#[cold]
fn check(address: usize, what: &'static str, created: At, first: ThreadId) {
    let unknown = PUBLISHED.with_borrow_mut(|published| {
        let (_, publication) = published.covering(address)?;
        let me = rt::current();
        let unknown =
            (first == me || publication.is_by(first)) && publication.met.contains(&me) && !publication.is_known();
        let store = publication.stores.first().filter(|_| unknown)?;
        Some((store.by, store.at, store.moment))
    });
    if let Some((ThreadId(by), at, moment)) = unknown {
        let publisher = if by == 0 { "main".to_owned() } else { format!("thread {by}") };
        rt::data_race(
            format!(
                "data race on the {what} created at {created}: it is used by a thread that found its address in an \
                 AtomicPtr, but nothing orders this use after its creation, by {publisher}, which stored the address at \
                 {at}; the store must be a release and the read an acquire"
            ),
            at,
            moment,
        );
    }
}

/// The memory at this address is freed: what was published there is gone.
pub(crate) fn forget(address: usize) {
    PUBLISHED.with_borrow_mut(|published| {
        if let Some((start, _)) = published.covering(address) {
            published.by_address.remove(&start);
        }
    });
}
