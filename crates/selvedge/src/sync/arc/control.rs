//! What an execution knows of a shared value: its object, and that it must be freed. Nothing outside a model.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use crate::primitive;
use selvedge_stateless::rt::{self, Access, DestructorWatch, ObjectKind, TrackId};
use selvedge_stateless::{At, ObjectId};

/// Copied into every pointer to the value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    inside: Option<Inside>,
}

#[derive(Clone, Copy, Debug)]
struct Inside {
    stamp: u64,
    object: ObjectId,
    track: TrackId,
    created: At,
}

thread_local! {
    /// Controls of values whose address was given out, to be found again by `from_raw`.
    static BY_ADDRESS: RefCell<(u64, HashMap<usize, Control>)> = RefCell::default();
}

impl Control {
    pub(super) const OUTSIDE: Control = Control { inside: None };

    pub(super) fn new(created: At) -> Self {
        if !rt::inside() {
            return Control::OUTSIDE;
        }
        let object = rt::object(ObjectKind::Atomic, created);
        if rt::recording() {
            rt::name_object(object, &primitive::names::name(rt::stamp(), "Arc", created));
        }
        let track = rt::track("Arc", created);
        Control { inside: Some(Inside { stamp: rt::stamp(), object, track, created }) }
    }

    /// What the execution at hand knows; nothing of values from elsewhere.
    #[inline]
    fn here(&self) -> Option<Inside> {
        self.inside.filter(|inside| rt::inside() && rt::stamp() == inside.stamp)
    }

    /// A count changes: a step if counts are visible. It orders nothing: what a drop publishes is told by
    /// [`release`](Self::release).
    #[inline]
    pub(super) fn count(&self, verb: &'static str, at: At) {
        if let Some(inside) = self.here().filter(|_| rt::counts_visible()) {
            rt::access(inside.object, Access::Rmw(Relaxed), verb, at);
        }
    }

    /// The same for a drop, whose place is not known: the value's is shown.
    #[inline]
    pub(super) fn count_drop(&self) {
        if let Some(inside) = self.here() {
            self.count("drop", inside.created);
        }
    }

    /// Somebody looks at a count: from now on counts are steps.
    pub(super) fn observe(&self, verb: &'static str, access: Access, at: At) {
        if let Some(inside) = self.here() {
            primitive::used();
            rt::counts_matter();
            rt::access(inside.object, access, verb, at);
        }
    }

    /// After [`Access::CompareExchange`]: whether the count was changed.
    pub(super) fn exchanged(&self, changed: bool, at: At) {
        if self.here().is_some() {
            rt::wrote(changed, if changed { Acquire } else { Relaxed }, at);
        }
    }

    /// Shows the count that was looked at.
    pub(super) fn show_count(&self, count: usize) {
        if self.here().is_some() {
            primitive::note(|| [String::new(), count.to_string(), String::new()]);
        }
    }

    /// What this thread did with the value comes before its destruction.
    #[inline]
    pub(super) fn release(&self) {
        if let Some(inside) = self.here() {
            rt::sync_release(inside.object);
        }
    }

    /// What the others did with the value comes before what this thread does with it now.
    pub(super) fn acquire(&self) {
        if let Some(inside) = self.here() {
            rt::sync_acquire(inside.object);
        }
    }

    /// The value is moved out by its only owner.
    pub(super) fn freed(&self) {
        if let Some(inside) = self.here() {
            rt::sync_acquire(inside.object);
            rt::untrack(inside.track);
        }
    }

    /// The last owner goes: the destructor of the value runs while the result lives.
    pub(super) fn last(&self) -> Option<DestructorWatch> {
        self.freed();
        self.here().filter(|_| !rt::counts_visible()).map(|_| rt::watch_destructor())
    }

    /// Keeps the control for an address that is given out.
    pub(super) fn remember(&self, address: *const ()) {
        if let Some(inside) = self.here() {
            BY_ADDRESS.with_borrow_mut(|(stamp, map)| {
                if *stamp != inside.stamp {
                    map.clear();
                    *stamp = inside.stamp;
                }
                map.insert(address as usize, *self);
            });
        }
    }

    /// The control of an address that was given out; a value of another origin is not checked for leaks.
    pub(super) fn recall(address: *const ()) -> Self {
        let known = BY_ADDRESS.with_borrow(|(stamp, map)| {
            let current = rt::inside() && *stamp == rt::stamp();
            if current { map.get(&(address as usize)).copied() } else { None }
        });
        known.unwrap_or(Control::OUTSIDE)
    }
}
