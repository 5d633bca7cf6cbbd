//! Thread-locals: each thread of an execution has its own, made at the first use and dropped when the thread ends.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::rc::Rc;

use selvedge_stateless::rt;

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

/// The locals of a thread of an execution, in the order of their making; few, so a list. What was dropped stays known as
/// dropped.
#[derive(Default)]
struct Locals {
    list: Vec<(usize, Option<Rc<dyn Any>>)>,
    /// How many of them were dropped, or are being dropped.
    dropped: usize,
}

impl Locals {
    fn find(&self, key: usize) -> Option<Option<Rc<dyn Any>>> {
        self.list.iter().find(|(k, _)| *k == key).map(|(_, value)| value.clone())
    }
}

thread_local! {
    /// Locals of the execution with this stamp, by thread. What an execution that was given up leaves here is
    /// forgotten, not dropped: destructors must not run in the next one.
    static LOCALS: RefCell<(u64, Vec<Locals>)> = const { RefCell::new((0, Vec::new())) };
    /// The last execution that has any.
    static ANY: Cell<u64> = const { Cell::new(0) };
}

/// The locals of the calling thread.
fn locals<R>(f: impl FnOnce(&mut Locals) -> R) -> R {
    let (stamp, thread) = (rt::stamp(), rt::current().0 as usize);
    LOCALS.with_borrow_mut(|(of, threads)| {
        if *of != stamp {
            threads.drain(..).flat_map(|left| left.list).for_each(std::mem::forget);
            *of = stamp;
            ANY.set(stamp);
        }
        if threads.len() <= thread {
            threads.resize_with(thread + 1, Locals::default);
        }
        f(&mut threads[thread])
    })
}

/// Whether the calling thread has used any.
fn used_any() -> bool {
    if ANY.get() == 0 || ANY.get() != rt::stamp() {
        return false;
    }
    let thread = rt::current().0 as usize;
    LOCALS.with_borrow(|(_, threads)| threads.get(thread).is_some_and(|l| !l.list.is_empty()))
}

/// Drops the locals of the calling thread, oldest first; those that destructors make on the way, too.
pub(crate) fn drop_locals() {
    if !used_any() {
        return;
    }
    loop {
        let next = locals(|locals| {
            let (_, value) = locals.list.get_mut(locals.dropped)?;
            locals.dropped += 1;
            Some(value.take())
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
        match locals(|locals| locals.find(key)) {
            Some(Some(value)) => Ok(value.downcast().expect("a key has one type")),
            Some(None) => Err(AccessError),
            None => {
                // The initialiser may use other locals, even take steps: nothing is borrowed meanwhile.
                let value = Rc::new((self.init)());
                locals(|locals| locals.list.push((key, Some(value.clone()))));
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
