//! `cargo bench-models nets`: public coverability benchmarks through Selvedge, each of mist's algorithms and bfc, one
//! process at a time, each under the same limit of CPU time, side by side. Answers that contradict each other are an error.

mod instance;
mod peers;
mod record;
mod tables;
mod tool;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use self::instance::Instance;
use self::record::Records;
use self::tool::{Answer, Measured, Tool};
use harness::selvedge::Selvedge;

/// Run coverability benchmarks through Selvedge and its peers
#[derive(clap::Args)]
pub struct Options {
    /// Directory of benchmarks, searched recursively; each of its subdirectories is a set
    #[arg(long)]
    benchmarks: PathBuf,
    /// CPU seconds for each run
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// The selvedge binary (default: build one)
    #[arg(long)]
    selvedge: Option<PathBuf>,
    /// Directory with the sources of the peers; they are fetched and built where missing
    #[arg(long, default_value = "target/peers")]
    peers: PathBuf,
    /// The tools to run: selvedge, bfc, mist-backward, mist-ic4pn, mist-tsi, mist-eec, mist-cegar
    #[arg(long, value_delimiter = ',', value_parser = known_tool,
          default_value = "selvedge,bfc,mist-backward,mist-ic4pn,mist-tsi,mist-eec,mist-cegar")]
    tools: Vec<String>,
    /// A file of measurements: what it has is not run again, unless it met a lower limit; what is run is added
    #[arg(long)]
    records: Option<PathBuf>,
    /// Run nothing: print the tables of what is recorded
    #[arg(long, requires = "records")]
    recorded: bool,
    /// Take only this many of each set, the smallest files
    #[arg(long)]
    smallest: Option<usize>,
    /// Take only files whose path contains this
    #[arg(long)]
    only: Option<String>,
    /// Print a row for each file too
    #[arg(long)]
    each: bool,
}

fn known_tool(name: &str) -> Result<String, String> {
    let mist = name.strip_prefix("mist-").is_some_and(|algorithm| peers::ALGORITHMS.contains(&algorithm));
    if mist || name == "selvedge" || name == "bfc" { Ok(name.to_owned()) } else { Err("no such tool".to_owned()) }
}

/// A benchmark with what each tool did on it.
pub struct Compared {
    instance: Instance,
    measured: Vec<Option<Measured>>,
}

/// Runs the benchmarks.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut instances = instance::all(&options.benchmarks)?;
    instances.retain(|instance| options.only.as_deref().is_none_or(|only| instance.name.contains(only)));
    if let Some(most) = options.smallest {
        instance::keep_smallest(&mut instances, most);
    }
    let mut records = Records::open(options.records.as_deref())?;
    let names: Vec<String> = if options.recorded {
        options.tools.iter().map(|name| name.replace('-', " ")).collect()
    } else {
        let ours = options.tools.iter().any(|tool| tool == "selvedge");
        let selvedge = if ours { locate(options)? } else { PathBuf::new() };
        let tools = peers::tools(&options.tools, &selvedge, &options.peers);
        measure(&tools, &instances, options.timeout, &mut records)?;
        tools.iter().map(Tool::name).collect()
    };
    report(options, &names, instances, &records)
}

fn locate(options: &Options) -> io::Result<PathBuf> {
    let limit = Duration::from_secs(options.timeout);
    Ok(Selvedge::locate(options.selvedge.as_deref(), limit)?.binary().to_owned())
}

/// How often a failure is tried again.
const RETRIES: usize = 2;

/// Runs what is not known yet.
fn measure(tools: &[Tool], instances: &[Instance], seconds: u64, records: &mut Records) -> io::Result<()> {
    for instance in instances {
        for tool in tools {
            if records.suffices(instance, &tool.name(), seconds) {
                continue;
            }
            let mut measured = tool.run(instance, seconds)?;
            // The two searches of bfc race each other, and now and then it crashes on what it answers the next time.
            for _ in 0..RETRIES {
                if measured.is_some_and(|measured| measured.answer == Answer::Failed) {
                    measured = tool.run(instance, seconds)?;
                }
            }
            if let Some(measured) = measured {
                eprintln!("{}: {} {}", instance.name, tool.name(), tables::cell(Some(&measured)));
                records.add(instance, &tool.name(), measured)?;
            }
        }
    }
    Ok(())
}

/// Prints the tables and looks for contradictions.
fn report(options: &Options, tools: &[String], instances: Vec<Instance>, records: &Records) -> io::Result<ExitCode> {
    let compared: Vec<Compared> = instances
        .into_iter()
        .map(|instance| {
            let measured = tools.iter().map(|tool| records.get(&instance, tool)).collect();
            Compared { instance, measured }
        })
        .collect();
    if options.each {
        println!("{}", tables::each(tools, &compared));
    }
    println!("{}", tables::summary(tools, &compared, options.timeout));
    println!("{}", tables::lost(tools, &compared));
    let answered = |result: &Compared, answer| result.measured.iter().flatten().any(|m| m.answer == answer);
    let mut code = ExitCode::SUCCESS;
    for result in compared.iter().filter(|result| answered(result, Answer::Safe) && answered(result, Answer::Unsafe)) {
        eprintln!("contradiction: {}", result.instance.name);
        code = ExitCode::from(1);
    }
    Ok(code)
}
