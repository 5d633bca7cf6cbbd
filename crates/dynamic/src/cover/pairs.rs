//! Pairs of places that no run marks together, and places that no run gives two tokens: worked out once, before the
//! searches start. A transition that takes from such a pair is never taken, and backward search need not look at
//! markings with one. Of a net whose tokens are the states of components this tells which states of different components
//! exclude each other.
//!
//! This is `h²` of \[HG\], for nets: the pairs that may be marked together are those of the start, and for each transition
//! whose takings are together pair by pair, what it gives with each other and with all that is together with every
//! taking. The others are apart: whatever leads to a pair that is apart needs one that is, so they prove themselves.
//!
//! Numbers above two are not seen, and the work is limited: a net that needs more goes without.

use super::task::Step;

/// Places beyond which it is not tried.
pub const MOST_PLACES: usize = 4_096;
/// Words of 64 pairs that are looked at, at most: about a tenth of a second.
const MOST_WORK: u64 = 1 << 27;

/// Which places may be marked together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// The row of each place, where it has one; places as they are numbered in the net.
    row_of: Vec<Option<u32>>,
    /// The place of each row.
    places: Vec<u32>,
    words: usize,
    /// For each row the rows that may be marked together with it; itself, if it may have two tokens.
    together: Vec<u64>,
    /// The rows that may be marked.
    marked: Vec<u64>,
}

impl Pairs {
    /// The pairs of the places for which `relevant` holds, where that can be worked out and says something.
    pub fn of(initial: &[u32], steps: &[Step], relevant: &[bool]) -> Option<Pairs> {
        let matters = |place: &u32| relevant.get(*place as usize).is_some_and(|relevant| *relevant);
        let places: Vec<u32> = (0..initial.len() as u32).filter(matters).collect();
        if places.len() > MOST_PLACES {
            return None;
        }
        let mut row_of = vec![None; initial.len()];
        places.iter().enumerate().for_each(|(row, place)| row_of[*place as usize] = Some(row as u32));
        let words = places.len().div_ceil(64);
        let (together, marked) = (vec![0; words * places.len()], vec![0; words]);
        let pairs = Pairs { row_of, places, words, together, marked };
        let effects = steps.iter().map(|step| Effect::of(step, &pairs.row_of)).collect();
        let mut growth = Growth { stamps: vec![0; pairs.places.len()], clock: 0, work: 0, pairs };
        growth.start(initial);
        let pairs = growth.complete(effects)?;
        pairs.says_something().then_some(pairs)
    }

    /// The row of a place of the net.
    pub fn row(&self, place: u32) -> Option<u32> {
        self.row_of.get(place as usize).copied().flatten()
    }

    /// A part of a marking, of one or two tokens, that no run covers. Places are those of the net.
    pub fn apart(&self, marking: &[(u32, u32)]) -> Option<Vec<(u32, u32)>> {
        self.all_apart(marking).next()
    }

    /// Every such part.
    pub fn all_apart<'a>(&'a self, marking: &'a [(u32, u32)]) -> impl Iterator<Item = Vec<(u32, u32)>> + 'a {
        let rows = move || {
            marking
                .iter()
                .filter(|(_, count)| *count > 0)
                .filter_map(|(place, count)| Some((self.row(*place)?, *count)))
        };
        let place = |row: u32| self.place(row);
        let never = rows().filter(|(row, _)| !has(&self.marked, *row)).map(move |(row, _)| vec![(place(row), 1)]);
        let twice = rows().filter(|(row, count)| *count > 1 && !self.may_be_together(*row, *row));
        let pairs = rows().enumerate().flat_map(move |(at, (row, _))| {
            let earlier = rows().take(at).filter(move |(other, _)| !self.may_be_together(row, *other));
            earlier.map(move |(other, _)| {
                let (low, high) = (place(row).min(place(other)), place(row).max(place(other)));
                vec![(low, 1), (high, 1)]
            })
        });
        never.chain(twice.map(move |(row, _)| vec![(place(row), 2)])).chain(pairs)
    }

    /// The place of a row.
    pub fn place(&self, row: u32) -> u32 {
        self.places[row as usize]
    }

    /// Whether two rows may be marked together; for one row, whether it may have two tokens.
    pub fn may_be_together(&self, row: u32, other: u32) -> bool {
        has(self.row_bits(row), other)
    }

    /// Whether a row may be marked.
    pub fn may_be_marked(&self, row: u32) -> bool {
        has(&self.marked, row)
    }

    fn row_bits(&self, row: u32) -> &[u64] {
        &self.together[row as usize * self.words..(row as usize + 1) * self.words]
    }

    fn says_something(&self) -> bool {
        let bits: u64 = self.together.iter().map(|word| u64::from(word.count_ones())).sum();
        bits < (self.places.len() * self.places.len()) as u64
    }
}

fn has(bits: &[u64], row: u32) -> bool {
    bits[row as usize / 64] >> (row % 64) & 1 == 1
}

fn put(bits: &mut [u64], row: u32) {
    bits[row as usize / 64] |= 1 << (row % 64);
}

/// The rows of a set.
fn rows(bits: &[u64]) -> impl Iterator<Item = u32> + '_ {
    bits.iter().enumerate().flat_map(|(word, bits)| {
        let mut left = *bits;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(word as u32 * 64 + bit)
        })
    })
}

/// A step by rows.
struct Effect {
    take: Vec<(u32, u32)>,
    give: Vec<(u32, u32)>,
    moves: Vec<(u32, Option<u32>)>,
    /// The clock when it was last looked at; `None` before that.
    seen: Option<u64>,
}

impl Effect {
    fn of(step: &Step, row_of: &[Option<u32>]) -> Effect {
        let row = |place: u32| row_of.get(place as usize).copied().flatten();
        let bag = |bag: &[(u32, u32)]| bag.iter().filter_map(|(place, n)| Some((row(*place)?, *n))).collect();
        let moves = step.moves.iter().filter_map(|(from, to)| Some((row(*from)?, to.and_then(row))));
        Effect { take: bag(&step.take), give: bag(&step.give), moves: moves.collect(), seen: None }
    }
}

/// The pairs while they grow.
struct Growth {
    pairs: Pairs,
    /// When something new was last together with each row.
    stamps: Vec<u64>,
    clock: u64,
    work: u64,
}

impl Growth {
    fn start(&mut self, initial: &[u32]) {
        let mut all = vec![0; self.pairs.words];
        let tokens: Vec<u32> = self.pairs.places.iter().map(|place| initial[*place as usize]).collect();
        let marked = |row: &u32| tokens[*row as usize] > 0;
        let list: Vec<u32> = (0..tokens.len() as u32).filter(marked).collect();
        list.iter().for_each(|row| put(&mut all, *row));
        for row in list {
            let mut others = all.clone();
            if tokens[row as usize] < 2 {
                others[row as usize / 64] &= !(1 << (row % 64));
            }
            self.mark(row);
            self.join(row, &others);
        }
    }

    /// Looks at every step until nothing changes. `None` if that is too much.
    fn complete(mut self, mut effects: Vec<Effect>) -> Option<Pairs> {
        loop {
            let before = self.clock;
            for effect in &mut effects {
                let changed = |seen: u64| match effect.moves.is_empty() && !effect.take.is_empty() {
                    true => effect.take.iter().any(|(row, _)| self.stamps[*row as usize] > seen),
                    false => self.clock > seen,
                };
                if effect.seen.is_none_or(changed) {
                    effect.seen = Some(self.clock);
                    self.take(effect);
                }
            }
            if self.clock == before {
                return Some(self.pairs);
            }
            if self.work > MOST_WORK {
                return None;
            }
        }
    }

    /// What a step puts together.
    fn take(&mut self, effect: &Effect) {
        if !self.is_ready(&effect.take) {
            return;
        }
        self.work += (self.pairs.words * (1 + effect.take.len() + effect.give.len())) as u64;
        let mut others = self.pairs.marked.clone();
        for (row, _) in &effect.take {
            others.iter_mut().zip(self.pairs.row_bits(*row)).for_each(|(word, with)| *word &= with);
        }
        let others = self.moved(&others, &effect.moves);
        for (at, (row, count)) in effect.give.iter().enumerate() {
            let mut with = others.clone();
            let besides = effect.give.iter().enumerate().filter(|(other, _)| *other != at || *count > 1);
            besides.for_each(|(_, (other, _))| put(&mut with, *other));
            self.mark(*row);
            self.join(*row, &with);
        }
    }

    fn is_ready(&self, take: &[(u32, u32)]) -> bool {
        take.iter().enumerate().all(|(at, (row, count))| {
            self.pairs.may_be_marked(*row)
                && (*count < 2 || self.pairs.may_be_together(*row, *row))
                && take[..at].iter().all(|(other, _)| self.pairs.may_be_together(*row, *other))
        })
    }

    /// Where tokens are after all those of some rows were moved; what was together still is.
    fn moved(&mut self, others: &[u64], moves: &[(u32, Option<u32>)]) -> Vec<u64> {
        let present: Vec<(u32, Option<u32>)> = moves.iter().filter(|(from, _)| has(others, *from)).copied().collect();
        let image = |set: &[u64]| {
            let mut after = set.to_vec();
            present.iter().for_each(|(from, _)| after[*from as usize / 64] &= !(1 << (from % 64)));
            present
                .iter()
                .filter(|(from, _)| has(set, *from))
                .filter_map(|(_, to)| *to)
                .for_each(|to| put(&mut after, to));
            after
        };
        for (from, to) in &present {
            let Some(to) = to else { continue };
            let with: Vec<u64> = others.iter().zip(self.pairs.row_bits(*from)).map(|(a, b)| a & b).collect();
            self.work += 2 * self.pairs.words as u64;
            self.mark(*to);
            self.join(*to, &image(&with));
        }
        image(others)
    }

    fn mark(&mut self, row: u32) {
        if !has(&self.pairs.marked, row) {
            put(&mut self.pairs.marked, row);
            self.touch(row);
        }
    }

    fn join(&mut self, row: u32, with: &[u64]) {
        let new: Vec<u64> = with.iter().zip(self.pairs.row_bits(row)).map(|(with, known)| with & !known).collect();
        let words = self.pairs.words;
        for other in rows(&new) {
            put(&mut self.pairs.together[row as usize * words..][..words], other);
            put(&mut self.pairs.together[other as usize * words..][..words], row);
            self.touch(row);
            self.touch(other);
        }
    }

    fn touch(&mut self, row: u32) {
        self.clock += 1;
        self.stamps[row as usize] = self.clock;
    }
}

#[cfg(test)]
mod tests {
    use super::super::forward::fire;
    use super::super::marking::{Marking, OMEGA};
    use super::super::task::Origin;
    use super::*;
    use selvedge_nets_syntax::net::TransitionId;

    fn step(take: &[(u32, u32)], give: &[(u32, u32)], moves: &[(u32, Option<u32>)]) -> Step {
        let origin = Origin::Transition(TransitionId(0));
        Step { take: take.to_vec(), give: give.to_vec(), moves: moves.to_vec(), origin }
    }

    #[test]
    fn states_of_one_component_exclude_each_other_and_what_needs_both() {
        // Two components with the states 0, 1 and 2, 3: the second moves only while the first is in 0, and back.
        let steps = [
            step(&[(0, 1), (2, 1)], &[(1, 1), (2, 1)], &[]),
            step(&[(0, 1), (2, 1)], &[(0, 1), (3, 1)], &[]),
            step(&[(1, 1), (3, 1)], &[(4, 1)], &[]),
        ];
        let pairs = Pairs::of(&[1, 0, 1, 0, 0], &steps, &[true; 5]).expect("something is apart");
        assert!(pairs.may_be_together(0, 3) && pairs.may_be_together(1, 2) && !pairs.may_be_together(0, 1));
        assert_eq!(pairs.apart(&[(1, 1), (3, 1)]), Some(vec![(1, 1), (3, 1)]));
        assert_eq!(pairs.apart(&[(0, 2)]), Some(vec![(0, 2)]));
        assert_eq!(pairs.apart(&[(4, 1)]), Some(vec![(4, 1)]), "the last step is never taken");
    }

    #[test]
    fn a_place_with_any_number_of_tokens_is_together_with_itself() {
        let pairs = Pairs::of(&[OMEGA, 1, 0], &[step(&[(0, 1)], &[(2, 1)], &[])], &[true; 3]).expect("one token of 1");
        assert!(pairs.may_be_together(0, 0) && pairs.may_be_together(2, 2) && !pairs.may_be_together(1, 1));
    }

    #[test]
    fn what_a_run_marks_is_never_apart() {
        let mut state = 11u64;
        let mut next = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % limit) as u32
        };
        let mut seen = 0;
        for _ in 0..1_500 {
            let mut bag = || {
                let dense: Vec<u32> = (0..5).map(|_| next(4).saturating_sub(2)).collect();
                Marking::from_dense(&dense).0.to_vec()
            };
            let mut steps: Vec<Step> = (0..5).map(|_| step(&bag(), &bag(), &[])).collect();
            for step in &mut steps {
                let (from, to) = (next(5), next(6));
                if next(3) == 0 && from != to {
                    step.moves.push((from, (to < 5).then_some(to)));
                }
            }
            let initial: Vec<u32> = (0..5).map(|_| next(4) / 2).collect();
            let Some(pairs) = Pairs::of(&initial, &steps, &[true; 5]) else { continue };
            let mut markings = vec![Marking::from_dense(&initial)];
            for at in 0..200 {
                let Some(marking) = markings.get(at).cloned() else { break };
                assert_eq!(pairs.apart(&marking.0), None, "{initial:?} {steps:?} {marking:?}");
                seen += 1;
                for after in steps.iter().filter_map(|step| fire(step, &marking)) {
                    if !markings.contains(&after) {
                        markings.push(after);
                    }
                }
            }
        }
        assert!(seen > 5_000, "{seen} markings");
    }
}
