//! Thread-locals: each thread of an execution has its own, made at the first use and dropped when the thread ends.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::rc::Rc;

use crate::rt;

/// A variable of which each thread has its own, as [`std::thread::LocalKey`]. Made by
/// [`thread_local!`](crate::thread_local!).
pub struct LocalKey<T: 'static> {
    init: fn() -> T,
    outside: fn() -> &'static std::thread::LocalKey<T>,
}

/// The variable was dropped already: its thread is ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl Error for AccessError {}

/// The locals of a thread of an execution.
#[derive(Default)]
struct Locals {
    by_key: HashMap<usize, Option<Rc<dyn Any>>>,
    /// Keys in the order of their making.
    order: Vec<usize>,
}

thread_local! {
    /// Locals of the threads of the execution with this stamp. What an execution that was given up leaves here is
    /// forgotten, not dropped: destructors must not run in the next one.
    static LOCALS: RefCell<(u64, HashMap<rt::ThreadId, Locals>)> = RefCell::default();
}

/// The locals of the calling thread.
fn locals<R>(f: impl FnOnce(&mut Locals) -> R) -> R {
    let (stamp, thread) = (rt::stamp(), rt::current());
    LOCALS.with_borrow_mut(|(of, threads)| {
        if *of != stamp {
            for (_, left) in threads.drain() {
                left.by_key.into_values().for_each(std::mem::forget);
            }
            *of = stamp;
        }
        f(threads.entry(thread).or_default())
    })
}

/// Drops the locals of the calling thread, oldest first; those that destructors make on the way, too. What was dropped
/// stays known as dropped.
pub(crate) fn drop_locals() {
    loop {
        let next = locals(|locals| {
            if locals.order.is_empty() {
                return None;
            }
            let key = locals.order.remove(0);
            Some(locals.by_key.insert(key, None))
        });
        match next {
            Some(value) => drop(value),
            None => return,
        }
    }
}

impl<T: 'static> LocalKey<T> {
    /// For the macro only.
    #[doc(hidden)]
    pub const fn new(init: fn() -> T, outside: fn() -> &'static std::thread::LocalKey<T>) -> Self {
        LocalKey { init, outside }
    }

    /// The value in this thread, made if this is the first use.
    fn find(&'static self) -> Result<Rc<T>, AccessError> {
        let key = self as *const Self as usize;
        match locals(|locals| locals.by_key.get(&key).cloned()) {
            Some(Some(value)) => Ok(value.downcast().expect("a key has one type")),
            Some(None) => Err(AccessError),
            None => {
                // The initialiser may use other locals, even take steps: nothing is borrowed meanwhile.
                let value = Rc::new((self.init)());
                locals(|locals| {
                    locals.by_key.insert(key, Some(value.clone()));
                    locals.order.push(key);
                });
                Ok(value)
            }
        }
    }

    /// Uses the value.
    ///
    /// # Panics
    /// If it was dropped already.
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.try_with(f).expect("cannot access a thread-local value during or after its destruction")
    }

    /// Uses the value, unless it was dropped already.
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        if rt::inside() {
            let value = self.find()?;
            Ok(f(&value))
        } else {
            (self.outside)().try_with(f).map_err(|_| AccessError)
        }
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Sets the value.
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// A copy of the value.
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the value.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Sets the value and returns the old one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Borrows the value.
    pub fn with_borrow<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Borrows the value exclusively.
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Sets the value.
    pub fn set(&'static self, value: T) {
        self.with(|cell| *cell.borrow_mut() = value);
    }

    /// Takes the value.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Sets the value and returns the old one.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}
