//! [`Hints`]: what a machine may know about its threads beyond their steps, so that a search leaves out steps that cannot
//! matter or need not charge a switch. Every method has a default that is always right; a search is then only larger, or
//! counts a switch away from a spinning thread as a preemption.

use selvedge_core::ThreadId;

use crate::{Machine, Steps, Threads, Traced};

/// What the searches may use to do less.
pub trait Hints: Machine {
    /// Appends the steps of one thread in `state`, in the model without its claim. Used to follow a thread that may be
    /// spinning; states are those of the model with its claim, which stays where it is.
    fn unclaimed_steps(&self, state: &[u8], thread: ThreadId, scratch: &mut Self::Scratch, out: &mut Steps) {
        self.own_steps(state, &Threads::only(thread), scratch, out);
    }

    /// Whether a thread has a step of [`Turn::Any`](crate::Turn::Any) that leads somewhere; `None` where that has to be found
    /// out from its steps. For machines with states that can have too many steps to list them.
    fn has_step(&self, _state: &[u8], _thread: ThreadId) -> Option<bool> {
        None
    }

    /// Whether a thread can be spinning in `state` (see [`Spinning`](crate::Spinning)): a filter, for which `true` is
    /// always right in a machine that defines [`Hints::same_shared`].
    fn may_spin(&self, _state: &[u8], _thread: ThreadId) -> bool {
        false
    }

    /// Whether two states differ at most in what only `thread` can see: its control and its local variables, except
    /// those that another thread refers to. Both states have been through [`Hints::erase_unread`].
    fn same_shared(&self, _one: &[u8], _other: &[u8], _thread: ThreadId) -> bool {
        false
    }

    /// Clears what must not tell states apart when `thread` is asked whether it spins: variables that nothing reads, and
    /// the claim.
    fn erase_unread(&self, _state: &mut [u8], _thread: ThreadId) {}

    /// Whether the steps that a thread has in `state` are local: they touch only what is its own, can neither be
    /// prevented nor be observed by another thread or by the property, cannot fail, and neither enable nor disable
    /// another thread. Preempting the thread in front of such a step is pointless.
    fn is_local(&self, _state: &[u8], _thread: ThreadId) -> bool {
        false
    }

    /// Whether the steps of a thread in `state` may stand for those of all threads: nobody else can
    /// disable them or change what they do, they neither disable nor change a step of anybody else,
    /// now or later before one of them is taken, and no property can tell them from standing still.
    fn is_safe(&self, _state: &[u8], _thread: ThreadId) -> bool {
        false
    }

    /// The most steps among which a thread chooses in one place: what it takes to look at a state.
    fn most_choices(&self) -> usize {
        1
    }

    /// Executes steps with what they read and write traced, so that a search can remember them; `None` if the machine cannot,
    /// or if being in a state can be a fault ([`Machine::state_fault`]).
    fn traced(&self) -> Option<Box<dyn Traced + '_>> {
        None
    }
}
