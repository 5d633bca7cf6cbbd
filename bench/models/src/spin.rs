//! `cargo bench-models spin`: Selvedge beside pan, in speed, memory, and the time a user waits.
//!
//! Large models show the speed of the search; small ones show what a user waits for, which with Spin is mostly the C
//! compiler.

use harness::models::{self, Model};
use harness::scratch::Scratch;
use harness::selvedge::{Checked, Selvedge, workspace_root};
use harness::spin::claims;
use harness::spin::{self, Setup, Verified, install};
use harness::table::{Table, grouped};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Measure Selvedge beside pan
#[derive(clap::Args)]
pub struct Options {
    /// Models for the table of speed and memory (default: corpus/promela/large/*.pml)
    #[arg(long, num_args = 1..)]
    models: Vec<PathBuf>,
    /// Models for the table of waiting times: a directory (default: corpus/promela without large)
    #[arg(long)]
    small: Option<PathBuf>,
    /// Leave the table of waiting times out
    #[arg(long)]
    no_small: bool,
    /// Seconds for each stage of each tool
    #[arg(long, default_value_t = 600)]
    timeout: u64,
    /// Depth of pan's stack (-m)
    #[arg(long, default_value_t = 1_000_000)]
    depth: u64,
    /// The selvedge binary (default: build one)
    #[arg(long)]
    selvedge: Option<PathBuf>,
    /// Also write the tables to this file
    #[arg(long)]
    markdown: Option<PathBuf>,
}

/// A model both tools have finished.
struct Pair {
    name: String,
    pan: Verified,
    ours: Checked,
}

impl Pair {
    /// How many times longer one waits for Spin.
    fn end_to_end(&self) -> f64 {
        self.pan.stages.total() / self.ours.seconds.max(1e-4)
    }

    /// How many times longer pan's search takes than ours.
    fn search(&self) -> f64 {
        self.pan.stages.verify / self.ours.search_seconds.max(1e-4)
    }
}

/// Runs the command.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    if let Err(reason) = install::ensure() {
        println!("skipped: {reason}");
        return Ok(ExitCode::SUCCESS);
    }
    let limit = Duration::from_secs(options.timeout);
    let selvedge = Selvedge::locate(options.selvedge.as_deref(), limit)?;
    let setup = Setup { depth: options.depth, deeper: 2, hash_bits: 24, state_bytes: 1024, ..Setup::thorough(limit) };
    let (large, small) = models(options)?;
    let mut text = format!("## Speed and memory\n\n{}", large_table(&pairs(&large, &selvedge, &setup)?));
    if !options.no_small {
        // What is best for pan: tables that are no larger than they need be.
        let setup = Setup { depth: 10_000, deeper: 3, hash_bits: 18, ..setup };
        let pairs = pairs(&small, &selvedge, &setup)?;
        let _ = write!(text, "\n## From the command to the answer, small models\n\n{}", small_table(&pairs));
    }
    print!("{text}");
    if let Some(path) = &options.markdown {
        std::fs::write(path, format!("# Selvedge beside {}\n\n{text}", install::version()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The large and the small models.
fn models(options: &Options) -> io::Result<(Vec<Model>, Vec<Model>)> {
    let corpus = workspace_root().join("corpus/promela");
    let large = if options.models.is_empty() {
        models::below(&corpus.join("large"))?
    } else {
        let name = |p: &Path| p.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        options.models.iter().map(|p| Model::read(p, name(p))).collect::<io::Result<_>>()?
    };
    let aside = ["large", "broken", "found"];
    let fit = |m: &Model| {
        !aside.iter().any(|dir| m.name.starts_with(dir))
            && !m.header("expect").is_some_and(|e| e.starts_with("refused"))
    };
    let small = models::below(options.small.as_deref().unwrap_or(&corpus))?;
    Ok((large, small.into_iter().filter(fit).collect()))
}

/// Runs both tools, one after the other so that they do not disturb each other; models one of them cannot finish are
/// left out with a word about it.
fn pairs(models: &[Model], selvedge: &Selvedge, setup: &Setup) -> io::Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for model in models {
        let scratch = Scratch::new("bench")?;
        let no_claim = claims::without_ltl(&model.source) != model.source;
        let setup = Setup { no_claim, ..setup.clone() };
        let pan = match spin::verify(&model.path, scratch.path(), &setup)? {
            Ok(pan) => pan,
            Err(obstacle) => {
                eprintln!("{}: left out: {obstacle}", model.name);
                continue;
            }
        };
        match selvedge.check(&model.path, no_claim)? {
            Ok(ours) => pairs.push(Pair { name: model.name.clone(), pan, ours }),
            Err(failure) => eprintln!("{}: left out: {}", model.name, failure.reason),
        }
    }
    Ok(pairs)
}

fn large_table(pairs: &[Pair]) -> String {
    let mut table = Table::new(&[
        "model",
        "#states",
        "#transitions",
        "#states/s: pan",
        "#ours",
        "#ratio",
        "#bytes/state: pan",
        "#ours",
        "#seconds: spin -a + gcc + pan",
        "#ours",
        "#ratio",
    ]);
    for pair in pairs {
        let states = pair.pan.report.states as f64;
        let rate = |seconds: f64| grouped((states / seconds.max(1e-4)) as u64);
        let s = &pair.pan.stages;
        let mut name = pair.name.clone();
        if pair.pan.report.figures() != pair.ours.figures {
            name.push_str(" (figures differ!)");
        }
        table.row(vec![
            name,
            grouped(pair.pan.report.states),
            grouped(pair.pan.report.transitions),
            rate(s.verify),
            rate(pair.ours.search_seconds),
            format!("{:.2}", pair.search()),
            format!("{:.1}", pair.pan.report.state_bytes / states.max(1.0)),
            format!("{:.1}", pair.ours.bytes_per_state),
            format!("{:.2} + {:.2} + {:.2} = {:.2}", s.generate, s.compile, s.verify, s.total()),
            format!("{:.2}", pair.ours.seconds),
            format!("{:.2}", pair.end_to_end()),
        ]);
    }
    let mean = |f: fn(&Pair) -> f64| geometric_mean(pairs.iter().map(f));
    format!(
        "{table}\n{}",
        match pairs {
            [] => "no models\n".to_owned(),
            _ => format!(
                "geometric means: search {:.2}, end to end {:.2} times faster than pan\n",
                mean(Pair::search),
                mean(Pair::end_to_end)
            ),
        }
    )
}

fn small_table(pairs: &[Pair]) -> String {
    let mut table = Table::new(&["model", "#states", "#seconds: spin -a + gcc + pan", "#ours", "#ratio"]);
    for pair in pairs {
        table.row(vec![
            pair.name.clone(),
            grouped(pair.pan.report.states),
            format!("{:.3}", pair.pan.stages.total()),
            format!("{:.3}", pair.ours.seconds),
            format!("{:.1}", pair.end_to_end()),
        ]);
    }
    if table.is_empty() {
        return "no models\n".to_owned();
    }
    let mean = geometric_mean(pairs.iter().map(Pair::end_to_end));
    let worst = pairs.iter().min_by(|a, b| a.end_to_end().total_cmp(&b.end_to_end()));
    let worst = worst.map_or_else(String::new, |p| format!("{:.1} ({})", p.end_to_end(), p.name));
    format!("{table}\n{} models: geometric mean {mean:.1} times faster, worst {worst}\n", pairs.len())
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.map(|v| v.max(1e-9).ln()).collect();
    (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    #[test]
    fn means() {
        assert!((super::geometric_mean([2.0, 8.0].into_iter()) - 4.0).abs() < 1e-9);
    }
}
