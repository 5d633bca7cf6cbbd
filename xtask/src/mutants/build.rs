//! Compiles the tree and finds the test binaries of a suite.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::run::Binary;
use super::schema::Blamed;
use super::suite::{SUITES, Suite};
use super::tree::Tree;

/// Where the tree is compiled.
pub struct Build {
    target: PathBuf,
    tree: PathBuf,
}

impl Build {
    /// Nothing is compiled yet.
    pub fn new(target: PathBuf, tree: PathBuf) -> Build {
        Build { target, tree }
    }

    /// Compiles the mutated packages; the result are the mutants that the compiler rejects as branches.
    pub fn check(&self, tree: &Tree) -> io::Result<Vec<Blamed>> {
        let packages = SUITES.iter().flat_map(|suite| ["-p", suite.package]);
        let (messages, good) = self.messages(self.cargo("build").arg("--keep-going").args(packages))?;
        if good {
            return Ok(Vec::new());
        }
        let errors: Vec<&Value> = messages
            .iter()
            .map(|message| &message["message"])
            .filter(|message| message["level"] == "error" && message["spans"].as_array().is_some_and(|s| !s.is_empty()))
            .collect();
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for span in errors.iter().flat_map(|error| error["spans"].as_array().into_iter().flatten()) {
            if span["is_primary"] == true {
                let file = span["file_name"].as_str().unwrap_or_default().to_owned();
                places.entry(file).or_default().push(span["byte_start"].as_u64().unwrap_or(0) as usize);
            }
        }
        let mut blamed = BTreeSet::new();
        for (file, offsets) in places {
            blamed.extend(tree.blamed(&file, &offsets)?);
        }
        if blamed.is_empty() {
            let rendered = errors.iter().filter_map(|error| error["rendered"].as_str());
            return Err(io::Error::other(format!("the tree does not compile:\n{}", rendered.collect::<String>())));
        }
        Ok(blamed.into_iter().collect())
    }

    /// Whether a package compiles.
    pub fn compiles(&self, package: &str) -> io::Result<bool> {
        Ok(self.messages(self.cargo("build").args(["-p", package]))?.1)
    }

    /// Builds the parts of a suite.
    pub fn tests(&self, suite: &Suite) -> io::Result<Vec<Binary>> {
        // Always the same packages, so that cargo resolves the same features and compiles nothing twice.
        let packages: BTreeSet<&str> = SUITES.iter().flat_map(|suite| suite.parts).map(|part| part.package).collect();
        let mut command = self.cargo("test");
        command.arg("--no-run").args(packages.iter().flat_map(|package| ["-p", *package]));
        for part in suite.parts {
            match part.test {
                "lib" => command.arg("--lib"),
                name => command.args(["--test", name]),
            };
        }
        let (messages, good) = self.messages(&mut command)?;
        if !good {
            return Err(io::Error::other(format!("the suite of {} does not compile", suite.package)));
        }
        suite.parts.iter().map(|part| found(&messages, part)).collect()
    }

    fn cargo(&self, verb: &str) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args([verb, "--offline", "--quiet", "--message-format", "json"]).current_dir(&self.tree);
        command.env("CARGO_TARGET_DIR", &self.target).stderr(Stdio::null());
        // Tests run far more often than they are compiled, and mutants are not debugged.
        command
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "2")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0");
        command
    }

    /// What cargo prints, and whether it succeeded.
    fn messages(&self, command: &mut Command) -> io::Result<(Vec<Value>, bool)> {
        let output = command.output()?;
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok((messages, output.status.success()))
    }
}

/// The binary of a part among what cargo built.
fn found(messages: &[Value], part: &super::suite::Part) -> io::Result<Binary> {
    let directory = |message: &Value| {
        let manifest = PathBuf::from(message["manifest_path"].as_str().unwrap_or_default());
        manifest.parent().map(PathBuf::from).unwrap_or_default()
    };
    let fits = |message: &&Value| {
        let (target, package) = (&message["target"], message["package_id"].as_str().unwrap_or_default());
        let kind = if part.test == "lib" { "lib" } else { "test" };
        let named = part.test == "lib" || target["name"] == part.test;
        let from =
            package.contains(&format!("/{}#", part.directory())) || package.contains(&format!("#{}@", part.package));
        message["executable"].is_string() && target["kind"][0] == kind && named && from
    };
    let message = messages.iter().find(fits);
    let message =
        message.ok_or_else(|| io::Error::other(format!("there is no test {} {}", part.package, part.test)))?;
    Ok(Binary {
        name: format!("{} {}", part.package, part.test),
        executable: PathBuf::from(message["executable"].as_str().unwrap_or_default()),
        directory: directory(message),
    })
}
