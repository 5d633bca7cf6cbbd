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
        let base = from_source(at).unwrap_or_else(|| type_name.to_lowercase());
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
    let text = read(at.file())?;
    let line = text.lines().nth(at.line() as usize - 1)?;
    let before: String = line.chars().take(at.column() as usize - 1).collect();
    identifier(&before)
}

/// Paths in a binary are relative to where the compiler ran: the package or the workspace above it.
fn read(file: &str) -> Option<String> {
    let package = crate::model::environment::package_directory();
    let above = package.ancestors().map(|directory| directory.join(file));
    [Path::new(file).to_owned()].into_iter().chain(above).find_map(|path| fs::read_to_string(path).ok())
}

/// The name in `let name = Arc::new(`, `let name: Type = `, `name: Mutex::new(`, `static NAME: T = `.
fn identifier(before: &str) -> Option<String> {
    // What wraps the object does not matter: `Arc::new(Mutex::new(`.
    let mut rest = before.trim_end();
    while let Some(call) = rest.strip_suffix('(') {
        let path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '<' | '>' | '!');
        let shorter = call.trim_end_matches(path).trim_end();
        // `field:Arc::new(` loses its colon to the path; give up rather than guess.
        rest = shorter;
    }
    let rest = rest.strip_suffix('=').map_or_else(|| rest.strip_suffix(':'), |r| Some(without_type(r)))?.trim_end();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let start = rest.trim_end_matches(word).len();
    let name = &rest[start..];
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
