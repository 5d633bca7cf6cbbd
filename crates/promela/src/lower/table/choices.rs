//! Choices: nested ones become one, and the escapes of `unless` come first.

use super::super::graph::El;
use crate::program::Control;

/// What stands at an element before nested choices are flattened.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Empty,
    Single(Raw),
    Choice(Vec<El>),
}

/// A transition before its action has a number.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    /// The element that acts; identifies the transition.
    pub element: El,
    pub target: Option<El>,
    pub atomic: bool,
    /// First elements of the escapes that apply here, in the order Spin keeps them.
    pub escapes: Vec<El>,
    pub escape: Option<El>,
}

/// A choice inside a choice becomes part of it; then every choice gets its options' transitions.
pub(super) fn flatten(mut entries: Vec<Entry>, controls: &mut [Control]) -> Vec<Vec<Raw>> {
    loop {
        let mut changed = false;
        for element in 0..entries.len() {
            let Entry::Choice(options) = &entries[element] else { continue };
            if !options.iter().any(|o| matches!(entries[*o], Entry::Choice(_))) {
                continue;
            }
            let mut flat = Vec::new();
            for option in options.clone() {
                match &entries[option] {
                    Entry::Choice(inner) => {
                        changed |= inner.as_slice() != [element];
                        for leaf in inner {
                            inherit(controls, option, Some(*leaf));
                        }
                        flat.extend(inner.iter().copied());
                    }
                    _ => flat.push(option),
                }
            }
            entries[element] = Entry::Choice(flat);
        }
        if !changed {
            break;
        }
    }
    let pulled: Vec<Vec<Raw>> = entries
        .iter()
        .map(|entry| match entry {
            Entry::Empty => Vec::new(),
            Entry::Single(raw) => vec![raw.clone()],
            Entry::Choice(options) => options
                .iter()
                .filter_map(|option| match &entries[*option] {
                    Entry::Single(raw) => {
                        inherit(controls, *option, raw.target);
                        Some(raw.clone())
                    }
                    _ => None,
                })
                .collect(),
        })
        .collect();
    pulled
}

/// A label inside a choice takes effect where the choice's step leads, as in Spin.
fn inherit(controls: &mut [Control], from: El, to: Option<El>) {
    let Some(to) = to else { return };
    let (end, accept, progress) = {
        let c = &controls[from + 1];
        (c.valid_end, c.accept, c.progress)
    };
    let c = &mut controls[to + 1];
    c.valid_end |= end;
    c.accept |= accept;
    c.progress |= progress;
}

/// Puts the transitions of escapes in front.
pub(super) fn with_escapes(mut lists: Vec<Vec<Raw>>) -> Vec<Vec<Raw>> {
    let depth = lists.iter().flatten().map(|raw| raw.escapes.len()).max().unwrap_or(0);
    for state in 0..lists.len() {
        let own = lists[state].clone();
        let mut list = own.clone();
        for raw in &own {
            for escape in (0..depth).rev().filter_map(|k| raw.escapes.get(k)) {
                for transition in lists[*escape].clone() {
                    if list.iter().any(|t| t.element == transition.element) {
                        continue;
                    }
                    list.insert(0, Raw { escape: Some(*escape), ..transition });
                }
            }
        }
        lists[state] = list;
    }
    lists
}
