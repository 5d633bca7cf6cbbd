//! The runs so far, to be marked again under higher bounds without being run: of each what differs from the one before.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::delta::Delta;

/// Runs in the order in which they ran.
#[derive(Default)]
pub(super) struct Log {
    deltas: Vec<Rc<Delta>>,
    ids: FxHashMap<Rc<Delta>, u32>,
    /// For each run: deltas shared with the run before, deltas of its own, whether it was aborted, and those deltas.
    words: Vec<u32>,
}

/// A run of the log.
pub(super) struct Logged<'a> {
    /// Deltas that it shares with the run before.
    pub(super) shared: usize,
    pub(super) aborted: bool,
    own: &'a [u32],
    deltas: &'a [Rc<Delta>],
    /// Where the next one begins.
    pub(super) end: usize,
}

impl Logged<'_> {
    /// Its other deltas.
    pub(super) fn own(&self) -> impl Iterator<Item = &Delta> {
        self.own.iter().map(|&id| &*self.deltas[id as usize])
    }
}

impl Log {
    pub(super) fn add(&mut self, shared: usize, own: &[Delta], aborted: bool) {
        self.words.extend([shared as u32, own.len() as u32, aborted.into()]);
        for delta in own {
            let id = match self.ids.get(delta) {
                Some(&id) => id,
                None => {
                    let rc = Rc::new(delta.clone());
                    self.deltas.push(rc.clone());
                    self.ids.insert(rc, self.deltas.len() as u32 - 1);
                    self.deltas.len() as u32 - 1
                }
            };
            self.words.push(id);
        }
    }

    /// Where a run that is added now would begin.
    pub(super) fn end(&self) -> usize {
        self.words.len()
    }

    /// The run that begins at `at`.
    pub(super) fn run(&self, at: usize) -> Logged<'_> {
        let [shared, length, aborted] = [0, 1, 2].map(|i| self.words[at + i]);
        let end = at + 3 + length as usize;
        let (own, deltas) = (&self.words[at + 3..end], &self.deltas[..]);
        Logged { shared: shared as usize, aborted: aborted != 0, own, deltas, end }
    }

    /// Bytes in use, about.
    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u32>()
    }

    pub(super) fn clear(&mut self) {
        self.deltas.clear();
        self.ids.clear();
        self.words.clear();
    }
}
