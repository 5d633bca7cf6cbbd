//! Temporary directories that clean up after themselves.
//!
//! Spin writes `pan.*` and `_spin_nvr.tmp` into the current directory, so every run of it gets a directory of its own.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A fresh directory, removed with everything in it when the value is dropped.
pub struct Scratch {
    path: PathBuf,
}

static NEXT: AtomicU64 = AtomicU64::new(0);

impl Scratch {
    /// Creates a directory under the system's temporary one (`TMPDIR=/dev/shm` keeps a long fuzzing run off the disk).
    pub fn new(label: &str) -> io::Result<Scratch> {
        let serial = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("selvedge-{label}-{}-{serial}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(Scratch { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
