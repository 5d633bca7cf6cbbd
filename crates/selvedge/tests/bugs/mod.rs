//! Small programs with one bug each.

use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::thread::{self, JoinHandle};

mod wsq;
pub use wsq::work_stealing_queue;

fn spawn<S: Send + Sync + 'static>(state: &Arc<S>, body: fn(&S)) -> JoinHandle<()> {
    let state = state.clone();
    thread::spawn(move || body(&state))
}

fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}

/// A check that expects the wrong balance once both others are done.
pub fn account() {
    struct Account {
        balance: i32,
        deposited: bool,
        withdrawn: bool,
    }
    let account = Arc::new(Mutex::new(Account { balance: 10, deposited: false, withdrawn: false }));
    let deposit = spawn(&account, |a| {
        let mut a = a.lock().unwrap();
        a.balance += 4;
        a.deposited = true;
    });
    let withdraw = spawn(&account, |a| {
        let mut a = a.lock().unwrap();
        a.balance -= 3;
        a.withdrawn = true;
    });
    let check = spawn(&account, |a| {
        let a = a.lock().unwrap();
        assert!(!(a.deposited && a.withdrawn) || a.balance == 10 - 4 - 3);
    });
    join([deposit, withdraw, check]);
}

/// Three threads hand a number on; in most orders it does not arrive.
pub fn token_ring() {
    #[derive(Default)]
    struct Ring {
        x: [u32; 3],
        passed: [bool; 3],
    }
    let ring = Arc::new(Mutex::new(Ring { x: [1, 2, 1], passed: [false; 3] }));
    let first = spawn(&ring, |r| {
        let mut r = r.lock().unwrap();
        r.x[0] = (r.x[2] + 1) % 4;
        r.passed[0] = true;
    });
    let second = spawn(&ring, |r| {
        let mut r = r.lock().unwrap();
        r.x[1] = r.x[0];
        r.passed[1] = true;
    });
    let third = spawn(&ring, |r| {
        let mut r = r.lock().unwrap();
        r.x[2] = r.x[1];
        r.passed[2] = true;
    });
    let check = spawn(&ring, |r| {
        let r = r.lock().unwrap();
        if r.passed == [true; 3] {
            assert!(r.x[0] == r.x[1] && r.x[1] == r.x[2]);
        }
    });
    join([first, second, third, check]);
}

/// Two locks, taken in two orders.
pub fn lock_order() {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let ab = spawn(&locks, |l| {
        let _a = l.0.lock().unwrap();
        let _b = l.1.lock().unwrap();
    });
    let ba = spawn(&locks, |l| {
        let _b = l.1.lock().unwrap();
        let _a = l.0.lock().unwrap();
    });
    join([ab, ba]);
}

/// A driver that is stopped between the look at the flag and the work.
pub fn bluetooth() {
    struct Device {
        pending: AtomicUsize,
        stopping: AtomicBool,
        event: AtomicBool,
        stopped: AtomicBool,
    }
    impl Device {
        fn leave(&self) {
            if self.pending.fetch_sub(1, SeqCst) == 1 {
                self.event.store(true, SeqCst);
            }
        }
    }
    let off = || AtomicBool::new(false);
    let device = Arc::new(Device { pending: AtomicUsize::new(1), stopping: off(), event: off(), stopped: off() });
    let stop = spawn(&device, |d| {
        d.stopping.store(true, SeqCst);
        d.leave();
        if d.event.load(SeqCst) {
            d.stopped.store(true, SeqCst);
        }
    });
    if !device.stopping.load(SeqCst) {
        device.pending.fetch_add(1, SeqCst);
        assert!(!device.stopped.load(SeqCst));
        device.leave();
    }
    join([stop]);
}

/// The flag is read outside the lock, so the call may come before the sleep.
pub fn lost_wakeup() {
    #[derive(Default)]
    struct Gate {
        open: AtomicBool,
        lock: Mutex<()>,
        call: Condvar,
    }
    let gate = Arc::new(Gate::default());
    let opener = spawn(&gate, |g| {
        g.open.store(true, SeqCst);
        g.call.notify_one();
    });
    if !gate.open.load(SeqCst) {
        let lock = gate.lock.lock().unwrap();
        drop(gate.call.wait(lock).unwrap());
    }
    join([opener]);
}

/// Two values under two locks, and a reader who comes between.
pub fn two_stage(writers: usize) {
    #[derive(Default)]
    struct Stages {
        first: Mutex<u32>,
        second: Mutex<u32>,
    }
    let stages = Arc::new(Stages::default());
    let write = |s: &Stages| {
        let first = {
            let mut first = s.first.lock().unwrap();
            *first = 1;
            *first
        };
        *s.second.lock().unwrap() = first + 1;
    };
    let mut threads: Vec<_> = (0..writers).map(|_| spawn(&stages, write)).collect();
    threads.push(spawn(&stages, |s| {
        let first = *s.first.lock().unwrap();
        if first != 0 {
            let second = *s.second.lock().unwrap();
            assert_eq!(second, first + 1);
        }
    }));
    join(threads);
}

/// Sender and receiver count their turns, not the elements.
pub fn circular_buffer() {
    const TURNS: usize = 5;
    #[derive(Default)]
    struct Buffer {
        elements: [usize; TURNS],
        first: usize,
        next: usize,
        full: bool,
    }
    let buffer = Arc::new(Mutex::new(Buffer::default()));
    let sender = spawn(&buffer, |b| {
        for turn in 0..TURNS {
            let mut b = b.lock().unwrap();
            if !b.full {
                let next = b.next;
                b.elements[next] = turn;
                b.next = (next + 1) % TURNS;
                b.full = true;
            }
        }
    });
    let receiver = spawn(&buffer, |b| {
        for turn in 0..TURNS {
            let mut b = b.lock().unwrap();
            if b.full {
                let element = b.elements[b.first];
                b.first = (b.first + 1) % TURNS;
                b.full = false;
                assert_eq!(element, turn);
            }
        }
    });
    join([sender, receiver]);
}

/// Everyone takes the left fork first.
pub fn philosophers(n: usize) {
    let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..n).map(|_| Mutex::new(())).collect());
    let dine = |seat: usize| {
        let forks = forks.clone();
        thread::spawn(move || {
            let _left = forks[seat].lock().unwrap();
            let _right = forks[(seat + 1) % forks.len()].lock().unwrap();
        })
    };
    let threads: Vec<_> = (0..n).map(dine).collect();
    join(threads);
}

/// The length is read under the lock, the characters under the lock, but not both under one.
pub fn string_buffer() {
    let buffer = Arc::new(Mutex::new(String::from("abc")));
    let editor = spawn(&buffer, |b| {
        b.lock().unwrap().clear();
        b.lock().unwrap().push_str("abc");
    });
    let length = buffer.lock().unwrap().len();
    let copy = buffer.lock().unwrap().get(..length).map(str::to_owned);
    assert!(copy.is_some(), "the buffer shrank between its length and its characters");
    join([editor]);
}
