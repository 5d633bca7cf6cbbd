//! Vector clocks of events: what comes before an event because the two conflict, because the thread waited for it, or
//! because it started or ended a thread.

use super::{Access, AccessId, Accesses, Event, EventId, History};
use crate::graph::NodeId;
use crate::object::State as ObjectState;
use crate::op::{Class, Kind, Step};
use crate::rt::ObjectKind;
use crate::{ObjectId, ThreadId, thread_ids};

impl History {
    /// What comes before the next event of a thread, itself excluded: the range of its clock among all clocks, and where the
    /// last one stands among the deltas.
    pub(super) fn clock_of(&mut self, step: &Step, n: u32, node: Option<NodeId>) -> ((u32, u32), u32) {
        let mut clock = std::mem::take(&mut self.clock);
        clock.clear();
        clock.resize(self.live, 0);
        let t = step.thread;
        if let Some(before) = self.threads[t.index()].newest() {
            self.after(&mut clock, before);
        } else {
            self.after_birth(&mut clock, t);
        }
        clock[t.index()] = n;
        if let Some(node) = node {
            self.after_store(&mut clock, self.graph.node(node));
        } else if step.object != ObjectId::NONE {
            self.after_accesses(&mut clock, step.object, step.class);
        }
        if let Some(mutex) = step.second() {
            self.after_accesses(&mut clock, mutex, Class::Write);
        }
        self.after_causes(&mut clock, step);
        if step.finished && self.polls {
            let asked = |e: &&Event| e.step.kind == Kind::IsFinished && e.step.other.thread() == step.thread;
            for event in self.events.iter().filter(asked) {
                self.join(&mut clock, event);
            }
        }
        let start = self.clocks.len() as u32;
        self.clocks.extend_from_slice(&clock);
        let last_of = |t: ThreadId, n: u32| {
            n.checked_sub(1).map_or(0, |last| self.threads[t.index()].places[last as usize].event.0 + 1)
        };
        let mut after = 0;
        for (t, &n) in (0..).map(ThreadId).zip(&clock) {
            after = after.max(last_of(t, n));
        }
        self.clock = clock;
        ((start, self.clocks.len() as u32), after)
    }

    /// The accesses of an object that conflict with one of this class. The newest come first: what conflicts with all that
    /// this one conflicts with comes after all the rest.
    fn after_accesses(&self, clock: &mut [u32], object: ObjectId, class: Class) {
        for access in self.objects[object.index()].conflicting(class) {
            self.after(clock, access.event);
            if class.conflicts() & !access.class.conflicts() == 0 {
                return;
            }
        }
    }

    pub(super) fn after(&self, clock: &mut [u32], event: EventId) {
        let event = &self.events[event.index()];
        if clock[event.step.thread.index()] <= event.n {
            self.join(clock, event);
        }
    }

    fn join(&self, clock: &mut [u32], event: &Event) {
        for (a, b) in clock.iter_mut().zip(self.clock(event)) {
            *a = (*a).max(*b);
        }
        let own = &mut clock[event.step.thread.index()];
        *own = (*own).max(event.n + 1);
    }

    fn after_birth(&self, clock: &mut [u32], thread: ThreadId) {
        let (ancestor, steps) = self.threads[thread.index()].needs;
        if let Some(last) = steps.checked_sub(1) {
            self.after(clock, self.threads[ancestor.index()].places[last as usize].event);
        }
    }

    fn after_end(&self, clock: &mut [u32], thread: ThreadId) {
        match self.threads[thread.index()].newest() {
            Some(last) => self.after(clock, last),
            None => self.after_birth(clock, thread),
        }
    }

    /// What must have happened before the step could: it waited for it.
    fn after_causes(&self, clock: &mut [u32], step: &Step) {
        let all = |class: Class| self.objects[step.object.index()].of_class(class);
        let access = |id: AccessId| &self.objects[step.object.index()].list[id.index()];
        match step.kind {
            Kind::Join => self.after_end(clock, step.other.thread()),
            Kind::IsFinished if self.threads[step.other.thread().index()].ended => {
                self.after_end(clock, step.other.thread())
            }
            Kind::Drain => thread_ids(self.live).skip(1).for_each(|t| self.after_end(clock, t)),
            Kind::Relock => {
                let notifies = self.objects[step.other.object().index()].list.iter().rev();
                let mut waiting =
                    notifies.take_while(|a| !(a.thread == step.thread && a.kind == Kind::Wait)).collect::<Vec<_>>();
                waiting.reverse();
                if let Some(cause) = self.who_woke(step.thread, step.other.object(), &waiting) {
                    self.after(clock, cause);
                }
            }
            Kind::Taken => {
                let Accesses { kind, list, .. } = &self.objects[step.object.index()];
                let mut channel = ObjectState::new(*kind);
                let taken = list.iter().find(|a| {
                    if a.clone {
                        channel.senders += 1;
                    } else {
                        channel.apply(a.kind, a.thread, a.choice);
                    }
                    channel.ready(Kind::Taken, step.other)
                });
                if let Some(cause) = taken {
                    self.after(clock, cause.event);
                }
            }
            Kind::Recv | Kind::TryRecv | Kind::RecvTimed if step.class == Class::Receive => {
                // A send after the receiver has gone leaves no message.
                let closed = all(Class::CloseReceive).first().copied().unwrap_or(AccessId::NONE);
                match all(Class::Send).get(all(Class::Receive).len()).filter(|&&send| send < closed) {
                    Some(&send) => self.after(clock, access(send).event),
                    None => {
                        for &end in all(Class::CloseSend).iter().chain(all(Class::Send)) {
                            self.after(clock, access(end).event);
                        }
                    }
                }
            }
            Kind::Send | Kind::TrySend if step.class == Class::Send => {
                if let ObjectKind::Channel { capacity: Some(room) } = self.objects[step.object.index()].kind
                    && let Some(before) = all(Class::Send).len().checked_sub(room as usize)
                    && let Some(&receive) = all(Class::Receive).get(before)
                {
                    self.after(clock, access(receive).event);
                }
            }
            _ => {}
        }
    }

    /// The notification that woke a thread, among what happened to the condvar since it began to wait.
    fn who_woke(&self, thread: ThreadId, condvar: ObjectId, since: &[&Access]) -> Option<EventId> {
        let counts = self.counts_before(condvar, thread);
        let mut state = ObjectState::new(ObjectKind::Condvar);
        for access in counts {
            state.apply(access.kind, access.thread, access.choice);
        }
        for access in since {
            let waited = state.waiting.contains(&thread);
            state.apply(access.kind, access.thread, access.choice);
            if waited && !state.waiting.contains(&thread) {
                return Some(access.event);
            }
        }
        None
    }

    /// The accesses of a condvar up to the last wait of a thread, that included.
    fn counts_before(&self, condvar: ObjectId, thread: ThreadId) -> &[Access] {
        let accesses = &self.objects[condvar.index()].list;
        let wait = accesses.iter().rposition(|a| a.thread == thread && a.kind == Kind::Wait);
        &accesses[..wait.map_or(0, |i| i + 1)]
    }
}
