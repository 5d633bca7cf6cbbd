//! `cargo xtask generate`: Boolean programs in families, any size. Prints one program, or writes the
//! instances that the corpus holds (`--corpus`); a test keeps those equal to what is generated.
//!
//! Families: the Bluetooth driver (versions 1 to 4, any number of adders and stoppers), a search tree
//! with a finite heap, and four models of the BEEM suite in the parameters of \[LR\] Figure 8.

mod bluetooth;
mod instances;
mod msmie;
mod mutex;
mod recursion;
mod tree;
mod words;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

/// Print a Boolean program of a family
#[derive(Args)]
pub struct Options {
    #[command(subcommand)]
    family: Family,
}

/// The families.
#[derive(Clone, Debug, Subcommand)]
pub enum Family {
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
    /// Writes the instances of the corpus
    Corpus {
        /// The corpus
        #[arg(long, default_value = "corpus")]
        into: PathBuf,
    },
}

/// The program of a family; `None` for the corpus.
pub fn program(family: &Family) -> Option<String> {
    Some(match *family {
        Family::Bluetooth { version, adders, stoppers } => bluetooth::program(version, adders, stoppers),
        Family::Anderson { n, error } => mutex::anderson(n, error),
        Family::Bakery { n, max, error } => mutex::bakery(n, max, error),
        Family::Peterson { n, error } => mutex::peterson(n, error),
        Family::Msmie { masters, slaves, buffers } => msmie::program(masters, slaves, buffers),
        Family::Tree { inserters, searchers, nodes, key_bits, racy } => {
            tree::program(inserters, searchers, nodes, key_bits, racy)
        }
        Family::Depth { n } => recursion::depth(n),
        Family::Corpus { .. } => return None,
    })
}

/// Runs the command.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    match (program(&options.family), &options.family) {
        (Some(text), _) => print!("{text}"),
        (None, Family::Corpus { into }) => {
            for instance in instances::all() {
                let path = into.join(&instance.path);
                let directory = path.parent().unwrap_or(&path);
                std::fs::create_dir_all(directory)?;
                std::fs::write(&path, instance.text())?;
            }
        }
        (None, _) => {}
    }
    Ok(ExitCode::SUCCESS)
}
