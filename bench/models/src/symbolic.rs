//! `cargo bench-models symbolic`: reproduces the figures of Lal and Reps. The Bluetooth driver against threads and against
//! rounds (Figure 6), the search tree (Figure 7), the models of the BEEM suite (Figure 8) beside the paper's times, and beside
//! Spin's full search where Spin is installed and the suite's model is available.
//!
//! Times are CPU seconds of the whole command, so that other work on the machine disturbs little.

use std::fmt::Write;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use harness::scratch::Scratch;
use harness::selvedge::{Selvedge, workspace_root};
use harness::spin::{self, Setup, install};
use harness::table::Table;
use selvedge_testgen::families;

/// Reproduce the figures of Lal and Reps
#[derive(clap::Args)]
pub struct Options {
    /// Seconds for each run
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// The selvedge binary (default: build one)
    #[arg(long)]
    selvedge: Option<PathBuf>,
    /// A directory with the Promela models of the BEEM suite (anderson.6.pm, …): Spin runs on them
    #[arg(long)]
    beem: Option<PathBuf>,
    /// Make only these figures: 6a, 6b, 7, 8
    #[arg(long, value_delimiter = ',', conflicts_with = "markdown")]
    figures: Vec<String>,
    /// Put the section into this file, in place of the one it has
    #[arg(long)]
    markdown: Option<PathBuf>,
}

/// The section's first line in the file of benchmarks.
const TITLE: &str = "# The symbolic engine";

/// What one run showed.
struct Measured {
    seconds: f64,
    shared: u64,
    verdict: String,
    peak_nodes: u64,
}

/// When a run ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// At the first violation.
    Answered,
    /// When all reachable shared states are known.
    Complete,
}

struct Bench {
    selvedge: PathBuf,
    timeout: u64,
    scratch: Scratch,
    beem: Option<PathBuf>,
}

impl Bench {
    /// Runs `check` for so many rounds; `None` if it did not end in time.
    fn run(&self, program: &str, rounds: u32, analysis: &str, until: Until) -> io::Result<Option<Measured>> {
        let path = self.scratch.path().join("model.bp");
        std::fs::write(&path, program)?;
        // POSIX: `times` prints the CPU time of the shell, then that of its children.
        let output = Command::new("sh")
            .args(["-c", "\"$@\"; times", "sh"])
            .arg(&self.selvedge)
            .args(["check", "--json", "--no-save", "--engine", "symbolic", "--analysis", analysis])
            .args((until == Until::Complete).then_some("--continue"))
            .args(["--rounds", &rounds.to_string(), "--time-limit", &format!("{}s", self.timeout)])
            .arg(&path)
            .stderr(Stdio::null())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(read(&text))
    }
}

impl Bench {
    /// Spin's full search of a model of the suite: the seconds of its verifier, or why there are none.
    fn spin(&self, instance: &str) -> io::Result<String> {
        let Some(directory) = &self.beem else { return Ok(String::new()) };
        let model = directory.join(format!("{instance}.pm"));
        if !model.is_file() || install::ensure().is_err() {
            return Ok(String::new());
        }
        let scratch = Scratch::new("bench-symbolic-spin")?;
        let limit = Duration::from_secs(self.timeout);
        let setup = Setup { depth: 2_000_000, hash_bits: 24, ..Setup::thorough(limit) };
        Ok(match spin::verify(&model, scratch.path(), &setup)? {
            Ok(pan) => format!("{:.2}", pan.stages.verify),
            Err(obstacle) => obstacle.to_string(),
        })
    }
}

fn read(text: &str) -> Option<Measured> {
    let end = text.rfind('}')? + 1;
    let report: serde_json::Value = serde_json::from_str(&text[..end]).ok()?;
    let seconds = text[end..].lines().filter(|line| !line.is_empty()).nth(1).map(cpu)?;
    if report["stop"] == "time-limit" || report["stop"] == "memory-limit" {
        return None;
    }
    Some(Measured {
        seconds,
        shared: report["stats"]["states"].as_u64()?,
        verdict: report["verdict"].as_str()?.to_owned(),
        peak_nodes: report["bdd"]["peak_nodes"].as_u64()?,
    })
}

/// `0m1.25s 0m0.03s` in seconds.
fn cpu(line: &str) -> f64 {
    let seconds = |word: &str| {
        let (minutes, rest) = word.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + rest.trim_end_matches('s').parse::<f64>().ok()?)
    };
    line.split_whitespace().filter_map(seconds).sum()
}

fn shown(measured: Option<&Measured>) -> String {
    measured.map_or_else(|| "—".to_owned(), |m| format!("{:.2}", m.seconds))
}

/// Runs the command.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    let limit = Duration::from_secs(options.timeout);
    let selvedge = Selvedge::locate(options.selvedge.as_deref(), limit)?.binary().to_owned();
    let scratch = Scratch::new("bench-symbolic")?;
    let bench = Bench { selvedge, timeout: options.timeout, scratch, beem: options.beem.clone() };
    let mut text = format!(
        "{TITLE}\n\nThe figures of Lal and Reps (docs/bibliography.md, [LR]), reproduced with\n\n```sh\ncargo bench-models \
         symbolic --markdown docs/benchmarks.md\n```\n\nCPU seconds of the whole command; — is more than {} s. All \
         reachable shared states are computed, violations do not end a run, but for the answers of Figure 8. The paper's machine had 2.4 GHz and 3.4 GB.\n\n",
        options.timeout
    );
    type Part = fn(&Bench) -> io::Result<String>;
    let parts: [(&str, Part); 4] = [("6a", by_threads), ("6b", by_rounds), ("7", tree), ("8", beem)];
    for (figure, part) in parts {
        if !options.figures.is_empty() && !options.figures.iter().any(|wanted| wanted == figure) {
            continue;
        }
        let part = part(&bench)?;
        print!("{part}");
        text.push_str(&part);
    }
    if let Some(path) = &options.markdown {
        let path = if path.is_absolute() { path.clone() } else { workspace_root().join(path) };
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        let before = old.split(TITLE).next().unwrap_or_default().trim_end();
        std::fs::write(&path, format!("{before}\n\n{text}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn bluetooth(threads: u32) -> String {
    families::bluetooth(3, threads - 1, 1)
}

/// A bar for each time: one character doubles.
fn bar(measured: Option<&Measured>) -> String {
    let length = measured.map_or(0, |m| (m.seconds / 0.01).log2().max(0.0).round() as usize + 1);
    "█".repeat(length)
}

fn by_threads(bench: &Bench) -> io::Result<String> {
    let mut table =
        Table::new(&["#threads", "#lazy", "#eager", "#shared states", "#peak nodes (lazy)", "lazy, log scale"]);
    for threads in 2..=8 {
        let lazy = bench.run(&bluetooth(threads), 4, "lazy", Until::Complete)?;
        let eager = bench.run(&bluetooth(threads), 4, "eager", Until::Complete)?;
        table.row(row(threads, lazy.as_ref(), eager.as_ref()));
    }
    Ok(format!("## Figure 6a: Bluetooth, 4 rounds, against threads (version 3, one stopper)\n\n{table}\n"))
}

fn by_rounds(bench: &Bench) -> io::Result<String> {
    let mut table =
        Table::new(&["#rounds", "#lazy", "#eager", "#shared states", "#peak nodes (lazy)", "lazy, log scale"]);
    for rounds in 1..=7 {
        let lazy = bench.run(&bluetooth(3), rounds, "lazy", Until::Complete)?;
        let eager = bench.run(&bluetooth(3), rounds, "eager", Until::Complete)?;
        table.row(row(rounds, lazy.as_ref(), eager.as_ref()));
    }
    Ok(format!("## Figure 6b: Bluetooth, 3 threads, against rounds (version 3, one stopper)\n\n{table}\n"))
}

fn row(number: u32, lazy: Option<&Measured>, eager: Option<&Measured>) -> Vec<String> {
    let shared = lazy.or(eager).map_or_else(String::new, |m| m.shared.to_string());
    let peak = lazy.map_or_else(String::new, |m| m.peak_nodes.to_string());
    vec![number.to_string(), shown(lazy), shown(eager), shared, peak, bar(lazy)]
}

/// The paper's times for the tree, 2 to 6 contexts.
const FIGURE_7: [(u32, u32, [f64; 5]); 3] = [
    (1, 1, [6.1, 21.6, 84.5, 314.8, 1054.8]),
    (2, 1, [11.9, 46.8, 211.9, 832.0, 2995.6]),
    (2, 2, [14.1, 64.4, 298.0, 1255.4, 4432.1]),
];

fn tree(bench: &Bench) -> io::Result<String> {
    let mut table =
        Table::new(&["inserters + searchers", "#rounds", "#ours", "#paper", "#shared states", "#peak nodes"]);
    for (inserters, searchers, paper) in FIGURE_7 {
        for (rounds, paper) in (2..=6).zip(paper) {
            let program = families::tree(inserters, searchers, 7, 3, false);
            let measured = bench.run(&program, rounds, "lazy", Until::Complete)?;
            table.row(vec![
                format!("{inserters} + {searchers}"),
                rounds.to_string(),
                shown(measured.as_ref()),
                paper.to_string(),
                measured.as_ref().map_or_else(String::new, |m| m.shared.to_string()),
                measured.as_ref().map_or_else(String::new, |m| m.peak_nodes.to_string()),
            ]);
        }
    }
    let note = "The model is our own (7 heap nodes, keys of 3 bits, 85 globals; the paper's has 72): compare shapes.";
    Ok(format!("## Figure 7: the search tree, lazy\n\n{table}\n{note}\n\n"))
}

/// A row of Figure 8.
struct Row {
    name: &'static str,
    program: String,
    rounds: u32,
    /// The paper's seconds, for its tool and for Spin.
    paper: f64,
    paper_spin: &'static str,
    /// The suite's name for it.
    instance: &'static str,
}

fn figure_8() -> Vec<Row> {
    let anderson = |error| families::anderson(6, error);
    let bakery = |max, error| families::bakery(4, max, error);
    let peterson = |error| families::peterson(4, error);
    let msmie = |masters, slaves, buffers| families::msmie(masters, slaves, buffers);
    let row =
        |name, program, rounds, paper, paper_spin, instance| Row { name, program, rounds, paper, paper_spin, instance };
    vec![
        row("Anderson N=6", anderson(false), 2, 52.46, "out of memory", "anderson.6"),
        row("Anderson N=6 ERROR=1", anderson(true), 2, 54.90, "out of memory", "anderson.7"),
        row("Bakery N=4 MAX=7", bakery(7, false), 2, 5.87, "28.5", "bakery.5"),
        row("Bakery N=4 MAX=5 ERROR=1", bakery(5, true), 2, 13.88, "44.2", "bakery.6"),
        row("Peterson N=4", peterson(false), 3, 5.46, "3.05", "peterson.4"),
        row("Peterson N=4 ERROR=1", peterson(true), 3, 25.72, "out of memory", "peterson.5"),
        row("Msmie M=10 S=10 N=5", msmie(10, 10, 5), 2, 47.94, "31.0", "msmie.4"),
        row("Msmie M=6 S=7 N=2", msmie(6, 7, 2), 2, 1.29, "1.04", "msmie.2"),
    ]
}

fn beem(bench: &Bench) -> io::Result<String> {
    let mut table = Table::new(&[
        "model",
        "#rounds",
        "verdict",
        "#our answer",
        "#paper",
        "#ours, all states",
        "#Spin (paper)",
        "#Spin (here)",
        "#shared states",
    ]);
    for Row { name, program, rounds, paper, paper_spin, instance } in figure_8() {
        let answer = bench.run(&program, rounds, "lazy", Until::Answered)?;
        let measured = bench.run(&program, rounds, "lazy", Until::Complete)?;
        let field = |get: &dyn Fn(&Measured) -> String| measured.as_ref().map(get).unwrap_or_default();
        table.row(vec![
            name.to_owned(),
            rounds.to_string(),
            field(&|m| m.verdict.clone()),
            shown(answer.as_ref()),
            format!("{paper:.2}"),
            shown(measured.as_ref()),
            paper_spin.to_owned(),
            bench.spin(instance)?,
            field(&|m| m.shared.to_string()),
        ]);
    }
    let mut text = format!("## Figure 8: models of the BEEM suite, lazy\n\n{table}\n");
    let _ = writeln!(
        text,
        "Spin enumerates all states of the finite model (its verifier alone, without the C compiler); the columns are the paper's and, \
         where `--beem` names a directory with the suite's Promela models, ours.\n"
    );
    Ok(text)
}
