//! Pairs of places that no run marks together (mutexes), and places that no run gives two tokens: computed once, before
//! the searches start. A transition that takes from such a pair is never enabled, and backward search need not expand
//! markings with one. In a net whose tokens are the states of components, these are the states of different components that
//! exclude each other.
//!
//! This is `h²` of \[HG\], for nets. The pairs that may be marked together are those of the initial marking, and for each
//! transition whose input places are compatible pair by pair, its output places with each other and with every place that
//! is compatible with all input places. All other pairs exclude each other: a transition into an excluded pair needs an
//! excluded pair, so the set is its own proof.
//!
//! Numbers above two are not distinguished, and the work is limited: a net that needs more goes without.

use selvedge_nets_syntax::net::PlaceId;

use super::reduced_net::Step;

/// Places beyond which it is not tried.
pub(crate) const MOST_PLACES: usize = 4_096;
/// Words of 64 pairs that are processed, at most: about a tenth of a second.
const MOST_WORK: u64 = 1 << 27;

/// A place of the net by its position among those that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row(u32);

impl Row {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// One or two tokens that no run puts there together: sorted by place of the net.
pub(super) type Mutex = Vec<(PlaceId, u32)>;

/// Which places may be marked together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MutexPairs {
    /// The row of each place, where it has one; places as they are numbered in the net.
    row_of: Vec<Option<Row>>,
    /// The place of each row.
    places: Vec<PlaceId>,
    words: usize,
    /// For each row the rows that may be marked together with it; itself, if it may have two tokens.
    together: Vec<u64>,
    /// The rows that may be marked.
    marked: Vec<u64>,
}

impl MutexPairs {
    /// The pairs of the places for which `relevant` holds, where they can be computed and any exclude each other.
    pub(super) fn of(initial: &[u32], steps: &[Step<PlaceId>], relevant: &[bool]) -> Option<MutexPairs> {
        let matters = |place: &PlaceId| relevant.get(place.0 as usize).is_some_and(|relevant| *relevant);
        let places: Vec<PlaceId> = (0..initial.len() as u32).map(PlaceId).filter(matters).collect();
        if places.len() > MOST_PLACES {
            return None;
        }
        let mut row_of = vec![None; initial.len()];
        places.iter().enumerate().for_each(|(row, place)| row_of[place.0 as usize] = Some(Row(row as u32)));
        let words = places.len().div_ceil(64);
        let (together, marked) = (vec![0; words * places.len()], vec![0; words]);
        let pairs = MutexPairs { row_of, places, words, together, marked };
        let effects = steps.iter().map(|step| Effect::of(step, &pairs.row_of)).collect();
        let mut growth = Growth { stamps: vec![0; pairs.places.len()], clock: 0, work: 0, pairs };
        growth.start(initial);
        let pairs = growth.complete(effects)?;
        pairs.excludes_any().then_some(pairs)
    }

    /// The row of a place of the net.
    pub(super) fn row(&self, place: PlaceId) -> Option<Row> {
        self.row_of.get(place.0 as usize).copied().flatten()
    }

    /// A part of a marking, of one or two tokens, that no run covers. Places are those of the net.
    pub(super) fn exclude(&self, marking: &[(PlaceId, u32)]) -> Option<Mutex> {
        self.all_excluding(marking).next()
    }

    /// Every such part.
    pub(crate) fn all_excluding<'a>(&'a self, marking: &'a [(PlaceId, u32)]) -> impl Iterator<Item = Mutex> + 'a {
        let rows = move || {
            marking
                .iter()
                .filter(|(_, count)| *count > 0)
                .filter_map(|(place, count)| Some((self.row(*place)?, *count)))
        };
        let place = |row: Row| self.place(row);
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
    pub(super) fn place(&self, row: Row) -> PlaceId {
        self.places[row.index()]
    }

    /// Whether two rows may be marked together; for one row, whether it may have two tokens.
    pub(crate) fn may_be_together(&self, row: Row, other: Row) -> bool {
        has(self.row_bits(row), other)
    }

    /// Whether a row may be marked.
    fn may_be_marked(&self, row: Row) -> bool {
        has(&self.marked, row)
    }

    fn row_bits(&self, row: Row) -> &[u64] {
        &self.together[row.index() * self.words..][..self.words]
    }

    fn excludes_any(&self) -> bool {
        let bits: u64 = self.together.iter().map(|word| u64::from(word.count_ones())).sum();
        bits < (self.places.len() * self.places.len()) as u64
    }
}

fn has(bits: &[u64], row: Row) -> bool {
    bits[row.index() / 64] >> (row.0 % 64) & 1 == 1
}

fn put(bits: &mut [u64], row: Row) {
    bits[row.index() / 64] |= 1 << (row.0 % 64);
}

fn remove(bits: &mut [u64], row: Row) {
    bits[row.index() / 64] &= !(1 << (row.0 % 64));
}

/// The rows of a set.
fn rows(bits: &[u64]) -> impl Iterator<Item = Row> + '_ {
    bits.iter().enumerate().flat_map(|(word, bits)| {
        let mut left = *bits;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(Row(word as u32 * 64 + bit))
        })
    })
}

/// A step by rows.
struct Effect {
    take: Vec<(Row, u32)>,
    give: Vec<(Row, u32)>,
    moves: Vec<(Row, Option<Row>)>,
    /// The clock when it was last followed; `None` before that.
    seen: Option<u64>,
}

impl Effect {
    fn of(step: &Step<PlaceId>, row_of: &[Option<Row>]) -> Effect {
        let row = |place: PlaceId| row_of.get(place.0 as usize).copied().flatten();
        let bag = |bag: &[(PlaceId, u32)]| bag.iter().filter_map(|(place, n)| Some((row(*place)?, *n))).collect();
        let moves = step.moves.iter().filter_map(|(from, to)| Some((row(*from)?, to.and_then(row))));
        Effect { take: bag(&step.take), give: bag(&step.give), moves: moves.collect(), seen: None }
    }
}

/// The pairs while they grow.
struct Growth {
    pairs: MutexPairs,
    /// When something new was last together with each row.
    stamps: Vec<u64>,
    clock: u64,
    work: u64,
}

impl Growth {
    fn start(&mut self, initial: &[u32]) {
        let mut all = vec![0; self.pairs.words];
        let tokens: Vec<u32> = self.pairs.places.iter().map(|place| initial[place.0 as usize]).collect();
        let marked = |row: &Row| tokens[row.index()] > 0;
        let list: Vec<Row> = (0..tokens.len() as u32).map(Row).filter(marked).collect();
        list.iter().for_each(|row| put(&mut all, *row));
        for row in list {
            let mut others = all.clone();
            if tokens[row.index()] < 2 {
                remove(&mut others, row);
            }
            self.mark(row);
            self.join(row, &others);
        }
    }

    /// Follows every step until nothing changes. `None` if that is too much work.
    fn complete(mut self, mut effects: Vec<Effect>) -> Option<MutexPairs> {
        loop {
            let before = self.clock;
            for effect in &mut effects {
                let changed = |seen: u64| match effect.moves.is_empty() && !effect.take.is_empty() {
                    true => effect.take.iter().any(|(row, _)| self.stamps[row.index()] > seen),
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
        if !self.may_be_enabled(&effect.take) {
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

    fn may_be_enabled(&self, take: &[(Row, u32)]) -> bool {
        take.iter().enumerate().all(|(at, (row, count))| {
            self.pairs.may_be_marked(*row)
                && (*count < 2 || self.pairs.may_be_together(*row, *row))
                && take[..at].iter().all(|(other, _)| self.pairs.may_be_together(*row, *other))
        })
    }

    /// Where tokens are after all those of some rows were moved; what was together still is.
    fn moved(&mut self, others: &[u64], moves: &[(Row, Option<Row>)]) -> Vec<u64> {
        let present: Vec<(Row, Option<Row>)> = moves.iter().filter(|(from, _)| has(others, *from)).copied().collect();
        let image = |set: &[u64]| {
            let mut after = set.to_vec();
            present.iter().for_each(|(from, _)| remove(&mut after, *from));
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

    fn mark(&mut self, row: Row) {
        if !has(&self.pairs.marked, row) {
            put(&mut self.pairs.marked, row);
            self.touch(row);
        }
    }

    fn join(&mut self, row: Row, with: &[u64]) {
        let new: Vec<u64> = with.iter().zip(self.pairs.row_bits(row)).map(|(with, known)| with & !known).collect();
        let words = self.pairs.words;
        for other in rows(&new) {
            put(&mut self.pairs.together[row.index() * words..][..words], other);
            put(&mut self.pairs.together[other.index() * words..][..words], row);
            self.touch(row);
            self.touch(other);
        }
    }

    fn touch(&mut self, row: Row) {
        self.clock += 1;
        self.stamps[row.index()] = self.clock;
    }
}

#[cfg(test)]
mod tests {
    use selvedge_core::Chance;
    use selvedge_nets_syntax::net::TransitionId;

    use super::super::forward::fire;
    use super::super::marking::{Marking, OMEGA};
    use super::super::reduced_net::{Origin, Place};
    use super::*;

    type Raw<'a> = &'a [(u32, u32)];

    /// A step by plain numbers, for places of any type.
    fn step<P>(place: impl Fn(u32) -> P, take: Raw<'_>, give: Raw<'_>, moves: &[(u32, Option<u32>)]) -> Step<P> {
        let bag = |bag: Raw<'_>| bag.iter().map(|(at, count)| (place(*at), *count)).collect();
        let moves = moves.iter().map(|(from, to)| (place(*from), to.map(&place))).collect();
        Step { take: bag(take), give: bag(give), moves, origin: Origin::Transition(TransitionId(0)) }
    }

    fn marking(tokens: Raw<'_>) -> Mutex {
        tokens.iter().map(|(place, count)| (PlaceId(*place), *count)).collect()
    }

    #[test]
    fn states_of_one_component_exclude_each_other_and_what_needs_both() {
        // Two components with the states 0, 1 and 2, 3: the second moves only while the first is in 0, and back.
        let steps = [
            step(PlaceId, &[(0, 1), (2, 1)], &[(1, 1), (2, 1)], &[]),
            step(PlaceId, &[(0, 1), (2, 1)], &[(0, 1), (3, 1)], &[]),
            step(PlaceId, &[(1, 1), (3, 1)], &[(4, 1)], &[]),
        ];
        let pairs = MutexPairs::of(&[1, 0, 1, 0, 0], &steps, &[true; 5]).expect("some exclude each other");
        let together = |row: u32, other: u32| pairs.may_be_together(Row(row), Row(other));
        assert!(together(0, 3) && together(1, 2) && !together(0, 1));
        let is_excluded = |tokens: Raw<'_>| pairs.exclude(&marking(tokens)) == Some(marking(tokens));
        assert!(is_excluded(&[(1, 1), (3, 1)]));
        assert!(is_excluded(&[(0, 2)]));
        assert!(is_excluded(&[(4, 1)]), "the last step is never enabled");
        assert_eq!(pairs.exclude(&marking(&[(0, 1), (1, 0), (4, 0)])), None, "a place without tokens is not marked");
    }

    #[test]
    fn a_place_with_any_number_of_tokens_is_compatible_with_itself() {
        let steps = [step(PlaceId, &[(0, 1)], &[(2, 1)], &[])];
        let pairs = MutexPairs::of(&[OMEGA, 1, 0], &steps, &[true; 3]).expect("place 1 has one token");
        let twice = |row: u32| pairs.may_be_together(Row(row), Row(row));
        assert!(twice(0) && twice(2) && !twice(1));
    }

    #[test]
    fn reachable_markings_are_never_excluded() {
        let mut chance = Chance::new(11);
        let mut next = |limit: usize| chance.below(limit) as u32;
        let mut seen = 0;
        for _ in 0..1_500 {
            let mut steps: Vec<(Step<PlaceId>, Step<Place>)> = Vec::new();
            for _ in 0..5 {
                let mut bag = || (0..5).map(|at| (at, next(4).saturating_sub(2))).filter(|(_, n)| *n > 0).collect();
                let (take, give): (Vec<_>, Vec<_>) = (bag(), bag());
                let (from, to) = (next(5), next(6));
                let moves = Vec::from_iter((next(3) == 0 && from != to).then(|| (from, (to < 5).then_some(to))));
                steps.push((step(PlaceId, &take, &give, &moves), step(Place, &take, &give, &moves)));
            }
            let (raw, plain): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
            let initial: Vec<u32> = (0..5).map(|_| next(4) / 2).collect();
            let Some(pairs) = MutexPairs::of(&initial, &raw, &[true; 5]) else { continue };
            let mut markings = vec![Marking::from_dense(&initial)];
            for at in 0..200 {
                let Some(current) = markings.get(at).cloned() else { break };
                let tokens: Mutex = current.0.iter().map(|(place, n)| (PlaceId(place.0), *n)).collect();
                assert_eq!(pairs.exclude(&tokens), None, "{initial:?} {raw:?} {current:?}");
                seen += 1;
                for after in plain.iter().filter_map(|step| fire(step, &current)) {
                    if !markings.contains(&after) {
                        markings.push(after);
                    }
                }
            }
        }
        assert!(seen > 5_000, "{seen} markings");
    }
}
