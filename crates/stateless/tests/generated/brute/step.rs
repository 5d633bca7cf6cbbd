//! How a thread of a program makes a step, by its definition.

use super::*;

/// Steps.
impl Brute<'_> {
    pub(super) fn step(&self, world: &mut World, me: usize, outcome: usize) -> Event {
        let n = world.threads[me].events;
        world.threads[me].events += 1;
        world.threads[me].yielded = false;
        let mut event = Event { thread: me, n, outcome, touches: Vec::new() };
        match world.threads[me].phase {
            Phase::Start | Phase::Offered => {
                let ins = self.code[me][world.threads[me].pc].clone();
                self.instruction(world, me, &ins, &mut event);
            }
            phase => self.second_half(world, me, phase, &mut event),
        }
        self.run_local(world, me);
        if world.threads[me].ended {
            event.touches.push((Thing::End(me), Touch::Write));
        }
        event
    }

    fn yielded(world: &mut World, me: usize) {
        world.threads[me].yielded = true;
        world.threads[me].yields += 1;
    }

    fn second_half(&self, world: &mut World, me: usize, phase: Phase, event: &mut Event) {
        let mut next = Phase::Start;
        match phase {
            Phase::Wake | Phase::Relock => {
                world.mutexes[0] = Some(me);
                event.touches.push((Thing::Mutex(0), Touch::Write));
            }
            Phase::WakeTimed => {
                let timed_out = world.waiting.contains(&me);
                world.waiting.retain(|&t| t != me);
                world.threads[me].r = u64::from(timed_out);
                if timed_out {
                    Self::yielded(world, me);
                }
                event.touches.push((Thing::Condvar, Touch::Read));
                next = Phase::Relock;
            }
            Phase::Taken(message) => {
                world.threads[me].r = if world.received > message { 0 } else { 100 };
            }
            Phase::Drain => {
                world.threads[me].ended = true;
                return;
            }
            Phase::Start | Phase::Offered => unreachable!("not a second half"),
        }
        world.threads[me].phase = next;
        if next == Phase::Start {
            world.threads[me].pc += 1;
        }
    }

    fn instruction(&self, world: &mut World, me: usize, ins: &Flat, event: &mut Event) {
        let mut touch = |thing: Thing, how: Touch| event.touches.push((thing, how));
        let mut next = Phase::Start;
        match ins {
            Flat::Lock(m) => {
                touch(Thing::Mutex(*m), Touch::Write);
                world.mutexes[*m] = Some(me);
            }
            Flat::Unlock(m) => {
                touch(Thing::Mutex(*m), Touch::Write);
                world.mutexes[*m] = None;
            }
            Flat::TryLock(m) => {
                let free = world.mutexes[*m].is_none();
                touch(Thing::Mutex(*m), if free { Touch::Write } else { Touch::Read });
                world.threads[me].r = u64::from(free);
                if free {
                    world.mutexes[*m] = Some(me);
                }
            }
            Flat::Read | Flat::TryRead => {
                touch(Thing::RwLock, Touch::Read);
                let free = world.writer.is_none();
                world.readers += u32::from(free);
                if *ins == Flat::TryRead {
                    world.threads[me].r = u64::from(free);
                }
            }
            Flat::UnlockRead => {
                touch(Thing::RwLock, Touch::Read);
                world.readers -= 1;
            }
            Flat::Write | Flat::TryWrite => {
                touch(Thing::RwLock, Touch::Write);
                let free = world.writer.is_none() && world.readers == 0;
                if free {
                    world.writer = Some(me);
                }
                if *ins == Flat::TryWrite {
                    world.threads[me].r = u64::from(free);
                }
            }
            Flat::UnlockWrite => {
                touch(Thing::RwLock, Touch::Write);
                world.writer = None;
            }
            Flat::DropSender => {
                touch(Thing::Channel, if self.rendezvous() { Touch::Write } else { Touch::CloseSend });
                world.senders -= 1;
                world.threads[me].sender = false;
            }
            Flat::Unless(..) => unreachable!("local"),
            Flat::Do(ins) => next = self.plain(world, me, ins, event),
        }
        world.threads[me].phase = next;
        if next == Phase::Start {
            world.threads[me].pc += 1;
        }
    }

    fn plain(&self, world: &mut World, me: usize, ins: &Ins, event: &mut Event) -> Phase {
        let mut touch = |thing: Thing, how: Touch| event.touches.push((thing, how));
        let r = &mut world.threads[me].r;
        match ins {
            Ins::Load(v) => {
                touch(Thing::Variable(*v), Touch::Read);
                *r = world.variables[*v];
            }
            Ins::Store(v, value) => {
                touch(Thing::Variable(*v), Touch::Write);
                world.variables[*v] = *value;
            }
            Ins::StoreNext(v) => {
                touch(Thing::Variable(*v), Touch::Write);
                world.variables[*v] = *r + 1;
            }
            Ins::Add(v) => {
                touch(Thing::Variable(*v), Touch::Write);
                *r = world.variables[*v];
                world.variables[*v] += 1;
            }
            Ins::Cas(v, value) => {
                let same = world.variables[*v] == *value;
                touch(Thing::Variable(*v), if same { Touch::Write } else { Touch::Read });
                *r = u64::from(same);
                world.variables[*v] += u64::from(same);
            }
            Ins::Yield => Self::yielded(world, me),
            Ins::Choose(_) => *r = event.outcome as u64,
            Ins::Join(_) => {}
            _ => return self.waiting(world, me, ins, event),
        }
        Phase::Start
    }

    fn waiting(&self, world: &mut World, me: usize, ins: &Ins, event: &mut Event) -> Phase {
        let mut touch = |thing: Thing, how: Touch| event.touches.push((thing, how));
        match ins {
            Ins::Wait | Ins::WaitTimeout => {
                touch(Thing::Condvar, Touch::Read);
                touch(Thing::Mutex(0), Touch::Write);
                world.waiting.push(me);
                world.waiting.sort_unstable();
                world.mutexes[0] = None;
                if *ins == Ins::Wait {
                    return Phase::Wake;
                }
                Self::yielded(world, me);
                return Phase::WakeTimed;
            }
            Ins::NotifyOne => {
                touch(Thing::Condvar, Touch::Write);
                if !world.waiting.is_empty() {
                    event.outcome = world.waiting.remove(event.outcome) + 1;
                }
            }
            Ins::NotifyAll => {
                touch(Thing::Condvar, Touch::Write);
                world.waiting.clear();
            }
            Ins::Park | Ins::ParkTimeout => {
                touch(Thing::Permit(me), Touch::Write);
                let there = std::mem::take(&mut world.permits[me]);
                if !there {
                    Self::yielded(world, me);
                }
            }
            Ins::Unpark(other) => {
                touch(Thing::Permit(*other), Touch::Read);
                world.permits[*other] = true;
            }
            Ins::IsFinished(other) => {
                touch(Thing::End(*other), Touch::Read);
                world.threads[me].r = u64::from(world.threads[*other].ended);
            }
            _ => return self.channel(world, me, ins, event),
        }
        Phase::Start
    }

    fn channel(&self, world: &mut World, me: usize, ins: &Ins, event: &mut Event) -> Phase {
        let all = self.rendezvous();
        let mut touch = |how: Touch| event.touches.push((Thing::Channel, if all { Touch::Write } else { how }));
        match ins {
            Ins::Send(value) | Ins::TrySend(value) => {
                let tries = matches!(ins, Ins::TrySend(_));
                let room = if all && tries { world.offers as usize > world.queue.len() } else { self.has_room(world) };
                if !world.closed && !room {
                    touch(Touch::Full);
                    world.threads[me].r = 99;
                    return Phase::Start;
                }
                touch(Touch::Send);
                if world.closed {
                    world.threads[me].r = 100;
                    return Phase::Start;
                }
                world.queue.push(*value);
                world.sent += 1;
                world.threads[me].r = 0;
                if all { Phase::Taken(world.sent - 1) } else { Phase::Start }
            }
            Ins::Recv | Ins::RecvTimeout if all && world.threads[me].phase == Phase::Start => {
                touch(Touch::Write);
                world.offers += 1;
                Phase::Offered
            }
            Ins::Recv | Ins::TryRecv | Ins::RecvTimeout => {
                let waits = world.queue.is_empty() && world.senders > 0;
                touch(if waits { Touch::Empty } else { Touch::Receive });
                if all && *ins != Ins::TryRecv {
                    world.offers -= 1;
                }
                world.threads[me].r = match (world.queue.is_empty(), waits) {
                    (false, _) => {
                        world.received += 1;
                        world.queue.remove(0)
                    }
                    (true, true) => 99,
                    (true, false) => 100,
                };
                if waits && *ins == Ins::RecvTimeout {
                    Self::yielded(world, me);
                }
                Phase::Start
            }
            Ins::DropReceiver => {
                touch(Touch::CloseReceive);
                world.closed = true;
                Phase::Start
            }
            other => unreachable!("{other:?} is not of channels"),
        }
    }
}
