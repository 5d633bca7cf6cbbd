//! The run to a state that a packed search has reached. No parents are stored. Instead the search is repeated up to
//! that state, and this time every state is labelled with its discovery number, under which its parent is stored: the
//! state from which it was first reached.

use selvedge_machine::{Fault, Hints, Path, PathStep};

use super::codes::Key;
use super::relay::Packed;
use super::remembered::{Halt, Remembered};
use super::table::{Label, Seat, Table, hash};
use crate::path;
use crate::search::Progress;

/// The parents of the states met so far, by label. The parent of the first one is itself.
#[derive(Default)]
pub(crate) struct Trail {
    parents: Vec<Label>,
}

impl Trail {
    /// A state is new; it was reached from `parent`.
    pub(super) fn add(&mut self, table: &mut Table, seat: Seat, parent: Label) {
        table.set_label(seat, self.parents.len() as Label);
        self.parents.push(parent);
    }

    /// The run to a state that was met.
    pub(super) fn run<M: Hints>(&self, target: &[u8], table: &Table, steps: &mut Remembered<'_, M>) -> Option<Path> {
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

/// What every packed search has.
pub(super) struct Parts<'s, 'a, M: Hints> {
    pub progress: &'s mut Progress<'a>,
    pub steps: &'s mut Remembered<'a, M>,
    pub table: &'s mut Table,
    /// The parents of states, while the run to one of them is looked for.
    pub trail: &'s mut Option<Trail>,
}

/// A packed search that reports violations with their runs.
pub(super) trait Repeatable<'a, M: Hints + 'a>: Packed + Sized {
    fn parts(&mut self) -> Parts<'_, 'a, M>;

    /// Bits of the marks of a state in the table.
    fn mark_bits(&self) -> u32;

    /// Every violation is shown with its run.
    fn shows_all(&self) -> bool;

    /// The run to the state being expanded.
    fn run_to(&mut self, key: Key) -> Result<Path, Halt>;

    /// Notes a violation that is met from a state by some steps. Where every violation is shown with its run, or
    /// states have hidden bytes, that is left to the search without packing.
    fn report(&mut self, key: Key, fault: &Fault, steps: Vec<PathStep>) -> Result<(), Halt> {
        let shows_all = self.shows_all();
        let Parts { progress, steps: remembered, trail, .. } = self.parts();
        if trail.is_some() {
            return Ok(());
        }
        if shows_all || remembered.machine().hidden_prefix() > 0 {
            return Err(Halt::GiveUp);
        }
        let mut path = Path::default();
        if progress.findings.list.is_empty() {
            // The search is repeated, and a limit may end that.
            progress.watch.budget.note_found(&fault.message);
            path = self.run_to(key)?;
            path.steps.extend(steps);
        }
        self.parts().progress.violation(fault, || path);
        Ok(())
    }

    /// Reports a state in which every thread is blocked, if ending there is wrong.
    fn report_end(&mut self, key: Key) -> Result<(), Halt> {
        let steps = self.parts().steps;
        let mut state = Vec::new();
        steps.unpack(key, &mut state);
        let fault = steps.machine().end_fault(&state);
        fault.map_or(Ok(()), |fault| self.report(key, &fault, Vec::new()))
    }

    /// The search at its start, with parents.
    fn with_parents(mut self) -> Option<Self> {
        let marks = self.mark_bits();
        let Parts { steps, table, trail, .. } = self.parts();
        *table = Table::new(steps.codes.bits(), marks).and_then(Table::with_labels).ok()?;
        let (seat, _) = table.insert(hash(0), 0);
        trail.insert(Trail::default()).add(table, seat, 0);
        Some(self)
    }
}

/// The run to a state among the first `states` that a search has met, by the same search again, which is at its start.
pub(super) fn run_by<'a, M: Hints + 'a, S: Repeatable<'a, M>>(
    again: Option<S>,
    target: &[u8],
    states: usize,
) -> Result<Path, Halt> {
    let mut again = again.and_then(S::with_parents).ok_or(Halt::GiveUp)?;
    while again.parts().table.len() < states {
        again.advance().map_err(Halt::in_the_middle)?;
    }
    let Parts { trail, table, steps, .. } = again.parts();
    trail.as_ref().and_then(|trail| trail.run(target, table, steps)).ok_or(Halt::GiveUp)
}
