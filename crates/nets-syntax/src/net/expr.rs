//! From guards and assignments of a rule to a transition. An assignment `x' = y + z + 1` says where tokens
//! go: each place's tokens must go to one place at most, else tokens would be copied.

use std::collections::BTreeMap;

use selvedge_source::Span;

use super::model::{PlaceId, Transition, bag};

/// `x' = y + … + c`.
#[derive(Debug)]
pub(super) struct Assignment {
    /// The place assigned to.
    pub place: PlaceId,
    /// Places whose tokens are added up.
    pub terms: Vec<PlaceId>,
    /// What is added to them.
    pub constant: i64,
    /// Where it stands.
    pub span: Span,
}

/// Why a rule is no transition: the place of the mistake and a sentence.
pub(super) type Mistake = (Span, String);

/// The transition of a rule.
pub(super) fn transition(
    guards: &BTreeMap<PlaceId, u32>,
    assignments: &[Assignment],
    span: Span,
    name: &dyn Fn(PlaceId) -> String,
) -> Result<Transition, Mistake> {
    let goes = destinations(guards, assignments, name)?;
    let mut take = guards.clone();
    // What comes to each place besides the tokens that move: its guards' tokens, and the constants.
    let mut give: BTreeMap<PlaceId, i64> = BTreeMap::new();
    for (place, count) in guards {
        if let Some(to) = goes.get(place).copied().unwrap_or(Some(*place)) {
            *give.entry(to).or_default() += i64::from(*count);
        }
    }
    for assignment in assignments {
        *give.entry(assignment.place).or_default() += assignment.constant;
        let missing = -give[&assignment.place];
        if missing > 0 {
            if assignment.terms != [assignment.place] {
                let message = format!("`{}` may become negative: a guard must prevent this", name(assignment.place));
                return Err((assignment.span, message));
            }
            // `x' = x - 1` without a guard happens only where it can.
            let more = u32::try_from(missing).map_err(|_| (assignment.span, "this number is too large".to_owned()))?;
            *take.entry(assignment.place).or_default() += more;
            give.insert(assignment.place, 0);
        }
    }
    let mut given = Vec::new();
    for (place, count) in give {
        given.push((place, u32::try_from(count).map_err(|_| (span, "the numbers are too large".to_owned()))?));
    }
    let moves = goes.into_iter().filter(|(from, to)| *to != Some(*from)).collect();
    Ok(Transition { take: bag(take), give: bag(given), moves, span })
}

/// Where the tokens of each place go that a rule speaks of: to a place, or away.
fn destinations(
    guards: &BTreeMap<PlaceId, u32>,
    assignments: &[Assignment],
    name: &dyn Fn(PlaceId) -> String,
) -> Result<BTreeMap<PlaceId, Option<PlaceId>>, Mistake> {
    let assigned = |place: PlaceId| assignments.iter().find(|assignment| assignment.place == place);
    let terms = assignments.iter().flat_map(|assignment| assignment.terms.iter().copied());
    let mut goes: BTreeMap<PlaceId, Option<PlaceId>> = BTreeMap::new();
    for place in guards.keys().copied().chain(terms).chain(assignments.iter().map(|assignment| assignment.place)) {
        // Without an assignment a place keeps its tokens.
        goes.insert(place, assigned(place).is_none().then_some(place));
    }
    for assignment in assignments {
        for term in &assignment.terms {
            match goes.get(term) {
                Some(None) => goes.insert(*term, Some(assignment.place)),
                _ => {
                    let message = format!("the tokens of `{}` are used twice: a net cannot copy them", name(*term));
                    return Err((assignment.span, message));
                }
            };
        }
    }
    Ok(goes)
}
