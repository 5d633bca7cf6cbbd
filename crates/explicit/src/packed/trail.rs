//! The run to a state that a packed search has met. No parents are stored. Instead the search is repeated up to that state, and
//! this time every state is labelled with the number of its discovery, by which its parent is noted: the state from which
//! it was first reached.

use selvedge_machine::{Hints, Path};

use super::remembered::Remembered;
use super::table::{Label, Seat, Table, hash};
use crate::path;

/// The parents of the states met so far, by label. The parent of the first one is itself.
#[derive(Default)]
pub(crate) struct Trail {
    parents: Vec<Label>,
}

impl Trail {
    /// A state is new; it was reached from `parent`.
    pub fn add(&mut self, table: &mut Table, seat: Seat, parent: Label) {
        table.set_label(seat, self.parents.len() as Label);
        self.parents.push(parent);
    }

    /// The run to a state that was met.
    pub fn run<M: Hints>(&self, target: &[u8], table: &Table, steps: &mut Remembered<'_, M>) -> Option<Path> {
        let key = steps.pack(target)?;
        let mut chain = vec![table.label(table.find(hash(key), key)?)];
        while let Some(last) = chain.last().filter(|last| **last != 0) {
            chain.push(*self.parents.get(*last as usize)?);
        }
        chain.reverse();
        let mut keys = vec![0; chain.len()];
        for (key, label) in table.labelled() {
            // Labels grow along the chain.
            if let Ok(index) = chain.binary_search(&label) {
                keys[index] = key;
            }
        }
        let states = keys.into_iter().map(|key| {
            let mut state = Vec::new();
            steps.unpack(key, &mut state);
            state
        });
        let states: Vec<Vec<u8>> = states.collect();
        Some(path::through(steps.machine(), &states))
    }
}
