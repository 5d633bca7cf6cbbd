//! On the corpus, the judge finds no violation where the header says that there is none.

use std::fs;
use std::path::{Path, PathBuf};

use selvedge_core::{Bound, BoundKind, Budget, Effort, Explored, Runs};
use selvedge_nets_judge::{Goals, dcps, net, pds};
use selvedge_nets_syntax as syntax;
use selvedge_source::{Diagnostics, SourceMap};

const EFFORT: Effort = Effort { steps: 50_000, stack: 12 };
const RUNS: Runs = Runs { seed: 7, count: 200, steps: 60 };

fn files(directory: &str, ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(directory);
    let entries = fs::read_dir(root).expect("the corpus").map(|entry| entry.expect("entry").path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|found| found == ending)).collect();
    files.sort();
    files
}

fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = format!("# {name}:");
    text.lines().find_map(|line| line.strip_prefix(&start)).map(str::trim)
}

/// Runs `judge` on every file; returns how many violations it found of those that headers announce.
fn compare(directory: &str, ending: &str, judge: impl Fn(&str, &[&str], &mut SourceMap) -> Explored) -> u32 {
    let mut found = 0;
    for path in files(directory, ending) {
        let text = fs::read_to_string(&path).expect("readable");
        let expected = header(&text, "expect").expect("an answer");
        let options: Vec<&str> = header(&text, "options").unwrap_or_default().split_whitespace().collect();
        let explored = judge(&text, &options, &mut SourceMap::new());
        let violated = !explored.violations.is_empty();
        let announced = expected == "violated target-covered";
        assert!(announced || !violated, "{}: {explored:?}", path.display());
        found += u32::from(violated);
    }
    found
}

fn bound(options: &[&str]) -> Bound {
    let value = |name| {
        let at = options.iter().position(|option| *option == name)?;
        options[at + 1].parse().ok()
    };
    let kinds = [("--thread-switches", BoundKind::ThreadSwitches), ("--strata", BoundKind::Strata)];
    let given = kinds.into_iter().find_map(|(name, kind)| Some(Bound { kind, value: Some(value(name)?) }));
    given.unwrap_or(Bound::UNBOUNDED)
}

#[test]
fn pushdown_systems_are_explored() {
    let found = compare("pds", "pds", |text, _, sources| {
        let file = sources.add("m.pds", text);
        let system = syntax::pds::parse(file, text, &mut Diagnostics::new()).expect("it is read");
        pds::explore(&system, false, EFFORT, &Budget::unlimited())
    });
    assert!(found >= 6, "{found}");
}

#[test]
fn random_runs_of_networks_stay_within_the_bound() {
    let found = compare("nets", "dcps", |text, options, sources| {
        let file = sources.add("m.dcps", text);
        let network = syntax::dcps::parse(file, text, &mut Diagnostics::new()).expect("it is read");
        let (goals, fresh_switches) = (Goals::default(), options.contains(&"--fresh-switches"));
        dcps::sample(&network, goals, bound(options), fresh_switches, RUNS, &Budget::unlimited())
    });
    assert!(found >= 4, "{found}");
}

#[test]
fn random_runs_of_nets_cover_targets() {
    let found = compare("nets", "spec", |text, options, sources| {
        let file = sources.add("m.spec", text);
        let net = syntax::net::parse(file, text, &mut Diagnostics::new()).expect("it is read");
        net::sample(&net, sources, Goals::default(), bound(options), RUNS, &Budget::unlimited())
    });
    assert!(found >= 4, "{found}");
}
