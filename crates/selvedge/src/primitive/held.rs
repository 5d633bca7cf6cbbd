//! A primitive's state and the object it is in the execution at hand.
//!
//! `new` is a `const fn`, so that primitives can be statics; it cannot register anything. A [`Held`] therefore
//! registers at its first use in an execution and remembers that in one word, the *slot*. What must hold:
//!
//! - Every execution starts from the same state. Locals are made anew by the test itself. A *static* is never
//!   changed inside a model: each execution works on a bitwise copy, dropped at the end of the execution unless
//!   references to it were given out (`LazyLock`, `OnceLock`), which safe code may keep for ever. A value
//!   made by constant evaluation owns no memory, so that the copy is as good as the original; a static that was
//!   used outside of models may own memory by now and is refused if its type has a destructor.
//! - What is neither (made before the model and captured, or kept from an earlier execution) would carry state from
//!   one execution into the next: the second execution that meets it says so and fails.
//! - Models on several OS threads may share statics: each has its own copies.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::{RefCell, UnsafeCell};
use std::collections::HashMap;
use std::mem;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::misuse;
use super::statics::is_static;
use selvedge_stateless::rt::{self, ObjectKind};
use selvedge_stateless::{At, ObjectId};

/// Not used yet.
const FRESH: u64 = 0;
/// Used outside of models.
const OUTSIDE: u64 = 1;
/// A static.
const STATIC: u64 = u64::MAX - 1;
/// A static that was used outside of models.
const STATIC_OUTSIDE: u64 = u64::MAX;
/// Bits of a slot for the object's number; the others are the stamp of the execution.
const NUMBER_BITS: u32 = 24;

/// The slot, and where the object was made.
#[derive(Debug)]
pub(crate) struct Header {
    slot: AtomicU64,
    created: At,
}

impl Header {
    #[track_caller]
    pub(crate) const fn new() -> Self {
        Header { slot: AtomicU64::new(FRESH), created: std::panic::Location::caller() }
    }

    /// For what is known to be a static, on platforms where the address does not tell.
    #[track_caller]
    pub(crate) const fn new_static() -> Self {
        Header { slot: AtomicU64::new(STATIC), created: std::panic::Location::caller() }
    }

    /// Where it was made.
    pub(crate) fn created(&self) -> At {
        self.created
    }

    /// Notes a use outside of models.
    #[inline]
    fn outside(&self) {
        match self.slot.load(Relaxed) {
            OUTSIDE | STATIC_OUTSIDE => {}
            STATIC => self.slot.store(STATIC_OUTSIDE, Relaxed),
            slot => {
                self.check_not_running(slot);
                self.slot.store(OUTSIDE, Relaxed);
            }
        }
    }

    /// Panics where a thread that is not the model's uses an object of a model that runs.
    #[cold]
    fn check_not_running(&self, slot: u64) {
        if slot != FRESH && rt::is_running(slot >> NUMBER_BITS) && !std::thread::panicking() {
            panic!(
                "selvedge: what was made at {} belongs to a model that is running, and is used by a thread that is not the \
                 model's. Start threads of a model by selvedge::thread::spawn, not by std::thread::spawn",
                self.created
            );
        }
    }

    /// The number in the execution at hand, if the slot says it.
    #[inline]
    fn known(&self, stamp: u64) -> Option<u32> {
        let slot = self.slot.load(Relaxed);
        (slot >> NUMBER_BITS == stamp).then_some((slot & ((1 << NUMBER_BITS) - 1)) as u32)
    }

    /// Whether this is a static; remembers it.
    fn settle(&self) -> bool {
        match self.slot.load(Relaxed) {
            STATIC | STATIC_OUTSIDE => true,
            slot if is_static(self as *const Self as usize) => {
                self.slot.store(if slot == OUTSIDE { STATIC_OUTSIDE } else { STATIC }, Relaxed);
                true
            }
            _ => false,
        }
    }

    /// Whether this is known to be a static.
    fn is_static(&self) -> bool {
        matches!(self.slot.load(Relaxed), STATIC | STATIC_OUTSIDE)
    }

    /// Registers something that is no static, unless it was part of an earlier execution.
    fn register(&self, stamp: u64, what: &'static str, number: impl FnOnce(At) -> u32) -> u32 {
        let why = match self.slot.load(Relaxed) {
            FRESH => None,
            OUTSIDE => Some(
                "outside of the model before, by a thread that is not the model's or before the model began. Start threads by \
                 selvedge::thread::spawn, and make it inside the model's closure",
            ),
            _ => Some(
                "in an earlier execution: what one execution leaves behind must not reach the next. Make it inside the \
                 model's closure, or make it a static, which starts anew each time",
            ),
        };
        if let Some(why) = why {
            misuse(format!("the {what} made at {} was used {why}", self.created), self.created);
        }
        let number = number(self.created);
        if u64::from(number) >> NUMBER_BITS != 0 {
            misuse(format!("more than {} objects in one execution", 1_u64 << NUMBER_BITS), self.created);
        }
        self.slot.store(stamp << NUMBER_BITS | u64::from(number), Relaxed);
        number
    }
}

/// A value with its header; the value of a static is a copy in each execution.
pub(crate) struct Held<T: ?Sized> {
    header: Header,
    value: UnsafeCell<T>,
}

// SAFETY: it gives out raw pointers, and references to a shared value only where that is `Sync`; its header is atomic.
unsafe impl<T: ?Sized + Sync> Sync for Held<T> {}

impl<T> Held<T> {
    #[track_caller]
    pub(crate) const fn new(value: T) -> Self {
        Held { header: Header::new(), value: UnsafeCell::new(value) }
    }

    /// For macros that make statics.
    #[track_caller]
    pub(crate) const fn new_static(value: T) -> Self {
        Held { header: Header::new_static(), value: UnsafeCell::new(value) }
    }

    pub(crate) fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> Held<T> {
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Where it was made.
    pub(crate) fn created(&self) -> At {
        self.header.created()
    }

    /// Whether it was used in this execution, and is no static.
    pub(crate) fn is_of(&self, stamp: u64) -> bool {
        self.header.known(stamp).is_some()
    }

    /// The object that it is in this execution, if it was used in it and is no static.
    pub(crate) fn object_of(&self, stamp: u64) -> Option<ObjectId> {
        self.header.known(stamp).map(ObjectId)
    }

    /// Whether it was never used.
    pub(crate) fn is_fresh(&self) -> bool {
        self.header.slot.load(Relaxed) == FRESH
    }

    /// Whether its header says what it cannot in this execution: it is of an earlier one, or its memory is something else's
    /// by now.
    pub(crate) fn is_strange(&self) -> bool {
        let slot = self.header.slot.load(Relaxed);
        !matches!(slot, FRESH | OUTSIDE | STATIC | STATIC_OUTSIDE) && slot >> NUMBER_BITS != rt::stamp()
    }

    /// Where it is.
    pub(crate) fn address(&self) -> usize {
        &raw const self.header as usize
    }

    /// The value as it is, without a note of the use.
    pub(crate) fn outside_value(&self) -> *mut T {
        self.value.get()
    }

    /// The value outside of models.
    #[inline]
    pub(crate) fn outside(&self) -> *mut T {
        self.header.outside();
        self.value.get()
    }

    /// The object and the value inside a model.
    #[inline]
    pub(crate) fn inside(&self, kind: ObjectKind, type_name: &'static str) -> (ObjectId, *mut T) {
        let (number, value) = self.find(type_name, |created| {
            let object = rt::object_at(kind, created, self.address());
            if rt::recording() {
                rt::name_object(object, &super::names::name(rt::stamp(), type_name, created));
            }
            object.0
        });
        (ObjectId(number), value)
    }

    /// As [`inside`](Self::inside), for a value that is only ever shared: a `Held` that is asked this way must not be
    /// written through the pointers that the other ways give.
    #[inline]
    pub(crate) fn shared(&self, kind: ObjectKind, type_name: &'static str) -> (ObjectId, &T)
    where
        T: Sync,
    {
        let (object, value) = self.inside(kind, type_name);
        // SAFETY: the value lives as long as `self` or, for a static, as the execution; nobody has it exclusively.
        (object, unsafe { &*value })
    }

    /// As [`shared`](Self::shared), for what [`object_of`](Self::object_of) knows.
    #[inline]
    pub(crate) fn known_shared(&self) -> &T
    where
        T: Sync,
    {
        // SAFETY: as in `shared`; what is known to the execution is no static, and its value is its own.
        unsafe { &*self.value.get() }
    }

    /// The value of a `Held` that is only ever shared, inside a model or outside, without a step.
    #[inline]
    pub(crate) fn peek_shared(&self, kind: ObjectKind, type_name: &'static str) -> &T
    where
        T: Sync,
    {
        // SAFETY: as in `shared`.
        unsafe { &*self.peek(kind, type_name) }
    }

    /// The value of an object, inside a model or outside, without a step. This may be its first use, which
    /// registers it as any other does.
    #[inline]
    pub(crate) fn peek(&self, kind: ObjectKind, type_name: &'static str) -> *mut T {
        if rt::inside() { self.inside(kind, type_name).1 } else { self.outside() }
    }

    /// The value, inside a model or outside, of something that is never an object of its own: its number is
    /// that of another, so it must not be asked for one later.
    #[inline]
    pub(crate) fn plain(&self, type_name: &'static str) -> *mut T {
        if !rt::inside() {
            return self.outside();
        }
        let (_, value) = self.find(type_name, |_| 0);
        if self.header.is_static() {
            COPIES.with_borrow_mut(|copies| copies.keep(&raw const self.header as usize));
        }
        value
    }

    /// The number in this execution (`number` registers it at the first use) and the value.
    #[inline]
    pub(crate) fn find(&self, type_name: &'static str, number: impl FnOnce(At) -> u32) -> (u32, *mut T) {
        let stamp = rt::stamp();
        match self.header.known(stamp) {
            Some(number) => (number, self.value.get()),
            None => self.first_use(stamp, type_name, number),
        }
    }

    #[cold]
    fn first_use(&self, stamp: u64, what: &'static str, number: impl FnOnce(At) -> u32) -> (u32, *mut T) {
        super::used();
        if !self.header.settle() {
            return (self.header.register(stamp, what, number), self.value.get());
        }
        let address = &raw const self.header as usize;
        if let Some(found) = COPIES.with_borrow(|copies| copies.find(stamp, address)) {
            return (found.number, with_address(self.value.get(), found.value));
        }
        if mem::needs_drop::<T>() && self.header.slot.load(Relaxed) == STATIC_OUTSIDE {
            let message = format!(
                "the static {what} made at {} was used outside of a model before: its first value is lost, so that \
                 executions cannot start from it. Use it only inside models in this test binary",
                self.header.created
            );
            misuse(message, self.header.created);
        }
        let number = number(self.header.created);
        let copy = StaticCopy::of(self.value.get(), number);
        let value = with_address(self.value.get(), copy.value);
        let first = COPIES.with_borrow_mut(|copies| copies.add(stamp, address, copy));
        if first {
            rt::at_exit(Box::new(drop_copies));
        }
        (number, value)
    }
}

/// The copy of a static's value in this execution.
#[derive(Clone, Copy)]
struct StaticCopy {
    number: u32,
    value: NonNull<u8>,
    layout: Layout,
    drop: Option<Destructor>,
    /// References to the value were given out. Those of a static live for ever, so that safe code may use them after the
    /// execution: the value is neither dropped nor freed.
    kept: bool,
}

/// Drops the value at an address; the metadata of wide pointers is that of the original.
#[derive(Clone, Copy)]
struct Destructor {
    original: NonNull<()>,
    drop: unsafe fn(NonNull<()>, NonNull<u8>),
}

impl StaticCopy {
    fn of<T: ?Sized>(original: *mut T, number: u32) -> Self {
        // SAFETY: the original is alive, it is a static.
        let layout = unsafe { Layout::for_value(&*original) };
        let value = if layout.size() == 0 {
            NonNull::new(std::ptr::without_provenance_mut(layout.align())).expect("an alignment is not zero")
        } else {
            // SAFETY: the size is not zero.
            let value = NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
            // Whoever uses the static first allocates it; those who use it then need not know.
            rt::disown(value.as_ptr().addr());
            value
        };
        // SAFETY: both are valid for the size of the value and do not overlap; nobody changes a static inside a
        // model, and what runs outside of models on other threads is the test's own race.
        unsafe { original.cast::<u8>().copy_to_nonoverlapping(value.as_ptr(), layout.size()) };
        let drop = mem::needs_drop::<T>().then(|| Destructor::of(original));
        StaticCopy { number, value, layout, drop, kept: false }
    }
}

impl Destructor {
    fn of<T: ?Sized>(original: *mut T) -> Self {
        unsafe fn drop<T: ?Sized>(wide: NonNull<()>, value: NonNull<u8>) {
            // SAFETY: `wide` is the boxed pointer made below for this `T`, used once.
            let original = unsafe { *Box::from_raw(wide.cast::<*mut T>().as_ptr()) };
            // SAFETY: the copy is a valid value that nobody else drops.
            unsafe { with_address(original, value).drop_in_place() };
        }
        let wide = NonNull::from(Box::leak(Box::new(original)));
        Destructor { original: wide.cast(), drop: drop::<T> }
    }
}

/// The same pointer to another place: its metadata (length, table of methods) is kept.
fn with_address<T: ?Sized>(mut pointer: *mut T, place: NonNull<u8>) -> *mut T {
    // SAFETY: the first word of a pointer, thin or wide, is its address.
    unsafe { (&raw mut pointer).cast::<*mut u8>().write(place.as_ptr()) };
    pointer
}

/// The copies of the execution that runs on this OS thread.
#[derive(Default)]
struct Copies {
    /// The execution is over, and they are being dropped.
    dropping: bool,
    stamp: u64,
    by_address: HashMap<usize, StaticCopy>,
    order: Vec<usize>,
}

thread_local!(static COPIES: RefCell<Copies> = RefCell::default());

impl Copies {
    fn find(&self, stamp: u64, address: usize) -> Option<StaticCopy> {
        if self.stamp == stamp { self.by_address.get(&address).copied() } else { None }
    }

    /// The copy of the static at this address outlives the execution.
    fn keep(&mut self, address: usize) {
        if let Some(copy) = self.by_address.get_mut(&address) {
            copy.kept = true;
        }
    }

    /// Adds a copy; whether it is the first of its execution. Copies of an execution that was given up are
    /// forgotten: frames of it that still exist never run again, but what they own is not known.
    fn add(&mut self, stamp: u64, address: usize, copy: StaticCopy) -> bool {
        let first = self.stamp != stamp;
        if first {
            *self = Copies { stamp, ..Copies::default() };
        }
        self.by_address.insert(address, copy);
        self.order.push(address);
        first
    }
}

/// Whether the execution is over and its statics are being dropped.
pub(crate) fn shutting_down() -> bool {
    rt::inside() && COPIES.with_borrow(|copies| copies.dropping && copies.stamp == rt::stamp())
}

/// At the end of an execution: newest first, as locals are dropped. A destructor may use statics, new ones too.
fn drop_copies() {
    COPIES.with_borrow_mut(|copies| copies.dropping = true);
    let next = || {
        COPIES.with_borrow_mut(|copies| {
            let address = copies.order.pop()?;
            copies.by_address.get(&address).copied()
        })
    };
    let mut freed = Vec::new();
    while let Some(copy) = next() {
        if copy.kept {
            // What it owns is not freed, as with std's statics.
            if copy.drop.is_some() {
                rt::forgive_leaks();
            }
            continue;
        }
        if let Some(Destructor { original, drop }) = copy.drop {
            // SAFETY: all threads of the execution have ended, and each copy is dropped once.
            unsafe { drop(original, copy.value) };
        }
        freed.push(copy);
    }
    COPIES.with_borrow_mut(|copies| *copies = Copies::default());
    for copy in freed.into_iter().filter(|copy| copy.layout.size() > 0) {
        // SAFETY: allocated with this layout in `StaticCopy::of`; no destructor that could use it is left.
        unsafe { dealloc(copy.value.as_ptr(), copy.layout) };
    }
}
