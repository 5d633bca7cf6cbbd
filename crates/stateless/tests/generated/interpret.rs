//! Executes a program through the runtime, as the primitives of the library would.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::Ordering::SeqCst;

use selvedge_stateless::rt::{self, Access, ObjectKind, Transfer};
use selvedge_stateless::{At, ObjectId, ThreadId};

use super::program::{Flat, Ins, Program, flatten, has_sender, uses_channel};

struct Shared {
    program: Program,
    objects: [ObjectId; 2],
    values: RefCell<[u64; 2]>,
    mutexes: [ObjectId; 2],
    rwlock: ObjectId,
    condvar: ObjectId,
    channel: ObjectId,
    permits: Vec<ObjectId>,
    queue: RefCell<VecDeque<u64>>,
    handles: RefCell<Vec<Option<ThreadId>>>,
    registers: RefCell<Vec<u64>>,
    senders: RefCell<Vec<bool>>,
}

/// The body of the model; tells the final state of each run that ends well.
pub fn body(program: &Program, observe: Rc<dyn Fn(String)>) {
    let at = Location::caller();
    let n = program.threads.len();
    let object = |kind| rt::object(kind, at);
    let mut senders = vec![false; n];
    senders[0] = uses_channel(program);
    let shared = Rc::new(Shared {
        program: program.clone(),
        objects: [object(ObjectKind::Atomic), object(ObjectKind::Atomic)],
        values: RefCell::default(),
        mutexes: [object(ObjectKind::Mutex), object(ObjectKind::Mutex)],
        rwlock: object(ObjectKind::RwLock),
        condvar: object(ObjectKind::Condvar),
        channel: object(ObjectKind::Channel { capacity: program.capacity }),
        permits: (0..n).map(|_| object(ObjectKind::Token)).collect(),
        queue: RefCell::default(),
        handles: RefCell::new(vec![None; n]),
        registers: RefCell::new(vec![0; n]),
        senders: RefCell::new(senders),
    });
    shared.handles.borrow_mut()[0] = Some(rt::current());
    let last = shared.clone();
    rt::at_exit(Box::new(move || {
        if rt::exploring() {
            observe(format!("{:?} {:?}", last.values.borrow(), last.registers.borrow()));
        }
    }));
    thread(&shared, 0, at);
}

fn thread(shared: &Rc<Shared>, me: usize, at: At) {
    let code = flatten(&shared.program, me);
    let mut pc = 0;
    while let Some(ins) = code.get(pc) {
        pc += 1;
        if let Flat::Unless(value, to) = ins {
            if shared.registers.borrow()[me] != *value {
                pc = *to;
            }
        } else if let Some(r) = execute(shared, me, ins, at) {
            shared.registers.borrow_mut()[me] = r;
        }
    }
}

fn execute(shared: &Rc<Shared>, me: usize, ins: &Flat, at: At) -> Option<u64> {
    match ins {
        Flat::Lock(m) => rt::lock(shared.mutexes[*m], at),
        Flat::Unlock(m) => rt::unlock(shared.mutexes[*m], at),
        Flat::TryLock(m) => return Some(rt::try_lock(shared.mutexes[*m], at).into()),
        Flat::Read => rt::read(shared.rwlock, at),
        Flat::TryRead => return Some(rt::try_read(shared.rwlock, at).into()),
        Flat::UnlockRead => rt::unlock_read(shared.rwlock, at),
        Flat::Write => rt::write(shared.rwlock, at),
        Flat::TryWrite => return Some(rt::try_write(shared.rwlock, at).into()),
        Flat::UnlockWrite => rt::unlock_write(shared.rwlock, at),
        Flat::DropSender => {
            if std::mem::take(&mut shared.senders.borrow_mut()[me]) {
                rt::sender_dropped(shared.channel, at);
            }
        }
        Flat::Unless(..) => unreachable!("a jump"),
        Flat::Do(ins) => return plain(shared, me, ins, at),
    }
    None
}

fn plain(shared: &Rc<Shared>, me: usize, ins: &Ins, at: At) -> Option<u64> {
    let access = |v: usize, how: Access| rt::access(shared.objects[v], how, "access", at);
    let handle = |t: usize| shared.handles.borrow()[t];
    let r = shared.registers.borrow()[me];
    match ins {
        Ins::Load(v) => {
            access(*v, Access::Load(SeqCst));
            return Some(shared.values.borrow()[*v]);
        }
        Ins::Store(v, value) => {
            access(*v, Access::Store(SeqCst));
            shared.values.borrow_mut()[*v] = *value;
        }
        Ins::StoreNext(v) => {
            access(*v, Access::Store(SeqCst));
            shared.values.borrow_mut()[*v] = r + 1;
        }
        Ins::Add(v) => {
            access(*v, Access::Rmw(SeqCst));
            let old = shared.values.borrow()[*v];
            shared.values.borrow_mut()[*v] += 1;
            return Some(old);
        }
        Ins::Cas(v, value) => {
            access(*v, Access::CompareExchange);
            let same = shared.values.borrow()[*v] == *value;
            shared.values.borrow_mut()[*v] += u64::from(same);
            rt::wrote(same, SeqCst, at);
            return Some(same.into());
        }
        Ins::Wait => rt::wait(shared.condvar, shared.mutexes[0], at),
        Ins::WaitTimeout => return Some(rt::wait_timeout(shared.condvar, shared.mutexes[0], at).into()),
        Ins::NotifyOne => rt::notify_one(shared.condvar, at),
        Ins::NotifyAll => rt::notify_all(shared.condvar, at),
        Ins::Park => rt::take(shared.permits[me], "park", at),
        Ins::ParkTimeout => _ = rt::take_timeout(shared.permits[me], "park", at),
        Ins::Unpark(t) => rt::put(shared.permits[*t], "unpark", at),
        Ins::Spawn(t) => spawn(shared, *t, at),
        Ins::Join(t) => rt::join(handle(*t)?, at),
        Ins::IsFinished(t) => return Some(rt::is_finished(handle(*t)?, at).into()),
        Ins::Yield => rt::yield_now("yield", at),
        Ins::Choose(n) => return Some(rt::choose(*n, "choose", at).into()),
        Ins::FailIf(value) => assert!(r != *value, "thread {me} has {value}"),
        Ins::Send(value) | Ins::TrySend(value) => {
            return Some(send(shared, *value, matches!(ins, Ins::TrySend(_)), at));
        }
        Ins::Recv => return Some(received(shared, rt::recv(shared.channel, at))),
        Ins::TryRecv => return Some(received(shared, rt::try_recv(shared.channel, at))),
        Ins::RecvTimeout => return Some(received(shared, rt::recv_timeout(shared.channel, at))),
        Ins::DropReceiver => rt::receiver_dropped(shared.channel, at),
        nested => unreachable!("{nested:?} was flattened"),
    }
    None
}

fn spawn(shared: &Rc<Shared>, t: usize, at: At) {
    if has_sender(&shared.program, t) {
        rt::sender_cloned(shared.channel);
        shared.senders.borrow_mut()[t] = true;
    }
    let inner = shared.clone();
    let body = move || {
        inner.handles.borrow_mut()[t] = Some(rt::current());
        thread(&inner, t, at);
    };
    rt::spawn(None, None, at, Box::new(body));
}

fn send(shared: &Shared, value: u64, tries: bool, at: At) -> u64 {
    let outcome = if tries { rt::try_send(shared.channel, at) } else { rt::send(shared.channel, at) };
    match outcome {
        Transfer::Done => {
            shared.queue.borrow_mut().push_back(value);
            if rt::sent(shared.channel, at) == Transfer::Done { 0 } else { 100 }
        }
        Transfer::WouldBlock => 99,
        Transfer::Disconnected => 100,
    }
}

fn received(shared: &Shared, outcome: Transfer) -> u64 {
    match outcome {
        Transfer::Done => shared.queue.borrow_mut().pop_front().unwrap_or(98),
        Transfer::WouldBlock => 99,
        Transfer::Disconnected => 100,
    }
}
