//! The lazy analysis of \[LR\] Section 6 (Figure 5), for any number of threads. Round after round, thread after
//! thread: what the thread can find at the start of its next context is computed from what all others
//! have been seen to do ([`crate::ring`]), then its context is run. Every relation holds histories of real
//! runs only (\[LR\] Theorem 2), so a goal that a thread meets is met by a run, at once.

use crate::bdd::{Bdd, Limited};
use crate::encode::Encoding;
use crate::interface::{Interface, Shared, Situation, solve};
use crate::ring::Ring;
use crate::start::Start;
use crate::thread::{Goal, ThreadRun};

/// A goal that is met by a run.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The goal.
    pub goal: Goal,
    /// The thread that meets it; `None` before the threads start.
    pub thread: Option<usize>,
    /// What each thread finds and leaves.
    pub interfaces: Vec<Interface>,
}

/// The analysis between two rounds.
pub struct Lazy<'a, 'p> {
    encoding: &'a Encoding<'p>,
    start: Bdd,
    runs: Vec<ThreadRun<'a, 'p>>,
    /// By thread, after the last round.
    effects: Vec<Bdd>,
    round: usize,
    /// Shared states reached so far, over `ins[0]`.
    shared: Bdd,
    /// Whether a goal ends the analysis.
    stop_early: bool,
    /// Whether a goal was met.
    hit: bool,
    /// If given: what the first thread must find in each of its contexts.
    pub follow: Option<Vec<Shared>>,
}

impl<'a, 'p> Lazy<'a, 'p> {
    /// Before the first round. What `init` does wrong is in [`Start::met`].
    pub fn new(encoding: &'a Encoding<'p>, start: &Start, stop_early: bool) -> Self {
        let run = |thread: &selvedge_boolprog::program::Thread| {
            let mut run = ThreadRun::new(encoding, thread.procedure);
            run.stop_early = stop_early;
            run
        };
        Lazy {
            encoding,
            start: start.states.clone(),
            runs: encoding.program.threads.iter().map(run).collect(),
            effects: Vec::new(),
            round: 0,
            shared: encoding.bdds.no(),
            stop_early,
            hit: false,
            follow: None,
        }
    }

    /// Shared states reached so far, over `ins[0]`.
    pub fn shared(&self) -> &Bdd {
        &self.shared
    }

    /// The threads, for what they know about their nodes.
    pub fn runs(&self) -> &[ThreadRun<'a, 'p>] {
        &self.runs
    }

    /// E of each thread after the last round.
    pub fn effects(&self) -> &[Bdd] {
        &self.effects
    }

    /// The next round: every thread gets one more context. The first goals met, if any.
    pub fn round(&mut self) -> Limited<Vec<Hit>> {
        let encoding = self.encoding;
        let bdds = &encoding.bdds;
        if self.runs.len() == 1 && self.round == 1 {
            // Alone, a thread gains nothing by a second context.
            return Ok(Vec::new());
        }
        self.round += 1;
        encoding.reach(self.round);
        let ring = Ring::new(encoding, self.round);
        let rest = if self.round == 1 { Vec::new() } else { ring.rest(&self.effects)? };
        let mut effects: Vec<Bdd> = Vec::new();
        let mut reached = bdds.yes();
        let mut hits = Vec::new();
        for thread in 0..self.runs.len() {
            let entering = match (thread, self.round) {
                (0, 1) => self.start.clone(),
                (0, _) => ring.entering_first(&rest[0])?,
                (_, 1) => reached.clone(),
                _ => ring.entering(&reached, rest.get(thread))?,
            };
            let entering = if thread == 0 { self.followed(&entering)? } else { entering };
            self.runs[thread].enter(&entering)?;
            // One run is enough to show.
            for met in self.runs[thread].met().into_iter().take(usize::from(!self.hit)) {
                self.hit = true;
                let situation = Situation {
                    start: &self.start,
                    round: self.round,
                    thread,
                    histories: &met.histories,
                    before: &effects,
                    behind: self.effects.get(thread + 1..).unwrap_or_default(),
                    threads: self.runs.len(),
                };
                let interfaces = solve(encoding, &situation)?.expect("every history is that of a run");
                hits.push(Hit { goal: met.goal, thread: Some(thread), interfaces });
                if self.stop_early {
                    return Ok(hits);
                }
            }
            let effect = self.runs[thread].effect()?;
            self.note(&effect)?;
            if thread + 1 < self.runs.len() {
                reached = if thread == 0 { ring.first(&effect)? } else { ring.behind(&reached, &effect)? };
            }
            effects.push(effect);
        }
        self.effects = effects;
        Ok(hits)
    }

    /// What the first thread finds, if it is to be followed.
    fn followed(&self, entering: &Bdd) -> Limited<Bdd> {
        let Some(shared) = self.follow.as_ref().and_then(|follow| follow.get(self.round - 1)) else {
            return Ok(entering.clone());
        };
        let ins = self.encoding.ins(self.round - 1);
        let here = self.encoding.bdds.point(ins.into_iter().zip(shared.iter().copied()))?;
        self.encoding.bdds.and(entering, &here)
    }

    /// Adds the shared states in which a context ends.
    fn note(&mut self, effect: &Bdd) -> Limited<()> {
        let encoding = self.encoding;
        let last = self.round - 1;
        let history = (0..self.round).flat_map(|c| encoding.ins(c)).chain((0..last).flat_map(|c| encoding.outs(c)));
        let states = encoding.bdds.exists(effect, &encoding.bdds.cube(history)?)?;
        let to_first = encoding.bdds.renaming(encoding.outs(last).into_iter().zip(encoding.ins(0)))?;
        self.shared = encoding.bdds.or(&self.shared, &encoding.bdds.rename(&states, &to_first)?)?;
        Ok(())
    }
}
