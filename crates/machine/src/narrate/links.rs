//! Which earlier step made a step possible: the arrows of a space-time diagram. A received message follows its send, the
//! first step of a thread the step that started it, and a step of a thread that was blocked follows the step after which
//! the thread became enabled (so the hand-over of a lock is seen whatever the lock is made of).

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::ThreadId;
use selvedge_core::trace::{LinkKind, TraceLink, TraceMessage, TraceStep};

/// Which threads are blocked, and which step has enabled which thread since.
#[derive(Default)]
pub(super) struct Blocked {
    waits: BTreeMap<ThreadId, bool>,
    helped: BTreeMap<ThreadId, usize>,
}

impl Blocked {
    /// Looks at the initial state.
    pub(super) fn start(&mut self, threads: u32, able: &BTreeSet<ThreadId>) {
        self.waits = (0..threads).map(ThreadId).map(|thread| (thread, !able.contains(&thread))).collect();
    }

    /// A thread takes a step: the step that it had to wait for.
    pub(super) fn act(&mut self, thread: ThreadId) -> Option<TraceLink> {
        self.waits.remove(&thread);
        let step = self.helped.remove(&thread)? as u32 + 1;
        Some(TraceLink { step, kind: LinkKind::Unblocks, what: None })
    }

    /// Looks at the state after step `index`, which `actors` took.
    pub(super) fn observe(
        &mut self,
        index: usize,
        threads: u32,
        able: &BTreeSet<ThreadId>,
        actors: [Option<ThreadId>; 2],
    ) {
        for thread in (0..threads).map(ThreadId) {
            let waits = !able.contains(&thread);
            let waited = self.waits.insert(thread, waits);
            match (waited, waits) {
                (Some(true), false) if !actors.contains(&Some(thread)) => drop(self.helped.insert(thread, index)),
                (_, true) => drop(self.helped.remove(&thread)),
                _ => {}
            }
        }
        self.waits.retain(|thread, _| thread.0 < threads);
        self.helped.retain(|thread, _| thread.0 < threads);
    }
}

/// Adds what the steps themselves tell: messages and the starts of threads. Where one of them says the same as a step
/// that unblocked, it says it better.
pub(super) fn messages_and_starts(steps: &mut [TraceStep]) {
    let mut sent: BTreeMap<String, Vec<(usize, Vec<String>)>> = BTreeMap::new();
    let mut started: BTreeMap<u32, usize> = BTreeMap::new();
    for index in 0..steps.len() {
        let mut found = Vec::new();
        let step = &steps[index];
        for actor in step.thread.into_iter().chain(step.partner.as_ref().map(|partner| partner.thread)) {
            if let Some(from) = started.remove(&actor) {
                found.push(TraceLink { step: from as u32 + 1, kind: LinkKind::Spawn, what: None });
            }
        }
        started.extend(step.spawns.iter().map(|thread| (*thread, index)));
        if let Some(message) = &step.message {
            let from = match message.direction.as_str() {
                "send" => {
                    sent.entry(message.channel.clone()).or_default().push((index, message.values.clone()));
                    None
                }
                "receive" => sent.get_mut(&message.channel).and_then(|queue| take(queue, message, consumes(step))),
                _ => None,
            };
            let from = from.filter(|from| steps[*from].thread != step.thread);
            found.extend(from.map(|from| TraceLink {
                step: from as u32 + 1,
                kind: LinkKind::Message,
                what: Some(message.channel.clone()),
            }));
        }
        let is_linked = |link: &TraceLink| found.iter().any(|better| better.step == link.step);
        steps[index].follows.retain(|link| !is_linked(link));
        steps[index].follows.splice(0..0, found);
    }
}

/// The step that sent a message: the first that is still on its way and has these values.
fn take(queue: &mut Vec<(usize, Vec<String>)>, message: &TraceMessage, consumes: bool) -> Option<usize> {
    let at = queue.iter().position(|(_, values)| *values == message.values)?;
    Some(if consumes { queue.remove(at).0 } else { queue[at].0 })
}

/// Whether a receive takes its message out of the channel, which then has another content.
fn consumes(step: &TraceStep) -> bool {
    let Some(channel) = step.message.as_ref().map(|message| &message.channel) else { return false };
    match &step.state {
        Some(state) => state.0.iter().any(|(name, _)| name == channel),
        None => step.changes.0.iter().any(|(name, _)| name == channel),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(thread: u32, message: Option<(&str, &str, &str)>) -> TraceStep {
        let message = message.map(|(channel, direction, value)| TraceMessage {
            channel: channel.into(),
            direction: direction.into(),
            values: vec![value.into()],
        });
        TraceStep { thread: Some(thread), message, ..TraceStep::default() }
    }

    /// A receive that takes its message away.
    fn taking(thread: u32, channel: &str, value: &str) -> TraceStep {
        let mut step = step(thread, Some((channel, "receive", value)));
        step.changes.0.push((channel.into(), "[]".into()));
        step
    }

    fn links(step: &TraceStep) -> Vec<(u32, LinkKind)> {
        step.follows.iter().map(|link| (link.step, link.kind)).collect()
    }

    #[test]
    fn a_message_is_followed_from_its_own_send() {
        let send = |value| step(0, Some(("q", "send", value)));
        let peek = step(1, Some(("q", "receive", "1")));
        let mut steps = vec![send("1"), send("2"), send("1"), peek, taking(1, "q", "2"), taking(1, "q", "1")];
        steps.push(taking(1, "q", "1"));
        steps.push(taking(1, "q", "1"));
        messages_and_starts(&mut steps);
        let from: Vec<Option<u32>> = steps.iter().map(|step| step.follows.first().map(|link| link.step)).collect();
        assert_eq!(from, [None, None, None, Some(1), Some(2), Some(1), Some(3), None]);
    }

    #[test]
    fn a_start_explains_more_than_unblocks() {
        let unblocks = TraceLink { step: 1, kind: LinkKind::Unblocks, what: None };
        let start = TraceStep { spawns: vec![1], ..step(0, None) };
        let first = TraceStep { follows: vec![unblocks.clone()], ..step(1, None) };
        let mut steps = vec![start, first, TraceStep { follows: vec![unblocks], ..step(1, None) }];
        messages_and_starts(&mut steps);
        assert_eq!(links(&steps[1]), [(1, LinkKind::Spawn)]);
        assert_eq!(links(&steps[2]), [(1, LinkKind::Unblocks)]);
    }

    #[test]
    fn the_last_step_that_helps_is_the_one() {
        let (a, b) = (ThreadId(0), ThreadId(1));
        let both = BTreeSet::from([a, b]);
        let mut blocked = Blocked::default();
        blocked.start(2, &BTreeSet::from([a]));
        blocked.observe(0, 2, &both, [Some(a), None]);
        blocked.observe(1, 2, &BTreeSet::from([a]), [Some(a), None]);
        blocked.observe(2, 2, &both, [Some(a), None]);
        assert_eq!(blocked.act(b).map(|link| link.step), Some(3));
        blocked.observe(3, 2, &BTreeSet::new(), [Some(b), None]);
        blocked.observe(4, 2, &both, [Some(b), None]);
        assert_eq!(blocked.act(b), None, "a thread that continues after its own step was not helped");
    }
}
