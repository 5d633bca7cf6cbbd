//! From relations to one run, first half: which shared states each thread finds and leaves in each of
//! its contexts. The second half, what a thread does in between, is [`crate::path`].
//!
//! Contexts in which a thread leaves the globals as it found them are preferred, so that the run has
//! few switches.

use crate::bdd::{Bdd, Limited, Var};
use crate::encode::Encoding;
use crate::ring::Ring;

/// A shared state: the value of each global.
pub type Shared = Vec<bool>;

/// What one thread finds and leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// At the start of each of its contexts.
    pub ins: Vec<Shared>,
    /// At the end; in the context in which a violation happens there is no end.
    pub outs: Vec<Shared>,
}

/// What is known about the threads when one of them meets a goal.
pub struct Situation<'a> {
    /// Initial shared states, over `ins[0]`.
    pub start: &'a Bdd,
    /// The round, from 1.
    pub round: usize,
    /// The thread that meets the goal.
    pub thread: usize,
    /// The histories with which it does.
    pub histories: &'a Bdd,
    /// Effects of the threads before it, in this round.
    pub before: &'a [Bdd],
    /// Effects of the threads behind it, in the round before this one; none in the first.
    pub behind: &'a [Bdd],
    /// How many threads there are.
    pub threads: usize,
}

/// An interface for each thread; `None` if the goal is met by no run.
pub fn solve(encoding: &Encoding<'_>, situation: &Situation<'_>) -> Limited<Option<Vec<Interface>>> {
    let Situation { start, round, thread, histories, before, behind, threads } = *situation;
    let (bdds, ring, k) = (&encoding.bdds, Ring::new(encoding, round), round);
    // P before each thread up to this one; S behind each thread from this one.
    let mut reached = vec![bdds.yes()];
    for (index, effect) in before.iter().enumerate() {
        let next = match index {
            0 => ring.first(&bdds.and(effect, start)?)?,
            _ => ring.behind(&reached[index], effect)?,
        };
        reached.push(next);
    }
    let mut rest: Vec<Bdd> = Vec::new();
    for effect in behind.iter().rev() {
        let next = ring.before(rest.last(), effect)?;
        rest.push(next);
    }
    rest.reverse();
    let found = match (thread, round, rest.first()) {
        (0, 1, _) | (0, _, None) => start.clone(),
        (0, _, Some(rest)) => bdds.and(&ring.entering_first(rest)?, start)?,
        (_, 1, _) => reached[thread].clone(),
        (_, _, rest) => ring.entering(&reached[thread], rest)?,
    };
    let Some(own) = pick_least_changing(encoding, &bdds.and(&found, histories)?, k)? else { return Ok(None) };
    let mut interfaces = vec![Interface::default(); threads];
    interfaces[thread] = Interface {
        ins: (0..k).map(|c| encoding.shared(&own, &encoding.ins(c))).collect(),
        outs: (0..k - 1).map(|c| encoding.shared(&own, &encoding.outs(c))).collect(),
    };
    let x = first_ins(encoding, situation, &interfaces[thread], &reached[thread], rest.first())?;
    for index in (0..thread).rev() {
        let outs = interfaces[index + 1].ins.clone();
        interfaces[index] =
            Interface { ins: ins_before(encoding, situation, index, &reached[index], &x, &outs)?, outs };
    }
    for index in thread + 1..thread + 1 + behind.len() {
        let ins = interfaces[index - 1].outs[..k - 1].to_vec();
        let outs = match rest.get(index - thread) {
            Some(rest) => outs_behind(encoding, &behind[index - thread - 1], rest, &x, &ins)?,
            // The last thread leaves what the first one finds next.
            None => x.clone(),
        };
        interfaces[index] = Interface { ins, outs };
    }
    Ok(Some(interfaces))
}

/// What the first thread finds in rounds 2, 3, …
fn first_ins(
    encoding: &Encoding<'_>,
    situation: &Situation<'_>,
    own: &Interface,
    reached: &Bdd,
    rest: Option<&Bdd>,
) -> Limited<Vec<Shared>> {
    if situation.thread == 0 {
        return Ok(own.ins[1..].to_vec());
    }
    let Some(rest) = rest else { return Ok(own.outs.clone()) };
    let (bdds, k) = (&encoding.bdds, situation.round);
    let here = bdds.and(
        &at(encoding, own.ins.iter(), |c| encoding.ins(c))?,
        &at(encoding, own.outs.iter(), |c| encoding.outs(c))?,
    )?;
    let all = bdds.and(&bdds.and(reached, &here)?, rest)?;
    let values = bdds.pick(&all).unwrap_or_default();
    Ok((1..k).map(|c| encoding.shared(&values, &encoding.mids(c))).collect())
}

/// What a thread before the one that meets the goal finds, given what it leaves.
fn ins_before(
    encoding: &Encoding<'_>,
    situation: &Situation<'_>,
    index: usize,
    reached: &Bdd,
    x: &[Shared],
    outs: &[Shared],
) -> Limited<Vec<Shared>> {
    let (bdds, k) = (&encoding.bdds, situation.round);
    let effect = bdds.and(&situation.before[index], &at(encoding, outs.iter(), |c| encoding.outs(c))?)?;
    let all = if index == 0 {
        let later = at(encoding, x.iter(), |c| encoding.ins(c + 1))?;
        bdds.and(&bdds.and(&effect, &later)?, situation.start)?
    } else {
        let from = bdds.and(reached, &at(encoding, x.iter(), |c| encoding.mids(c + 1))?)?;
        bdds.and(&from, &effect)?
    };
    let values = pick_least_changing(encoding, &all, k + 1)?.unwrap_or_default();
    Ok((0..k).map(|c| encoding.shared(&values, &encoding.ins(c))).collect())
}

/// What a thread behind the one that meets the goal leaves, given what it finds.
fn outs_behind(
    encoding: &Encoding<'_>,
    effect: &Bdd,
    rest: &Bdd,
    x: &[Shared],
    ins: &[Shared],
) -> Limited<Vec<Shared>> {
    let bdds = &encoding.bdds;
    let effect = bdds.and(effect, &at(encoding, ins.iter(), |c| encoding.ins(c))?)?;
    let to = bdds.and(rest, &at(encoding, x.iter(), |c| encoding.mids(c + 1))?)?;
    let values = pick_least_changing(encoding, &bdds.and(&effect, &to)?, ins.len() + 1)?.unwrap_or_default();
    Ok((0..ins.len()).map(|c| encoding.shared(&values, &encoding.outs(c))).collect())
}

/// The copies have these values.
fn at<'s>(
    encoding: &Encoding<'_>,
    values: impl Iterator<Item = &'s Shared>,
    copy: impl Fn(usize) -> Vec<Var>,
) -> Limited<Bdd> {
    let pairs = values.enumerate().flat_map(|(c, shared)| copy(c).into_iter().zip(shared.iter().copied()));
    encoding.bdds.point(pairs)
}

/// An assignment in which as many contexts before the k-th as possible, late ones first, leave the globals alone.
fn pick_least_changing(encoding: &Encoding<'_>, all: &Bdd, k: usize) -> Limited<Option<Vec<Option<bool>>>> {
    let bdds = &encoding.bdds;
    let mut best = all.clone();
    for c in 0..k.saturating_sub(1) {
        let no_change = bdds.equal(encoding.ins(c).into_iter().zip(encoding.outs(c)))?;
        let fewer_changes = bdds.and(&best, &no_change)?;
        if fewer_changes.satisfiable() {
            best = fewer_changes;
        }
    }
    Ok(bdds.pick(&best))
}
