//! How the whole state changes from step to step, by the full names of the variables. The changes that a step's view
//! tells use the short names of the thread that acts; a reader who keeps the state of all threads needs the full ones.

use std::collections::{HashMap, HashSet};

use selvedge_core::trace::{Changes, StateChanges};

/// The variables after the last step told.
pub(super) struct Values {
    /// In the order of the state, each name once.
    order: Vec<String>,
    values: HashMap<String, String>,
}

impl Values {
    pub(super) fn of(variables: Vec<(String, String)>) -> Self {
        let mut seen = HashSet::new();
        let order = variables.iter().map(|(name, _)| name).filter(|name| seen.insert(*name)).cloned().collect();
        Values { order, values: variables.into_iter().collect() }
    }

    /// Every variable with its value.
    pub(super) fn all(&self) -> Vec<(String, String)> {
        self.order.iter().map(|name| (name.clone(), self.values[name].clone())).collect()
    }

    /// Goes on to the state after a step: what came, changed and went. `None` if `told` says just that.
    pub(super) fn step(&mut self, variables: Vec<(String, String)>, told: &Changes) -> Option<StateChanges> {
        let after = Values::of(variables);
        let differs = |name: &&String| self.values.get(*name) != after.values.get(*name);
        let new = after.order.iter().filter(differs).map(|name| (name.clone(), after.values.get(name).cloned()));
        let gone = self.order.iter().filter(|name| !after.values.contains_key(*name)).map(|name| (name.clone(), None));
        let changes: Vec<(String, Option<String>)> = new.chain(gone).collect();
        *self = after;
        let same = changes.len() == told.0.len()
            && changes.iter().zip(&told.0).all(|((name, value), (n, v))| name == n && value.as_ref() == Some(v));
        (!same).then_some(StateChanges(changes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<(String, String)> {
        let entry = |word: &str| word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        text.split_whitespace().filter_map(entry).collect()
    }

    #[test]
    fn what_comes_changes_and_goes_is_told_by_full_names() {
        let mut values = Values::of(list("x=0 p[1].t=0"));
        let short = Changes(list("t=1"));
        let changed = values.step(list("x=0 p[1].t=1"), &short).expect("the names differ");
        assert_eq!(changed.0, [("p[1].t".to_owned(), Some("1".to_owned()))]);
        assert_eq!(values.step(list("x=2 p[1].t=1"), &Changes(list("x=2"))), None, "the step says it all");
        let changed = values.step(list("x=2 q[2].u=7"), &Changes::default()).expect("variables came and went");
        assert_eq!(changed.0, [("q[2].u".to_owned(), Some("7".to_owned())), ("p[1].t".to_owned(), None)]);
        assert_eq!(values.step(list("x=2 q[2].u=7"), &Changes(list("x=2"))), Some(StateChanges::default()));
        assert_eq!(values.all(), list("x=2 q[2].u=7"));
    }
}
