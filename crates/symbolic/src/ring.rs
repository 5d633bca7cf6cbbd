//! Threads behind each other in a ring: what one thread leaves at the end of its context the next
//! one finds, and what the last one leaves in round c the first one finds in round c+1. This is the hand-over
//! of \[LR\] Figure 5 (`check`, rules R8 and R9), for any number of threads.
//!
//! Two families of relations are enough (x\[c\] is what the first thread finds in round c, x\[0\] is initial):
//! * *reached* P(x\[1..k\], ins\[0..k\]): through the threads before this one, with k contexts each;
//! * *rest* S(outs\[0..k-1\], x\[1..k\]): through the threads behind this one, with k-1 contexts each.
//!
//! Their product over x is what this thread can find in its k-th context, given its own history. The
//! x\[c\] are kept in `mids[c]`.

use crate::bdd::{Bdd, Cube, Limited, Var};
use crate::encode::Encoding;

/// Composes effects of threads; `rounds` is the number of contexts of the threads before this one.
pub struct Ring<'a, 'p> {
    encoding: &'a Encoding<'p>,
    rounds: usize,
}

impl<'a, 'p> Ring<'a, 'p> {
    /// Round number `rounds`, counted from 1.
    pub fn new(encoding: &'a Encoding<'p>, rounds: usize) -> Self {
        Ring { encoding, rounds }
    }

    fn vars(&self, contexts: std::ops::Range<usize>, copy: impl Fn(usize) -> Vec<Var>) -> Vec<Var> {
        contexts.flat_map(copy).collect()
    }

    fn ins(&self, contexts: std::ops::Range<usize>) -> Vec<Var> {
        self.vars(contexts, |c| self.encoding.ins(c))
    }

    fn outs(&self, contexts: std::ops::Range<usize>) -> Vec<Var> {
        self.vars(contexts, |c| self.encoding.outs(c))
    }

    fn mids(&self, contexts: std::ops::Range<usize>) -> Vec<Var> {
        self.vars(contexts, |c| self.encoding.mids(c))
    }

    fn cube(&self, vars: Vec<Var>) -> Limited<Cube> {
        self.encoding.bdds.cube(vars)
    }

    /// P behind the first thread, from its effect in this round.
    pub fn first(&self, effect: &Bdd) -> Limited<Bdd> {
        let bdds = &self.encoding.bdds;
        let reached = bdds.exists(effect, &self.cube(self.ins(0..1))?)?;
        let to_mids = self.ins(1..self.rounds).into_iter().zip(self.mids(1..self.rounds));
        let to_ins = self.outs(0..self.rounds).into_iter().zip(self.ins(0..self.rounds));
        bdds.rename(&reached, &bdds.renaming(to_mids.chain(to_ins))?)
    }

    /// P behind a thread, from P before it and its effect in this round.
    pub fn behind(&self, reached: &Bdd, effect: &Bdd) -> Limited<Bdd> {
        let bdds = &self.encoding.bdds;
        let all = 0..self.rounds;
        let next = bdds.and_exists(reached, effect, &self.cube(self.ins(all.clone()))?)?;
        bdds.rename(&next, &bdds.renaming(self.outs(all.clone()).into_iter().zip(self.ins(all)))?)
    }

    /// S before a thread, from S behind it and its effect in the round before. Behind the last thread there is
    /// none: it hands its k-th context over to the (k+1)-th of the first.
    pub fn before(&self, rest: Option<&Bdd>, effect: &Bdd) -> Limited<Bdd> {
        let bdds = &self.encoding.bdds;
        let earlier = 0..self.rounds - 1;
        let to_outs = self.ins(earlier.clone()).into_iter().zip(self.outs(earlier.clone()));
        let Some(rest) = rest else {
            let to_mids = self.outs(earlier).into_iter().zip(self.mids(1..self.rounds));
            return bdds.rename(effect, &bdds.renaming(to_outs.chain(to_mids))?);
        };
        let product = bdds.and_exists(effect, rest, &self.cube(self.outs(earlier))?)?;
        bdds.rename(&product, &bdds.renaming(to_outs)?)
    }

    /// S behind each thread but the last, from their effects in the round before.
    pub fn rest(&self, effects: &[Bdd]) -> Limited<Vec<Bdd>> {
        let mut rest: Vec<Bdd> = Vec::new();
        for effect in effects[1..].iter().rev() {
            let next = self.before(rest.last(), effect)?;
            rest.push(next);
        }
        rest.reverse();
        Ok(rest)
    }

    /// What the first thread can find: from S behind it.
    pub(crate) fn entering_first(&self, rest: &Bdd) -> Limited<Bdd> {
        let bdds = &self.encoding.bdds;
        let later = 1..self.rounds;
        bdds.rename(rest, &bdds.renaming(self.mids(later.clone()).into_iter().zip(self.ins(later)))?)
    }

    /// What a thread can find: from P before it and S behind it.
    pub fn entering(&self, reached: &Bdd, rest: Option<&Bdd>) -> Limited<Bdd> {
        let bdds = &self.encoding.bdds;
        let later = self.mids(1..self.rounds);
        match rest {
            Some(rest) => bdds.and_exists(reached, rest, &self.cube(later)?),
            None => bdds.rename(reached, &bdds.renaming(later.into_iter().zip(self.outs(0..self.rounds - 1)))?),
        }
    }
}
