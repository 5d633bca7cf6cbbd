//! How the whole state changes from step to step, by the full names of the variables. The changes in a step's view use
//! the short names of the thread that acts; a reader who keeps the state of all threads needs the full ones.

use std::collections::{HashMap, HashSet};

use selvedge_core::trace::{Changes, StateChanges};

/// Each name once, with the last of its values.
pub(super) fn first_of_each(variables: Vec<(String, String)>) -> Vec<(String, String)> {
    let last: HashMap<String, String> = variables.iter().cloned().collect();
    let mut seen = HashSet::new();
    let names = variables.into_iter().map(|(name, _)| name).filter(|name| seen.insert(name.clone()));
    names
        .map(|name| {
            let value = last[&name].clone();
            (name, value)
        })
        .collect()
}

/// The variables that are new, changed or gone between two states. `None` if these are exactly the changes of the step.
pub(super) fn state_changes(
    [before, after]: [Vec<(String, String)>; 2],
    Changes(of_step): &Changes,
) -> Option<StateChanges> {
    let (before, after) = (first_of_each(before), first_of_each(after));
    let values = |list: &[(String, String)]| list.iter().cloned().collect::<HashMap<String, String>>();
    let (old, new) = (values(&before), values(&after));
    let came = after.iter().filter(|(name, value)| old.get(name) != Some(value));
    let came = came.map(|(name, value)| (name.clone(), Some(value.clone())));
    let gone = before.iter().filter(|(name, _)| !new.contains_key(name)).map(|(name, _)| (name.clone(), None));
    let changes: Vec<(String, Option<String>)> = came.chain(gone).collect();
    let same = changes.len() == of_step.len()
        && changes.iter().zip(of_step).all(|((name, value), (n, v))| name == n && value.as_ref() == Some(v));
    (!same).then_some(StateChanges(changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<(String, String)> {
        let entry = |word: &str| word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        text.split_whitespace().filter_map(entry).collect()
    }

    fn changes(before: &str, after: &str, of_step: &str) -> Option<StateChanges> {
        state_changes([list(before), list(after)], &Changes(list(of_step)))
    }

    #[test]
    fn what_comes_changes_and_goes_is_shown_by_full_names() {
        let changed = changes("x=0 p[1].t=0", "x=0 p[1].t=1", "t=1").expect("the names differ");
        assert_eq!(changed.0, [("p[1].t".to_owned(), Some("1".to_owned()))]);
        assert_eq!(changes("x=0 p[1].t=1", "x=2 p[1].t=1", "x=2"), None, "the step says it all");
        let changed = changes("x=2 p[1].t=1", "x=2 q[2].u=7", "").expect("variables came and went");
        assert_eq!(changed.0, [("q[2].u".to_owned(), Some("7".to_owned())), ("p[1].t".to_owned(), None)]);
        assert_eq!(changes("x=2 q[2].u=7", "x=2 q[2].u=7", "x=2"), Some(StateChanges::default()));
        assert_eq!(first_of_each(list("x=2 q=7 x=3")), list("x=3 q=7"));
    }
}
