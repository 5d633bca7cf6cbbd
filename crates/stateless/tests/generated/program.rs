//! Small concurrent programs, as data: what the generator makes, the brute force and the runtime execute, and
//! the shrinker takes apart.

use selvedge_core::Chance;

/// An instruction. Every thread has one register `r`.
#[derive(Clone, Debug, PartialEq)]
pub enum Ins {
    Load(usize),
    Store(usize, u64),
    /// The variable becomes `r + 1`.
    StoreNext(usize),
    Add(usize),
    /// If the variable is this, it becomes one more; `r` tells.
    Cas(usize, u64),
    Locked(usize, Vec<Ins>),
    TryLocked(usize, Vec<Ins>),
    Reading(Vec<Ins>),
    Writing(Vec<Ins>),
    TryReading,
    TryWriting,
    /// Inside `Locked` of mutex 0 only.
    Wait,
    WaitTimeout,
    NotifyOne,
    NotifyAll,
    Send(u64),
    TrySend(u64),
    Recv,
    TryRecv,
    RecvTimeout,
    DropReceiver,
    Park,
    ParkTimeout,
    Unpark(usize),
    Spawn(usize),
    Join(usize),
    IsFinished(usize),
    Yield,
    Choose(u32),
    /// Panics if `r` is this.
    FailIf(u64),
    If(u64, Vec<Ins>),
}

/// A program: thread 0 is the main thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub threads: Vec<Vec<Ins>>,
    /// Of the one channel: none is unbounded.
    pub capacity: Option<u32>,
}

/// An instruction without nesting.
#[derive(Clone, Debug, PartialEq)]
pub enum Flat {
    Do(Ins),
    Lock(usize),
    TryLock(usize),
    Unlock(usize),
    Read,
    TryRead,
    UnlockRead,
    Write,
    TryWrite,
    UnlockWrite,
    DropSender,
    /// Goes to the instruction if `r` is not this.
    Unless(u64, usize),
}

/// The code of a thread; at its end it drops its sender if it has one.
pub fn flatten(program: &Program, thread: usize) -> Vec<Flat> {
    let mut code = Vec::new();
    append(&program.threads[thread], &mut code);
    if thread == 0 || has_sender(program, thread) {
        code.push(Flat::DropSender);
    }
    code
}

/// Whether a thread was given a sender: it sends, or spawns one that does, which gets a clone.
pub fn has_sender(program: &Program, thread: usize) -> bool {
    fn sends(program: &Program, code: &[Ins]) -> bool {
        code.iter().any(|i| match i {
            Ins::Send(_) | Ins::TrySend(_) => true,
            Ins::Spawn(child) => has_sender(program, *child),
            Ins::Locked(_, b) | Ins::TryLocked(_, b) | Ins::Reading(b) | Ins::Writing(b) | Ins::If(_, b) => {
                sends(program, b)
            }
            _ => false,
        })
    }
    sends(program, &program.threads[thread])
}

/// Whether the program uses its channel at all.
pub fn uses_channel(program: &Program) -> bool {
    let code = format!("{:?}", program.threads);
    code.contains("Send") || code.contains("Recv") || code.contains("DropReceiver")
}

fn append(body: &[Ins], code: &mut Vec<Flat>) {
    let skip = |code: &mut Vec<Flat>, value: u64, inner: &dyn Fn(&mut Vec<Flat>)| {
        let at = code.len();
        code.push(Flat::Unless(value, 0));
        inner(code);
        code[at] = Flat::Unless(value, code.len());
    };
    for ins in body {
        match ins {
            Ins::Locked(m, inner) => {
                code.push(Flat::Lock(*m));
                append(inner, code);
                code.push(Flat::Unlock(*m));
            }
            Ins::TryLocked(m, inner) => {
                code.push(Flat::TryLock(*m));
                skip(code, 1, &|code| {
                    append(inner, code);
                    code.push(Flat::Unlock(*m));
                });
            }
            Ins::Reading(inner) => {
                code.push(Flat::Read);
                append(inner, code);
                code.push(Flat::UnlockRead);
            }
            Ins::Writing(inner) => {
                code.push(Flat::Write);
                append(inner, code);
                code.push(Flat::UnlockWrite);
            }
            Ins::TryReading => {
                code.push(Flat::TryRead);
                skip(code, 1, &|code| code.push(Flat::UnlockRead));
            }
            Ins::TryWriting => {
                code.push(Flat::TryWrite);
                skip(code, 1, &|code| code.push(Flat::UnlockWrite));
            }
            Ins::If(value, inner) => skip(code, *value, &|code| append(inner, code)),
            other => code.push(Flat::Do(other.clone())),
        }
    }
}

/// Random choices.
pub struct Random(Chance);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(Chance::new(seed))
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0.remainder(n)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// What a family of programs is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flavour {
    Atomics,
    Locks,
    Condvars,
    Channels,
    Threads,
    Yields,
    All,
}

pub const FLAVOURS: [Flavour; 7] = [
    Flavour::Atomics,
    Flavour::Locks,
    Flavour::Condvars,
    Flavour::Channels,
    Flavour::Threads,
    Flavour::Yields,
    Flavour::All,
];

/// A random program of a flavour.
pub fn generate(random: &mut Random, flavour: Flavour) -> Program {
    let threads = 2 + random.below(2) as usize;
    let length = if threads == 2 { 4 } else { 3 };
    let mut code: Vec<Vec<Ins>> = (0..=threads).map(|t| body(random, flavour, t, threads, length, 0)).collect();
    if matches!(flavour, Flavour::Channels | Flavour::All) && random.chance(20) {
        code[1].push(Ins::DropReceiver);
    }
    // The main thread mostly coordinates.
    code[0].truncate(random.below(3) as usize);
    let mut main: Vec<Ins> = Vec::new();
    let nested = random.chance(20);
    let last = if nested { threads - 1 } else { threads };
    main.extend((1..=last).map(Ins::Spawn));
    if nested {
        let at = random.below(code[1].len() as u64 + 1) as usize;
        code[1].insert(at, Ins::Spawn(threads));
    }
    main.append(&mut code[0]);
    if random.chance(60) {
        main.extend((1..=last).map(Ins::Join));
        main.push(Ins::Load(0));
        if random.chance(30) {
            main.push(Ins::FailIf(random.below(3)));
        }
    }
    code[0] = main;
    let capacity = match random.below(4) {
        0 => Some(0),
        1 => Some(1),
        _ => None,
    };
    Program { threads: code, capacity }
}

fn body(random: &mut Random, flavour: Flavour, thread: usize, threads: usize, length: usize, depth: u32) -> Vec<Ins> {
    let n = 1 + random.below(length as u64) as usize;
    (0..n).map(|_| instruction(random, flavour, thread, threads, depth)).collect()
}

fn instruction(random: &mut Random, flavour: Flavour, thread: usize, threads: usize, depth: u32) -> Ins {
    let inner = |random: &mut Random| match depth {
        0 | 1 => body(random, flavour, thread, threads, 2, depth + 1),
        _ => Vec::new(),
    };
    let flavour = match flavour {
        Flavour::All => FLAVOURS[random.below(6) as usize],
        other => other,
    };
    if flavour != Flavour::Atomics && random.chance(25) || depth > 1 {
        return atomic(random, &|_| Vec::new());
    }
    match flavour {
        Flavour::Atomics | Flavour::All => atomic(random, &inner),
        Flavour::Locks => match random.below(10) {
            0..=3 => Ins::Locked(random.below(2) as usize, inner(random)),
            4 | 5 => Ins::TryLocked(random.below(2) as usize, inner(random)),
            6 => Ins::Reading(inner(random)),
            7 => Ins::Writing(inner(random)),
            8 => Ins::TryReading,
            _ => Ins::TryWriting,
        },
        Flavour::Condvars => match random.below(8) {
            0..=2 => Ins::Locked(0, vec![Ins::Wait]),
            3 => Ins::Locked(0, vec![Ins::WaitTimeout]),
            4 => Ins::NotifyAll,
            5 | 6 => Ins::NotifyOne,
            _ => Ins::Locked(0, vec![Ins::NotifyOne]),
        },
        Flavour::Channels => channel(random, thread),
        Flavour::Threads => match random.below(8) {
            0 | 1 => Ins::Park,
            2 => Ins::ParkTimeout,
            3..=5 => Ins::Unpark(1 + random.below(threads as u64) as usize),
            6 if thread == 0 => Ins::IsFinished(1),
            _ => Ins::Choose(2),
        },
        Flavour::Yields => match random.below(3) {
            0 => Ins::Yield,
            _ => atomic(random, &inner),
        },
    }
}

fn channel(random: &mut Random, thread: usize) -> Ins {
    // Thread 1 receives, the others send.
    match (thread, random.below(8)) {
        (1, 0..=4) => Ins::Recv,
        (1, 5 | 6) => Ins::TryRecv,
        (1, _) => Ins::RecvTimeout,
        (_, 0..=5) => Ins::Send(random.below(3)),
        _ => Ins::TrySend(random.below(3)),
    }
}

fn atomic(random: &mut Random, inner: &dyn Fn(&mut Random) -> Vec<Ins>) -> Ins {
    let variable = random.below(2) as usize;
    match random.below(12) {
        0..=2 => Ins::Load(variable),
        3 | 4 => Ins::Store(variable, 1 + random.below(2)),
        5 | 6 => Ins::StoreNext(variable),
        7 | 8 => Ins::Add(variable),
        9 => Ins::Cas(variable, random.below(2)),
        10 => Ins::If(random.below(2), inner(random)),
        _ => Ins::FailIf(3 + random.below(3)),
    }
}
