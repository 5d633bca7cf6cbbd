//! One answer from the answers to several properties: the worst verdict, with the figures of the search that decides it,
//! the violations of all, and what each of them says. The runs come first in the list of violations, as in the answer of
//! one search.

use selvedge_core::{Bound, Verdict};

use crate::answer::Answer;
use crate::parts::{Property, PropertyAnswer};
use crate::properties::Checked;

/// The answer to everything. Of the properties `open`, nothing is known yet.
pub(crate) fn combined<'a>(mut parts: Vec<Answer>, open: impl Iterator<Item = &'a Property>) -> Answer {
    let open: Vec<PropertyAnswer> = open.cloned().map(PropertyAnswer::open).collect();
    if parts.len() == 1 && open.is_empty() {
        return parts.remove(0);
    }
    let deciding = (0..parts.len()).min_by_key(|index| rank(&parts[*index])).unwrap_or(0);
    let mut whole = parts[deciding].clone();
    if !open.is_empty() && whole.verdict != Verdict::Violated {
        (whole.verdict, whole.complete) = (Verdict::Inconclusive, false);
    }
    whole.covered = covered(&parts).filter(|_| open.is_empty() || whole.verdict == Verdict::Violated);
    whole.stats.seconds = parts.iter().map(|part| part.stats.seconds).sum();
    whole.stats.peak_memory_bytes = parts.iter().map(|part| part.stats.peak_memory_bytes).max().unwrap_or_default();
    whole.traces = parts.iter().flat_map(|part| part.traces.clone()).collect();
    for part in &mut parts {
        let name = part.properties.first().map(|property| property.property.name.clone());
        part.violations.iter_mut().for_each(|violation| violation.property.clone_from(&name));
    }
    let with_runs = parts.iter().flat_map(|part| part.violations.iter().take(part.traces.len()));
    let without = parts.iter().flat_map(|part| part.violations.iter().skip(part.traces.len()));
    whole.violations = with_runs.chain(without).cloned().collect();
    whole.properties = properties(&parts).into_iter().chain(open).collect();
    whole.checked = parts.iter().fold(Checked::default(), |all, part| all.and(&part.checked));
    whole.warnings.clear();
    for warning in parts.iter().flat_map(|part| &part.warnings) {
        if !whole.warnings.contains(warning) {
            whole.warnings.push(warning.clone());
        }
    }
    whole.parts = parts;
    whole
}

/// The worst verdict decides; of several that are inconclusive, the search that got least far.
fn rank(answer: &Answer) -> (u8, bool, Option<u32>) {
    let verdict = match answer.verdict {
        Verdict::Violated => 0,
        Verdict::Inconclusive => 1,
        Verdict::HoldsWithinBound => 2,
        Verdict::Holds => 3,
    };
    let last = answer.layers.last().map(|layer| layer.bound);
    (verdict, answer.complete, last.filter(|_| answer.verdict == Verdict::Inconclusive))
}

/// The bound within which no property is violated; one that holds is covered by every bound.
fn covered(parts: &[Answer]) -> Option<Bound> {
    let bounds: Vec<Option<Bound>> =
        parts.iter().filter(|part| part.verdict != Verdict::Holds).map(|part| part.covered).collect();
    let all: Option<Vec<Bound>> = bounds.into_iter().collect();
    all?.into_iter().min_by_key(|bound| bound.value)
}

/// What each property says, its violation numbered as in the whole answer.
fn properties(parts: &[Answer]) -> Vec<PropertyAnswer> {
    let (mut runs, mut others) = (0, parts.iter().map(|part| part.traces.len()).sum::<usize>());
    let mut all = Vec::new();
    for part in parts {
        let here = part.traces.len();
        for mut property in part.properties.iter().cloned() {
            let place = |index: usize| if index < here { runs + index } else { others + index - here };
            property.violation = property.violation.map(place);
            all.push(property);
        }
        runs += here;
        others += part.violations.len().saturating_sub(here);
    }
    all
}
