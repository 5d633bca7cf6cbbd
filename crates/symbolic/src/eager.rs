//! The eager analysis (\[LR\] Sections 3.2 and 7): each thread is run through its contexts with every guess
//! of what it may find, without asking the others; threads that run the same procedure are run once. Then
//! the guesses are checked: one thread must leave what the next one guessed. A goal that a thread meets counts
//! only if the check passes.

use std::collections::BTreeMap;

use selvedge_boolprog::program::ProcId;

use crate::bdd::{Bdd, Limited};
use crate::encode::Encoding;
use crate::interface::{Situation, solve};
use crate::lazy::Hit;
use crate::ring::Ring;
use crate::start::Start;
use crate::thread::ThreadRun;

/// The analysis between two rounds.
pub struct Eager<'a, 'p> {
    encoding: &'a Encoding<'p>,
    start: Bdd,
    runs: BTreeMap<ProcId, ThreadRun<'a, 'p>>,
    effects: BTreeMap<ProcId, Bdd>,
    round: usize,
    shared: Bdd,
}

impl<'a, 'p> Eager<'a, 'p> {
    /// Before the first round.
    pub fn new(encoding: &'a Encoding<'p>, start: &Start) -> Self {
        let run = |thread: &selvedge_boolprog::program::Thread| {
            (thread.procedure, ThreadRun::new(encoding, thread.procedure))
        };
        Eager {
            encoding,
            start: start.states.clone(),
            runs: encoding.program.threads.iter().map(run).collect(),
            effects: BTreeMap::new(),
            round: 0,
            shared: encoding.bdds.no(),
        }
    }

    /// Shared states reached so far, over `ins[0]`.
    pub fn shared(&self) -> &Bdd {
        &self.shared
    }

    /// The next round, with the goals that are met by a run in it.
    pub fn round(&mut self) -> Limited<Vec<Hit>> {
        if self.procedures().len() == 1 && self.round == 1 {
            return Ok(Vec::new());
        }
        self.round += 1;
        self.encoding.reach(self.round);
        let earlier = std::mem::take(&mut self.effects);
        for (procedure, run) in &mut self.runs {
            run.enter(&self.encoding.bdds.yes())?;
            self.effects.insert(*procedure, run.effect()?);
        }
        let hits = self.hits(&earlier)?;
        self.check()?;
        Ok(hits)
    }

    fn procedures(&self) -> Vec<ProcId> {
        self.encoding.program.threads.iter().map(|thread| thread.procedure).collect()
    }

    fn hits(&self, earlier: &BTreeMap<ProcId, Bdd>) -> Limited<Vec<Hit>> {
        let procedures = self.procedures();
        let mut hits = Vec::new();
        for (thread, procedure) in procedures.iter().enumerate() {
            for met in self.runs[procedure].met() {
                let before: Vec<Bdd> = procedures[..thread].iter().map(|p| self.effects[p].clone()).collect();
                let behind: Vec<Bdd> =
                    procedures[thread + 1..].iter().filter_map(|p| earlier.get(p).cloned()).collect();
                let situation = Situation {
                    start: &self.start,
                    round: self.round,
                    thread,
                    histories: &met.histories,
                    before: &before,
                    behind: &behind,
                    threads: procedures.len(),
                };
                if let Some(interfaces) = solve(self.encoding, &situation)? {
                    hits.push(Hit { goal: met.goal, thread: Some(thread), interfaces });
                }
            }
        }
        Ok(hits)
    }

    /// The rule `Checker` of \[LR\] Section 7.
    fn check(&mut self) -> Limited<()> {
        let encoding = self.encoding;
        let bdds = &encoding.bdds;
        let ring = Ring::new(encoding, self.round);
        let procedures = self.procedures();
        let mut reached = ring.first(&bdds.and(&self.effects[&procedures[0]], &self.start)?)?;
        for procedure in &procedures[1..] {
            reached = ring.behind(&reached, &self.effects[procedure])?;
        }
        // `reached` has what the last thread left in `ins`, what the first one guessed in `mids`.
        let last = self.round - 1;
        let guessed = (0..last).flat_map(|c| encoding.ins(c).into_iter().zip(encoding.mids(c + 1)));
        let states = bdds.diagonal(&reached, guessed)?;
        let to_first = bdds.renaming(encoding.ins(last).into_iter().zip(encoding.ins(0)))?;
        self.shared = bdds.or(&self.shared, &bdds.rename(&states, &to_first)?)?;
        Ok(())
    }
}
