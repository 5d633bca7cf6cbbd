//! What a plain search has stored and what waits in it, as keys: a packed search continues there. Marks, findings, layers and
//! statistics are those of the plain search, so that nothing is explored or reported twice.

use selvedge_core::ThreadId;
use selvedge_machine::Hints;

use super::codes::Key;
use super::exhaustive::PackedWhole;
use super::group::Group;
use super::layered::{ALL, FORCED, GATHERED, PackedLayers, THREAD, VOLUNTARY, gathered, taken, up};
use super::queue::{Tag, Waiting};
use super::relay::Packed;
use super::remembered::{Halt, Remembered};
use super::table::hash;
use crate::ample::Open;
use crate::exhaustive::{Exhaustive, Order};
use crate::layered::{Layered, Switch, Work};
use crate::path;
use crate::store::{StateId, Store};

/// A packed search that takes over states.
trait Packs<'a, M: Hints + 'a>: Packed {
    fn steps(&mut self) -> &mut Remembered<'a, M>;

    /// The key of a state. Where its codes do not fit, all keys move.
    fn key_of(&mut self, state: &[u8]) -> Result<Key, Halt> {
        loop {
            match self.steps().pack(state) {
                Some(key) => return Ok(key),
                None => self.widen()?,
            }
        }
    }

    /// Takes over every stored state, in the order in which it was met.
    fn take_states(&mut self, from: &Store, mut take: impl FnMut(&mut Self, StateId, Key)) -> Result<(), Halt> {
        let mut state = Vec::new();
        for id in from.ids() {
            from.get(id, &mut state);
            let key = self.key_of(&state)?;
            take(self, id, key);
        }
        Ok(())
    }
}

impl<'a, M: Hints> Packs<'a, M> for PackedLayers<'a, M> {
    fn steps(&mut self) -> &mut Remembered<'a, M> {
        &mut self.steps
    }
}

impl<'a, M: Hints> Packs<'a, M> for PackedWhole<'a, M> {
    fn steps(&mut self) -> &mut Remembered<'a, M> {
        &mut self.steps
    }
}

impl<'a, M: Hints> PackedLayers<'a, M> {
    /// Goes on where a plain search is; `None` if that is impossible.
    pub(crate) fn continuing(mut self, from: &Layered<'a, M, Store>) -> Option<Self> {
        let store = &from.memory;
        let take = |search: &mut Self, id: StateId, key: Key| {
            let marks = marks(store, id);
            let (seat, _) = search.table.insert(hash(key), key);
            search.table.set_marks(seat, marks);
        };
        self.take_states(store, take).ok()?;
        self.take_waiting(from).ok()?;
        self.progress.continue_from(&from.progress);
        Some(self)
    }

    fn take_waiting(&mut self, from: &Layered<'a, M, Store>) -> Result<(), Halt> {
        // The initial state.
        self.work.pop();
        let mut state = Vec::new();
        let mut waiting = |id: StateId, depth: u32, tag: Tag| {
            from.memory.get(id, &mut state);
            // Every stored state has its codes, so that nothing moves.
            let key = self.steps.pack(&state).ok_or(Halt::GiveUp)?;
            Ok(Waiting { key, depth, tag })
        };
        for (id, depth) in from.layer_seeds.as_slice() {
            self.seeds.push(waiting(*id, *depth, VOLUNTARY)?);
        }
        for (id, depth) in &from.next_layer {
            self.next_layer.push(waiting(*id, *depth, VOLUNTARY)?);
        }
        for work in &from.work {
            self.work.push(match work {
                Work::Own { at, thread: None, depth } => waiting(*at, *depth, GATHERED)?,
                Work::Own { at, thread: Some(ThreadId(thread)), depth } => {
                    waiting(*at, *depth, THREAD + *thread as Tag)?
                }
                Work::Others { at, depth, switch: Switch::Forced } => waiting(*at, *depth, FORCED)?,
                Work::Others { at, depth, switch: Switch::Voluntary } => waiting(*at, *depth, VOLUNTARY)?,
                Work::Others { switch: Switch::Stutter, .. } => return Err(Halt::GiveUp),
            });
        }
        Ok(())
    }
}

/// The marks of a state as the table has them.
fn marks(store: &Store, id: StateId) -> u64 {
    if store.all_marked(id) {
        return ALL;
    }
    let (of_taken, of_gathered) = store.mark_bits(id);
    let marks = up(of_taken.into()).fold(0, |marks, thread| marks | taken(thread));
    up(of_gathered.into()).fold(marks, |marks, thread| marks | gathered(thread))
}

impl<'a, M: Hints> PackedWhole<'a, M> {
    /// Goes on where a plain search is; `None` if that is impossible.
    pub(crate) fn continuing(mut self, from: &Exhaustive<'a, M>) -> Option<Self> {
        let take = |search: &mut Self, _, key: Key| {
            search.table.insert(hash(key), key);
        };
        self.take_states(&from.store, take).ok()?;
        match self.options.order {
            Order::BreadthFirst => self.take_queue(from).ok()?,
            Order::DepthFirst => self.take_stack(from).ok()?,
        }
        self.progress.continue_from(&from.progress);
        self.payoff = from.payoff.clone();
        self.group = Group::default();
        self.started = true;
        Some(self)
    }

    fn take_queue(&mut self, from: &Exhaustive<'a, M>) -> Result<(), Halt> {
        let mut state = Vec::new();
        for unexpanded in &from.queue {
            if unexpanded.stutter {
                return Err(Halt::GiveUp);
            }
            from.store.get(unexpanded.id, &mut state);
            let key = self.key_of(&state)?;
            self.waiting.push(Waiting { key, depth: unexpanded.depth, tag: 0 });
        }
        Ok(())
    }

    /// What waits was not compared with what is stored, so that it may have new codes.
    fn take_stack(&mut self, from: &Exhaustive<'a, M>) -> Result<(), Halt> {
        let mut state = Vec::new();
        for (entry, encoded) in from.pending.all() {
            if entry.stutter {
                return Err(Halt::GiveUp);
            }
            from.store.decode(encoded, &mut state);
            let key = self.key_of(&state)?;
            self.waiting.push(Waiting { key, depth: entry.depth, tag: 0 });
        }
        let Some((next, _)) = from.pending.top() else { return Ok(()) };
        let mut path = Vec::new();
        // The states of the path are stored and have their codes, so that no key moves meanwhile.
        for id in path::chain(&from.store, next.parent) {
            from.store.get(id, &mut state);
            path.push(self.key_of(&state)?);
        }
        self.open = Open::on(path);
        Ok(())
    }
}
