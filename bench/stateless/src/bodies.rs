//! The bodies, written once and compiled against each library. Names as in `docs/benchmarks.md`:
//! `lost_update:threads:increments`, `treiber:threads:items`, `chase_lev:items:steals`, ….

/// The bodies over one library.
macro_rules! bodies {
    ($library:ident) => {
        pub mod $library {
            use std::collections::VecDeque;

            use $library::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::SeqCst, fence};
            use $library::sync::{Arc, Condvar, Mutex, RwLock, mpsc};
            use $library::thread;

            /// Starts `n` threads on shared state and waits for them.
            fn together<S: Send + Sync + 'static>(n: usize, state: &Arc<S>, body: fn(&S, usize)) {
                let threads: Vec<_> = (0..n)
                    .map(|i| {
                        let state = state.clone();
                        thread::spawn(move || body(&state, i))
                    })
                    .collect();
                threads.into_iter().for_each(|t| t.join().unwrap());
            }

            fn increments<const TIMES: usize>(threads: usize) {
                let x = Arc::new(AtomicUsize::new(0));
                together(threads, &x, |x, _| {
                    for _ in 0..TIMES {
                        let old = x.load(SeqCst);
                        x.store(old + 1, SeqCst);
                    }
                });
            }

            pub fn lost_update_2_1() {
                increments::<1>(2);
            }

            pub fn lost_update_2_3() {
                increments::<3>(2);
            }

            pub fn lost_update_3_1() {
                increments::<1>(3);
            }

            pub fn lost_update_4_1() {
                increments::<1>(4);
            }

            pub fn fetch_add_3() {
                let x = Arc::new(AtomicUsize::new(0));
                together(3, &x, |x, _| {
                    x.fetch_add(1, SeqCst);
                });
            }

            /// One consumer, the main thread produces.
            pub fn prodcons_2() {
                let queue = Arc::new((Mutex::new(VecDeque::new()), Condvar::new()));
                let consumer = queue.clone();
                let thread = thread::spawn(move || {
                    for item in 0..2 {
                        let mut items = consumer.0.lock().unwrap();
                        while items.is_empty() {
                            items = consumer.1.wait(items).unwrap();
                        }
                        assert_eq!(items.pop_front(), Some(item));
                    }
                });
                for item in 0..2 {
                    queue.0.lock().unwrap().push_back(item);
                    queue.1.notify_one();
                }
                thread.join().unwrap();
            }

            /// Readers and writers of one lock, one round each.
            pub fn rwlock_2_2_1() {
                let x = Arc::new(RwLock::new(0));
                together(4, &x, |x, i| {
                    if i < 2 {
                        let _ = *x.read().unwrap();
                    } else {
                        *x.write().unwrap() += 1;
                    }
                });
            }

            /// Two senders of two messages, the main thread receives.
            pub fn channel_2_2() {
                let (sender, receiver) = mpsc::channel();
                let threads: Vec<_> = (0..2)
                    .map(|i| {
                        let sender = sender.clone();
                        thread::spawn(move || (0..2).for_each(|n| sender.send(10 * i + n).unwrap()))
                    })
                    .collect();
                (0..4).for_each(|_| _ = receiver.recv().unwrap());
                threads.into_iter().for_each(|t| t.join().unwrap());
            }

            /// Three philosophers who take the lower fork first, two meals each.
            pub fn phil_ordered_3_2() {
                let forks = Arc::new([Mutex::new(()), Mutex::new(()), Mutex::new(())]);
                together(3, &forks, |forks, i| {
                    let (low, high) = (i.min((i + 1) % 3), i.max((i + 1) % 3));
                    for _ in 0..2 {
                        let _first = forks[low].lock().unwrap();
                        let _second = forks[high].lock().unwrap();
                    }
                });
            }

            include!("../../../crates/selvedge/tests/class_counts/treiber_stack.rs");

            pub fn treiber_2_2() {
                let next = (0..5).map(|_| AtomicUsize::new(0)).collect();
                let stack = Arc::new(Stack { head: AtomicUsize::new(0), next });
                together(2, &stack, |stack, i| {
                    stack.push(1 + 2 * i);
                    stack.push(2 + 2 * i);
                    assert!(stack.pop().is_some() && stack.pop().is_some());
                });
            }

            struct Deque {
                top: AtomicIsize,
                bottom: AtomicIsize,
                items: [AtomicIsize; 4],
            }

            impl Deque {
                fn push(&self, item: isize) {
                    let bottom = self.bottom.load(SeqCst);
                    assert!(bottom - self.top.load(SeqCst) < 4, "there is room");
                    self.items[bottom as usize % 4].store(item, SeqCst);
                    self.bottom.store(bottom + 1, SeqCst);
                }

                fn take(&self) -> Option<isize> {
                    let bottom = self.bottom.load(SeqCst) - 1;
                    self.bottom.store(bottom, SeqCst);
                    fence(SeqCst); // for loom, whose SeqCst accesses are not
                    let top = self.top.load(SeqCst);
                    if top > bottom {
                        self.bottom.store(bottom + 1, SeqCst);
                        return None;
                    }
                    let item = self.items[bottom as usize % 4].load(SeqCst);
                    if top < bottom {
                        return Some(item);
                    }
                    let won = self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok();
                    self.bottom.store(bottom + 1, SeqCst);
                    won.then_some(item)
                }

                fn steal(&self) -> Option<isize> {
                    let top = self.top.load(SeqCst);
                    fence(SeqCst);
                    let bottom = self.bottom.load(SeqCst);
                    if top >= bottom {
                        return None;
                    }
                    let item = self.items[top as usize % 4].load(SeqCst);
                    self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok().then_some(item)
                }
            }

            /// The main thread owns the deque, a thief tries twice.
            pub fn chase_lev_3_2() {
                let zero = || AtomicIsize::new(0);
                let items = [zero(), zero(), zero(), zero()];
                let deque = Arc::new(Deque { top: zero(), bottom: zero(), items });
                let thief = deque.clone();
                let thread = thread::spawn(move || (0..2).filter_map(|_| thief.steal()).count());
                (0..3).for_each(|i| deque.push(i));
                let taken = (0..3).filter_map(|_| deque.take()).count();
                assert_eq!(taken + thread.join().unwrap(), 3);
            }
        }
    };
}

bodies!(loom);
bodies!(shuttle);
bodies!(selvedge);

/// A body over each library.
pub struct Body {
    pub name: &'static str,
    pub loom: fn(),
    pub shuttle: fn(),
    pub selvedge: fn(),
}

macro_rules! body {
    ($name:literal, $function:ident) => {
        Body { name: $name, loom: loom::$function, shuttle: shuttle::$function, selvedge: selvedge::$function }
    };
}

pub const BODIES: [Body; 11] = [
    body!("lost_update:2:1", lost_update_2_1),
    body!("lost_update:2:3", lost_update_2_3),
    body!("lost_update:3:1", lost_update_3_1),
    body!("lost_update:4:1", lost_update_4_1),
    body!("fetch_add:3", fetch_add_3),
    body!("prodcons:2", prodcons_2),
    body!("treiber:2:2", treiber_2_2),
    body!("chase_lev:3:2", chase_lev_3_2),
    body!("rwlock:2:2:1", rwlock_2_2_1),
    body!("channel:2:2", channel_2_2),
    body!("phil_ordered:3:2", phil_ordered_3_2),
];
