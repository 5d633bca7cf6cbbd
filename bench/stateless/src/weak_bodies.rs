//! Bodies with orderings weaker than `SeqCst`, each with three threads, written once and compiled against each library.

/// The bodies over one library.
macro_rules! bodies {
    ($library:ident) => {
        pub mod $library {
            use $library::sync::Arc;
            use $library::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
            use $library::sync::atomic::{AtomicBool, AtomicUsize, fence};
            use $library::thread;

            /// Starts two threads on shared state, makes the main thread the third, and waits.
            fn three<S: Send + Sync + 'static>(state: S, body: fn(&S, usize)) -> Arc<S> {
                let state = Arc::new(state);
                let threads = [1, 2].map(|i| {
                    let state = state.clone();
                    thread::spawn(move || body(&state, i))
                });
                body(&state, 0);
                threads.into_iter().for_each(|t| t.join().unwrap());
                state
            }

            fn numbers<const N: usize>() -> [AtomicUsize; N] {
                [(); N].map(|()| AtomicUsize::new(0))
            }

            /// A message is passed on by a second thread to a third.
            pub fn message_passed_on() {
                three(numbers::<3>(), |[data, first, second], i| match i {
                    0 => {
                        data.store(1, Relaxed);
                        first.store(1, Release);
                    }
                    1 => {
                        if first.load(Acquire) == 1 {
                            second.store(1, Release);
                        }
                    }
                    _ => {
                        if second.load(Acquire) == 1 {
                            assert_eq!(data.load(Relaxed), 1);
                        }
                    }
                });
            }

            /// Each thread raises its flag and looks at the next one's, with fences: at most two see nothing.
            pub fn ring_of_flags() {
                let state = three(numbers::<4>(), |numbers, i| {
                    numbers[i].store(1, Relaxed);
                    fence($library::sync::atomic::Ordering::SeqCst);
                    if numbers[(i + 1) % 3].load(Relaxed) == 0 {
                        numbers[3].fetch_add(1, Relaxed);
                    }
                });
                assert!(state[3].load(Relaxed) < 3);
            }

            /// A writer and two readers of a sequence lock.
            pub fn sequence_lock() {
                three(numbers::<3>(), |[sequence, a, b], i| {
                    if i == 0 {
                        sequence.store(1, Relaxed);
                        fence(Release);
                        a.store(1, Relaxed);
                        b.store(1, Relaxed);
                        sequence.store(2, Release);
                    } else {
                        let before = sequence.load(Acquire);
                        let (a, b) = (a.load(Relaxed), b.load(Relaxed));
                        fence(Acquire);
                        if before % 2 == 0 && sequence.load(Relaxed) == before {
                            assert_eq!(a, b);
                        }
                    }
                });
            }

            /// Two items each are pushed on a stack and taken off again.
            pub fn treiber() {
                struct Stack {
                    head: AtomicUsize,
                    next: [AtomicUsize; 4],
                }
                let stack = Stack { head: AtomicUsize::new(0), next: numbers::<4>() };
                three(stack, |stack, i| {
                    let node = i + 1;
                    let mut head = stack.head.load(Relaxed);
                    loop {
                        stack.next[node].store(head, Relaxed);
                        match stack.head.compare_exchange(head, node, Release, Relaxed) {
                            Ok(_) => break,
                            Err(found) => head = found,
                        }
                    }
                    if i == 0 {
                        let head = stack.head.load(Acquire);
                        let next = stack.next[head].load(Relaxed);
                        let _ = stack.head.compare_exchange(head, next, AcqRel, Relaxed);
                    }
                });
            }

            /// Three references to a value: whoever drops the last one sees what the others did.
            pub fn reference_count() {
                struct Counted {
                    count: AtomicUsize,
                    marks: [AtomicUsize; 3],
                }
                three(Counted { count: AtomicUsize::new(3), marks: numbers::<3>() }, |counted, i| {
                    counted.marks[i].store(1, Relaxed);
                    if counted.count.fetch_sub(1, Release) == 1 {
                        fence(Acquire);
                        assert!(counted.marks.iter().all(|mark| mark.load(Relaxed) == 1));
                    }
                });
            }

            /// A ring buffer with two slots: one producer, a consumer, and a thread that looks at its length.
            pub fn ring_buffer() {
                three(numbers::<4>(), |[head, tail, a, b], i| match i {
                    0 => {
                        for n in 0..2 {
                            let at = tail.load(Relaxed);
                            if at - head.load(Acquire) < 2 {
                                [a, b][at % 2].store(n + 1, Relaxed);
                                tail.store(at + 1, Release);
                            }
                        }
                    }
                    1 => {
                        for _ in 0..2 {
                            let at = head.load(Relaxed);
                            if at < tail.load(Acquire) {
                                assert!([a, b][at % 2].load(Relaxed) > 0);
                                head.store(at + 1, Release);
                            }
                        }
                    }
                    _ => {
                        let (tail, head) = (tail.load(Acquire), head.load(Acquire));
                        assert!(tail <= 2 && head <= 2);
                    }
                });
            }

            /// A lock by exchange, which is tried once; a counter beside it.
            pub fn try_lock() {
                let state = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
                let state = three(state, |(locked, data, failed), _| {
                    if locked.compare_exchange(false, true, Acquire, Relaxed).is_ok() {
                        let old = data.load(Relaxed);
                        data.store(old + 1, Relaxed);
                        locked.store(false, Release);
                    } else {
                        failed.fetch_add(1, Relaxed);
                    }
                });
                assert_eq!(state.1.load(Relaxed) + state.2.load(Relaxed), 3);
            }

            /// Each thread stores to one location and reads two others twice.
            pub fn stores_and_loads() {
                three(numbers::<3>(), |numbers, i| {
                    numbers[i].store(1, Release);
                    let (next, other) = (&numbers[(i + 1) % 3], &numbers[(i + 2) % 3]);
                    let first = next.load(Acquire);
                    let _ = other.load(Relaxed);
                    assert!(next.load(Relaxed) >= first);
                });
            }
        }
    };
}

bodies!(loom);
bodies!(selvedge);

/// A body over both libraries.
pub struct Body {
    pub name: &'static str,
    pub loom: fn(),
    pub selvedge: fn(),
}

macro_rules! body {
    ($function:ident) => {
        Body { name: stringify!($function), loom: loom::$function, selvedge: selvedge::$function }
    };
}

pub const BODIES: [Body; 8] = [
    body!(message_passed_on),
    body!(ring_of_flags),
    body!(sequence_lock),
    body!(treiber),
    body!(reference_count),
    body!(ring_buffer),
    body!(try_lock),
    body!(stores_and_loads),
];
