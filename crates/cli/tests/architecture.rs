//! The invariants of absence of ARCHITECTURE.md: which crate may know which, who may print, and
//! that no test is switched off.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Each crate with the crates of ours it may depend on.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("core", &["source"]),
    ("machine", &["core", "source"]),
    // `core` for random texts of tests only.
    ("promela-syntax", &["core", "source"]),
    ("promela-judge", &["core", "promela-syntax", "source"]),
    // `core` for random formulas of tests only.
    ("ltl", &["core", "promela-syntax", "source"]),
    ("promela", &["core", "ltl", "machine", "promela-syntax", "source"]),
    // `core` for random programs of tests only.
    ("boolprog-syntax", &["core", "source"]),
    ("boolprog-judge", &["boolprog-syntax", "core", "source"]),
    ("boolprog", &["boolprog-judge", "boolprog-syntax", "core", "machine", "source"]),
    ("nets-syntax", &["source"]),
    ("nets-judge", &["core", "nets-syntax", "source"]),
    ("nets", &["core", "machine", "nets-judge", "nets-syntax", "source"]),
    // The judges for tests only.
    ("certificate", &["boolprog-judge", "boolprog-syntax", "core", "nets-judge", "nets-syntax", "source"]),
    ("explicit", &["core", "machine"]),
    ("stateless", &["core"]),
    ("macros", &[]),
    ("selvedge", &["stateless", "core", "macros", "report"]),
    (
        "symbolic",
        &["boolprog", "boolprog-judge", "boolprog-syntax", "core", "machine", "nets", "nets-syntax", "source"],
    ),
    ("dynamic", &["boolprog", "boolprog-syntax", "certificate", "core", "machine", "nets", "nets-syntax", "source"]),
    ("report", &["core", "source"]),
    (
        "verify",
        &[
            "boolprog",
            "boolprog-judge",
            "boolprog-syntax",
            "certificate",
            "core",
            "dynamic",
            "explicit",
            "ltl",
            "machine",
            "nets",
            "nets-judge",
            "nets-syntax",
            "promela",
            "promela-judge",
            "promela-syntax",
            "source",
            "symbolic",
            // For tests only.
            "testgen",
        ],
    ),
    ("testgen", &["core", "promela-syntax", "source"]),
    // For tests only: what it is compared with.
    ("litmus", &["core", "stateless"]),
    ("cli", &["report", "source", "verify"]),
];

fn crates() -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("crates")).expect("crates");
    entries.map(|e| e.expect("entry").file_name().to_string_lossy().into_owned()).collect()
}

/// Crates of ours in the tables of dependencies of a manifest; with `for_tests`, in those for tests too.
fn dependencies(name: &str, for_tests: bool) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect("manifest");
    let mut in_dependencies = false;
    let mut known = BTreeSet::new();
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            in_dependencies = table.contains("dependencies") && (for_tests || !table.contains("dev-"));
        } else if in_dependencies && let Some(rest) = line.strip_prefix("selvedge-") {
            known.insert(rest.split(['.', ' ', '=']).next().unwrap_or("").to_owned());
        }
    }
    known
}

fn rust_files(directory: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("directory") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// Lines of a crate's own sources, up to the tests at the end of a file, with their place.
fn source_lines(name: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    rust_files(&root().join("crates").join(name).join("src"), &mut files);
    let mut lines = Vec::new();
    let is_test = |f: &Path| f.ends_with("tests.rs") || f.components().any(|c| c.as_os_str() == "tests");
    let src = root().join("crates").join(name).join("src");
    for file in files.iter().filter(|f| !is_test(f.strip_prefix(&src).expect("in src"))) {
        let text = fs::read_to_string(file).expect("source");
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        lines.extend(code.lines().enumerate().map(|(i, l)| (format!("{}:{}", file.display(), i + 1), l.to_owned())));
    }
    lines
}

#[test]
fn crates_know_only_what_they_may() {
    let listed: BTreeSet<String> = MAY_KNOW.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(crates(), listed, "a crate is missing in the table of who may know whom");
    for (name, allowed) in MAY_KNOW {
        let allowed: BTreeSet<String> = allowed.iter().map(|a| (*a).to_owned()).collect();
        let known = dependencies(name, true);
        assert!(known.is_subset(&allowed), "{name} depends on {:?}", known.difference(&allowed));
        assert!(
            allowed.is_empty() || !known.is_empty(),
            "{name}: no dependency was found, is the manifest read right?"
        );
    }
}

/// What a judge must not depend on, however indirectly: what executes or explores models, and the pipeline itself.
const NOT_FOR_JUDGES: &[&str] =
    &["machine", "promela", "boolprog", "nets", "explicit", "symbolic", "dynamic", "stateless", "verify"];

/// Every crate of ours that a crate is built from.
fn built_from(name: &str) -> BTreeSet<String> {
    let (mut all, mut unseen) = (BTreeSet::new(), vec![name.to_owned()]);
    while let Some(name) = unseen.pop() {
        unseen.extend(dependencies(&name, false).into_iter().filter(|known| all.insert(known.clone())));
    }
    all
}

#[test]
fn judges_share_no_code_with_what_they_judge() {
    for judge in ["promela-judge", "boolprog-judge", "nets-judge", "certificate"] {
        let known = built_from(judge);
        assert!(known.contains("source"), "{judge}: {known:?}");
        for other in NOT_FOR_JUDGES {
            assert!(!known.contains(*other), "{judge} is built from {other}");
        }
        // The one counter of switches is for what is judged.
        for (place, line) in source_lines(judge) {
            assert!(!line.contains("SwitchCounter"), "{place}: a judge counts on its own");
        }
    }
}

/// The modules of the command that a module imports from.
fn imports(module: &str) -> BTreeSet<String> {
    let src = root().join("crates/cli/src");
    let mut files = vec![src.join(format!("{module}.rs"))];
    if src.join(module).is_dir() {
        rust_files(&src.join(module), &mut files);
    }
    let mut found = BTreeSet::new();
    for text in files.iter().filter_map(|file| fs::read_to_string(file).ok()) {
        let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for statement in code.join(" ").split("crate::").skip(1) {
            let names = match statement.strip_prefix('{') {
                Some(group) => group.split('}').next().unwrap_or_default(),
                None => statement.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default(),
            };
            found.extend(names.split(',').map(|name| name.trim().split(':').next().unwrap_or_default().to_owned()));
        }
    }
    found.remove(module);
    found
}

#[test]
fn no_module_of_the_command_imports_itself_in_a_circle() {
    let src = root().join("crates/cli/src");
    let name = |path: PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let entries = fs::read_dir(src).expect("sources").filter_map(|entry| name(entry.expect("entry").path()));
    let modules: BTreeSet<String> = entries.filter(|name| name != "main").collect();
    let imported = |module: &String| -> BTreeSet<String> {
        imports(module).into_iter().filter(|other| modules.contains(other)).collect()
    };
    assert!(imported(&"check".to_owned()).contains("render"), "are imports read right?");
    for module in &modules {
        let (mut reached, mut unseen) = (BTreeSet::new(), vec![module.clone()]);
        while let Some(next) = unseen.pop() {
            unseen.extend(imported(&next).into_iter().filter(|other| reached.insert(other.clone())));
        }
        assert!(!reached.contains(module), "`{module}` imports itself through {reached:?}");
    }
}

/// The library for tests prints and reads the environment where its check does: its face is a test's log.
const TEST_LOG: &[&str] =
    &["selvedge/src/model/builder.rs", "selvedge/src/model/environment.rs", "selvedge/src/model/failure.rs"];

/// Files with `unsafe` code: fibers, what happens when one runs out of stack or does not come back, and primitives that
/// hold a value of their user.
const UNSAFE: &[&str] = &[
    "selvedge/src/alloc.rs",
    "selvedge/src/cell/cell.rs",
    "selvedge/src/cell/raw.rs",
    "selvedge/src/cell/unsafe_cell.rs",
    "selvedge/src/hint.rs",
    "selvedge/src/off/cell.rs",
    "selvedge/src/primitive/allocator.rs",
    "selvedge/src/primitive/held.rs",
    "selvedge/src/primitive/statics.rs",
    "selvedge/src/sync/arc.rs",
    "selvedge/src/sync/atomic.rs",
    "selvedge/src/sync/lazy_lock.rs",
    "selvedge/src/sync/mutex.rs",
    "selvedge/src/sync/once_lock.rs",
    "selvedge/src/sync/rwlock.rs",
    "selvedge/src/thread/scope.rs",
    "stateless/src/fiber.rs",
    "stateless/src/overflow.rs",
    "stateless/src/watchdog.rs",
];

#[test]
fn only_the_command_prints_reads_arguments_or_exits() {
    let words = ["println!", "eprintln!", "print!(", "std::env::args", "env::var", "process::exit", "dbg!"];
    for (name, _) in MAY_KNOW.iter().filter(|(name, _)| *name != "cli") {
        let lines = source_lines(name);
        assert!(!lines.is_empty(), "{name} has no sources");
        for (place, line) in lines {
            let code = line.split("//").next().unwrap_or("");
            if TEST_LOG.iter().any(|file| place.contains(file)) {
                continue;
            }
            assert!(!words.iter().any(|word| code.contains(word)), "{place}: {line}");
        }
    }
}

#[test]
fn unsafe_code_is_only_where_it_is_named() {
    for (name, _) in MAY_KNOW {
        let main = if *name == "cli" { "main.rs" } else { "lib.rs" };
        let text = fs::read_to_string(root().join("crates").join(name).join("src").join(main)).expect("root file");
        let named = UNSAFE.iter().any(|file| file.starts_with(&format!("{name}/")));
        let level = if named { "#![deny(unsafe_code)]" } else { "#![forbid(unsafe_code)]" };
        assert!(text.contains(level), "{name} lacks {level}");
        for (place, line) in source_lines(name) {
            let allowed = line.contains("allow(unsafe_code)");
            assert!(!allowed || UNSAFE.iter().any(|file| place.contains(file)), "{place}: unsafe code is not named");
        }
    }
}

/// The Rust files of the workspace.
fn all_rust_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for directory in ["crates", "bench/models", "tools", "xtask"] {
        rust_files(&root().join(directory), &mut files);
    }
    files
}

const MOST_LINES_OF_A_FILE: usize = 500;
const MOST_LINES_OF_A_FUNCTION: usize = 60;

/// Whether a line begins a function that does not end in it.
fn begins_function(line: &str) -> bool {
    let before =
        |word: &&str| word.starts_with("pub") || ["const", "async", "unsafe", "extern", "\"C\""].contains(word);
    line.split_whitespace().find(|word| !before(word)) == Some("fn") && !line.ends_with(['}', ';'])
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[test]
fn files_and_functions_are_not_too_long() {
    let mut functions = 0;
    for file in all_rust_files() {
        let text = fs::read_to_string(&file).expect("source");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() <= MOST_LINES_OF_A_FILE, "{} has {} lines", file.display(), lines.len());
        for (start, line) in lines.iter().enumerate().filter(|(_, line)| begins_function(line)) {
            let ends = |end: &&str| indent(end) == indent(line) && (end.trim() == "}" || end.ends_with(';'));
            let length = 2 + lines[start + 1..].iter().position(ends).unwrap_or(0);
            let place = format!("{}:{}", file.display(), start + 1);
            assert!(length <= MOST_LINES_OF_A_FUNCTION, "{place}: a function of {length} lines");
            functions += 1;
        }
    }
    assert!(functions > 5000, "only {functions} functions were found, are they read right?");
}

#[test]
fn no_test_is_ignored() {
    let ignored = concat!("#[ign", "ore");
    for file in all_rust_files() {
        let text = fs::read_to_string(&file).expect("source");
        assert!(!text.contains(ignored), "{} has an ignored test", file.display());
    }
}

/// The documents that name files.
const MAPS: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/internals.md"];

/// Directories at the root whose files are named from there.
const AT_ROOT: &[&str] = &["bench/", "compat/", "corpus/", "crates/", "docs/", "fuzz/", "tools/", "xtask/"];

/// What stands for a name, and what a run writes.
const NOT_THERE: &[&str] = &["NAME", "fuzz/artifacts"];

#[test]
fn files_that_the_documents_name_exist() {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/_.-".contains(c);
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    let names: BTreeSet<&str> = files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
    for map in MAPS {
        let text = fs::read_to_string(root().join(map)).expect("a document");
        let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches(|c| "./".contains(c)));
        let is_path =
            |word: &&str| word.contains("/src/") || AT_ROOT.iter().any(|directory| word.starts_with(directory));
        let is_there = |word: &&str| !NOT_THERE.iter().any(|absent| word.contains(absent));
        let (paths, words): (Vec<&str>, Vec<&str>) = words.filter(is_there).partition(is_path);
        assert!(!paths.is_empty(), "{map} names no file, is it read right?");
        for path in paths {
            let known = [".", "crates"].map(|base| root().join(base).join(path));
            let exists = |path: &PathBuf| path.exists() || path.with_extension("rs").exists();
            assert!(known.iter().any(exists), "{map} names `{path}`, which does not exist");
        }
        for name in words.into_iter().filter(|word| word.ends_with(".rs") && !word.contains('/')) {
            assert!(names.contains(name), "{map} names `{name}`, but no file has that name");
        }
    }
}
