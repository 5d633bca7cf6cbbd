//! The one way in which files are written: whole, or not at all. The text goes to a temporary file in the same directory,
//! is flushed to disk and takes the name in one step, so that a full disk, a signal or a crash leaves what was there
//! before. What is no regular file (`/dev/null`, a pipe) is written to as it is. No file that the command has read is
//! written over, an included one neither.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use selvedge_verify::Refusal;
use tempfile::{Builder, NamedTempFile};

/// The files that were read, by what distinguishes files.
static INPUTS: Mutex<BTreeMap<Identity, PathBuf>> = Mutex::new(BTreeMap::new());

/// Notes that a file was read: from now on it is not written over.
pub fn protect(path: &Path) {
    locked(&INPUTS).extend(identities(path).into_iter().map(|identity| (identity, path.to_path_buf())));
}

/// Whether a file was read.
pub fn is_input(path: &Path) -> bool {
    let inputs = locked(&INPUTS);
    // The number of a file that is gone may be that of another one by now.
    identities(path).iter().filter_map(|identity| inputs.get(identity)).any(|input| same(path, input))
}

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

/// The temporary files of what is being written, from before they are created.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Held while a temporary file is created, and from [`discard_unfinished`] on.
static CREATING: Mutex<()> = Mutex::new(());

/// Whoever panicked with the lock has left what it protects as it was.
fn locked<T>(lock: &'static Mutex<T>) -> MutexGuard<'static, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file, on the list for as long as it is written.
struct Unfinished(PathBuf);

impl Unfinished {
    fn note(path: &Path) -> Self {
        locked(&UNFINISHED).insert(path.to_path_buf());
        Unfinished(path.to_path_buf())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        locked(&UNFINISHED).remove(&self.0);
    }
}

/// Whether a file is being written, which ends soon: its text is complete.
pub fn is_writing() -> bool {
    !locked(&UNFINISHED).is_empty()
}

/// Removes the temporary files of whoever does not come to an end, because the process ends now. None is created after it.
pub fn discard_unfinished() {
    std::mem::forget(locked(&CREATING));
    for path in locked(&UNFINISHED).iter() {
        // It may have got its name just now.
        let _ = fs::remove_file(path);
    }
}

/// Writes a file, in the place of whatever has its name: a link is not followed.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    if is_input(path) {
        return Err(io::Error::other("this file was read, and is not overwritten"));
    }
    let Temporary { unfinished: _listed, mut file } = temporary(path)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// A file that is removed first, then taken off the list.
struct Temporary {
    file: NamedTempFile,
    unfinished: Unfinished,
}

/// A file beside `path`, with the permissions of the one that is there, or of any new file.
fn temporary(path: &Path) -> io::Result<Temporary> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut listed = None;
    let create = |temporary: &Path| {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
            // What the process may not give is taken off by the system.
            options.mode(fs::metadata(path).map_or(0o666, |found| found.permissions().mode() & 0o7777));
        }
        listed = Some(Unfinished::note(temporary));
        let _creating = locked(&CREATING);
        options.open(temporary)
    };
    let file = Builder::new().prefix(".selvedge-").suffix(".tmp").make_in(directory, create)?;
    let unfinished = listed.ok_or(ErrorKind::NotFound)?;
    Ok(Temporary { file, unfinished })
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

/// Refuses outputs that would overwrite each other, one of `inputs`, or what was read so far. `outputs` have the option
/// that names each.
pub fn refuse_overlaps(outputs: &[(&str, &Path)], inputs: &[&Path]) -> Result<(), Refusal> {
    for (index, (option, path)) in outputs.iter().enumerate() {
        if inputs.iter().any(|input| same(path, input)) || is_input(path) {
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
pub fn same(one: &Path, other: &Path) -> bool {
    let other = identities(other);
    identities(one).iter().any(|identity| other.contains(identity))
}

/// What a file has alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    /// Its path without links; of a file that is not there yet, that of its directory with its name.
    Path(PathBuf),
    /// Its device and number, which all its names have.
    Number(u64, u64),
}

/// Nothing for what is no regular file: it may be read and written at once.
fn identities(path: &Path) -> Vec<Identity> {
    let metadata = fs::metadata(path);
    if metadata.as_ref().is_ok_and(|found| !found.is_file()) {
        return Vec::new();
    }
    let number = metadata.ok().and_then(|found| number(&found));
    [Some(Identity::Path(resolved(path))), number].into_iter().flatten().collect()
}

fn resolved(path: &Path) -> PathBuf {
    let in_its_directory = || {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(directory.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(in_its_directory).unwrap_or_else(|| path.to_path_buf())
}

#[cfg(unix)]
fn number(found: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some(Identity::Number(found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn number(_: &fs::Metadata) -> Option<Identity> {
    None
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

    #[test]
    fn a_temporary_file_is_listed_for_as_long_as_it_is_there() {
        let directory = tempfile::tempdir().expect("a directory");
        let temporary = temporary(&directory.path().join("x.json")).expect("created");
        let path = temporary.file.path().to_path_buf();
        assert!(path.exists() && locked(&UNFINISHED).contains(&path) && is_writing());
        drop(temporary);
        assert!(!path.exists() && !locked(&UNFINISHED).contains(&path));
    }

    #[test]
    fn what_was_read_is_not_written_over() {
        let directory = tempfile::tempdir().expect("a directory");
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("sub")).expect("a directory");
        fs::write(at("read.h"), "mine").expect("written");
        protect(&at("sub/../read.h"));
        assert!(write(&at("read.h"), "x").is_err() && replace(&at("read.h"), b"x").is_err());
        assert!(refuse_overlaps(&[("--html", &at("read.h"))], &[]).is_err());
        assert_eq!(fs::read_to_string(at("read.h")).expect("there"), "mine");
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
