//! `cargo xtask bench-nets`: public coverability benchmarks through Selvedge, and through mist and bfc where they are at
//! hand, each run with the same limit, side by side.
//!
//! A benchmark is a `.spec` or `.tts` file below a directory; a `.spec.tts` file is the translation of a net for
//! bfc and stands for the `.spec` beside it. Answers that contradict each other are an error.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::process::{self, Ending};
use crate::selvedge::Selvedge;
use crate::table::Table;

/// Run coverability benchmarks through Selvedge and its peers
#[derive(clap::Args)]
pub struct Options {
    /// Directory with benchmarks; files below it in any depth
    #[arg(long)]
    benchmarks: PathBuf,
    /// Seconds for each run
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// The selvedge binary (default: build one)
    #[arg(long)]
    selvedge: Option<PathBuf>,
    /// The mist binary; it is run with --backward on `.spec` files
    #[arg(long)]
    mist: Option<PathBuf>,
    /// The bfc binary; it is run on `.tts` files with their property
    #[arg(long)]
    bfc: Option<PathBuf>,
    /// Only files whose path contains this
    #[arg(long)]
    only: Option<String>,
    /// One row for each file, not for each directory
    #[arg(long)]
    each: bool,
}

/// The answer of one tool to one benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Safe,
    Unsafe,
    /// The limit came first.
    None,
    /// The tool refused or failed.
    Failed,
}

struct Measured {
    answer: Answer,
    seconds: f64,
}

/// Runs the benchmarks.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    let selvedge = Selvedge::locate(options.selvedge.as_deref(), Duration::from_secs(options.timeout))?;
    let mut files = Vec::new();
    find(&options.benchmarks, &mut files)?;
    files.sort();
    files.retain(|path| options.only.as_deref().is_none_or(|only| path.to_string_lossy().contains(only)));
    let tools = tools(options, selvedge.binary());
    let mut results: Vec<(PathBuf, Vec<Option<Measured>>)> = Vec::new();
    let mut contradictions = 0;
    for file in &files {
        let limit = Duration::from_secs(options.timeout);
        let measured: Vec<Option<Measured>> =
            tools.iter().map(|tool| tool.run(file, limit)).collect::<io::Result<_>>()?;
        let answers = || measured.iter().flatten().map(|m| m.answer);
        if answers().any(|a| a == Answer::Safe) && answers().any(|a| a == Answer::Unsafe) {
            eprintln!("contradiction: {}", file.display());
            contradictions += 1;
        }
        eprintln!("{}: {}", file.display(), measured.iter().map(|m| cell(m.as_ref())).collect::<Vec<_>>().join("  "));
        results.push((file.clone(), measured));
    }
    if options.each {
        println!("{}", each(&options.benchmarks, &tools, &results));
    }
    println!("{}", summary(&options.benchmarks, &tools, &results));
    Ok(if contradictions == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The benchmarks below a directory.
fn find(directory: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, out)?;
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Where the net itself is there, its translation is not a benchmark of its own.
        let original = name.strip_suffix(".tts").filter(|name| name.ends_with(".spec"));
        let translated = original.is_some_and(|original| path.with_file_name(original).is_file());
        let beside = name == "main.tts" && path.with_file_name("main.spec").is_file();
        if name.ends_with(".spec") || name.ends_with(".tts") && !translated && !beside {
            out.push(path);
        }
    }
    Ok(())
}

struct Tool {
    name: &'static str,
    binary: PathBuf,
}

fn tools(options: &Options, selvedge: &Path) -> Vec<Tool> {
    let mut tools = vec![Tool { name: "selvedge", binary: selvedge.to_path_buf() }];
    tools.extend(options.mist.iter().map(|binary| Tool { name: "mist", binary: binary.clone() }));
    tools.extend(options.bfc.iter().map(|binary| Tool { name: "bfc", binary: binary.clone() }));
    tools
}

impl Tool {
    /// Runs the tool on a file; `None` if it does not read it.
    fn run(&self, file: &Path, limit: Duration) -> io::Result<Option<Measured>> {
        let mut command = Command::new(&self.binary);
        match self.name {
            "selvedge" => {
                let time = format!("{}s", limit.as_secs());
                command.args(["check", "--quiet", "--unbounded", "--time-limit", &time]).arg(file);
            }
            "mist" if file.extension().is_some_and(|ending| ending == "spec") => {
                command.arg("--backward").arg(file);
            }
            "bfc" => {
                let Some(system) = system(file) else { return Ok(None) };
                let property = property(&system);
                command.arg("--target").arg(property).arg(&system);
            }
            _ => return Ok(None),
        }
        let finished = process::run(&mut command, limit + Duration::from_secs(2))?;
        let text = finished.stdout.to_ascii_lowercase();
        let answer = match (self.name, finished.ending) {
            (_, Ending::TimeLimit) => Answer::None,
            ("selvedge", Ending::Exit(0)) => Answer::Safe,
            ("selvedge", Ending::Exit(1)) => Answer::Unsafe,
            ("selvedge", Ending::Exit(3)) => Answer::None,
            ("selvedge", _) => Answer::Failed,
            ("mist", _) if text.contains("concludes unsafe") => Answer::Unsafe,
            ("mist", _) if text.contains("concludes safe") => Answer::Safe,
            ("mist", _) => Answer::Failed,
            _ if text.contains("unsafe") || text.contains("verification failed") => Answer::Unsafe,
            _ if text.contains("safe") || text.contains("verification successful") => Answer::Safe,
            _ => Answer::Failed,
        };
        Ok(Some(Measured { answer, seconds: finished.seconds }))
    }
}

/// The thread transition system of a benchmark.
fn system(file: &Path) -> Option<PathBuf> {
    if file.extension().is_some_and(|ending| ending == "tts") {
        return Some(file.to_path_buf());
    }
    let mut longer = file.as_os_str().to_owned();
    longer.push(".tts");
    [file.with_extension("tts"), PathBuf::from(longer)].into_iter().find(|path| path.is_file())
}

fn property(system: &Path) -> PathBuf {
    let mut longer = system.as_os_str().to_owned();
    longer.push(".prop");
    let longer = PathBuf::from(longer);
    if longer.is_file() { longer } else { system.with_extension("prop") }
}

fn cell(measured: Option<&Measured>) -> String {
    match measured {
        None => "–".to_owned(),
        Some(Measured { answer: Answer::Safe, seconds }) => format!("safe {seconds:.2}"),
        Some(Measured { answer: Answer::Unsafe, seconds }) => format!("unsafe {seconds:.2}"),
        Some(Measured { answer: Answer::None, .. }) => "limit".to_owned(),
        Some(Measured { answer: Answer::Failed, .. }) => "failed".to_owned(),
    }
}

fn each(root: &Path, tools: &[Tool], results: &[(PathBuf, Vec<Option<Measured>>)]) -> Table {
    let mut columns = vec!["benchmark"];
    columns.extend(tools.iter().map(|tool| tool.name));
    let mut table = Table::new(&columns);
    for (file, measured) in results {
        let name = file.strip_prefix(root).unwrap_or(file).display().to_string();
        table.row(std::iter::once(name).chain(measured.iter().map(|m| cell(m.as_ref()))).collect());
    }
    table
}

/// For each set: how many are safe and unsafe as far as is known, and how many of them each tool answered.
fn summary(root: &Path, tools: &[Tool], results: &[(PathBuf, Vec<Option<Measured>>)]) -> Table {
    let mut sets: BTreeMap<String, Vec<&Vec<Option<Measured>>>> = BTreeMap::new();
    for (file, measured) in results {
        let parts: Vec<String> =
            file.strip_prefix(root).unwrap_or(file).iter().map(|p| p.to_string_lossy().into_owned()).collect();
        let set = parts[..parts.len().saturating_sub(1)].first().cloned().unwrap_or_else(|| ".".to_owned());
        sets.entry(set).or_default().push(measured);
    }
    let mut columns = vec!["set", "#files"];
    let heads: Vec<[String; 2]> =
        tools.iter().map(|t| [format!("#{}: safe + unsafe", t.name), "#seconds".to_owned()]).collect();
    columns.extend(heads.iter().flatten().map(String::as_str));
    let mut table = Table::new(&columns);
    let everything: Vec<&Vec<Option<Measured>>> = results.iter().map(|(_, measured)| measured).collect();
    for (name, set) in sets.iter().chain(std::iter::once((&"all".to_owned(), &everything))) {
        let mut row = vec![name.clone(), set.len().to_string()];
        for tool in 0..tools.len() {
            let of =
                |wanted: Answer| set.iter().filter(|m| m[tool].as_ref().is_some_and(|m| m.answer == wanted)).count();
            let solved = set
                .iter()
                .filter_map(|m| m[tool].as_ref())
                .filter(|m| matches!(m.answer, Answer::Safe | Answer::Unsafe));
            row.push(format!("{} + {}", of(Answer::Safe), of(Answer::Unsafe)));
            row.push(format!("{:.1}", solved.map(|m| m.seconds).sum::<f64>()));
        }
        table.row(row);
    }
    table
}
