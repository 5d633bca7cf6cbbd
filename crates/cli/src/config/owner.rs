//! Whose project file is read. In a directory that several people can write to, as `/tmp` is, somebody else could put
//! one above ours and switch off what we check.

use std::fs::Metadata;

/// Whether a file belongs to whoever runs the command, or to the administrator.
#[cfg(unix)]
pub fn is_trusted(file: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = file.uid();
    owner == 0 || owner == rustix::process::geteuid().as_raw()
}

/// Elsewhere files have no owner that could be asked for.
#[cfg(not(unix))]
pub fn is_trusted(_: &Metadata) -> bool {
    true
}
