//! Schedules at random: every choice uniformly among the enabled threads, or by priorities that
//! drop at a few random points ([PCT]), which finds a bug of depth d in n threads and k
//! steps with probability at least 1/(n·k^(d-1)).

use selvedge_core::Chance;

use crate::ThreadId;
use crate::state::State;
use crate::strategy::{Decision, Ended, Next, Strategy, View};

/// The choices of one execution: the same seed gives the same schedules everywhere.
pub(super) struct Random(Chance);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(Chance::new(crate::hash::mix(seed)))
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0.below(n as usize) as u64
    }
}

/// Counts executions and seeds each of them.
struct Rounds {
    seed: u64,
    left: u64,
    random: Random,
}

impl Rounds {
    fn new(seed: u64, executions: u64) -> Rounds {
        Rounds { seed, left: executions, random: Random::new(seed) }
    }

    fn next(&mut self) -> Next {
        if self.left == 0 {
            return Next::Done { every_bound: false };
        }
        self.left -= 1;
        self.random = Random::new(self.seed);
        self.seed = self.seed.wrapping_add(1);
        Next::Run
    }
}

/// Uniform choices.
pub(crate) struct Uniform(Rounds);

impl Uniform {
    pub(crate) fn new(seed: u64, executions: u64) -> Uniform {
        Uniform(Rounds::new(seed, executions))
    }
}

impl Strategy for Uniform {
    fn next(&mut self) -> Next {
        self.0.next()
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        let random = &mut self.0.random;
        let n = view.candidates.iter().count() as u64;
        let index = random.below(n) as usize;
        let thread = view.candidates.iter().nth(index).expect("internal error: an index below the count");
        Decision::Go(thread, random.below(view.state.arity(thread).into()) as u32)
    }

    fn end(&mut self, _: &State, _: Ended) {}
}

/// A walk that takes each schedule with about the same chance: a thread is chosen in proportion to the steps it has left, as
/// many as it made at the most in the runs before (\[URW\], its first part). (Choices that are uniform at each step favour schedules in which
/// short threads end early.)
pub(crate) struct UniformWalk {
    rounds: Rounds,
    /// For each thread the most steps it made in a run.
    lengths: Vec<u32>,
}

impl UniformWalk {
    pub(crate) fn new(seed: u64, executions: u64) -> UniformWalk {
        UniformWalk { rounds: Rounds::new(seed, executions), lengths: Vec::new() }
    }

    /// Steps that a thread has left, as far as is known; at least one.
    fn left(&self, view: &View<'_>, thread: ThreadId) -> u64 {
        let length = self.lengths.get(thread.index()).copied().unwrap_or(1);
        length.saturating_sub(view.state.threads()[thread.index()].steps).max(1).into()
    }
}

impl Strategy for UniformWalk {
    fn next(&mut self) -> Next {
        self.rounds.next()
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        let total = view.candidates.iter().map(|t| self.left(view, t)).sum();
        let mut index = self.rounds.random.below(total);
        let chosen = view.candidates.iter().find(|&t| {
            let left = self.left(view, t);
            let here = index < left;
            index = index.saturating_sub(left);
            here
        });
        let thread = chosen.expect("internal error: an index below the sum");
        Decision::Go(thread, self.rounds.random.below(view.state.arity(thread).into()) as u32)
    }

    fn end(&mut self, state: &State, _: Ended) {
        let threads = state.threads();
        self.lengths.resize(self.lengths.len().max(threads.len()), 1);
        self.lengths.iter_mut().zip(threads).for_each(|(length, thread)| *length = (*length).max(thread.steps));
    }
}

/// Priorities.
pub(crate) struct Pct {
    rounds: Rounds,
    depth: u32,
    /// The longest run so far: change points are drawn below it.
    longest: u64,
    /// Steps at which the running thread's priority drops.
    changes: Vec<u64>,
    /// Per thread; higher goes first.
    priorities: Vec<u64>,
    lowest: u64,
}

/// Priorities given at birth are above, those after a change point below.
const BIRTH: u64 = 1 << 63;

impl Pct {
    pub(crate) fn new(seed: u64, depth: u32, executions: u64) -> Pct {
        let rounds = Rounds::new(seed, executions);
        Pct { rounds, depth, longest: 16, changes: Vec::new(), priorities: Vec::new(), lowest: BIRTH - 1 }
    }

    fn drop_priority(&mut self, thread: ThreadId) {
        self.priorities[thread.index()] = self.lowest;
        self.lowest -= 1;
    }
}

impl Strategy for Pct {
    fn next(&mut self) -> Next {
        let next = self.rounds.next();
        self.priorities.clear();
        self.lowest = BIRTH - 1;
        self.changes.clear();
        for _ in 1..self.depth {
            self.changes.push(self.rounds.random.below(self.longest));
        }
        next
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        while self.priorities.len() < view.state.threads().len() {
            self.priorities.push(BIRTH | self.rounds.random.0.draw());
        }
        let step = view.depth() as u64;
        let last = view.last.0;
        // A thread that yields goes behind all others: priorities alone would let it spin for ever.
        if view.state.threads()[last.index()].yielded || self.changes.contains(&step) {
            self.drop_priority(last);
        }
        let priority = |t: &ThreadId| self.priorities[t.index()];
        let thread = view.candidates.iter().max_by_key(priority).expect("internal error: a thread is enabled");
        Decision::Go(thread, self.rounds.random.below(view.state.arity(thread).into()) as u32)
    }

    fn end(&mut self, state: &State, _: Ended) {
        self.longest = self.longest.max(state.steps.len() as u64);
    }
}
