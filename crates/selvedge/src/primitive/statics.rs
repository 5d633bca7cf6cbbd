//! Whether an address belongs to a `static`. A `const fn new` cannot tell whether it makes a static or a local, but the
//! address can: statics lie in the writable segments of the program and its libraries. Statics matter because
//! they outlive an execution: each execution works on a copy of its own (see `held.rs`).
#![allow(unsafe_code)]

use std::ops::Range;

/// Whether the address lies in a writable segment of the program or of a library loaded now.
pub(crate) fn is_static(address: usize) -> bool {
    use std::cell::OnceCell;
    thread_local!(static SEGMENTS: OnceCell<Vec<Range<usize>>> = const { OnceCell::new() });
    SEGMENTS.with(|segments| segments.get_or_init(writable_segments).iter().any(|s| s.contains(&address)))
}

#[cfg(target_os = "linux")]
fn writable_segments() -> Vec<Range<usize>> {
    /// Called once for each loaded object.
    extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, found: *mut libc::c_void) -> libc::c_int {
        // SAFETY: `info` is valid for the call and `found` is the vector handed to `dl_iterate_phdr` below.
        let (info, found) = unsafe { (&*info, &mut *found.cast::<Vec<Range<usize>>>()) };
        if info.dlpi_phdr.is_null() {
            return 0;
        }
        // SAFETY: the loader keeps `dlpi_phnum` headers at `dlpi_phdr`.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        for header in headers.iter().filter(|h| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_W != 0) {
            let start = (info.dlpi_addr as usize).wrapping_add(header.p_vaddr as usize);
            found.push(start..start.saturating_add(header.p_memsz as usize));
        }
        0
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    // SAFETY: `each` has the signature asked for and touches the vector only during the call.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut found).cast()) };
    found
}

/// Elsewhere nothing is taken for a static: a static that holds state then fails with the advice for objects that
/// outlive an execution.
#[cfg(not(target_os = "linux"))]
fn writable_segments() -> Vec<Range<usize>> {
    Vec::new()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn statics_are_distinguished_from_locals() {
        static ZERO: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        static ONE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
        let (local, heap) = (0_u8, Box::new(0_u8));
        assert!(is_static(&raw const ZERO as usize) && is_static(&raw const ONE as usize));
        assert!(!is_static(&raw const local as usize) && !is_static(&raw const *heap as usize));
    }
}
