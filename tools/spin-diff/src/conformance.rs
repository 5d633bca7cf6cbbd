//! `cargo spin-diff conformance`: Selvedge against Spin, state for state, on real models.
//!
//! Spin's own examples and our corpus. A model with `ltl` properties makes several cases: without any claim, and with
//! each of Spin's never claims (see [`harness::spin::claims`] for why).

mod case;
mod report;

use case::{Bench, Case};
use harness::models::{self, Model};
use harness::selvedge::{Selvedge, workspace_root};
use harness::spin::{Compiler, install};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Compare Selvedge with Spin on Spin's examples and on our corpus
#[derive(clap::Args)]
pub struct Options {
    /// Where Spin's examples are
    #[arg(long, default_value = "/usr/share/doc/spin/examples")]
    examples: PathBuf,
    /// Our own models (default: corpus/promela)
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Only models whose path contains this
    #[arg(long)]
    filter: Option<String>,
    /// How many models at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seconds for each stage of each tool
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// How many ltl properties of a model, at most
    #[arg(long, default_value_t = 3)]
    claims: usize,
    /// The selvedge binary (default: build one)
    #[arg(long)]
    selvedge: Option<PathBuf>,
    /// Compile with tcc where it is installed: the same figures, but a slower verifier
    #[arg(long)]
    quick: bool,
    /// Run Spin alone, to see what there is to compare with
    #[arg(long)]
    spin_only: bool,
    /// Also write the table to this file
    #[arg(long)]
    markdown: Option<PathBuf>,
}

/// Runs the command.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    if let Err(reason) = install::ensure() {
        println!("skipped: {reason}");
        return Ok(ExitCode::SUCCESS);
    }
    let limit = Duration::from_secs(options.timeout);
    let selvedge = match options.spin_only {
        true => None,
        false => Some(Selvedge::locate(options.selvedge.as_deref(), limit)?),
    };
    let compiler = if options.quick { Compiler::quickest() } else { Compiler::GccOptimized };
    let bench = Bench { selvedge, limit, claims: options.claims, compiler };
    let models = models(options)?;
    let cases = all_cases(&bench, &models, options.jobs)?;
    let text = report::render(&cases);
    print!("{text}");
    if let Some(path) = &options.markdown {
        std::fs::write(path, format!("{}\n{text}", report::heading()))?;
    }
    Ok(if cases.iter().any(Case::fails) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The models to compare on: those that both tools are meant to accept.
fn models(options: &Options) -> io::Result<Vec<Model>> {
    let ours = options.corpus.clone().unwrap_or_else(|| workspace_root().join("corpus/promela"));
    let mut models = named("spin", models::below(&options.examples)?);
    models.extend(named("corpus", models::below(&ours)?).into_iter().filter(|m| !meant_to_fail(m)));
    if let Some(part) = &options.filter {
        models.retain(|m| m.name.contains(part.as_str()));
    }
    Ok(models)
}

fn named(origin: &str, models: Vec<Model>) -> Vec<Model> {
    let rename = |m: Model| Model { name: format!("{origin}/{}", m.name), ..m };
    models.into_iter().map(rename).collect()
}

/// Models of the corpus that are there to be refused.
fn meant_to_fail(model: &Model) -> bool {
    let broken = Path::new(&model.name).components().any(|part| part.as_os_str() == "broken");
    broken || model.header("expect").is_some_and(|e| e.starts_with("refused"))
}

/// The cases of all models, in the order of the models, computed by several threads.
fn all_cases(bench: &Bench, models: &[Model], jobs: usize) -> io::Result<Vec<Case>> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, Vec<Case>)>> = Mutex::new(Vec::new());
    let work = || -> io::Result<()> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(model) = models.get(at) else { return Ok(()) };
            let cases = bench.cases(model)?;
            for case in &cases {
                eprintln!("[{}/{}] {}", at + 1, models.len(), case.line());
            }
            found.lock().expect("no worker panicked").push((at, cases));
        }
    };
    std::thread::scope(|threads| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| threads.spawn(work)).collect();
        workers.into_iter().try_for_each(|w| w.join().expect("no worker panicked"))
    })?;
    let mut found = found.into_inner().expect("no worker panicked");
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().flat_map(|(_, cases)| cases).collect())
}
