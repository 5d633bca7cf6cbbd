//! What a net is: places with tokens, transitions that take tokens and give tokens, and markings that no
//! run may cover. A transition takes first, then moves all that is left in some places elsewhere (a
//! transfer) or away (a reset), then gives. More tokens never prevent anything.

use selvedge_source::Span;

/// A place: index into [`Net::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(pub u32);

/// A transition: index into [`Net::transitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TransitionId(pub u32);

/// How many tokens in which places: sorted by place, each once, never 0.
pub type Bag = Vec<(PlaceId, u32)>;

/// The tokens of a place at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// At least so many.
    pub least: u32,
    /// At most so many; `None` is any number.
    pub most: Option<u32>,
    /// Where the file says so.
    pub span: Option<Span>,
}

/// A marking that no run may cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The marking.
    pub need: Bag,
    /// Where it stands.
    pub span: Span,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Tokens that it takes.
    pub take: Bag,
    /// Tokens that it gives.
    pub give: Bag,
    /// Places whose other tokens all go to another place, or away; sorted by place.
    pub moves: Vec<(PlaceId, Option<PlaceId>)>,
    /// Where it stands.
    pub span: Span,
}

/// A net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// Names of the places.
    pub places: Vec<String>,
    /// The transitions, in the order of the file.
    pub transitions: Vec<Transition>,
    /// The tokens at the start, by place.
    pub initial: Vec<Tokens>,
    /// The markings that no run may cover.
    pub targets: Vec<Target>,
}

/// Tokens at the start that a run wants, in places where their number is not fixed.
pub type Start = Vec<(PlaceId, u32)>;

impl Transition {
    /// The marking after the transition; `None` if it lacks tokens.
    pub fn fire(&self, marking: &[u32]) -> Option<Vec<u32>> {
        // Most transitions lack tokens in most markings: nothing is copied for them.
        if self.take.iter().any(|(place, count)| marking[place.0 as usize] < *count) {
            return None;
        }
        let mut after = marking.to_vec();
        for (place, count) in &self.take {
            let tokens = &mut after[place.0 as usize];
            *tokens = tokens.checked_sub(*count)?;
        }
        let left: Vec<u32> = self.moves.iter().map(|(from, _)| std::mem::take(&mut after[from.0 as usize])).collect();
        for ((_, to), count) in self.moves.iter().zip(left) {
            if let Some(to) = to {
                after[to.0 as usize] = after[to.0 as usize].checked_add(count)?;
            }
        }
        for (place, count) in &self.give {
            after[place.0 as usize] = after[place.0 as usize].checked_add(*count)?;
        }
        Some(after)
    }

    /// The same for a marking that has only the places with tokens.
    pub fn fire_marked(&self, marking: &Bag) -> Option<Bag> {
        if self.take.iter().any(|(place, count)| held(marking, *place) < *count) {
            return None;
        }
        let mut after = marking.clone();
        for (place, count) in &self.take {
            let tokens = tokens_of(&mut after, *place);
            *tokens = tokens.checked_sub(*count)?;
        }
        let left: Vec<u32> = self.moves.iter().map(|(from, _)| std::mem::take(tokens_of(&mut after, *from))).collect();
        let moved = self.moves.iter().zip(left).filter_map(|((_, to), count)| Some(((*to)?, count)));
        for (place, count) in moved.chain(self.give.iter().copied()) {
            let tokens = tokens_of(&mut after, place);
            *tokens = tokens.checked_add(count)?;
        }
        after.retain(|(_, tokens)| *tokens > 0);
        Some(after)
    }
}

/// The tokens of a place in a sorted bag.
pub fn held(marking: &Bag, place: PlaceId) -> u32 {
    marking.binary_search_by_key(&place, |(other, _)| *other).map_or(0, |at| marking[at].1)
}

/// The same, to be changed; a place without tokens is entered.
pub fn tokens_of(marking: &mut Bag, place: PlaceId) -> &mut u32 {
    let at = match marking.binary_search_by_key(&place, |(other, _)| *other) {
        Ok(at) => at,
        Err(at) => {
            marking.insert(at, (place, 0));
            at
        }
    };
    &mut marking[at].1
}

impl Target {
    /// Whether a marking covers it.
    pub fn is_covered(&self, marking: &[u32]) -> bool {
        self.need.iter().all(|(place, count)| marking[place.0 as usize] >= *count)
    }

    /// The same for a marking that has only the places with tokens.
    pub fn is_covered_by(&self, marking: &Bag) -> bool {
        self.need.iter().all(|(place, count)| held(marking, *place) >= *count)
    }
}

impl Net {
    /// The name of a place.
    pub fn place_name(&self, place: PlaceId) -> &str {
        &self.places[place.0 as usize]
    }

    /// Tokens as people read them: `x >= 1, y >= 2`.
    pub fn shown(&self, bag: &[(PlaceId, u32)]) -> String {
        let list = bag.iter().map(|(place, count)| format!("{} >= {count}", self.place_name(*place)));
        list.collect::<Vec<_>>().join(", ")
    }
}

/// A bag from counts in any order; those of one place are added.
pub fn bag(counts: impl IntoIterator<Item = (PlaceId, u32)>) -> Bag {
    let mut list: Bag = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    list.sort_unstable();
    let mut merged: Bag = Vec::with_capacity(list.len());
    for (place, count) in list {
        match merged.last_mut() {
            Some((last, sum)) if *last == place => *sum = sum.saturating_add(count),
            _ => merged.push((place, count)),
        }
    }
    merged
}
