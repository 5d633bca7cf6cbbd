//! Data structures with fences and exchanges, written after programs that GenMC is tested with (docs/bibliography.md): the
//! sequentially consistent executions within each bound of preemptions are those that it publishes. What RC11 allows besides
//! is in docs/benchmarks.md beside the published numbers.
//!
//! What those programs access without atomics, or as `volatile`, is accessed here with `Relaxed`: their race detection is off,
//! ours is not. All totals: `LITMUS_LARGE=1 cargo test --release -p selvedge-litmus --test structures`.

use std::cell::Cell;
use std::rc::Rc;

use selvedge::sync::Arc;
use selvedge::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use selvedge::sync::atomic::{AtomicUsize, fence};
use selvedge::thread;
use selvedge_stateless::{Config, Memory, Progress, Recheck, Reduction, SearchBound, explore};

/// Executions that came to their end, within each bound.
fn series(bound: Option<u32>, stale: Option<u32>, body: fn() -> bool) -> Vec<u64> {
    let ended = Rc::new(Cell::new(0));
    let mut series = Vec::new();
    let mut note = |event: &Progress| {
        if let Progress::BoundComplete(_) = event {
            series.push(ended.get());
        }
    };
    let config = Config {
        memory: Memory::Rc11,
        bound: SearchBound::Deviations(bound),
        max_stale: stale,
        reduction: Reduction::HappensBefore,
        recheck: Recheck::None,
        fair_yields: None,
        ..Config::default()
    };
    let result = explore(&config, &mut note, &|| {
        ended.set(ended.get() + u64::from(body()));
    });
    assert!(result.complete, "{:?}", result.stop);
    series
}

/// Sequentially consistent executions within each bound, and all that RC11 allows.
fn check(body: fn() -> bool, sequential: &[u64], rc11: u64) {
    let found = series(None, Some(0), body);
    let known = found.len().min(sequential.len());
    assert_eq!(found[..known], sequential[..known]);
    assert_eq!(found.last(), sequential.last());
    assert_eq!(series(None, None, body).last(), Some(&rc11));
}

/// The same where the totals take a minute: only with `LITMUS_LARGE=1`.
fn check_large(body: fn() -> bool, sequential: &[u64], rc11: u64) {
    if std::env::var_os("LITMUS_LARGE").is_some() {
        return check(body, sequential, rc11);
    }
    assert_eq!(series(Some(2), Some(0), body), sequential[..3]);
}

/// Runs threads on shared state, whether each of them came to its end.
fn threads<S: Send + Sync + 'static, const N: usize>(state: S, bodies: [fn(&S) -> Option<()>; N]) -> bool {
    let state = Arc::new(state);
    let threads = bodies.map(|body| {
        let state = state.clone();
        thread::spawn(move || body(&state).is_some())
    });
    // All are joined, also behind one that did not.
    let ended: Vec<bool> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    ended.into_iter().all(|ended| ended)
}

fn zeros<const N: usize>() -> [AtomicUsize; N] {
    [(); N].map(|()| AtomicUsize::new(0))
}

/// A deque from which others steal.
struct Deque {
    bottom: AtomicUsize,
    top: AtomicUsize,
    items: [AtomicUsize; 10],
}

impl Deque {
    fn new() -> Deque {
        Deque { bottom: AtomicUsize::new(0), top: AtomicUsize::new(0), items: zeros() }
    }

    fn push(&self, item: usize) -> bool {
        let bottom = self.bottom.load(Relaxed);
        let top = self.top.load(Acquire);
        if bottom.wrapping_sub(top) as isize >= 10 {
            return false;
        }
        self.items[bottom % 10].store(item, Relaxed);
        self.bottom.store(bottom + 1, Release);
        true
    }

    fn pop(&self) {
        let bottom = self.bottom.load(Relaxed);
        self.bottom.store(bottom.wrapping_sub(1), Relaxed);
        fence(SeqCst);
        let top = self.top.load(Relaxed);
        let len = bottom.wrapping_sub(top) as isize;
        if len <= 0 {
            self.bottom.store(bottom, Relaxed);
            return;
        }
        self.items[(bottom - 1) % 10].load(Relaxed);
        if len == 1 {
            let _ = self.top.compare_exchange(top, top + 1, AcqRel, Acquire);
            self.bottom.store(bottom, Relaxed);
        }
    }

    fn steal(&self) {
        let top = self.top.load(Relaxed);
        fence(SeqCst);
        let bottom = self.bottom.load(Acquire);
        if bottom.wrapping_sub(top) as isize > 0 {
            self.items[top % 10].load(Relaxed);
            let _ = self.top.compare_exchange(top, top + 1, Release, Relaxed);
        }
    }
}

fn steals_once(deque: &Deque) -> Option<()> {
    deque.steal();
    Some(())
}

/// Five pushes, three pops and two pushes beside one that steals once.
fn chase_lev() -> bool {
    let owner = |deque: &Deque| {
        (1..=5).for_each(|item| _ = deque.push(item));
        (0..3).for_each(|_| deque.pop());
        (6..=7).for_each(|item| _ = deque.push(item));
        Some(())
    };
    threads(Deque::new(), [owner, steals_once])
}

/// Two pushes, a pop and a push beside two that steal twice and once.
fn deque() -> bool {
    let owner = |deque: &Deque| {
        (1..=2).for_each(|item| _ = deque.push(item));
        deque.pop();
        deque.push(4);
        Some(())
    };
    let steals_twice = |deque: &Deque| {
        (0..2).for_each(|_| deque.steal());
        Some(())
    };
    threads(Deque::new(), [owner, steals_twice, steals_once])
}

/// A ring for several producers and consumers: who comes second to a place gives up.
struct Ring {
    produced: [AtomicUsize; 2],
    consumed: [AtomicUsize; 2],
    items: [AtomicUsize; 8],
}

impl Ring {
    fn enqueue(&self, item: usize) -> Option<()> {
        let head = self.produced[0].load(Relaxed);
        let tail = self.consumed[1].load(Relaxed);
        let next = (head + 1) % 8;
        if next == tail {
            return Some(());
        }
        self.produced[0].compare_exchange(head, next, AcqRel, Acquire).ok()?;
        fence(SeqCst);
        self.items[head].store(item, Relaxed);
        if self.produced[1].load(Relaxed) != head {
            return None;
        }
        self.produced[1].store(next, Relaxed);
        Some(())
    }

    fn dequeue(&self) -> Option<()> {
        let head = self.consumed[0].load(Relaxed);
        let tail = self.produced[1].load(Relaxed);
        if head == tail {
            return Some(());
        }
        let next = (head + 1) % 8;
        self.consumed[0].compare_exchange(head, next, AcqRel, Acquire).ok()?;
        self.items[head].load(Relaxed);
        if self.consumed[1].load(Relaxed) != head {
            return None;
        }
        fence(SeqCst);
        self.consumed[1].store(next, Relaxed);
        Some(())
    }
}

fn ring() -> bool {
    let ring = Ring { produced: zeros(), consumed: zeros(), items: zeros() };
    threads(
        ring,
        [
            |ring| ring.enqueue(1).and_then(|()| ring.dequeue()),
            |ring| ring.enqueue(2).and_then(|()| ring.dequeue()),
            |ring| ring.enqueue(3).and_then(|()| ring.dequeue()),
        ],
    )
}

/// A queue of linked nodes; 0 is no node, 1 the first one.
struct Queue {
    next: [AtomicUsize; 4],
    data: [AtomicUsize; 4],
    head: AtomicUsize,
    tail: AtomicUsize,
    ready: AtomicUsize,
}

impl Queue {
    fn init(&self) {
        self.next[1].store(0, Release);
        self.head.store(1, Release);
        self.tail.store(1, Release);
        self.ready.store(1, Release);
    }

    fn find_tail(&self) -> Option<usize> {
        let tail = self.tail.load(Acquire);
        let next = self.next[tail].load(Relaxed);
        if next != 0 {
            self.tail.store(next, Release);
        }
        (next == 0).then_some(tail)
    }

    fn enqueue(&self, node: usize) {
        self.data[node].store(1, Relaxed);
        self.next[node].store(0, Relaxed);
        let tail = std::iter::repeat_with(|| self.find_tail()).find_map(|tail| tail);
        let tail = tail.expect("the loop ends when there is one");
        if self.next[tail].compare_exchange(0, node, Release, Relaxed).is_ok() {
            self.tail.store(node, Release);
        }
    }

    fn dequeue(&self) {
        let head = self.head.load(Acquire);
        let node = self.next[head].load(Acquire);
        if node != 0 && self.head.compare_exchange(head, node, Relaxed, Relaxed).is_ok() {
            self.data[node].load(Relaxed);
        }
    }
}

fn linked_queue() -> bool {
    let [head, tail, ready] = zeros();
    let queue = Queue { next: zeros(), data: zeros(), head, tail, ready };
    threads(
        queue,
        [
            |queue| {
                queue.init();
                queue.enqueue(2);
                Some(())
            },
            |queue| {
                if queue.ready.load(Acquire) != 0 {
                    queue.enqueue(3);
                }
                Some(())
            },
            |queue| {
                if queue.ready.load(Acquire) != 0 {
                    queue.dequeue();
                }
                Some(())
            },
        ],
    )
}

/// A stack of linked nodes, each operation tried once.
struct Stack {
    data: [AtomicUsize; 4],
    next: [AtomicUsize; 4],
    head: AtomicUsize,
}

impl Stack {
    fn push(&self, node: usize) {
        self.data[node].store(node, Relaxed);
        let head = self.head.load(Relaxed);
        self.next[node].store(head, Relaxed);
        let _ = self.head.compare_exchange(head, node, Release, Relaxed);
    }

    fn pop(&self) {
        let head = self.head.load(Relaxed);
        if head == 0 {
            return;
        }
        self.data[head].load(Relaxed);
        let next = self.next[head].load(Relaxed);
        let _ = self.head.compare_exchange(head, next, Relaxed, Relaxed);
    }
}

fn stack() -> bool {
    let stack = Stack { data: zeros(), next: zeros(), head: AtomicUsize::new(0) };
    threads(
        stack,
        [
            |stack| {
                stack.push(1);
                stack.push(2);
                stack.pop();
                Some(())
            },
            |stack| {
                stack.pop();
                stack.push(3);
                Some(())
            },
        ],
    )
}

/// Two threads strike out the multiples of the numbers from 2 to 6.
fn sieve() -> bool {
    let strike: fn(&[AtomicUsize; 5]) -> Option<()> = |numbers| {
        for i in 0..5 {
            if numbers[i].load(Acquire) == 0 {
                numbers[i].store(1, Release);
                (2 * i + 2..5).step_by(i + 2).for_each(|j| numbers[j].store(2, Release));
            }
        }
        Some(())
    };
    threads(zeros::<5>(), [strike, strike])
}

#[test]
fn a_deque_with_fences() {
    check(chase_lev, &[2, 20, 28, 59], 65);
}

#[test]
fn a_deque_with_two_thieves() {
    check_large(deque, &[5, 49, 230, 645, 1090, 1315, 1368, 1373], 1924);
}

#[test]
fn a_ring_of_several_producers() {
    check_large(ring, &[6, 36, 123, 261, 273], 1218);
}

#[test]
fn a_linked_queue() {
    check(linked_queue, &[4, 17, 31, 39], 75);
}

#[test]
fn a_linked_stack() {
    check(stack, &[2, 9, 23, 33, 37], 183);
}

#[test]
fn a_sieve() {
    check(sieve, &[2, 18, 68, 156, 260, 340, 382, 396, 398], 1512);
}
