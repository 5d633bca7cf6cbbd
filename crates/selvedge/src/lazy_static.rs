//! `lazy_static!` inside a model: made anew in every execution, at the first use. As those of the crate `lazy_static`, the values are
//! not dropped: references to them may be kept for ever.
//!
//! As with loom, the statics belong to the main thread: whoever uses one must have done so before the model's closure
//! returns. The clocks decide that, so that one schedule suffices to find a use that may come too late.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::Location;

use selvedge_stateless::rt::{self, Moment};
use selvedge_stateless::{At, ThreadId};

use crate::primitive;
use crate::sync::LazyLock;
pub use crate::thread::AccessError;

/// loom's words.
const SHUTDOWN: &str = "attempted to access lazy_static during shutdown";

/// The last use of statics by a thread.
struct Use {
    thread: ThreadId,
    moment: Moment,
    at: At,
}

thread_local! {
    /// The last uses by each thread but the main one, in the execution with this stamp.
    static USES: RefCell<(u64, Vec<Use>)> = const { RefCell::new((0, Vec::new())) };
    /// The last execution in which the model's closure has returned.
    static RETURNED: Cell<u64> = const { Cell::new(0) };
}

/// The running thread has used a static.
fn used(at: At) {
    if !rt::inside() || rt::current() == ThreadId(0) {
        return;
    }
    let (stamp, thread, moment) = (rt::stamp(), rt::current(), rt::now());
    if RETURNED.get() == stamp {
        return too_late(at);
    }
    USES.with_borrow_mut(|(of, uses)| {
        if *of != stamp {
            *of = stamp;
            uses.clear();
        }
        match uses.iter_mut().find(|last| last.thread == thread) {
            Some(last) => *last = Use { thread, moment, at },
            None => uses.push(Use { thread, moment, at }),
        }
    });
}

/// The model's closure has returned, on the main thread: uses that it does not know of may as well come later.
pub(crate) fn main_returned() {
    let stamp = rt::stamp();
    RETURNED.set(stamp);
    let late = USES.with_borrow(|(of, uses)| {
        let unknown = |used: &&Use| *of == stamp && !rt::is_known(used.moment);
        uses.iter().find(unknown).map(|used| used.at)
    });
    if let Some(at) = late {
        too_late(at);
    }
}

fn too_late(at: At) {
    let message = format!(
        "{SHUTDOWN}: nothing orders the use at {at} before the end of the model's closure, with which the static ends; join the \
         thread that uses it"
    );
    primitive::misuse(message, at);
}

/// What [`lazy_static!`](crate::lazy_static!) makes of a `static ref`.
pub struct Lazy<T: 'static>(LazyLock<T>);

impl<T: 'static> Lazy<T> {
    /// Made by `init` at the first use.
    #[track_caller]
    pub const fn new(init: fn() -> T) -> Self {
        Lazy(LazyLock::new_static(init))
    }

    /// The value, made if this is the first use.
    ///
    /// # Panics
    /// If the execution is over and its statics are being dropped: the value may be gone. A use that nothing orders before
    /// the end of the model's closure ends the execution with a report.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        let value = self.try_get().expect(SHUTDOWN);
        used(Location::caller());
        value
    }

    /// The value, made if this is the first use, unless the execution is over and its statics are being dropped.
    #[track_caller]
    pub fn try_get(&'static self) -> Result<&'static T, AccessError> {
        if primitive::held::shutting_down() { Err(AccessError) } else { Ok(&self.0) }
    }
}

impl<T: 'static> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}
