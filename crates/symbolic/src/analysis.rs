//! The one way in: a program, a method and limits in, an outcome out. Rounds are analysed one after the
//! other, each building on the one before; the first violation ends the analysis, so that it is one with the
//! fewest rounds.
//!
//! When does it end without a violation? At the bound that was asked for; with a proof for every
//! bound, from the thread-modular upper bound or because there is one thread only; or when
//! [`MOST_UNCHANGED_ROUNDS`] rounds in a row reached no new shared state. The last is no proof, and the outcome
//! says so: a thread can need more rounds to bring its locals into the state in which it does harm.

use std::collections::BTreeSet;

use selvedge_boolprog::concretize::Move;
use selvedge_boolprog::program::Program;
use selvedge_core::{Budget, Event, Observer, StopReason};

use crate::bdd::{Bdd, BddStats, Limited, Tables};
use crate::eager::Eager;
use crate::encode::{Encoding, Locals};
use crate::interface::Shared;
use crate::lazy::{Hit, Lazy};
use crate::modular::{UpperBound, upper_bound};
use crate::pds::frames::{Frames, TooLarge};
use crate::pds::reduce;
use crate::pds::spds;
use crate::start::Start;
use crate::thread::Goal;
use crate::witness;

/// How to analyse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// \[LR\] Section 6: only what the threads really hand to each other.
    #[default]
    Lazy,
    /// \[LR\] Section 3.2: every guess, checked in the end.
    Eager,
    /// \[LR\] Section 4: one pushdown system, state by state.
    Pds,
    /// \[LR\] Section 5: one symbolic pushdown system.
    Spds,
}

/// What to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How.
    pub method: Method,
    /// Rounds to analyse; without it, one after the other.
    pub rounds: Option<u32>,
    /// Where going from one to the next ends.
    pub max_rounds: Option<u32>,
    /// Go on behind a violation, so that the figures are complete.
    pub keep_going: bool,
    /// Look for states in which every thread is stuck.
    pub deadlock: bool,
    /// List at most so many shared states.
    pub list_shared: usize,
}

/// Rounds without a new shared state after which going on is given up.
pub const MOST_UNCHANGED_ROUNDS: u32 = 2;

/// Figures of one round.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Its number, from 1.
    pub number: u32,
    /// Shared states reached up to it.
    pub shared: f64,
    /// Of these, how many the round before had not reached.
    pub new_shared: f64,
    /// Operations on diagrams (or transitions of the automaton) up to it.
    pub operations: u64,
    /// Seconds since the start.
    pub seconds: f64,
}

/// Why the answer is one for every bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// There is one thread: no switch can happen.
    OneThread,
    /// The thread-modular upper bound meets no goal.
    ThreadModular,
}

/// A violation.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What is wrong.
    pub goal: Goal,
    /// The thread that does it; `None` before the threads start.
    pub thread: Option<usize>,
    /// Rounds it takes.
    pub rounds: u32,
    /// A run.
    pub moves: Vec<Move>,
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why it ended; `Exhausted` where what was asked for was explored.
    pub stop: StopReason,
    /// The limit that ended it, with a violation or without: then rounds that were asked for are missing.
    pub limit: Option<StopReason>,
    /// Every round that was completed.
    pub rounds: Vec<Round>,
    /// The first violation.
    pub violation: Option<Violation>,
    /// Why there is none with any bound.
    pub proof: Option<Proof>,
    /// The shared states are all there are, with any bound.
    pub all_shared: bool,
    /// It was given up because nothing new came.
    pub unchanged: bool,
    /// Shared states of the last round, if they were asked for; `None` if the analysis ended before they were known.
    pub shared: Option<Vec<Shared>>,
    /// Figures of the diagrams.
    pub bdd: BddStats,
    /// Seconds it took.
    pub seconds: f64,
}

/// Analyses a program that creates no threads.
pub fn analyse(
    program: &Program,
    options: &Options,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Outcome, TooLarge> {
    let outcome = analyse_with(program, options, Tables::Small, budget, observer)?;
    if outcome.limit == Some(StopReason::Memory) && budget.spent(0).is_none() {
        return analyse_with(program, options, Tables::Full, budget, observer);
    }
    Ok(outcome)
}

fn analyse_with(
    program: &Program,
    options: &Options,
    tables: Tables,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Outcome, TooLarge> {
    let contexts = options.rounds.or(options.max_rounds).unwrap_or(FIRST_CONTEXTS).clamp(1, MOST_CONTEXTS) as usize;
    let encoding = Encoding::with_tables(program, contexts, Locals::WhileLive, tables, budget);
    let outcome = Outcome {
        stop: StopReason::Exhausted,
        limit: None,
        rounds: Vec::new(),
        violation: None,
        proof: None,
        all_shared: false,
        unchanged: false,
        shared: None,
        bdd: BddStats::default(),
        seconds: 0.0,
    };
    let mut analysis = Analysis { encoding: &encoding, options, budget, observer, outcome, unchanged_rounds: 0 };
    if matches!(options.method, Method::Pds | Method::Spds) {
        Frames::new(program, Vec::new())?;
    }
    let result = match options.method {
        Method::Lazy => analysis.lazy(),
        Method::Eager => analysis.eager(),
        Method::Pds | Method::Spds => analysis.pushdown(),
    };
    let mut outcome = analysis.outcome;
    if let Err(stop) = result {
        (outcome.stop, outcome.limit) = (stop, Some(stop));
    }
    if outcome.violation.is_some() {
        outcome.stop = StopReason::Violation;
    }
    outcome.seconds = budget.elapsed().as_secs_f64();
    let diagrams = encoding.bdds.stats();
    if diagrams.peak_nodes > outcome.bdd.peak_nodes {
        outcome.bdd = diagrams;
    }
    Ok(outcome)
}

/// Contexts that have a place in the order from the start, where no bound is known.
const FIRST_CONTEXTS: u32 = 8;
const MOST_CONTEXTS: u32 = 64;

struct Analysis<'a, 'p> {
    encoding: &'a Encoding<'p>,
    options: &'a Options,
    budget: &'a Budget,
    observer: &'a mut dyn Observer,
    outcome: Outcome,
    unchanged_rounds: u32,
}

impl Analysis<'_, '_> {
    fn lazy(&mut self) -> Limited<()> {
        let Some(start) = self.start()? else { return Ok(()) };
        let mut lazy = Lazy::new(self.encoding, &start, !self.options.keep_going);
        self.rounds(&start, || Ok((lazy.round()?, lazy.shared().clone())))
    }

    fn eager(&mut self) -> Limited<()> {
        let Some(start) = self.start()? else { return Ok(()) };
        let mut eager = Eager::new(self.encoding, &start);
        self.rounds(&start, || Ok((eager.round()?, eager.shared().clone())))
    }

    /// Round after round, each with the goals met in it and the shared states up to it.
    fn rounds(&mut self, start: &Start, mut round: impl FnMut() -> Limited<(Vec<Hit>, Bdd)>) -> Limited<()> {
        loop {
            let (hits, shared) = round()?;
            self.finish_hits(hits)?;
            if self.ended(&shared, start)? {
                return Ok(());
            }
        }
    }

    fn pushdown(&mut self) -> Limited<()> {
        let Some(start) = self.start()? else { return Ok(()) };
        let bdds = &self.encoding.bdds;
        let ins = self.encoding.ins(0);
        let initial = bdds.assignments(&start.states, &ins, usize::MAX)?;
        let initial: Vec<u64> = initial.iter().map(|values| bits(values)).collect();
        loop {
            let Ok(mut frames) = Frames::new(self.encoding.program, initial.clone()) else { return Ok(()) };
            let rounds = self.outcome.rounds.len() + 1;
            let forward = match self.options.method {
                Method::Pds => reduce::forward(&mut frames, rounds, self.budget)?,
                _ => {
                    let (forward, stats) = spds::forward(&mut frames, rounds, self.budget)?;
                    self.outcome.bdd = stats;
                    forward
                }
            };
            if let Some(guesses) = &forward.violation {
                let guesses: Vec<Shared> = guesses.iter().map(|state| frames.globals(*state)).collect();
                let hit = self.guided(&start, &guesses)?;
                self.finish_hits(vec![hit])?;
            }
            let mut shared = bdds.no();
            for state in &forward.shared {
                let values = frames.globals(*state);
                shared = bdds.or(&shared, &bdds.point(ins.iter().copied().zip(values))?)?;
            }
            if self.ended(&shared, &start)? {
                return Ok(());
            }
        }
    }

    /// The violation that a pushdown system reported, from what the first thread finds in its contexts.
    fn guided(&self, start: &Start, guesses: &[Shared]) -> Limited<Hit> {
        let mut lazy = Lazy::new(self.encoding, start, true);
        lazy.follow = Some(guesses.to_vec());
        for _ in guesses {
            if let Some(hit) = lazy.round()?.pop() {
                return Ok(hit);
            }
        }
        unreachable!("the lazy analysis meets what the pushdown system meets")
    }

    /// The start; `None` if something goes wrong there already.
    fn start(&mut self) -> Limited<Option<Start>> {
        let start = Start::new(self.encoding)?;
        let program = self.encoding.program;
        let node = |thread: usize| program.procedure(program.threads[thread].procedure).entry;
        let early = start.met.first().map(|met| (met.goal, None));
        let early = early.or(start.at_goal.map(|thread| (Goal::Node(node(thread)), Some(thread))));
        match early {
            Some((goal, thread)) => {
                self.outcome.violation = Some(Violation { goal, thread, rounds: 1, moves: Vec::new() });
                Ok(None)
            }
            None => Ok(Some(start)),
        }
    }

    fn finish_hits(&mut self, hits: Vec<Hit>) -> Limited<()> {
        let Some(hit) = hits.into_iter().next().filter(|_| self.outcome.violation.is_none()) else { return Ok(()) };
        let moves = witness::moves(self.encoding.program, &hit, self.budget)?;
        let rounds = self.outcome.rounds.len() as u32 + 1;
        self.outcome.violation = Some(Violation { goal: hit.goal, thread: hit.thread, rounds, moves });
        Ok(())
    }

    /// Takes the figures of a round, and decides whether it was the last.
    fn ended(&mut self, shared: &Bdd, start: &Start) -> Limited<bool> {
        let bdds = &self.encoding.bdds;
        let number = self.outcome.rounds.len() as u32 + 1;
        if self.outcome.violation.is_some() && !self.options.keep_going {
            return Ok(true);
        }
        let count = bdds.count(shared, &self.encoding.ins(0));
        let before = self.outcome.rounds.last().map_or(0.0, |round| round.shared);
        let stats = bdds.stats();
        let seconds = self.budget.elapsed().as_secs_f64();
        let (new_shared, operations) = (count - before, stats.operations);
        self.outcome.rounds.push(Round { number, shared: count, new_shared, operations, seconds });
        self.observer.event(&Event::Progress {
            bound: Some(number),
            states: count as u64,
            transitions: operations,
            frontier: 0,
            depth: u64::from(number),
            memory: stats.peak_bytes,
            seconds,
        });
        self.unchanged_rounds = if new_shared > 0.0 { 0 } else { self.unchanged_rounds + 1 };
        let last = self.is_last(number, shared, start)?;
        if last && self.options.list_shared > 0 {
            self.outcome.shared = Some(bdds.assignments(shared, &self.encoding.ins(0), self.options.list_shared)?);
        }
        Ok(last)
    }

    fn is_last(&mut self, number: u32, shared: &Bdd, start: &Start) -> Limited<bool> {
        let safe = self.outcome.violation.is_none();
        if self.encoding.program.threads.len() == 1 {
            self.outcome.proof = safe.then_some(Proof::OneThread);
            self.outcome.all_shared = true;
            return Ok(true);
        }
        if let Some(rounds) = self.options.rounds {
            return Ok(number >= rounds);
        }
        if number == 1 || self.unchanged_rounds == 1 {
            let bound = self.upper_bound(start)?;
            self.outcome.all_shared = bound.shared == *shared;
            if bound.safe && safe && !self.options.deadlock {
                self.outcome.proof = Some(Proof::ThreadModular);
                return Ok(true);
            }
        }
        self.outcome.unchanged = self.unchanged_rounds >= MOST_UNCHANGED_ROUNDS;
        Ok(self.outcome.unchanged || self.options.max_rounds.is_some_and(|most| number >= most))
    }

    fn upper_bound(&self, start: &Start) -> Limited<UpperBound> {
        upper_bound(self.encoding, &start.states)
    }
}

fn bits(values: &[bool]) -> u64 {
    values.iter().enumerate().fold(0, |all, (place, value)| all | u64::from(*value) << place)
}

/// The nodes that lie on a run to a violation within so many rounds, each with its thread.
pub fn error_projection(
    program: &Program,
    rounds: u32,
    budget: &Budget,
) -> Result<Limited<BTreeSet<(usize, selvedge_boolprog::program::NodeId)>>, TooLarge> {
    Frames::new(program, Vec::new())?;
    Ok(project(program, rounds, budget))
}

fn project(
    program: &Program,
    rounds: u32,
    budget: &Budget,
) -> Limited<BTreeSet<(usize, selvedge_boolprog::program::NodeId)>> {
    let encoding = Encoding::new(program, 1, Locals::WhileLive, budget);
    let start = Start::new(&encoding)?;
    let initial = encoding.bdds.assignments(&start.states, &encoding.ins(0), usize::MAX)?;
    let Ok(mut frames) = Frames::new(program, initial.iter().map(|v| bits(v)).collect()) else {
        return Ok(BTreeSet::new());
    };
    let projection = reduce::error_projection(&mut frames, rounds as usize, budget)?;
    let node = |symbol| match frames.frame(symbol) {
        (thread, crate::pds::frames::Frame::At(node, _)) => Some((thread, node)),
        _ => None,
    };
    Ok(projection.keys().filter_map(|symbol| node(*symbol)).collect())
}
