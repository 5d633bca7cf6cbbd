use selvedge::sync::Arc;
use selvedge::thread;
use ticket_lock::TicketLock;

fn count_to_two(lock: TicketLock<u32>) {
    let lock = Arc::new(lock);
    let other = thread::spawn({
        let lock = lock.clone();
        move || lock.with_lock(|n| *n += 1)
    });
    lock.with_lock(|n| *n += 1);
    other.join().unwrap();
    assert_eq!(lock.with_lock(|n| *n), 2);
}

#[test]
fn a_ticket_lock_excludes() {
    selvedge::model(|| count_to_two(TicketLock::new(0)));
}

/// Fails: the log of this test is what a user sees first.
#[test]
fn a_careless_one_does_not() {
    selvedge::model(|| count_to_two(TicketLock::careless(0)));
}

/// Fails, and must not take the other tests down.
#[test]
fn two_locks_in_two_orders() {
    use selvedge::sync::Mutex;
    selvedge::model(|| {
        let locks = Arc::new((Mutex::new(1), Mutex::new(2)));
        let other = thread::spawn({
            let locks = locks.clone();
            move || {
                let _first = locks.0.lock().unwrap();
                let _second = locks.1.lock().unwrap();
            }
        });
        let second = locks.1.lock().unwrap();
        let first = locks.0.lock().unwrap();
        drop((first, second));
        other.join().unwrap();
    });
}

/// Outside of a model, the same types are std's, with real threads.
#[test]
fn real_threads_use_it_too() {
    let lock = std::sync::Arc::new(TicketLock::new(0));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let lock = lock.clone();
            std::thread::spawn(move || (0..100).for_each(|_| lock.with_lock(|n| *n += 1)))
        })
        .collect();
    threads.into_iter().for_each(|t| t.join().unwrap());
    assert_eq!(lock.with_lock(|n| *n), 400);
}
