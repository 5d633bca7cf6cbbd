//! Brute force: every interleaving of a small program, with its own idea of what the instructions mean. Knows nothing
//! of the runtime. For every outcome, and for every class of interleavings, the least number of preemptions.

mod step;

use std::collections::BTreeMap;

use super::program::{Flat, Ins, Program, flatten, has_sender, uses_channel};

/// Something that an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Variable(usize),
    Mutex(usize),
    RwLock,
    Condvar,
    Channel,
    Permit(usize),
    End(usize),
}

/// How it touches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Touch {
    Read,
    Write,
    Send,
    Receive,
    Empty,
    Full,
    CloseSend,
    CloseReceive,
}

fn conflict(a: Touch, b: Touch) -> bool {
    use Touch::*;
    matches!(
        (a.min(b), a.max(b)),
        (Read, Write)
            | (Write, Write)
            | (Send, Send)
            | (Send, Empty)
            | (Send, Full)
            | (Send, CloseReceive)
            | (Receive, Receive)
            | (Receive, Empty)
            | (Receive, Full)
            | (Empty, CloseSend)
            | (Full, CloseReceive)
    )
}

/// What a thread does next if it has to wait in the middle of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Start,
    /// Waiting for a notification, then for the mutex.
    Wake,
    /// May give up waiting.
    WakeTimed,
    /// Woken, locks the mutex.
    Relock,
    /// Waits until its message is taken.
    Taken(u64),
    /// Has offered to receive.
    Offered,
    /// Waits for the end of everybody.
    Drain,
}

#[derive(Clone, Debug)]
struct Thread {
    pc: usize,
    phase: Phase,
    r: u64,
    born: bool,
    ended: bool,
    yielded: bool,
    yields: u32,
    events: usize,
    spawned: bool,
    sender: bool,
}

#[derive(Clone, Debug)]
struct World {
    threads: Vec<Thread>,
    variables: [u64; 2],
    mutexes: [Option<usize>; 2],
    writer: Option<usize>,
    readers: u32,
    waiting: Vec<usize>,
    queue: Vec<u64>,
    sent: u64,
    received: u64,
    senders: u32,
    offers: u32,
    closed: bool,
    permits: Vec<bool>,
    failed: Option<String>,
}

/// An event of the run: thread, its number there, outcome, what it touches.
#[derive(Clone, Debug)]
struct Event {
    thread: usize,
    n: usize,
    outcome: usize,
    touches: Vec<(Thing, Touch)>,
}

/// A class: events with their outcomes, and the order of those that conflict.
type Class = (Vec<(usize, usize, usize)>, Vec<((usize, usize), (usize, usize))>);

/// Least costs.
#[derive(Default, Debug)]
pub struct Truth {
    pub classes: BTreeMap<Class, (u32, u32)>,
    /// Outcomes: final states, `deadlock`, or the message of a panic.
    pub outcomes: BTreeMap<String, (u32, u32)>,
    pub runs: u64,
}

pub struct Brute<'a> {
    program: &'a Program,
    code: Vec<Vec<Flat>>,
    fair: Option<u32>,
    events: Vec<Event>,
    pub truth: Truth,
    limit: u64,
}

/// All interleavings; nothing if there are too many.
pub fn enumerate(program: &Program, fair: Option<u32>, limit: u64) -> Option<Truth> {
    let code = (0..program.threads.len()).map(|t| flatten(program, t)).collect();
    let thread = Thread {
        pc: 0,
        phase: Phase::Start,
        r: 0,
        born: false,
        ended: false,
        yielded: false,
        yields: 0,
        events: 0,
        spawned: false,
        sender: false,
    };
    let n = program.threads.len();
    let mut world = World {
        threads: vec![thread; n],
        variables: [0; 2],
        mutexes: [None; 2],
        writer: None,
        readers: 0,
        waiting: Vec::new(),
        queue: Vec::new(),
        sent: 0,
        received: 0,
        senders: 1,
        offers: 0,
        closed: false,
        permits: vec![false; n],
        failed: None,
    };
    world.threads[0].sender = uses_channel(program);
    let mut brute = Brute { program, code, fair, events: Vec::new(), truth: Truth::default(), limit };
    brute.birth(&mut world, 0);
    brute.explore(&world, 0, (0, 0)).then_some(brute.truth)
}

impl Brute<'_> {
    fn birth(&self, world: &mut World, thread: usize) {
        world.threads[thread].born = true;
        self.run_local(world, thread);
    }

    /// Runs what nobody else can see, up to the next visible instruction or the end.
    fn run_local(&self, world: &mut World, me: usize) {
        loop {
            let t = &mut world.threads[me];
            if t.phase != Phase::Start {
                return;
            }
            match self.code[me].get(t.pc) {
                Some(Flat::Unless(value, to)) => t.pc = if t.r == *value { t.pc + 1 } else { *to },
                Some(Flat::Do(Ins::FailIf(value))) => {
                    if t.r == *value {
                        world.failed = Some(format!("thread {me} has {value}"));
                        return;
                    }
                    t.pc += 1;
                }
                Some(Flat::Do(Ins::Spawn(child))) => {
                    t.pc += 1;
                    t.spawned = true;
                    let child = *child;
                    if has_sender(self.program, child) && uses_channel(self.program) {
                        world.senders += 1;
                        world.threads[child].sender = true;
                    }
                    self.birth(world, child);
                    if world.failed.is_some() {
                        return;
                    }
                }
                Some(Flat::DropSender) if !t.sender => t.pc += 1,
                Some(_) => return,
                None if me == 0 && t.spawned => {
                    t.phase = Phase::Drain;
                    return;
                }
                None => {
                    t.ended = true;
                    return;
                }
            }
        }
    }

    fn rendezvous(&self) -> bool {
        self.program.capacity == Some(0)
    }

    fn has_room(&self, world: &World) -> bool {
        self.program.capacity.is_none_or(|c| (world.queue.len() as u32) < c.max(1))
    }

    fn enabled(&self, world: &World, me: usize) -> bool {
        let t = &world.threads[me];
        if !t.born || t.ended {
            return false;
        }
        match t.phase {
            Phase::Wake => !world.waiting.contains(&me) && world.mutexes[0].is_none(),
            Phase::Relock => world.mutexes[0].is_none(),
            Phase::Taken(message) => world.closed || world.received > message,
            Phase::Drain => world.threads.iter().skip(1).all(|t| !t.born || t.ended),
            Phase::WakeTimed => true,
            Phase::Offered | Phase::Start => match &self.code[me][t.pc] {
                Flat::Lock(m) => world.mutexes[*m].is_none(),
                Flat::Read => world.writer.is_none(),
                Flat::Write => world.writer.is_none() && world.readers == 0,
                Flat::Do(Ins::Send(_)) => world.closed || self.has_room(world),
                Flat::Do(Ins::Recv) if self.rendezvous() && t.phase == Phase::Start => true,
                Flat::Do(Ins::Recv) => !world.queue.is_empty() || world.senders == 0,
                Flat::Do(Ins::Park) => world.permits[me],
                Flat::Do(Ins::Join(other)) => world.threads[*other].ended,
                _ => true,
            },
        }
    }

    /// An enabled thread that would only give up waiting.
    fn gives_up(&self, world: &World, me: usize) -> bool {
        let t = &world.threads[me];
        match (t.phase, self.code[me].get(t.pc)) {
            (Phase::WakeTimed, _) => world.waiting.contains(&me),
            (Phase::Offered, Some(Flat::Do(Ins::RecvTimeout))) => world.queue.is_empty() && world.senders > 0,
            (Phase::Start, Some(Flat::Do(Ins::RecvTimeout))) if !self.rendezvous() => {
                world.queue.is_empty() && world.senders > 0
            }
            (Phase::Start, Some(Flat::Do(Ins::ParkTimeout))) => !world.permits[me],
            _ => false,
        }
    }

    fn outcomes(&self, world: &World, me: usize) -> usize {
        match (world.threads[me].phase, self.code[me].get(world.threads[me].pc)) {
            (Phase::Start, Some(Flat::Do(Ins::NotifyOne))) => world.waiting.len().max(1),
            (Phase::Start, Some(Flat::Do(Ins::Choose(n)))) => *n as usize,
            _ => 1,
        }
    }

    /// False if there are too many.
    fn explore(&mut self, world: &World, last: usize, cost: (u32, u32)) -> bool {
        let n = world.threads.len();
        let enabled: Vec<usize> = (0..n).filter(|&t| self.enabled(world, t)).collect();
        if world.failed.is_some() || enabled.is_empty() {
            return self.finish(world, cost);
        }
        let least = enabled.iter().map(|&t| world.threads[t].yields).min().unwrap_or(0);
        let fair = |t: usize| self.fair.is_none_or(|ahead| world.threads[t].yields <= least + ahead);
        let candidates: Vec<usize> = enabled.iter().copied().filter(|&t| fair(t)).collect();
        let goes_on = candidates.contains(&last) && !world.threads[last].yielded && !self.gives_up(world, last);
        for t in candidates {
            let switch = last != t;
            let price = (cost.0 + u32::from(switch && goes_on), cost.1 + u32::from(switch));
            for outcome in 0..self.outcomes(world, t) {
                let mut next = world.clone();
                let event = self.step(&mut next, t, outcome);
                self.events.push(event);
                let ok = self.explore(&next, t, price);
                self.events.pop();
                if !ok {
                    return false;
                }
            }
        }
        true
    }

    fn finish(&mut self, world: &World, cost: (u32, u32)) -> bool {
        self.truth.runs += 1;
        let outcome = match &world.failed {
            Some(message) => message.clone(),
            None if world.threads.iter().any(|t| t.born && !t.ended) => "deadlock".to_owned(),
            None => {
                let registers: Vec<u64> = world.threads.iter().map(|t| t.r).collect();
                format!("{:?} {registers:?}", world.variables)
            }
        };
        let class = self.class();
        let least = |old: &mut (u32, u32)| *old = (old.0.min(cost.0), old.1.min(cost.1));
        self.truth.outcomes.entry(outcome).and_modify(least).or_insert(cost);
        self.truth.classes.entry(class).and_modify(least).or_insert(cost);
        self.truth.runs < self.limit
    }

    fn class(&self) -> Class {
        let mut events: Vec<_> = self.events.iter().map(|e| (e.thread, e.n, e.outcome)).collect();
        events.sort_unstable();
        let mut order = Vec::new();
        for (i, a) in self.events.iter().enumerate() {
            for b in &self.events[i + 1..] {
                let clash = |x: &(Thing, Touch)| b.touches.iter().any(|y| x.0 == y.0 && conflict(x.1, y.1));
                if a.thread != b.thread && a.touches.iter().any(clash) {
                    order.push(((a.thread, a.n), (b.thread, b.n)));
                }
            }
        }
        order.sort_unstable();
        (events, order)
    }
}
