//! Which step of a run made which later one possible, for the arrows of the view: the unlock before a lock, the send of a
//! message, the start of a thread, the last step of one that is joined, the notification of one that waited. And which step was not
//! seen: the newest store that a stale access overlooks.

use std::collections::HashMap;

use selvedge_core::trace::{LinkKind, TraceLink};
use selvedge_stateless::RecordedStep;

use crate::primitive::notes;

/// The links of each of the steps that are shown.
pub(super) fn links(steps: &[&RecordedStep]) -> Vec<Vec<TraceLink>> {
    let mut past = Past::default();
    let mut all = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let causes = past.causes(step);
        let others = causes.into_iter().filter(|(from, _)| steps[*from].thread != step.thread);
        let link = |(from, kind): (usize, LinkKind)| TraceLink {
            step: from as u32 + 1,
            kind,
            what: match kind {
                LinkKind::Unblocks => step.second.clone(),
                LinkKind::Spawn | LinkKind::Join => None,
                LinkKind::Message | LinkKind::Lock | LinkKind::Unseen => step.object.clone(),
            },
        };
        all.push(others.map(link).collect());
        past.add(index, step);
    }
    all
}

/// The newest store that a stale step of a run does not see, among the steps that are shown.
pub(super) fn unseen(run: &[RecordedStep], shown: &[&RecordedStep], step: &RecordedStep) -> Option<TraceLink> {
    let store = run.get(step.stale.as_ref()?.newest?)?;
    let from = shown.iter().position(|shown| std::ptr::eq(*shown, store))?;
    Some(TraceLink { step: from as u32 + 1, kind: LinkKind::Unseen, what: step.object.clone() })
}

/// What happened so far, by step.
#[derive(Default)]
struct Past<'a> {
    /// Of each lock the last unlock, and the last by a writer.
    released: HashMap<&'a str, usize>,
    written: HashMap<&'a str, usize>,
    /// Of each channel the sends, and how many messages were received.
    sent: HashMap<&'a str, Vec<usize>>,
    received: HashMap<&'a str, usize>,
    /// Of each condvar the last notification.
    notified: HashMap<&'a str, usize>,
    /// Of each thread its last step, or its start.
    last: HashMap<u32, usize>,
    /// The starts of threads that have made no step.
    started: HashMap<u32, usize>,
}

impl<'a> Past<'a> {
    /// The steps that `step` had to wait for, or those that it goes on from.
    fn causes(&self, step: &RecordedStep) -> Vec<(usize, LinkKind)> {
        let object = step.object.as_deref().unwrap_or_default();
        let second = step.second.as_deref().unwrap_or_default();
        let lock = |by: &HashMap<&str, usize>| by.get(object).map(|from| (*from, LinkKind::Lock));
        let start = self.started.get(&step.thread.0).map(|from| (*from, LinkKind::Spawn));
        let (one, two) = match step.verb {
            "lock" | "write lock" => (lock(&self.released), None),
            "read lock" => (lock(&self.written), None),
            "wake and lock" => {
                (self.notified.get(second).map(|from| (*from, LinkKind::Unblocks)), lock(&self.released))
            }
            "recv" | "recv_timeout" | "try_recv" if succeeds(step) => {
                let nth = self.received.get(object).copied().unwrap_or_default();
                let from = self.sent.get(object).and_then(|sends| sends.get(nth));
                (from.map(|from| (*from, LinkKind::Message)), None)
            }
            "join" => {
                let last = step.other.and_then(|thread| self.last.get(&thread.0));
                (last.map(|from| (*from, LinkKind::Join)), None)
            }
            _ => (None, None),
        };
        [start, one, two].into_iter().flatten().collect()
    }

    fn add(&mut self, index: usize, step: &'a RecordedStep) {
        let object = step.object.as_deref().unwrap_or_default();
        self.started.remove(&step.thread.0);
        self.last.insert(step.thread.0, index);
        match step.verb {
            "unlock" | "write unlock" => {
                self.released.insert(object, index);
                self.written.insert(object, index);
            }
            "read unlock" => drop(self.released.insert(object, index)),
            "wait" => drop(step.second.as_deref().map(|mutex| self.released.insert(mutex, index))),
            "notify_one" | "notify_all" => drop(self.notified.insert(object, index)),
            "send" | "try_send" if succeeds(step) => self.sent.entry(object).or_default().push(index),
            "recv" | "recv_timeout" | "try_recv" if succeeds(step) => *self.received.entry(object).or_default() += 1,
            "spawn" => {
                if let Some(child) = step.other {
                    self.started.insert(child.0, index);
                    self.last.insert(child.0, index);
                }
            }
            _ => {}
        }
    }
}

/// Whether a message went through.
fn succeeds(step: &RecordedStep) -> bool {
    let result = notes::read(step.note.as_deref().unwrap_or("")).result;
    !matches!(result, "would block" | "timed out" | "disconnected")
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use selvedge_core::Switch;
    use selvedge_stateless::ThreadId;

    use super::*;

    fn step(thread: u32, verb: &'static str, object: &str) -> RecordedStep {
        RecordedStep {
            thread: ThreadId(thread),
            at: Location::caller(),
            verb,
            object: (!object.is_empty()).then(|| object.to_owned()),
            object_at: None,
            second: None,
            other: None,
            note: None,
            switch: Switch::None,
            stale: None,
        }
    }

    fn of_thread(thread: u32, verb: &'static str, other: u32) -> RecordedStep {
        RecordedStep { other: Some(ThreadId(other)), ..step(thread, verb, "") }
    }

    fn with_second(thread: u32, verb: &'static str, object: &str, second: &str) -> RecordedStep {
        RecordedStep { second: Some(second.to_owned()), ..step(thread, verb, object) }
    }

    /// The links that are found, as (to, from, kind), all from 1.
    fn found(steps: &[RecordedStep]) -> Vec<(usize, u32, LinkKind)> {
        let all = links(&steps.iter().collect::<Vec<_>>());
        let of = |(to, links): (usize, Vec<TraceLink>)| links.into_iter().map(move |l| (to + 1, l.step, l.kind));
        all.into_iter().enumerate().flat_map(of).collect()
    }

    use LinkKind::{Join, Lock, Message, Spawn, Unblocks};

    #[test]
    fn locks_messages_starts_and_ends_are_followed() {
        let steps = [
            of_thread(0, "spawn", 1),
            step(1, "lock", "m"),
            step(1, "unlock", "m"),
            step(1, "lock", "m"), // its own lock again: nobody helped
            step(1, "unlock", "m"),
            step(0, "lock", "m"),
            step(1, "send", "q"),
            step(1, "send", "q"),
            step(0, "recv", "q"),
            step(0, "recv", "q"),
            of_thread(0, "join", 1),
        ];
        let expected = [(2, 1, Spawn), (6, 5, Lock), (9, 7, Message), (10, 8, Message), (11, 8, Join)];
        assert_eq!(found(&steps), expected);
    }

    #[test]
    fn a_receive_in_vain_takes_no_message() {
        let in_vain = RecordedStep { note: Some("would block".to_owned()), ..step(0, "try_recv", "q") };
        let steps = [in_vain.clone(), step(1, "send", "q"), step(0, "try_recv", "q"), in_vain];
        assert_eq!(found(&steps), [(3, 2, Message)]);
    }

    #[test]
    fn a_wait_gives_up_its_lock_and_is_woken() {
        let steps = [
            step(0, "lock", "m"),
            with_second(0, "wait", "c", "m"),
            step(1, "lock", "m"),
            step(1, "notify_one", "c"),
            step(1, "unlock", "m"),
            with_second(0, "wake and lock", "m", "c"),
        ];
        assert_eq!(found(&steps), [(3, 2, Lock), (6, 4, Unblocks), (6, 5, Lock)]);
    }

    #[test]
    fn readers_do_not_wait_for_readers() {
        let steps = [
            step(0, "write unlock", "l"),
            step(1, "read lock", "l"),
            step(1, "read unlock", "l"),
            step(2, "read lock", "l"),
            step(3, "write lock", "l"),
        ];
        assert_eq!(found(&steps), [(2, 1, Lock), (4, 1, Lock), (5, 3, Lock)]);
    }

    #[test]
    fn a_thread_without_steps_is_joined_from_its_start() {
        let steps = [of_thread(1, "spawn", 2), of_thread(0, "join", 2)];
        assert_eq!(found(&steps), [(2, 1, Join)]);
    }
}
