//! Partial-order reduction of the searches without a bound: the steps of one thread stand for those
//! of all threads, where the machine calls them safe ([`selvedge_machine::Hints::is_safe`]) and the search cannot
//! postpone the others forever.
//!
//! What must hold, so that every end of a run, every failed assertion and every fault is still found
//! (the conditions C0 to C3 of ample sets): the thread has a step, and all its steps can be completed;
//! safe steps are independent of everybody else's and invisible; and not every state of a cycle is
//! reduced. For the last: depth-first, no step of the thread leads to a state on the current path;
//! breadth-first, at least one leads to a state that is new.

use std::collections::hash_map::Entry;
use std::convert::Infallible;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use selvedge_core::ThreadId;
use selvedge_machine::{ExpandBuffers, Hints, Threads, expand_threads};

/// The states on the current path of a depth-first search, whole: for searches whose store cannot tell whether a state is on
/// the path.
#[derive(Default)]
pub(crate) struct OpenPath {
    hidden: usize,
    states: Vec<Box<[u8]>>,
    set: FxHashSet<Box<[u8]>>,
    bytes: u64,
}

impl OpenPath {
    /// An empty path of states whose first `hidden` bytes do not count.
    pub(crate) fn new(hidden: usize) -> Self {
        OpenPath { hidden, ..OpenPath::default() }
    }

    /// The path goes on with this state.
    pub(crate) fn push(&mut self, state: &[u8]) {
        let state = &state[self.hidden..];
        self.bytes += 2 * state.len() as u64;
        self.states.push(state.into());
        self.set.insert(state.into());
    }

    /// The path goes back by one state.
    pub(crate) fn pop(&mut self) {
        if let Some(left) = self.states.pop() {
            self.bytes -= 2 * left.len() as u64;
            self.set.remove(&left);
        }
    }

    /// Whether the state is on the path.
    pub(crate) fn contains(&self, state: &[u8]) -> bool {
        self.set.contains(&state[self.hidden..])
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes + (self.states.capacity() + 2 * self.set.capacity()) as u64 * size_of::<Box<[u8]>>() as u64
    }
}

/// The states on the current path for a search that asks about many states of which few are on it; `T` stands for a state.
pub(crate) struct Open<T> {
    path: Vec<T>,
    /// How often each state is on the path, while somebody asks for it.
    count: FxHashMap<T, u32>,
    asked: bool,
}

impl<T> Default for Open<T> {
    fn default() -> Self {
        Open { path: Vec::new(), count: FxHashMap::default(), asked: false }
    }
}

impl<T: Copy + Eq + Hash> Open<T> {
    /// The path goes on with this state at this depth; what was at this depth or below is left. `asked` says whether
    /// [`Open::contains`] will be called before the next state is entered.
    pub(crate) fn enter(&mut self, depth: u32, entered: T, asked: bool) {
        let kept = (depth as usize).min(self.path.len());
        if self.asked && asked {
            self.path[kept..].iter().for_each(|left| leave(&mut self.count, *left));
        }
        self.path.truncate(kept);
        self.path.push(entered);
        if asked && !self.asked {
            self.count.clear();
            self.path.iter().for_each(|open| *self.count.entry(*open).or_default() += 1);
        } else if asked {
            *self.count.entry(entered).or_default() += 1;
        }
        self.asked = asked;
    }

    /// The path is this one, and nobody has asked yet.
    pub(crate) fn on(path: Vec<T>) -> Self {
        Open { path, ..Open::default() }
    }

    /// Whether the state is on the path.
    pub(crate) fn contains(&self, state: T) -> bool {
        self.count.contains_key(&state)
    }

    /// The states on the path, the first one first.
    pub(crate) fn path(&self) -> &[T] {
        &self.path
    }

    /// Replaces every state; `new` must not map two states to one.
    pub(crate) fn rename(&mut self, new: impl Fn(T) -> T) {
        self.path.iter_mut().for_each(|state| *state = new(*state));
        self.count = self.count.drain().map(|(state, count)| (new(state), count)).collect();
    }

    /// Bytes held, without what the path has in reserve, which is not touched.
    pub(crate) fn bytes(&self) -> u64 {
        (self.path.len() * size_of::<T>() + 2 * self.count.capacity() * size_of::<(T, u32)>()) as u64
    }
}

/// The same by fingerprints. Two states with the same fingerprint are taken for one, which makes a search expand a state in full
/// where it need not.
#[derive(Default)]
pub(crate) struct OpenStates {
    hidden: usize,
    open: Open<u64>,
}

impl OpenStates {
    /// An empty path of states whose first `hidden` bytes do not count.
    pub(crate) fn new(hidden: usize) -> Self {
        OpenStates { hidden, ..OpenStates::default() }
    }

    /// See [`Open::enter`].
    pub(crate) fn enter(&mut self, depth: u32, state: &[u8], asked: bool) {
        self.open.enter(depth, self.fingerprint(state), asked);
    }

    /// Whether the state is on the path.
    pub(crate) fn contains(&self, state: &[u8]) -> bool {
        self.open.contains(self.fingerprint(state))
    }

    fn fingerprint(&self, state: &[u8]) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(&state[self.hidden..]);
        hasher.finish()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        self.open.bytes()
    }
}

/// A state is no longer on the path.
fn leave<T: Copy + Eq + Hash>(count: &mut FxHashMap<T, u32>, state: T) {
    if let Entry::Occupied(mut entry) = count.entry(state) {
        *entry.get_mut() -= 1;
        if *entry.get() == 0 {
            entry.remove();
        }
    }
}

/// Whether it pays to look for a thread whose steps stand for all. In many models that hardly ever succeeds, and asking
/// costs more than it saves. So after a number of questions of which few were answered, states are expanded in full for
/// a while, and for longer each time.
#[derive(Clone)]
pub(crate) struct Payoff {
    asked: u32,
    answered: u32,
    pause: u32,
    next_pause: u32,
}

/// Questions after which their answers are counted.
const WINDOW: u32 = 2_000;
/// It pays if one question in this many is answered.
const RARE: u32 = 50;
const SHORTEST_PAUSE: u32 = 4 * WINDOW;
const LONGEST_PAUSE: u32 = 256 * WINDOW;

impl Default for Payoff {
    fn default() -> Self {
        Payoff { asked: 0, answered: 0, pause: 0, next_pause: SHORTEST_PAUSE }
    }
}

impl Payoff {
    /// Whether [`Payoff::asks`] will say so.
    pub(crate) fn will_ask(&self) -> bool {
        self.pause == 0
    }

    /// Called for each state; whether to ask.
    pub(crate) fn asks(&mut self) -> bool {
        let asks = self.will_ask();
        self.pause = self.pause.saturating_sub(1);
        asks
    }

    /// What came of a question.
    pub(crate) fn learn(&mut self, answered: bool) {
        self.asked += 1;
        self.answered += u32::from(answered);
        if self.asked < WINDOW {
            return;
        }
        if self.answered * RARE < self.asked {
            self.pause = self.next_pause;
            self.next_pause = (2 * self.next_pause).min(LONGEST_PAUSE);
        } else {
            self.next_pause = SHORTEST_PAUSE;
        }
        (self.asked, self.answered) = (0, 0);
    }
}

/// The steps of one thread, as far as the choice depends on them.
#[derive(Default)]
pub(crate) struct OwnSteps {
    some: bool,
    refused: bool,
}

impl OwnSteps {
    /// A step leads to a state that is on the current path or is not; `None` if it cannot be completed.
    #[inline]
    pub(crate) fn add(&mut self, to_path: Option<bool>) {
        self.some = true;
        self.refused |= to_path.unwrap_or(true);
    }
}

/// The choice of every search: of at least two threads the youngest one whose steps may stand for all. It has some, all of
/// them can be completed, and none leads to a state on the path. `own_steps` executes the steps of a thread, unless they
/// are not safe.
#[inline]
pub(crate) fn youngest<E>(
    threads: u32,
    mut own_steps: impl FnMut(ThreadId) -> Result<Option<OwnSteps>, E>,
) -> Result<Option<ThreadId>, E> {
    for thread in (0..threads).rev().filter(|_| threads > 1).map(ThreadId) {
        if own_steps(thread)?.is_some_and(|steps| steps.some && !steps.refused) {
            return Ok(Some(thread));
        }
    }
    Ok(None)
}

/// The same in a state of a machine.
pub(crate) fn choose<M: Hints>(
    machine: &M,
    state: &[u8],
    is_open: &mut dyn FnMut(&[u8]) -> bool,
    buffers: &mut ExpandBuffers<M>,
) -> Option<ThreadId> {
    let Ok(chosen) = youngest::<Infallible>(machine.thread_count(state), |thread| {
        if !machine.is_safe(state, thread) {
            return Ok(None);
        }
        let mut steps = OwnSteps::default();
        expand_threads(machine, state, &Threads::only(thread), buffers, &mut |arrival| {
            if arrival.thread() == Some(thread) {
                steps.add(arrival.state.map(&mut *is_open));
            }
        });
        Ok(Some(steps))
    });
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_where_answers_are_rare_and_asks_again() {
        let mut payoff = Payoff::default();
        let mut questions = |states: u32, answered: bool| {
            (0..states).filter(|_| payoff.asks().then(|| payoff.learn(answered)).is_some()).count() as u32
        };
        assert_eq!(questions(10 * WINDOW, true), 10 * WINDOW, "asks on while it pays");
        assert_eq!(questions(WINDOW + SHORTEST_PAUSE, false), WINDOW);
        assert_eq!(questions(WINDOW + 2 * SHORTEST_PAUSE, false), WINDOW, "a longer pause the second time");
        assert_eq!(questions(10 * WINDOW, true), 10 * WINDOW, "asks again, and goes on if it pays");
        assert_eq!(questions(WINDOW + SHORTEST_PAUSE, false), WINDOW, "a short pause again");
    }

    #[test]
    fn the_open_states_are_those_of_the_path_whoever_asked_before() {
        let mut chance = selvedge_core::Chance::new(7);
        let mut open = OpenStates::new(1);
        let mut path: Vec<u32> = Vec::new();
        // The first byte does not count; a state may be on the path twice.
        let state = |number: u32, hidden: u8| [hidden, number as u8, (number >> 8) as u8];
        for step in 0..5_000 {
            let number = chance.below(200) as u32;
            let depth = chance.below(path.len() + 1);
            path.truncate(depth);
            path.push(number);
            let asked = chance.below(3) > 0;
            open.enter(depth as u32, &state(number, step as u8), asked);
            if asked {
                let expected: Vec<bool> = (0..200).map(|number| path.contains(&number)).collect();
                let found: Vec<bool> = (0..200).map(|number| open.contains(&state(number, 0))).collect();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn the_path_holds_each_state_twice() {
        let mut open = OpenPath::new(1);
        let state = |i: u32| [i as u8, i as u8, (i >> 8) as u8];
        (0..1_792).for_each(|i| open.push(&state(i)));
        let least = 1_792 * 2 * (2 + size_of::<Box<[u8]>>() as u64);
        assert!((least..3 * least).contains(&open.bytes()), "{} {least}", open.bytes());
        assert!(open.contains(&[99, 1, 1]) && !open.contains(&[99, 1, 99]));
        (1..1_792).for_each(|_| open.pop());
        open.push(&state(7));
        assert!(open.contains(&state(0)) && open.contains(&state(7)) && !open.contains(&state(1)));
    }
}
