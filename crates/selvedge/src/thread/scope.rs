//! Threads that borrow: a scope does not end before they have.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::mem;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::OnceLock;

use super::handle::{Packet, Started, body, start};
use super::{Builder, Result, Thread};
use selvedge_stateless::At;
use selvedge_stateless::rt;

/// Where scoped threads are started, as [`std::thread::Scope`].
pub struct Scope<'scope, 'env: 'scope> {
    kind: Kind<'scope, 'env>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

enum Kind<'scope, 'env: 'scope> {
    Inside(Threads),
    Outside(OnceLock<&'scope std::thread::Scope<'scope, 'env>>),
}

/// The threads of a scope inside a model.
#[derive(Default)]
struct Threads(RefCell<Vec<Rc<RefCell<Scoped>>>>);

struct Scoped {
    id: selvedge_stateless::ThreadId,
    joined: bool,
}

// SAFETY: inside a model all threads of a scope are fibers of one OS thread; outside of one, `Threads` is not used.
unsafe impl Sync for Threads {}
// SAFETY: as above.
unsafe impl Send for Threads {}

/// Runs `f`, which may start threads that borrow what outlives the scope, and waits for those threads.
///
/// # Panics
/// If a thread of the scope panicked that nobody joined.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let at = Location::caller();
    if !rt::inside() {
        return outside(f);
    }
    let scope = Scope { kind: Kind::Inside(Threads::default()), scope: PhantomData, env: PhantomData };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    let Kind::Inside(threads) = &scope.kind else { unreachable!("made above") };
    let panicked = threads.wait_for_all(at);
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if panicked => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

fn outside<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let ours = Scope { kind: Kind::Outside(OnceLock::new()), scope: PhantomData, env: PhantomData };
    std::thread::scope(|theirs| {
        // SAFETY: `ours` lives until `std::thread::scope` returns, which waits for all threads that could use it;
        // the lifetimes of the two scopes differ in name only.
        let (ours, theirs) = unsafe {
            (mem::transmute::<&_, &Scope<'_, '_>>(&ours), mem::transmute::<&_, &std::thread::Scope<'_, '_>>(theirs))
        };
        if let Kind::Outside(cell) = &ours.kind {
            let _ = cell.set(theirs);
        }
        f(ours)
    })
}

impl Threads {
    /// Waits for every thread, those that threads of the scope start meanwhile too; whether one that nobody joined
    /// panicked.
    fn wait_for_all(&self, at: At) -> bool {
        let mut panicked = false;
        let mut next = 0;
        loop {
            let Some(thread) = self.0.borrow().get(next).cloned() else { return panicked };
            next += 1;
            let Scoped { id, joined } = *thread.borrow();
            if !joined {
                rt::join(id, at);
                panicked |= rt::take_panic(id).is_some();
            }
        }
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts a thread that may borrow.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new().spawn_scoped(self, f).expect("failed to spawn thread")
    }
}

impl Builder {
    /// Starts a thread that may borrow.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let threads = match &scope.kind {
            Kind::Inside(threads) => threads,
            Kind::Outside(theirs) => {
                let theirs = *theirs.get().expect("set before the scope's closure runs");
                let handle = self.std().spawn_scoped(theirs, f)?;
                let thread = Thread::outside(handle.thread().clone());
                return Ok(ScopedJoinHandle(Join::Outside { handle, thread }));
            }
        };
        let packet = Packet::default();
        let body: Box<dyn FnOnce() + 'scope> = Box::new(body(f, packet.clone()));
        // SAFETY: the scope does not end before the thread has, so that what the closure borrows outlives it; the
        // frames of a run that is given up are never touched again.
        let body: Box<dyn FnOnce()> = unsafe { mem::transmute(body) };
        let started = start(self, packet, Location::caller(), body);
        let scoped = Rc::new(RefCell::new(Scoped { id: started.id, joined: false }));
        threads.0.borrow_mut().push(scoped.clone());
        Ok(ScopedJoinHandle(Join::Inside { started, scoped: Local(scoped), lifetime: PhantomData }))
    }
}

/// A thread of a scope that can be waited for.
pub struct ScopedJoinHandle<'scope, T>(Join<'scope, T>);

enum Join<'scope, T> {
    Inside { started: Started<T>, scoped: Local, lifetime: PhantomData<&'scope ()> },
    Outside { handle: std::thread::ScopedJoinHandle<'scope, T>, thread: Thread },
}

/// Shared among the fibers of one OS thread.
struct Local(Rc<RefCell<Scoped>>);

// SAFETY: made and used inside one model only, on one OS thread.
unsafe impl Send for Local {}
// SAFETY: as above.
unsafe impl Sync for Local {}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the end of the thread.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            Join::Inside { started, scoped, .. } => {
                scoped.0.borrow_mut().joined = true;
                started.join(Location::caller())
            }
            Join::Outside { handle, .. } => handle.join(),
        }
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Join::Inside { started, .. } => &started.thread,
            Join::Outside { thread, .. } => thread,
        }
    }

    /// Whether the thread has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Join::Inside { started, .. } => rt::is_finished(started.id, Location::caller()),
            Join::Outside { handle, .. } => handle.is_finished(),
        }
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").field("thread", self.thread()).finish_non_exhaustive()
    }
}
