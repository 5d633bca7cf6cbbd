//! Failures are kept: `selvedge-regressions/TEST.txt` holds the schedules that failed once, one on a line, below
//! comments for people. The next check of the same test runs them first. The files are meant to be committed.
//! Keeping them may never break a test: a file that cannot be written is a warning, not a panic.

use std::collections::BTreeMap;
use std::fs;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::environment;

const HEADER: &str = "\
# Schedules under which this test failed. selvedge runs them first whenever the test runs; commit this file.
# A line may be deleted when its bug is gone and its schedule no longer fits.
";

/// A name for a model: the test that runs it, also if a helper of the test starts it, and a number from the second model of
/// the same test on. It does not depend on lines, so that edits keep it. libtest tells the test by the name of its thread;
/// without one (`--test-threads=1`) the model is named by the function that holds its closure.
pub(crate) fn name_of<F>(called_at: &'static Location<'static>) -> String {
    static SEEN: Mutex<BTreeMap<String, Vec<&'static Location<'static>>>> = Mutex::new(BTreeMap::new());
    let path = running_test().unwrap_or_else(|| {
        let path = std::any::type_name::<F>().replace("::{{closure}}", "");
        path.split_once("::").map_or(path.as_str(), |(_, rest)| rest).to_owned()
    });
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let places = seen.entry(path.clone()).or_default();
    let index = places.iter().position(|place| *place == called_at).unwrap_or_else(|| {
        places.push(called_at);
        places.len() - 1
    });
    if index == 0 { path } else { format!("{path}-{}", index + 1) }
}

/// The test that runs on this OS thread, as libtest names the thread.
fn running_test() -> Option<String> {
    let thread = std::thread::current();
    thread.name().filter(|name| *name != "main").map(str::to_owned)
}

/// Whether the test of this name is expected to fail, as far as sources tell: its failures are no regressions. The test is
/// in the file of this place, or, if a helper of the test called from there, in another one of the package.
pub(crate) fn is_expected_to_fail(name: &str, called_at: &Location<'_>) -> bool {
    let function = name.rsplit("::").next().unwrap_or(name);
    let function = function.split_once('-').map_or(function, |(function, _)| function);
    let here = crate::primitive::names::source(called_at.file());
    if let Some(expected) = here.and_then(|text| should_panic(&text, function)) {
        return expected;
    }
    let mut declared = Vec::new();
    for directory in ["src", "tests", "benches", "examples"] {
        declarations(&environment::package_directory().join(directory), function, &mut declared);
    }
    // Of several tests with this name one may be none of these: then its failures are kept.
    !declared.is_empty() && declared.into_iter().all(|expected| expected)
}

/// For each source in a directory that declares this function: whether it should panic.
fn declarations(directory: &Path, function: &str, found: &mut Vec<bool>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            declarations(&path, function, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.extend(fs::read_to_string(&path).ok().and_then(|text| should_panic(&text, function)));
        }
    }
}

/// Whether the function of this name has the attribute `should_panic`; nothing if the source does not declare it.
fn should_panic(text: &str, function: &str) -> Option<bool> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
    let heads = [format!("fn {function}("), format!("fn {function}<")];
    let declares = |line: &str| heads.iter().find_map(|head| line.find(head));
    let declared = lines.iter().position(|line| declares(line).is_some())?;
    let before = &lines[declared][..declares(lines[declared])?];
    // Attributes may take several lines, and end where an item, a statement or an empty line does.
    let ends = |line: &&&str| line.is_empty() || line.ends_with(['{', '}', ';']);
    let attributes = lines[..declared].iter().rev().take_while(|line| !ends(line));
    Some(attributes.chain([&before]).any(|line| line.contains("should_panic")))
}

/// The file of a test, in a directory.
pub(crate) fn file(directory: &Path, name: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '.' };
    let stem: String = name.replace("::", ".").chars().map(plain).take(150).collect();
    directory.join(format!("{stem}.txt"))
}

/// The schedules kept in a file; none if there is no file.
pub(crate) fn load(file: &Path) -> Result<Vec<String>, String> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{} cannot be read: {error}", file.display())),
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// Adds a schedule that is not there yet, with a comment that says what it shows.
pub(crate) fn keep(file: &Path, test: &str, schedule: &str, comment: &str) -> Result<(), String> {
    if load(file)?.iter().any(|kept| kept == schedule) {
        return Ok(());
    }
    let failed = |error: std::io::Error| format!("{} cannot be written: {error}", file.display());
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory).map_err(failed)?;
    }
    let mut text = fs::read_to_string(file).unwrap_or_else(|_| format!("{HEADER}# test: {test}\n"));
    let comment: Vec<&str> = comment.split_whitespace().collect();
    text.push_str(&format!("# {}\n{schedule}\n", comment.join(" ")));
    fs::write(file, text).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_kept_once_and_comments_are_skipped() {
        let directory = std::env::temp_dir().join(format!("selvedge-regressions-{}", std::process::id()));
        let file = file(&directory, "tests::it<u8>::works");
        assert_eq!(file.file_name().unwrap(), "tests.it.u8..works.txt");
        assert_eq!(load(&file), Ok(vec![]));
        keep(&file, "works", "v1:a", "first\nline").unwrap();
        keep(&file, "works", "v1:b", "second").unwrap();
        keep(&file, "works", "v1:a", "again").unwrap();
        assert_eq!(load(&file), Ok(vec!["v1:a".to_owned(), "v1:b".to_owned()]));
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("# test: works\n# first line\nv1:a\n# second\nv1:b\n"), "{text}");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_model_is_named_by_its_test() {
        fn name<F>(_: &F, at: &'static Location<'static>) -> String {
            name_of::<F>(at)
        }
        let body = || {};
        let (here, there) = (Location::caller(), other_place());
        // The test's thread has its name, or the closure's type has it.
        let expected = "model::regressions::tests::a_model_is_named_by_its_test";
        assert_eq!(name(&body, here), expected);
        assert_eq!(name(&body, there), format!("{expected}-2"));
        assert_eq!(name(&body, here), expected);
    }

    #[test]
    fn a_test_that_should_panic_is_known() {
        let here = other_place();
        assert!(is_expected_to_fail("model::regressions::tests::this_one_panics", here));
        assert!(!is_expected_to_fail("model::regressions::tests::a_test_that_should_panic_is_known", here));
        assert!(!is_expected_to_fail("no::such::test", here));
    }

    #[test]
    fn attributes_are_found_however_they_are_written() {
        let source = "\
            #[test] #[should_panic] fn in_a_line() {}\n\
            #[test]\n\
            #[should_panic(\n    expected = \"data race\"\n)]\n\
            // why\n\
            fn in_several_lines() {\n}\n\
            /// Nothing like #[should_panic].\n\
            #[test]\n\
            fn passes() {}\n\
            \n\
            #[cfg_attr(model, should_panic)]\n\
            fn in_a_condition<T>() {}\n";
        for (function, expected) in [
            ("in_a_line", Some(true)),
            ("in_several_lines", Some(true)),
            ("passes", Some(false)),
            ("in_a_condition", Some(true)),
            ("in", None),
        ] {
            assert_eq!(should_panic(source, function), expected, "{function}");
        }
    }

    #[test]
    #[should_panic(expected = "as it should")]
    fn this_one_panics() {
        panic!("as it should");
    }

    #[track_caller]
    fn other_place() -> &'static Location<'static> {
        Location::caller()
    }
}
