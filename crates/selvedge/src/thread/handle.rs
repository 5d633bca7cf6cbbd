//! Starting threads and waiting for them.

use std::fmt;
use std::io;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

use super::drop_locals;
use crate::primitive;
use selvedge_stateless::At;
use selvedge_stateless::rt;

/// Which thread, unlike any other of the execution or, outside of models, of the process.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThreadId(Id);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Id {
    Inside(selvedge_stateless::ThreadId),
    Outside(std::thread::ThreadId),
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Id::Inside(id) => write!(f, "ThreadId({})", id.0),
            Id::Outside(id) => id.fmt(f),
        }
    }
}

/// A thread, as [`std::thread::Thread`].
#[derive(Clone)]
pub struct Thread(Handle);

#[derive(Clone)]
enum Handle {
    Inside { id: selvedge_stateless::ThreadId, name: Option<Arc<str>> },
    Outside(std::thread::Thread),
}

impl Thread {
    pub(super) fn inside(id: selvedge_stateless::ThreadId, name: Option<Arc<str>>) -> Self {
        Thread(Handle::Inside { id, name })
    }

    pub(super) fn outside(thread: std::thread::Thread) -> Self {
        Thread(Handle::Outside(thread))
    }

    /// Which one.
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.0 {
            Handle::Inside { id, .. } => Id::Inside(*id),
            Handle::Outside(thread) => Id::Outside(thread.id()),
        })
    }

    /// The name it was given; the main thread of a model has none.
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Handle::Inside { name, .. } => name.as_deref(),
            Handle::Outside(thread) => thread.name(),
        }
    }

    /// Gives the thread its permit, for [`park`](super::park).
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Handle::Inside { id, .. } if rt::inside() => rt::unpark(*id, Location::caller()),
            Handle::Inside { .. } => {}
            Handle::Outside(thread) => thread.unpark(),
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("id", &self.id()).field("name", &self.name()).finish_non_exhaustive()
    }
}

/// The calling thread.
pub fn current() -> Thread {
    if rt::inside() {
        let id = rt::current();
        Thread::inside(id, rt::thread_name(id).map(Arc::from))
    } else {
        Thread::outside(std::thread::current())
    }
}

/// Where a thread of an execution leaves its result.
pub(super) type Packet<T> = Arc<Mutex<Option<T>>>;

/// What a started thread of an execution is known by.
pub(super) struct Started<T> {
    pub(super) thread: Thread,
    pub(super) id: selvedge_stateless::ThreadId,
    pub(super) packet: Packet<T>,
}

/// The body of a thread of an execution: its locals go when it ends, by a panic too.
pub(super) fn body<T>(f: impl FnOnce() -> T, packet: Packet<T>) -> impl FnOnce() {
    struct DropLocals;
    impl Drop for DropLocals {
        fn drop(&mut self) {
            drop_locals();
        }
    }
    move || {
        let _locals = DropLocals;
        let value = f();
        *packet.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }
}

/// Starts a fiber.
pub(super) fn start<T>(builder: Builder, packet: Packet<T>, at: At, body: Box<dyn FnOnce()>) -> Started<T> {
    primitive::spawned();
    let name: Option<Arc<str>> = builder.name.as_deref().map(Arc::from);
    // loom counts words, std counts bytes: what is enough for both costs address space only.
    let stack_size = builder.stack_size.map(|size| size.saturating_mul(size_of::<usize>()));
    let id = rt::spawn(builder.name, stack_size, at, body);
    Started { thread: Thread::inside(id, name), id, packet }
}

impl<T> Started<T> {
    /// Waits for the end; a panic arrives as an error.
    pub(super) fn join(&self, at: At) -> super::Result<T> {
        rt::join(self.id, at);
        match self.packet.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(value) => Ok(value),
            None => Err(rt::take_panic(self.id).unwrap_or_else(|| Box::new("the execution was given up"))),
        }
    }
}

/// A thread that can be waited for.
pub struct JoinHandle<T>(Join<T>);

enum Join<T> {
    Inside(Started<T>),
    Outside { handle: std::thread::JoinHandle<T>, thread: Thread },
}

impl<T> JoinHandle<T> {
    /// Waits for the end of the thread. A panic of the thread is a violation of the model, or arrives here as an error
    /// with [`Builder::thread_panics_reach_join`](crate::Builder::thread_panics_reach_join).
    #[track_caller]
    pub fn join(self) -> super::Result<T> {
        match self.0 {
            Join::Inside(started) => started.join(Location::caller()),
            Join::Outside { handle, .. } => {
                if rt::inside() {
                    let message = "a thread started outside of the model is joined inside it: the model would wait for \
                                   real time to pass";
                    primitive::misuse(message.to_owned(), Location::caller());
                }
                handle.join()
            }
        }
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        match &self.0 {
            Join::Inside(started) => &started.thread,
            Join::Outside { thread, .. } => thread,
        }
    }

    /// Whether the thread has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Join::Inside(started) => rt::is_finished(started.id, Location::caller()),
            Join::Outside { handle, .. } => handle.is_finished(),
        }
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("thread", self.thread()).finish_non_exhaustive()
    }
}

/// What a thread may be given: with the feature `loom-bounds` anything, as with loom, else what is `Send`, as with std.
#[cfg(feature = "loom-bounds")]
pub trait MaySend {}
#[cfg(feature = "loom-bounds")]
impl<T: ?Sized> MaySend for T {}

/// What a thread may be given: what is `Send`, as with std; with the feature `loom-bounds` anything, as with loom.
#[cfg(not(feature = "loom-bounds"))]
pub trait MaySend: Send {}
#[cfg(not(feature = "loom-bounds"))]
impl<T: Send + ?Sized> MaySend for T {}

/// Starts a thread.
///
/// loom's `spawn` takes closures that are not `Send`, which is harmless where all threads are fibers. Ours does the same
/// by default, and therefore refuses to start a real thread outside of a model; [`scope`](super::scope()) and
/// [`std::thread::spawn`] do, and so does this one with the feature `loom-bounds` off.
///
/// # Panics
/// Outside of a model, with the feature `loom-bounds` (a default feature) on.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + MaySend + 'static,
    T: MaySend + 'static,
{
    Builder::new().spawn(f).expect("failed to spawn thread")
}

/// A thread's name and stack, as [`std::thread::Builder`].
#[derive(Debug, Default)]
pub struct Builder {
    pub(super) name: Option<String>,
    pub(super) stack_size: Option<usize>,
}

impl Builder {
    /// No name, the usual stack.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Names the thread; reports use the name.
    pub fn name(mut self, name: String) -> Self {
        self.name = Some(name);
        self
    }

    /// Bytes of its stack, at least: loom counts words, and so inside a model the number is taken for that.
    pub fn stack_size(mut self, size: usize) -> Self {
        self.stack_size = Some(size);
        self
    }

    /// Starts the thread, as [`spawn()`] does.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + MaySend + 'static,
        T: MaySend + 'static,
    {
        if rt::inside() {
            return Ok(self.spawn_inside(f, Location::caller()));
        }
        #[cfg(feature = "loom-bounds")]
        panic!(
            "selvedge::thread::spawn outside of a model: it takes what is not `Send`, as loom's does, and so must not \
             start a real thread. Use std::thread::spawn or a scope, or switch the feature `loom-bounds` off"
        );
        #[cfg(not(feature = "loom-bounds"))]
        self.spawn_outside(f)
    }

    fn spawn_inside<F, T>(self, f: F, at: At) -> JoinHandle<T>
    where
        F: FnOnce() -> T + 'static,
        T: 'static,
    {
        // Who joins the thread knows what is in its packet.
        let packet: Packet<T> = rt::unnoted(Packet::default);
        let body = Box::new(body(f, packet.clone()));
        JoinHandle(Join::Inside(start(self, packet, at, body)))
    }

    fn spawn_outside<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let handle = self.std().spawn(f)?;
        let thread = Thread::outside(handle.thread().clone());
        Ok(JoinHandle(Join::Outside { handle, thread }))
    }

    /// For what is `Send` whatever the feature says: a fiber inside a model, a real thread outside.
    #[track_caller]
    pub(crate) fn spawn_send<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        if rt::inside() { Ok(self.spawn_inside(f, Location::caller())) } else { self.spawn_outside(f) }
    }

    pub(super) fn std(self) -> std::thread::Builder {
        let builder = std::thread::Builder::new();
        let builder = if let Some(name) = self.name { builder.name(name) } else { builder };
        if let Some(size) = self.stack_size { builder.stack_size(size) } else { builder }
    }
}
