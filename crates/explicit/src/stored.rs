//! The states of a finished search with an exact store, for the recheck of the search: whether a state was reached, and
//! at which least cost.
//!
//! The layered search stores a state in the layer of its least cost, and the store never moves a state. So the layer of
//! a state is known from its position and from where the store ended when each layer was complete.

use crate::store::{StateId, Store};

/// The states of a finished search.
pub struct Stored {
    store: Store,
    /// Where the store ended when each layer was complete; empty where the search counts nothing.
    ends: Vec<StateId>,
}

impl Stored {
    pub(crate) fn new(store: Store, ends: Vec<StateId>) -> Self {
        Stored { store, ends }
    }

    /// The least cost at which a state was reached, 0 where the search counts nothing; `None` if it was not reached.
    pub fn least_cost(&self, state: &[u8]) -> Option<u32> {
        let id = self.store.find(state, &mut Vec::new())?;
        Some(self.ends.partition_point(|end| *end <= id) as u32)
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.store.bytes()
    }
}

impl std::fmt::Debug for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stored").field("states", &self.store.len()).field("layers", &self.ends.len()).finish()
    }
}
