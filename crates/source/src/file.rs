//! Reading a model's file: what editors put in front of a text is left out, what is no text is refused, and a name that
//! does not exist is compared with those that do.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::distance;
use crate::input::{Size, read_bytes, read_to_end};

/// The mark that some editors put in front of a text.
const BYTE_ORDER_MARK: &str = "\u{feff}";
/// Bytes that are read to distinguish text from binary files.
const LOOKED_AT: usize = 8000;
/// Files of a directory whose names are compared.
const MOST_NAMES: usize = 2000;

/// The text of a regular file of at most 64 MiB. Comments and strings may contain bytes that are not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    text(&read_bytes(path, Size::Model)?)
}

/// The same of what there is to read.
pub fn read_text_from(reader: impl io::Read) -> io::Result<String> {
    text(&read_to_end(reader, Size::Model)?)
}

fn text(bytes: &[u8]) -> io::Result<String> {
    if bytes.iter().take(LOOKED_AT).any(|byte| *byte == 0) {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is no text: it has zero bytes"));
    }
    let text = String::from_utf8_lossy(bytes);
    Ok(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text).to_owned())
}

/// A file in the same directory with a similar name.
pub fn similar_file(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_string_lossy().into_owned();
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if path.exists() {
        return None;
    }
    let entries = std::fs::read_dir(directory.unwrap_or(Path::new("."))).ok()?;
    let files = entries.take(MOST_NAMES).flatten().filter(|entry| entry.path().is_file());
    let names = files.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let near = names.map(|name| (distance(&wanted, &name), name)).filter(|(far, _)| *far <= 2.max(wanted.len() / 5));
    let (_, name) = near.min()?;
    Some(directory.map_or(name.clone(), |directory| directory.join(&name).display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::{read_text, similar_file};

    #[test]
    fn marks_are_left_out_and_binary_files_refused() {
        let directory = std::env::temp_dir().join(format!("selvedge-source-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        let write = |name: &str, bytes: &[u8]| std::fs::write(directory.join(name), bytes).expect("written");
        write("marked.pml", b"\xef\xbb\xbfbyte x;");
        write("latin.pml", b"/* caf\xe9 */");
        write("program.pml", b"\x7fELF\0\0");
        let read = |name: &str| read_text(&directory.join(name));
        assert_eq!(read("marked.pml").expect("a text"), "byte x;");
        assert_eq!(read("latin.pml").expect("a text"), "/* caf\u{fffd} */");
        assert_eq!(read("program.pml").expect_err("no text").to_string(), "it is no text: it has zero bytes");
        let near = |name: &str| similar_file(&directory.join(name));
        assert_eq!(near("markd.pml"), Some(directory.join("marked.pml").display().to_string()));
        assert_eq!((near("marked.pml"), near("something.pml")), (None, None));
        std::fs::remove_dir_all(&directory).expect("removed");
    }
}
