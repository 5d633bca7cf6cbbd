//! Names for objects in reports, taken from the source where they are made: `let count = AtomicUsize::new(0)` makes
//! `count`, a field `head: AtomicPtr::new(…)` makes `head`. Where the source is not at hand or says nothing, the
//! type's name serves. Asked only while a failing run is recorded, so that it costs nothing otherwise.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use selvedge_stateless::At;

#[derive(Default)]
struct Names {
    stamp: u64,
    /// How often a name was given in this execution.
    given: BTreeMap<String, usize>,
    /// What was made where, in the order of the first use, for the legend.
    legend: Vec<Made>,
}

/// An object of the recorded run.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) name: String,
    pub(crate) type_name: &'static str,
    pub(crate) at: At,
}

thread_local!(static NAMES: RefCell<Names> = RefCell::default());

/// A name that no other object of this execution has.
pub(crate) fn name(stamp: u64, type_name: &'static str, at: At) -> String {
    NAMES.with_borrow_mut(|names| {
        if names.stamp != stamp {
            *names = Names { stamp, ..Names::default() };
        }
        let base = match (from_source(at), type_name) {
            // Its value deserves the name more.
            (Some(name), "Arc") => format!("Arc {name}"),
            (Some(name), _) => name,
            (None, _) => type_name.to_lowercase(),
        };
        let count = names.given.entry(base.clone()).or_default();
        *count += 1;
        let name = if *count == 1 { base } else { format!("{base}#{count}") };
        names.legend.push(Made { name: name.clone(), type_name, at });
        name
    })
}

/// The objects named in the last recorded execution.
pub(crate) fn legend() -> Vec<Made> {
    NAMES.with_borrow(|names| names.legend.clone())
}

/// The variable or field that the expression at this place is given to.
fn from_source(at: At) -> Option<String> {
    let text = source(at.file())?;
    let line = text.lines().nth(at.line() as usize - 1)?;
    let before: String = line.chars().take(at.column() as usize - 1).collect();
    identifier(&before)
}

/// Paths in a binary are relative to where the compiler ran: the package or the workspace above it.
pub(crate) fn source(file: &str) -> Option<String> {
    let package = crate::model::environment::package_directory();
    let above = package.ancestors().map(|directory| directory.join(file));
    [Path::new(file).to_owned()].into_iter().chain(above).find_map(|path| fs::read_to_string(path).ok())
}

/// The name in `let name = Arc::new(`, `let name: Type = `, `name: Mutex::new(`, `static NAME: T = `; parts of a tuple
/// or an array have their number: `let pair = (Mutex::new(0), Mutex::new(0))` makes `pair.0` and `pair.1`.
fn identifier(before: &str) -> Option<String> {
    let mut rest = before.trim_end();
    let mut part = String::new();
    loop {
        let Innermost { bracket, element, commas } = innermost(rest);
        let segment = rest[element..].trim();
        if let Some(name) = declared(segment) {
            return Some(name + &part);
        }
        // What wraps the object does not matter, `Arc::new(Mutex::new(`, but which part of it the object is.
        let bracket = bracket.filter(|_| segment.is_empty())?;
        let head = rest[..bracket].trim_end();
        let path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '<' | '>' | '!');
        match (rest[bracket..].chars().next()?, head.ends_with(path)) {
            ('(', true) if commas == 0 => {}
            ('(', false) => part.insert_str(0, &format!(".{commas}")),
            ('[', _) => part.insert_str(0, &format!("[{commas}]")),
            _ => return None,
        }
        rest = head.trim_end_matches(path).trim_end();
    }
}

/// The end of a text, as far as it is inside an open bracket.
struct Innermost {
    /// Where that bracket is.
    bracket: Option<usize>,
    /// Where its last element starts.
    element: usize,
    /// How many elements are before it.
    commas: usize,
}

fn innermost(text: &str) -> Innermost {
    let (mut depth, mut commas, mut element) = (0_usize, 0, None);
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth == 0 => {
                return Innermost { bracket: Some(at), element: element.unwrap_or(at + 1), commas };
            }
            '(' | '[' | '{' => depth -= 1,
            ',' | ';' if depth == 0 => {
                element.get_or_insert(at + 1);
                commas += 1;
            }
            _ => {}
        }
    }
    Innermost { bracket: None, element: element.unwrap_or(0), commas }
}

/// The name before `=` or `:`.
fn declared(segment: &str) -> Option<String> {
    let before = segment.strip_suffix('=').map_or_else(|| segment.strip_suffix(':'), |r| Some(without_type(r)))?;
    let before = before.trim_end();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let name = &before[before.trim_end_matches(word).len()..];
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())).then(|| name.to_owned())
}

/// `let name: Type ` without its type.
fn without_type(text: &str) -> &str {
    let declared = text.rsplit_once(['{', ';', ',']).map_or(text, |(_, last)| last);
    match declared.split_once(':') {
        Some((name, rest)) if !rest.starts_with(':') => name,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_bindings_and_fields() {
        let named = |before: &str| identifier(before);
        assert_eq!(named("let n = "), Some("n".into()));
        assert_eq!(named("        let num = Arc::new("), Some("num".into()));
        assert_eq!(named("let count: Arc<AtomicUsize> = Arc::new("), Some("count".into()));
        assert_eq!(named("static FLAG: AtomicBool = "), Some("FLAG".into()));
        assert_eq!(named("Stack { head: "), Some("head".into()));
        assert_eq!(named("Self { a: 1, lock: std::sync::Arc::new("), Some("lock".into()));
        assert_eq!(named("    work: selvedge::sync::Arc::new(Mutex::<u8>::new("), Some("work".into()));
        assert_eq!(named("let locks = Arc::new((Mutex::new(1), "), Some("locks.1".into()));
        assert_eq!(named("let slots = vec![Mutex::new(1), Mutex::new((1, 2)), "), Some("slots[2]".into()));
        assert_eq!(named("let next = [AtomicUsize::new(1), "), Some("next[1]".into()));
        assert_eq!(named("let device = Arc::new(Device { pending: "), Some("pending".into()));
        assert_eq!(named("let x = make(1, "), None);
        assert_eq!(named("let node = Node::new("), Some("node".into()));
        assert_eq!(named(""), None);
        assert_eq!(named("Arc::new("), None);
        assert_eq!(named("foo("), None);
        assert_eq!(named("(0..n).map(|_| "), None);
    }

    #[test]
    fn the_source_of_this_file_is_found() {
        #[track_caller]
        fn here() -> At {
            std::panic::Location::caller()
        }
        let place = here();
        assert_eq!(from_source(place), Some("place".into()));
    }
}
