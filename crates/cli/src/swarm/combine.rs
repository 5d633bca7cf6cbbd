//! What several searches of the same model amount to together.
//!
//! An exact search that completed a bound speaks for all runs within it. A lossy search misses each state with some
//! probability; searches whose hash functions are independent all miss it with the product of these. As for one search,
//! states that are reached only through missed ones are left out of the account: the figure is an estimate, and proves
//! nothing.

use std::collections::BTreeMap;

use selvedge_verify::{Bound, BoundKind, Verdict};

use super::result::{Found, Reach};

/// The answer of a swarm.
#[derive(Clone, Debug, PartialEq)]
pub struct Combined {
    /// The verdict.
    pub verdict: Verdict,
    /// The search that decided it, or else the one that met most states.
    pub decider: Option<usize>,
    /// The largest bound within which an exact search met everything.
    pub covered: Option<Bound>,
    /// What lossy searches add beyond that, near first.
    pub lossy: Vec<Lossy>,
}

/// What lossy searches met together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lossy {
    /// Of these states.
    pub reach: Reach,
    /// The share that all of them are expected to have missed.
    pub missed: f64,
    /// How many searches there were.
    pub searches: usize,
}

/// Puts results together; with `asked`, fewer preemptions than that are no answer.
pub fn combine(results: &[Found], asked: Option<u32>) -> Combined {
    let violated = best_violation(results);
    let holds = results.iter().position(|found| found.verdict == Verdict::Holds && found.missed().is_none());
    let covered = covered(results);
    let within = covered.filter(|(_, bound)| match asked {
        Some(asked) => bound.kind == BoundKind::Preemptions && bound.value >= Some(asked),
        None => true,
    });
    let most = || (0..results.len()).max_by_key(|index| (results[*index].stats.states, usize::MAX - index));
    let (verdict, decider) = match (violated, holds, within) {
        (Some(index), _, _) => (Verdict::Violated, Some(index)),
        (None, Some(index), _) => (Verdict::Holds, Some(index)),
        (None, None, Some((index, _))) => (Verdict::HoldsWithinBound, Some(index)),
        (None, None, None) => (Verdict::Inconclusive, most()),
    };
    let covered = covered.map(|(_, bound)| bound);
    let lossy =
        if matches!(verdict, Verdict::Violated | Verdict::Holds) { Vec::new() } else { lossy(results, covered) };
    Combined { verdict, decider, covered, lossy }
}

/// The violation that is easiest to understand.
fn best_violation(results: &[Found]) -> Option<usize> {
    let cost = |index: &usize| {
        let violation = results[*index].violation.as_ref().map(|violation| &violation.found);
        violation.map_or((u32::MAX, u32::MAX, u32::MAX), |v| (v.preemptions.unwrap_or(u32::MAX), v.length, v.switches))
    };
    (0..results.len()).filter(|index| results[*index].verdict == Verdict::Violated).min_by_key(cost)
}

/// The largest bound that an exact search completed, on preemptions if there is one.
fn covered(results: &[Found]) -> Option<(usize, Bound)> {
    let rank = |kind| match kind {
        BoundKind::Preemptions => 3,
        BoundKind::Switches => 2,
        BoundKind::Rounds => 1,
        _ => 0,
    };
    // A search without a property found no violation, but that is no answer.
    let asked = results.iter().enumerate().filter(|(_, found)| !found.scope.checked.is_empty());
    let covered = asked.filter_map(|(index, found)| Some((index, found.search.covered?)));
    covered.max_by_key(|(index, bound)| (rank(bound.kind), bound.value, usize::MAX - index))
}

fn lossy(results: &[Found], covered: Option<Bound>) -> Vec<Lossy> {
    let known = covered.filter(|bound| bound.kind == BoundKind::Preemptions).and_then(|bound| bound.value);
    let reached = || results.iter().filter_map(|found| Some((found.lossy_reach()?, found)));
    let mut reaches: Vec<Reach> = reached().map(|(reach, _)| reach).collect();
    reaches.retain(|reach| known.is_none_or(|known| *reach > Reach::Bound(known)));
    reaches.sort_unstable();
    reaches.dedup();
    reaches.into_iter().map(|reach| together(reach, reached().filter(|(r, _)| *r >= reach).map(|(_, f)| f))).collect()
}

/// Searches with the same seed have the same hash function: the better one counts.
fn together<'a>(reach: Reach, searches: impl Iterator<Item = &'a Found>) -> Lossy {
    let mut by_seed: BTreeMap<u64, f64> = BTreeMap::new();
    for found in searches {
        let missed = found.missed().unwrap_or(0.0);
        let least = by_seed.entry(found.search.seed.unwrap_or(0)).or_insert(missed);
        *least = least.min(missed);
    }
    Lossy { reach, missed: by_seed.values().product(), searches: by_seed.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result as `check --json` prints it, with these fields.
    fn found(verdict: &str, stop: &str, layers: u32, more: &str) -> Found {
        let layers: Vec<String> = (0..layers)
            .map(|bound| format!(r#"{{"bound":{bound},"states":1,"new_states":1,"transitions":1,"seconds":0}}"#))
            .collect();
        let text = format!(
            r#"{{"schema":1,"input":{{"path":"a.pml","language":"promela"}},"verdict":"{verdict}","stop":"{stop}",
            "bound":{{"kind":"preemptions","value":null,"complete":true}},"layers":[{}],
            "stats":{{"states":5,"transitions":5,"max_depth":1,"seconds":0,"peak_memory_bytes":1,"bytes_per_state":1}},
            "properties":[],"scope":{{"checked":["assertions"],"not_checked":[]}},{more}}}"#,
            layers.join(",")
        );
        Found::read(&text).expect(&text)
    }

    fn search(seed: u64, covered: &str, omission: &str) -> String {
        format!(
            r#""search":{{"kind":"layered","store":"x","seed":{seed},"claim":null,"fair":false,"count_busy_wait":false,
            "covered":{covered},"omission":{omission}}},"violation":null"#
        )
    }

    fn exact(verdict: &str, stop: &str, covered: u32) -> Found {
        let bound = format!(r#"{{"kind":"preemptions","value":{covered}}}"#);
        found(verdict, stop, covered + 1, &search(0, &bound, "null"))
    }

    fn lossy(stop: &str, layers: u32, seed: u64, share: f64) -> Found {
        let omission = format!(r#"{{"expected-coverage":{share}}}"#);
        found("inconclusive", stop, layers, &search(seed, "null", &omission))
    }

    fn violated(preemptions: u32, length: u32) -> Found {
        let violation = format!(
            r#","violation":{{"kind":"assertion","message":"m","location":null,"preemptions":{preemptions},
            "switches":9,"length":{length}}}"#
        );
        let more = search(0, "null", "null").replace(r#","violation":null"#, &violation);
        found("violated", "violation", 0, &more)
    }

    #[test]
    fn a_violation_beats_everything_and_the_simplest_one_is_shown() {
        let results = [exact("holds", "exhausted", 3), violated(2, 5), violated(1, 9), violated(1, 8)];
        let combined = combine(&results, None);
        assert_eq!((combined.verdict, combined.decider), (Verdict::Violated, Some(3)));
    }

    #[test]
    fn one_exact_search_to_the_end_is_enough() {
        let results = [lossy("exhausted", 2, 1, 0.5), exact("holds", "exhausted", 3)];
        let combined = combine(&results, Some(9));
        assert_eq!((combined.verdict, combined.decider), (Verdict::Holds, Some(1)));
        assert!(combined.lossy.is_empty());
    }

    #[test]
    fn the_largest_complete_bound_counts_unless_more_was_asked_for() {
        let results = [exact("inconclusive", "time-limit", 2), exact("holds-within-bound", "bound", 1)];
        let combined = combine(&results, None);
        assert_eq!((combined.verdict, combined.decider), (Verdict::HoldsWithinBound, Some(0)));
        assert_eq!(combined.covered.and_then(|bound| bound.value), Some(2));
        assert_eq!(combine(&results, Some(2)).verdict, Verdict::HoldsWithinBound);
        assert_eq!(combine(&results, Some(3)).verdict, Verdict::Inconclusive);
    }

    #[test]
    fn independent_searches_multiply_what_they_miss() {
        let results = [
            lossy("exhausted", 4, 1, 0.9),
            lossy("exhausted", 4, 2, 0.5),
            lossy("exhausted", 4, 2, 0.8),
            lossy("bound", 2, 3, 0.75),
            lossy("max-depth", 4, 4, 0.5),
        ];
        let combined = combine(&results, None);
        assert_eq!(combined.verdict, Verdict::Inconclusive);
        let [near, all] = combined.lossy.as_slice() else { panic!("{combined:?}") };
        assert_eq!((near.reach, near.searches), (Reach::Bound(1), 3));
        assert!((near.missed - 0.1 * 0.2 * 0.25).abs() < 1e-12, "{near:?}");
        assert_eq!((all.reach, all.searches), (Reach::Everything, 2));
        assert!((all.missed - 0.1 * 0.2).abs() < 1e-12, "{all:?}");
    }

    #[test]
    fn lossy_searches_add_nothing_within_a_bound_that_is_proved() {
        let results =
            [exact("holds-within-bound", "bound", 2), lossy("bound", 2, 1, 0.9), lossy("exhausted", 4, 2, 0.9)];
        let combined = combine(&results, None);
        assert_eq!(combined.verdict, Verdict::HoldsWithinBound);
        assert_eq!(combined.lossy.iter().map(|lossy| lossy.reach).collect::<Vec<_>>(), [Reach::Everything]);
    }

    #[test]
    fn a_lossy_search_never_proves() {
        let mut wrong = lossy("exhausted", 2, 1, 1.0);
        wrong.verdict = Verdict::Holds;
        assert_eq!(combine(&[wrong], None).verdict, Verdict::Inconclusive);
        assert_eq!(combine(&[], None).verdict, Verdict::Inconclusive);
    }
}
