//! `cargo xtask reference`: writes the page of the book that lists every command and option, as the command itself prints it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Write the reference page of the book
#[derive(clap::Args)]
pub struct Options {
    /// The binary [default: the one that cargo builds]
    #[arg(long, value_name = "PATH")]
    selvedge: Option<PathBuf>,
}

/// The page, from the root of the repository.
const PAGE: &str = "docs/book/src/reference.md";

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut command = match &options.selvedge {
        Some(path) => Command::new(path),
        None => {
            let mut cargo = Command::new("cargo");
            cargo.args(["run", "--quiet", "--package", "selvedge-cli", "--"]);
            cargo
        }
    };
    let output = command.arg("reference").output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("selvedge reference: {}", String::from_utf8_lossy(&output.stderr))));
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PAGE);
    std::fs::write(&page, output.stdout)?;
    println!("{PAGE}");
    Ok(ExitCode::SUCCESS)
}
