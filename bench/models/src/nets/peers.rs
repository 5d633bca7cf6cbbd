//! The peers: where they are, or how they are got and built. A peer that cannot be had is left out, with the reason printed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::tool::{Kind, Tool};
use harness::process;

/// mist's algorithms.
pub const ALGORITHMS: [&str; 5] = ["backward", "ic4pn", "tsi", "eec", "cegar"];

/// How a peer is got.
struct Peer {
    directory: &'static str,
    repository: &'static str,
    binary: &'static str,
    /// Debian's packages that the build needs.
    packages: &'static [&'static str],
    build: &'static str,
}

/// The stack of mist's parser is too low for the nets of bug tracking as it comes; that says nothing of its algorithms.
const MIST: Peer = Peer {
    directory: "mist",
    repository: "https://github.com/pierreganty/mist",
    binary: "src/mist",
    packages: &["autoconf", "automake", "flex", "bison", "gcc", "make"],
    build: "autoreconf -fi && ./configure && make CFLAGS='-O3 -DYYMAXDEPTH=100000000'",
};

const BFC: Peer = Peer {
    directory: "bfc",
    repository: "https://github.com/pevalme/bfc_fork",
    binary: "bin/bfc/release/bfc",
    packages: &["g++", "make", "libboost-all-dev"],
    build: "mkdir -p bin/bfc/release && touch .depend && make CXX=g++ bfc",
};

/// The tools of the given names that can be had, in the order of names. A directory holds the sources of the peers.
pub fn tools(names: &[String], selvedge: &Path, directory: &Path) -> Vec<Tool> {
    let mut tools = Vec::new();
    for (peer, kinds) in [(&MIST, mist_kinds(names)), (&BFC, wanted(names, "bfc", Kind::Bfc))] {
        if kinds.is_empty() {
            continue;
        }
        match peer.get(directory) {
            Ok(binary) => tools.extend(kinds.into_iter().map(|kind| Tool { kind, binary: binary.clone() })),
            Err(why) => println!("without {}: {why}", peer.directory),
        }
    }
    let ours = wanted(names, "selvedge", Kind::Selvedge).into_iter();
    ours.map(|kind| Tool { kind, binary: selvedge.to_path_buf() }).chain(tools).collect()
}

fn wanted(names: &[String], name: &str, kind: Kind) -> Vec<Kind> {
    Vec::from_iter(names.iter().any(|n| n == name).then_some(kind))
}

fn mist_kinds(names: &[String]) -> Vec<Kind> {
    let chosen = |algorithm: &&str| names.iter().any(|name| name.strip_prefix("mist-") == Some(algorithm));
    ALGORITHMS.into_iter().filter(chosen).map(Kind::Mist).collect()
}

impl Peer {
    /// The binary, built if it is not there yet.
    fn get(&self, directory: &Path) -> Result<PathBuf, String> {
        let sources = directory.join(self.directory);
        let binary = sources.join(self.binary);
        if binary.is_file() {
            return std::path::absolute(binary).map_err(|error| error.to_string());
        }
        if !sources.is_dir() {
            std::fs::create_dir_all(directory).map_err(|error| error.to_string())?;
            shell(&format!("git clone --depth 1 {} '{}'", self.repository, sources.display()), directory)?;
        }
        println!("building {} …", self.directory);
        if shell(self.build, &sources).is_err() {
            // Most often something is not installed. Without the right to install, the second attempt says so.
            let packages = self.packages.join(" ");
            let _ = shell(&format!("DEBIAN_FRONTEND=noninteractive apt-get install -y {packages}"), &sources);
            shell(self.build, &sources)?;
        }
        if binary.is_file() { Ok(binary) } else { Err(format!("its build made no {}", self.binary)) }
    }
}

fn shell(script: &str, directory: &Path) -> Result<(), String> {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(directory);
    match process::run(&mut command, Duration::from_secs(3_600)) {
        Ok(done) if done.success() => Ok(()),
        Ok(done) => Err(format!("`{script}`: {}", done.complaint())),
        Err(error) => Err(format!("`{script}`: {error}")),
    }
}
