//! The clocks against the definition: random programs run under random schedules, their events are written down, and the
//! first race by the definition of happens-before must be the race that the engine reports, or there is none in both.

#[path = "happens_before/reference.rs"]
mod reference;

use std::cell::{Cell, RefCell};
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use reference::{Event, Reference, What};
use selvedge_core::chance::Chance;
use selvedge_stateless::rt::{self, Access, CellId, ObjectKind, Transfer};
use selvedge_stateless::{Config, Mode, ObjectId, Recheck, Stop, ThreadId, ViolationKind, explore};

/// What a thread does.
#[derive(Clone, Copy, Debug)]
enum Ins {
    Load(usize, Ordering),
    Store(usize, Ordering),
    Add(usize, Ordering),
    /// Succeeds if the value is even.
    Exchange(usize, Ordering, Ordering),
    Fence(Ordering),
    Plain(usize, bool),
    Cell(usize, bool),
    Locked(usize, bool),
    Reading(usize),
    Writing(usize),
    TrySend,
    TryReceive,
    Put,
    TryTake,
    Open,
    /// Passes only an open gate.
    Pass,
}

const ATOMICS: usize = 3;
const CELLS: usize = 2;

struct Program {
    threads: Vec<Vec<Ins>>,
    capacity: Option<u32>,
}

fn pick<T: Copy>(chance: &mut Chance, from: &[T]) -> T {
    from[chance.below(from.len())]
}

fn instruction(chance: &mut Chance) -> Ins {
    let (atomic, cell, write) = (chance.below(ATOMICS), chance.below(CELLS), chance.once_in(2));
    let load = pick(chance, &[Relaxed, Relaxed, Acquire, SeqCst]);
    let store = pick(chance, &[Relaxed, Relaxed, Release, SeqCst]);
    let both = pick(chance, &[Relaxed, Relaxed, Acquire, Release, AcqRel, SeqCst]);
    match chance.below(24) {
        0..4 => Ins::Load(atomic, load),
        4..7 => Ins::Store(atomic, store),
        7..9 => Ins::Add(atomic, both),
        9 | 10 => Ins::Exchange(atomic, both, load),
        11 | 12 => Ins::Fence(pick(chance, &[Acquire, Release, AcqRel, SeqCst])),
        13 if chance.once_in(3) => Ins::Plain(atomic, write),
        13..17 => Ins::Cell(cell, write),
        17 => Ins::Locked(cell, write),
        18 => Ins::Reading(cell),
        19 => Ins::Writing(cell),
        20 => Ins::TrySend,
        21 => Ins::TryReceive,
        22 => pick(chance, &[Ins::Put, Ins::TryTake]),
        _ => pick(chance, &[Ins::Open, Ins::Pass]),
    }
}

fn program(seed: u64) -> Program {
    let mut chance = Chance::new(seed);
    let count = 2 + chance.below(3);
    let length = 2 + chance.below(7);
    let threads = (0..count).map(|_| (0..1 + chance.below(length)).map(|_| instruction(&mut chance)).collect());
    Program { threads: threads.collect(), capacity: pick(&mut chance, &[None, Some(1), Some(2)]) }
}

/// What has happened in a run.
#[derive(Default)]
struct Log {
    events: Vec<Event>,
    /// What each thread is about to do: the last event of a run that ends in it.
    pending: Vec<Option<What>>,
}

/// The objects of a run.
struct Shared {
    atomics: Vec<ObjectId>,
    values: Vec<Cell<u64>>,
    cells: Vec<CellId>,
    mutex: ObjectId,
    lock: ObjectId,
    channel: ObjectId,
    token: ObjectId,
    gate: ObjectId,
    open: Cell<bool>,
    log: Rc<RefCell<Log>>,
}

impl Shared {
    fn new(capacity: Option<u32>, log: Rc<RefCell<Log>>) -> Shared {
        log.replace(Log::default());
        let object = |kind| rt::object(kind, Location::caller());
        Shared {
            atomics: (0..ATOMICS).map(|_| object(ObjectKind::Atomic)).collect(),
            values: vec![Cell::new(0); ATOMICS],
            cells: (0..CELLS).map(|_| rt::cell(Location::caller())).collect(),
            mutex: object(ObjectKind::Mutex),
            lock: object(ObjectKind::RwLock),
            channel: object(ObjectKind::Channel { capacity }),
            token: object(ObjectKind::Token),
            gate: object(ObjectKind::Gate),
            open: Cell::new(false),
            log,
        }
    }

    /// Does something and writes it down; the run may end in it.
    fn does<R>(&self, what: What, f: impl FnOnce() -> R) -> R {
        let me = rt::current().0 as usize;
        let mut log = self.log.borrow_mut();
        if log.pending.len() <= me {
            log.pending.resize(me + 1, None);
        }
        log.pending[me] = Some(what);
        drop(log);
        let result = f();
        self.did(what);
        result
    }

    fn did(&self, what: What) {
        self.log.borrow_mut().events.push(Event { thread: rt::current().0, what });
    }

    fn cell(&self, cell: usize, write: bool) {
        self.does(What::Cell(cell, write), || rt::cell_access(self.cells[cell], write, Location::caller()));
    }

    /// An attempt, and what it was if it succeeded.
    fn tries(&self, what: What, attempt: bool) {
        self.did(if attempt { what } else { What::Nothing });
    }

    fn run(&self, ins: Ins) {
        let at = Location::caller();
        let add = |a: usize| self.values[a].set(self.values[a].get() + 1);
        match ins {
            Ins::Load(a, o) => {
                self.does(What::Load(a, o), || rt::access(self.atomics[a], Access::Load(o), "load", at));
            }
            Ins::Store(a, o) => {
                self.does(What::Store(a, o), || rt::access(self.atomics[a], Access::Store(o), "store", at));
                add(a);
            }
            Ins::Add(a, o) => {
                self.does(What::Rmw(a, o), || rt::access(self.atomics[a], Access::Rmw(o), "add", at));
                add(a);
            }
            Ins::Exchange(a, success, failure) => {
                rt::access(self.atomics[a], Access::CompareExchange, "exchange", at);
                if self.values[a].get().is_multiple_of(2) {
                    self.does(What::Rmw(a, success), || rt::wrote(true, success, at));
                    add(a);
                } else {
                    self.does(What::Load(a, failure), || rt::wrote(false, failure, at));
                }
            }
            Ins::Fence(o) => self.does(What::Fence(o), || rt::fence(o, at)),
            Ins::Plain(a, write) => {
                self.does(What::Plain(a, write), || rt::plain_access(self.atomics[a], write, at));
            }
            Ins::Cell(c, write) => self.cell(c, write),
            _ => self.run_library(ins),
        }
    }

    fn run_library(&self, ins: Ins) {
        let at = Location::caller();
        match ins {
            Ins::Locked(c, write) => {
                self.does(What::Lock, || rt::lock(self.mutex, at));
                self.cell(c, write);
                self.does(What::Unlock, || rt::unlock(self.mutex, at));
            }
            Ins::Reading(c) => {
                self.does(What::ReadLock, || rt::read(self.lock, at));
                self.cell(c, false);
                self.does(What::ReadUnlock, || rt::unlock_read(self.lock, at));
            }
            Ins::Writing(c) => {
                self.does(What::WriteLock, || rt::write(self.lock, at));
                self.cell(c, true);
                self.does(What::WriteUnlock, || rt::unlock_write(self.lock, at));
            }
            Ins::TrySend => self.tries(What::Send, rt::try_send(self.channel, at) == Transfer::Done),
            Ins::TryReceive => self.tries(What::Receive, rt::try_recv(self.channel, at) == Transfer::Done),
            Ins::Put => self.does(What::Put, || rt::put(self.token, "put", at)),
            Ins::TryTake => self.tries(What::Take, rt::take_timeout(self.token, "take", at)),
            Ins::Open => {
                self.does(What::Open, || rt::open(self.gate, "open", at));
                self.open.set(true);
            }
            Ins::Pass if self.open.get() => self.does(What::Pass, || rt::pass(self.gate, "pass", at)),
            _ => {}
        }
    }
}

/// The main thread starts the others, does its part and waits for them.
fn execute(program: &Rc<Program>, log: Rc<RefCell<Log>>) {
    let shared = Rc::new(Shared::new(program.capacity, log));
    let start = |t: usize| {
        let (program, mine) = (program.clone(), shared.clone());
        let body = move || program.threads[t].iter().for_each(|&ins| mine.run(ins));
        // What the child does before its first scheduling point it does before `spawn` returns.
        shared.did(What::Spawn(t as u32));
        rt::spawn(None, None, Location::caller(), Box::new(body))
    };
    let children: Vec<ThreadId> = (1..program.threads.len()).map(start).collect();
    program.threads[0].iter().for_each(|&ins| shared.run(ins));
    for child in children {
        shared.does(What::Join(child.0), || rt::join(child, Location::caller()));
    }
    shared.cell(0, true);
    shared.cell(1, true);
}

/// Whether the engine and the definition agree on a run, and whether it races.
fn agree(seed: u64, schedule: u64) -> Result<bool, String> {
    let program = Rc::new(program(seed));
    let log = Rc::new(RefCell::new(Log::default()));
    let config =
        Config { mode: Mode::Random { seed: schedule, executions: 1 }, recheck: Recheck::None, ..Config::default() };
    let found = explore(&config, &mut |_| (), &|| execute(&program, log.clone()));
    let mut log = log.take();
    let ended_by = found.violation.as_ref().map(|v| (v.kind, v.thread));
    if let Some((ViolationKind::DataRace, Some(thread))) = ended_by {
        let what = log.pending[thread.0 as usize].expect("it ended in what it was about to do");
        log.events.push(Event { thread: thread.0, what });
    } else if found.violation.is_some() || !matches!(found.stop, Stop::Finished { .. }) {
        return Err(format!("{:?} {:?}", found.stop, found.violation.map(|v| v.message)));
    }
    let reference = Reference::new(&log.events, program.capacity.map(|n| n as usize)).first_race();
    let engine = found.violation.is_some().then(|| log.events.len() - 1);
    if reference == engine {
        return Ok(engine.is_some());
    }
    let events: Vec<String> = log.events.iter().enumerate().map(|(i, e)| format!("  {i}: {e:?}")).collect();
    let message = found.violation.map_or(String::new(), |v| v.message);
    Err(format!("engine {engine:?} ({message}), definition {reference:?}\n{}", events.join("\n")))
}

#[test]
fn the_clocks_find_the_races_of_the_definition() {
    let programs = std::env::var("SELVEDGE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(3_000);
    let (mut races, mut runs) = (0, 0);
    for seed in 0..programs {
        for schedule in 0..2 {
            match agree(seed, schedule) {
                Ok(race) => races += u64::from(race),
                Err(difference) => panic!("program {seed}, schedule {schedule}: {difference}"),
            }
            runs += 1;
        }
    }
    assert!(races * 10 > runs && races * 10 < 9 * runs, "{races} of {runs} runs race: the programs say too little");
}
