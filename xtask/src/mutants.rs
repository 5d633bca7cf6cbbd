//! `cargo xtask mutants`: mutation testing of the code that decides verdicts.
//!
//! cargo-mutants lists the mutants; a seeded sample of them, spread over the files, is run against the soundness suite of
//! their package (`suite.rs`). Building the suite once for each mutant would take longer than running it, so one build
//! holds the whole sample: every mutant is a branch that an environment variable selects (`schema.rs`, after the mutant
//! schemata of Untch, Offutt and Harrold, 1993). Mutants that cannot be such a branch are built by themselves. A mutant
//! meets only the tests that reach it (`reach.rs`).
//!
//! Everything is in `target/mutants`: the copy of the sources, its build and, for each seed, the results so far. An
//! interrupted run continues where it stopped. See `docs/mutation-testing.md`.

mod build;
mod reach;
mod run;
mod sample;
mod schema;
mod suite;
mod summary;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use std::{fs, io};

use build::Build;
use reach::Reach;
use run::{Active, Binary, Case, Outcome, Tested, test};
use sample::Mutant;
use suite::{SUITES, Suite};
use tree::Tree;

/// Test mutants of the code that decides verdicts against the soundness suite
#[derive(clap::Args)]
pub struct Options {
    /// Which order the mutants are drawn in
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many mutants to draw
    #[arg(long, default_value_t = 400)]
    count: usize,
    /// How many mutants of the order to skip: 400 for the second 400
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// Test only mutants of this package
    #[arg(long)]
    package: Option<String>,
    /// Test only mutants whose name contains this text, whatever is known of them
    #[arg(long)]
    only: Option<String>,
    /// Test the mutants again that were missed
    #[arg(long)]
    missed: bool,
    /// How many mutants to test at the same time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Run only tests that take at most this many seconds without a mutant; `--missed` runs the others
    #[arg(long, default_value_t = f64::INFINITY)]
    fast: f64,
    /// Start no other mutant after this many seconds; the next run continues
    #[arg(long)]
    seconds: Option<u64>,
    /// Print the sample instead of testing it
    #[arg(long)]
    list: bool,
    /// Run the suites without a mutant and print how long each part takes
    #[arg(long)]
    baseline: bool,
    /// Where to keep the sources, the build and the results
    #[arg(long, default_value = "target/mutants")]
    dir: PathBuf,
}

/// Runs the task.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    let sample = sample::draw(options.seed, options.first, options.count)?;
    if options.list {
        sample.iter().for_each(|mutant| println!("{}", mutant.name));
        return Ok(ExitCode::SUCCESS);
    }
    fs::create_dir_all(&options.dir)?;
    let directory = fs::canonicalize(&options.dir)?;
    let mut session = Session::open(options, &directory, sample)?;
    match options.baseline {
        true => session.baseline(options.jobs)?,
        false => session.test_all(options)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The test binaries of a package, and which tests of them reach which mutants.
type Tests = (Vec<Binary>, Reach);

/// A sample with what is known of it.
struct Session {
    tree: Tree,
    build: Build,
    sample: Vec<Mutant>,
    results: PathBuf,
    logs: PathBuf,
    known: BTreeMap<String, Tested>,
    /// When to start no other mutant.
    end: Option<Instant>,
}

impl Session {
    fn open(options: &Options, directory: &Path, sample: Vec<Mutant>) -> io::Result<Session> {
        let place = directory.join(format!("seed-{}-{}", options.seed, options.first));
        let logs = place.join("logs");
        fs::create_dir_all(&logs)?;
        let results = place.join("results.jsonl");
        let known = run::read_results(&results)?;
        let tree = Tree::copy(directory.join("tree"), &sample)?;
        let build = Build::new(directory.join("build"), tree.root().to_owned());
        let end = options.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        Ok(Session { tree, build, sample, results, logs, known, end })
    }

    /// Every suite without a mutant.
    fn baseline(&mut self, jobs: usize) -> io::Result<()> {
        self.build_sample()?;
        for suite in SUITES {
            let binaries = self.build.tests(suite)?;
            Reach::of(&binaries, &self.reach_of(suite), jobs)?.print(suite.package, &binaries);
        }
        Ok(())
    }

    /// Where the tests that reach the mutants of a package are kept.
    fn reach_of(&self, suite: &Suite) -> PathBuf {
        self.logs.join(format!("reach-{}.json", suite.package))
    }

    /// Tests what is not known yet and writes the summary. The order is that of the sample, so that a run that is interrupted
    /// has tested mutants of every file; those that are built by themselves come last.
    fn test_all(&mut self, options: &Options) -> io::Result<()> {
        let alone = self.build_sample()?;
        let chosen = |suite: &&Suite| options.package.as_deref().is_none_or(|name| name == suite.package);
        let mut together = BTreeMap::new();
        for suite in SUITES.iter().filter(chosen) {
            let binaries = self.build.tests(suite)?;
            let reach = Reach::of(&binaries, &self.reach_of(suite), options.jobs)?;
            let wanted = self.wanted(options, suite.package).into_iter().filter(|number| !alone.contains(number));
            let tests: Arc<Tests> = Arc::new((binaries, reach));
            together.extend(wanted.map(|number| (number, Arc::clone(&tests))));
        }
        self.test_together(options, together)?;
        for suite in SUITES.iter().filter(chosen) {
            let mut wanted = self.wanted(options, suite.package);
            wanted.retain(|number| alone.contains(number));
            self.test_alone(suite, &wanted)?;
        }
        summary::write(&self.sample, &self.known, self.results.with_file_name("summary.md"))
    }

    /// Tests mutants of the common build, several at a time.
    fn test_together(&mut self, options: &Options, mutants: BTreeMap<usize, Arc<Tests>>) -> io::Result<()> {
        let (logs, queue) = (self.logs.clone(), Mutex::new(mutants.into_iter()));
        let end = self.end;
        let goes_on = || end.is_none_or(|end| Instant::now() < end);
        let next = || queue.lock().ok().filter(|_| goes_on()).and_then(|mut queue| queue.next());
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|threads| {
            for _ in 0..options.jobs.max(1) {
                let (sender, logs, next) = (sender.clone(), &logs, &next);
                threads.spawn(move || {
                    while let Some((number, tests)) = next() {
                        let log = logs.join(format!("{number}.log"));
                        let cases = tests.1.cases(&tests.0, number, options.fast);
                        let tested = test(&cases, Active::Mutant(number), &log);
                        if sender.send((number, tested)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            receiver.into_iter().try_for_each(|(number, tested)| self.record(number, tested?))
        })
    }

    /// The numbers of the mutants of a package that are to be tested.
    fn wanted(&self, options: &Options, package: &str) -> Vec<usize> {
        let wanted = |mutant: &Mutant| match (&options.only, self.known.get(&mutant.name)) {
            (Some(text), _) => mutant.name.contains(text),
            (None, Some(tested)) => options.missed && tested.outcome == Outcome::Missed,
            (None, None) => true,
        };
        let numbered = self.sample.iter().enumerate();
        numbered.filter(|(_, mutant)| mutant.package == package && wanted(mutant)).map(|(number, _)| number).collect()
    }

    /// Builds the whole sample into the tree; the result are the mutants that have to be built by themselves.
    ///
    /// A value that a function cannot return is no less a mistake in front of its body than in place of it: such a mutant
    /// is unviable.
    fn build_sample(&mut self) -> io::Result<BTreeSet<usize>> {
        let unviable =
            |mutant: &Mutant| self.known.get(&mutant.name).is_some_and(|one| one.outcome == Outcome::Unviable);
        // Those of the run before are left out at once, so that nothing is compiled again.
        let place = self.logs.join("alone.txt");
        let before = fs::read_to_string(&place).unwrap_or_default();
        let before: BTreeSet<&str> = before.lines().collect();
        let by_itself = |one: &Mutant| unviable(one) || before.contains(one.name.as_str());
        let numbered = self.sample.iter().enumerate();
        let mut alone: BTreeSet<usize> = numbered.filter(|(_, one)| by_itself(one)).map(|(number, _)| number).collect();
        loop {
            alone.extend(self.tree.write(&self.sample, &alone)?);
            let blamed = self.build.check(&self.tree)?;
            if blamed.is_empty() {
                let names = alone.iter().map(|number| format!("{}\n", self.sample[*number].name));
                fs::write(&place, names.collect::<String>())?;
                return Ok(alone);
            }
            for one in blamed {
                alone.insert(one.number);
                if one.mutated && self.sample[one.number].body {
                    self.record(one.number, Tested { outcome: Outcome::Unviable, seconds: 0.0, by: String::new() })?;
                }
            }
        }
    }

    /// Builds each mutant by itself; one that does not compile is unviable.
    fn test_alone(&mut self, suite: &Suite, numbers: &[usize]) -> io::Result<()> {
        for &number in numbers {
            if self.end.is_some_and(|end| Instant::now() >= end) {
                return Ok(());
            }
            let log = self.logs.join(format!("{number}.log"));
            self.tree.write_one(&self.sample[number])?;
            let tested = match self.build.compiles(suite.package)? {
                true => {
                    let binaries = self.build.tests(suite)?;
                    let all = |binary| Case { binary, test: None, seconds: None, record: None };
                    test(&binaries.iter().map(all).collect::<Vec<_>>(), Active::Nothing, &log)?
                }
                false => Tested { outcome: Outcome::Unviable, seconds: 0.0, by: String::new() },
            };
            self.record(number, tested)?;
        }
        Ok(())
    }

    fn record(&mut self, number: usize, tested: Tested) -> io::Result<()> {
        let name = &self.sample[number].name;
        println!("{:>6.1} s  {:<8}  {number:>3}  {name}  {}", tested.seconds, tested.outcome.name(), tested.by);
        run::append_result(&self.results, name, &tested)?;
        self.known.insert(name.clone(), tested);
        Ok(())
    }
}
