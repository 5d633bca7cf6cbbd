//! Ample sets ([`crate::ample`]) on packed states: the same choice. Whether the steps of a thread are safe usually
//! follows from the locations of each two threads
//! ([`Traced::is_safe_beside`](selvedge_machine::Traced::is_safe_beside)), which is remembered; otherwise the machine
//! decides.

use rustc_hash::FxHashMap;
use selvedge_core::ThreadId;
use selvedge_machine::{Hints, Traced};

use super::codes::{Codes, Key};
use super::group::Group;
use super::remembered::{Halt, Remembered};
use crate::ample::{OwnSteps, youngest};

/// Whether a thread keeps the steps of another one from being safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Safety {
    #[default]
    Unknown,
    Safe,
    Unsafe,
    /// The state decides.
    Depends,
}

/// Where threads stand, as small numbers, and what follows from it.
#[derive(Default)]
pub(crate) struct Positions {
    /// For each thread by the code of its part: a number plus one, 0 if it is not known.
    by_code: Vec<Vec<u32>>,
    numbers: FxHashMap<u32, u32>,
    /// The machine's own name of each.
    names: Vec<u32>,
    /// For each two.
    safety: Vec<Vec<Safety>>,
}

impl Positions {
    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let codes: usize = self.by_code.iter().map(|codes| codes.len() * size_of::<u32>()).sum();
        (codes + self.safety.iter().map(Vec::len).sum::<usize>()) as u64
    }

    /// Where a thread stands.
    #[inline]
    fn of(&mut self, thread: usize, key: Key, codes: &Codes, tracer: &dyn Traced) -> usize {
        let part = codes.thread_part(thread);
        let code = codes.field(part).get(key) as usize;
        match self.by_code.get(thread).and_then(|known| known.get(code)) {
            Some(number) if *number > 0 => *number as usize - 1,
            _ => self.add(thread, code, tracer.position(codes.value(part, code))),
        }
    }

    #[cold]
    fn add(&mut self, thread: usize, code: usize, name: u32) -> usize {
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.names.push(name);
            self.safety.push(Vec::new());
        }
        if self.by_code.len() <= thread {
            self.by_code.resize(thread + 1, Vec::new());
        }
        let known = &mut self.by_code[thread];
        known.resize(known.len().max(code + 1), 0);
        known[code] = number + 1;
        number as usize
    }

    #[inline]
    fn safety(&mut self, own: usize, other: usize, tracer: &dyn Traced) -> Safety {
        match self.safety[own].get(other) {
            Some(known) if *known != Safety::Unknown => *known,
            _ => {
                let found = match tracer.is_safe_beside(self.names[own], self.names[other]) {
                    Some(true) => Safety::Safe,
                    Some(false) => Safety::Unsafe,
                    None => Safety::Depends,
                };
                let row = &mut self.safety[own];
                row.resize(row.len().max(other + 1), Safety::Unknown);
                row[other] = found;
                found
            }
        }
    }

    /// Whether the steps of a thread are safe ([`Hints::is_safe`]); `None` if that does not follow from where threads stand.
    pub(super) fn is_safe(&mut self, key: Key, thread: usize, codes: &Codes, tracer: &dyn Traced) -> Option<bool> {
        let own = self.of(thread, key, codes, tracer);
        let mut answer = Some(true);
        for other in (0..codes.thread_count(key)).filter(|other| *other != thread) {
            let other = self.of(other, key, codes, tracer);
            match self.safety(own, other, tracer) {
                Safety::Unsafe => return Some(false),
                Safety::Depends => answer = None,
                Safety::Safe | Safety::Unknown => {}
            }
        }
        answer
    }
}

/// See [`crate::ample::choose`]. `group` has the state first.
pub(crate) fn choose<M: Hints>(
    key: Key,
    is_open: impl Fn(Key) -> bool,
    group: &mut Group,
    steps: &mut Remembered<'_, M>,
) -> Result<Option<ThreadId>, Halt> {
    youngest(steps.codes.thread_count(key) as u32, |ThreadId(thread)| {
        let thread = thread as usize;
        if !steps.is_safe(key, thread) {
            return Ok(None);
        }
        let mut own = OwnSteps::default();
        let found = group.ensure(thread, steps)?;
        if found.moved.faulty {
            let all = steps.faulty_transitions(key, thread)?;
            all.iter().for_each(|(_, reached)| own.add(reached.map(|reached| is_open(reached.key))));
        } else {
            found.range().for_each(|index| own.add(Some(is_open(group.reached(index).key))));
        }
        Ok(Some(own))
    })
}
