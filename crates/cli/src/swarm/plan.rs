//! Which searches a swarm consists of: different bounds, orders, hash functions and ways to remember states, so that
//! one finds early what another would find late or miss (\[BCS\], conclusion).
//!
//! The first search is exact and raises the bound step by step: it alone can prove something, and it has the time of the
//! whole swarm. All others look elsewhere: deep first, in other orders, with memories that hold many more states.

use std::path::Path;
use std::time::Duration;

use selvedge_verify::Choice;

use crate::args::swarm::LocalArgs;
use crate::memory;

/// A search: the options of `check` that make it different from the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search(pub Vec<String>);

impl Search {
    fn new(words: &[&str]) -> Self {
        Search(words.iter().map(|word| (*word).to_owned()).collect())
    }
}

/// What a swarm runs.
#[derive(Clone, Debug)]
pub struct Swarm {
    /// The model, as passed to `check`.
    pub file: String,
    /// What all searches have in common.
    pub common: Vec<String>,
    /// The searches.
    pub searches: Vec<Search>,
    /// How many run side by side.
    pub workers: usize,
    /// Bytes for each.
    pub memory: Option<u64>,
    /// For all together.
    pub time: Option<Duration>,
}

/// What the model is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Violations that finite runs show.
    Finite,
    /// Cycles: only an exact memory can find them.
    Infinite,
}

/// The least number of searches, however few workers there are.
const FEWEST_JOBS: usize = 8;

impl Swarm {
    /// What the options ask for; `file` must be UTF-8.
    pub fn new(file: &str, args: &LocalArgs, runs: Runs) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = args.workers.map_or_else(cores, |workers| workers as usize);
        let jobs = args.jobs.map_or((2 * workers).max(FEWEST_JOBS), |jobs| jobs as usize);
        let memory = memory::limit(args.memory_limit);
        Swarm {
            file: not_an_option(file),
            common: common(args),
            searches: searches(runs, jobs, args.seed, args.max_bound),
            workers: workers.min(jobs),
            memory: memory.map(|bytes| bytes / workers.min(jobs) as u64),
            time: args.time_limit,
        }
    }

    /// The arguments of a search after `check`, its limits and its output aside.
    pub fn arguments(&self, search: &Search) -> Vec<String> {
        let memory = self.memory.map(|bytes| ["--memory-limit".to_owned(), bytes.to_string()]);
        let first = std::iter::once(self.file.clone()).chain(self.common.iter().cloned());
        first.chain(search.0.iter().cloned()).chain(memory.into_iter().flatten()).collect()
    }
}

/// A file whose name looks like an option.
fn not_an_option(file: &str) -> String {
    if file.starts_with('-') { Path::new(".").join(file).display().to_string() } else { file.to_owned() }
}

/// The options that say what is looked for.
fn common(args: &LocalArgs) -> Vec<String> {
    let language = args.language.map(|language| language.name());
    let values = [("--language", language.map(str::to_owned)), ("--ltl", args.properties.ltl.clone())];
    let flags = [("--no-claim", args.properties.no_claim), ("--allow-include-anywhere", args.include.anywhere)];
    let values = values.into_iter().filter_map(|(name, value)| value.map(|value| format!("{name}={value}")));
    let definitions = args.definitions.0.iter().map(ToString::to_string);
    let directories = args.include.directories.iter().map(|path| format!("--include-dir={}", path.display()));
    let flags = flags.into_iter().filter(|(_, given)| *given).map(|(name, _)| name.to_owned());
    values.chain(definitions).chain(directories).chain(args.properties.others.words()).chain(flags).collect()
}

/// The list of searches.
pub fn searches(runs: Runs, jobs: usize, seed: u64, max_bound: Option<u32>) -> Vec<Search> {
    let one = |number: usize| match runs {
        Runs::Finite => Some(finite(number, seed.wrapping_add(number as u64), max_bound)),
        Runs::Infinite => infinite(number, max_bound),
    };
    (0..jobs).map_while(one).collect()
}

/// Up to the bound that was asked for, or as far as it goes.
fn every_bound(max_bound: Option<u32>) -> Vec<String> {
    max_bound.map_or_else(Vec::new, |bound| vec!["--max-bound".to_owned(), bound.to_string()])
}

fn finite(number: usize, seed: u64, max_bound: Option<u32>) -> Search {
    let seed = seed.to_string();
    let with = |bound: Vec<String>, more: &[&str]| Search([bound, Search::new(more).0].concat());
    let every = every_bound(max_bound);
    let Some(turn) = number.checked_sub(3) else {
        return match number {
            0 => Search(every),
            1 => with(every, &["--store", "bitstate", "--seed", &seed]),
            // Depth first there is no bound.
            _ if max_bound.is_none() => Search::new(&["--search", "dfs"]),
            _ => with(every, &["--seed", &seed]),
        };
    };
    match turn % 4 {
        1 => with(every, &["--store", "compact", "--seed", &seed]),
        3 => with(every, &["--seed", &seed]),
        _ => {
            let bound = u32::try_from(turn / 2).unwrap_or(u32::MAX).min(max_bound.unwrap_or(u32::MAX));
            let hashes = ["3", "2", "4"][turn / 2 % 3];
            let bound = vec!["--preemptions".to_owned(), bound.to_string()];
            with(bound, &["--store", "bitstate", "--hashes", hashes, "--seed", &seed])
        }
    }
}

fn infinite(number: usize, max_bound: Option<u32>) -> Option<Search> {
    let rest = match (number, max_bound) {
        (0, _) => return Some(Search(every_bound(max_bound))),
        (1, None) => return Some(Search::new(&["--unbounded"])),
        (_, None) => number - 2,
        (_, Some(_)) => number - 1,
    };
    let bound = u32::try_from(rest).ok()?;
    max_bound.is_none_or(|most| bound < most).then(|| Search::new(&["--preemptions", &bound.to_string()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(runs: Runs, jobs: usize, max_bound: Option<u32>) -> Vec<String> {
        searches(runs, jobs, 1, max_bound).iter().map(|search| search.0.join(" ")).collect()
    }

    #[test]
    fn no_two_searches_are_alike() {
        for max_bound in [None, Some(0), Some(3)] {
            let list = lines(Runs::Finite, 100, max_bound);
            let different: std::collections::BTreeSet<&String> = list.iter().collect();
            assert_eq!((list.len(), different.len()), (100, 100));
        }
    }

    #[test]
    fn bounds_orders_and_memories_differ() {
        assert_eq!(
            lines(Runs::Finite, 8, None),
            [
                "",
                "--store bitstate --seed 2",
                "--search dfs",
                "--preemptions 0 --store bitstate --hashes 3 --seed 4",
                "--store compact --seed 5",
                "--preemptions 1 --store bitstate --hashes 2 --seed 6",
                "--seed 7",
                "--preemptions 2 --store bitstate --hashes 4 --seed 8",
            ]
        );
    }

    #[test]
    fn cycles_are_searched_exactly_and_within_what_was_asked() {
        assert_eq!(lines(Runs::Infinite, 4, None), ["", "--unbounded", "--preemptions 0", "--preemptions 1"]);
        assert_eq!(lines(Runs::Infinite, 9, Some(2)), ["--max-bound 2", "--preemptions 0", "--preemptions 1"]);
    }
}
