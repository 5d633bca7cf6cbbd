//! The one way in which files are written: whole, or not at all. The text goes to a temporary file in the same directory,
//! is flushed to disk and takes the name in one step, so that a full disk, a signal or a crash leaves what was there
//! before. What is no regular file (`/dev/null`, a pipe) is written to as it is.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use selvedge_verify::Refusal;
use tempfile::{Builder, NamedTempFile};

/// Writes a file.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let text = text.as_ref();
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => write_through(path, text),
        // A link keeps leading to the file.
        Ok(_) => replace(&path.canonicalize()?, text),
        Err(_) => replace(path, text),
    }
}

/// Writes to a device or a pipe.
fn write_through(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(text)?;
    file.flush()
}

/// The temporary files of what is being written.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // Whoever panicked while writing has left the list as it was.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file, on the list for as long as it is written.
struct Unfinished(PathBuf);

impl Unfinished {
    fn note(path: &Path) -> Self {
        unfinished().insert(path.to_path_buf());
        Unfinished(path.to_path_buf())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// Whether a file is being written, which ends soon: its text is complete.
pub fn is_writing() -> bool {
    !unfinished().is_empty()
}

/// Removes the temporary files of whoever does not come to an end, because the process ends now.
pub fn discard_unfinished() {
    for path in unfinished().iter() {
        // It may have got its name just now.
        let _ = fs::remove_file(path);
    }
}

/// Writes a file, in the place of whatever has its name: a link is not followed.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = temporary(path)?;
    let _unfinished = Unfinished::note(file.path());
    file.write_all(text)?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// A file beside `path`, with the permissions of the one that is there, or of any new file.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".selvedge-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the process may not give is taken off by the system.
        let permissions =
            fs::metadata(path).map_or_else(|_| PermissionsExt::from_mode(0o666), |found| found.permissions());
        builder.permissions(permissions);
    }
    builder.tempfile_in(directory)
}

/// Whether a file can be written here, as far as that can be known before it is. Nothing is left behind.
pub fn probe(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if metadata.is_file() => OpenOptions::new().append(true).open(path).map(drop),
        Ok(_) => Ok(()),
        Err(_) => temporary(path).map(drop),
    }
}

/// Refuses outputs that would overwrite an input or each other. `outputs` have the option that names each.
pub fn refuse_overlaps(outputs: &[(&str, &Path)], inputs: &[&Path]) -> Result<(), Refusal> {
    for (index, (option, path)) in outputs.iter().enumerate() {
        if inputs.iter().any(|input| same(path, input)) {
            return Err(Refusal::with_help(
                format!("{option} would overwrite `{}`, which is read", path.display()),
                "name another file",
            ));
        }
        if let Some((other, _)) = outputs[..index].iter().find(|(_, other)| same(path, other)) {
            return Err(Refusal::with_help(
                format!("{other} and {option} name the same file `{}`", path.display()),
                "name a file for each",
            ));
        }
    }
    Ok(())
}

/// Whether two paths name one regular file, links followed.
fn same(one: &Path, other: &Path) -> bool {
    let special = |path: &Path| fs::metadata(path).is_ok_and(|found| !found.is_file());
    if special(one) || special(other) {
        return false;
    }
    resolved(one) == resolved(other) || is_same_file(one, other)
}

/// The path without links; of a file that is not there yet, that of its directory with its name.
fn resolved(path: &Path) -> PathBuf {
    let in_its_directory = || {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(directory.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(in_its_directory).unwrap_or_else(|| path.to_path_buf())
}

#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    number(one).is_some() && number(one) == number(other)
}

#[cfg(not(unix))]
fn is_same_file(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_keeps_its_links_and_permissions() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("x.json");
        write(&path, "one").expect("written");
        write(&path, "two").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("there"), "two");
        assert_eq!(fs::read_dir(directory.path()).expect("a directory").count(), 1, "nothing else is left");
        assert!(write(directory.path(), "x").is_err());
        assert!(write(&directory.path().join("nowhere/x"), "x").is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).expect("changed");
            let link = directory.path().join("link.json");
            std::os::unix::fs::symlink("x.json", &link).expect("a link");
            write(&link, "three").expect("written");
            assert_eq!(fs::read_to_string(&path).expect("there"), "three");
            assert!(link.symlink_metadata().expect("there").file_type().is_symlink());
            assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
            write(Path::new("/dev/null"), "x").expect("written");
            assert!(write(Path::new("/dev/full"), "x").is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_of_one_file_are_recognised() {
        let directory = tempfile::tempdir().expect("a directory");
        let at = |name: &str| directory.path().join(name);
        fs::write(at("m.pml"), "").expect("written");
        fs::hard_link(at("m.pml"), at("hard.pml")).expect("a link");
        std::os::unix::fs::symlink("m.pml", at("soft.pml")).expect("a link");
        fs::create_dir(at("sub")).expect("a directory");
        for name in ["m.pml", "hard.pml", "soft.pml", "sub/../m.pml", "./m.pml"] {
            assert!(refuse_overlaps(&[("--html", &at(name))], &[&at("m.pml")]).is_err(), "{name}");
        }
        let twice = |one: &str, other: &str| refuse_overlaps(&[("--html", &at(one)), ("--sarif", &at(other))], &[]);
        assert!(twice("new", "sub/../new").is_err());
        assert!(twice("new", "sub/new").is_ok());
        assert!(
            refuse_overlaps(&[("--html", Path::new("/dev/null")), ("--sarif", Path::new("/dev/null"))], &[]).is_ok()
        );
    }
}
