//! Which step of a run made which later one possible, for the arrows of the view: the unlock before a lock, the send of a
//! message, the last step of a thread that is joined.

use std::collections::HashMap;

use selvedge_core::trace::{LinkKind, TraceLink};
use selvedge_stateless::RunStep;

/// The links of each of the steps that are shown; `joined` tells the number of the thread that a step waits for.
pub(super) fn links(steps: &[&RunStep], joined: impl Fn(&RunStep) -> Option<u32>) -> Vec<Vec<TraceLink>> {
    let mut released: HashMap<&str, usize> = HashMap::new();
    let mut sent: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut received: HashMap<&str, usize> = HashMap::new();
    let mut last: HashMap<u32, usize> = HashMap::new();
    let mut all = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let object = step.object.as_deref().unwrap_or_default();
        let link = match step.verb {
            "lock" | "read lock" | "write lock" | "wake and lock" => {
                released.get(object).map(|from| (*from, LinkKind::Lock))
            }
            "recv" | "recv_timeout" => {
                let nth = received.entry(object).or_default();
                let from = sent.get(object).and_then(|sends| sends.get(*nth));
                *nth += 1;
                from.map(|from| (*from, LinkKind::Message))
            }
            "join" => joined(step).and_then(|thread| last.get(&thread)).map(|from| (*from, LinkKind::Join)),
            _ => None,
        };
        match step.verb {
            "unlock" | "read unlock" | "write unlock" => drop(released.insert(object, index)),
            "send" | "try_send" => sent.entry(object).or_default().push(index),
            _ => {}
        }
        last.insert(step.thread.0, index);
        let link = link.filter(|(from, _)| steps[*from].thread != step.thread).map(|(from, kind)| TraceLink {
            step: from as u32 + 1,
            kind,
            what: step.object.clone(),
        });
        all.push(link.into_iter().collect());
    }
    all
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use selvedge_core::Switch;
    use selvedge_stateless::ThreadId;

    use super::*;

    #[test]
    fn locks_messages_and_ends_are_followed() {
        let step = |thread: u32, verb: &'static str, object: &str| RunStep {
            thread: ThreadId(thread),
            at: Location::caller(),
            verb,
            object: (!object.is_empty()).then(|| object.to_owned()),
            object_at: None,
            note: None,
            switch: Switch::None,
        };
        let steps = [
            step(1, "lock", "m"),
            step(1, "unlock", "m"),
            step(1, "lock", "m"),
            step(1, "unlock", "m"),
            step(0, "lock", "m"),
            step(1, "send", "q"),
            step(1, "send", "q"),
            step(0, "recv", "q"),
            step(0, "recv", "q"),
            step(0, "join", ""),
        ];
        let found = links(&steps.iter().collect::<Vec<_>>(), |_| Some(1));
        let found: Vec<Option<(u32, LinkKind)>> =
            found.iter().map(|links| links.first().map(|link| (link.step, link.kind))).collect();
        use LinkKind::{Join, Lock, Message};
        let follows = [Some((4, Lock)), None, None, Some((6, Message)), Some((7, Message)), Some((7, Join))];
        assert_eq!(found[..4], [None; 4], "a thread that takes its own lock again was not helped");
        assert_eq!(found[4..], follows);
    }
}
