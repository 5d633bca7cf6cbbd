//! `cargo xtask fuzz`: runs the targets of `fuzz/` one after the other, each for a minute. Needs a nightly toolchain and
//! `cargo install cargo-fuzz`. What breaks a parser is left in `fuzz/artifacts`; it becomes a test.

use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Fuzz every parser for a while
#[derive(clap::Args)]
pub struct Options {
    /// Take only these targets
    targets: Vec<String>,
    /// Seconds for each target
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Build without a sanitizer, where its runtime is missing
    #[arg(long)]
    no_sanitizer: bool,
}

/// Each target with the directories of the texts it starts from.
const TARGETS: &[(&str, &[&str])] = &[
    (
        "promela",
        &["fuzz/seeds/promela", "corpus/promela/classic", "corpus/promela/broken", "corpus/promela/constructs"],
    ),
    (
        "boolean_program",
        &[
            "fuzz/seeds/boolean_program",
            "corpus/boolprog/classic",
            "corpus/boolprog/broken",
            "corpus/boolprog/constructs",
        ],
    ),
    ("pds", &["corpus/pds"]),
    ("dcps", &["corpus/nets"]),
    ("spec", &["corpus/nets"]),
    ("tts", &["corpus/nets", "fuzz/seeds/tts"]),
    ("certificate", &["fuzz/seeds/certificate"]),
    ("trace", &["fuzz/seeds/trace"]),
    ("selvedge_toml", &["fuzz/seeds/selvedge_toml"]),
    ("ltl", &["fuzz/seeds/ltl"]),
];

/// Runs the targets; fails if one of them found something.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    if let Some(unknown) = options.targets.iter().find(|name| !TARGETS.iter().any(|(target, _)| target == name)) {
        let names: Vec<&str> = TARGETS.iter().map(|(target, _)| *target).collect();
        return Err(io::Error::other(format!("no target `{unknown}`; there are {}", names.join(", "))));
    }
    let mut broken = Vec::new();
    for (target, seeds) in TARGETS.iter().filter(|(target, _)| wanted(options, target)) {
        println!("== {target}");
        if !fuzz(options, target, seeds)? {
            broken.push(*target);
        }
    }
    if broken.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("broken: {}; the inputs are in fuzz/artifacts", broken.join(", "));
    Ok(ExitCode::FAILURE)
}

fn wanted(options: &Options, target: &str) -> bool {
    options.targets.is_empty() || options.targets.iter().any(|name| name == target)
}

/// Whether the target found nothing.
fn fuzz(options: &Options, target: &str, seeds: &[&str]) -> io::Result<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let found = format!("fuzz/corpus/{target}");
    std::fs::create_dir_all(root.join(&found))?;
    // `cargo +nightly` is understood by rustup's cargo, which is the one on PATH.
    let mut cargo = Command::new("cargo");
    cargo.args(["+nightly", "fuzz", "run"]).args(options.no_sanitizer.then_some("--sanitizer=none"));
    cargo.arg(target).arg(&found).args(seeds);
    // The environment of `cargo run` names the toolchain that xtask was built with.
    cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    cargo.args(["--", "-timeout=10", "-rss_limit_mb=4096", "-print_final_stats=1"]);
    cargo.arg(format!("-max_total_time={}", options.seconds)).current_dir(root);
    Ok(cargo.status()?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_run_and_has_seeds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let manifest = std::fs::read_to_string(root.join("fuzz/Cargo.toml")).expect("manifest");
        let listed = manifest.split("[[bin]]").skip(1).filter_map(|bin| bin.split('"').nth(1));
        assert_eq!(listed.collect::<Vec<_>>(), TARGETS.iter().map(|(target, _)| *target).collect::<Vec<_>>());
        for (target, seeds) in TARGETS {
            assert!(!seeds.is_empty(), "{target} has no seeds");
            seeds.iter().for_each(|seeds| assert!(root.join(seeds).is_dir(), "{target}: {seeds}"));
        }
    }
}
