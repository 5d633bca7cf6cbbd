//! Futures: a thread polls and waits for its waker; each task is a thread.

use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use crate::notify::Notify;
use crate::sync::Mutex;
use crate::thread;

impl Wake for Notify {
    #[cfg_attr(feature = "model", track_caller)]
    fn wake(self: Arc<Self>) {
        self.notify();
    }

    #[cfg_attr(feature = "model", track_caller)]
    fn wake_by_ref(self: &Arc<Self>) {
        self.notify();
    }
}

/// Drives a future to its end on the calling thread. In a model with spurious wake-ups the future may be polled without
/// having been woken; in one [like loom's](crate::Builder::like_loom), once.
#[cfg_attr(feature = "model", track_caller)]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let notify = Arc::new(Notify::new());
    let waker = Waker::from(notify.clone());
    let mut context = Context::from_waker(&waker);
    let mut polled_again = false;
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        if polls_again(polled_again) {
            polled_again = true;
        } else {
            notify.wait();
        }
    }
}

/// Whether the environment polls for no reason; whether it has done so before for this future.
#[cfg(feature = "model")]
#[track_caller]
fn polls_again(before: bool) -> bool {
    use selvedge_stateless::rt;
    let options = crate::model::options();
    rt::inside()
        && (options.spurious_wakeups || (options.like_loom && !before))
        && rt::choose(2, "poll again for no reason", std::panic::Location::caller()) == 1
}

#[cfg(not(feature = "model"))]
fn polls_again(_: bool) -> bool {
    false
}

/// Starts a task: a thread that drives the future.
#[cfg_attr(feature = "model", track_caller)]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let shared = Arc::new(Shared { value: Mutex::new(None), waker: AtomicWaker::new() });
    let thread = start({
        let shared = shared.clone();
        move || {
            let value = block_on(future);
            *shared.value.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            shared.waker.wake();
        }
    });
    JoinHandle { thread, shared }
}

#[cfg(feature = "model")]
#[track_caller]
fn start(body: impl FnOnce() + Send + 'static) -> thread::JoinHandle<()> {
    thread::Builder::new().spawn_send(body).expect("failed to spawn thread")
}

#[cfg(not(feature = "model"))]
fn start(body: impl FnOnce() + Send + 'static) -> thread::JoinHandle<()> {
    thread::spawn(body)
}

struct Shared<T> {
    value: Mutex<Option<T>>,
    waker: AtomicWaker,
}

/// A task that can be awaited. Dropping it lets the task run on.
pub struct JoinHandle<T> {
    thread: thread::JoinHandle<()>,
    shared: Arc<Shared<T>>,
}

impl<T> JoinHandle<T> {
    /// Whether the task has ended.
    #[cfg_attr(feature = "model", track_caller)]
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = T;
    #[cfg_attr(feature = "model", track_caller)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.shared.waker.register_by_ref(context.waker());
        let value = self.shared.value.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.map_or(Poll::Pending, Poll::Ready)
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}

/// The waker of a task, kept for the one who will wake it.
pub struct AtomicWaker(Mutex<Option<Waker>>);

impl AtomicWaker {
    /// Nobody waits.
    #[cfg_attr(feature = "model", track_caller)]
    pub const fn new() -> Self {
        AtomicWaker(Mutex::new(None))
    }

    /// Keeps the waker in place of the last one.
    #[cfg_attr(feature = "model", track_caller)]
    pub fn register(&self, waker: Waker) {
        let old = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(waker);
        drop(old);
    }

    /// The same without giving the waker away.
    #[cfg_attr(feature = "model", track_caller)]
    pub fn register_by_ref(&self, waker: &Waker) {
        self.register(waker.clone());
    }

    /// Wakes the task that registered last.
    #[cfg_attr(feature = "model", track_caller)]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }

    /// Takes the waker away.
    #[cfg_attr(feature = "model", track_caller)]
    pub fn take_waker(&self) -> Option<Waker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Default for AtomicWaker {
    #[cfg_attr(feature = "model", track_caller)]
    fn default() -> Self {
        AtomicWaker::new()
    }
}

impl fmt::Debug for AtomicWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicWaker").finish_non_exhaustive()
    }
}
