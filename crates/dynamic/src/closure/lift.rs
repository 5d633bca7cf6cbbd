//! A run of the finite-state network as a run of the recursive one: for each thread, a run whose word contains
//! the letters it wrote, cut at its switches and played in the order of its contexts. Threads that the
//! finite-state network left out are created too, and never run.

use rustc_hash::FxHashMap;
use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::dcps::{Action, Dcps, Kind, Move};

use super::automaton::State;
use super::behaviour::{Head, Letter, Threads};
use super::derive::{self, Step};
use super::reduce::{Meaning, Reduction};

/// What a thread of the finite-state network did.
#[derive(Default)]
struct ObservedThread {
    start: Option<Head>,
    word: Vec<Letter>,
    /// The state of its word's automaton.
    at: State,
    /// The threads it created.
    children: Vec<usize>,
}

/// A context.
struct Context {
    thread: usize,
    /// The activation, by position in the recursive network.
    resume: Option<usize>,
    /// The thread was suspended.
    complete: bool,
}

/// Why there is no run of the recursive network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotLifted {
    /// A limit came first.
    Stopped(StopReason),
    /// The run corresponds to none, which is a bug of these analyses.
    Defect(String),
}

impl From<StopReason> for NotLifted {
    fn from(reason: StopReason) -> Self {
        NotLifted::Stopped(reason)
    }
}

impl From<&str> for NotLifted {
    fn from(why: &str) -> Self {
        NotLifted::Defect(why.to_owned())
    }
}

impl Reduction {
    /// The run of the recursive network that corresponds to a run of the finite-state one.
    pub fn lift(&self, dcps: &Dcps, moves: &[Move], budget: &Budget) -> Result<Vec<Move>, NotLifted> {
        let threads = Threads::new(dcps, self.spawned_run, budget)?;
        let (seen, contexts) = self.observe(moves)?;
        let mut known: FxHashMap<(Head, Vec<Letter>), Vec<Step>> = FxHashMap::default();
        let mut runs: Vec<Vec<Step>> = Vec::with_capacity(seen.len());
        let mut bytes = 0;
        for thread in &seen {
            budget.go_on(bytes)?;
            runs.push(match thread.start {
                None => Vec::new(),
                Some(head) => {
                    let word = self.whole(thread)?;
                    let found = match known.get(&(head, word.clone())) {
                        Some(run) => run.clone(),
                        None => {
                            derive::run(&threads, head, &word, budget)?.ok_or("a thread has no run with its word")?
                        }
                    };
                    known.insert((head, word), found.clone());
                    bytes += (found.len() * size_of::<Step>()) as u64;
                    found
                }
            });
        }
        Player::new(dcps, &seen, runs).play(&contexts)
    }

    /// The word of a thread, with an end if it has none yet.
    fn whole(&self, thread: &ObservedThread) -> Result<Vec<Letter>, NotLifted> {
        let mut word = thread.word.clone();
        if !matches!(word.last(), Some(Letter::Last(_))) {
            word.extend(self.words.completion(thread.at).ok_or("a thread's word has no end")?);
        }
        Ok(word)
    }

    /// What each thread does in a run, and the contexts in their order.
    fn observe(&self, moves: &[Move]) -> Result<(Vec<ObservedThread>, Vec<Context>), NotLifted> {
        let mut seen = vec![ObservedThread::default()];
        let mut contexts = vec![Context { thread: 0, resume: None, complete: false }];
        for Move { thread, action } in moves {
            let created = seen.len();
            let runner = seen.get_mut(*thread).ok_or("a thread runs before it is created")?;
            match action {
                Action::Resume(index) => {
                    let resume = Some(*self.resumes.get(*index).ok_or("there is no such activation")?);
                    contexts.push(Context { thread: *thread, resume, complete: false });
                }
                Action::Rule(index) => match *self.meanings.get(*index).ok_or("there is no such rule")? {
                    Meaning::Resumed => {}
                    Meaning::Start(head, state) => (runner.start, runner.at) = (Some(head), state),
                    Meaning::Letter(letter, state) => {
                        runner.word.push(letter);
                        runner.at = state;
                        if let Letter::Spawn(_) = letter {
                            runner.children.push(created);
                            seen.push(ObservedThread::default());
                        } else if let Some(context) = contexts.last_mut() {
                            context.complete = true;
                        }
                    }
                },
            }
        }
        Ok((seen, contexts))
    }
}

/// Plays the runs of threads in the order of contexts.
struct Player<'a> {
    dcps: &'a Dcps,
    seen: &'a [ObservedThread],
    runs: Vec<Vec<Step>>,
    /// How far each thread's run was played, and how many of its children were created.
    played: Vec<(usize, usize)>,
    /// The number of each thread in the recursive network.
    numbers: Vec<Option<usize>>,
    created: usize,
    moves: Vec<Move>,
}

impl<'a> Player<'a> {
    fn new(dcps: &'a Dcps, seen: &'a [ObservedThread], runs: Vec<Vec<Step>>) -> Self {
        let mut numbers = vec![None; seen.len()];
        numbers[0] = Some(0);
        Player { dcps, seen, played: vec![(0, 0); runs.len()], runs, numbers, created: 1, moves: Vec::new() }
    }

    fn play(mut self, contexts: &[Context]) -> Result<Vec<Move>, NotLifted> {
        for context in contexts {
            let number = self.numbers[context.thread].ok_or("a thread runs before it is created")?;
            if let Some(resume) = context.resume {
                self.moves.push(Move { thread: number, action: Action::Resume(resume) });
            }
            if context.complete {
                self.segment(context.thread, number);
            }
        }
        Ok(self.moves)
    }

    /// The steps of a thread up to its next switch, or to a target.
    fn segment(&mut self, thread: usize, number: usize) {
        while let Some(Step { rule, counted }) = self.runs[thread].get(self.played[thread].0).copied() {
            self.played[thread].0 += 1;
            self.moves.push(Move { thread: number, action: Action::Rule(rule) });
            let rule = &self.dcps.rules[rule];
            if rule.spawn.is_some() {
                if counted {
                    if let Some(child) = self.seen[thread].children.get(self.played[thread].1) {
                        self.numbers[*child] = Some(self.created);
                    }
                    self.played[thread].1 += 1;
                }
                self.created += 1;
            }
            if rule.kind == Kind::Yield || self.dcps.is_target(rule.to) {
                return;
            }
        }
    }
}
