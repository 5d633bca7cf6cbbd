//! A thread of the program overflows its stack: it runs into the guard page, and the system sends a signal. The
//! exploration in progress supplies a message before the process ends as it would have.
//!
//! All other faults go to the previous handler (std has one for the stacks of its own threads). The handler runs on a
//! stack of its own; threads that std starts have one, others get one when they first explore. It allocates nothing and
//! takes no lock.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::c_int;
use std::fmt::{self, Write};
use std::sync::OnceLock;
use std::{mem, ptr};

use crate::config::Overflow;
use crate::{execution, fiber};

/// Bytes of a stack for signals, where there is none.
const SIGNAL_STACK: usize = 64 * 1024;

/// What is said about an overflow, and where.
pub(crate) type Words = fn(&Overflow, &mut dyn Write);

thread_local! {
    static WORDS: Cell<Option<Words>> = const { Cell::new(None) };
    static HAS_STACK: Cell<bool> = const { Cell::new(false) };
}

/// The handlers that were there before, for the signals below.
static BEFORE: OnceLock<[libc::sigaction; 2]> = OnceLock::new();
/// What systems send when a guard page is touched.
const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// From now on `words` is asked when a thread explored on this OS thread runs out of stack.
pub(crate) fn watch(words: Option<Words>) {
    WORDS.set(words);
    if words.is_none() {
        return;
    }
    if !HAS_STACK.replace(true) {
        give_signal_stack();
    }
    BEFORE.get_or_init(|| SIGNALS.map(install));
}

fn give_signal_stack() {
    // SAFETY: the structure is plain data; the system fills it in or reads it.
    unsafe {
        let mut now: libc::stack_t = mem::zeroed();
        if libc::sigaltstack(ptr::null(), &raw mut now) != 0 || now.ss_flags & libc::SS_DISABLE == 0 {
            return;
        }
        // Never given back: the OS thread may get a signal until it is gone.
        let memory: &'static mut [u8] = Box::leak(vec![0; SIGNAL_STACK].into_boxed_slice());
        now = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: SIGNAL_STACK };
        libc::sigaltstack(&raw const now, ptr::null_mut());
    }
}

/// Installs our handler; the one before.
fn install(signal: c_int) -> libc::sigaction {
    // SAFETY: both structures are plain data; `on_fault` has the signature that `SA_SIGINFO` asks for.
    unsafe {
        let mut before: libc::sigaction = mem::zeroed();
        let mut ours: libc::sigaction = mem::zeroed();
        ours.sa_sigaction = on_fault as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        libc::sigemptyset(&raw mut ours.sa_mask);
        libc::sigaction(signal, &raw const ours, &raw mut before);
        before
    }
}

extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system hands over a valid description of the fault, which has an address.
    let address = unsafe { (*info).si_addr() } as usize;
    if let Some((words, overflow)) = overflow(address) {
        words(&overflow, &mut Stderr);
        // SAFETY: the default action is always there. The fault comes again and ends the process.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    }
    let Some(before) = BEFORE.get().and_then(|all| all.get(usize::from(signal == SIGNALS[1]))) else { return };
    // SAFETY: `before` is what the system said was in force, and is called as it would have been.
    unsafe {
        match before.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => _ = libc::sigaction(signal, ptr::from_ref(before), ptr::null_mut()),
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut libc::c_void);
                mem::transmute::<usize, Handler>(handler)(signal, info, context);
            }
            handler => mem::transmute::<usize, extern "C" fn(c_int)>(handler)(signal),
        }
    }
}

/// What to say if the address is in the guard page of the running fiber.
fn overflow(address: usize) -> Option<(Words, Overflow)> {
    let words = WORDS.get()?;
    let stack = fiber::running_stack()?;
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    if !(stack.start..stack.start + page).contains(&address) {
        return None;
    }
    let mut thread = None;
    execution::try_with(|run| thread = Some(run.current));
    Some((words, Overflow { thread, bytes: stack.len() - page }))
}

/// The standard error, without a buffer or a lock.
struct Stderr;

impl Write for Stderr {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // SAFETY: the bytes are there; if they cannot be written nothing can be done about it.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
        Ok(())
    }
}
