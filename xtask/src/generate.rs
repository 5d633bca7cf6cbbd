//! `cargo xtask generate`: prints a Boolean program of a family (`testgen::families`), or writes the instances that the
//! corpus holds (`generate corpus`).

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use selvedge_testgen::families;

/// Print a Boolean program of a family
#[derive(Args)]
pub struct Options {
    #[command(subcommand)]
    family: Family,
}

#[derive(Clone, Debug, Subcommand)]
enum Family {
    /// The Bluetooth driver
    Bluetooth {
        /// 1 to 4: KISS, Chaki et al., its repair, a repair that works
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=4))]
        version: u32,
        /// Threads that add a device
        #[arg(long, default_value_t = 2)]
        adders: u32,
        /// Threads that stop the driver
        #[arg(long, default_value_t = 1)]
        stoppers: u32,
    },
    /// Anderson's queue lock (BEEM)
    Anderson {
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..))]
        n: u32,
        /// The error of the suite
        #[arg(long)]
        error: bool,
    },
    /// Lamport's bakery (BEEM)
    Bakery {
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..))]
        n: u32,
        /// Largest number drawn
        #[arg(long, default_value_t = 5)]
        max: u32,
        /// The error of the suite
        #[arg(long)]
        error: bool,
    },
    /// Peterson's algorithm for n processes (BEEM)
    Peterson {
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..))]
        n: u32,
        /// The error of the suite
        #[arg(long)]
        error: bool,
    },
    /// The MSMIE protocol (BEEM)
    Msmie {
        /// Masters
        #[arg(long, default_value_t = 2)]
        masters: u32,
        /// Slaves
        #[arg(long, default_value_t = 1)]
        slaves: u32,
        /// Buffers
        #[arg(long, default_value_t = 3)]
        buffers: u32,
    },
    /// A search tree with a finite heap
    Tree {
        /// Threads that insert a key and look for it
        #[arg(long, default_value_t = 1)]
        inserters: u32,
        /// Threads that look for a key
        #[arg(long, default_value_t = 1)]
        searchers: u32,
        /// Nodes of the heap
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=63))]
        nodes: u32,
        /// Bits of a key
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=8))]
        key_bits: u32,
        /// Link new nodes without looking again
        #[arg(long)]
        racy: bool,
    },
    /// A bug that needs a stack of this depth
    Depth {
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
        n: u32,
    },
    /// Write the instances in the corpus
    Corpus {
        /// The corpus
        #[arg(long, default_value = "corpus")]
        into: PathBuf,
    },
}

/// Runs the command.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    let program = match options.family {
        Family::Bluetooth { version, adders, stoppers } => families::bluetooth(version, adders, stoppers),
        Family::Anderson { n, error } => families::anderson(n, error),
        Family::Bakery { n, max, error } => families::bakery(n, max, error),
        Family::Peterson { n, error } => families::peterson(n, error),
        Family::Msmie { masters, slaves, buffers } => families::msmie(masters, slaves, buffers),
        Family::Tree { inserters, searchers, nodes, key_bits, racy } => {
            families::tree(inserters, searchers, nodes, key_bits, racy)
        }
        Family::Depth { n } => families::depth(n),
        Family::Corpus { ref into } => return write_instances(into),
    };
    print!("{program}");
    Ok(ExitCode::SUCCESS)
}

fn write_instances(corpus: &Path) -> io::Result<ExitCode> {
    for instance in families::instances() {
        let path = corpus.join(&instance.path);
        std::fs::create_dir_all(path.parent().unwrap_or(corpus))?;
        std::fs::write(&path, instance.text())?;
    }
    Ok(ExitCode::SUCCESS)
}
