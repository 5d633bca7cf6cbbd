//! `cargo spin-diff fuzz`: random programs through Spin and Selvedge.
//!
//! Every program is named by seed and index, so `--seed S --only I` brings one back, and `--print` shows it. Where the
//! tools disagree, the program is made as small as it gets and becomes a file of the corpus.

mod found;
mod judge;
mod tally;

use harness::selvedge::{Selvedge, workspace_root};
use harness::spin::{Compiler, install};
use judge::{Disagreement, Judge, Outcome};
use selvedge_testgen::{self as testgen, Program};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tally::Tally;

/// Compare Selvedge with Spin on random programs
#[derive(clap::Args)]
pub struct Options {
    /// How many programs
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// Which family of programs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The index of the first program
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Only the program with this index
    #[arg(long)]
    only: Option<u64>,
    /// Print each program instead of running it
    #[arg(long)]
    print: bool,
    /// How many at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The selvedge binary (default: build one)
    #[arg(long)]
    selvedge: Option<PathBuf>,
    /// Run the programs through Spin alone and describe them
    #[arg(long)]
    spin_only: bool,
    /// Use gcc even where tcc is installed
    #[arg(long)]
    gcc: bool,
    /// Where disagreements go (default: corpus/promela/found)
    #[arg(long)]
    out: Option<PathBuf>,
    /// Stop after this many disagreements
    #[arg(long, default_value_t = 25)]
    max_found: u64,
    /// How many smaller programs to try for each disagreement (0: keep it as it is)
    #[arg(long, default_value_t = 2000)]
    shrink: usize,
}

/// How often progress is reported.
const TICK: Duration = Duration::from_secs(10);

/// Runs the command.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    let (first, count) = options.only.map_or((options.first, options.count), |only| (only, 1));
    if options.print {
        (first..first + count).for_each(|i| println!("{}", testgen::model(options.seed, i)));
        return Ok(ExitCode::SUCCESS);
    }
    if let Err(reason) = install::ensure() {
        println!("skipped: {reason}");
        return Ok(ExitCode::SUCCESS);
    }
    let selvedge =
        if options.spin_only { None } else { Some(Selvedge::locate(options.selvedge.as_deref(), judge::OURS)?) };
    let compiler = if options.gcc { Compiler::GccPlain } else { Compiler::quickest() };
    let campaign = Campaign {
        judge: Judge { selvedge, compiler },
        options,
        next: AtomicU64::new(first),
        end: first + count,
        stop: AtomicBool::new(false),
        tally: Mutex::new(Tally::default()),
    };
    campaign.run()?;
    let tally = campaign.tally.into_inner().expect("no worker panicked");
    print!("{}", tally.report(options.spin_only));
    println!("{}", tally.summary());
    Ok(if tally.disagreements > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A run over many programs.
struct Campaign<'a> {
    judge: Judge,
    options: &'a Options,
    next: AtomicU64,
    end: u64,
    stop: AtomicBool,
    tally: Mutex<Tally>,
}

impl Campaign<'_> {
    fn run(&self) -> io::Result<()> {
        let start = Instant::now();
        std::thread::scope(|threads| {
            let workers: Vec<_> = (0..self.options.jobs.max(1)).map(|_| threads.spawn(|| self.work())).collect();
            let mut reported = Instant::now();
            while !workers.iter().all(|w| w.is_finished()) {
                std::thread::sleep(Duration::from_millis(50));
                if reported.elapsed() >= TICK {
                    reported = Instant::now();
                    let line = self.tally.lock().expect("no worker panicked").summary();
                    eprintln!("{:5.0} s  {line}", start.elapsed().as_secs_f64());
                }
            }
            workers.into_iter().try_for_each(|w| w.join().expect("no worker panicked"))
        })
    }

    fn work(&self) -> io::Result<()> {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.end || self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let program = testgen::model(self.options.seed, index);
            let outcome = self.judge.judge(&program)?;
            self.tally.lock().expect("no worker panicked").count(index, &program, &outcome);
            if let Outcome::Disagreed(disagreement) = outcome {
                self.found(index, program, &disagreement)?;
            }
        }
    }

    /// Shrinks, writes and announces a disagreement.
    fn found(&self, index: u64, program: Program, first: &Disagreement) -> io::Result<()> {
        let same = |outcome| matches!(outcome, Ok(Outcome::Disagreed(d)) if d.sort == first.sort);
        let still_bad = |p: &Program| testgen::defined(p) && same(self.judge.judge_quickly(p));
        let shrunk = testgen::shrink(program.clone(), self.options.shrink, still_bad);
        let (small, last) = match self.judge.judge(&shrunk)? {
            Outcome::Disagreed(d) if d.sort == first.sort => (shrunk, d),
            _ => (program, first.clone()),
        };
        let out = self.options.out.clone();
        let dir = out.unwrap_or_else(|| workspace_root().join("corpus/promela/found"));
        let path = found::write(&dir, self.options.seed, index, &small, &last)?;
        println!("program {index}: {}\n    {}", last.describe(), path.display());
        if self.tally.lock().expect("no worker panicked").disagreements >= self.options.max_found {
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
