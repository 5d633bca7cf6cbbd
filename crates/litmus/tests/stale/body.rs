//! A litmus test as a Rust test: an interpreter of its statements over the library's atomics and cells. The main thread
//! only starts the others and waits for them.

use std::cell::Cell;
use std::collections::BTreeMap;

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicI64, Ordering, fence};
use selvedge::thread;
use selvedge_litmus::{Expression, Mode, Statement, Status, Test};

/// What a run came to: registers, and how it ended.
pub type Outcome = (BTreeMap<String, i64>, bool);

fn ordering(mode: Mode) -> Ordering {
    match mode {
        Mode::NotAtomic => panic!("not an atomic access"),
        Mode::Relaxed => Ordering::Relaxed,
        Mode::Acquire => Ordering::Acquire,
        Mode::Release => Ordering::Release,
        Mode::AcqRel => Ordering::AcqRel,
        Mode::SeqCst => Ordering::SeqCst,
    }
}

/// A location: an atomic for its atomic accesses, a cell for the others.
struct Location {
    atomic: AtomicI64,
    plain: UnsafeCell<i64>,
}

struct Thread<'a> {
    memory: &'a [Location],
    registers: BTreeMap<String, i64>,
    status: Cell<Status>,
}

impl Thread<'_> {
    fn set(&mut self, register: Option<&String>, value: i64) {
        if let Some(register) = register {
            self.registers.insert(register.clone(), value);
        }
    }

    fn block(&mut self, block: &[Statement]) -> Option<()> {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Option<()> {
        match statement {
            Statement::Load { register, location, mode } => {
                let place = &self.memory[*location];
                let value = match mode {
                    Mode::NotAtomic => place.plain.with(|p| unsafe { *p }),
                    mode => place.atomic.load(ordering(*mode)),
                };
                self.set(Some(register), value);
            }
            Statement::Store { location, value, mode } => {
                let (place, value) = (&self.memory[*location], value.value(&self.registers));
                match mode {
                    Mode::NotAtomic => place.plain.with_mut(|p| unsafe { *p = value }),
                    mode => place.atomic.store(value, ordering(*mode)),
                }
            }
            Statement::Modify { register, location, adds, operand, mode } => {
                let (place, operand) = (&self.memory[*location], operand.value(&self.registers));
                let old = match adds {
                    true => place.atomic.fetch_add(operand, ordering(*mode)),
                    false => place.atomic.swap(operand, ordering(*mode)),
                };
                self.set(register.as_ref(), old);
            }
            Statement::CompareExchange { register, location, expected, new, success, failure } => {
                let (expected, new) = (expected.value(&self.registers), new.value(&self.registers));
                let orders = (ordering(*success), ordering(*failure));
                let result = self.memory[*location].atomic.compare_exchange(expected, new, orders.0, orders.1);
                self.set(register.as_ref(), result.unwrap_or_else(|found| found));
            }
            Statement::Fence(mode) => fence(ordering(*mode)),
            Statement::Let { register, value } => self.set(Some(register), value.value(&self.registers)),
            Statement::If { condition, then, otherwise } => {
                let holds = condition.value(&self.registers) != 0;
                return self.block(if holds { then } else { otherwise });
            }
            Statement::Assume(condition) => return self.stop_unless(condition, Status::Blocked),
            Statement::Assert(condition) => return self.stop_unless(condition, Status::Error),
        }
        Some(())
    }

    fn stop_unless(&self, condition: &Expression, status: Status) -> Option<()> {
        if condition.value(&self.registers) != 0 {
            return Some(());
        }
        self.status.set(status);
        None
    }
}

/// Whether a test has accesses that are not atomic.
pub fn has_plain_accesses(test: &Test) -> bool {
    (0..test.locations.len()).any(|location| is_plain(test, location))
}

/// Whether a location has accesses that are not atomic.
fn is_plain(test: &Test, of: usize) -> bool {
    fn in_block(block: &[Statement], of: usize) -> bool {
        block.iter().any(|statement| match statement {
            Statement::Load { mode, location, .. } | Statement::Store { mode, location, .. } => {
                *location == of && *mode == Mode::NotAtomic
            }
            Statement::If { then, otherwise, .. } => in_block(then, of) || in_block(otherwise, of),
            _ => false,
        })
    }
    test.threads.iter().any(|thread| in_block(thread, of))
}

/// Runs the test once; what came out, with the final values, and whether a thread blocked.
pub fn run(test: &std::sync::Arc<Test>) -> Outcome {
    let location = |&value: &i64| Location { atomic: AtomicI64::new(value), plain: UnsafeCell::new(value) };
    let memory: Arc<Vec<Location>> = Arc::new(test.initial.iter().map(location).collect());
    let start = |index: usize| {
        let (memory, test) = (memory.clone(), test.clone());
        thread::spawn(move || {
            let mut thread = Thread { memory: &memory, registers: BTreeMap::new(), status: Cell::new(Status::End) };
            thread.block(&test.threads[index]);
            (thread.registers, thread.status.get())
        })
    };
    let threads: Vec<_> = (0..test.threads.len()).map(start).collect();
    let (mut outcome, mut blocked, mut failed) = (BTreeMap::new(), false, false);
    for thread in threads {
        let (registers, status) = thread.join().unwrap();
        outcome.extend(registers);
        blocked |= status == Status::Blocked;
        failed |= status == Status::Error;
    }
    for (location, (name, place)) in test.locations.iter().zip(memory.iter()).enumerate() {
        // Everything happens before this: there is one value, and no step is needed to read it.
        let value = match is_plain(test, location) {
            true => place.plain.with(|p| unsafe { *p }),
            false => unsafe { place.atomic.unsync_load() },
        };
        outcome.insert(format!("[{name}]"), value);
    }
    (outcome, blocked && !failed)
}
