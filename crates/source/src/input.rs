//! What may be read: regular files up to a size. A pipe would block, a device may never end, and neither is a model;
//! the author of a model, a trace or a project file must not be able to make the command wait or run out of memory.
//!
//! Every file that the command reads passes [`read_bytes`] or [`read_utf8`]. Only what the user pipes into the command
//! itself is read without asking what it is, up to the same size.

use std::fs::{File, FileType};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The most bytes of a file, by what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A model, or a file that it includes: 64 MiB.
    Model,
    /// A trace, a certificate or the result of a search, which Selvedge wrote itself: 1 GiB.
    Document,
    /// A project file: 1 MiB.
    Settings,
}

impl Size {
    fn bytes(self) -> u64 {
        match self {
            Size::Model => 64 << 20,
            Size::Document => 1 << 30,
            Size::Settings => 1 << 20,
        }
    }
}

/// The bytes of a regular file. Anything else is refused before it is opened.
pub(crate) fn read_bytes(path: &Path, size: Size) -> io::Result<Vec<u8>> {
    regular(std::fs::metadata(path)?.file_type())?;
    let file = open(path)?;
    // Once more, of what was opened: the name may mean another file by now.
    let metadata = file.metadata()?;
    regular(metadata.file_type())?;
    if metadata.len() > size.bytes() {
        return Err(too_large(size));
    }
    // A file may grow while it is read, and some say that they are empty and are not.
    read_to_end(file, size)
}

/// Opens a file without waiting: the name may mean a pipe by now, and some files of the kernel are regular by name only.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    const NONBLOCK: i32 = if cfg!(any(target_os = "linux", target_os = "android")) { 0o4000 } else { 4 };
    std::fs::OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// All bytes that there are to read, up to a size.
pub(crate) fn read_to_end(reader: impl Read, size: Size) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(size.bytes() + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > size.bytes() { Err(too_large(size)) } else { Ok(bytes) }
}

fn too_large(size: Size) -> io::Error {
    let message = format!("it has more than {} MiB, the most that is read", size.bytes() >> 20);
    io::Error::new(ErrorKind::FileTooLarge, message)
}

/// The text of a regular file that must be UTF-8.
pub fn read_utf8(path: &Path, size: Size) -> io::Result<String> {
    String::from_utf8(read_bytes(path, size)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is no text: it is not UTF-8"))
}

fn regular(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let what = if kind.is_dir() { "a directory" } else { special(kind) };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {what}, not a regular file")))
}

#[cfg(unix)]
fn special(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> &'static str {
    "a special file"
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn directory(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("selvedge-input-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        directory
    }

    fn why(path: &Path) -> String {
        read_bytes(path, Size::Settings).expect_err("refused").to_string()
    }

    #[test]
    fn only_regular_files_up_to_a_size_are_read() {
        let directory = directory("kinds");
        let file = directory.join("x.toml");
        let of_length = |length: usize| std::fs::write(&file, vec![b'a'; length]).expect("written");
        of_length(1 << 20);
        assert_eq!(read_bytes(&file, Size::Settings).expect("small enough").len(), 1 << 20);
        of_length((1 << 20) + 1);
        assert_eq!(why(&file), "it has more than 1 MiB, the most that is read");
        assert_eq!(why(&directory), "it is a directory, not a regular file");
        std::fs::write(&file, b"\xff").expect("written");
        assert!(read_utf8(&file, Size::Settings).expect_err("no text").to_string().contains("not UTF-8"));
        std::fs::remove_dir_all(&directory).expect("removed");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_links_to_them_are_refused_at_once() {
        let directory = directory("special");
        let (pipe, link) = (directory.join("pipe"), directory.join("link"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(made.success());
        assert_eq!(why(&pipe), "it is a pipe, not a regular file");
        assert_eq!(why(Path::new("/dev/zero")), "it is a device, not a regular file");
        std::os::unix::fs::symlink(&pipe, &link).expect("a link");
        assert_eq!(why(&link), "it is a pipe, not a regular file");
        // Nobody writes to it.
        let opened = open(&pipe).and_then(|file| read_to_end(file, Size::Settings)).expect("it does not wait");
        assert_eq!(opened, b"");
        std::fs::remove_dir_all(&directory).expect("removed");
    }
}
