//! `cargo xtask soundness`: random models through every way of searching and through the plain interpreter.
//!
//! Every model is named by seed and index. Where two ways disagree, the model is made as small as it gets and written to
//! a file, with what each way answers.

#[path = "../../crates/verify/tests/agreement/mod.rs"]
mod agreement;

use crate::workers::in_parallel;
use agreement::{Outcome, Ways, compare};
use selvedge_testgen::{self as testgen, Program};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

/// Compare every way of searching with the plain interpreter on random models
#[derive(clap::Args)]
pub struct Options {
    /// How many models
    #[arg(long, default_value_t = 10_000)]
    models: u64,
    /// Which family of models
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The index of the first model
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Check the model in this file instead
    #[arg(long)]
    model: Option<PathBuf>,
    /// Print each model instead of checking it
    #[arg(long)]
    print: bool,
    /// Compare the default way of searching only
    #[arg(long)]
    default_only: bool,
    /// How many at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Where disagreements are written
    #[arg(long, default_value = "target/soundness")]
    out: PathBuf,
    /// How many smaller models to try for each disagreement
    #[arg(long, default_value_t = 2000)]
    shrink: usize,
    /// Stop after this many disagreements
    #[arg(long, default_value_t = 25)]
    max_found: u64,
}

impl Options {
    fn ways(&self) -> Ways {
        Ways::new(self.default_only)
    }
}

/// What came of the models.
#[derive(Default)]
struct Tally {
    models: u64,
    agreed: u64,
    violated: u64,
    cycles: u64,
    disagreed: u64,
    states: u64,
    /// Why models were not compared, with the index of the first.
    reasons: BTreeMap<String, (u64, u64)>,
}

impl Tally {
    fn count(&mut self, index: u64, outcome: &Outcome) {
        self.models += 1;
        match outcome {
            Outcome::Refused(why) => self.reasons.entry(format!("refused: {why}")).or_insert((0, index)).0 += 1,
            Outcome::Skipped(why) => self.reasons.entry(why.clone()).or_insert((0, index)).0 += 1,
            Outcome::Agreed(agreement) => {
                self.agreed += 1;
                self.violated += u64::from(!agreement.kinds.is_empty());
                self.cycles += u64::from(agreement.cycles);
                self.states += agreement.states as u64;
            }
            Outcome::Disagreed(_) => self.disagreed += 1,
        }
    }

    fn summary(&self) -> String {
        format!(
            "{} models, {} compared ({} violated, {} also with infinite runs, {} states on average), {} disagreements",
            self.models,
            self.agreed + self.disagreed,
            self.violated,
            self.cycles,
            self.states / self.agreed.max(1),
            self.disagreed
        )
    }
}

/// Runs the command.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    let end = options.first + options.models;
    if options.print {
        (options.first..end).for_each(|index| println!("{}", testgen::model(options.seed, index)));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &options.model {
        let outcome = compare(&std::fs::read_to_string(path)?, options.ways());
        println!("{outcome:#?}");
        return Ok(if outcome.is_disagreement() { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    }
    // A panic is an answer that is reported with its model.
    std::panic::set_hook(Box::new(|_| {}));
    let tally = Mutex::new(Tally::default());
    let tally_now = || tally.lock().expect("no worker panicked");
    let check = |index| {
        let model = testgen::model(options.seed, index);
        let outcome = compare(&model.to_string(), options.ways());
        tally_now().count(index, &outcome);
        if outcome.is_disagreement() {
            found(options, index, model)?;
        }
        Ok(tally_now().disagreed < options.max_found)
    };
    in_parallel(options.first..end, options.jobs, check, || tally_now().summary())?;
    let tally = tally.into_inner().expect("no worker panicked");
    for (why, (count, first)) in &tally.reasons {
        println!("{count:6}  {why} (first: {first})");
    }
    println!("{}", tally.summary());
    Ok(if tally.disagreed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Shrinks a model on which the ways disagree, writes and prints it.
fn found(options: &Options, index: u64, model: Program) -> io::Result<()> {
    let smallest =
        testgen::shrink(model, options.shrink, |model| compare(&model.to_string(), options.ways()).is_disagreement());
    let text = smallest.to_string();
    let differences = match compare(&text, options.ways()) {
        Outcome::Disagreed(differences) => differences,
        outcome => vec![format!("{outcome:?}")],
    };
    std::fs::create_dir_all(&options.out)?;
    let path = options.out.join(format!("model_{}_{index}.pml", options.seed));
    let comment: String = differences.iter().map(|line| format!("// {}\n", line.replace('\n', " "))).collect();
    std::fs::write(&path, format!("{comment}{text}"))?;
    println!("model {index}: {}\n{text}    {}", differences.join("\n    "), path.display());
    Ok(())
}
