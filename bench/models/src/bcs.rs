//! `cargo bench-models bcs`: the tables and charts of \[BCS\], section 4, for our two bounded searches and for Spin's.
//!
//! What must be seen: at any bound the layered search costs hardly more than a search without one, where Spin's grows
//! with the bound; and its counterexamples are the easiest to follow.

mod chart;
mod effort;
mod measure;
mod pan;
mod pick;
mod quality;
mod report;
mod trail;

use effort::Effort;
use harness::selvedge::{Selvedge, workspace_root};
use harness::spin::install;
use measure::{Lab, Measured};
use pick::Picked;
use quality::Quality;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Measure the cost of bounds on preemptions, and what counterexamples look like, beside Spin's -DBCS
#[derive(clap::Args)]
pub struct Options {
    /// Measure the cost on these models (default: the public ones of the paper, and others of similar kind)
    #[arg(long, num_args = 1..)]
    models: Vec<PathBuf>,
    /// The bounds, from small to large
    #[arg(long, value_delimiter = ',', default_value = "0,1,2,4,8,16")]
    bounds: Vec<u32>,
    /// Where Spin's examples are
    #[arg(long, default_value = "/usr/share/doc/spin/examples")]
    examples: PathBuf,
    /// Write the tables to this file, and the charts to `charts` beside it
    #[arg(long)]
    out: Option<PathBuf>,
    /// Take the best time of so many runs
    #[arg(long, default_value_t = 3)]
    runs: u32,
    /// Do not repeat a search for a better time when it took more seconds than this
    #[arg(long, default_value_t = 30.0)]
    patience: f64,
    /// Seconds for each run of each tool
    #[arg(long, default_value_t = 600)]
    timeout: u64,
    /// The selvedge binary (default: build one)
    #[arg(long)]
    selvedge: Option<PathBuf>,
}

/// Runs the command.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    if let Err(reason) = install::ensure() {
        println!("skipped: {reason}");
        return Ok(ExitCode::SUCCESS);
    }
    let limit = Duration::from_secs(options.timeout);
    let selvedge = Selvedge::locate(options.selvedge.as_deref(), limit)?;
    let mut bounds = options.bounds.clone();
    bounds.sort_unstable();
    bounds.dedup();
    let lab = Lab { selvedge: &selvedge, bounds: &bounds, runs: options.runs, patience: options.patience, limit };
    let costly =
        if options.models.is_empty() { pick::costly(&options.examples)? } else { pick::named(&options.models)? };
    let wrong = if options.models.is_empty() { pick::wrong(&options.examples)? } else { Vec::new() };
    let found = Found { qualities: qualities(&lab, &wrong)?, efforts: efforts(&lab, &wrong)? };
    let measured = costs(&lab, &costly)?;
    let text = document(&measured, &found, &bounds);
    print!("{text}");
    if let Some(path) = &options.out {
        write(path, &text, &measured, &bounds)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What counterexamples look like, and how much it takes to find them.
struct Found {
    qualities: Vec<Quality>,
    efforts: Vec<Effort>,
}

/// Measures all models, without and with reduction.
fn costs(lab: &Lab<'_>, models: &[Picked]) -> io::Result<Vec<Measured>> {
    let mut all = Vec::new();
    for (number, picked) in models.iter().enumerate() {
        for reduced in [false, true] {
            let with = if reduced { "with" } else { "without" };
            eprintln!("[{}/{}] {}, {with} reduction", number + 1, models.len(), picked.name);
            all.push(lab.measure(picked, reduced)?);
        }
    }
    Ok(all)
}

fn efforts(lab: &Lab<'_>, models: &[Picked]) -> io::Result<Vec<Effort>> {
    let mut all = Vec::new();
    for picked in models {
        eprintln!("the way to the first counterexample of {}", picked.name);
        for reduced in [false, true] {
            all.push(lab.effort(picked, reduced)?);
        }
    }
    Ok(all)
}

fn qualities(lab: &Lab<'_>, models: &[Picked]) -> io::Result<Vec<Quality>> {
    let probe = |picked: &Picked| {
        eprintln!("counterexamples of {}", picked.name);
        lab.quality(picked)
    };
    models.iter().map(probe).collect()
}

/// Everything in Markdown.
fn document(measured: &[Measured], found: &Found, bounds: &[u32]) -> String {
    let greatest = bounds.last().copied().unwrap_or(0);
    let head = include_str!("bcs/head.md")
        .replace("{spin}", &install::version())
        .replace("{machine}", &machine())
        .replace("{command}", &command_line());
    let grid = |show: fn(&measure::Cell) -> String| report::grid(measured, bounds, show);
    let mut text = format!(
        "{head}\n## Cost at bound {greatest}, relative to the search without a bound\n\n{}\n{}\n\
         ## States\n\n{}\n{}\n## Transitions\n\n{}\n{}\n## Seconds\n\n{}\n",
        include_str!("bcs/ratios.md"),
        report::ratios(measured),
        grid(report::states_text),
        report::remarks(measured, bounds),
        include_str!("bcs/transitions.md"),
        grid(report::transitions_text),
        grid(report::seconds_text),
    );
    if !found.efforts.is_empty() {
        let effort = |show| report::efforts(&found.efforts, bounds, show);
        text += &format!(
            "\n## States up to the first counterexample\n\n{}\n{}\n## Transitions up to the first counterexample\n\n{}",
            include_str!("bcs/effort.md"),
            effort(report::states_text as fn(&measure::Cell) -> String),
            effort(report::transitions_text),
        );
    }
    if !found.qualities.is_empty() {
        let table = report::qualities(&found.qualities);
        text += &format!("\n## Counterexamples\n\n{}\n{table}", include_str!("bcs/counterexamples.md"));
    }
    text
}

/// Writes the document and its charts.
fn write(path: &Path, text: &str, measured: &[Measured], bounds: &[u32]) -> io::Result<()> {
    let charts = path.parent().unwrap_or(Path::new("")).join("charts");
    std::fs::create_dir_all(&charts)?;
    let cost = chart::svg("Seconds against the bound on preemptions", bounds, &report::cost_panels(measured));
    let relative = report::relative_panels(measured, bounds);
    let relative = chart::svg("Geometric means over all models, against the bound", bounds, &relative);
    std::fs::write(charts.join("bcs-cost.svg"), cost)?;
    std::fs::write(charts.join("bcs-relative.svg"), relative)?;
    let pictures = "\n## Charts\n\n![Seconds against the bound](charts/bcs-cost.svg)\n\n\
                    ![Cost relative to no bound](charts/bcs-relative.svg)\n";
    std::fs::write(path, format!("{text}{pictures}"))
}

/// The command line, without paths of this machine that do not matter.
fn command_line() -> String {
    let mut shown = vec!["cargo bench-models".to_owned()];
    let root = format!("{}/", workspace_root().display());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--selvedge" {
            arguments.next();
        } else if !argument.starts_with("--selvedge=") {
            shown.push(argument.replace(&root, ""));
        }
    }
    shown.join(" ")
}

/// Cores, processor and load, as far as the system says.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name.trim()));
    let load = read("/proc/loadavg").split(' ').next().map_or_else(String::new, |l| format!(", load {l} at the end"));
    format!("{cores} cores, {}{load}", model.unwrap_or("processor unknown"))
}
